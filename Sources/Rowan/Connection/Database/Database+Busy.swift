// Waiting for locks. The busy handler is ours, so a cancelled access stops waiting immediately.

package import Foundation
import Synchronization

extension Database {
    /// Sets how the connection handles locks of other connections.
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

    /// Runs the closure, which waits for locks at least as long as a timeout. A callback of the configuration decides
    /// itself. The mode, or the timeout of `PRAGMA busy_timeout` that has replaced it, is restored.
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
                // The program may have closed the connection. Otherwise, what could be set can be set again.
                if connection.pointer != nil {
                    try? setBusyMode(mode)
                    hooks.setBusyTimeout(pragma)
                }
            }
            return try body()
        }
    }

    /// Runs the closure, and repeats it while other connections are opening the same file: each of them locks it for a
    /// moment, and SQLite does not always ask the busy handler then. It is repeated for two seconds, or for the timeout
    /// of the busy mode. A callback of the configuration decides itself.
    func retryingWhileOpening<T>(_ body: () throws -> T) throws -> T {
        let timeout: TimeInterval
        switch configuration.busyMode {
        case .immediateError: timeout = 2
        case .timeout(let seconds): timeout = seconds
        case .callback: return try body()
        }
        // The closure may have waited too: the time begins before it.
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

    /// - Parameter timeout: in seconds. An infinite timeout never ends; a negative one, or NaN, ends at once.
    init(timeout: TimeInterval) {
        // A year is practically forever, and does not overflow.
        let year = 31_536_000.0
        self.timeout = timeout == .infinity ? nil : .seconds(min(max(timeout.isNaN ? 0 : timeout, 0), year))
    }

    /// Begins the wait. Otherwise, it begins with the first pause.
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
        // In slices, to detect a cancellation within 5 milliseconds.
        let end = now + pause
        while !isCancelled() {
            let rest = end - ContinuousClock.now
            guard rest > .zero else { return true }
            usleep(UInt32(clamping: Int(min(rest, .milliseconds(5)) / .microseconds(1))))
        }
        return false
    }
}
