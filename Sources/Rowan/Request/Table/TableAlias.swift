// Aliases: a number, and a name if the user provides one.

import Synchronization

private let nextAliasNumber = Atomic<Int>(0)

extension TableAliasID {
    /// A new identity.
    static func next(name: String? = nil) -> TableAliasID {
        TableAliasID(number: nextAliasNumber.add(1, ordering: .relaxed).newValue, name: name)
    }
}

/// The base class of table aliases.
public class TableAliasBase: Hashable, @unchecked Sendable {
    // `@unchecked` only for the subclass: the state is immutable and needs no lock.
    let id: TableAliasID

    init(_ id: TableAliasID) { self.id = id }

    /// Whether both are the same alias.
    public static func == (lhs: TableAliasBase, rhs: TableAliasBase) -> Bool { lhs.id == rhs.id }
    /// Hashes the identity of the alias.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// A column of the aliased table.
    public subscript(_ column: String) -> SQLExpression { SQLExpression(.column(column, .alias(id))) }

    /// A column of the aliased table.
    public subscript(_ column: some ColumnExpression) -> SQLExpression { self[column.name] }

    /// A JSON column of the aliased table: `alias[JSONColumn("info")]["score"]`.
    public subscript(_ column: some SQLJSONExpressible & ColumnExpression) -> AnySQLJSONExpressible {
        self[column.name].asJSON
    }

    /// A JSON expression of the aliased table.
    public subscript(_ expression: some SQLJSONExpressible) -> AnySQLJSONExpressible {
        expression.sqlExpression.qualified(by: id).asJSON
    }

    /// An expression of the aliased table: `alias[Column("a") + Column("b")]`.
    public subscript(_ expression: some SQLSpecificExpressible) -> SQLExpression {
        expression.sqlExpression.qualified(by: id)
    }

    /// A typed expression of the aliased table: `alias[Player.Columns.score]`.
    public subscript<Value>(_ expression: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
        TypedExpression(expression.sqlExpression.qualified(by: id))
    }

    /// An ordering of the aliased table: `alias[Column("a").desc]`.
    public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering {
        ordering.sqlOrdering.qualified(by: id)
    }

    /// A selection of the aliased table: `alias[AllColumns()]`. SQL text is unchanged.
    @_disfavoredOverload  // an expression of the table is an expression, which can also be selected
    public subscript(_ selection: some SQLSelectable) -> SQLSelection {
        selection.sqlSelection.qualified(by: id)
    }

    /// Whether the aliased row of an optional association exists: its primary key is not NULL.
    ///
    /// ```swift
    /// // SELECT "book".*, "author"."id" IS NOT NULL FROM "book" LEFT JOIN "author" ON ...
    /// Book.joining(optional: Book.author.aliased(author)).annotated(with: author.exists)
    /// ```
    public var exists: SQLExpression { SQLExpression(.symbol(.rowExists(id))) }
}

/// An alias of a table in a request, to refer to the table from subqueries and conditions.
///
/// ```swift
/// // SELECT * FROM "team" WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")
/// let team = TableAlias<Team>()
/// let players = Player.filter { $0.teamId == team.id }
/// Team.aliased(team).filter(players.exists())
/// ```
///
/// Article: <doc:AssociationsInDepth>.
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
    /// Creates an alias, with a name or with the name of the table.
    public init(name: String? = nil, for record: RowDecoder.Type = RowDecoder.self) { super.init(.next(name: name)) }

    /// Creates an alias from its identity.
    init(id: TableAliasID) { super.init(id) }
}

extension TableAlias where RowDecoder == () {
    /// Creates an alias, with a name or with the name of the table.
    public convenience init(name: String? = nil) { self.init(name: name, for: Void.self) }
}

extension TableAlias where RowDecoder: TableRecord {
    /// The type with the columns: by default, `Columns`.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    // Few overloads, and no more general ones: conditions with several columns are slow to type-check
    // (Tests/CompileTime/Joins).

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

    /// A selection of the aliased table that the record type defines: `player.nameAndScore`.
    public subscript(dynamicMember keyPath: KeyPath<DatabaseComponents, SQLSelection>) -> SQLSelection {
        RowDecoder.databaseComponents[keyPath: keyPath].qualified(by: id)
    }

    /// An ordering of the aliased table that the record type defines: `player.bestFirst`.
    public subscript(dynamicMember keyPath: KeyPath<DatabaseComponents, SQLOrdering>) -> SQLOrdering {
        RowDecoder.databaseComponents[keyPath: keyPath].qualified(by: id)
    }
}
