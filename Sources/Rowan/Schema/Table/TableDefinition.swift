// The definition of a table as the program declares it, before the schema determines what foreign keys refer to.
// TableSyntax is the written form.

/// The options of a table. <https://sqlite.org/lang_createtable.html>
public struct TableOptions: OptionSet, Sendable {
    /// The raw value of the options.
    public let rawValue: Int
    /// Creates options from their raw value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Creates a table that only this connection sees, until it closes.
    public static let temporary = TableOptions(rawValue: 1 << 0)
    /// Does nothing if the table exists.
    public static let ifNotExists = TableOptions(rawValue: 1 << 1)
    /// Creates a table without rowid. <https://sqlite.org/withoutrowid.html>
    public static let withoutRowID = TableOptions(rawValue: 1 << 2)
    /// Creates a table that rejects values of other types. <https://sqlite.org/stricttables.html>
    public static let strict = TableOptions(rawValue: 1 << 3)
}

/// The definition of a table.
///
/// ```swift
/// // CREATE TABLE "place" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "title" TEXT NOT NULL)
/// try db.create(table: "place") { t in
///     t.autoIncrementedPrimaryKey("id")
///     t.column("title", .text).notNull()
/// }
/// ```
///
/// Article: <doc:DesigningSchemas>.
public final class TableDefinition {
    /// What the calls add, in order.
    enum Item {
        case column(ColumnDefinition)
        case foreignKey(ForeignKeyDefinition)
        case literal(SQL)
    }

    enum Constraint {
        case unique(SQL)
        case foreignKey([String], ForeignKeyReference)
        case check(SQL)
        case literal(SQL)

        var uniqueKey: SQL? { if case .unique(let sql) = self { sql } else { nil } }
        var condition: SQL? { if case .check(let sql) = self { sql } else { nil } }
        var literal: SQL? { if case .literal(let sql) = self { sql } else { nil } }
    }

    /// A part of a multi-column primary key.
    enum KeyPart {
        case column(String)
        case foreignKey(ForeignKeyDefinition)
    }

    let name: String
    let options: TableOptions
    private(set) var items: [Item] = []
    private(set) var constraints: [Constraint] = []
    private(set) var primaryKey: (parts: [KeyPart], conflictResolution: Database.ConflictResolution?)?
    private var isInPrimaryKey = false

    init(name: String, options: TableOptions) {
        self.name = name
        self.options = options
    }

    /// Adds a column `INTEGER PRIMARY KEY AUTOINCREMENT`, whose ids are never reused. <https://sqlite.org/autoinc.html>
    @discardableResult
    public func autoIncrementedPrimaryKey(
        _ name: String, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
    }

    /// Adds a column that is the primary key and not null.
    @discardableResult
    public func primaryKey(
        _ name: String, _ type: Database.ColumnType, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        let column = column(name, type).primaryKey(onConflict: conflictResolution)
        // An integer primary key is the rowid, which is never NULL.
        return type == .integer && !options.contains(.withoutRowID) ? column : column.notNull()
    }

    /// Declares a primary key of several columns.
    public func primaryKey(_ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil) {
        precondition(primaryKey == nil, "table \(name) has two primary keys: declare one")
        primaryKey = (columns.map { .column($0) }, conflictResolution)
    }

    /// Declares a primary key of the columns that the closure adds, which are not null.
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil, body: () throws -> Void
    ) rethrows {
        precondition(primaryKey == nil, "table \(name) has two primary keys: declare one")
        primaryKey = ([], conflictResolution)
        isInPrimaryKey = true
        defer { isInPrimaryKey = false }
        try body()
    }

    /// Adds a column.
    @discardableResult
    public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        items.append(.column(column))
        if isInPrimaryKey {
            primaryKey?.parts.append(.column(name))
            column.notNull()
        }
        return column
    }

    /// Adds a column in SQL: `t.column(sql: "name TEXT NOT NULL")`.
    public func column(sql: String) { items.append(.literal(SQL(sql: sql))) }

    /// Adds a column, defined by a literal.
    public func column(literal: SQL) { items.append(.literal(literal)) }

    /// Adds a constraint in SQL: `t.constraint(sql: "CHECK (a < b)")`. It follows the other constraints.
    public func constraint(sql: String) { constraints.append(.literal(SQL(sql: sql))) }

    /// Adds a constraint, defined by a literal.
    public func constraint(literal: SQL) { constraints.append(.literal(literal)) }

    /// Adds a unique constraint on several columns.
    public func uniqueKey(_ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil) {
        constraints.append(.unique(SQL(sql: "UNIQUE (\(columns.quotedList))\(conflictResolution.onConflictSQL)")))
    }

    /// Adds a foreign key of several columns. <https://sqlite.org/foreignkeys.html>
    ///
    /// - Parameters:
    ///   - columns: the columns of this table.
    ///   - table: the referenced table.
    ///   - destinationColumns: the referenced columns; nil for the primary key of the other table.
    ///   - deleteAction: what happens to the row when the referenced row is deleted. By default, SQLite rejects the
    ///     deletion.
    ///   - updateAction: what happens to the row when the referenced key is updated. By default, SQLite rejects the
    ///     update.
    ///   - isDeferred: whether the constraint is checked at the end of the transaction.
    public func foreignKey(
        _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
    ) {
        let reference = ForeignKeyReference(
            table: table, columns: destinationColumns, onDelete: deleteAction, onUpdate: updateAction,
            isDeferred: isDeferred)
        constraints.append(.foreignKey(columns, reference))
    }

    /// Adds the foreign key of a belongs-to association: a column for each column of the other table's primary key,
    /// with the same type, and an index on these columns.
    ///
    /// ```swift
    /// // CREATE TABLE "book" ("id" INTEGER PRIMARY KEY AUTOINCREMENT,
    /// //   "authorId" INTEGER NOT NULL REFERENCES "author"("id") ON DELETE CASCADE)
    /// // CREATE INDEX "book_on_authorId" ON "book"("authorId")
    /// try db.create(table: "book") { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.belongsTo("author", onDelete: .cascade).notNull()
    /// }
    /// ```
    ///
    /// The columns are named after the foreign key and the columns that they refer to: `authorId` for `author` and
    /// `id`, `countryCode` for `country` and `code`. The other table may be the table being defined.
    ///
    /// `create(table:)` throws an error if the other table does not exist or has no primary key.
    ///
    /// - Parameters:
    ///   - name: the name of the foreign key.
    ///   - table: the other table. By default, it has the name of the foreign key, or its plural.
    ///   - deleteAction: what happens to the row when the referenced row is deleted. By default, SQLite rejects the
    ///     deletion.
    ///   - updateAction: what happens to the row when the referenced key is updated. By default, SQLite rejects the
    ///     update.
    ///   - isDeferred: whether the constraint is checked at the end of the transaction.
    ///   - indexed: whether to create an index on the columns.
    ///
    /// Source: <https://sqlite.org/foreignkeys.html>
    @discardableResult
    public func belongsTo(
        _ name: String, inTable table: String? = nil, onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false,
        indexed: Bool = true
    ) -> ForeignKeyDefinition {
        let foreignKey = ForeignKeyDefinition(
            name: name, table: table, onDelete: deleteAction, onUpdate: updateAction, isDeferred: isDeferred,
            isIndexed: indexed, isInPrimaryKey: isInPrimaryKey)
        items.append(.foreignKey(foreignKey))
        if isInPrimaryKey {
            primaryKey?.parts.append(.foreignKey(foreignKey))
            foreignKey.notNull()
        }
        return foreignKey
    }

    /// Adds a check constraint: `t.check(Column("a") < Column("b"))`.
    public func check(_ condition: some SQLExpressible) {
        constraints.append(.check("CHECK (\(condition.sqlExpression.sqlSelection))"))
    }

    /// Adds a check constraint in SQL.
    public func check(sql: String) { constraints.append(.check(SQL(sql: "CHECK (\(sql))"))) }
}
