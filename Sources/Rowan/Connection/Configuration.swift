// The configuration of connections: a value, read when a connection opens.

public import Foundation
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
public struct Configuration: Sendable {
    /// The journal mode of a ``DatabaseQueue``.
    public enum JournalModeConfiguration: Sendable {
        /// The mode of the file for a queue; WAL for a pool.
        case `default`
        /// Write-ahead log. <https://sqlite.org/wal.html>
        case wal
    }

    /// A default configuration.
    public init() {}

    // MARK: What a connection does

    /// Whether foreign keys are enforced. True by default. <https://sqlite.org/foreignkeys.html>
    public var foreignKeysEnabled = true

    /// Whether the connection refuses to write.
    public var readonly = false

    /// A name for the description of the connection.
    public var label: String?

    /// Whether a double-quoted text that is no identifier is a string. False by default.
    /// <https://sqlite.org/quirks.html#double_quoted_string_literals_are_accepted>
    public var acceptsDoubleQuotedStringLiterals = false

    /// What to do when another connection holds a lock.
    public var busyMode: Database.BusyMode = .immediateError

    /// What readers do when another connection holds a lock; nil for `busyMode`, 10 seconds for the readers of a pool.
    package var readonlyBusyMode: Database.BusyMode?

    /// The journal mode of a ``DatabaseQueue``.
    public var journalMode: JournalModeConfiguration = .default

    /// Whether a transaction may stay open between two accesses.
    public var allowsUnsafeTransactions = false

    /// Whether errors show the arguments of statements, which may be personal data.
    public var publicStatementArguments = false

    /// Whether a conversion that loses something is a decoding error: 1.5 or `'abc'` into an Int.
    public var strictConversions = false

    /// The clock of ``Database/transactionDate``.
    public var transactionClock: any TransactionClock = .default

    /// What the schema does not say: the primary keys of views.
    public var schemaSource: (any DatabaseSchemaSource)?

    // MARK: Concurrency

    /// The maximum number of concurrent readers of a ``DatabasePool``.
    public var maximumReaderCount = 5

    /// Whether the readers of a pool stay open when memory is released.
    public var persistentReadOnlyConnections = false

    /// Whether the connection stops its accesses between ``Database/suspendNotification`` and
    /// ``Database/resumeNotification``.
    public var observesSuspensionNotifications = false

    /// The quality of service of asynchronous accesses. Synchronous ones run on the thread of their caller.
    public var qos: DispatchQoS = .userInitiated

    /// The queue that asynchronous accesses run on, if any.
    ///
    /// Synchronous accesses run on the thread of their caller, whatever this queue is. Reads that
    /// ``DatabaseWriter/spawnConcurrentRead(_:)`` schedules don't run on it either: the writer waits for their start.
    public var targetQueue: DispatchQueue?

    /// The queue that the asynchronous writes of a pool run on; `targetQueue` by default.
    public var writeTargetQueue: DispatchQueue?

    /// The quality of service of asynchronous reads.
    public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

    /// The quality of service of asynchronous writes.
    public var writeQoS: DispatchQoS { writeTargetQueue?.qos ?? targetQueue?.qos ?? qos }

    // MARK: Preparing connections

    private(set) var setups: [@Sendable (Database) throws -> Void] = []

    /// Adds a closure that runs when a connection opens, before it is used: functions, collations, pragmas...
    public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
        setups.append(setup)
    }
}

/// A clock for the dates of transactions.
public protocol TransactionClock: Sendable {
    /// The date of the current transaction.
    func now(_ db: Database) throws -> Date
}

/// The system's clock.
public struct DefaultTransactionClock: TransactionClock {
    public func now(_ db: Database) throws -> Date { Date() }
}

/// A clock of your own.
public struct CustomTransactionClock: TransactionClock {
    private let clock: @Sendable (Database) throws -> Date

    public init(_ now: @escaping @Sendable (Database) throws -> Date) { clock = now }

    public func now(_ db: Database) throws -> Date { try clock(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
    /// The system's clock.
    public static var `default`: DefaultTransactionClock { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
    /// A clock of your own: `config.transactionClock = .custom { _ in fixedDate }`.
    public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> Self { Self(now) }
}
