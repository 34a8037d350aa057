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
    /// The listeners of SQLite's hooks; nil after `close`.
    @exclusivity(unchecked) package private(set) var hooks: ConnectionHooks?

    /// Whether lossy conversions are refused.
    @usableFromInline package let isStrict: Bool
    package let publicStatementArguments: Bool

    /// The statements that Rowan generates or runs from SQL text.
    @exclusivity(unchecked) package var statements = TextCache<Statement>(capacity: 256)
    /// The statements that the program asked for by `cachedStatement`.
    @exclusivity(unchecked) package var userStatements = TextCache<Statement>(capacity: 256)

    /// Where generated SQL is written: its memory serves all queries.
    package let text = SQLText()

    /// Above zero, statements that write are refused.
    @exclusivity(unchecked) package var readOnlyDepth = 0
    /// The pragmas that set back what a read has set, in the order to run them.
    package var pragmasToRestore: [String] = []

    /// Which schema statements, layouts, plans and answers are made for. It moves with each change of the schema that
    /// this connection makes, and when SQLite had to compile a statement again.
    @exclusivity(unchecked) @usableFromInline package var schemaEpoch = 0

    /// The versions of the schemas when they were last asked for, nil if they can't be told.
    private var schemaVersions: [Int64]?
    /// A number that moves when another connection commits. <https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>
    private var dataVersion: UInt32 = 0

    /// The transaction, as SQLite's autocommit flag tells.
    @exclusivity(unchecked) package var transaction = TransactionState()
    /// Called when a transaction has ended, with whether it was committed.
    package var transactionDidEnd: ((Bool) -> Void)?
    @exclusivity(unchecked) private var pendingEnding: TransactionState.Ending?

    /// The thread that has access; 0 for none.
    package let ownerThread = Atomic<UInt>(0)

    /// Moves at the end of each access, and when running statements are reset: a cursor does not go on after it.
    @exclusivity(unchecked) @usableFromInline package var accessNumber = 0
    /// The last numbers in a row that ended because the running statements were reset, and not with their access.
    private var resetAccesses = 0..<0

    /// What the program let go of outside of an access, when others may use the connection: it waits for the next.
    let forgotten = Mutex(Forgotten())

    /// Set from any thread: the current access must stop.
    package let isCancelled = Atomic<Bool>(false)

    /// Set from any thread: nothing may take a lock for writing.
    package let isSuspended = Atomic<Bool>(false)

    package init(path: String, isReadonly: Bool, isStrict: Bool, publicStatementArguments: Bool) throws {
        guard !path.utf8.contains(0) else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN,
                message: "the path of the database has a NUL character, where SQLite would end it - \(path)")
        }
        self.isStrict = isStrict
        self.publicStatementArguments = publicStatementArguments
        let access = isReadonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        // NOMUTEX: an access is alone with its connection, a lane sees to it.
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        var pointer: SQLiteConnection?
        let code = sqlite3_open_v2(path, &pointer, flags, nil)
        guard code == SQLITE_OK, let pointer else {
            let extended = pointer.map { sqlite3_extended_errcode($0) } ?? code
            let message = pointer.map { String(cString: sqlite3_errmsg($0)) }
            sqlite3_close_v2(pointer)
            throw DatabaseError(resultCode: ResultCode(rawValue: extended), message: message.map { "\($0) - \(path)" })
        }
        sqlite3_extended_result_codes(pointer, 1)
        do { hooks = try ConnectionHooks(pointer) } catch {
            sqlite3_close_v2(pointer)
            throw error
        }
        self.pointer = pointer
    }

    /// A connection that is closed from the beginning.
    package init(closed other: LocalConnection) {
        isStrict = other.isStrict
        publicStatementArguments = other.publicStatementArguments
    }

    deinit {
        closeEventually()
    }

    /// Finalizes the cached statements, and checks that no other is left.
    ///
    /// - Throws: SQLITE_BUSY if the program keeps a statement. The log of errors names all of them.
    package func checkClosing() throws {
        guard let pointer else { return }
        forgetCachedStatements()
        releaseForgotten()
        var kept: [String] = []
        var statement = sqlite3_next_stmt(pointer, nil)
        while let current = statement {
            kept.append(sqlite3_sql(current).map { String(cString: $0) } ?? "")
            statement = sqlite3_next_stmt(pointer, current)
        }
        guard let first = kept.first else { return }
        for sql in kept { rowan_log(SQLITE_BUSY, "unfinalized statement: \(sql)") }
        throw DatabaseError(
            resultCode: .SQLITE_BUSY,
            message: "the connection can't be closed: the program keeps \(kept.count) of its statements or cursors. "
                + "Let go of them, and close again",
            sql: first)
    }

    /// Finalizes the cached statements and closes the connection.
    ///
    /// - Throws: SQLITE_BUSY if a statement outside of the caches is not finalized; the connection stays open then.
    package func close() throws {
        guard let pointer else { return }
        try checkClosing()
        let code = sqlite3_close(pointer)
        guard code == SQLITE_OK else { throw error(code) }
        self.pointer = nil
        hooks = nil
        transactionDidEnd = nil
    }

    /// Closes the connection as soon as its last statement is finalized. It needs no access: there can be none.
    package func closeEventually() {
        guard let pointer else { return }
        // What follows must not call the Database, which may be gone before the last statement. The authorizer stays
        // installed, and its object with it: compiling is over, and SQLite calls it at no other time.
        hooks?.removeAll()
        transactionDidEnd = nil
        forgetCachedStatements()
        forgotten.withLock { ($0.isClosed, $0.isFinalizing) = (true, true) }
        releaseForgotten()
        sqlite3_close_v2(pointer)
        self.pointer = nil
        finalizeForgotten()
    }

    /// The C connection.
    ///
    /// - Throws: SQLITE_MISUSE if the connection is closed, or used outside of an access.
    package func openPointer() throws -> SQLiteConnection {
        guard let pointer else { throw DatabaseError.connectionIsClosed }
        guard isAccessible else { throw DatabaseError.outsideOfAccess }
        return pointer
    }

    package func openHooks() throws -> ConnectionHooks {
        guard let hooks else { throw DatabaseError.connectionIsClosed }
        return hooks
    }

    /// Whether the current thread has access.
    package var isAccessible: Bool {
        ownerThread.load(ordering: .relaxed) == currentThreadID
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

    /// Whether SQLite is calling the program in the middle of a step.
    var isInStep: Bool { hooks.map { $0.callDepth > 0 } ?? false }

    /// Resets the statements that are running: they keep a state of the database. Their cursors can't go on. In the
    /// middle of a step it does nothing: SQLite would go on with a statement that is reset.
    package func resetRunningStatements() {
        guard let pointer, !isInStep else { return }
        var statement = sqlite3_next_stmt(pointer, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { sqlite3_reset(current) }
            statement = sqlite3_next_stmt(pointer, current)
        }
        let first = resetAccesses.upperBound == accessNumber ? resetAccesses.lowerBound : accessNumber
        accessNumber &+= 1
        resetAccesses = first..<accessNumber
    }

    /// Whether the access that had a number goes on, and its statements were reset since.
    func hasOnlyReset(since number: Int) -> Bool {
        resetAccesses.contains(number) && resetAccesses.upperBound == accessNumber
    }

    /// Whether a running statement, or a transaction, holds a state of the database.
    package var holdsTransaction: Bool {
        pointer.map { sqlite3_txn_state($0, nil) != SQLITE_TXN_NONE } ?? false
    }

    package var isInsideTransaction: Bool {
        pointer.map { sqlite3_get_autocommit($0) == 0 } ?? false
    }
}

// MARK: - Transactions and the schema

extension LocalConnection {
    /// What is known of the schema may be wrong: whatever depends on it is made again when it is asked for.
    package func schemaDidMove() { schemaEpoch &+= 1 }

    /// This connection has changed a schema, or undone a change.
    private func ownSchemaDidMove() {
        schemaDidMove()
        noteSchemaVersions()
    }

    /// - Returns: whether the schemas have the same versions as before. What can't be told has changed.
    @discardableResult
    private func noteSchemaVersions() -> Bool {
        // A version that can't be told, after an error of the disk or in a cancelled access, is another one.
        let versions = try? openHooks().silently(currentSchemaVersions)
        defer { schemaVersions = versions }
        return versions != nil && versions == schemaVersions
    }

    /// Makes SQLite compare the schema that it knows with that of the file, as it does at the start of each statement.
    package func checkSchema() throws {
        try openHooks().silently {
            try cachedStatement("SELECT 1 FROM sqlite_master LIMIT 1").runToEnd()
        }
    }

    /// SQLite has compiled a statement again: has another connection changed a schema?
    func hasForeignSchemaChange() -> Bool { !noteSchemaVersions() }

    /// Drops what is known of the schema if another connection has committed a change of it.
    package func checkForeignCommits() {
        var version: UInt32 = 0
        guard sqlite3_file_control(pointer, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK,
            version != dataVersion
        else { return }
        dataVersion = version
        if hasForeignSchemaChange() { schemaDidMove() }
    }

    /// Whether the schema has moved: by this connection, or by a commit of another one.
    @usableFromInline
    package func hasMovedSchema(since epoch: Int) -> Bool {
        checkForeignCommits()
        return schemaEpoch != epoch
    }

    /// The versions of the main schema and of the attached ones. No other connection changes the temporary one.
    private func currentSchemaVersions() throws -> [Int64] {
        let connection = try openPointer()
        var versions: [Int64] = []
        var index: CInt = 0
        while let name = sqlite3_db_name(connection, index) {
            let schema = String(cString: name).quotedDatabaseIdentifier
            let statement = try cachedStatement("PRAGMA \(schema).schema_version")
            try statement.start()
            if try statement.firstStep() { versions.append(sqlite3_column_int64(statement.sqliteStatement, 0)) }
            statement.reset()
            index += 1
        }
        return versions
    }

    /// A statement has run that changes the transaction or the schema, or any statement has failed. The statement is
    /// not reset yet: callbacks wait for `notifyTransactionEnd`.
    func didRun(_ statement: Statement, succeeded: Bool) {
        if succeeded, statement.traits.contains(.changesSchema) { ownSchemaDidMove() }
        let operation = statement.transactionOperation
        let commits = succeeded && (operation == .commit || operation?.isRelease == true)
        let ending = transaction.update(
            isOpen: isInsideTransaction, commits: commits, isStatement: succeeded && operation != nil,
            epoch: schemaEpoch)
        if let ending { pendingEnding = ending }
        // What was rolled back may have changed the schema.
        let isRolledBack = ending.map { $0 != .committed } ?? (succeeded && operation?.isRollbackTo == true)
        if isRolledBack, transaction.hasMovedSchema(schemaEpoch) { ownSchemaDidMove() }
    }

    /// The transaction may have ended by other ways than a statement of ours.
    package func noteTransaction() {
        let ending = transaction.update(
            isOpen: isInsideTransaction, commits: false, isStatement: false, epoch: schemaEpoch)
        guard let ending else { return }
        if transaction.hasMovedSchema(schemaEpoch) { ownSchemaDidMove() }
        pendingEnding = ending
        notifyTransactionEnd()
    }

    /// Calls those who wait for the end of the transaction, once the statement that has ended it is reset.
    func notifyTransactionEnd() {
        guard let ending = pendingEnding else { return }
        pendingEnding = nil
        transactionDidEnd?(ending == .committed)
    }

    /// Checks all that must hold before a statement runs.
    func willRun(_ statement: Statement) throws {
        _ = try openPointer()
        let traits = statement.traits
        // A program may have begun or ended a transaction by the C connection.
        if traits.contains(.controlsTransaction), transaction.isOpen != isInsideTransaction { noteTransaction() }
        if isCancelled.load(ordering: .relaxed), !traits.contains(.controlsTransaction) { throw CancellationError() }
        if isSuspended.load(ordering: .relaxed) { try checkSuspension(statement) }
        if transaction.phase != .none, transaction.phase != .open,
            let refusal = transaction.refusal(of: statement.transactionOperation)
        {
            throw DatabaseError(resultCode: .SQLITE_ABORT, message: refusal, sql: statement.sql)
        }
        guard readOnlyDepth > 0 else { return }
        guard traits.contains(.isAllowedInReads) else {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database", sql: statement.sql)
        }
        if traits.contains(.setsPragma) { try keepPragma(of: statement) }
    }
}

extension StatementProfile.TransactionOperation {
    fileprivate var isRelease: Bool { if case .release = self { true } else { false } }
    fileprivate var isRollbackTo: Bool { if case .rollbackTo = self { true } else { false } }
}
