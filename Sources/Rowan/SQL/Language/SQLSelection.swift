// The terms of SELECT.

/// A term of a SELECT clause: a column, an expression with a name, or all columns.
///
/// Source: <https://sqlite.org/lang_select.html#resultset>
public struct SQLSelection: Hashable, Sendable, SQLSelectable {
    package let node: Node

    package init(_ node: Node) { self.node = node }

    /// The selection itself.
    public var sqlSelection: SQLSelection { self }

    package enum Node: Hashable, Sendable {
        case expression(SQLExpression)
        case named(SQLExpression, String)
        case literal(SQL)
        /// All columns of the current table or of the named table.
        case allColumns(table: String?)
        /// A placeholder for columns that only the resolver can determine. A `Select` contains none.
        case symbol(Symbol)
    }

    /// The placeholders of selections.
    package enum Symbol: Hashable, Sendable {
        case allColumnsExcluding([String], of: QualifiedTable? = nil)
        /// All columns of the table of an alias, with exceptions.
        case columns(of: TableAliasID, excluding: [String] = [])
        case primaryKey
        /// No columns.
        case nothing
        /// Columns that are determined once a connection is available.
        case deferred(Deferred<SQLSelection>)
    }

    /// A table other than the current one, and the qualifier for its columns.
    package struct QualifiedTable: Hashable, Sendable {
        package var table: TableName
        package var alias: TableAliasID
    }

    /// All columns of the current table: a single array for all queries.
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
    /// Names the expression in the fetched rows: `score + bonus AS "total"`.
    public func forKey(_ key: String) -> SQLSelection {
        SQLSelection(.named(sqlExpression, key))
    }

    /// Names the expression after a coding key.
    public func forKey(_ key: some CodingKey) -> SQLSelection {
        forKey(key.stringValue)
    }
}

/// All columns of a table: `SELECT *`.
public struct AllColumns: Sendable, SQLSelectable {
    /// Creates the selection of all columns.
    public init() {}
    /// The selection: `*`.
    public var sqlSelection: SQLSelection { SQLSelection(.allColumns(table: nil)) }
}

/// All columns of a table, with exceptions. Names that are not columns of the table are ignored.
public struct AllColumnsExcluding: Sendable, SQLSelectable {
    private let excludedColumns: [String]

    /// Creates the selection of all columns except those with these names.
    public init(_ excludedColumns: some Collection<String>) {
        self.excludedColumns = Array(excludedColumns)
    }

    /// Creates the selection of all columns except the given ones.
    public init(_ excludedColumns: [any ColumnExpression]) {
        self.excludedColumns = excludedColumns.map(\.name)
    }

    /// The selection: the resolver replaces it with the remaining columns.
    public var sqlSelection: SQLSelection { SQLSelection(.symbol(.allColumnsExcluding(excludedColumns))) }
}

extension SQLSelectable where Self == AllColumns {
    /// All columns of the table: `SELECT *`.
    public static var allColumns: AllColumns { AllColumns() }
}

extension SQLSelectable where Self == AllColumnsExcluding {
    /// All columns of the table, with exceptions: `[.allColumns(excluding: ["generatedColumn"])]`.
    public static func allColumns(excluding excludedColumns: some Collection<String>) -> Self {
        AllColumnsExcluding(excludedColumns)
    }

    /// All columns of the table except the given ones.
    public static func allColumns(excluding excludedColumns: [any ColumnExpression]) -> Self {
        AllColumnsExcluding(excludedColumns)
    }
}
