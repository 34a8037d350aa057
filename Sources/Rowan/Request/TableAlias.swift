// Aliases: a number, and a name if the user gives one.

import Synchronization

private let nextAliasNumber = Atomic<Int>(0)

/// What all table aliases share.
public class TableAliasBase: Hashable, @unchecked Sendable {
    // `@unchecked` for the subclass alone: the state is immutable, no lock is needed.
    let id: TableAliasID

    init(name: String?) {
        id = TableAliasID(number: nextAliasNumber.add(1, ordering: .relaxed).newValue, name: name)
    }

    public static func == (lhs: TableAliasBase, rhs: TableAliasBase) -> Bool { lhs.id == rhs.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// A column of the aliased table.
    public subscript(_ column: String) -> SQLExpression { SQLExpression(.column(column, .alias(id))) }

    /// A column of the aliased table.
    public subscript(_ column: some ColumnExpression) -> SQLExpression { self[column.name] }
}

/// An alias of a table in a request, for subqueries that refer to it.
///
/// ```swift
/// // SELECT * FROM "team" WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")
/// let team = TableAlias<Team>()
/// let players = Player.filter { $0.teamId == team.id }
/// Team.aliased(team).filter(players.exists())
/// ```
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
    /// An alias, with a name of its own or that of the table.
    public init(name: String? = nil, for record: RowDecoder.Type = RowDecoder.self) { super.init(name: name) }
}

extension TableAlias where RowDecoder == () {
    /// An alias, with a name of its own or that of the table.
    public convenience init(name: String? = nil) { self.init(name: name, for: Void.self) }
}

extension TableAlias where RowDecoder: TableRecord {
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// A column of the aliased table: `team.id`.
    public subscript<T: ColumnExpression>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> SQLExpression {
        self[RowDecoder.databaseComponents[keyPath: keyPath].name]
    }
}

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
    /// A table from a request.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, request: some SQLSubqueryable
    ) {
        table = CommonTable(
            name: tableName, columns: columns, isRecursive: recursive, query: request.sqlSubquery)
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
