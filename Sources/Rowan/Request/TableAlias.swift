// Aliases: a number, and a name if the user gives one.

import Synchronization

private let nextAliasNumber = Atomic<Int>(0)

extension TableAliasID {
    /// A new identity.
    static func next(name: String? = nil) -> TableAliasID {
        TableAliasID(number: nextAliasNumber.add(1, ordering: .relaxed).newValue, name: name)
    }
}

/// What all table aliases share.
public class TableAliasBase: Hashable, @unchecked Sendable {
    // `@unchecked` for the subclass alone: the state is immutable, no lock is needed.
    let id: TableAliasID

    init(_ id: TableAliasID) { self.id = id }

    public static func == (lhs: TableAliasBase, rhs: TableAliasBase) -> Bool { lhs.id == rhs.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// A column of the aliased table.
    public subscript(_ column: String) -> SQLExpression { SQLExpression(.column(column, .alias(id))) }

    /// A column of the aliased table.
    public subscript(_ column: some ColumnExpression) -> SQLExpression { self[column.name] }

    /// A JSON column of the aliased table: `alias[JSONColumn("info")]["score"]`.
    public subscript(_ column: some SQLJSONExpressible & ColumnExpression) -> AnySQLJSONExpressible {
        self[column.name].asJSON
    }

    /// A JSON expression on the columns of the aliased table.
    public subscript(_ expression: some SQLJSONExpressible) -> AnySQLJSONExpressible {
        expression.sqlExpression.qualified(by: id).asJSON
    }

    /// Any expression on the columns of the aliased table: `alias[Column("a") + Column("b")]`.
    public subscript(_ expression: some SQLSpecificExpressible) -> SQLExpression {
        expression.sqlExpression.qualified(by: id)
    }

    /// An ordering on the columns of the aliased table: `alias[Column("a").desc]`.
    public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering {
        ordering.sqlOrdering.qualified(by: id)
    }

    /// Whether the aliased row exists, for an optional association: its primary key is not NULL.
    ///
    /// ```swift
    /// // SELECT "book".*, "author"."id" IS NOT NULL FROM "book" LEFT JOIN "author" ON ...
    /// Book.joining(optional: Book.author.aliased(author)).annotated(with: author.exists)
    /// ```
    public var exists: SQLExpression { SQLExpression(.symbol(.rowExists(id))) }
}

// Not `??`, which is IFNULL for expressions. The transformation throws nothing.

extension SQLExpression {
    /// The expression whose columns are those of an alias.
    func qualified(by alias: TableAliasID) -> SQLExpression {
        var qualification = Qualification(alias: alias)
        do { return try qualification.expression(self) } catch { return self }
    }
}

extension SQLOrdering {
    fileprivate func qualified(by alias: TableAliasID) -> SQLOrdering {
        var qualification = Qualification(alias: alias)
        do { return try qualification.orderings(self)[0] } catch { return self }
    }
}

/// Qualifies the columns of the current table with an alias. What stands in a subquery has its own table.
private struct Qualification: ExpressionTransform {
    let alias: TableAliasID

    mutating func expression(_ expression: SQLExpression) throws -> SQLExpression {
        if case .column(let name, .current) = expression.node { return SQLExpression(.column(name, .alias(alias))) }
        return try expression.mapChildren(&self)
    }

    func subquery(_ subquery: SQLSubquery) -> SQLSubquery { subquery }

    func literal(_ literal: SQL) throws -> SQL { literal }
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
    public init(name: String? = nil, for record: RowDecoder.Type = RowDecoder.self) { super.init(.next(name: name)) }

    /// The alias of an identity.
    init(id: TableAliasID) { super.init(id) }
}

extension TableAlias where RowDecoder == () {
    /// An alias, with a name of its own or that of the table.
    public convenience init(name: String? = nil) { self.init(name: name, for: Void.self) }
}

extension TableAlias where RowDecoder: TableRecord {
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    // Three overloads, no more: conditions with several columns are slow to type-check (Tests/CompileTime/Joins).

    /// A column of the aliased table, or any expression: `team.id`.
    public subscript<T: SQLSpecificExpressible>(
        dynamicMember keyPath: KeyPath<DatabaseComponents, T>
    ) -> SQLExpression {
        self[RowDecoder.databaseComponents[keyPath: keyPath].sqlExpression]
    }

    /// A JSON column of the aliased table: `player.address["country"]`.
    public subscript<T: SQLJSONExpressible>(
        dynamicMember keyPath: KeyPath<DatabaseComponents, T>
    ) -> AnySQLJSONExpressible {
        self[RowDecoder.databaseComponents[keyPath: keyPath].sqlExpression].asJSON
    }
}
