// The integrity of the file and of its indexes.

extension Database {
    /// The problems of the database file: corrupt pages, missing or superfluous index entries, values that violate
    /// `NOT NULL`, `CHECK` or `UNIQUE`. An intact database has none.
    ///
    /// ```swift
    /// let problems = try db.integrityCheck()   // ["row 1 missing from index player_on_name"]
    /// ```
    ///
    /// - Parameters:
    ///   - table: the table to check; by default, all tables.
    ///   - schemaName: the schema to check; by default, all schemas.
    ///   - limit: the maximum number of problems. For a single table, SQLite reports at most 100.
    /// - Throws: a ``DatabaseError``. SQLITE_MISUSE if the limit is not positive.
    /// - Complexity: reads the whole file and sorts each index.
    ///
    /// Source: <https://sqlite.org/pragma.html#pragma_integrity_check>
    public func integrityCheck(
        of table: String? = nil, in schemaName: String? = nil, limit: Int = 100
    ) throws -> [String] {
        try problems("integrity_check", table, schemaName, limit)
    }

    /// The problems of the database file, as in ``integrityCheck(of:in:limit:)`` but in less time: the content of
    /// indexes is not compared with the rows.
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
        var rows = try String.fetchAll(self, sql: "PRAGMA \(prefix)\(pragma)(\(argument))")
        if rows == ["ok"] { rows = [] }
        // SQLite 3.44 and newer report that they can't check such a table, but not why. A damaged file may not have a
        // readable schema.
        if tableName == nil, rows.allSatisfy({ $0.hasPrefix("unable to validate the inverted index") }) {
            let lost = try fullTextTablesWithoutContent(in: schemaName)
            rows.removeAll { row in lost.contains { row.contains(" table \($0.schema).\($0.table): ") } }
            rows += lost.map(\.problem)
        }
        return Array(rows.prefix(limit))
    }

    /// The full-text tables whose content table is missing: a renamed table keeps its triggers, but not its full-text
    /// tables.
    private func fullTextTablesWithoutContent(
        in schemaName: String?
    ) throws -> [(schema: String, table: String, problem: String)] {
        try schemaIDs(schemaName).flatMap { schema in
            let definitions = try String.fetchAll(
                self,
                sql: """
                    SELECT sql FROM \(schema.name.quotedDatabaseIdentifier).\(schema.schemaTableName)
                    WHERE type = 'table' AND rootpage = 0 AND sql IS NOT NULL
                    """)
            return try definitions.compactMap { definition -> (schema: String, table: String, problem: String)? in
                guard let (table, content) = SQLTokens(definition).externalContent,
                    try object(content, in: schema.name) == nil
                else { return nil }
                let problem =
                    "full-text table \"\(table)\" searches the texts of \"\(content)\", which doesn't exist: create the "
                    + "full-text table again"
                return (schema.name, table, problem)
            }
        }
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
        // REINDEX finds only the collations that SQLite has requested. Compiling a use of the collation requests it.
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

    /// A qualified name is never mistaken for a collation.
    private func reindex(_ name: String, in schema: DatabaseSchemaID) throws {
        try execute(
            sql: "REINDEX \(schema.name.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)")
    }
}

extension SQLTokens {
    /// The names in `CREATE VIRTUAL TABLE table USING fts5(..., content=content)`; nil for other tables.
    fileprivate var externalContent: (table: String, content: String)? {
        guard let using = tokens.firstIndex(of: .word("using")), using > 0, using + 1 < tokens.count,
            [.word("fts4"), .word("fts5")].contains(tokens[using + 1]), let table = tokens[using - 1].name
        else { return nil }
        for index in tokens.indices.dropLast(2).dropFirst(using)
        where tokens[index] == .word("content") && tokens[index + 1] == .symbol("=") {
            guard let content = tokens[index + 2].name, !content.isEmpty else { continue }
            return (table, content)
        }
        return nil
    }
}
