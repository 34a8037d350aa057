// What instruments are told.

/// A queue or a pool, as instruments know it.
///
/// Article: <doc:Instruments>.
public struct InstrumentedDatabase: Sendable, Hashable {
    /// The kinds of databases.
    public enum Kind: String, Sendable, Hashable {
        /// A ``DatabaseQueue``.
        case queue
        /// A ``DatabasePool``.
        case pool
        /// A database on several machines, of which this program is a client.
        case cluster
        /// A ``DatabaseSnapshot`` or a ``DatabaseSnapshotPool``.
        case snapshot
    }

    /// What instruments know, in one object: each access has it.
    private final class Properties: Sendable {
        let kind: Kind
        let path: String
        let label: String?
        let journalMode: String
        let maximumConnectionCount: Int

        init(_ kind: Kind, _ path: String, _ label: String?, _ journalMode: String, _ maximumConnectionCount: Int) {
            (self.kind, self.path, self.label) = (kind, path, label)
            (self.journalMode, self.maximumConnectionCount) = (journalMode, maximumConnectionCount)
        }
    }

    private let properties: Properties

    init(kind: Kind, path: String, label: String?, journalMode: String, maximumConnectionCount: Int) {
        properties = Properties(kind, path, label, journalMode, maximumConnectionCount)
    }

    /// What has opened.
    public var kind: Kind { properties.kind }
    /// The path of the database file; `:memory:` or a URI for a database in memory.
    public var path: String { properties.path }
    /// The label of the configuration.
    public var label: String? { properties.label }
    /// The journal mode: `wal`, `delete`... <https://sqlite.org/pragma.html#pragma_journal_mode>
    public var journalMode: String { properties.journalMode }
    /// The most accesses at the same time.
    public var maximumConnectionCount: Int { properties.maximumConnectionCount }

    /// Whether both are the same queue, pool or snapshot.
    public static func == (one: Self, other: Self) -> Bool { one.properties === other.properties }

    /// Hashes which queue, pool or snapshot it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(properties)) }

    /// The version of SQLite: `3.40.1`.
    public var sqliteVersion: String { LocalConnection.libraryVersionText }

    /// Whether a program without Rowan that writes the file could damage the database: it is in WAL mode, and SQLite has the bug of
    /// ``Database/hasWALResetBug``.
    public var isExposedToWALResetBug: Bool { journalMode == "wal" && Database.hasWALResetBug }
}

/// An access that the program asks for.
///
/// Article: <doc:Instruments>.
public struct InstrumentedAccess: Sendable {
    /// The kinds of accesses.
    public enum Kind: String, Sendable, Hashable {
        /// A read.
        case read
        /// A write.
        case write
    }

    /// Which database it is.
    public let database: InstrumentedDatabase
    /// What the access may do.
    public let kind: Kind
    /// Where the access begins in the program, with ``DatabaseReader/atCallSite(fileID:line:)``.
    public let callSite: CallSite?
    /// Whether the access shares its connection and its transaction with others: an asynchronous write with
    /// ``Configuration/groupsAsyncWrites``.
    public let sharesConnection: Bool
}

/// A statement that has run.
///
/// Article: <doc:Instruments>.
public struct InstrumentedStatement: Sendable {
    let facts: StatementFacts

    /// From the first step to the end, in which the program has handled the rows.
    public let duration: Duration
    /// The number of rows that the statement has returned.
    public let rowCount: Int
    /// The error of the statement, or nil.
    public let error: (any Error)?
    /// The SQL with its arguments as literals; nil unless ``Configuration/publicStatementArguments`` is true, and for a
    /// cursor that is still open at the end of its access.
    public let expandedSQL: String?

    /// The SQL, with its parameters: `SELECT * FROM player WHERE id = ?`.
    public var sql: String { facts.sql }
    /// What the statement does, as SQLite's compiler reports it.
    public var profile: StatementProfile { facts.profile }
    /// The word for it: `SELECT`, `INSERT`, `COMMIT`... See ``StatementProfile/operation``. `EXPLAIN` for an explanation.
    public var operation: String { facts.operation }
    /// The table that it writes, or the only one that it reads. See ``StatementProfile/tableName``.
    public var tableName: String? { facts.tableName }

    init(_ run: MeasuredRun) {
        facts = run.facts
        duration = .nanoseconds(Int64(clamping: run.nanoseconds))
        rowCount = run.rowCount
        error = run.error
        expandedSQL = run.expandedSQL
    }
}

/// A transaction that has ended.
///
/// Article: <doc:Instruments>.
public struct InstrumentedTransaction: Sendable {
    /// Whether it is committed; otherwise, it is rolled back.
    public let isCommitted: Bool
    /// From its beginning to its end.
    public let duration: Duration
    /// The number of pages in the write-ahead log at its end; nil without a log, and for reads of a pool.
    public let walPageCount: Int?
}

/// A checkpoint that has ended.
///
/// Article: <doc:Instruments>.
public struct InstrumentedCheckpoint: Sendable {
    /// What it should do. Those after commits, and those of `PRAGMA wal_checkpoint`, count as passive.
    public let mode: Database.CheckpointMode
    /// How long it has taken.
    public let duration: Duration
    /// The number of pages in the write-ahead log.
    public let walPageCount: Int
    /// The number of those that are in the database file now.
    public let copiedPageCount: Int
    /// The error, or nil. SQLITE_BUSY says that another connection needed the log.
    public let error: (any Error)?

    init(_ result: CheckpointResult) {
        mode = Database.CheckpointMode(rawValue: result.mode) ?? .passive
        duration = .nanoseconds(Int64(clamping: result.nanoseconds))
        walPageCount = result.frameCount
        copiedPageCount = result.copiedFrameCount
        let code = ResultCode(rawValue: result.code)
        error = code == .SQLITE_OK ? nil : DatabaseError(resultCode: code)
    }
}
