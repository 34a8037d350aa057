// Waiting for locks. A custom busy handler is used so that a cancelled access stops waiting immediately.

package import RowanPlatform
import Synchronization

extension Database {
    /// Sets the behavior when another connection holds a lock.
    func setBusyMode(_ mode: BusyMode) throws {
        let hooks = try connection.openHooks()
        busyMode = mode
        if let busyListener { hooks.remove(busyListener) }
        // The handler does not outlive the connection.
        let isCancelled = { [unowned connection] in connection.mustStop }
        switch mode {
        case .immediateError:
            busyListener = nil
        case .timeout(let seconds):
            var wait = LockWait(timeout: seconds)
            busyListener = hooks.onBusy { wait.goesOn(after: Int($0), unless: isCancelled) }
        case .callback(let callback):
            busyListener = hooks.onBusy { !isCancelled() && callback(Int($0)) && !isCancelled() }
        }
    }

    /// Runs the closure, which waits for locks for at least the given timeout. If the configuration has a callback, the
    /// callback decides instead. The mode, or the `PRAGMA busy_timeout` that replaced it, is then restored.
    package func waitingForLocks<T>(atLeast timeout: TimeInterval, _ body: () throws -> T) throws -> T {
        let hooks = try connection.openHooks()
        let (mode, pragma) = (busyMode, hooks.busyTimeout)
        switch mode {
        case _ where pragma > 0 && TimeInterval(pragma) >= timeout * 1_000: return try body()
        case .callback where pragma == 0: return try body()
        case .timeout(let seconds) where pragma == 0 && seconds >= timeout: return try body()
        case .immediateError, .timeout, .callback:
            try setBusyMode(.timeout(timeout))
            defer {
                // The program may have closed the connection. Otherwise, a mode that could be set can be set again.
                if connection.pointer != nil {
                    try? setBusyMode(mode)
                    hooks.setBusyTimeout(pragma)
                }
            }
            return try body()
        }
    }

    /// Runs the closure and repeats it while other connections are opening the same file: each of them locks it
    /// briefly, and SQLite does not always call the busy handler in this case. It is repeated for two seconds, or for
    /// the timeout of the busy mode. If the configuration has a callback, the callback decides instead.
    func retryingWhileOpening<T>(_ body: () throws -> T) throws -> T {
        let timeout: TimeInterval
        switch configuration.busyMode {
        case .immediateError: timeout = 2
        case .timeout(let seconds): timeout = seconds
        case .callback: return try body()
        }
        // The closure may have waited too, so the time starts before it.
        var wait = LockWait(timeout: timeout)
        wait.begin()
        var count = 1
        while true {
            do { return try body() } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                guard wait.goesOn(after: count, unless: { false }) else { throw error }
                count += 1
            }
        }
    }
}

/// A wait for a lock, with pauses that grow up to a tenth of a second.
struct LockWait {
    private let timeout: Duration?
    private var deadline: ContinuousClock.Instant?

    /// - Parameter timeout: in seconds. An infinite timeout never expires; a negative one or NaN expires immediately.
    init(timeout: TimeInterval) {
        // A year is effectively unlimited and does not overflow.
        let year = 31_536_000.0
        self.timeout = timeout == .infinity ? nil : .seconds(min(max(timeout.isNaN ? 0 : timeout, 0), year))
    }

    /// Starts the wait. Otherwise, it starts with the first pause.
    mutating func begin() { deadline = timeout.map { ContinuousClock.now + $0 } }

    /// Pauses.
    ///
    /// - Parameter count: the number of pauses so far.
    /// - Returns: false after the timeout, or if the access is cancelled.
    mutating func goesOn(after count: Int, unless isCancelled: () -> Bool) -> Bool {
        let now = ContinuousClock.now
        if count == 0 || deadline == nil { deadline = timeout.map { now + $0 } }
        var pause = Duration.milliseconds([1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100][min(count, 11)])
        if let deadline {
            guard now < deadline else { return false }
            pause = min(pause, deadline - now)
        }
        // Sleeps in slices, to detect a cancellation within 5 milliseconds.
        let end = now + pause
        while !isCancelled() {
            let rest = end - ContinuousClock.now
            guard rest > .zero else { return true }
            pauseThread(for: min(rest, .milliseconds(5)))
        }
        return false
    }
}
