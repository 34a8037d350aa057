// Snapshots: connections whose read transactions stay open. They need no special build of SQLite.

/// A reader that sees a single state of the database, regardless of later commits.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
    /// Reads the snapshot, inside the thread's current access if there is one.
    ///
    /// - Throws: the closure's error.
    public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try unsafeReentrantRead(value)
    }
}

/// A single state of a database, which can be read by one access at a time.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshot()
/// try dbPool.write { db in try Player.deleteAll(db) }
/// let count = try snapshot.read { db in try Player.fetchCount(db) }   // as before the deletion
/// ```
///
/// While a snapshot exists, the WAL file can't shrink.
///
/// Article: <doc:Concurrency>.
public final class DatabaseSnapshot: DatabaseSnapshotReader {
    /// The configuration of the connection.
    public let configuration: Configuration
    /// The path of the database file.
    public let path: String
    private let lane: AccessLane
    /// The routes of accesses to their connection. Not for users.
    public let _routes: DatabaseAccessRoutes
    /// Registers with the pool how long the snapshot has been open.
    private let openSnapshot: OpenSnapshot

    /// Opens a snapshot of the last committed state.
    ///
    /// - Throws: SQLITE_CANTOPEN if the file can't be opened; SQLITE_ERROR if the database is not in WAL mode.
    init(
        path: String, _ file: DatabaseFile, configuration: Configuration, _ openSnapshot: OpenSnapshot
    ) throws {
        let configuration = configuration.forSnapshots
        self.openSnapshot = openSnapshot
        self.path = path
        self.configuration = configuration
        let instruments = DatabaseInstruments(.snapshot, path, configuration)
        lane = AccessLane(
            capacity: 1, isWriter: false, label: configuration.label ?? "Rowan.DatabaseSnapshot",
            qos: configuration.readQoS, target: configuration.targetQueue, instruments: instruments
        ) { queues in
            let connection = try file.connect {
                try PooledConnection(path: $0, configuration: configuration, queues: queues, isReader: true)
            }
            try connection.run { try $0.beginSnapshot() }
            return connection
        }
        _routes = DatabaseAccessRoutes(snapshot: lane)
        let connection = try lane.acquire()
        defer { lane.release(connection) }
        if let instruments { connection.run { instruments.didOpen($0) } }
    }

    /// Closes the connection after the running access has finished. Later accesses throw SQLITE_MISUSE.
    ///
    /// - Throws: SQLITE_BUSY if the program holds a statement or a cursor; the connection then stays open.
    public func close() throws {
        try lane.close()
        openSnapshot.record.end()
    }

    /// Interrupts the running statements, which throw SQLITE_INTERRUPT.
    public func interrupt() { lane.interrupt() }

    /// Reads the snapshot with a closure that does not throw.
    ///
    /// - Precondition: no earlier access has ended the transaction of the snapshot.
    public func read<T>(_ value: (Database) -> T) -> T { _routes.read.runNonthrowing(value) }

    /// Reads the snapshot with a closure that does not throw. A snapshot has only one transaction, so this is the same
    /// as `read(_:)`.
    ///
    /// - Precondition: no earlier access has ended the transaction of the snapshot.
    public func unsafeRead<T>(_ value: (Database) -> T) -> T { _routes.unsafeRead.runNonthrowing(value) }
}

extension DatabasePool {
    /// Opens a snapshot of the last committed state.
    ///
    /// Inside a write, the snapshot does not include the transaction's changes: call it outside a transaction.
    ///
    /// - Parameters:
    ///   - fileID: the file of the call, shown in ``DatabasePool/status``.
    ///   - line: the line of the call.
    /// - Throws: SQLITE_MISUSE in a transaction of the writer; SQLITE_CANTOPEN if the file can't be opened.
    public func makeSnapshot(fileID: StaticString = #fileID, line: UInt = #line) throws -> DatabaseSnapshot {
        try openSnapshot(StaticCallSite(fileID, line))
    }

    /// Opens a snapshot, for references to the method: calls choose the method with a call site.
    @_disfavoredOverload
    public func makeSnapshot() throws -> DatabaseSnapshot { try openSnapshot(.unknown) }

    func openSnapshot(_ site: StaticCallSite) throws -> DatabaseSnapshot {
        try refuseOpenTransaction("makeSnapshot")
        let openSnapshot = OpenSnapshot(site)
        let snapshot = try DatabaseSnapshot(path: path, file, configuration: configuration, openSnapshot)
        longReads.add(openSnapshot)
        return snapshot
    }
}

extension Configuration {
    /// The same configuration, for connections whose transaction outlives their accesses.
    var forSnapshots: Configuration {
        var configuration = self
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        if case .immediateError = busyMode { configuration.readonlyBusyMode = .timeout(10) }
        return configuration
    }
}

extension Database {
    /// Begins the transaction of a snapshot.
    func beginSnapshot() throws {
        try readOnly {
            guard try isInWALMode() else {
                throw DatabaseError(
                    message: "a snapshot needs a database in WAL mode: open it with a DatabasePool, or set "
                        + "Configuration.journalMode - \(path)")
            }
            try beginTransaction(.deferred)
            // The transaction sees the state at its first read.
            try connection.run("SELECT rowid FROM sqlite_master LIMIT 1")
            connection.transactionKeeper = .snapshot
        }
    }

    /// Ends the transaction of a snapshot.
    func endSnapshot() throws {
        connection.transactionKeeper = nil
        try rollback()
    }

    private func isInWALMode() throws -> Bool {
        try Row.rows(connection, "PRAGMA journal_mode").first?[0] == "wal"
    }

    /// Reads a snapshot.
    ///
    /// - Throws: SQLITE_ABORT if an earlier access has ended the transaction of the snapshot.
    func readSnapshot<T>(_ body: (Database) throws -> T) throws -> T {
        guard isInsideTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_ABORT,
                message: "the snapshot is lost because an earlier access ended its transaction: make another snapshot")
        }
        return try readOnly { try body(self) }
    }
}
