// Foreign keys, checked on demand. <https://sqlite.org/pragma.html#pragma_foreign_key_check>

extension Database {
    /// A cursor over the rows of the main database that violate a foreign key.
    ///
    /// - Throws: a ``DatabaseError`` if a foreign key refers to columns that are not a key of the other table.
    public func foreignKeyViolations() throws -> RecordCursor<ForeignKeyViolation> {
        try ForeignKeyViolation.fetchCursor(self, sql: "PRAGMA foreign_key_check")
    }

    /// A cursor over the rows of a table that violate a foreign key.
    ///
    /// - Throws: a ``DatabaseError``; SQLITE_ERROR if the table does not exist.
    public func foreignKeyViolations(
        in tableName: String, in schemaName: String? = nil
    ) throws -> RecordCursor<ForeignKeyViolation> {
        // For an unknown table, SQLite reports no violation.
        let table = try existingTable(tableName, in: schemaName)
        return try ForeignKeyViolation.fetchCursor(
            self,
            sql: "PRAGMA \(table.schemaID.name.quotedDatabaseIdentifier).foreign_key_check"
                + "(\(table.name.quotedDatabaseIdentifier))")
    }

    /// Checks that no row of the main database violates a foreign key.
    ///
    /// ```swift
    /// // SQLite error 19: FOREIGN KEY constraint violation - from book(authorId) to author(id),
    /// // in rowid 1
    /// try db.checkForeignKeys()
    /// ```
    ///
    /// - Throws: the error of the first violation: SQLITE_CONSTRAINT_FOREIGNKEY.
    /// - Complexity: one lookup for each row that has a foreign key.
    public func checkForeignKeys() throws {
        if let violation = try foreignKeyViolations().next() { throw violation.databaseError(self) }
    }

    /// The tables that the foreign keys of a table in the main schema refer to. They may not exist.
    package func parentTables(of tableName: String) throws -> [String] {
        let sql = "PRAGMA main.foreign_key_list(\(tableName.quotedDatabaseIdentifier))"
        return try Row.fetchAll(self, sql: sql).map { $0["table"] }
    }

    /// Checks that no row of a table violates a foreign key.
    ///
    /// - Throws: the error of the first violation: SQLITE_CONSTRAINT_FOREIGNKEY. SQLITE_ERROR if the table does not
    ///   exist.
    public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
        guard let violation = try foreignKeyViolations(in: tableName, in: schemaName).next() else { return }
        throw violation.databaseError(self, in: schemaName)
    }
}
