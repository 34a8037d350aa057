// Tables that show the content of a virtual table: its shadow tables, and the vocabulary of a full-text table.
// Statements write only the virtual table, so a statement that reads such a table reads the virtual table. Sources:
// https://sqlite.org/vtab.html#xshadowname, https://sqlite.org/fts5.html#the_fts5vocab_virtual_table_module

extension LocalConnection {
    /// The region, with the virtual tables whose content its tables show.
    package func withShownTables(_ region: DatabaseRegion) -> DatabaseRegion {
        guard let tables = region.tables else { return region }
        var result = region
        for key in tables.keys {
            guard let shown = table(shownBy: StatementProfile.Table(schema: key.schema, name: key.name)) else {
                continue
            }
            result.formUnion(DatabaseRegion(shown))
        }
        return result
    }

    /// - Parameter table: a table, with names in lower case.
    private func table(shownBy table: StatementProfile.Table) -> StatementProfile.Table? {
        if let shownTables, shownTables.epoch == schemaEpoch { return shownTables.tables[table] }
        // After an error, such as a cancellation, the statement that reads the table also fails.
        let epoch = schemaEpoch
        guard let tables = try? withoutScope({ try unwatched(readShownTables) }) else { return nil }
        shownTables = (tables, epoch)
        return tables[table]
    }

    private func readShownTables() throws -> [StatementProfile.Table: StatementProfile.Table] {
        var shown: [StatementProfile.Table: StatementProfile.Table] = [:]
        let rows = try Row.rows(self, "PRAGMA table_list")
        let virtual = rows.filter { $0["type"] == "virtual" }.map(StatementProfile.Table.init(listed:))
        for row in rows where row["type"] == "shadow" {
            let table = StatementProfile.Table(listed: row)
            // SQLite uses this name to find the virtual table of a shadow table.
            guard let end = table.name.lastIndex(of: "_") else { continue }
            let owner = StatementProfile.Table(schema: table.schema, name: String(table.name[..<end]))
            shown[table.folded] = virtual.first { $0.folded == owner.folded }
        }
        for table in virtual {
            let schema = DatabaseSchemaID(name: table.schema)
            let sql = """
                SELECT sql FROM \(table.schema.quotedDatabaseIdentifier).\(schema.schemaTableName) \
                WHERE type = 'table' AND name = ?
                """
            guard let definition = try Row.rows(self, sql, [table.name]).first?[0] as String?,
                let index = SQLTokens(definition).vocabularyIndex
            else { continue }
            let owner = StatementProfile.Table(schema: index.schema ?? table.schema, name: index.name)
            shown[table.folded] = virtual.first { $0.folded == owner.folded } ?? owner
        }
        return shown
    }
}

extension StatementProfile.Table {
    /// A row of `PRAGMA table_list`.
    fileprivate init(listed row: Row) { self.init(schema: row["schema"], name: row["name"]) }

    /// The table with names in lower case.
    fileprivate var folded: StatementProfile.Table {
        StatementProfile.Table(schema: schema.foldedDatabaseName, name: name.foldedDatabaseName)
    }
}

extension SQLTokens {
    /// The full-text table of `CREATE VIRTUAL TABLE ... USING fts5vocab(schema, table, type)`, or of
    /// `fts4aux(schema, table)`. The schema is optional.
    fileprivate var vocabularyIndex: (schema: String?, name: String)? {
        guard let using = tokens.firstIndex(of: .word("using")), using + 2 < tokens.count,
            tokens[using + 2] == .symbol("(")
        else { return nil }
        var arguments = tokens[(using + 3)...].split(separator: .symbol(",")).compactMap(\.first?.name)
        switch tokens[using + 1] {
        case .word("fts5vocab"): if !arguments.isEmpty { arguments.removeLast() }
        case .word("fts4aux"): break
        default: return nil
        }
        guard let name = arguments.last, arguments.count <= 2 else { return nil }
        return (arguments.count == 2 ? arguments[0] : nil, name)
    }
}

extension SQLTokens.Token {
    /// The name represented by the token, with or without quotes.
    var name: String? {
        switch self {
        case .word(let name): name
        case .text(let text): String(text.dropFirst().dropLast())
        case .symbol: nil
        }
    }
}
