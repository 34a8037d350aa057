// A pool: one writer and up to N readers that never wait for it. In WAL mode, each read transaction sees its own state
// of the database.
// Source: https://sqlite.org/wal.html#concurrency

import Dispatch
import RowanPlatform
import Synchronization

/// A writer and several concurrent readers, on a database file in WAL mode.
///
/// ```swift
/// let dbPool = try DatabasePool(path: "/path/to/database.sqlite")
/// try dbPool.write { db in try player.insert(db) }
/// let players = try dbPool.read { db in try Player.fetchAll(db) }
/// ```
///
/// Article: <doc:OpeningDatabases>.
public final class DatabasePool: DatabaseWriter {
    /// The configuration of the connections.
    public let configuration: Configuration
    /// The path of the database file.
    public let path: String
    let writer: AccessLane
    let readers: AccessLane
    let longReads: LongReads
    let writeAheadLimit: WriteAheadLimit?
    /// The writer's file, which readers and snapshots open.
    let file: DatabaseFile
    /// The routes of accesses to their connections. Not for users.
    public let _routes: DatabaseAccessRoutes

    /// Opens or creates a database file and switches it to WAL mode.
    ///
    /// - Throws: SQLITE_CANTOPEN if the file can't be opened, SQLITE_NOTADB if it is not a database.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        precondition(
            configuration.maximumReaderCount > 0,
            "a pool needs at least one reader, but maximumReaderCount is \(configuration.maximumReaderCount)")
        let configuration = configuration.forReplication
        self.configuration = configuration
        self.path = path
        let label = configuration.label ?? "Rowan.DatabasePool"
        let instruments = DatabaseInstruments(.pool, path, configuration)
        let longReads = LongReads(configuration.longReadReport, instruments)
        self.longReads = longReads
        var writerConfiguration = configuration
        var readerConfiguration = configuration
        readerConfiguration.readonly = true
        writeAheadLimit = configuration.readonly ? nil : configuration.walSizeLimit.map(WriteAheadLimit.init)
        if case .immediateError = configuration.busyMode {
            readerConfiguration.readonlyBusyMode = .timeout(10)
            // A reader that finds the WAL index half written rereads it while holding the writer lock, and the writer's
            // BEGIN fails meanwhile.
            writerConfiguration.writerBusyMode = .timeout(Self.readerLockTimeout)
        }
        writer = AccessLane(
            capacity: 1, isWriter: true, label: "\(label).writer", qos: configuration.writeQoS,
            target: configuration.writeTargetQueue ?? configuration.targetQueue, instruments: instruments,
            willPassOn: writeAheadLimit.map { limit in
                { @Sendable (connection: PooledConnection) in connection.run { limit.writerDidWrite($0) } }
            },
            didWrite: longReads.didWrite
        ) { [writerConfiguration] in
            try PooledConnection(
                path: path, configuration: writerConfiguration, queues: $0, instruments: instruments)
        }
        let connection = try writer.acquire()
        defer { writer.release(connection) }
        let file = connection.run { DatabaseFile(of: $0) }
        self.file = file
        readers = AccessLane(
            capacity: configuration.maximumReaderCount, isWriter: false, label: "\(label).reader",
            qos: configuration.readQoS, target: configuration.targetQueue, waitLimit: configuration.readerTimeout,
            instruments: instruments
        ) { [readerConfiguration] queues in
            try file.connect {
                try PooledConnection(path: $0, configuration: readerConfiguration, queues: queues, isReader: true)
            }
        }
        AccessLane.pair(writer: writer, readers: readers)
        _routes = DatabaseAccessRoutes(
            read: AccessRoute(lane: readers, scope: .readTransaction, reentrantLane: writer),
            unsafeRead: AccessRoute(lane: readers, scope: .readOnly, reentrantLane: writer),
            write: AccessRoute(lane: writer, scope: .plain), readers: readers)
        if !configuration.readonly {
            try connection.run { try $0.activateWAL() }
        }
        if let instruments { connection.run { instruments.didOpen($0) } }
        longReads.observe(readers, path: connection.database.connection.mainFileName ?? path)
    }

    /// The time, in seconds, that the writer waits for a lock that a reader of the pool may hold briefly.
    private static let readerLockTimeout: TimeInterval = 0.25

    deinit {
        // Without waiting: a running access keeps its connection, which is closed when it finishes. Readers are closed
        // first, because the last connection to close, the writer, removes the WAL file.
        readers.closeIdleConnections()
    }

    /// Closes all connections after running accesses have finished. Later accesses throw SQLITE_MISUSE.
    ///
    /// - Throws: SQLITE_BUSY if the program holds a statement or a cursor; all connections then stay open.
    public func close() throws {
        // Either both lanes are closed or neither.
        try writer.refuseNestedAccess()
        try readers.refuseNestedAccess()
        // Readers first, because the last connection to close, the writer, removes the WAL file.
        try writer.close(with: readers)
    }

    /// Interrupts the running statements of all connections, which throw SQLITE_INTERRUPT.
    public func interrupt() {
        writer.interrupt()
        readers.interrupt()
    }

    /// Releases as much memory as possible after running accesses have finished. Nonpersistent readers are closed.
    public func releaseMemory() {
        try? _routes.write.run { $0.releaseMemory() }
        if configuration.persistentReadOnlyConnections {
            try? readers.exclusively { for connection in $0 { connection.run { $0.releaseMemory() } } }
        } else {
            try? readers.closeConnections()
        }
    }

    /// Releases memory without blocking the current thread.
    public func releaseMemoryEventually() {
        onOtherThread(qos: .utility) { self.releaseMemory() }
    }

    /// Closes the readers after running reads have finished. New readers are opened on demand.
    public func invalidateReadOnlyConnections() {
        try? readers.closeConnections()
    }

    /// Runs the closure in a transaction.
    ///
    /// ```swift
    /// try dbPool.writeInTransaction { db in
    ///     try player.insert(db)
    ///     return .commit
    /// }
    /// ```
    public func writeInTransaction(
        _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try _routes.write.run { db in try db.inTransaction(kind) { try updates(db) } }
    }

    /// Schedules a read of the last committed state. See ``DatabaseWriter/spawnConcurrentRead(_:)``.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        guard let connection = writer.connectionOfCurrentThread else {
            preconditionFailure("call spawnConcurrentRead from an access of the writer")
        }
        precondition(
            !connection.database.isInsideTransaction, "call spawnConcurrentRead outside a transaction")
        // In a barrier, the read would wait for the barrier to finish, and this access for the read.
        guard !readers.isExclusiveOfCurrentThread else { return value(.failure(DatabaseError.nestedAccess)) }
        // The writer waits only until the read has started its transaction.
        let isIsolated = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        AccessRoute(lane: readers, scope: .plain).callback(blocking: currentThreadID, isPatient: true) {
            result in
            let isSignalled = Atomic(false)
            func signal() {
                if !isSignalled.exchange(true, ordering: .relaxed) { isIsolated.signal() }
            }
            do {
                try result.get().isolatedRead { db in
                    // A deferred transaction begins with its first read.
                    try db.connection.unwatched { try db.connection.run("SELECT rowid FROM sqlite_master LIMIT 1") }
                    signal()
                    value(.success(db))
                }
            } catch {
                // Later errors concern the end of the transaction.
                if !isSignalled.load(ordering: .relaxed) { failure.withLock { $0 = error } }
                signal()
            }
        }
        isIsolated.wait()
        // On this thread, because the writer is not yet available to another one.
        if let error = failure.withLock({ $0 }) { value(.failure(error)) }
    }

    /// Schedules a read of the last committed state. See ``DatabaseWriter/spawnConcurrentRead(_:)``.
    public func asyncConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        spawnConcurrentRead(value)
    }
}
