// One connection of the C API: the only owner of the `sqlite3 *`. Whoever holds an access to it (see AccessLane)
// is alone with it: its state needs no lock, except what other threads may set, which is atomic.

import CSQLite
package import Synchronization
import Foundation

/// A connection of the C API, and what the statements need of it.
///
/// An access is alone with it: `@exclusivity(unchecked)` spares the checks of what each statement reads.
public final class LocalConnection {
    /// The C connection; nil after `close`.
    @exclusivity(unchecked) package private(set) var pointer: SQLiteConnection?

    /// Whether lossy conversions are refused.
    @usableFromInline package let isStrict: Bool
    package let publicStatementArguments: Bool

    /// The statements that the library generates, and those that users run from SQL text.
    @exclusivity(unchecked) package var statements = TextCache<Statement>(capacity: 256)

    /// Where generated SQL is written: its memory serves all queries.
    package let text = SQLText()

    /// Above zero, statements that write are refused.
    @exclusivity(unchecked) package var readOnlyDepth = 0

    /// Moves when SQLite had to prepare a statement again, and when a statement of ours changed the schema.
    @exclusivity(unchecked) @usableFromInline package var schemaGeneration = 0

    /// Called when a statement ends while transaction events are pending.
    package var transactionDidEnd: (() -> Void)?
    @exclusivity(unchecked) package var hasPendingTransactionEnd = false

    /// Moves when a transaction begins or ends, whoever begins or ends it.
    package var transactionNumber = 0

    /// Whether a transaction that we have begun is still to be closed.
    @exclusivity(unchecked) package var isInManagedTransaction = false
    /// Whether SQLite rolled that transaction back by itself: what follows in it is refused until it is closed.
    @exclusivity(unchecked) package var isTransactionAborted = false

    /// The thread that has access; 0 for none.
    package let ownerThread = Atomic<UInt>(0)

    /// Moves at the end of each access: a cursor does not go on in another one.
    @exclusivity(unchecked) @usableFromInline package var accessNumber = 0

    /// What the program let go of outside of an access, when others may use the connection: it waits for the next.
    private let forgotten = Mutex(Forgotten())

    /// Set from any thread: the current access must stop.
    package let isCancelled = Atomic<Bool>(false)

    /// Set from any thread: nothing may take a lock for writing.
    package let isSuspended = Atomic<Bool>(false)

    package init(path: String, flags: CInt, isStrict: Bool, publicStatementArguments: Bool) throws {
        self.isStrict = isStrict
        self.publicStatementArguments = publicStatementArguments
        var pointer: SQLiteConnection?
        let code = sqlite3_open_v2(path, &pointer, flags, nil)
        guard code == SQLITE_OK, let pointer else {
            let extended = pointer.map { sqlite3_extended_errcode($0) } ?? code
            let message = pointer.map { String(cString: sqlite3_errmsg($0)) }
            sqlite3_close_v2(pointer)
            throw DatabaseError(resultCode: ResultCode(rawValue: extended), message: message.map { "\($0) - \(path)" })
        }
        sqlite3_extended_result_codes(pointer, 1)
        self.pointer = pointer
    }

    deinit {
        closeEventually()
    }

    /// Finalizes the cached statements and closes the connection.
    ///
    /// - Throws: SQLITE_BUSY if a statement outside of the cache is not finalized; the connection stays open then.
    package func close() throws {
        guard let pointer else { return }
        statements.removeAll()
        releaseForgotten()
        let code = sqlite3_close(pointer)
        guard code == SQLITE_OK else {
            throw error(code)
        }
        self.pointer = nil
    }

    /// Closes the connection as soon as its last statement is finalized. It needs no access: there can be none.
    package func closeEventually() {
        guard let pointer else { return }
        // What follows must not call the Database, which may be gone before the last statement.
        sqlite3_trace_v2(pointer, 0, nil, nil)
        sqlite3_commit_hook(pointer, nil, nil)
        sqlite3_rollback_hook(pointer, nil, nil)
        sqlite3_busy_handler(pointer, nil, nil)
        transactionDidEnd = nil
        statements.removeAll()
        releaseForgotten()
        forgotten.withLock { forgotten in
            forgotten.isClosed = true
            sqlite3_close_v2(pointer)
        }
        self.pointer = nil
    }

    /// The C connection.
    ///
    /// - Throws: SQLITE_MISUSE if the connection is closed, or used outside of an access.
    package func openPointer() throws -> SQLiteConnection {
        guard let pointer else { throw DatabaseError.connectionIsClosed }
        guard isAccessible else { throw DatabaseError.outsideOfAccess }
        return pointer
    }

    /// Whether the current thread has access.
    package var isAccessible: Bool {
        ownerThread.load(ordering: .relaxed) == currentThreadID
    }

    /// Checks all that must hold before a statement runs.
    package func willRun(isReadonly: Bool, isTransactionControl: Bool, sql: String) throws {
        _ = try openPointer()
        if isCancelled.load(ordering: .relaxed), !isTransactionControl { throw CancellationError() }
        if isSuspended.load(ordering: .relaxed), !isReadonly {
            throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the database is suspended", sql: sql)
        }
        if !isTransactionControl { try check(aborted: sql) }
        if readOnlyDepth > 0, !isReadonly {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database", sql: sql)
        }
    }

    /// The error of the last C call.
    package func error(
        _ code: CInt, sql: String? = nil, arguments: StatementArguments? = nil
    ) -> DatabaseError {
        let last = pointer.map { sqlite3_extended_errcode($0) } ?? code
        // The message belongs to the code only if SQLite recorded that very error.
        let isRecorded = last & 0xFF == code & 0xFF
        let message = isRecorded ? pointer.map { String(cString: sqlite3_errmsg($0)) } : nil
        return DatabaseError(
            resultCode: ResultCode(rawValue: isRecorded ? last : code), message: message, sql: sql,
            arguments: arguments, publicStatementArguments: publicStatementArguments)
    }

    package func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Throws if SQLite rolled the transaction back by itself.
    package func check(aborted sql: String) throws {
        guard isTransactionAborted else { return }
        throw DatabaseError(
            resultCode: .SQLITE_ABORT, message: "the transaction was rolled back by SQLite", sql: sql)
    }

    /// Resets the statements that an access has left running: they keep its state of the database.
    package func resetRunningStatements() {
        guard let pointer else { return }
        var statement = sqlite3_next_stmt(pointer, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { sqlite3_reset(current) }
            statement = sqlite3_next_stmt(pointer, current)
        }
    }

    /// Whether a running statement, or a transaction, holds a state of the database.
    package var holdsTransaction: Bool {
        pointer.map { sqlite3_txn_state($0, nil) != SQLITE_TXN_NONE } ?? false
    }

    package var isInsideTransaction: Bool {
        pointer.map { sqlite3_get_autocommit($0) == 0 } ?? false
    }
}

// MARK: - Objects that programs let go of at any time, on any thread

extension LocalConnection {
    fileprivate struct Forgotten {
        /// Statements, as integers since pointers are not Sendable, to finalize.
        var statements: [UInt] = []
        /// Statements whose cursor is gone.
        var leases: [UInt] = []
        var isEmpty: Bool { statements.isEmpty && leases.isEmpty }
        /// Nobody has access any more.
        var isClosed = false
    }

    /// Finalizes a statement that nobody refers to any more, now if the thread has access, else at the next access.
    func finalize(_ statement: SQLiteStatement) {
        if isAccessible {
            sqlite3_finalize(statement)
            return
        }
        forgotten.withLock { forgotten in
            if forgotten.isClosed {
                // Under the lock: another thread may let go of another statement.
                sqlite3_finalize(statement)
            } else {
                forgotten.statements.append(UInt(bitPattern: statement))
            }
        }
    }

    /// Ends the execution of a statement whose cursor is gone, now if the thread has access, else at the next access.
    @usableFromInline
    package func endLease(of statement: Statement) {
        if isAccessible { return statement.endLease() }
        let object = UInt(bitPattern: Unmanaged.passRetained(statement).toOpaque())
        let isClosed = forgotten.withLock { forgotten in
            if !forgotten.isClosed { forgotten.leases.append(object) }
            return forgotten.isClosed
        }
        if isClosed { Self.takeLease(object) }
    }

    @discardableResult
    private static func takeLease(_ object: UInt) -> Statement {
        // The pointer was retained by endLease(of:).
        Unmanaged<Statement>.fromOpaque(UnsafeRawPointer(bitPattern: object)!).takeRetainedValue()
    }

    /// Frees what was let go of since the last access.
    package func releaseForgotten() {
        let taken = forgotten.withLock { forgotten in
            guard !forgotten.isEmpty else { return Forgotten() }
            defer { (forgotten.statements, forgotten.leases) = ([], []) }
            return forgotten
        }
        guard !taken.isEmpty else { return }
        for object in taken.leases { Self.takeLease(object).endLease() }
        for statement in taken.statements { sqlite3_finalize(SQLiteStatement(bitPattern: statement)) }
        // The last reference to a statement may have been its lease.
        releaseForgotten()
    }
}

/// The identity of the current thread.
package var currentThreadID: UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
}

extension DatabaseError {
    package static var connectionIsClosed: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "connection is closed")
    }

    @usableFromInline package static var outsideOfAccess: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a Database, its statements and its cursors can't be used outside of the access that gave them")
    }
}
