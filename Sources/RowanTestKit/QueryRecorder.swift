// The statements that run in a test database, as SQLite's engine reports them: no path of the library escapes.

import Rowan
import Synchronization

/// A statement that has run.
struct RanQuery: Sendable {
    let sql: String
    /// The SQL with its arguments.
    let expandedSQL: String
    let isReadonly: Bool
}

/// Records the statements of all connections of a database, while somebody asks for them.
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
            // The expectations explain statements themselves.
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

    /// What a recording has recorded.
    func queries(_ number: Int) -> [RanQuery] { state.withLock { $0.recordings[number] ?? [] } }

    /// Ends a recording.
    func end(_ number: Int) { state.withLock { $0.recordings[number] = nil } }
}
