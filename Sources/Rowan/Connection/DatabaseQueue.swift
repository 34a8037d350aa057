// A queue: one connection, one access at a time.

import Foundation

/// A connection that serialises all accesses.
///
/// ```swift
/// let dbQueue = try DatabaseQueue(path: "/path/to/database.sqlite")
/// try dbQueue.write { db in
///     try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
/// }
/// let count = try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") }
/// ```
public final class DatabaseQueue: DatabaseWriter {
    public let configuration: Configuration
    public let path: String
    private let lane: AccessLane

    /// Opens or creates a database file.
    ///
    /// - Throws: SQLITE_CANTOPEN if the file can't be opened, SQLITE_NOTADB if it is not a database.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        try self.init(location: path, configuration: configuration)
        if configuration.journalMode == .wal, !configuration.readonly {
            try writeWithoutTransactionThrowing { try $0.activateWAL() }
        }
    }

    /// Opens an in-memory database. Queues with one name share one database, as long as one of them is open.
    /// <https://sqlite.org/inmemorydb.html>
    public convenience init(named name: String? = nil, configuration: Configuration = Configuration()) throws {
        let location = name.map { name in
            let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
            let escaped = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
            return "file:\(escaped)?mode=memory&cache=shared"
        }
        try self.init(location: location ?? ":memory:", configuration: configuration)
    }

    private init(location: String, configuration: Configuration) throws {
        self.configuration = configuration
        path = location
        lane = AccessLane(
            capacity: 1, label: configuration.label ?? "Rowan.DatabaseQueue", qos: configuration.writeQoS,
            target: configuration.targetQueue
        ) {
            try PooledConnection(path: location, configuration: configuration, executor: $0)
        }
        // Opens now: a file that is no database is an error of this initializer.
        lane.release(try lane.acquire())
    }

    private func writeWithoutTransactionThrowing<T>(_ body: (Database) throws -> T) throws -> T {
        try _route(.write).run(body)
    }

    /// A copy of a database file, in memory.
    public static func inMemoryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        var destinationConfiguration = configuration
        destinationConfiguration.readonly = false
        let destination = try DatabaseQueue(configuration: destinationConfiguration)
        try copy(path, to: destination, configuration)
        return destination
    }

    /// A copy of a database file, in a temporary file that SQLite deletes when the connection closes.
    public static func temporaryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        var destinationConfiguration = configuration
        destinationConfiguration.readonly = false
        // The empty path is a private file. https://sqlite.org/inmemorydb.html#temp_db
        let destination = try DatabaseQueue(location: "", configuration: destinationConfiguration)
        try copy(path, to: destination, configuration)
        return destination
    }

    private static func copy(
        _ path: String, to destination: DatabaseQueue, _ configuration: Configuration
    ) throws {
        var sourceConfiguration = configuration
        sourceConfiguration.readonly = true
        let source = try DatabaseQueue(path: path, configuration: sourceConfiguration)
        defer { try? source.close() }
        try source.backup(to: destination)
        if configuration.readonly {
            try destination.writeWithoutTransactionThrowing { try $0.execute(sql: "PRAGMA query_only = 1") }
        }
    }

    public func close() throws { try lane.close() }

    public func interrupt() { lane.interrupt() }

    /// Gives back as much memory as possible, after the current access.
    public func releaseMemory() { try? _route(.write).run { $0.releaseMemory() } }

    public func _route(_ kind: DatabaseAccessKind) -> DatabaseAccessRoute {
        switch kind {
        case .read: DatabaseAccessRoute(lane: lane, scope: .readTransaction)
        case .unsafeRead: DatabaseAccessRoute(lane: lane, scope: .readOnly)
        case .write: DatabaseAccessRoute(lane: lane, scope: .plain)
        }
    }

    /// A queue has no other access to keep out.
    public func _withBarrier<T>(_ body: () throws -> T) throws -> T { try body() }

    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        guard let connection = lane.connectionOfCurrentThread else {
            preconditionFailure("spawnConcurrentRead must be called from an access of this queue")
        }
        let db = connection.database
        precondition(!db.isInsideTransaction, "spawnConcurrentRead must be called out of a transaction")
        do {
            try db.isolatedRead { value(.success($0)) }
        } catch {
            value(.failure(error))
        }
    }

    /// Runs the closure in a transaction.
    ///
    /// ```swift
    /// try dbQueue.inTransaction { db in
    ///     try player.insert(db)
    ///     return .commit
    /// }
    /// ```
    public func inTransaction(
        _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try _route(.write).run { db in try db.inTransaction(kind) { try updates(db) } }
    }

    /// Runs the closure without transaction. See ``DatabaseWriter/writeWithoutTransaction(_:)``.
    @discardableResult
    public func inDatabase<T>(_ updates: (Database) throws -> T) throws -> T {
        try writeWithoutTransaction(updates)
    }

    /// Runs the closure, which throws no error, without transaction.
    @discardableResult
    public func inDatabase<T>(_ updates: (Database) -> T) -> T { writeWithoutTransaction(updates) }
}

extension Database {
    /// Switches to write-ahead logging, with its usual synchronisation. <https://sqlite.org/wal.html>
    func activateWAL() throws {
        let mode = try retryingWhileOpening {
            try String.fetchOne(makeStatement(sql: "PRAGMA journal_mode = WAL"))
        }
        guard mode?.lowercased() == "wal" else {
            throw DatabaseError(message: "could not activate WAL mode at path: \(path)")
        }
        // Safe in WAL mode but for the last transactions before a power loss, which stay consistent.
        try execute(sql: "PRAGMA synchronous = NORMAL")
        // The first read makes the log and its index: a connection that only reads needs them.
        try retryingWhileOpening { try makeStatement(sql: "SELECT 1 FROM sqlite_master LIMIT 1").runToEnd() }
    }
}
