// The statements that run in a test database, as reported by SQLite's engine, which sees all of them.

import Rowan
import Synchronization

/// A statement that has run.
struct RanQuery: Sendable {
    let sql: String
    /// The SQL with its arguments.
    let expandedSQL: String
    let isReadonly: Bool
}

/// Records the statements of all connections of a database while recordings are active.
final class QueryRecorder: Sendable {
    private struct State {
        var next = 0
        var recordings: [Int: [RanQuery]] = [:]
    }

    // Connections report on their own threads.
    private let state = Mutex(State())

    /// Listens to a connection that opens.
    func listen(to db: Database) throws {
        _ = try db.connection.addTrace([.starts, .omitsTransactions, .omitsShadowTables]) { [self] event in
            // The expectations themselves explain statements.
            guard isRecording, !event.text.isOfTrigger, !event.text.sql.hasPrefix("EXPLAIN") else { return }
            let query = RanQuery(
                sql: event.text.sql, expandedSQL: event.text.expandedSQL, isReadonly: event.text.isReadonly)
            state.withLock { state in
                for number in state.recordings.keys { state.recordings[number]?.append(query) }
            }
        }
    }

    private var isRecording: Bool { state.withLock { !$0.recordings.isEmpty } }

    /// Starts a recording. Several may run at the same time.
    func start() -> Int {
        state.withLock { state in
            state.next += 1
            state.recordings[state.next] = []
            return state.next
        }
    }

    func queries(_ number: Int) -> [RanQuery] { state.withLock { $0.recordings[number] ?? [] } }

    /// Stops a recording.
    func end(_ number: Int) { state.withLock { $0.recordings[number] = nil } }
}
