// Changes to a table that ALTER TABLE does not support, or not in each version: a new table is created and replaces the
// old one. The steps are those of <https://sqlite.org/lang_altertable.html#otheralter>.

extension Database {
    /// Creates a table again with another definition. Keeps its rows, indexes, triggers, views, and the foreign keys
    /// that refer to it. Triggers that use a removed column fail when they run.
    ///
    /// ```swift
    /// // "score" becomes an integer that is not NULL.
    /// try db.rebuild(table: "player", copying: ["score": "CAST(IFNULL(score, 0) AS INTEGER)"]) { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.column("name", .text).notNull()
    ///     t.column("score", .integer).notNull()
    /// }
    /// ```
    ///
    /// Columns keep their values by name. Indexes and triggers keep their definitions; an index that the new definition
    /// creates replaces one with the same name. Rows keep their rowids, even if the column of the rowid is new or has
    /// another name, unless `values` or another column with this name determine them. `AUTOINCREMENT` keeps its
    /// counter. Full-text tables whose content is this table are reindexed.
    ///
    /// If `values` is empty and only `NOT NULL` or checks of the table change, SQLite 3.53 and later alter the table without
    /// a copy: `ALTER TABLE main."player" ALTER COLUMN "name" SET NOT NULL`. The result is the same, but transaction
    /// observers receive no events of copied rows.
    ///
    /// Where foreign keys are enforced, it must run outside a transaction, or in a migration with deferred checks.
    ///
    /// - Parameters:
    ///   - name: the name of the table, in the main database.
    ///   - strict: whether the new table rejects values of other types; by default, as before.
    ///   - values: the values of changed or new columns, as SQL expressions on the old columns. Other new columns have
    ///     their default values.
    ///   - body: the new definition of the table.
    /// - Throws: a ``DatabaseError``, in which case the table is unchanged. SQLITE_MISUSE in a transaction where
    ///   foreign keys are enforced, for a view or a virtual table, and for a table hidden by a temporary table.
    ///   SQLITE_CONSTRAINT if a row violates a constraint of the new definition, or a foreign key. SQLITE_CORRUPT if
    ///   the definition of an index or a trigger isn't a single statement that creates it, as in a crafted file: none
    ///   of it runs.
    /// - Complexity: writes the whole table and checks the foreign keys of the table and of those that refer to it.
    public func rebuild(
        table name: String, strict: Bool? = nil, copying values: [String: SQL] = [:],
        body: (TableDefinition) throws -> Void
    ) throws {
        try connection.refuseRemotely(
            "rebuild(table:)", "create another table, copy the rows, and drop the first one")
        let table = try existingTable(name, in: "main")
        let isEnforced = try Bool.fetchOne(self, sql: "PRAGMA foreign_keys") ?? false
        guard isEnforced else {
            return try inSavepoint { try TableRebuild(table.name, self, strict, body).run(values) }
        }
        guard !isInsideTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "table \(name) can't be rebuilt in a transaction that enforces foreign keys: rebuild it "
                    + "outside a transaction, or in a migration with deferred checks of foreign keys")
        }
        try connection.with(.foreignKeys, false) {
            try inTransaction(.immediate) { try TableRebuild(table.name, self, strict, body).run(values) }
        }
    }
}

private struct TableRebuild {
    let name: String
    let db: Database
    let syntax: TableSyntax
    /// The SQL of the existing table.
    let definition: String?
    /// The indexes and triggers of the table, including temporary triggers.
    let dependents: [(object: SchemaObject, definition: SQLDefinition)]
    /// The views that can be read.
    let views: [DatabaseObjectID]
    let scratchName: String

    init(_ name: String, _ db: Database, _ isStrict: Bool?, _ body: (TableDefinition) throws -> Void) throws {
        self.name = name
        self.db = db
        var options = try db.optionsOfRebuildable(name)
        if let isStrict { if isStrict { options.insert(.strict) } else { options.remove(.strict) } }
        let table = TableDefinition(name: name, options: options)
        try body(table)
        syntax = try TableSyntax(table, in: db)
        let objects = try db.schemaObjects()
        definition = objects.first { $0.kind == .table && $0.id.schemaID == .main && $0.name == name }?.sql
        let indexes = objects.filter { object in
            guard object.kind == .index, object.id.schemaID == .main, object.sql != nil else { return false }
            return object.tableName.isSameDatabaseName(as: name)
        }
        // Before anything runs.
        dependents = try (indexes + db.triggers(on: name, in: "main")).compactMap { object in
            try object.definition.map { (object, $0) }
        }
        views = try db.views(in: "main").filter(db.isReadable)
        var scratchName = "new_\(name)"
        // In any schema: the statements below don't specify theirs.
        while objects.contains(where: { $0.name.isSameDatabaseName(as: scratchName) }) { scratchName += "_" }
        self.scratchName = scratchName
    }

    func run(_ values: [String: SQL]) throws -> Database.TransactionCompletion {
        if try values.isEmpty && changeConstraints() {
            try checkForeignKeys()
            return .commit
        }
        let counter = try autoincrementCounter()
        if namesItself {
            try replaceTableByCopy(values)
        } else {
            try db.executeDefinition { syntax.write(to: &$0, name: scratchName) }
            try copyRows(values, to: (scratchName, "main"))
            try replaceTable()
        }
        if let counter {
            try db.execute(
                sql: "UPDATE main.sqlite_sequence SET seq = MAX(seq, ?) WHERE name = ?", arguments: [counter, name])
        }
        try restoreDependents()
        try indexTextAgain()
        try checkViews()
        try checkForeignKeys()
        return .commit
    }

    /// Changes the table without a copy, if only constraints differ that this SQLite can change.
    ///
    /// - Returns: false if the table has not changed.
    private func changeConstraints() throws -> Bool {
        guard LocalConnection.libraryVersion >= 3_053_000, let definition else { return false }
        let changes = syntax.constraintChanges(from: definition, try db.columns(in: name, in: "main"))
        guard !changes.isEmpty else { return false }
        do {
            try db.inSavepoint {
                for change in changes {
                    try db.executeDefinition { renderer in
                        renderer.write("ALTER TABLE main.\(name.quotedDatabaseIdentifier) ")
                        renderer.write(change)
                    }
                }
                for (object, _) in dependents where syntax.indexes.contains(where: { object.isIndex(named: $0.name) }) {
                    try db.execute(literal: "DROP INDEX main.\(identifier: object.name)")
                }
                try createIndexes()
                return .commit
            }
            return true
        } catch let error as DatabaseError where [.SQLITE_CONSTRAINT, .SQLITE_ERROR].contains(error.resultCode) {
            // The error of the rebuild names the column and the constraint.
            return false
        }
    }

    private func autoincrementCounter() throws -> Int64? {
        guard try db.tableExists("sqlite_sequence", in: "main") else { return nil }
        return try Int64.fetchOne(
            db, sql: "SELECT seq FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE", arguments: [name])
    }

    /// Whether the definition may contain its table's name, as in `CHECK (player.score > 0)`, which is an error under
    /// another name.
    private var namesItself: Bool {
        var renderer = Renderer(values: .literal)
        syntax.write(to: &renderer)
        let tokens = SQLTokens(renderer.text).tokens
        return zip(tokens, tokens.dropFirst()).contains { $0 == .word(name.lowercased()) && $1 == .symbol(".") }
    }

    /// Copies the rows to a temporary table with the same name and definition, then back into the new table.
    private func replaceTableByCopy(_ values: [String: SQL]) throws {
        // The counter table that AUTOINCREMENT creates would stay in the temporary schema: SQLite can't drop it.
        try db.executeDefinition {
            syntax.write(to: &$0, schema: "temp")
        } edited: {
            SQLTokens.text($0, without: "autoincrement")
        }
        try copyRows(values, to: (name, "temp"))
        try db.execute(literal: "DROP TABLE main.\(identifier: name)")
        try db.executeDefinition { syntax.write(to: &$0, schema: "main") }
        var columns = try db.columns(in: name, in: "main").filter { !$0.isGenerated }.map(\.name)
        let key = try db.primaryKey(name, in: "main")
        if case .none = key.rowIDColumn, let rowID = key.hiddenRowIDName { columns.append(rowID) }
        let list = columns.quotedList
        try db.execute(
            literal: """
                INSERT INTO main.\(identifier: name) (\(sql: list)) SELECT \(sql: list) FROM temp.\(identifier: name)
                """)
        try db.execute(literal: "DROP TABLE temp.\(identifier: name)")
    }

    private func copyRows(_ values: [String: SQL], to copy: (name: String, schema: String)) throws {
        let old = try db.columns(in: name, in: "main").map(\.name)
        let all = try db.columns(in: copy.name, in: copy.schema)
        let new = all.filter { !$0.isGenerated }.map(\.name)
        for column in values.keys where !new.contains(where: column.isSameDatabaseName) {
            let reason =
                all.contains { $0.name.isSameDatabaseName(as: column) }
                ? "column \(column) is generated in its new definition; don't copy a value to it"
                : "its new definition has no column \(column) to copy a value to"
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "table \(name) can't be rebuilt: \(reason)")
        }
        var targets: [String] = []
        var sources: [SQL] = []
        for column in new {
            if let value = values.first(where: { $0.key.isSameDatabaseName(as: column) })?.value {
                targets.append(column)
                sources.append(value)
            } else if let source = old.first(where: column.isSameDatabaseName) {
                targets.append(column)
                sources.append("\(identifier: source)")
            }
        }
        if let rowIDs = try rowIDNames(copy), !targets.contains(where: rowIDs.new.isSameDatabaseName) {
            targets.append(rowIDs.new)
            sources.append("\(identifier: rowIDs.old)")
        }
        guard !targets.isEmpty else { return }
        do {
            try db.execute(
                literal: """
                    INSERT INTO \(identifier: copy.schema).\(identifier: copy.name) (\(sql: targets.quotedList)) \
                    SELECT \(sources.joined(separator: ", ")) FROM main.\(identifier: name)
                    """)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // The name of the copy would mean nothing to the program.
            let violation = (error.message ?? "").replacing("\(copy.name).", with: "\(name).")
            throw DatabaseError(
                resultCode: error.extendedResultCode,
                message: "table \(name) can't be rebuilt: a row violates its new definition (\(violation))"
                    + DatabaseError.adviceOfRebuild)
        }
    }

    /// The names of the rowid before and after, which may be columns, if it has a name in both tables.
    private func rowIDNames(_ copy: (name: String, schema: String)) throws -> (old: String, new: String)? {
        guard let old = try db.primaryKey(name, in: "main").rowIDName,
            let new = try db.primaryKey(copy.name, in: copy.schema).rowIDName
        else { return nil }
        return (old, new)
    }

    /// The legacy renaming does not change the other definitions, which already use the final name.
    private func replaceTable() throws {
        try db.drop(table: name)
        try db.connection.with(.legacyRenaming, true) { try db.rename(table: scratchName, to: name) }
    }

    private func createIndexes() throws {
        for index in syntax.indexes {
            try db.create(
                index: index.name, on: name, columns: index.columns, options: index.isUnique ? .unique : [])
        }
    }

    private func restoreDependents() throws {
        try createIndexes()
        let created = syntax.indexes.map(\.name)
        for (object, definition) in dependents where !created.contains(where: object.name.isSameDatabaseName) {
            let sql = object.id.schemaID == .temp ? definition.temporary : definition.sql
            try db.makeStatement(sql: sql).execute()
        }
    }

    /// The rows were copied without triggers, so full-text tables that index them have missed the changes.
    private func indexTextAgain() throws {
        for object in try db.schemaObjects() where object.id.schemaID == .main && object.indexesText(of: name) {
            let table = object.name.quotedDatabaseIdentifier
            do {
                try db.execute(sql: "INSERT INTO main.\(table)(\(table)) VALUES ('rebuild')")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                throw DatabaseError(
                    message: "table \(name) can't be rebuilt: the full-text table \(object.name) does not fit its new "
                        + "definition; drop it before and create it afterwards")
            }
        }
    }

    private func checkViews() throws {
        for view in views where try !db.isReadable(view) {
            throw DatabaseError(
                message: "table \(name) can't be rebuilt: the view \(view.name) does not fit its new definition; "
                    + "drop the view before and create it afterwards")
        }
    }

    private func checkForeignKeys() throws {
        guard try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == false else { return }
        for table in try db.tables(in: "main") {
            let isConcerned =
                try table.name.isSameDatabaseName(as: name)
                || db.parentTables(of: table.name).contains(where: name.isSameDatabaseName)
            if isConcerned { try db.checkForeignKeys(in: table.name, in: "main") }
        }
    }
}

extension SchemaObject {
    /// Whether the object is a full-text table whose external content is the given table.
    fileprivate func indexesText(of table: String) -> Bool {
        guard kind == .table, let sql else { return false }
        let tokens = SQLTokens(sql).tokens
        guard tokens.starts(with: [.word("create"), .word("virtual")]),
            tokens.contains(.word("fts5")) || tokens.contains(.word("fts4")),
            let option = tokens.firstRange(of: [.word("content"), .symbol("=")]), option.upperBound < tokens.endIndex
        else { return false }
        return switch tokens[option.upperBound] {
        case .word(let name): name.isSameDatabaseName(as: table)
        case .text(let text): String(text.dropFirst().dropLast()).isSameDatabaseName(as: table)
        case .symbol: false
        }
    }
}

extension Database {
    /// Whether a view can be compiled.
    fileprivate func isReadable(_ view: DatabaseObjectID) throws -> Bool {
        do {
            _ = try makeStatement(sql: "SELECT * FROM main.\(view.name.quotedDatabaseIdentifier)")
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return false
        }
    }

    /// The options that a table keeps.
    ///
    /// - Throws: SQLITE_MISUSE for a view or a virtual table, and for a table hidden by a temporary table.
    fileprivate func optionsOfRebuildable(_ name: String) throws -> TableOptions {
        func refuse(_ reason: String) -> DatabaseError {
            DatabaseError(resultCode: .SQLITE_MISUSE, message: "table \(name) can't be rebuilt: \(reason)")
        }
        let rows = try Row.fetchAll(self, sql: "PRAGMA main.table_list(\(name.quotedDatabaseIdentifier))")
        guard let row = rows.first, row["type"] as String == "table" else {
            throw refuse("it is a view or a virtual table; create it anew")
        }
        if try tableExists(name, in: "temp") || viewExists(name, in: "temp") {
            throw refuse("a temporary table or view has the same name; drop it before")
        }
        var options: TableOptions = []
        if row["wr"] { options.insert(.withoutRowID) }
        if row["strict"] { options.insert(.strict) }
        return options
    }
}
