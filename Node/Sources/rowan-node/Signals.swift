// SIGTERM and SIGINT. They are blocked in all threads, and the main thread asks for them when it can end the node.

import Glibc

/// The signals that end the program.
struct EndSignals {
    private var set = sigset_t()

    /// Blocks them in this thread, and in those that it starts from now on.
    init() {
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for one of them.
    func wait() {
        withUnsafePointer(to: set) { set in
            while sigwaitinfo(set, nil) < 0 {}
        }
    }

    /// Waits for one of them, or until the time is over.
    ///
    /// - Returns: whether there was one.
    func wait(milliseconds: Int) -> Bool {
        var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        return withUnsafePointer(to: set) { sigtimedwait($0, nil, &time) > 0 }
    }
}

/// Ends the program when standard input ends: a pipe whose other end is closed when the process that has started it
/// ends, however that ends.
func endWithInput() {
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { _ in
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 0 || (count < 0 && errno != EINTR) { _exit(EXIT_FAILURE) }
            }
        }, nil)
}

/// Ends the program with an error, unless it ends before by itself. The log is safe then: it is after a crash, too.
func endAfter(seconds: UInt32) {
    signal(SIGALRM) { _ in
        writeLine("rowan-node: dqlite doesn't stop. The process ends nevertheless: its log is as after a crash.", to: 2)
        _exit(EXIT_FAILURE)
    }
    alarm(seconds)
}
