// Schema changes: CREATE, ALTER, DROP.

/// The options of an index. <https://sqlite.org/lang_createindex.html>
public struct IndexOptions: OptionSet, Sendable {
    /// The raw value of the options.
    public let rawValue: Int
    /// Creates options from their raw value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if the index exists.
    public static let ifNotExists = IndexOptions(rawValue: 1 << 0)
    /// Refuses rows with equal values in the indexed columns.
    public static let unique = IndexOptions(rawValue: 1 << 1)
}

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
    /// - Throws: a ``DatabaseError``, or the error of the closure.
    public func create(
        table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
    ) throws {
        let definition = TableDefinition(name: name, options: options)
        try body(definition)
        guard !definition.items.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "table \(name) has no columns: declare at least one")
        }
        try executeDefinition { definition.write(to: &$0) }
        for case .column(let column) in definition.items {
            guard case .plain = column.index else { continue }
            let indexOptions: IndexOptions = options.contains(.ifNotExists) ? [.ifNotExists] : []
            try create(indexOfColumn: column.name, on: name, options: indexOptions)
        }
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
            try executeDefinition { renderer in
                renderer.write("ALTER TABLE ")
                renderer.write(identifier: name)
                renderer.write(" ")
                change.write(to: &renderer)
            }
            if case .add(let column) = change, case .plain = column.index {
                try create(indexOfColumn: column.name, on: name)
            }
        }
    }

    /// Deletes a table.
    public func drop(table name: String) throws {
        try execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)")
    }

    /// Creates an index with a name.
    public func create(
        index name: String, on table: String, columns: [String], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(
            index: name, on: table, expressions: columns.map { Column($0) }, options: options, condition: condition)
    }

    /// The same, on expressions.
    public func create(
        index name: String, on table: String, expressions: [any SQLExpressible], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try executeDefinition { renderer in
            renderer.write(options.contains(.unique) ? "CREATE UNIQUE INDEX " : "CREATE INDEX ")
            if options.contains(.ifNotExists) { renderer.write("IF NOT EXISTS ") }
            renderer.write(identifier: name)
            renderer.write(" ON ")
            renderer.write(identifier: table)
            renderer.write("(")
            renderer.write(list: expressions) { $0.write($1.sqlExpression) }
            renderer.write(")")
            if let condition {
                renderer.write(" WHERE ")
                renderer.write(condition.sqlExpression)
            }
        }
    }

    /// The same, with a default name: `index_player_on_team_score`.
    public func create(
        indexOn table: String, columns: [String], options: IndexOptions = [], condition: (any SQLExpressible)? = nil
    ) throws {
        try create(
            index: Self.indexName(table, columns), on: table, columns: columns, options: options, condition: condition)
    }

    /// Deletes an index.
    public func drop(index name: String) throws {
        try execute(sql: "DROP INDEX \(name.quotedDatabaseIdentifier)")
    }

    /// Deletes the index on some columns, whatever its name.
    ///
    /// - Throws: SQLITE_ERROR if the table has no index on these columns, or if it belongs to a constraint.
    public func drop(indexOn table: String, columns: [String]) throws {
        let wanted = columns.map(\.foldedDatabaseName)
        let index = try indexes(on: table).first {
            $0.origin == .createIndex && $0.columns.map(\.foldedDatabaseName) == wanted
        }
        guard let index else {
            throw DatabaseError(
                message: "table \(table) has no index on column(s) \(columns.joined(separator: ", ")) that can be "
                    + "dropped: indexes(on:) returns its indexes")
        }
        try drop(index: index.name)
    }

    /// Creates the index of an `indexed()` column: `player_on_team`.
    private func create(indexOfColumn column: String, on table: String, options: IndexOptions = []) throws {
        try create(index: "\(table)_on_\(column)", on: table, columns: [column], options: options)
    }

    private static func indexName(_ table: String, _ columns: [String]) -> String {
        "index_\(table)_on_\(columns.joined(separator: "_"))"
    }

    /// Runs a statement that accepts no arguments: values are literals.
    private func executeDefinition(_ write: (inout Renderer) -> Void) throws {
        var renderer = Renderer(values: .literal)
        write(&renderer)
        let arguments: StatementArguments
        do { arguments = try renderer.statementArguments() } catch let error as RequestError {
            throw DatabaseError(message: error.description)
        }
        guard arguments.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "definitions of tables and indexes accept no arguments: use \\(value) in a literal",
                sql: renderer.text)
        }
        try execute(sql: renderer.text)
    }
}

/// The changes of the columns of a table. <https://sqlite.org/lang_altertable.html>
public final class TableAlteration {
    enum Change {
        case add(ColumnDefinition)
        case addLiteral(SQL)
        case rename(String, String)
        case drop(String)

        func write(to renderer: inout Renderer) {
            switch self {
            case .add(let column):
                renderer.write("ADD COLUMN ")
                column.write(to: &renderer)
            case .addLiteral(let literal):
                renderer.write("ADD COLUMN ")
                renderer.write(literal)
            case .rename(let name, let newName):
                renderer.write("RENAME COLUMN ")
                renderer.write(identifier: name)
                renderer.write(" TO ")
                renderer.write(identifier: newName)
            case .drop(let name):
                renderer.write("DROP COLUMN ")
                renderer.write(identifier: name)
            }
        }
    }

    var changes: [Change] = []

    /// Adds a column.
    @discardableResult
    public func add(column name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        changes.append(.add(column))
        return column
    }

    /// Adds a column, defined in SQL.
    public func addColumn(sql: String) { changes.append(.addLiteral(SQL(sql: sql))) }

    /// Adds a column, defined by a literal.
    public func addColumn(literal: SQL) { changes.append(.addLiteral(literal)) }

    /// Renames a column.
    public func rename(column name: String, to newName: String) { changes.append(.rename(name, newName)) }

    /// Deletes a column.
    public func drop(column name: String) { changes.append(.drop(name)) }
}
