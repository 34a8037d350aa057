// The interface for logs, metrics and traces: a protocol that receives the connections' activity. Without an
// instrument, it costs only one additional nil test per access and per execution.

/// Receives the activity of a database's connections, for logs, metrics and traces.
///
/// ```swift
/// struct SlowStatements: DatabaseInstrument {
///     func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)? { Access() }
///
///     final class Access: AccessInstrument {
///         func didRun(_ statement: InstrumentedStatement) {
///             if statement.duration > .milliseconds(100) { print(statement.duration, statement.sql) }
///         }
///     }
/// }
///
/// var config = Configuration()
/// config.instruments.append(SlowStatements())
/// ```
///
/// All methods have a default implementation that does nothing. They must not use the database, and must return soon
/// because accesses wait for them.
///
/// Article: <doc:Instruments>.
public protocol DatabaseInstrument: Sendable {
    /// Called when a queue or pool has been opened.
    func didOpen(_ database: InstrumentedDatabase)

    /// Called when the program requests an access, on the program's thread and in its task, before the access waits:
    /// task-local values are those of the caller.
    ///
    /// - Returns: the receiver of the access's activity; nil to ignore the access.
    func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)?

    /// Called after a checkpoint, either automatic after a commit or by ``Database/checkpoint(_:on:)``.
    func didCheckpoint(_ checkpoint: InstrumentedCheckpoint, of database: InstrumentedDatabase)

    /// Called once, at the next write, after a connection outside this queue or pool has committed.
    func didNoticeOtherWriter(of database: InstrumentedDatabase)

    /// The duration from which a read of a pool counts as long; nil to disable reports. See
    /// ``Configuration/reportLongReads(after:_:)``.
    var longReadAge: Duration? { get }

    /// Called once for each read that has been running for ``longReadAge`` while the pool was written.
    func didFindLongRead(_ read: LongRead, of database: InstrumentedDatabase)
}

extension DatabaseInstrument {
    /// Does nothing.
    public func didOpen(_ database: InstrumentedDatabase) {}
    /// Ignores the access.
    public func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)? { nil }
    /// Does nothing.
    public func didCheckpoint(_ checkpoint: InstrumentedCheckpoint, of database: InstrumentedDatabase) {}
    /// Does nothing.
    public func didNoticeOtherWriter(of database: InstrumentedDatabase) {}
    /// Nil: no read counts as long.
    public var longReadAge: Duration? { nil }
    /// Does nothing.
    public func didFindLongRead(_ read: LongRead, of database: InstrumentedDatabase) {}
}

/// Receives the activity of one access. All methods have a default implementation that does nothing.
///
/// ``didEnd(after:error:)`` is called once for each access announced by ``DatabaseInstrument/willAccess(_:)``, even if
/// it never gets a connection. The calls come from one thread at a time.
///
/// Article: <doc:Instruments>.
public protocol AccessInstrument: AnyObject, Sendable {
    /// Whether statements and transactions are measured for this instrument. True by default.
    var observesStatements: Bool { get }

    /// Called when the access has its connection.
    ///
    /// - Parameter wait: the time that the access waited for the connection.
    func didBegin(after wait: Duration)

    /// Called when a statement has returned its last row, failed, or lost its cursor.
    func didRun(_ statement: InstrumentedStatement)

    /// Called when a transaction has ended. The implicit transactions of single statements are not reported.
    func didEndTransaction(_ transaction: InstrumentedTransaction)

    /// Called when the access has finished.
    ///
    /// - Parameters:
    ///   - duration: the time that the access held its connection; nil if it never had one.
    ///   - error: the error that the program receives, if any.
    func didEnd(after duration: Duration?, error: (any Error)?)
}

extension AccessInstrument {
    /// True.
    public var observesStatements: Bool { true }
    /// Does nothing.
    public func didBegin(after wait: Duration) {}
    /// Does nothing.
    public func didRun(_ statement: InstrumentedStatement) {}
    /// Does nothing.
    public func didEndTransaction(_ transaction: InstrumentedTransaction) {}
    /// Does nothing.
    public func didEnd(after duration: Duration?, error: (any Error)?) {}
}
