// The terms of SELECT.

/// A term of a SELECT clause: a column, an expression with a name, or all columns.
///
/// Source: <https://sqlite.org/lang_select.html#resultset>
public struct SQLSelection: Hashable, Sendable, SQLSelectable {
    package let node: Node

    package init(_ node: Node) { self.node = node }

    public var sqlSelection: SQLSelection { self }

    package enum Node: Hashable, Sendable {
        case expression(SQLExpression)
        case named(SQLExpression, String)
        case literal(SQL)
        /// All columns of the current table, or of a table with a name.
        case allColumns(table: String?)
        /// What stands for columns that only the resolver can tell. No `Select` has one.
        case symbol(Symbol)
    }

    /// What the schema explains.
    package enum Symbol: Hashable, Sendable {
        case allColumnsExcluding([String], of: QualifiedTable? = nil)
        case primaryKey
        /// No column.
        case nothing
        /// Columns that are known when a connection is.
        case deferred(Deferred<SQLSelection>)
    }

    /// A table that is not the current one, and how its columns are qualified.
    package struct QualifiedTable: Hashable, Sendable {
        package var table: TableName
        package var alias: TableAliasID
    }

    /// Whether this is `*`, of the current table.
    /// All columns of the current table. One array for all queries.
    package static let all = [SQLSelection(.allColumns(table: nil))]

    package var isAllColumns: Bool { if case .allColumns(nil) = node { true } else { false } }

    var isSymbolic: Bool {
        switch node {
        case .expression(let expression), .named(let expression, _): expression.isSymbolic
        case .literal(let literal): literal.isSymbolic
        case .allColumns: false
        case .symbol: true
        }
    }
}

extension SQLSpecificExpressible {
    /// The expression with a name in the fetched rows: `score + bonus AS "total"`.
    public func forKey(_ key: String) -> SQLSelection {
        SQLSelection(.named(sqlExpression, key))
    }

    /// The expression with the name of a coding key.
    public func forKey(_ key: some CodingKey) -> SQLSelection {
        forKey(key.stringValue)
    }
}

/// All columns of a table: `SELECT *`.
public struct AllColumns: Sendable, SQLSelectable {
    public init() {}
    public var sqlSelection: SQLSelection { SQLSelection(.allColumns(table: nil)) }
}

/// All columns of a table but some. The names that the table does not have are ignored.
public struct AllColumnsExcluding: Sendable, SQLSelectable {
    private let excludedColumns: [String]

    public init(_ excludedColumns: some Collection<String>) {
        self.excludedColumns = Array(excludedColumns)
    }

    public init(_ excludedColumns: [any ColumnExpression]) {
        self.excludedColumns = excludedColumns.map(\.name)
    }

    public var sqlSelection: SQLSelection { SQLSelection(.symbol(.allColumnsExcluding(excludedColumns))) }
}

extension SQLSelectable where Self == AllColumns {
    /// All columns of the table: `SELECT *`.
    public static var allColumns: AllColumns { AllColumns() }
}

extension SQLSelectable where Self == AllColumnsExcluding {
    /// All columns of the table but some: `[.allColumns(excluding: ["generatedColumn"])]`.
    public static func allColumns(excluding excludedColumns: some Collection<String>) -> Self {
        AllColumnsExcluding(excludedColumns)
    }

    /// All columns of the table but some.
    public static func allColumns(excluding excludedColumns: [any ColumnExpression]) -> Self {
        AllColumnsExcluding(excludedColumns)
    }
}
