// What a statement may not do in a read, or while the connection is suspended, and what is set right afterwards.

import CSQLite

extension LocalConnection {
    /// Runs a statement that nobody may refuse: it sets a state right, at the end of an access that has failed or was
    /// cancelled.
    @discardableResult
    package func runUnchecked(_ sql: String) -> CInt {
        guard let pointer else { return SQLITE_MISUSE }
        return sqlite3_exec(pointer, sql, nil, nil, nil)
    }

    // MARK: Pragmas in reads

    /// Notes how to set back a state that a pragma in a read sets.
    func keepPragma(of statement: Statement) throws {
        guard let pragma = statement.settingPragma else { return }
        pragmasToRestore.append(try settingBack(pragma))
    }

    /// The pragma that sets the current state. It is made before the other pragma is compiled: many act then.
    ///
    /// - Throws: SQLITE_READONLY for a state that SQLite doesn't tell.
    func settingBack(_ pragma: StatementProfile.Pragma) throws -> String {
        let name = (pragma.schema.map { $0.quotedDatabaseIdentifier + "." } ?? "") + pragma.name
        guard let value = try openHooks().silently({ try firstValue("PRAGMA \(name)") }) else {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY,
                message: "PRAGMA \(pragma.name) sets a state that can't be set back at the end of the read: run it in "
                    + "Configuration.prepareDatabase, or in a write",
                sql: "PRAGMA \(pragma.name)")
        }
        // A timeout of zero stands for our own handler too, which the pragma takes away.
        if pragma.name == "busy_timeout", value == 0.databaseValue { return Self.ownBusyHandler }
        return "PRAGMA \(name) = \(value.sqlLiteral)"
    }

    /// The first value of a query, nil without row.
    private func firstValue(_ sql: String) throws -> DatabaseValue? {
        let query = try prepare(sql)
        try query.lease()
        defer { query.end(.lease) }
        try query.start()
        return try query.firstStep() ? DatabaseValue(sqliteStatement: query.sqliteStatement, index: 0) : nil
    }

    /// Stands for a pragma that would set the busy handler back.
    private static let ownBusyHandler = "busy handler"

    /// The read is over: the pragmas that it has set get their previous values.
    package func restorePragmas() {
        guard !pragmasToRestore.isEmpty else { return }
        hooks?.silently {
            for sql in pragmasToRestore.reversed() {
                if sql == Self.ownBusyHandler { hooks?.reinstallBusy() } else { runUnchecked(sql) }
            }
        }
        pragmasToRestore = []
    }

    // MARK: Suspension

    /// Refuses what would take a lock on the file, while the connection is suspended. What it has locked is let go of.
    ///
    /// - Throws: SQLITE_ABORT.
    func checkSuspension(_ statement: Statement) throws {
        switch statement.transactionOperation {
        case .commit, .rollback, .release, .rollbackTo: return
        case .begin, .savepoint, nil: break
        }
        // In WAL mode, a read takes no lock that another process waits for.
        if statement.isReadonly, isWAL { return }
        // The statement that calls a function can't be reset: it is interrupted, and the next one gets here.
        if holdsTransaction, !isInStep {
            resetRunningStatements()
            runUnchecked("ROLLBACK")
            noteTransaction()
        }
        throw DatabaseError(
            resultCode: .SQLITE_ABORT, message: "the database is suspended: try again after it has resumed",
            sql: statement.sql)
    }

    /// Whether the main database is in WAL mode.
    private var isWAL: Bool {
        var statement: SQLiteStatement?
        guard sqlite3_prepare_v2(pointer, "PRAGMA main.journal_mode", -1, &statement, nil) == SQLITE_OK else {
            return false
        }
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW, let mode = sqlite3_column_text(statement, 0) else { return false }
        return String(cString: mode) == "wal"
    }
}
