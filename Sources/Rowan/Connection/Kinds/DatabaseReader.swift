// Reading: the access methods are implemented only here, for queues, pools, snapshots and type-erased readers.

/// A type that can read a database: ``DatabaseQueue``, ``DatabasePool``.
///
/// Article: <doc:Concurrency>.
public protocol DatabaseReader: AnyObject, Sendable {
    /// The configuration of the connections.
    var configuration: Configuration { get }

    /// The path of the database.
    var path: String { get }

    /// Closes the connections after running accesses have finished. Later accesses throw SQLITE_MISUSE.
    ///
    /// ```swift
    /// Database.logError = { code, message in print(code, message) }
    /// try dbPool.close()   // 5 (database is locked) unfinalized statement: SELECT * FROM player
    /// ```
    ///
    /// - Throws: SQLITE_BUSY if the program holds a statement or a cursor; all connections then stay open, and
    ///   ``Database/logError`` receives the SQL of these statements.
    func close() throws

    /// Interrupts the running statements, which throw SQLITE_INTERRUPT.
    func interrupt()

    /// The routes of accesses to their connections. Not for users.
    var _routes: DatabaseAccessRoutes { get }
}

extension DatabaseReader {
    /// Reads the database in a transaction, so that the closure sees a single state of the database.
    ///
    /// ```swift
    /// let count = try dbQueue.read { db in try Player.fetchCount(db) }
    /// ```
    ///
    /// - Throws: the closure's error; SQLITE_READONLY for a write; SQLITE_MISUSE for a nested access; SQLITE_BUSY after
    ///   ``Configuration/readerTimeout``.
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try _routes.read.run(value)
    }

    /// Reads the database in a transaction, without blocking the task's thread.
    ///
    /// - Throws: the closure's error; `CancellationError` if the task is cancelled; SQLITE_BUSY after
    ///   ``Configuration/readerTimeout``.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await _routes.read.run(value)
    }

    /// Schedules a read in a transaction.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        _routes.read.callback(value)
    }

    /// Reads the database without a transaction: two statements may see different states of the database.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try _routes.unsafeRead.run(value)
    }

    /// Reads the database without a transaction and without blocking the task's thread.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await _routes.unsafeRead.run(value)
    }

    /// Schedules a read without a transaction.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        _routes.unsafeRead.callback(value)
    }

    /// Reads the database without a transaction, inside the thread's current access if there is one.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try _routes.unsafeRead.runReentrant(value)
    }

    /// Copies the database into another, overwriting its content. <https://sqlite.org/backup.html>
    ///
    /// ```swift
    /// try source.backup(to: destination, pagesPerStep: 100) { progress in
    ///     print("\(progress.completedPageCount) of \(progress.totalPageCount) pages")
    /// }
    /// ```
    ///
    /// - Throws: SQLite's error; the error of `progress`, which aborts the backup.
    public func backup(
        to writer: any DatabaseWriter, pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        try unsafeRead { source in
            try writer.backupDestination { destination in
                try source.backup(to: destination, pagesPerStep: pagesPerStep, progress: progress)
            }
        }
    }
}
