import Rowan
import Synchronization

/// Measures the durations of a connection's statements, from the first step to the end.
///
/// The duration in the event comes from SQLite, whose clock has a resolution of milliseconds on most systems: too
/// coarse for statements that take microseconds.
final class StatementWatch: Sendable {
    private let log: StatementLog
    /// By SQL, because another statement may start and finish while a cursor is open.
    private let starts = Mutex<[String: ContinuousClock.Instant]>([:])

    init(log: StatementLog) {
        self.log = log
    }

    func see(_ event: Database.TraceEvent) {
        let now = ContinuousClock.now
        switch event {
        case .statement(let statement):
            starts.withLock { $0[statement.sql] = now }
        case .profile(let statement, let seconds):
            let start = starts.withLock { $0.removeValue(forKey: statement.sql) }
            log.add(
                sql: statement.sql, expandedSQL: statement.expandedSQL,
                duration: start.map { now - $0 } ?? .seconds(seconds))
        }
    }
}
