// Common table expressions: named queries.

/// A common table expression: a named query, for the WITH clause of requests.
///
/// ```swift
/// // WITH "best" AS (SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10) SELECT * FROM "player" WHERE "id" IN "best"
/// let best = CommonTableExpression(named: "best", request: Player.order(\.score.desc).limit(10).select(\.id))
/// Player.with(best).filter { best.contains($0.id) }
/// ```
///
/// Article: <doc:SubqueriesAndCommonTables>.
///
/// Source: <https://sqlite.org/lang_with.html>
public struct CommonTableExpression<RowDecoder>: Sendable {
    let table: CommonTable

    /// The name of the table.
    public var tableName: String { table.name }

    /// Creates a common table expression from a request.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, request: some SQLSubqueryable
    ) {
        table = CommonTable(
            name: tableName, columns: columns, isRecursive: recursive, query: request.sqlSubquery)
    }

    /// Creates a common table expression from SQL.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(
            recursive: recursive, named: tableName, columns: columns, literal: SQL(sql: sql, arguments: arguments))
    }

    /// Creates a common table expression from a literal.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL
    ) {
        table = CommonTable(
            name: tableName, columns: columns, isRecursive: recursive, query: SQLSubquery(.literal(sqlLiteral)))
    }

    /// A request for all rows of the table. Call `with(_:)` on the request to add the WITH clause.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: Relation(table: tableName))
    }

    /// Whether the table contains an element: `id IN "best"`.
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        SQLExpression(.isIn(element.sqlExpression, .table(tableName), isNegated: false))
    }
}

extension CommonTableExpression where RowDecoder: TableRecord {
    /// A request for all rows of the table. Call `with(_:)` on the request to add the WITH clause.
    ///
    /// The rows keep the primary key and the associations of the record type if the table has their columns.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: RowDecoder.relation(of: .table(TableName(tableName))))
    }
}

extension CommonTableExpression where RowDecoder == Row {
    // Without a type, rows decode to `Row`. These initializers repeat the others for calls without an explicit type.

    /// Creates a common table expression from a request.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, request: some SQLSubqueryable
    ) {
        table = CommonTable(
            name: tableName, columns: columns, isRecursive: recursive, query: request.sqlSubquery)
    }

    /// Creates a common table expression from SQL.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(
            recursive: recursive, named: tableName, columns: columns, literal: SQL(sql: sql, arguments: arguments))
    }

    /// Creates a common table expression from a literal.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL
    ) {
        table = CommonTable(
            name: tableName, columns: columns, isRecursive: recursive, query: SQLSubquery(.literal(sqlLiteral)))
    }
}

extension SQLInterpolation {
    /// Embeds a definition: `WITH \(definitionFor: cte) SELECT ...`.
    public mutating func appendInterpolation<T>(definitionFor cte: CommonTableExpression<T>) {
        literal.append(.cte(cte.table))
    }

    /// Embeds the quoted name: `... FROM \(cte)`.
    public mutating func appendInterpolation<T>(_ cte: CommonTableExpression<T>) {
        appendInterpolation(identifier: cte.tableName)
    }
}
