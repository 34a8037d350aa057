// The connections to SQLite that dqlite opens, seen from outside. dqlite runs all statements in one thread: one that does
// not finish would block the node permanently, and a transaction that is left open blocks all writers.
// Sources: https://sqlite.org/c3ref/progress_handler.html, https://sqlite.org/c3ref/trace_v2.html

import CDqlite
import Glibc
import Synchronization

/// What a connection to SQLite is doing.
///
/// dqlite's thread changes it; that of the front reads whether a transaction is open.
final class ConnectionWatch: Sendable {
    /// The last client statement that has begun. Only compared.
    private let statement = Atomic<UInt>(0)
    /// The time at which the handler first ran since the statement began or returned a row; 0 if it has not.
    private let start = Atomic<UInt64>(0)
    private let isInTransaction = Atomic(false)
    /// Whether the statement is interrupted.
    private let isInterrupted = Atomic(false)

    /// How long a statement may run without returning a row, in nanoseconds.
    private static let statementLimit = Atomic<UInt64>(0)
    private static let interruptions = Atomic<UInt64>(0)

    /// The number of statements that were interrupted.
    static var interruptionCount: UInt64 { interruptions.load(ordering: .relaxed) }

    /// The handler runs roughly every millisecond.
    private static let instructionCount: Int32 = 10_000

    /// Watches all connections that SQLite opens from now on.
    ///
    /// - Parameter statementLimit: in seconds. Statements that run for longer without a row are interrupted.
    /// - Throws: a `Failure` if there is not enough memory for it.
    static func begin(statementLimit seconds: UInt64) throws(Failure) {
        statementLimit.store(seconds * 1_000_000_000, ordering: .relaxed)
        let open: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Int32 = {
            connection, _, _ in
            ConnectionWatch.watch(connection)
            return SQLITE_OK
        }
        // SQLite declares functions without parameters here but calls them with three: see its documentation.
        let code = sqlite3_auto_extension(unsafeBitCast(open, to: (@convention(c) () -> Void).self))
        guard code == SQLITE_OK else { throw Failure("can't watch connections: SQLite's code is \(code)") }
    }

    // MARK: The connections of clients

    private struct Clients {
        /// The client for which dqlite opens a database.
        var opening: UInt64?
        var watches: [UInt64: [ConnectionWatch]] = [:]
    }

    private static let clients = Mutex(Clients())

    /// Connections that SQLite opens from now on belong to a client, or to none.
    static func open(for client: UInt64?) { clients.withLock { $0.opening = client } }

    static func forget(client: UInt64) { clients.withLock { $0.watches[client] = nil } }

    /// Whether a client holds a transaction: one that it has begun, or a write whose rows it has not received.
    static func isInTransaction(client: UInt64) -> Bool {
        clients.withLock { $0.watches[client]?.contains { $0.isInTransaction.load(ordering: .relaxed) } ?? false }
    }

    /// The number of clients that hold a transaction.
    static var transactionCount: Int {
        clients.withLock { clients in
            clients.watches.values.count { $0.contains { $0.isInTransaction.load(ordering: .relaxed) } }
        }
    }

    // MARK: Events

    private static func watch(_ connection: OpaquePointer?) {
        let watch = ConnectionWatch()
        clients.withLock { if let client = $0.opening { $0.watches[client, default: []].append(watch) } }
        // Released when the connection is closed.
        let context = Unmanaged.passRetained(watch).toOpaque()
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE | SQLITE_TRACE_CLOSE)
        sqlite3_trace_v2(
            connection, events,
            { event, context, object, text in
                Unmanaged<ConnectionWatch>.fromOpaque(context!).takeUnretainedValue().note(event, object, text)
                if event == UInt32(SQLITE_TRACE_CLOSE) { ConnectionWatch.end(OpaquePointer(object), context!) }
                return 0
            }, context)
        sqlite3_progress_handler(
            connection, instructionCount,
            { Unmanaged<ConnectionWatch>.fromOpaque($0!).takeUnretainedValue().isExceeded() ? 1 : 0 }, context)
    }

    private static func end(_ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer) {
        sqlite3_progress_handler(connection, 0, nil, nil)
        sqlite3_trace_v2(connection, 0, nil, nil)
        Unmanaged<ConnectionWatch>.fromOpaque(context).release()
    }

    private func note(_ event: UInt32, _ object: UnsafeMutableRawPointer?, _ text: UnsafeMutableRawPointer?) {
        switch event {
        case UInt32(SQLITE_TRACE_STMT):
            // Triggers and the statements of virtual tables are part of a statement. They have another text.
            guard UnsafeRawPointer(text) == UnsafeRawPointer(sqlite3_sql(OpaquePointer(object))) else { return }
            statement.store(UInt(bitPattern: object), ordering: .relaxed)
            start.store(0, ordering: .relaxed)
            isInterrupted.store(false, ordering: .relaxed)
        case UInt32(SQLITE_TRACE_ROW):
            guard statement.load(ordering: .relaxed) == UInt(bitPattern: object) else { return }
            start.store(0, ordering: .relaxed)
            noteTransaction(object, isRunning: true)
        case UInt32(SQLITE_TRACE_PROFILE): noteTransaction(object, isRunning: false)
        default: isInTransaction.store(false, ordering: .relaxed)
        }
    }

    private func noteTransaction(_ statement: UnsafeMutableRawPointer?, isRunning: Bool) {
        let connection = sqlite3_db_handle(OpaquePointer(statement))
        let writes = isRunning && sqlite3_txn_state(connection, nil) == SQLITE_TXN_WRITE
        isInTransaction.store(writes || sqlite3_get_autocommit(connection) == 0, ordering: .relaxed)
    }

    private func isExceeded() -> Bool {
        let now = Self.now()
        let start = start.load(ordering: .relaxed)
        guard start != 0 else {
            self.start.store(now, ordering: .relaxed)
            return false
        }
        guard now - start > Self.statementLimit.load(ordering: .relaxed) else { return false }
        // The handler also runs in the statements of virtual tables.
        if !isInterrupted.exchange(true, ordering: .relaxed) { Self.interruptions.add(1, ordering: .relaxed) }
        return true
    }

    /// A clock that stops while the machine sleeps.
    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
