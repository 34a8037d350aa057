// Advice on errors. The description has the documented form, without hints.

extension DatabaseError {
    /// A suggestion for fixing the error, or its subject, if Rowan has more information than SQLite's message.
    ///
    /// ```swift
    /// do {
    ///     try Player.fetchAll(db, sql: "SELECT * FROM plaver")
    /// } catch let error as DatabaseError {
    ///     error.message   // no such table: plaver
    ///     error.hint      // did you mean "player"?
    /// }
    /// ```
    ///
    /// A hint contains names from the schema, migrations and files, but no values. It is part of `debugDescription` and
    /// is the `recoverySuggestion` of the bridged `NSError`.
    ///
    /// Article: <doc:HandlingErrors>.
    public var hint: String? {
        let advice = ownHint ?? uniquenessHint ?? Self.advice(for: extendedResultCode)
        guard let migration else { return advice }
        return "migration \"\(migration)\" failed" + (advice.map { ": \($0)" } ?? "")
    }

    /// The same error with a hint. The first hint is the most precise one.
    func with(hint: @autoclosure () -> String?) -> DatabaseError {
        guard ownHint == nil else { return self }
        var error = self
        error.ownHint = hint()
        return error
    }

    /// The same error, attributed to a migration.
    func inMigration(_ identifier: String) -> DatabaseError {
        var error = self
        error.migration = identifier
        return error
    }

    /// Derived from the message, because a program may insert thousands of existing rows and ignore the errors.
    private var uniquenessHint: String? {
        guard let constraint, [.unique, .primaryKey].contains(constraint.kind), let table = constraint.table else {
            return nil
        }
        let columns = constraint.columns.map { "\"\($0)\"" }.joined(separator: ", ")
        return "table \"\(table)\" already has a row with the same \(columns): update that row, or choose what happens "
            + "with `onConflict` or `upsert`"
    }

    private static func advice(for code: ResultCode) -> String? {
        switch code {
        case .SQLITE_BUSY_SNAPSHOT:
            "another connection has committed since this transaction began to read: begin transactions that write "
                + "with BEGIN IMMEDIATE"
        case .SQLITE_LOCKED_SHAREDCACHE,
            _ where code.primaryResultCode == .SQLITE_BUSY:
            "another connection holds the lock: wait for it with `Configuration.busyMode`, and keep transactions short"
        case .SQLITE_LOCKED:
            "a statement of this connection is still reading the table: finish its cursor first"
        case .SQLITE_READONLY_ROLLBACK, .SQLITE_READONLY_RECOVERY:
            "a program that stopped has left the file in the middle of a transaction: open it once with a connection "
                + "that can write"
        case .SQLITE_READONLY_DBMOVED:
            "the file was moved or deleted while it was open: close the database and open it again"
        case .SQLITE_READONLY_DIRECTORY, .SQLITE_READONLY_CANTINIT, .SQLITE_READONLY_CANTLOCK:
            "the folder of the file can't be written: SQLite creates files in it"
        case .SQLITE_READONLY:
            "the configuration is `readonly`, or the file can't be written"
        case .SQLITE_NOTADB:
            "the file is not a database, or it is encrypted: check the path, or pass its passphrase in "
                + "`Configuration.prepareDatabase`"
        case .SQLITE_FULL: "the disk is full, or the database has reached `PRAGMA max_page_count`"
        default: nil
        }
    }
}

extension DatabaseError: CustomDebugStringConvertible {
    /// The description and the hint. Swift prints it for an uncaught error.
    public var debugDescription: String { hint.map { "\(description): \($0)" } ?? description }

    /// The `hint`, for `NSError`.
    public var recoverySuggestion: String? { hint }
}
