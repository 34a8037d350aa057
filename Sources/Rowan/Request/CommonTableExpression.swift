// Common table expressions: queries with a name.

/// A common table expression: a query with a name, for the WITH clause of other requests.
///
/// ```swift
/// // WITH "best" AS (SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10) SELECT * FROM "player" WHERE "id" IN "best"
/// let best = CommonTableExpression(named: "best", request: Player.order(\.score.desc).limit(10).select(\.id))
/// Player.with(best).filter { best.contains($0.id) }
/// ```
///
/// Source: <https://sqlite.org/lang_with.html>
public struct CommonTableExpression<RowDecoder>: Sendable {
    let table: CommonTable

    /// The name of the table.
    public var tableName: String { table.name }

    /// A table from a request.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, request: some SQLSubqueryable
    ) {
        table = CommonTable(
            name: tableName, columns: columns, isRecursive: recursive, query: request.sqlSubquery)
    }

    /// A table from SQL.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(
            recursive: recursive, named: tableName, columns: columns, literal: SQL(sql: sql, arguments: arguments))
    }

    /// A table from SQL.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL
    ) {
        table = CommonTable(
            name: tableName, columns: columns, isRecursive: recursive, query: SQLSubquery(.literal(sqlLiteral)))
    }

    /// A request of all the rows of the table. The WITH clause is the business of the request: see `with(_:)`.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: Relation(table: tableName))
    }

    /// Whether an element is in the table: `id IN "best"`.
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        SQLExpression(.isIn(element.sqlExpression, .table(tableName), isNegated: false))
    }
}

extension CommonTableExpression where RowDecoder == Row {
    // Without a type, rows are rows: the initializers again, for a type that is not told.

    /// A table from a request.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, request: some SQLSubqueryable
    ) {
        table = CommonTable(
            name: tableName, columns: columns, isRecursive: recursive, query: request.sqlSubquery)
    }

    /// A table from SQL.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(
            recursive: recursive, named: tableName, columns: columns, literal: SQL(sql: sql, arguments: arguments))
    }

    /// A table from SQL.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL
    ) {
        table = CommonTable(
            name: tableName, columns: columns, isRecursive: recursive, query: SQLSubquery(.literal(sqlLiteral)))
    }
}

extension SQLInterpolation {
    /// `WITH \(definitionFor: cte) SELECT ...`
    public mutating func appendInterpolation<T>(definitionFor cte: CommonTableExpression<T>) {
        literal.append(.cte(cte.table))
    }

    /// `... FROM \(cte)`
    public mutating func appendInterpolation<T>(_ cte: CommonTableExpression<T>) {
        appendInterpolation(identifier: cte.tableName)
    }
}
