// One connection of the C API: the only owner of the `sqlite3 *`. An access (see AccessLane) uses it exclusively, so
// its state needs no lock. State that other threads may set is atomic.

import RowanSQLite
package import Synchronization

/// A connection of the C API, and the state shared by its statements.
///
/// An access uses it exclusively: `@exclusivity(unchecked)` avoids checks on state that every statement reads.
public final class LocalConnection {
    /// The C connection; nil after `close`.
    @exclusivity(unchecked) package private(set) var pointer: SQLiteConnection?
    /// The listeners of SQLite's hooks; nil after `close`.
    @exclusivity(unchecked) package private(set) var hooks: ConnectionHooks?

    /// Whether lossy conversions are rejected.
    @usableFromInline package let isStrict: Bool
    package let publicStatementArguments: Bool
    /// Whether an unused named argument is an error.
    package let isStrictAboutArguments: Bool

    /// The statements that Rowan generates or runs from SQL text: see StatementPool.
    @exclusivity(unchecked) package var pool = TextCache<PreparedSQL>(capacity: 256)
    /// The statements requested by the program with `cachedStatement`.
    @exclusivity(unchecked) package var userStatements = TextCache<Statement>(capacity: 256)

    /// The buffer of generated SQL: its memory is reused by all queries.
    package let text = SQLText()

    /// While positive, statements that write are rejected.
    @exclusivity(unchecked) package var readOnlyDepth = 0
    /// The pragmas that restore the states that a read has changed, in the order in which to run them.
    package var pragmasToRestore: [String] = []

    /// The version of the schema that statements, layouts, plans and cached results are based on. It increases whenever
    /// this connection changes the schema, and whenever SQLite has recompiled a statement.
    @exclusivity(unchecked) @usableFromInline package var schemaEpoch = 0

    /// The schema versions at the last check; nil if SQLite could not report them.
    var schemaVersions: [Int64]?
    /// A number that changes when another connection commits.
    /// <https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>
    var dataVersion: UInt32 = 0

    /// The transaction according to SQLite's autocommit flag.
    @exclusivity(unchecked) package var transaction = TransactionState()
    /// The effects of subsequently compiled statements, while they are being collected.
    var collectedProfile: StatementProfile?

    @exclusivity(unchecked) private var pendingEnding: TransactionState.Ending?

    /// Whether statements are reported: see StatementWatcher.
    @exclusivity(unchecked) var isWatched = false
    /// Whether Rowan is running its own queries, which are not reported.
    @exclusivity(unchecked) var isRunningOwnQueries = false
    @exclusivity(unchecked) var watcher: (any StatementWatcher)?
    @exclusivity(unchecked) var watchesStatements = false
    /// The error of one of Rowan's own queries during which SQLite rolled back the program's transaction.
    @exclusivity(unchecked) var lostTransaction: (any Error)?
    @exclusivity(unchecked) var readRecorder: (any ReadRecorder)?
    /// The traces of the program.
    @exclusivity(unchecked) var tracer: StatementTracer?
    /// The measurements of the access for instruments.
    @exclusivity(unchecked) var meter: StatementMeter?
    /// The functions and collections of the program, and whether untrusted SQL may use them. Only recorded if it is restricted.
    package internal(set) var functionSafety: [String: Bool] = [:]
    package internal(set) var moduleSafety: [String: Bool] = [:]
    package var hasLoadedExtensions = false
    /// The limits of statements, if the SQL of the connection is untrusted.
    let budget: StatementBudget?
    /// Where the rows are stored, if not in this database.
    @exclusivity(unchecked) var remote: RemoteConnection?
    @exclusivity(unchecked) package internal(set) var abilities = ConnectionAbilities.local
    /// Whether a step needs more than SQLite's own: it is reported, or runs on another machine.
    @exclusivity(unchecked) var isStepSpecial = false
    /// The guards of the databases that can have a log.
    var guards: [CheckpointGuard] = []
    var mainGuard: CheckpointGuard?
    var makeGuard: ((CheckpointGuard.File) -> CheckpointGuard?)?
    /// The last commit of the connection, according to `lastDataVersion`: nil during an access.
    package var ownDataVersion: UInt32?
    /// The error of a watcher that rejected a commit.
    package var commitRefusal: (any Error)?

    /// The thread that has access, or 0.
    package let ownerThread = Atomic<UInt>(0)

    /// Increases when an access finishes and when running statements are reset. Cursors can't continue afterwards.
    @exclusivity(unchecked) @usableFromInline package var accessNumber = 0
    /// The last consecutive access numbers that ended with a reset of running statements, rather than with the access.
    var resetAccesses = 0..<0

    /// The number of the scope whose statements may run; 0 outside scopes.
    @exclusivity(unchecked) var scopeNumber = 0
    /// The last epoch that has been used: a scope has epochs of its own.
    var lastEpoch = 0

    /// The virtual tables whose content is visible in other tables: see DatabaseRegion+ShownTables.
    package var shownTables: (tables: [StatementProfile.Table: StatementProfile.Table], epoch: Int)?

    /// The foreign keys, read after an error about one.
    var foreignKeyHints: (hints: [ForeignKeyHint], epoch: Int)?

    /// The result of a statement that listeners' statements have followed: see `keepingResult`.
    @exclusivity(unchecked) var keptResult: (rowID: Int64, changesCount: Int)?

    /// The definitions of functions, collations and tokenizers that SQLite has rejected.
    var refusedDefinitions: [RefusedDefinition] = []

    /// Objects that the program has released outside an access. They wait for the next access.
    let forgotten = Mutex(Forgotten())

    /// Whether the task of the current access is cancelled; set from any thread.
    package let isCancelled = Atomic<Bool>(false)

    /// Whether the connection is running work that belongs to no task: see `shielded`.
    package let isShielded = Mutex(false)

    /// The owner of the open transaction, if the program must not end it.
    package var transactionKeeper: TransactionKeeper?

    /// Whether statements must not take a write lock; set from any thread.
    package let isSuspended = Atomic<Bool>(false)

    package init(
        path: String, vfs: String?, isReadonly: Bool, isStrict: Bool, isStrictAboutArguments: Bool,
        publicStatementArguments: Bool, limits: SQLLimits? = nil
    ) throws {
        guard !path.utf8.contains(0) else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN,
                message: "the path of the database contains a NUL character: remove it - \(path)")
        }
        try vfs.map(Self.checkVFS)
        self.isStrict = isStrict
        self.isStrictAboutArguments = isStrictAboutArguments
        self.publicStatementArguments = publicStatementArguments
        let access = isReadonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        // NOMUTEX: the lane grants exclusive access to the connection.
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        var pointer: SQLiteConnection?
        // SQLite shares memory only between connections with the same file system.
        guard limits == nil || !path.contains("cache=shared") else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a connection with untrusted SQL can't share a database in memory: use a file - \(path)")
        }
        budget = limits.map(StatementBudget.init)
        let storage = try budget.map { try TemporaryStorage($0, vfs: vfs) }
        let code = sqlite3_open_v2(path, &pointer, flags, storage?.name ?? vfs)
        guard code == SQLITE_OK, let pointer else {
            let extended = pointer.map { sqlite3_extended_errcode($0) } ?? code
            let message = pointer.map { Self.openingMessage(String(cString: sqlite3_errmsg($0))) }
            let systemCode = pointer.map { sqlite3_system_errno($0) } ?? 0
            sqlite3_close_v2(pointer)
            throw DatabaseError(resultCode: ResultCode(rawValue: extended), message: message.map { "\($0) - \(path)" })
                .with(hint: Self.openingHint(path, isReadonly: isReadonly, systemCode: systemCode))
        }
        sqlite3_extended_result_codes(pointer, 1)
        do {
            hooks = try ConnectionHooks(pointer)
            try storage?.keepAlive(with: pointer)
        } catch {
            sqlite3_close_v2(pointer)
            throw error
        }
        self.pointer = pointer
    }

    /// Creates a connection that is already closed.
    package init(closed other: LocalConnection) {
        isStrict = other.isStrict
        isStrictAboutArguments = other.isStrictAboutArguments
        publicStatementArguments = other.publicStatementArguments
        budget = nil
    }

    deinit {
        closeEventually()
    }

    /// Finalizes the cached statements and checks that no other statement remains.
    ///
    /// - Throws: SQLITE_BUSY if the program still holds a statement. The error log lists all of them.
    package func checkClosing() throws {
        guard let pointer else { return }
        forgetCachedStatements()
        releaseForgotten()
        var kept = statements(of: pointer)
        if !kept.isEmpty, !kept.contains(where: { sqlite3_stmt_busy($0) != 0 }) {
            // Virtual tables keep their own statements until the schema is reset.
            let isWritable = isOn(.writableSchema)
            hooks?.silently { _ = runUnchecked("PRAGMA writable_schema = RESET") }
            restore(.writableSchema, isWritable)
            kept = statements(of: pointer)
        }
        let texts = kept.map {
            ProxyText($0, remote?.statements)?.sql ?? sqlite3_sql($0).map { String(cString: $0) } ?? ""
        }
        guard let first = texts.first else { return }
        for sql in texts { rowan_log(SQLITE_BUSY, "unfinalized statement: \(sql)") }
        throw DatabaseError(
            resultCode: .SQLITE_BUSY,
            message: "the connection can't be closed while the program holds "
                + (kept.count == 1
                    ? "a statement or a cursor: release it" : "\(kept.count) statements or cursors: release them")
                + " and close again",
            sql: first)
    }

    /// The statements that have not been finalized.
    private func statements(of pointer: SQLiteConnection) -> [SQLiteStatement] {
        var statements: [SQLiteStatement] = []
        while let next = sqlite3_next_stmt(pointer, statements.last) { statements.append(next) }
        return statements
    }

    /// Finalizes the cached statements and closes the connection.
    ///
    /// - Throws: SQLITE_BUSY if a statement outside the caches has not been finalized; the connection then stays open.
    package func close() throws {
        guard let pointer else { return }
        try checkClosing()
        budget?.end()
        let code = sqlite3_close(pointer)
        guard code == SQLITE_OK else { throw error(code) }
        self.pointer = nil
        hooks = nil
        (tracer, meter) = (nil, nil)
        watch(nil, statements: false)
        remote?.runner.close()
    }

    /// Closes the connection once its last statement is finalized. Requires no access, because none can follow.
    package func closeEventually() {
        guard let pointer else { return }
        // Callbacks must not reach the Database, which may be released before the last statement. The authorizer and
        // its object stay: SQLite calls them only during compilation, which can no longer happen.
        hooks?.removeAll()
        budget?.end()
        (watcher, watchesStatements, isWatched, tracer, meter) = (nil, false, false, nil, nil)
        remote?.runner.close()
        forgetCachedStatements()
        forgotten.withLock { ($0.isClosed, $0.isFinalizing) = (true, true) }
        releaseForgotten()
        sqlite3_close_v2(pointer)
        self.pointer = nil
        finalizeForgotten()
    }

    /// Whether the current access must stop.
    package var mustStop: Bool { isCancelled.load(ordering: .relaxed) && !isShielded.withLock { $0 } }

    /// Runs work that must continue if the task is cancelled: work that follows a transaction, which belongs to
    /// observers rather than to the writing task, and work that restores a state.
    package func shielded<T>(_ body: () throws -> T) rethrows -> T {
        let wasShielded = isShielded.withLock { isShielded in
            defer { isShielded = true }
            return isShielded
        }
        defer { isShielded.withLock { $0 = wasShielded } }
        return try body()
    }

    /// The C connection.
    ///
    /// - Throws: SQLITE_MISUSE if the connection is closed, or used outside an access.
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
        if let error = DatabaseError.unstorable(code, "an argument", sql: sql) { return error }
        let last = pointer.map { sqlite3_extended_errcode($0) } ?? code
        // The message belongs to this code only if SQLite recorded this exact error.
        let isRecorded = last & 0xFF == code & 0xFF
        let message = isRecorded ? pointer.map { String(cString: sqlite3_errmsg($0)) } : nil
        if let refusal = refusal(explaining: message) { return refusal.with(sql: sql) }
        if let refusal = hooks?.scope?.takeRefusal() ?? hooks?.restriction?.takeRefusal()
            ?? hooks?.moduleRestriction?.takeRefusal()
        {
            return DatabaseError(resultCode: .SQLITE_AUTH, message: refusal, sql: sql)
        }
        var error = DatabaseError(
            resultCode: ResultCode(rawValue: isRecorded ? last : code), message: message, sql: sql,
            arguments: arguments, publicStatementArguments: publicStatementArguments)
        switch error.resultCode {
        case .SQLITE_IOERR, .SQLITE_CANTOPEN:
            error.ownHint = pointer.flatMap { Self.systemHint(sqlite3_system_errno($0)) }
        default: break
        }
        return error
    }

    package func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Whether a running statement or a transaction holds a snapshot of the database.
    package var holdsTransaction: Bool {
        pointer.map { sqlite3_txn_state($0, nil) != SQLITE_TXN_NONE } ?? false
    }

    package var isInsideTransaction: Bool {
        pointer.map { sqlite3_get_autocommit($0) == 0 } ?? false
    }
}

// MARK: - Transactions

extension LocalConnection {
    /// Records that a statement that affects the transaction or the schema has run, or that any statement has failed.
    /// The statement is not reset yet, so callbacks wait for `notifyTransactionEnd`.
    func didRun(_ statement: Statement, succeeded: Bool) {
        if succeeded, statement.traits.contains(.changesSchema) {
            ownSchemaDidMove()
            // A database may have been attached.
            if makeGuard != nil { updateGuards() }
        }
        let operation = statement.transactionOperation
        let commits = succeeded && (operation == .commit || operation?.isRelease == true)
        if succeeded, let operation { transaction.didRun(operation) }
        let ending = transaction.update(
            isOpen: isInsideTransaction, commits: commits, isStatement: succeeded && operation != nil,
            epoch: schemaEpoch)
        if let ending { pendingEnding = ending }
        if let ending, isRunningOwnQueries, ending != .committed { lostTransaction = DatabaseError.abortedTransaction }
        // The rollback may have undone schema changes.
        let isRolledBack = ending.map { $0 != .committed } ?? (succeeded && operation?.isRollbackTo == true)
        if isRolledBack, transaction.hasMovedSchema(schemaEpoch) { ownSchemaDidMove() }
    }

    /// Records a transaction that may have ended without one of our statements.
    package func noteTransaction() {
        let ending = transaction.update(
            isOpen: isInsideTransaction, commits: false, isStatement: false, epoch: schemaEpoch)
        guard let ending else { return }
        if transaction.hasMovedSchema(schemaEpoch) { ownSchemaDidMove() }
        pendingEnding = ending
        notifyTransactionEnd()
    }

    /// Notifies the listeners that the transaction has ended, once the statement that ended it is reset.
    func notifyTransactionEnd() {
        guard let ending = pendingEnding else {
            if isWatched { watcher?.didReset() }
            return
        }
        pendingEnding = nil
        meter?.transactionDidEnd(committed: ending == .committed, walPageCount: walPageCount)
        watcher?.transactionDidEnd(committed: ending == .committed)
    }

    /// Checks all conditions for a statement to run.
    func willRun(_ statement: Statement) throws {
        _ = try openPointer()
        if statement.scopeNumber != scopeNumber { throw DatabaseError.outsideOfScope(statement.sql) }
        if scopeNumber != 0 { try hooks?.scope?.willRun(statement, isInsideTransaction: isInsideTransaction) }
        let traits = statement.traits
        // The program may have begun or ended a transaction through the C connection.
        if traits.contains(.controlsTransaction) {
            if transaction.isOpen != isInsideTransaction { noteTransaction() }
            if transactionKeeper != nil {
                try refuseEndOfKeptTransaction(statement.transactionOperation, statement.sql)
            }
        }
        if !traits.contains(.controlsTransaction), mustStop { throw CancellationError() }
        if isSuspended.load(ordering: .relaxed) { try checkSuspension(statement) }
        if transaction.phase != .none, transaction.phase != .open,
            let refusal = transaction.refusal(of: statement.transactionOperation)
        {
            throw DatabaseError(resultCode: .SQLITE_ABORT, message: refusal, sql: statement.sql)
        }
        if traits.contains(.changesSchema), isInStep { throw DatabaseError.schemaChangeInStep(sql: statement.sql) }
        if keptResult != nil, !statement.isReadonly { keptResult = nil }
        guard readOnlyDepth > 0 else { return }
        guard traits.contains(.isAllowedInReads) else {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database", sql: statement.sql
            ).with(hint: "this access only reads: use `write`")
        }
        if traits.contains(.setsPragma) { try keepPragma(of: statement) }
    }
}
