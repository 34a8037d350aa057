// SIGTERM and SIGINT. They are blocked in all threads, and the main thread waits for them when it can stop the node.

import Glibc

/// The signals that stop the program.
struct EndSignals {
    private var set = sigset_t()

    /// Blocks them in this thread and in those that it starts from now on.
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

    /// Waits for one of them until the time has elapsed.
    ///
    /// - Returns: whether one has arrived.
    func wait(milliseconds: Int) -> Bool {
        var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        return withUnsafePointer(to: set) { sigtimedwait($0, nil, &time) > 0 }
    }
}

/// Exits when standard input ends: a pipe whose other end is closed when the parent process exits, however it exits.
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

/// Exits with an error unless the program exits earlier. The log is then safe, as it is after a crash.
func endAfter(seconds: UInt32) {
    signal(SIGALRM) { _ in
        // A handler may not use memory.
        let line: StaticString = "level=error event=killed error=\"dqlite doesn't stop: its log is as after a crash\"\n"
        _ = write(STDERR_FILENO, line.utf8Start, line.utf8CodeUnitCount)
        _exit(EXIT_FAILURE)
    }
    alarm(seconds)
}
