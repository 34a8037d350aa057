// Creating, changing and deleting tables.

extension Database {
    /// Creates a table.
    ///
    /// ```swift
    /// // CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL)
    /// try db.create(table: "player") { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.column("name", .text).notNull()
    /// }
    /// ```
    ///
    /// The indexes of the columns are created with the table. Outside a transaction, either all of them are created or
    /// none.
    ///
    /// `in:` creates the table in another schema, such as an attached database:
    ///
    /// ```swift
    /// // CREATE TABLE "archive"."player" ("id" INTEGER PRIMARY KEY)
    /// try db.create(table: "player", in: "archive") { t in t.primaryKey("id", .integer) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the table.
    ///   - schemaName: the schema of the table. By default, the main schema, or the temporary schema with the option
    ///     `temporary`.
    ///   - options: the options of the table; none by default.
    ///   - body: a closure that defines the columns and the constraints.
    /// - Throws: a ``DatabaseError``, or an error of the closure. SQLITE_ERROR if a foreign key of `belongsTo` refers
    ///   to no table of the schema, or to a table without a primary key; SQLITE_MISUSE for a temporary table in another
    ///   schema.
    public func create(
        table name: String, in schemaName: String? = nil, options: TableOptions = [],
        body: (TableDefinition) throws -> Void
    ) throws {
        if let schemaName, options.contains(.temporary), !schemaName.isSameDatabaseName(as: "temp") {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "table \(name) can't be temporary in the schema \(schemaName): choose one of them")
        }
        // Naming the schema is equivalent to the option.
        let options = schemaName == nil ? options : options.subtracting(.temporary)
        let definition = TableDefinition(name: name, options: options)
        try body(definition)
        guard !definition.items.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "table \(name) has no columns: declare at least one")
        }
        let table = try TableSyntax(definition, in: self, schema: schemaName)
        guard table.indexes.isEmpty || isInsideTransaction else {
            return try inTransaction {
                try create(table)
                return .commit
            }
        }
        try create(table)
    }

    private func create(_ table: TableSyntax) throws {
        try executeDefinition { table.write(to: &$0) }
        for index in table.indexes {
            let options: IndexOptions = table.options.contains(.ifNotExists) ? [.ifNotExists] : []
            try create(index, on: table.name, in: table.schema, options: options)
        }
    }

    /// Creates a table: the form that existing programs use. The form with options has more features.
    @_disfavoredOverload
    public func create(
        table name: String, temporary: Bool = false, ifNotExists: Bool = false, withoutRowID: Bool = false,
        body: (TableDefinition) throws -> Void
    ) throws {
        var options: TableOptions = []
        if temporary { options.insert(.temporary) }
        if ifNotExists { options.insert(.ifNotExists) }
        if withoutRowID { options.insert(.withoutRowID) }
        try create(table: name, options: options, body: body)
    }

    /// Renames a table.
    public func rename(table name: String, to newName: String) throws {
        try execute(
            sql: "ALTER TABLE \(name.quotedDatabaseIdentifier) RENAME TO \(newName.quotedDatabaseIdentifier)")
    }

    /// Changes the columns of a table. <https://sqlite.org/lang_altertable.html>
    ///
    /// ```swift
    /// // ALTER TABLE "player" ADD COLUMN "url" TEXT
    /// try db.alter(table: "player") { t in t.add(column: "url", .text) }
    /// ```
    public func alter(table name: String, body: (TableAlteration) -> Void) throws {
        let alteration = TableAlteration()
        body(alteration)
        for change in alteration.changes {
            let change = try change.resolved(in: self, table: name)
            try executeDefinition { renderer in
                renderer.write("ALTER TABLE ")
                renderer.write(identifier: name)
                renderer.write(" ")
                change.write(to: &renderer)
            }
            if case .add(let column) = change, case .plain = column.index {
                try create(TableSyntax.Index(columns: [column.name], of: name), on: name)
            }
        }
    }

    /// Deletes a table.
    public func drop(table name: String) throws {
        try execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)")
    }

    private func create(
        _ index: TableSyntax.Index, on table: String, in schemaName: String? = nil, options: IndexOptions = []
    ) throws {
        try create(
            index: index.name, on: table, in: schemaName, expressions: index.columns.map { Column($0) },
            options: index.isUnique ? options.union(.unique) : options, condition: nil)
    }
}
