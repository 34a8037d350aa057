// A connection of a lane. `@unchecked Sendable`: only the holder of the connection uses the database, which the lock
// AccessLane.state guarantees; `interruptible` has its own lock.

import Synchronization

final class PooledConnection: @unchecked Sendable {
    let database: Database
    /// Runs the asynchronous accesses.
    let queues: ConnectionQueues
    /// The C connection while it is open, for interruptions from other threads.
    private let interruptible = Mutex<UInt>(0)
    /// Whether running statements have been interrupted, in this access or an earlier one.
    private let wasInterrupted = Atomic<Bool>(false)
    /// The access that uses the connection.
    let record = AccessRecord()
    private let allowsUnsafeTransactions: Bool
    /// Runs the statements of a remote database. Other threads only interrupt it.
    private let runner: (any StatementRunner)?
    private var suspension: (any Sendable)?

    /// Opens and sets up a connection.
    init(
        path: String, configuration: Configuration, queues: ConnectionQueues, isReader: Bool = false,
        instruments: DatabaseInstruments? = nil, runner: (any StatementRunner)? = nil
    ) throws {
        self.queues = queues
        database = try Database(
            path: path, configuration: configuration, isReader: isReader, isShadow: runner != nil, instruments)
        self.runner = runner
        allowsUnsafeTransactions = configuration.allowsUnsafeTransactions
        do {
            try run { db in
                if let runner { try db.connection.follow(runner) }
                try db.setUp(isReader: isReader)
            }
        } catch {
            database.connection.closeEventually()
            throw error
        }
        let pointer = UInt(bitPattern: database.connection.pointer)
        interruptible.withLock { $0 = pointer }
        suspension = configuration.suspensionSource.map(observe)
        if isReader, configuration.recordsStatements { recordStatements() }
    }

    private func recordStatements() {
        database.connection.hooks?.onStart { [record] sql in record.run(sql) }
    }

    private func observe(_ source: Configuration.SuspensionSource) -> any Sendable {
        source(
            { [weak self] in
                self?.database.connection.isSuspended.store(true, ordering: .relaxed)
                self?.interrupt()
            },
            { [weak self] in self?.database.connection.isSuspended.store(false, ordering: .relaxed) })
    }

    /// Whether the current thread has access.
    var isHeldByCurrentThread: Bool { database.connection.isAccessible }

    /// The thread that has access, or 0.
    var holdingThread: UInt { database.connection.ownerThread.load(ordering: .relaxed) }

    /// Runs the closure with access to the database.
    func run<T>(_ body: (Database) throws -> T) rethrows -> T {
        database.connection.ownerThread.store(currentThreadID, ordering: .relaxed)
        database.connection.releaseForgotten()
        if wasInterrupted.load(ordering: .relaxed) { endInterruption() }
        if database.connection.transaction.phase == .condemned { rollBackAgain() }
        defer {
            database.connection.accessNumber &+= 1
            database.connection.ownerThread.store(0, ordering: .relaxed)
        }
        return try body(database)
    }

    /// Rolls back the transaction of an earlier access whose rollback failed, for example for lack of memory.
    private func rollBackAgain() {
        database.connection.resetRunningStatements()
        // If it fails again, the statements of this access are rejected.
        try? database.rollback()
        database.connection.transaction.forget()
    }

    /// Ends the interruption. SQLite interrupts all statements while any statement is running. A statement left running
    /// by an earlier access must not cause this access to be interrupted.
    func endInterruption() {
        guard wasInterrupted.exchange(false, ordering: .relaxed) else { return }
        database.connection.resetRunningStatements()
    }

    /// Interrupts the running statements. <https://sqlite.org/c3ref/interrupt.html>
    func interrupt() {
        wasInterrupted.store(true, ordering: .relaxed)
        interruptible.withLock {
            guard let pointer = OpaquePointer(bitPattern: $0) else { return }
            // The shadow of a remote database repeats what has run remotely, so it must not be interrupted.
            if let runner { runner.interrupt() } else { LocalConnection.interrupt(pointer) }
        }
    }

    /// Stops the current access: interrupts its running statements and rejects subsequent ones.
    func cancel() {
        database.connection.isCancelled.store(true, ordering: .relaxed)
        // Under the lock, so that no shield begins in between.
        database.connection.isShielded.withLock { if !$0 { interrupt() } }
    }

    func endCancellation() {
        database.connection.isCancelled.store(false, ordering: .relaxed)
    }

    /// Runs an access that may be cancelled. Running statements check for cancellation several hundred times per
    /// millisecond: an interruption alone would be lost if it occurred just before a step.
    func watchingCancellation<T>(_ body: () throws -> T) rethrows -> T {
        let connection = database.connection
        return try connection.interrupting(when: { [unowned connection] in connection.mustStop }, body)
    }

    /// Checks that the connection can be closed.
    ///
    /// - Throws: SQLITE_BUSY if the program holds a statement.
    func checkClosing() throws { try run { try $0.checkClosing() } }

    func close() throws {
        try interruptible.withLock { pointer in
            try run { try $0.close() }
            pointer = 0
        }
    }

    /// Finishes an access and rolls back a transaction that it left open.
    ///
    /// - Returns: the error of a transaction that was left open, or nil.
    func endAccess() -> DatabaseError? {
        let connection = database.connection
        guard connection.holdsTransaction || connection.isInsideTransaction else {
            // The next access must not be affected by this access's transaction.
            if !allowsUnsafeTransactions { connection.transaction.forget() }
            return nil
        }
        // The flag rather than the state, because the program may use the C connection.
        let isLeftOpen = connection.isInsideTransaction
        let wasCondemned = connection.transaction.phase == .condemned
        if isLeftOpen, allowsUnsafeTransactions, connection.transaction.phase != .condemned { return nil }
        run { db in
            // A cursor held by the program would keep its snapshot of the database and make the rollback fail.
            connection.resetRunningStatements()
            // If the rollback fails, the transaction rejects all statements, and the next access retries.
            try? db.rollback()
            connection.transaction.forget()
            connection.restorePragmas()
        }
        // The access that could not roll back has already thrown its error.
        guard isLeftOpen, !wasCondemned else { return nil }
        return DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "an access left a transaction open, which was rolled back: end the transaction in the access")
    }
}
