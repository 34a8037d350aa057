// Ends statements in which SQLite calls no progress handler for long, such as one that counts the rows of a table.

import Dispatch
import RowanSQLite

/// Interrupts the statements of a connection after a deadline, from another thread.
final class StatementWatchdog: Sendable {
    private struct State {
        /// The connection, as a number, and when its statement must have ended; nil while none runs.
        var watch: (connection: UInt, deadline: ContinuousClock.Instant)?
        var hasInterrupted = false
        var timer: (any DispatchSourceTimer)?
    }

    private let state = Mutex(State())

    deinit { state.withLock { $0.timer?.cancel() } }

    /// - Invariant: the connection stays open until `rest` is called.
    func watch(_ statement: SQLiteStatement, until deadline: ContinuousClock.Instant) {
        let connection = UInt(bitPattern: sqlite3_db_handle(statement))
        state.withLock { state in
            state.watch = (connection, deadline)
            state.hasInterrupted = false
            if state.timer == nil { state.timer = makeTimer() }
        }
    }

    func rest() {
        state.withLock { $0.watch = nil }
    }

    /// Whether a statement was interrupted, once.
    func takeInterruption() -> Bool {
        state.withLock { state in
            defer { state.hasInterrupted = false }
            return state.hasInterrupted
        }
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
        timer.schedule(deadline: .now() + 0.1, repeating: 0.1, leeway: .milliseconds(20))
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
        return timer
    }

    private func look() {
        state.withLock { state in
            guard let watch = state.watch else {
                state.timer?.cancel()
                state.timer = nil
                return
            }
            // The progress handler comes first: it knows which statement is late.
            guard ContinuousClock.now > watch.deadline + .milliseconds(50) else { return }
            state.hasInterrupted = true
            state.watch = nil
            sqlite3_interrupt(SQLiteConnection(bitPattern: watch.connection))
        }
    }
}
