// Runs other programs. Foundation's Process isn't used: with more than a thousand open files, as many tests at once
// have, it reads beyond the end of a buffer on Linux, and the address sanitizer aborts the tests.

import Foundation

/// Runs a program, and waits until it exits.
///
/// - Returns: its exit code, or nil if it did not exit normally.
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
    // The lower bits contain the signal that terminated it.
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
}
