// A connection that a lane hands out. `@unchecked Sendable`: the database is only touched by the one that holds
// the connection, and the lock that sees to it is AccessLane.state; `interruptible` has its own lock.

import Foundation
import Synchronization

final class PooledConnection: @unchecked Sendable {
    let database: Database
    /// Where its asynchronous accesses run.
    let executor: ConnectionExecutor
    /// The C connection while it is open, for interruptions from other threads.
    private let interruptible = Mutex<UInt>(0)
    /// Whether the running statements were interrupted, in this access or in a previous one.
    private let wasInterrupted = Atomic<Bool>(false)
    private let allowsUnsafeTransactions: Bool
    private var suspensionObserver: SuspensionObserver?

    /// Opens and sets up a connection.
    init(
        path: String, configuration: Configuration, executor: ConnectionExecutor, isReader: Bool = false
    ) throws {
        self.executor = executor
        database = try Database(path: path, configuration: configuration, isReader: isReader)
        allowsUnsafeTransactions = configuration.allowsUnsafeTransactions
        do {
            try run { try $0.setUp(isReader: isReader) }
        } catch {
            database.connection.closeEventually()
            throw error
        }
        let pointer = UInt(bitPattern: database.connection.pointer)
        interruptible.withLock { $0 = pointer }
        if configuration.observesSuspensionNotifications { observeSuspension() }
    }

    private func observeSuspension() {
        suspensionObserver = SuspensionObserver { [weak self] in
            self?.database.connection.isSuspended.store(true, ordering: .relaxed)
            self?.interrupt()
        } resume: { [weak self] in
            self?.database.connection.isSuspended.store(false, ordering: .relaxed)
        }
    }

    /// Whether the current thread has access.
    var isHeldByCurrentThread: Bool { database.connection.isAccessible }

    /// The thread that has access, 0 for none.
    var holdingThread: UInt { database.connection.ownerThread.load(ordering: .relaxed) }

    /// Runs the closure with access to the database.
    func run<T>(_ body: (Database) throws -> T) rethrows -> T {
        database.connection.ownerThread.store(currentThreadID, ordering: .relaxed)
        database.connection.releaseForgotten()
        if wasInterrupted.load(ordering: .relaxed) { endInterruption() }
        defer {
            database.connection.accessNumber &+= 1
            database.connection.ownerThread.store(0, ordering: .relaxed)
        }
        return try body(database)
    }

    /// SQLite interrupts all statements as long as one runs. What a previous access has left running was interrupted
    /// there, and must not interrupt this one.
    private func endInterruption() {
        guard wasInterrupted.exchange(false, ordering: .relaxed) else { return }
        database.connection.resetRunningStatements()
    }

    /// Interrupts the running statements. <https://sqlite.org/c3ref/interrupt.html>
    func interrupt() {
        wasInterrupted.store(true, ordering: .relaxed)
        interruptible.withLock {
            if let pointer = OpaquePointer(bitPattern: $0) { LocalConnection.interrupt(pointer) }
        }
    }

    /// Makes the current access stop: its running statements are interrupted, and the next ones refused.
    func cancel() {
        database.connection.isCancelled.store(true, ordering: .relaxed)
        interrupt()
    }

    func endCancellation() {
        database.connection.isCancelled.store(false, ordering: .relaxed)
    }

    /// Runs an access that may be cancelled: its running statements ask whether it is, some hundred times in a
    /// millisecond. An interruption alone is lost when it comes just before a step.
    func watchingCancellation<T>(_ body: () throws -> T) throws -> T {
        let connection = database.connection
        guard let hooks = connection.hooks else { return try body() }
        let token = hooks.onProgress { [unowned connection] in !connection.isCancelled.load(ordering: .relaxed) }
        defer { hooks.remove(token) }
        return try body()
    }

    /// Checks that nothing prevents the closing.
    ///
    /// - Throws: SQLITE_BUSY if the program keeps a statement.
    func checkClosing() throws { try run { try $0.checkClosing() } }

    func close() throws {
        try interruptible.withLock { pointer in
            try run { try $0.close() }
            pointer = 0
        }
    }

    /// Ends an access: a transaction that was left open is rolled back.
    ///
    /// - Returns: the error of a transaction that was left open.
    func endAccess() -> DatabaseError? {
        let connection = database.connection
        guard connection.holdsTransaction || connection.isInsideTransaction else {
            // The next access has not begun the transaction that has ended.
            if !allowsUnsafeTransactions { connection.transaction.forget() }
            return nil
        }
        // The flag, and not the state: a program may use the C connection.
        let isLeftOpen = connection.isInsideTransaction
        if isLeftOpen, allowsUnsafeTransactions, connection.transaction.phase != .condemned { return nil }
        run { db in
            // A cursor that the program keeps would hold the state of the database, and make the rollback fail.
            connection.resetRunningStatements()
            // A rollback that fails leaves a transaction that refuses all: the next access tries again.
            try? db.rollback()
            connection.transaction.forget()
            connection.restorePragmas()
        }
        guard isLeftOpen else { return nil }
        return DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a transaction was left open at the end of a database access, and was rolled back")
    }
}
