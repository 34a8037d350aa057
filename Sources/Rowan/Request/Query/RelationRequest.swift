// The methods of requests. They are defined only here, in protocols that requests and associations adopt. Each method
// changes the relation behind the request. Types that only start requests (TableRecord, Table) forward to them. The
// methods consume their request, so that a chain changes one relation in place instead of copying it at each step.
// Methods with closures are `@inlinable` to run closures in place without generic metadata (benchmark request-build).

/// A request with a changeable relation. Not for users: the protocols below refine it.
public protocol RelationRequest {
    /// Returns the request with a changed relation.
    consuming func _mapRelation(_ change: (inout Relation) -> Void) -> Self
}

/// A request with a changeable selection.
///
/// Article: <doc:Requests>.
public protocol SelectionRequest: RelationRequest {}

/// A request that can be filtered.
///
/// Article: <doc:FiltersAndOrders>.
public protocol FilteredRequest: RelationRequest {}

/// A request that can be ordered.
///
/// Article: <doc:FiltersAndOrders>.
public protocol OrderedRequest: RelationRequest {}

/// A request that can be grouped.
///
/// Article: <doc:FiltersAndOrders>.
public protocol AggregatingRequest: RelationRequest {}

/// A request on a table.
public protocol TableRequest: RelationRequest {
    /// The name of the table.
    var databaseTableName: String { get }
}

/// A request that associations can be joined to.
///
/// Article: <doc:AssociationsInDepth>.
public protocol JoinableRequest<RowDecoder>: TypedRequest, RelationRequest {}

/// A request that supports all methods: filters, orders, groups...
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

/// Creates a term that needs a connection.
///
/// - Parameter leavesOneRow: whether the terms, used as filters, select at most one row.
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
    /// Replaces the selection: `SELECT id, name`.
    ///
    /// Without columns, the rows are empty.
    public consuming func select(_ selection: [any SQLSelectable]) -> Self {
        _mapRelation {
            $0.select(selection.isEmpty ? [SQLSelection(.symbol(.nothing))] : selection.map { $0.sqlSelection })
        }
    }

    /// Replaces the selection with several columns or expressions.
    public consuming func select(_ selection: any SQLSelectable...) -> Self { select(selection) }

    /// Replaces the selection, in SQL.
    public consuming func select(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        select(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Replaces the selection with a literal.
    public consuming func select(literal sqlLiteral: SQL) -> Self { select([sqlLiteral]) }

    /// Replaces the selection with one that depends on the connection.
    public consuming func selectWhenConnected(
        _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        _mapRelation { $0.select([deferred { try selection($0).map(\.sqlSelection) }]) }
    }

    /// Adds columns to the selection.
    public consuming func annotated(with selection: [any SQLSelectable]) -> Self {
        _mapRelation {
            $0.selectAllIfEmpty()
            $0.selection += selection.map { $0.sqlSelection }
        }
    }

    /// Adds several columns to the selection.
    public consuming func annotated(with selection: any SQLSelectable...) -> Self { annotated(with: selection) }

    /// Adds columns that depend on the connection to the selection.
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
    /// The type that closures receive. By default, the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Replaces the selection: `select { [$0.id, $0.name] }`.
    @inlinable
    public consuming func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
        select(try selection(RowDecoder.databaseComponents))
    }

    /// Replaces the selection with one expression: `select(\.name)`.
    @inlinable
    public consuming func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
        select([try selection(RowDecoder.databaseComponents)])
    }

    /// Adds columns to the selection: `annotated { [$0.score + 1] }`.
    @inlinable
    public consuming func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self
    {
        annotated(with: try selection(RowDecoder.databaseComponents))
    }

    /// Adds one column to the selection.
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
    /// The request itself.
    public consuming func all() -> Self { self }

    /// The request without rows.
    public consuming func none() -> Self { filter(SQLExpression.value(.int64(0))) }

    // Not `some`: Swift would type-check the bodies of closures against it for seconds.
    /// Adds a condition. All conditions of a request must be satisfied.
    public consuming func filter(_ predicate: any SQLSpecificExpressible) -> Self {
        _mapRelation { $0.addFilter(predicate.sqlExpression) }
    }

    /// Adds a condition that Swift evaluates: keeps all rows or none.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE ?   -- 1
    /// Player.filter(true)
    /// ```
    @_disfavoredOverload  // the comparison of two terms should be SQL
    public consuming func filter(_ condition: Bool) -> Self {
        _mapRelation { $0.addFilter(condition.sqlExpression) }
    }

    /// Adds a condition in SQL: `filter(sql: "score > ?", arguments: [1000])`.
    public consuming func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        filter(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Adds a condition as a literal: `filter(literal: "score > \(1000)")`.
    public consuming func filter(literal sqlLiteral: SQL) -> Self { filter(sqlLiteral) }

    /// Adds a condition that depends on the connection.
    public consuming func filterWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        _mapRelation { $0.addFilter(deferred { [try predicate($0).sqlExpression] }) }
    }

    // Otherwise, the comparison of two strings would be ambiguous.
    /// Adds a condition that Swift evaluates with the connection: keeps all rows or none.
    public consuming func filterWhenConnected(_ condition: @escaping @Sendable (Database) throws -> Bool) -> Self {
        _mapRelation { $0.addFilter(deferred { [try condition($0).sqlExpression] }) }
    }
}

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type that closures receive. By default, the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    // The type that operators return, without an existential: Swift checks operators against it twenty times as fast.
    /// Adds a condition: `filter { $0.score > 1000 }`.
    @inlinable
    public consuming func filter(_ predicate: (DatabaseComponents) throws -> SQLExpression) rethrows -> Self {
        filter(try predicate(RowDecoder.databaseComponents))
    }

    /// Adds a condition of another type: a column, a literal, a subquery or an aggregate.
    @inlinable
    @_disfavoredOverload
    public consuming func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> Self {
        filter(try predicate(RowDecoder.databaseComponents))
    }

    /// Adds a Boolean column or expression as a condition: `filter { $0.isActive }`. Rows where it is NULL are
    /// excluded.
    @_disfavoredOverload
    public consuming func filter<Condition: SQLTypedExpressible>(
        _ predicate: (DatabaseComponents) throws -> Condition
    ) rethrows -> Self where Condition.Value: SQLCondition {
        filter(try predicate(RowDecoder.databaseComponents).sqlExpression)
    }
}

// MARK: - GROUP BY

extension AggregatingRequest {
    /// Groups the rows by expressions, which replace the previous ones.
    public consuming func group(_ expressions: [any SQLExpressible]) -> Self {
        _mapRelation { $0.groups = expressions.map { $0.sqlExpression } }
    }

    /// Groups the rows by several expressions, which replace the previous ones.
    public consuming func group(_ expressions: any SQLExpressible...) -> Self { group(expressions) }

    /// Groups the rows by SQL.
    public consuming func group(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        group(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Groups the rows by a literal.
    public consuming func group(literal sqlLiteral: SQL) -> Self { group([sqlLiteral]) }

    /// Groups the rows by expressions that depend on the connection.
    public consuming func groupWhenConnected(
        _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
    ) -> Self {
        _mapRelation { $0.groups = [deferred { try expressions($0).map(\.sqlExpression) }] }
    }

    // Not `some`: Swift would type-check the bodies of closures against it for seconds.
    /// Adds a condition on groups. All conditions must be satisfied.
    public consuming func having(_ predicate: any SQLExpressible) -> Self {
        _mapRelation { $0.havings.append(predicate.sqlExpression) }
    }

    /// Adds a condition on groups, in SQL.
    public consuming func having(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        having(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Adds a condition on groups, as a literal.
    public consuming func having(literal sqlLiteral: SQL) -> Self { having(sqlLiteral) }

    /// Adds a condition on groups that depends on the connection.
    public consuming func havingWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        _mapRelation { $0.havings.append(deferred { [try predicate($0).sqlExpression] }) }
    }
}

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type that closures receive. By default, the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Groups the rows by one expression: `group(\.team)`.
    @inlinable
    public consuming func group(_ expression: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
        group([try expression(RowDecoder.databaseComponents)])
    }

    /// Groups the rows by several expressions: `group { [$0.team, $0.city] }`.
    @inlinable
    public consuming func group(_ expressions: (DatabaseComponents) throws -> [any SQLExpressible]) rethrows -> Self {
        group(try expressions(RowDecoder.databaseComponents))
    }

    /// Adds a condition on groups: `having { max($0.score) > 1000 }`.
    @inlinable
    public consuming func having(_ predicate: (DatabaseComponents) throws -> SQLExpression) rethrows -> Self {
        having(try predicate(RowDecoder.databaseComponents))
    }

    /// Adds a condition on groups of another type: a column, a literal, a subquery or an aggregate.
    @inlinable
    @_disfavoredOverload
    public consuming func having(_ predicate: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
        having(try predicate(RowDecoder.databaseComponents))
    }
}

// MARK: - ORDER BY

extension OrderedRequest {
    /// Orders the rows. Replaces the previous order.
    public consuming func order(_ orderings: [any SQLOrderingTerm]) -> Self {
        _mapRelation {
            $0.orderings = orderings.map { $0.sqlOrdering }
            $0.isReversed = false
        }
    }

    /// Orders the rows by several terms. Replaces the previous order.
    public consuming func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

    /// Orders the rows by SQL.
    public consuming func order(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        order(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Orders the rows by a literal.
    public consuming func order(literal sqlLiteral: SQL) -> Self { order([sqlLiteral]) }

    /// Orders the rows by terms that depend on the connection.
    public consuming func orderWhenConnected(
        _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
    ) -> Self {
        _mapRelation {
            $0.orderings = [deferred { try orderings($0).map(\.sqlOrdering) }]
            $0.isReversed = false
        }
    }

    /// Reverses the order, including that of joined associations. Without an order, it has no effect. Fetching throws
    /// ``RequestError/literalOrder`` if a part of the order is SQL.
    public consuming func reversed() -> Self { _mapRelation { $0.isReversed.toggle() } }

    /// Removes the order, including that of joined associations.
    public consuming func unordered() -> Self { _mapRelation { $0.unorder() } }

    /// Adds the primary key to the order to break ties, so that equal queries return rows in the same order. A view or
    /// another source without a primary key is ordered by all selected columns.
    public consuming func withStableOrder() -> Self { _mapRelation { $0.isStablyOrdered = true } }
}

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type that closures receive. By default, the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Orders the rows by one term: `order(\.score.desc)`.
    @inlinable
    public consuming func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> Self {
        order([try ordering(RowDecoder.databaseComponents)])
    }

    /// Orders the rows by several terms: `order { [$0.score.desc, $0.name] }`.
    @inlinable
    public consuming func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows -> Self {
        order(try orderings(RowDecoder.databaseComponents))
    }
}
