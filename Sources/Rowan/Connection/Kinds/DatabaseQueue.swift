// A queue: one connection with one access at a time.

/// A connection that serializes all accesses.
///
/// ```swift
/// let dbQueue = try DatabaseQueue(path: "/path/to/database.sqlite")
/// try dbQueue.write { db in
///     try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
/// }
/// let count = try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") }
/// ```
///
/// Article: <doc:OpeningDatabases>.
public final class DatabaseQueue: DatabaseWriter {
    /// The configuration of the connection.
    public let configuration: Configuration
    /// The path of the database file; `:memory:` or a URI for an in-memory database.
    public let path: String
    private let lane: AccessLane
    /// The routes of accesses to their connection. Not for users.
    public let _routes: DatabaseAccessRoutes

    /// Opens or creates a database file.
    ///
    /// - Throws: SQLITE_CANTOPEN if the file can't be opened, SQLITE_NOTADB if it is not a database.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        try self.init(location: path, isFile: true, configuration: configuration.forReplication)
    }

    /// Opens an in-memory database. Queues with the same name share one database, which exists while any of them is
    /// open. <https://sqlite.org/inmemorydb.html>
    public convenience init(named name: String? = nil, configuration: Configuration = Configuration()) throws {
        let location = name.map { "file:\($0.percentEncoded(except: "-._~"))?mode=memory&cache=shared" }
        try self.init(location: location ?? ":memory:", configuration: configuration)
    }

    private init(location: String, isFile: Bool = false, configuration: Configuration) throws {
        self.configuration = configuration
        path = location
        let instruments = DatabaseInstruments(.queue, location, configuration)
        lane = AccessLane(
            capacity: 1, isWriter: true, label: configuration.label ?? "Rowan.DatabaseQueue",
            qos: configuration.writeQoS,
            target: configuration.targetQueue, instruments: instruments
        ) {
            try PooledConnection(path: location, configuration: configuration, queues: $0, instruments: instruments)
        }
        _routes = DatabaseAccessRoutes(
            read: AccessRoute(lane: lane, scope: .readTransaction),
            unsafeRead: AccessRoute(lane: lane, scope: .readOnly),
            write: AccessRoute(lane: lane, scope: .plain))
        // Opens the connection now so that this initializer throws an error if the file is not a database.
        let connection = try lane.acquire()
        defer { lane.release(connection) }
        try connection.run { db in
            if case .wal = configuration.journalMode, !configuration.readonly, isFile { try db.activateWAL() }
            instruments?.didOpen(db)
        }
    }

    private func writeWithoutTransactionThrowing<T>(_ body: (Database) throws -> T) throws -> T {
        try _routes.write.run(body)
    }

    /// Copies a database file into memory.
    public static func inMemoryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        var destinationConfiguration = configuration
        destinationConfiguration.readonly = false
        let destination = try DatabaseQueue(configuration: destinationConfiguration)
        try copy(path, to: destination, configuration)
        return destination
    }

    /// Copies a database file into a temporary file, which SQLite deletes when the connection is closed.
    public static func temporaryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        var destinationConfiguration = configuration
        destinationConfiguration.readonly = false
        // The empty path creates a private file.
        // Source: https://sqlite.org/inmemorydb.html#temp_db
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

    /// Closes the connection after the running access has finished. Later accesses throw SQLITE_MISUSE.
    ///
    /// - Throws: SQLITE_BUSY if the program holds a statement or a cursor; the connection then stays open.
    public func close() throws { try lane.close() }

    /// Interrupts the running statements, which throw SQLITE_INTERRUPT.
    public func interrupt() { lane.interrupt() }

    /// Releases as much memory as possible after the running access has finished.
    public func releaseMemory() { try? _routes.write.run { $0.releaseMemory() } }

    /// Reads the last committed state before the method returns. See ``DatabaseWriter/spawnConcurrentRead(_:)``.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        guard let connection = lane.connectionOfCurrentThread else {
            preconditionFailure("call spawnConcurrentRead from an access of this queue")
        }
        let db = connection.database
        precondition(!db.isInsideTransaction, "call spawnConcurrentRead outside a transaction")
        var isCalled = false
        do {
            try db.isolatedRead {
                isCalled = true
                value(.success($0))
            }
        } catch {
            // A later error concerns the end of the read, whose closure has already received its database.
            if !isCalled { value(.failure(error)) }
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
        try _routes.write.run { db in try db.inTransaction(kind) { try updates(db) } }
    }

    /// Runs the closure without a transaction. See `writeWithoutTransaction(_:)`.
    @discardableResult
    public func inDatabase<T>(_ updates: (Database) throws -> T) throws -> T {
        try writeWithoutTransaction(updates)
    }

    /// Runs a nonthrowing closure without a transaction. See `writeWithoutTransaction(_:)`.
    @discardableResult
    public func inDatabase<T>(_ updates: (Database) -> T) -> T { writeWithoutTransaction(updates) }
}

extension Database {
    /// Switches to WAL mode, with the usual synchronization unless the setup has chosen another.
    /// <https://sqlite.org/wal.html>
    func activateWAL() throws {
        let mode = try retryingWhileOpening {
            try connection.unrestricted { try String.fetchOne(makeStatement(sql: "PRAGMA journal_mode = WAL")) }
        }
        guard mode?.lowercased() == "wal" else {
            throw DatabaseError(message: "could not switch the database to WAL mode: \(path)")
        }
        // Safe in WAL mode: after a power loss, the last transactions may be lost, but the database stays consistent.
        if !hasChosenSynchronous {
            try connection.unrestricted { try makeStatement(sql: "PRAGMA synchronous = NORMAL").runToEnd() }
        }
        // The first read creates the WAL file and its index, which read-only connections need.
        try retryingWhileOpening { try makeStatement(sql: "SELECT 1 FROM sqlite_master LIMIT 1").runToEnd() }
    }
}
