// One connection, as seen by users. It is valid only inside the access that provides it, on the access's thread.

import RowanPlatform
import Synchronization

/// A connection to a database.
///
/// It is provided by an access of a ``DatabaseQueue`` or ``DatabasePool``. Don't keep it after the access:
///
/// ```swift
/// try dbQueue.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// ```
///
/// Article: <doc:Transactions>.
public final class Database: CustomStringConvertible, CustomDebugStringConvertible {
    @usableFromInline package let connection: LocalConnection

    /// The configuration of the connection.
    public let configuration: Configuration

    /// The path and the label of the configuration.
    public let description: String

    package let path: String

    /// The known parts of the schema, cleared when the schema changes.
    @exclusivity(unchecked) package var schemaCache = SchemaCache()
    /// The source of the primary keys of views.
    package var currentSchemaSource: (any DatabaseSchemaSource)?
    /// The values that higher layers store on this connection.
    @exclusivity(unchecked) @usableFromInline package var state = ConnectionState()

    /// Whether the program's setup has set SQLite's synchronization with the disk.
    private(set) var hasChosenSynchronous = false

    // Transactions
    @exclusivity(unchecked) var transactionStatements = TransactionStatements()
    /// The date of a transaction and the number of that transaction.
    var knownTransactionDate: (number: Int, date: Date)?

    /// The instruments that receive the connection's activity.
    private let instruments: DatabaseInstruments?

    /// The lane that hands out this connection.
    weak var lane: AccessLane?

    var busyListener: ConnectionHooks.Token?
    var busyMode = BusyMode.immediateError
    var traceListener: TraceToken?

    package convenience init(path: String, configuration: Configuration, isReader: Bool = false) throws {
        try self.init(path: path, configuration: configuration, isReader: isReader, nil)
    }

    /// - Parameter isShadow: whether an in-memory database represents a remote one.
    init(
        path: String, configuration: Configuration, isReader: Bool, isShadow: Bool = false,
        _ instruments: DatabaseInstruments?
    ) throws {
        self.instruments = instruments
        self.path = path
        self.configuration = configuration
        description = configuration.label ?? (path.isEmpty ? ":memory:" : path)
        currentSchemaSource = configuration.schemaSource
        connection = try LocalConnection(
            path: isShadow ? ":memory:" : path, vfs: isShadow ? nil : configuration.vfs,
            isReadonly: !isShadow && (configuration.readonly || isReader),
            isStrict: configuration.strictConversions, isStrictAboutArguments: configuration.strictArguments,
            publicStatementArguments: configuration.publicStatementArguments,
            limits: configuration.trust.limits)
    }

    /// Creates a database that is already closed.
    private init(closed other: Database) {
        path = other.path
        configuration = other.configuration
        description = other.description
        connection = LocalConnection(closed: other.connection)
        instruments = nil
    }

    /// Another closed database with the same properties, which another thread can use at the same time.
    var closedCopy: Database { Database(closed: self) }

    /// Runs the closure with access to a database that doesn't belong to a lane.
    func withAccess<T>(_ body: (Database) throws -> T) rethrows -> T {
        connection.ownerThread.store(currentThreadID, ordering: .relaxed)
        defer { connection.ownerThread.store(0, ordering: .relaxed) }
        return try body(self)
    }

    deinit {
        connection.closeEventually()
    }

    /// Sets the size of the page cache, unless the program's setup has done so. The pragma reads the file, so it must
    /// follow the setups, which may set a key, and the first read, which waits for locks.
    private func setCacheSize(isReader: Bool) throws {
        guard let size = isReader ? configuration.readerCacheSize : configuration.cacheSize,
            // Without setups, the size is SQLite's: reading it would take a tenth of the time to open
            // (benchmark open-close).
            try configuration.setups.isEmpty || Int.fetchOne(makeStatement(sql: "PRAGMA cache_size")) == -2_000
        else { return }
        // A negative number means a size in units of 1,024 bytes.
        let kilobytes = min(max(size / 1_024, 1), Int(Int32.max))
        try makeStatement(sql: "PRAGMA cache_size = -\(kilobytes)").runToEnd()
    }

    /// Applies the configuration. The caller has access to the connection.
    package func setUp(isReader: Bool) throws {
        let pointer = try connection.openPointer()
        guardCheckpoints(isReader: isReader)
        try connection.set(.foreignKeys, configuration.foreignKeysEnabled)
        let acceptsStrings = configuration.acceptsDoubleQuotedStringLiterals
        try connection.set(.doubleQuotedStringsInQueries, acceptsStrings)
        try connection.set(.doubleQuotedStringsInDefinitions, acceptsStrings)
        try distrustFile()
        if connection.abilities.callsFunctions {
            try connection.check(DatabaseCollation.installOnDemand(in: pointer))
            for function in DatabaseFunction.builtin { try function.install(in: connection) }
        } else {
            for function in DatabaseFunction.builtin { add(function: function) }
            for collation in DatabaseCollation.builtin { add(collation: collation) }
        }
        try setBusyMode(
            (isReader ? configuration.readonlyBusyMode : configuration.writerBusyMode) ?? configuration.busyMode)
        if let size = configuration.mmapSize, !configuration.trust.distrustsFile {
            try makeStatement(sql: "PRAGMA mmap_size = \(max(size, 0))").runToEnd()
        }
        if configuration.replicatedByLitestream { try leaveCheckpoints() }
        let profile = try connection.collectingProfiles { for setup in configuration.setups { try setup(self) } }
        hasChosenSynchronous = profile.pragmas.contains { $0.name == "synchronous" && $0.argument != nil }
        try readingUntrustedSchema {
            // The first read fails if the file is not a database.
            try retryingWhileOpening { try makeStatement(sql: "SELECT 1 FROM sqlite_master LIMIT 1").runToEnd() }
            try setCacheSize(isReader: isReader)
            if !isReader { try checkFile() }
            try distrustSQL()
        }
    }

    /// Called before the first commit, which may be made by a setup.
    private func guardCheckpoints(isReader: Bool) {
        guard !isReader, !configuration.readonly, connection.abilities.ownsStorage else { return }
        connection.guardCheckpoints(
            instruments.map { instruments in { instruments.didCheckpoint(InstrumentedCheckpoint($0)) } })
    }

    /// Called when an access has finished: later commits may be another connection's.
    func noteOwnCommits() { connection.ownDataVersion = connection.lastDataVersion }

    /// Called when a write begins: another connection may have committed since the last one.
    func noteOtherWriters() {
        guard let instruments, let own = connection.ownDataVersion.take(), own != connection.lastDataVersion else {
            return
        }
        instruments.didNoticeOtherWriter()
    }

    /// Closes the connection.
    package func close() throws {
        try checkClosing()
        try connection.close()
        state.removeAll(.connection)
    }

    /// Checks that the connection can be closed.
    ///
    /// - Throws: SQLITE_BUSY if the program holds a statement.
    func checkClosing() throws {
        forgetStatements()
        transactionStatements = TransactionStatements()
        try connection.checkClosing()
    }

    /// Releases all unused statements, so that they are recompiled when next needed.
    package func releaseStatements() {
        forgetStatements()
        connection.forgetCachedStatements()
    }

    /// Releases all statements except cached ones.
    private func forgetStatements() { state.removeAll(.statements) }

    // MARK: State

    /// The C connection, or nil if it is closed.
    public var sqliteConnection: SQLiteConnection? { connection.pointer }

    /// The rowid of the last inserted row. <https://sqlite.org/c3ref/last_insert_rowid.html>
    public var lastInsertedRowID: Int64 { connection.lastInsertedRowID }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed. <https://sqlite.org/c3ref/changes.html>
    public var changesCount: Int { connection.changesCount }

    /// The number of changed rows since the connection was opened. <https://sqlite.org/c3ref/total_changes.html>
    public var totalChangesCount: Int { connection.totalChangesCount }

    /// Whether a transaction is open.
    public var isInsideTransaction: Bool { connection.isInsideTransaction }

    /// The code of the last error.
    public var lastErrorCode: ResultCode {
        ResultCode(rawValue: connection.lastErrorCode)
    }

    /// The message of the last error, or nil.
    public var lastErrorMessage: String? { connection.lastErrorMessage }

    /// The maximum number of arguments of a statement. <https://sqlite.org/limits.html#max_variable_number>
    public var maximumStatementArgumentCount: Int {
        connection.limit(.arguments)
    }

    /// The SQLite version: 3040001 for 3.40.1.
    public static var sqliteLibVersionNumber: CInt { LocalConnection.libraryVersion }

    /// The path and the label, for debugging.
    public var debugDescription: String { "<Database: \(description)>" }

    /// A function called with a code and a message for each anomaly that SQLite detects in the process.
    public typealias LogErrorFunction = @Sendable (_ resultCode: ResultCode, _ message: String) -> Void

    /// The log of SQLite anomalies. Set it before opening any connection. <https://sqlite.org/errlog.html>
    public static var logError: LogErrorFunction? {
        get { LocalConnection.errorLog }
        set { LocalConnection.errorLog = newValue }
    }

    // MARK: Memory

    /// Releases as much memory as possible: cached statements, the schema cache and SQLite's page cache.
    public func releaseMemory() {
        releaseStatements()
        schemaCache = SchemaCache()
        connection.releasePageCache()
    }

    /// Copies the WAL file into the database file. <https://sqlite.org/wal.html#ckpt>
    ///
    /// With the WAL-reset bug (``hasWALResetBug``), a checkpoint in any mode needs the writer lock. If there is a
    /// writer, a passive checkpoint throws immediately, and the others wait according to the busy mode.
    /// `PRAGMA wal_checkpoint` never waits for it.
    ///
    /// - Returns: the number of frames in the WAL file and the number of copied frames.
    /// - Throws: SQLITE_BUSY if a reader or a writer blocks a checkpoint that is not passive.
    @discardableResult
    public func checkpoint(
        _ kind: CheckpointMode = .passive, on dbName: String? = "main"
    ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        let (frames, checkpointed) = try connection.checkpoint(kind.rawValue, on: dbName)
        return (walFrameCount: frames, checkpointedFrameCount: checkpointed)
    }

    /// Runs the closure and rejects its writes, which throw SQLITE_READONLY.
    public func readOnly<T>(_ value: () throws -> T) throws -> T {
        let wasInsideTransaction = connection.isInsideTransaction
        connection.readOnlyDepth += 1
        defer {
            connection.readOnlyDepth -= 1
            // Some pragmas have no effect in a transaction. A transaction that the closure leaves open ends with the
            // access.
            if connection.readOnlyDepth == 0, wasInsideTransaction || !connection.isInsideTransaction {
                connection.restorePragmas()
            }
        }
        return try value()
    }
}
