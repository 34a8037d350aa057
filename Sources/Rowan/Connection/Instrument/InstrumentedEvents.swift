// The events that instruments receive.

/// A queue or pool, as described to instruments.
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

    /// The properties in one object, because every access has them.
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

    /// The kind of database.
    public var kind: Kind { properties.kind }
    /// The path of the database file; `:memory:` or a URI for an in-memory database.
    public var path: String { properties.path }
    /// The label of the configuration.
    public var label: String? { properties.label }
    /// The journal mode: `wal`, `delete`… <https://sqlite.org/pragma.html#pragma_journal_mode>
    public var journalMode: String { properties.journalMode }
    /// The maximum number of concurrent accesses.
    public var maximumConnectionCount: Int { properties.maximumConnectionCount }

    /// Whether both values describe the same queue, pool or snapshot.
    public static func == (one: Self, other: Self) -> Bool { one.properties === other.properties }

    /// Hashes the identity of the queue, pool or snapshot.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(properties)) }

    /// The SQLite version: `3.40.1`.
    public var sqliteVersion: String { LocalConnection.libraryVersionText }

    /// Whether a program without Rowan could damage the database by writing the file: the database is in WAL mode, and
    /// SQLite has the bug described at ``Database/hasWALResetBug``.
    public var isExposedToWALResetBug: Bool { journalMode == "wal" && Database.hasWALResetBug }
}

/// An access requested by the program.
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

    /// The database of the access.
    public let database: InstrumentedDatabase
    /// The kind of access.
    public let kind: Kind
    /// The call site of the access, if set with ``DatabaseReader/atCallSite(fileID:line:)``.
    public let callSite: CallSite?
    /// Whether the access shares its connection and its transaction with others: an asynchronous write with
    /// ``Configuration/groupsAsyncWrites``.
    public let sharesConnection: Bool
}

/// A finished run of a statement.
///
/// Article: <doc:Instruments>.
public struct InstrumentedStatement: Sendable {
    let facts: StatementFacts

    /// The time from the first step to the end, including the time in which the program handled the rows.
    public let duration: Duration
    /// The number of returned rows.
    public let rowCount: Int
    /// The error of the statement, or nil.
    public let error: (any Error)?
    /// The SQL with its arguments as literals; nil unless ``Configuration/publicStatementArguments`` is true, and for a
    /// cursor still open when its access finishes.
    public let expandedSQL: String?

    /// The SQL with its parameters: `SELECT * FROM player WHERE id = ?`.
    public var sql: String { facts.sql }
    /// The statement's effects, as reported by SQLite's compiler.
    public var profile: StatementProfile { facts.profile }
    /// The statement's operation: `SELECT`, `COMMIT`… See ``StatementProfile/operation``. `EXPLAIN` for an explanation.
    public var operation: String { facts.operation }
    /// The table that the statement writes, or the only one it reads. See ``StatementProfile/tableName``.
    public var tableName: String? { facts.tableName }

    init(_ run: MeasuredRun) {
        facts = run.facts
        duration = .nanoseconds(Int64(clamping: run.nanoseconds))
        rowCount = run.rowCount
        error = run.error
        expandedSQL = run.expandedSQL
    }
}

/// A finished transaction.
///
/// Article: <doc:Instruments>.
public struct InstrumentedTransaction: Sendable {
    /// Whether the transaction was committed rather than rolled back.
    public let isCommitted: Bool
    /// The time from the beginning to the end of the transaction.
    public let duration: Duration
    /// The number of pages in the write-ahead log when the transaction ended; nil without a log or for a pool's reads.
    public let walPageCount: Int?
}

/// A finished checkpoint.
///
/// Article: <doc:Instruments>.
public struct InstrumentedCheckpoint: Sendable {
    /// The requested mode. Checkpoints after commits or by `PRAGMA wal_checkpoint` count as passive.
    public let mode: Database.CheckpointMode
    /// The duration of the checkpoint.
    public let duration: Duration
    /// The number of pages in the write-ahead log.
    public let walPageCount: Int
    /// The number of those pages that are now in the database file.
    public let copiedPageCount: Int
    /// The error, or nil. SQLITE_BUSY means that another connection needed the log.
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
