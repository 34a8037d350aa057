// The configuration of connections: a value that is read when a connection is opened.

public import RowanPlatform
public import Dispatch

/// The configuration of database connections.
///
/// ```swift
/// var config = Configuration()
/// config.readonly = true
/// config.busyMode = .timeout(5)
/// config.prepareDatabase { db in
///     db.trace { print($0) }
/// }
/// let dbQueue = try DatabaseQueue(path: path, configuration: config)
/// ```
///
/// Article: <doc:OpeningDatabases>.
public struct Configuration: Sendable {
    /// The journal mode of a ``DatabaseQueue``.
    public enum JournalModeConfiguration: Sendable {
        /// The mode of the existing file for a queue; WAL for a pool.
        case `default`
        /// Write-ahead log. <https://sqlite.org/wal.html>
        case wal
    }

    /// Creates the default configuration.
    public init() {}

    // MARK: Behavior of connections

    /// Whether foreign keys are enforced. True by default. <https://sqlite.org/foreignkeys.html>
    public var foreignKeysEnabled = true { didSet { identity = Identity() } }

    /// Whether the connection rejects writes. False by default.
    public var readonly = false { didSet { identity = Identity() } }

    /// A name for the connection, shown in its description.
    public var label: String? { didSet { identity = Identity() } }

    /// The name of the virtual file system, or VFS, that opens the database. Nil by default, for SQLite's default VFS.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.readonly = true
    /// config.vfs = "litestream"
    /// ```
    ///
    /// An extension that registers a VFS must first be loaded by another connection. A parameter `vfs` in the URI of a
    /// database takes precedence. An unregistered name is an error, which lists the registered names.
    /// <https://sqlite.org/vfs.html>
    public var vfs: String? { didSet { identity = Identity() } }

    /// Whether connections may load extensions from files: ``Database/loadExtension(path:entryPoint:)``. False by default.
    ///
    /// The SQL function `load_extension()` is always disabled. Extensions linked into the program need no permission:
    /// ``Database/loadExtension(entryPoint:)``.
    public var allowsExtensions = false { didSet { identity = Identity() } }

    /// The trust in the file and in the SQL of the connection. By default, both are the program's own.
    ///
    /// Article: <doc:StrangersDatabases>.
    public var trust: DatabaseTrust = .trusted { didSet { identity = Identity() } }

    /// The time limit of a check of the file when it is opened: `PRAGMA quick_check`. Nil by default, for no check.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.trust = .untrustedFile
    /// config.checksFileOnOpen = .seconds(2)
    /// // SQLITE_CORRUPT: the file is damaged: ...
    /// let dbQueue = try DatabaseQueue(path: path, configuration: config)
    /// ```
    ///
    /// The check reads the whole file, but runs no CHECK constraints, which are code of the file. A pool checks it once.
    /// <https://sqlite.org/pragma.html#pragma_quick_check>
    public var checksFileOnOpen: Duration? { didSet { identity = Identity() } }

    /// Whether a double-quoted text that is not an identifier is treated as a string. False by default.
    /// <https://sqlite.org/quirks.html#double_quoted_string_literals_are_accepted>
    public var acceptsDoubleQuotedStringLiterals = false { didSet { identity = Identity() } }

    /// The behavior when another connection holds a lock. By default, an immediate error.
    ///
    /// In a ``DatabasePool``, `.immediateError` makes readers wait for ten seconds and the writer for a quarter of a
    /// second, because its own readers may hold its lock briefly.
    public var busyMode: Database.BusyMode = .immediateError { didSet { identity = Identity() } }

    /// The behavior of readers when another connection holds a lock; nil for `busyMode`, or 10 seconds in a pool.
    package var readonlyBusyMode: Database.BusyMode? { didSet { identity = Identity() } }

    /// The behavior of a pool's writer when another connection holds a lock; nil for `busyMode`.
    package var writerBusyMode: Database.BusyMode? { didSet { identity = Identity() } }

    /// The journal mode of a ``DatabaseQueue``.
    public var journalMode: JournalModeConfiguration = .default { didSet { identity = Identity() } }

    /// Whether a transaction may stay open between two accesses. False by default.
    public var allowsUnsafeTransactions = false { didSet { identity = Identity() } }

    /// The kind of transactions: determined by the access. ``Database/inTransaction(_:_:)`` can override it.
    @available(*, unavailable, message: "the access decides: a write begins an immediate transaction")
    public var defaultTransactionKind: Database.TransactionKind { .immediate }

    /// The memory, in bytes, of the page cache of a connection that writes. 16 MB by default, eight times SQLite's
    /// default. Nil keeps SQLite's default.
    ///
    /// The pages changed by a transaction stay in memory while they fit. A large import into a table with indexes is
    /// faster with 64 MB, which the connection may then use permanently. A `PRAGMA cache_size` in
    /// ``prepareDatabase(_:)`` takes precedence. <https://sqlite.org/pragma.html#pragma_cache_size>
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.cacheSize = 64 << 20
    /// ```
    public var cacheSize: Int? = 16 << 20 { didSet { identity = Identity() } }

    /// The memory, in bytes, of the page cache of each reader of a ``DatabasePool``, and of each snapshot connection. 4
    /// MB by default. Nil keeps SQLite's default.
    public var readerCacheSize: Int? = 4 << 20 { didSet { identity = Identity() } }

    /// The size, in bytes, of the part of the file that connections map into memory. Nil by default: none, or the
    /// default of the SQLite build.
    ///
    /// Reads of mapped pages need no system call or copy. An I/O error in a mapped page stops the program with a signal
    /// instead of throwing an error. <https://sqlite.org/mmap.html>
    public var mmapSize: Int? { didSet { identity = Identity() } }

    /// The size, in bytes, above which a ``DatabasePool`` empties its write-ahead log. 64 MB by default; nil for no
    /// limit.
    ///
    /// SQLite copies the write-ahead log into the database file and restarts it when no read needs it. If reads always
    /// overlap, this never happens: the file grows with each commit, and reads become slower. Above this size, the
    /// writer waits after an access until the running reads have finished, then empties the file. It waits for at most
    /// a tenth of a second, and for up to a second after shorter waits have failed. Other reads can begin meanwhile,
    /// since they don't need it. Writers in other processes wait as for a write: they need a ``busyMode`` that waits.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.walSizeLimit = 16 << 20
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    /// ```
    ///
    /// A single access can exceed the limit. So can the log during a long read or a snapshot: the writer then retries
    /// later and waits for less than a tenth of the time. If reads always overlap and take a fraction of a second, the
    /// log exceeds the limit by the amount written between two waits, which take up to a quarter of the time when the
    /// log is ten times as large as its limit. ``DatabasePool/status`` shows both. There is no limit if the program
    /// runs its own checkpoints, after `PRAGMA wal_autocheckpoint = 0`, and none for attached databases.
    /// <https://sqlite.org/wal.html#avoiding_excessively_large_wal_files>
    public var walSizeLimit: Int? = 64 << 20 { didSet { identity = Identity() } }

    /// Whether Litestream replicates the database. False by default.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.replicatedByLitestream = true
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    /// ```
    ///
    /// Litestream reads the write-ahead log and runs the checkpoints itself. The connections of a queue or a pool
    /// therefore:
    ///
    /// - use WAL mode, with `PRAGMA synchronous = NORMAL`, unless ``prepareDatabase(_:)`` chooses another level;
    /// - run no checkpoints: `PRAGMA wal_autocheckpoint = 0`, no ``walSizeLimit``, and none when the last connection
    ///   closes;
    /// - wait for five seconds for a lock, which Litestream takes briefly, unless ``busyMode`` specifies otherwise.
    ///
    /// If Litestream isn't running, the write-ahead log grows without limit. Schema snapshots, dumps and observations
    /// of the full database always exclude Litestream's tables. This has no effect on in-memory databases.
    /// <https://litestream.io/tips/>
    public var replicatedByLitestream = false { didSet { identity = Identity() } }

    /// Whether errors show the arguments of statements, which may be personal data. False by default.
    public var publicStatementArguments = false { didSet { identity = Identity() } }

    /// Whether a lossy conversion is a decoding error, such as 1.5 or `'abc'` to an Int. False by default.
    public var strictConversions = false { didSet { identity = Identity() } }

    /// Whether an unused named argument, such as a misspelt one, is an error. False by default.
    ///
    /// ```swift
    /// // With strictArguments: SQLITE_MISUSE: unknown statement argument: nmae
    /// try db.execute(sql: "UPDATE player SET score = :score", arguments: ["score": 10, "nmae": "Arthur"])
    /// ```
    ///
    /// Missing arguments and extra positional arguments are always errors.
    public var strictArguments = false { didSet { identity = Identity() } }

    /// Whether an update of a record throws an error for a column that the table or the record lacks. False by default:
    /// an update sets only the columns that both have.
    ///
    /// By default, a migration can update the current record type in an older version of its table:
    ///
    /// ```swift
    /// // The table has no column "email" yet: UPDATE "player" SET "name"=? WHERE "id"=?
    /// try Player(id: 1, name: "Arthur", email: nil).update(db)
    /// ```
    ///
    /// Strict columns find a misspelt name in `update(db, columns: ["nmae"])`. Insertions and upserts always throw.
    public var strictColumns = false { didSet { identity = Identity() } }

    /// The clock of ``Database/transactionDate``.
    public var transactionClock: any TransactionClock = .default { didSet { identity = Identity() } }

    /// The source of information missing from the schema: the primary keys of views.
    public var schemaSource: (any DatabaseSchemaSource)? { didSet { identity = Identity() } }

    // MARK: Concurrency

    /// The maximum number of concurrent readers of a ``DatabasePool``. 5 by default.
    public var maximumReaderCount = 5 { didSet { identity = Identity() } }

    /// The maximum time a read waits for a reader of a ``DatabasePool``. Nil by default, for no limit.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.readerTimeout = .seconds(10)
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    /// try dbPool.read { ... }
    /// // SQLITE_BUSY: no reader was free for 10.0 seconds. In use: read for 61.3 seconds, last statement: SELECT ...
    /// ```
    ///
    /// A read that waits longer throws SQLITE_BUSY, with an error that lists the running reads. The fetches of
    /// observations wait without a limit, except for an immediate first one. See ``DatabasePool/status``.
    public var readerTimeout: Duration? { didSet { identity = Identity() } }

    /// The handling of long reads.
    var longReadReport: LongReadReport? { didSet { identity = Identity() } }

    /// Whether readers record their last statements.
    var recordsStatements: Bool {
        readerTimeout != nil || longReadReport != nil || instruments.contains { $0.longReadAge != nil }
    }

    /// The instruments that receive the connections' activity: logs, metrics and traces. None by default, at no cost.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.instruments = [LogInstrument(), MetricsInstrument(), TracingInstrument()]   // RowanLogging, RowanMetrics...
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    /// ```
    public var instruments: [any DatabaseInstrument] = [] { didSet { identity = Identity() } }

    /// Whether the readers of a pool stay open when memory is released. False by default.
    public var persistentReadOnlyConnections = false { didSet { identity = Identity() } }

    /// Suspends and resumes a connection until its result is released.
    package typealias SuspensionSource =
        @Sendable (
            _ suspend: @escaping @Sendable () -> Void, _ resume: @escaping @Sendable () -> Void
        ) -> any Sendable

    /// What suspends connections: running statements are interrupted, and writes throw SQLITE_ABORT until they resume.
    /// See `Suspension.swift` for one that observes notifications.
    package var suspensionSource: SuspensionSource? { didSet { identity = Identity() } }

    /// Whether asynchronous writes that are waiting at the same time share one transaction. False by default.
    ///
    /// With many small writes, most of the time is spent on commits, especially if each waits for the disk
    /// (`PRAGMA synchronous = FULL`). A shared transaction commits once for up to a thousand writes:
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.groupsAsyncWrites = true
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    /// try await dbPool.write { db in try player.insert(db) }   // returns after the commit
    /// ```
    ///
    /// This applies only to `write` with `await`. Each write runs in its own savepoint: it has its own result or error,
    /// and its failure doesn't affect the others. If the shared transaction can't be committed, for example because of
    /// a deferred foreign key, or if a write ends it, each write is rerun in its own transaction. The closures run
    /// outside their tasks, without task-local values.
    public var groupsAsyncWrites = false { didSet { identity = Identity() } }

    /// Whether observations of values and regions also react to commits by other connections and processes. False by
    /// default.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.observesOtherProcesses = true
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    /// ```
    ///
    /// The kernel reports when the files are written. A commit can become visible slightly after its write, so a
    /// database counter is read every two seconds until ten minutes after the last write. The changes themselves are
    /// unknown, so all observations fetch again. Changes to in-memory databases and on network file systems are not
    /// detected. With a ``vfs``, whose databases may not be files, the counter is always read every two seconds.
    public var observesOtherProcesses = false { didSet { identity = Identity() } }

    /// The interval for polling for commits by others where nothing reports them.
    package var pollingInterval: Duration? { didSet { identity = Identity() } }

    /// The quality of service of asynchronous accesses. Synchronous accesses run on the caller's thread.
    public var qos: DispatchQoS = .userInitiated { didSet { identity = Identity() } }

    /// The queue of asynchronous accesses, if any.
    ///
    /// Synchronous accesses always run on the caller's thread. Reads that ``DatabaseWriter/spawnConcurrentRead(_:)``
    /// schedules don't run on this queue either, because the writer waits for their start.
    public var targetQueue: DispatchQueue? { didSet { identity = Identity() } }

    /// The queue for the asynchronous writes of a pool; `targetQueue` by default.
    public var writeTargetQueue: DispatchQueue? { didSet { identity = Identity() } }

    /// The quality of service of asynchronous reads.
    public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

    /// The quality of service of asynchronous writes.
    public var writeQoS: DispatchQoS { writeTargetQueue?.qos ?? targetQueue?.qos ?? qos }

    // MARK: Preparing connections

    private(set) var setups: [@Sendable (Database) throws -> Void] = [] { didSet { identity = Identity() } }

    /// Adds a closure that runs when a connection is opened, before its first use. It can add functions and collations,
    /// run pragmas…
    public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
        setups.append(setup)
    }

    /// The identity that a configuration shares with its unchanged copies, because most options are closures and other
    /// values that can't be compared. Each stored property renews it.
    package private(set) var identity = Identity.ofDefault

    package final class Identity: Hashable, Sendable {
        static let ofDefault = Identity()

        package static func == (lhs: Identity, rhs: Identity) -> Bool { lhs === rhs }

        package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
}

/// A clock that provides the dates of transactions.
public protocol TransactionClock: Sendable {
    /// The date of the current transaction.
    func now(_ db: Database) throws -> Date
}

/// The system clock.
public struct DefaultTransactionClock: TransactionClock {
    /// The current date.
    public func now(_ db: Database) throws -> Date { Date() }
}

/// A custom clock.
public struct CustomTransactionClock: TransactionClock {
    private let clock: @Sendable (Database) throws -> Date

    /// Creates a clock from a closure.
    public init(_ now: @escaping @Sendable (Database) throws -> Date) { clock = now }

    /// The date returned by the closure.
    public func now(_ db: Database) throws -> Date { try clock(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
    /// The system clock.
    public static var `default`: DefaultTransactionClock { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
    /// A custom clock: `config.transactionClock = .custom { _ in fixedDate }`.
    public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> Self { Self(now) }
}
