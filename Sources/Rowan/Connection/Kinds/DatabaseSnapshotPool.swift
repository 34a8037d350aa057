// A snapshot with several connections. Their read transactions begin one after the other. An SQLite counter that
// changes with each commit shows whether they all see the same state.

/// A single state of a database, which can be read by several accesses at the same time.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshotPool()
/// async let players = snapshot.read { db in try Player.fetchAll(db) }
/// async let teams = snapshot.read { db in try Team.fetchAll(db) }
/// ```
///
/// While a snapshot exists, the WAL file can't shrink.
///
/// Article: <doc:Concurrency>.
public final class DatabaseSnapshotPool: DatabaseSnapshotReader {
    /// The configuration of the connections.
    public let configuration: Configuration
    /// The path of the database file.
    public let path: String
    private let lane: AccessLane
    /// The routes of accesses to their connections. Not for users.
    public let _routes: DatabaseAccessRoutes
    /// Registers with the pool, if a pool made the snapshot, how long it has been open.
    private let openSnapshot: OpenSnapshot

    /// Opens a snapshot of the last committed state.
    ///
    /// - Parameters:
    ///   - path: the path of the database file.
    ///   - configuration: `maximumReaderCount` is the number of connections.
    /// - Throws: SQLITE_CANTOPEN if the file can't be opened; SQLITE_ERROR if the database is not in WAL mode;
    ///   SQLITE_BUSY if other connections keep committing.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        try self.init(path: path, DatabaseFile(path: path), configuration: configuration, OpenSnapshot(.unknown))
    }

    init(
        path: String, _ file: DatabaseFile, configuration: Configuration, _ openSnapshot: OpenSnapshot
    ) throws {
        let configuration = configuration.forSnapshots
        self.openSnapshot = openSnapshot
        precondition(
            configuration.maximumReaderCount > 0,
            "a snapshot needs a connection, but maximumReaderCount is \(configuration.maximumReaderCount)")
        self.path = path
        self.configuration = configuration
        lane = AccessLane(
            capacity: configuration.maximumReaderCount, isWriter: false,
            label: configuration.label ?? "Rowan.DatabaseSnapshotPool", qos: configuration.readQoS,
            target: configuration.targetQueue, waitLimit: configuration.readerTimeout,
            instruments: DatabaseInstruments(.snapshot, path, configuration)
        ) { queues in
            try file.connect {
                try PooledConnection(path: $0, configuration: configuration, queues: queues, isReader: true)
            }
        }
        _routes = DatabaseAccessRoutes(snapshot: lane)
        try beginTransactions(file)
    }

    /// Opens a snapshot of the state that a connection sees.
    ///
    /// ```swift
    /// try dbPool.writeWithoutTransaction { db in
    ///     try db.inTransaction { try player.insert(db); return .commit }
    ///     let snapshot = try DatabaseSnapshotPool(db)   // sees the player
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - db: the connection that sees the state. It must have no open transaction.
    ///   - configuration: by default, that of the connection.
    /// - Throws: SQLITE_MISUSE in a transaction, whose state is not available to other connections.
    public convenience init(_ db: Database, configuration: Configuration? = nil) throws {
        guard !db.isInsideTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a snapshot can't see the state of an open transaction: make it outside transactions, with "
                    + "DatabasePool.makeSnapshotPool()")
        }
        try self.init(
            path: db.path, DatabaseFile(of: db), configuration: configuration ?? db.configuration,
            OpenSnapshot(.unknown))
    }

    private func beginTransactions(_ file: DatabaseFile) throws {
        var connections: [PooledConnection] = []
        defer { for connection in connections { lane.release(connection) } }
        let witness = try file.connect { try Database(path: $0, configuration: configuration, isReader: true) }
        defer { witness.connection.closeEventually() }
        try witness.withAccess { try $0.setUp(isReader: true) }
        connections = try (0..<configuration.maximumReaderCount).map { _ in try lane.acquireAnother() }
        for _ in 1...Self.maximumAttempts {
            let before = try witness.withAccess { try $0.connection.foreignDataVersions() }
            for connection in connections { try connection.run { try $0.beginSnapshot() } }
            if try witness.withAccess({ try $0.connection.foreignDataVersions() }) == before { return }
            for connection in connections { try connection.run { try $0.endSnapshot() } }
        }
        throw DatabaseError(
            resultCode: .SQLITE_BUSY,
            message: "other connections commit all the time: make the snapshot with DatabasePool.makeSnapshotPool(), "
                + "which waits for the writer, or with fewer connections (Configuration.maximumReaderCount)")
    }

    private static let maximumAttempts = 1000

    /// Closes the connections after running accesses have finished. Later accesses throw SQLITE_MISUSE.
    ///
    /// - Throws: SQLITE_BUSY if the program holds a statement or a cursor; all connections then stay open.
    public func close() throws {
        try lane.close()
        openSnapshot.record.end()
    }

    /// Interrupts the running statements, which throw SQLITE_INTERRUPT.
    public func interrupt() { lane.interrupt() }
}

extension DatabasePool {
    /// Opens a snapshot of the last committed state, for several accesses at the same time.
    ///
    /// It waits for the running write, unless it is called inside that write, outside a transaction.
    ///
    /// - Parameters:
    ///   - fileID: the file of the call, shown in ``DatabasePool/status``.
    ///   - line: the line of the call.
    /// - Throws: SQLITE_MISUSE in a transaction of the writer; SQLITE_CANTOPEN if the file can't be opened.
    public func makeSnapshotPool(
        fileID: StaticString = #fileID, line: UInt = #line
    ) throws -> DatabaseSnapshotPool {
        try openSnapshotPool(StaticCallSite(fileID, line))
    }

    /// Opens a snapshot, for references to the method: calls choose the method with a call site.
    @_disfavoredOverload
    public func makeSnapshotPool() throws -> DatabaseSnapshotPool { try openSnapshotPool(.unknown) }

    func openSnapshotPool(_ site: StaticCallSite) throws -> DatabaseSnapshotPool {
        try refuseOpenTransaction("makeSnapshotPool")
        let openSnapshot = OpenSnapshot(site)
        let snapshot = try unsafeReentrantWrite { _ in
            try DatabaseSnapshotPool(path: path, file, configuration: configuration, openSnapshot)
        }
        longReads.add(openSnapshot)
        return snapshot
    }

    /// - Throws: SQLITE_MISUSE if the current thread has an open transaction on the writer.
    func refuseOpenTransaction(_ method: String) throws {
        guard let db = _routes.write.lane.connectionOfCurrentThread?.database, db.isInsideTransaction else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a snapshot can't see the changes of an open transaction: call \(method)() after the commit")
    }
}
