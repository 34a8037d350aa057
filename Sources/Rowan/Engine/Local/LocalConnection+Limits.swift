// Restrictions on statements in a read access or on a suspended connection, and how their effects are undone.

import RowanSQLite

extension LocalConnection {
    /// Runs a statement that no check may reject, because it restores a state after a failed or cancelled access.
    @discardableResult
    package func runUnchecked(_ sql: String) -> CInt {
        guard let pointer else { return SQLITE_MISUSE }
        return sqlite3_exec(pointer, sql, nil, nil, nil)
    }

    // MARK: Pragmas in reads

    /// Records how to restore the state that a pragma changes during a read.
    func keepPragma(of statement: Statement) throws {
        guard let pragma = statement.settingPragma else { return }
        pragmasToRestore.append(try settingBack(pragma))
    }

    /// The pragma that restores the current state. It is prepared before the other pragma is compiled, because many
    /// pragmas take effect during compilation.
    ///
    /// - Throws: SQLITE_READONLY for a state that SQLite does not report.
    func settingBack(_ pragma: StatementProfile.Pragma) throws -> String {
        let name = (pragma.schema.map { $0.quotedDatabaseIdentifier + "." } ?? "") + pragma.name
        guard let value = try openHooks().silently({ try firstValue("PRAGMA \(name)") }) else {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY,
                message: "PRAGMA \(pragma.name) sets a state that can't be restored at the end of the read: run it in "
                    + "Configuration.prepareDatabase, or in a write",
                sql: "PRAGMA \(pragma.name)")
        }
        // A zero timeout may also mean our own handler, which the pragma removes.
        if pragma.name == "busy_timeout", value == 0.databaseValue { return Self.ownBusyHandler }
        return "PRAGMA \(name) = \(value.sqlLiteral)"
    }

    /// Numbers that change with commits by other connections but not with this connection's own: for the main database
    /// and for each attached file. <https://sqlite.org/pragma.html#pragma_data_version>
    package func foreignDataVersions() throws -> [String: Int64] {
        try openHooks().silently {
            try unwatched {
                let schemas = remote == nil ? Array(try databaseFiles().keys) : ["main"]
                return try schemas.reduce(into: [:]) { versions, schema in
                    let value = try firstValue("PRAGMA \(schema.quotedDatabaseIdentifier).data_version")
                    if case .int64(let version) = value?.storage { versions[schema] = version }
                    // The numbers of two leaders, or of two connections to one leader, are unrelated.
                    if let remote { versions["session"] = Int64(remote.runner.sessionNumber) }
                }
            }
        }
    }

    /// The files of the main database and of attached databases, by schema. Other connections can't see the temporary
    /// database.
    package func databaseFiles() throws -> [String: String] {
        let pointer = try openPointer()
        return try schemaNames().enumerated().reduce(into: [:]) { files, schema in
            guard schema.offset != 1, let path = sqlite3_db_filename(pointer, schema.element), path.pointee != 0 else {
                return
            }
            files[schema.element] = String(cString: path)
        }
    }

    /// The names of the schemas: main, temp, and those of attached databases.
    package func schemaNames() throws -> [String] {
        let pointer = try openPointer()
        var names: [String] = []
        while let name = sqlite3_db_name(pointer, CInt(names.count)) { names.append(String(cString: name)) }
        return names
    }

    /// The first value of a query, or nil if it returns no rows.
    package func firstValue(_ sql: String) throws -> DatabaseValue? {
        let query = try prepare(sql)
        defer { query.reset() }
        try query.start()
        return try query.firstStep() ? DatabaseValue(sqliteStatement: query.handle, index: 0) : nil
    }

    /// Marks that the busy handler must be reinstalled.
    private static let ownBusyHandler = "busy handler"

    private func restore(_ sql: String) {
        // The access already has its result or its error, and a state that could be set can be set again.
        try? insisting { try check(runUnchecked(sql)) }
    }

    /// Restores the pragma values that a read has changed. Called when the read finishes.
    package func restorePragmas() {
        guard !pragmasToRestore.isEmpty else { return }
        hooks?.silently {
            for sql in pragmasToRestore.reversed() {
                if sql == Self.ownBusyHandler { hooks?.reinstallBusy() } else { restore(sql) }
            }
        }
        pragmasToRestore = []
        // Some pragmas change the effect of statements.
        schemaDidMove()
    }

    // MARK: Snapshots

    /// - Throws: SQLITE_MISUSE if a statement ends a transaction that it doesn't own.
    package func refuseEndOfKeptTransaction(
        _ operation: StatementProfile.TransactionOperation?, _ sql: String? = nil
    ) throws {
        guard let message = transactionKeeper?.refusal(of: operation) else { return }
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: message, sql: sql)
    }

    // MARK: Interruption

    /// Runs the closure and interrupts its running statements once a condition holds. The condition is checked several
    /// hundred times per millisecond, on the thread of the access.
    package func interrupting<T>(when isInterrupted: @escaping () -> Bool, _ body: () throws -> T) rethrows -> T {
        // The shadow of a remote database must not fail to commit a change already committed remotely: see `interrupt`.
        guard let hooks, remote == nil else { return try body() }
        let token = hooks.onProgress { !isInterrupted() }
        defer { hooks.remove(token) }
        return try body()
    }

    // MARK: Shared caches

    /// Another connection of the same shared cache holds a lock. <https://sqlite.org/sharedcache.html>
    @usableFromInline static var lockedSharedCache: CInt { ResultCode.SQLITE_LOCKED_SHAREDCACHE.rawValue }

    /// The first step of an execution, which waits for the locks of a shared cache.
    @inline(__always)
    func stepWaiting(_ handle: SQLiteStatement) -> CInt {
        let code = sqlite3_step(handle)
        guard code == Self.lockedSharedCache else { return code }
        return waitingForSharedCache(code) {
            sqlite3_reset(handle)
            return sqlite3_step(handle)
        }
    }

    /// Calls the closure again while a shared cache is locked and the handler waits, because SQLite doesn't call it.
    ///
    /// - Parameter code: the result of the first call.
    /// - Returns: the result of the last call.
    func waitingForSharedCache(_ code: CInt, _ again: () throws -> CInt) rethrows -> CInt {
        var (code, pauseCount) = (code, 0)
        while code == Self.lockedSharedCache, hooks?.waitsForLock(after: pauseCount) == true {
            pauseCount += 1
            code = try again()
        }
        return code
    }

    // MARK: Suspension

    /// Rejects any statement that would lock the file while the connection is suspended, and releases the locks that
    /// the connection holds.
    ///
    /// - Throws: SQLITE_ABORT.
    func checkSuspension(_ statement: Statement) throws {
        switch statement.transactionOperation {
        case .commit, .rollback, .release, .rollbackTo: return
        case .begin, .savepoint, nil: break
        }
        // In WAL mode, a read takes no lock that blocks another process.
        if statement.isReadonly, isInWAL { return }
        // A statement that is calling a function can't be reset. It is interrupted, and the next one is checked here.
        if holdsTransaction, !isInStep {
            resetRunningStatements()
            runUnchecked("ROLLBACK")
            noteTransaction()
        }
        throw DatabaseError.suspended(sql: statement.sql)
    }
}

extension DatabaseError {
    /// The error of an access to a suspended database. Programs rely on its documented message.
    static func suspended(sql: String? = nil) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_ABORT, message: suspensionMessage, sql: sql)
    }

    private static let suspensionMessage = "Database is suspended"

    /// Whether the database was suspended.
    package var isSuspension: Bool { resultCode == .SQLITE_ABORT && message == Self.suspensionMessage }

    /// The error for a schema change made by a function: SQLite would continue the calling statement with tables that
    /// no longer exist, and crashes if a hook is installed.
    static func schemaChangeInStep(sql: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the schema can't change while SQLite calls a function, a collation, a tokenizer or a trace of "
                + "the program: change it before or after the statement",
            sql: sql)
    }
}

/// The owner of a transaction that the program must not end.
package enum TransactionKeeper {
    /// A snapshot: another transaction would see a later state.
    case snapshot
    /// A migration, which is recorded in the transaction it runs in.
    case migration(String)
    /// Changes that are being applied: all or none of them.
    case changes

    fileprivate func refusal(of operation: StatementProfile.TransactionOperation?) -> String? {
        switch (self, operation) {
        case (.changes, nil): nil
        case (.changes, _):
            "the closure that resolves a conflict begins or ends a transaction or a savepoint: return a resolution instead"
        case (_, .savepoint), (_, .release), (_, .rollbackTo), (_, nil), (.snapshot, .begin): nil
        case (.snapshot, .commit), (.snapshot, .rollback):
            "a snapshot has one transaction, which ends when the snapshot is closed: make another snapshot to see a "
                + "later state"
        case (.migration(let identifier), .begin), (.migration(let identifier), .commit),
            (.migration(let identifier), .rollback):
            "the migration \"\(identifier)\" begins or ends a transaction: remove this statement, because each migration "
                + "already runs in a transaction"
        }
    }
}
