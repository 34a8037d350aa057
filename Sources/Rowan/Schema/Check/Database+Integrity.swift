// The integrity of the file, and of its indexes.

extension Database {
    /// The problems of the database file: corrupt pages, missing or superfluous entries of indexes, values that violate
    /// `NOT NULL`, `CHECK` or `UNIQUE`. An intact database has none.
    ///
    /// ```swift
    /// let problems = try db.integrityCheck()   // ["row 1 missing from index player_on_name"]
    /// ```
    ///
    /// - Parameters:
    ///   - table: the table to check; by default, all tables.
    ///   - schemaName: the schema to check; by default, all schemas.
    ///   - limit: the maximum number of problems. For a single table, SQLite reports 100 at most.
    /// - Throws: a ``DatabaseError``. SQLITE_MISUSE if the limit is not positive.
    /// - Complexity: reads the whole file, and sorts each index.
    ///
    /// Source: <https://sqlite.org/pragma.html#pragma_integrity_check>
    public func integrityCheck(
        of table: String? = nil, in schemaName: String? = nil, limit: Int = 100
    ) throws -> [String] {
        try problems("integrity_check", table, schemaName, limit)
    }

    /// The same as ``integrityCheck(of:in:limit:)``, in less time: the content of indexes is not compared with the rows.
    ///
    /// Source: <https://sqlite.org/pragma.html#pragma_quick_check>
    public func quickCheck(of table: String? = nil, in schemaName: String? = nil, limit: Int = 100) throws -> [String] {
        try problems("quick_check", table, schemaName, limit)
    }

    private func problems(
        _ pragma: String, _ tableName: String?, _ schemaName: String?, _ limit: Int
    ) throws -> [String] {
        guard limit > 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "a check for \(limit) problems finds none: ask for one or more")
        }
        var schema = schemaName
        var argument = "\(limit)"
        if let tableName {
            let table = try existingTable(tableName, in: schemaName)
            schema = table.schemaID.name
            argument = table.name.quotedDatabaseIdentifier
        }
        let prefix = schema.map { "\($0.quotedDatabaseIdentifier)." } ?? ""
        let rows = try String.fetchAll(self, sql: "PRAGMA \(prefix)\(pragma)(\(argument))")
        return rows == ["ok"] ? [] : Array(rows.prefix(limit))
    }

    /// Rebuilds all indexes. <https://sqlite.org/lang_reindex.html>
    public func reindex() throws { try execute(sql: "REINDEX") }

    /// Rebuilds the indexes that use a collation, after its definition has changed.
    ///
    /// ```swift
    /// // REINDEX "swiftLocalizedCompare"
    /// try db.reindex(collation: .localizedCompare)
    /// ```
    ///
    /// - Throws: SQLITE_ERROR if the connection has no collation with this name.
    public func reindex(collation: Database.CollationName) throws {
        // REINDEX only finds the collations that SQLite has requested. Compiling a use of the collation requests it.
        _ = try makeStatement(literal: "SELECT '' COLLATE \(collation) < ''")
        try execute(sql: "REINDEX \(collation.rawValue.quotedDatabaseIdentifier)")
    }

    /// Rebuilds the indexes that use a collation, after its definition has changed.
    public func reindex(collation: DatabaseCollation) throws {
        try reindex(collation: Database.CollationName(rawValue: collation.name))
    }

    /// Rebuilds the indexes of a table.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist.
    public func reindex(table tableName: String, in schemaName: String? = nil) throws {
        let table = try existingTable(tableName, in: schemaName)
        try reindex(table.name, in: table.schemaID)
    }

    /// Rebuilds an index.
    ///
    /// - Throws: SQLITE_ERROR if the index does not exist.
    public func reindex(index name: String, in schemaName: String? = nil) throws {
        guard let index = try schemaObjects(in: schemaName).first(where: { $0.isIndex(named: name) }) else {
            throw DatabaseError(message: "no such index: \(schemaName.map { "\($0)." } ?? "")\(name)")
        }
        try reindex(index.id.name, in: index.id.schemaID)
    }

    /// A qualified name is never taken for a collation.
    private func reindex(_ name: String, in schema: DatabaseSchemaID) throws {
        try execute(
            sql: "REINDEX \(schema.name.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)")
    }
}
