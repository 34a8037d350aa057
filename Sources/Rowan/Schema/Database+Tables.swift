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
    /// - Throws: a ``DatabaseError``, or the error of the closure. SQLITE_ERROR if a foreign key of `belongsTo` refers
    ///   to no table, or to a table without a primary key.
    public func create(
        table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
    ) throws {
        let definition = TableDefinition(name: name, options: options)
        try body(definition)
        guard !definition.items.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "table \(name) has no columns: declare at least one")
        }
        let table = try TableSyntax(definition, in: self)
        try executeDefinition { table.write(to: &$0) }
        for index in table.indexes {
            try create(index, on: name, options: options.contains(.ifNotExists) ? [.ifNotExists] : [])
        }
    }

    /// Creates a table: the form that existing programs use. The form with options can do more.
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

    private func create(_ index: TableSyntax.Index, on table: String, options: IndexOptions = []) throws {
        try create(
            index: index.name, on: table, columns: index.columns,
            options: index.isUnique ? options.union(.unique) : options)
    }
}
