// A CREATE TABLE statement as a value: columns and constraints in the order of the calls.

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
    /// Creates a table that refuses values of other types. <https://sqlite.org/stricttables.html>
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
public final class TableDefinition {
    enum Item {
        case column(ColumnDefinition)
        case literal(SQL)
    }

    let name: String
    let options: TableOptions
    var items: [Item] = []
    var constraints: [SQL] = []
    private var primaryKey: (columns: [String], conflictResolution: Database.ConflictResolution?)?
    private var isInPrimaryKey = false

    init(name: String, options: TableOptions) {
        self.name = name
        self.options = options
    }

    /// Adds a column `INTEGER PRIMARY KEY AUTOINCREMENT`: its ids are never reused. <https://sqlite.org/autoinc.html>
    @discardableResult
    public func autoIncrementedPrimaryKey(
        _ name: String, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
    }

    /// Adds a column that is the primary key, and not null.
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
        primaryKey = (columns, conflictResolution)
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
            primaryKey?.columns.append(name)
            column.notNull()
        }
        return column
    }

    /// Adds a column in SQL: `t.column(sql: "name TEXT NOT NULL")`.
    public func column(sql: String) { items.append(.literal(SQL(sql: sql))) }

    /// Adds a column, defined by a literal.
    public func column(literal: SQL) { items.append(.literal(literal)) }

    /// Adds a constraint in SQL: `t.constraint(sql: "CHECK (a < b)")`.
    public func constraint(sql: String) { constraints.append(SQL(sql: sql)) }

    /// Adds a constraint, defined by a literal.
    public func constraint(literal: SQL) { constraints.append(literal) }

    /// Adds a unique constraint on several columns.
    public func uniqueKey(_ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil) {
        constraints.append(SQL(sql: "UNIQUE (\(columns.quotedList))\(conflictResolution.onConflictSQL)"))
    }

    /// Adds a foreign key of several columns. <https://sqlite.org/foreignkeys.html>
    ///
    /// - Parameter destinationColumns: the referenced columns; nil for the primary key of the other table.
    public func foreignKey(
        _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
    ) {
        let reference = ForeignKeyReference(
            table: table, columns: destinationColumns, onDelete: deleteAction, onUpdate: updateAction,
            isDeferred: isDeferred)
        constraints.append(SQL(sql: "FOREIGN KEY (\(columns.quotedList))\(reference.sql)"))
    }

    /// Adds a check constraint: `t.check(Column("a") < Column("b"))`.
    public func check(_ condition: some SQLExpressible) {
        constraints.append("CHECK (\(condition.sqlExpression.sqlSelection))")
    }

    /// Adds a check constraint in SQL.
    public func check(sql: String) { constraints.append(SQL(sql: "CHECK (\(sql))")) }

    func write(to renderer: inout Renderer) {
        renderer.write(options.contains(.temporary) ? "CREATE TEMPORARY TABLE " : "CREATE TABLE ")
        if options.contains(.ifNotExists) { renderer.write("IF NOT EXISTS ") }
        renderer.write(identifier: name)
        renderer.write(" (")
        renderer.write(list: items) { renderer, item in
            switch item {
            case .column(let column): column.write(to: &renderer)
            case .literal(let literal): renderer.write(literal)
            }
        }
        if let primaryKey {
            renderer.write(
                ", PRIMARY KEY (\(primaryKey.columns.quotedList))\(primaryKey.conflictResolution.onConflictSQL)")
        }
        for constraint in constraints {
            renderer.write(", ")
            renderer.write(constraint)
        }
        renderer.write(")")
        let suffixes: [String] =
            (options.contains(.strict) ? ["STRICT"] : [])
            + (options.contains(.withoutRowID) ? ["WITHOUT ROWID"] : [])
        if !suffixes.isEmpty { renderer.write(" " + suffixes.joined(separator: ", ")) }
    }
}

struct ForeignKeyReference {
    var table: String
    var columns: [String]?
    var onDelete: Database.ForeignKeyAction?
    var onUpdate: Database.ForeignKeyAction?
    var isDeferred: Bool

    var sql: String {
        var sql = " REFERENCES \(table.quotedDatabaseIdentifier)"
        if let columns { sql += "(\(columns.quotedList))" }
        if let onDelete { sql += " ON DELETE \(onDelete.rawValue)" }
        if let onUpdate { sql += " ON UPDATE \(onUpdate.rawValue)" }
        if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
        return sql
    }
}

extension [String] {
    var quotedList: String {
        let names: [String] = map { $0.quotedDatabaseIdentifier }
        return names.joined(separator: ", ")
    }
}

extension Optional where Wrapped == Database.ConflictResolution {
    var onConflictSQL: String { map { " ON CONFLICT \($0.rawValue)" } ?? "" }
}
