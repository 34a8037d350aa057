// The request verbs. They exist once, on protocols that the query interface request, and later associations, adopt:
// each changes the relation behind the request. Types that only start requests (TableRecord, Table) forward.
// The verbs consume their request: those of a chain change one relation in place, where each would copy the one before.
// Those that take a closure are `@inlinable`: it then runs in place, without generic metadata (benchmark request-build).

/// A request whose relation can change. Not for users: the protocols below refine it.
public protocol RelationRequest {
    /// The same request, with its relation changed.
    consuming func _mapRelation(_ change: (inout Relation) -> Void) -> Self
}

/// A request whose selection can change.
public protocol SelectionRequest: RelationRequest {}

/// A request that can be filtered.
public protocol FilteredRequest: RelationRequest {}

/// A request that can be ordered.
public protocol OrderedRequest: RelationRequest {}

/// A request that can be grouped.
public protocol AggregatingRequest: RelationRequest {}

/// A request on a table.
public protocol TableRequest: RelationRequest {
    /// The name of the table.
    var databaseTableName: String { get }
}

/// A request that associations can be joined to.
public protocol JoinableRequest<RowDecoder>: TypedRequest, RelationRequest {}

/// A request that can be derived in all ways: filtered, ordered, grouped...
///
/// ```swift
/// extension DerivableRequest<Player> {
///     func best() -> Self { order(\.score.desc) }
/// }
/// Player.all().best()
/// ```
public protocol DerivableRequest<RowDecoder>: AggregatingRequest, FilteredRequest, JoinableRequest, OrderedRequest,
    SelectionRequest, TableRequest
{}

/// A term that waits for a connection.
///
/// - Parameter leavesOneRow: whether the terms, as filters, leave one row at most.
func deferred<Term: DeferrableTerm>(
    leavesOneRow: Bool = false, _ terms: @escaping @Sendable (Database) throws -> [Term]
) -> Term {
    .deferred(
        Deferred(leavesOneRow: leavesOneRow) { schema in
            guard let db = schema as? Database else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "this request needs a connection")
            }
            return try terms(db)
        })
}

// MARK: - SELECT

extension SelectionRequest {
    /// The request with another selection: `SELECT id, name`.
    ///
    /// Without any column, its rows are empty.
    public consuming func select(_ selection: [any SQLSelectable]) -> Self {
        _mapRelation {
            $0.selection = selection.isEmpty ? [SQLSelection(.symbol(.nothing))] : selection.map { $0.sqlSelection }
        }
    }

    /// The request with another selection.
    public consuming func select(_ selection: any SQLSelectable...) -> Self { select(selection) }

    /// The request with a selection in SQL.
    public consuming func select(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        select(literal: SQL(sql: sql, arguments: arguments))
    }

    /// The request with a selection in SQL.
    public consuming func select(literal sqlLiteral: SQL) -> Self { select([sqlLiteral]) }

    /// The request with a selection that a connection tells.
    public consuming func selectWhenConnected(
        _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        _mapRelation { $0.selection = [deferred { try selection($0).map(\.sqlSelection) }] }
    }

    /// The request with more selected.
    public consuming func annotated(with selection: [any SQLSelectable]) -> Self {
        _mapRelation {
            $0.selectAllIfEmpty()
            $0.selection += selection.map { $0.sqlSelection }
        }
    }

    /// The request with more selected.
    public consuming func annotated(with selection: any SQLSelectable...) -> Self { annotated(with: selection) }

    /// The request with more selected, which a connection tells.
    public consuming func annotatedWhenConnected(
        with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        _mapRelation {
            $0.selectAllIfEmpty()
            $0.selection.append(deferred { try selection($0).map(\.sqlSelection) })
        }
    }
}

extension SelectionRequest where Self: TypedRequest, RowDecoder: TableRecord {
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// The request with another selection: `select { [$0.id, $0.name] }`.
    @inlinable
    public consuming func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
        select(try selection(RowDecoder.databaseComponents))
    }

    /// The request with another selection: `select(\.name)`.
    @inlinable
    public consuming func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
        select([try selection(RowDecoder.databaseComponents)])
    }

    /// The request with more selected: `annotated { [$0.score + 1] }`.
    @inlinable
    public consuming func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self
    {
        annotated(with: try selection(RowDecoder.databaseComponents))
    }

    /// The request with more selected.
    @inlinable
    public consuming func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
        annotated(with: [try selection(RowDecoder.databaseComponents)])
    }
}

extension Relation {
    fileprivate mutating func selectAllIfEmpty() {
        if selection.isEmpty { selection = [SQLSelection(.allColumns(table: nil))] }
    }
}

// MARK: - WHERE

extension FilteredRequest {
    /// The request as it is.
    public consuming func all() -> Self { self }

    /// The request of no row.
    public consuming func none() -> Self { filter(SQLExpression.value(.int64(0))) }

    /// The rows that satisfy a condition too: conditions add up.
    // Not `some`: Swift would check the bodies of closures against it, for seconds.
    public consuming func filter(_ predicate: any SQLSpecificExpressible) -> Self {
        _mapRelation { $0.filters.append(predicate.sqlExpression) }
    }

    /// The rows of a condition that Swift knows: all of them, or none.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE ?   -- 1
    /// Player.filter(true)
    /// ```
    @_disfavoredOverload  // the comparison of two terms is SQL first
    public consuming func filter(_ condition: Bool) -> Self {
        _mapRelation { $0.filters.append(condition.sqlExpression) }
    }

    /// The rows that satisfy a condition in SQL: `filter(sql: "score > ?", arguments: [1000])`.
    public consuming func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        filter(literal: SQL(sql: sql, arguments: arguments))
    }

    /// The rows that satisfy a condition in SQL: `filter(literal: "score > \(1000)")`.
    public consuming func filter(literal sqlLiteral: SQL) -> Self { filter(sqlLiteral) }

    /// The rows that satisfy a condition that a connection tells.
    public consuming func filterWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        _mapRelation { $0.filters.append(deferred { [try predicate($0).sqlExpression] }) }
    }

    /// The rows of a condition that Swift knows when a connection is there: all of them, or none.
    // Two texts would compare in several ways as SQL.
    public consuming func filterWhenConnected(_ condition: @escaping @Sendable (Database) throws -> Bool) -> Self {
        _mapRelation { $0.filters.append(deferred { [try condition($0).sqlExpression] }) }
    }
}

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// The rows that satisfy a condition: `filter { $0.score > 1000 }`.
    @inlinable
    public consuming func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> Self {
        filter(try predicate(RowDecoder.databaseComponents))
    }
}

// MARK: - GROUP BY

extension AggregatingRequest {
    /// The rows grouped by expressions, which replace the previous ones.
    public consuming func group(_ expressions: [any SQLExpressible]) -> Self {
        _mapRelation { $0.groups = expressions.map { $0.sqlExpression } }
    }

    /// The rows grouped by expressions.
    public consuming func group(_ expressions: any SQLExpressible...) -> Self { group(expressions) }

    /// The rows grouped by SQL.
    public consuming func group(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        group(literal: SQL(sql: sql, arguments: arguments))
    }

    /// The rows grouped by SQL.
    public consuming func group(literal sqlLiteral: SQL) -> Self { group([sqlLiteral]) }

    /// The rows grouped by expressions that a connection tells.
    public consuming func groupWhenConnected(
        _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
    ) -> Self {
        _mapRelation { $0.groups = [deferred { try expressions($0).map(\.sqlExpression) }] }
    }

    /// The groups that satisfy a condition too: conditions add up.
    // Not `some`: Swift would check the bodies of closures against it, for seconds.
    public consuming func having(_ predicate: any SQLExpressible) -> Self {
        _mapRelation { $0.havings.append(predicate.sqlExpression) }
    }

    /// The groups that satisfy a condition in SQL.
    public consuming func having(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        having(literal: SQL(sql: sql, arguments: arguments))
    }

    /// The groups that satisfy a condition in SQL.
    public consuming func having(literal sqlLiteral: SQL) -> Self { having(sqlLiteral) }

    /// The groups that satisfy a condition that a connection tells.
    public consuming func havingWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        _mapRelation { $0.havings.append(deferred { [try predicate($0).sqlExpression] }) }
    }
}

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// The rows grouped by an expression: `group(\.team)`.
    @inlinable
    public consuming func group(_ expression: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
        group([try expression(RowDecoder.databaseComponents)])
    }

    /// The rows grouped by expressions: `group { [$0.team, $0.city] }`.
    @inlinable
    public consuming func group(_ expressions: (DatabaseComponents) throws -> [any SQLExpressible]) rethrows -> Self {
        group(try expressions(RowDecoder.databaseComponents))
    }

    /// The groups that satisfy a condition: `having { max($0.score) > 1000 }`.
    @inlinable
    public consuming func having(_ predicate: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
        having(try predicate(RowDecoder.databaseComponents))
    }
}

// MARK: - ORDER BY

extension OrderedRequest {
    /// The request in an order, which replaces the previous one.
    public consuming func order(_ orderings: [any SQLOrderingTerm]) -> Self {
        _mapRelation {
            $0.orderings = orderings.map { $0.sqlOrdering }
            $0.isReversed = false
        }
    }

    /// The request in an order.
    public consuming func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

    /// The request in an order in SQL.
    public consuming func order(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        order(literal: SQL(sql: sql, arguments: arguments))
    }

    /// The request in an order in SQL.
    public consuming func order(literal sqlLiteral: SQL) -> Self { order([sqlLiteral]) }

    /// The request in an order that a connection tells.
    public consuming func orderWhenConnected(
        _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
    ) -> Self {
        _mapRelation {
            $0.orderings = [deferred { try orderings($0).map(\.sqlOrdering) }]
            $0.isReversed = false
        }
    }

    /// The request in the reverse order, that of its joined associations too. Without order, it stays as it is.
    public consuming func reversed() -> Self { _mapRelation { $0.isReversed.toggle() } }

    /// The request without order, nor that of its joined associations.
    public consuming func unordered() -> Self { _mapRelation { $0.unorder() } }

    /// The request in its order, with the primary key for what it leaves open: the same rows come in the same order.
    public consuming func withStableOrder() -> Self { _mapRelation { $0.isStablyOrdered = true } }
}

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// The request in an order: `order(\.score.desc)`.
    @inlinable
    public consuming func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> Self {
        order([try ordering(RowDecoder.databaseComponents)])
    }

    /// The request in an order: `order { [$0.score.desc, $0.name] }`.
    @inlinable
    public consuming func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows -> Self {
        order(try orderings(RowDecoder.databaseComponents))
    }
}
