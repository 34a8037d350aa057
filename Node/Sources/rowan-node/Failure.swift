// Errors that end the program early: a sentence for standard error, and the exit code.

import Glibc

/// A reason to exit, as a sentence that says what to do.
struct Failure: Error {
    let message: String
    let code: Int32

    init(_ message: String, code: Int32 = EXIT_FAILURE) {
        self.message = message
        self.code = code
    }

    /// A wrong command line, with the Unix exit code for it (`EX_USAGE`).
    static func usage(_ message: String) -> Failure {
        Failure("\(message): see rowan-node --help", code: 64)
    }

    /// A failed system call.
    ///
    /// - Parameter action: what failed, to follow "can't".
    static func system(_ action: String, code: Int32 = errno) -> Failure {
        Failure("can't \(action): \(String(cString: strerror(code)))")
    }
}

/// Writes a line to a descriptor without the buffers of standard output, so that readers of a pipe see it immediately.
func writeLine(_ line: String, to descriptor: Int32) {
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        // The pipe is closed.
        if count < 0, errno != EINTR { return }
        if count > 0 { bytes = bytes.dropFirst(count) }
    }
}
