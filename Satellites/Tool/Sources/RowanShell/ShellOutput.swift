// The destination of results.

import Foundation
import RowanCommands

/// The standard output or a file. Ctrl-C stops what is written.
final class ShellOutput: TextOutputStream {
    private let signals: Signals
    private var file = STDOUT_FILENO
    private(set) var path: String?
    private var error: Int32?
    /// Whether Ctrl-C has stopped the output of a statement.
    private var isCut = false

    init(signals: Signals) { self.signals = signals }

    deinit { if path != nil { close(file) } }

    func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, error == nil {
                guard !signals.isInterrupted else { return isCut = true }
                // Large texts are written in pieces, so that they can be stopped.
                let count = Foundation.write(file, Array(rest.prefix(65536)), min(rest.count, 65536))
                if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { error = errno }
            }
        }
    }

    /// Runs a statement or command that writes.
    ///
    /// - Throws: the first error of the file; ``Interruption`` if Ctrl-C has stopped the output.
    func writing<T>(_ body: () throws -> T) throws -> T {
        (error, isCut) = (nil, false)
        let result = try Console.$isRedirected.withValue(path != nil, operation: body)
        if let error { throw failure(path ?? "the standard output", error) }
        guard !isCut else { throw Interruption() }
        return result
    }

    /// Sends the next results to a new file.
    ///
    /// - Parameter path: nil for the standard output.
    func redirect(to path: String?) throws {
        var next = STDOUT_FILENO
        if let path {
            var status = stat()
            // Devices and pipes lose nothing.
            let isKept = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            guard !isKept else { throw Failure(message: "\(path) exists: choose another name, or delete it") }
            next = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
            guard next >= 0 else { throw failure(path, errno) }
        }
        let (previous, previousPath) = (file, self.path)
        (file, self.path) = (next, path)
        if let previousPath, close(previous) != 0 { throw failure(previousPath, errno) }
    }

    private func failure(_ path: String, _ error: Int32) -> Failure {
        Failure(message: "can't write \(path): \(String(cString: strerror(error)))")
    }
}
