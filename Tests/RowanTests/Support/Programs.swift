// Other programs. Not with Foundation's Process: with more than a thousand open files, as many tests at once have, it reads
// beyond the end of a buffer on Linux, and the address sanitizer ends the tests.

import Foundation

/// Runs a program, and waits for its end.
///
/// - Returns: its exit code, or nil if it has not run to its end.
func runProgram(_ arguments: [String]) -> Int32? {
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in environment { free(pointer) } }
    var process: pid_t = 0
    guard posix_spawn(&process, arguments[0], nil, nil, &pointers, &environment) == 0 else { return nil }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
        guard errno == EINTR else { return nil }
    }
    // The lower bits name the signal that has ended it.
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
}
