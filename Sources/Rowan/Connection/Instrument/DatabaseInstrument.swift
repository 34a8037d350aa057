// The one door for logs, metrics and traces: a protocol that hears what the connections do. Without an instrument, an
// access costs one nil test more, and so does an execution.

/// Hears what the connections of a database do: for logs, metrics and traces.
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
/// All methods have a default implementation, which does nothing. They must not use the database, and return soon: somebody
/// waits for them.
///
/// Article: <doc:Instruments>.
public protocol DatabaseInstrument: Sendable {
    /// A queue or a pool has opened.
    func didOpen(_ database: InstrumentedDatabase)

    /// The program asks for an access. The call runs on the thread and in the task of the program, before the access
    /// waits: task-local values are those of the caller.
    ///
    /// - Returns: who hears what the access does; nil if nobody needs to know.
    func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)?

    /// A checkpoint has ended, on its own after a commit, or by ``Database/checkpoint(_:on:)``.
    func didCheckpoint(_ checkpoint: InstrumentedCheckpoint, of database: InstrumentedDatabase)

    /// Another connection, which is not of this queue or pool, has committed. It is called once, at the next write.
    func didNoticeOtherWriter(of database: InstrumentedDatabase)

    /// The duration after which a read of a pool is long; nil to hear of none. See
    /// ``Configuration/reportLongReads(after:_:)``.
    var longReadAge: Duration? { get }

    /// A read has been running for ``longReadAge`` while the pool was written. It is called once for each.
    func didFindLongRead(_ read: LongRead, of database: InstrumentedDatabase)
}

extension DatabaseInstrument {
    /// Does nothing.
    public func didOpen(_ database: InstrumentedDatabase) {}
    /// Nobody hears what the access does.
    public func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)? { nil }
    /// Does nothing.
    public func didCheckpoint(_ checkpoint: InstrumentedCheckpoint, of database: InstrumentedDatabase) {}
    /// Does nothing.
    public func didNoticeOtherWriter(of database: InstrumentedDatabase) {}
    /// No read is long.
    public var longReadAge: Duration? { nil }
    /// Does nothing.
    public func didFindLongRead(_ read: LongRead, of database: InstrumentedDatabase) {}
}

/// Hears what one access does. All methods have a default implementation, which does nothing.
///
/// ``didEnd(after:error:)`` is called once for each access that ``DatabaseInstrument/willAccess(_:)`` has announced, also
/// if it never gets a connection. The calls come from one thread at a time.
///
/// Article: <doc:Instruments>.
public protocol AccessInstrument: AnyObject, Sendable {
    /// Whether statements and transactions are measured for this instrument. True by default.
    var observesStatements: Bool { get }

    /// The access has its connection.
    ///
    /// - Parameter wait: how long it has waited for it.
    func didBegin(after wait: Duration)

    /// A statement has ended: it has returned its last row, it has failed, or its cursor is gone.
    func didRun(_ statement: InstrumentedStatement)

    /// A transaction has ended. The implicit transactions of single statements are not reported.
    func didEndTransaction(_ transaction: InstrumentedTransaction)

    /// The access has ended.
    ///
    /// - Parameters:
    ///   - duration: how long it had its connection; nil if it has never had one.
    ///   - error: the error that the program gets, if any.
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
