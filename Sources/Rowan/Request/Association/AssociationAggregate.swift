// Association aggregates: expressions with the record type that they belong to.

/// A value computed over the associated rows of each row: a count, a sum...
///
/// ```swift
/// // SELECT "author".*, (SELECT COUNT(*) FROM "book" WHERE "authorId" = "author"."id") AS "bookCount" FROM "author"
/// Author.annotated(with: Author.books.count)
/// Author.having(Author.books.count > Author.paintings.count)
/// ```
///
/// Each aggregate is computed separately, so a request can combine the aggregates of several associations. A row that
/// an association reaches through several pivots counts once.
///
/// If the foreign key of the associated rows has no index, their table is read once, in a grouped subquery.
///
/// Article: <doc:Aggregates>.
public struct AssociationAggregate<RowDecoder>: Sendable, SQLExpressible {
    /// The value of the aggregate.
    public let sqlExpression: SQLExpression
    /// The name in the fetched rows.
    let key: String?

    init(_ expression: SQLExpression, key: String? = nil) {
        sqlExpression = expression
        self.key = key
    }

    /// Changes the name of the aggregate in the fetched rows.
    public func forKey(_ key: String) -> AssociationAggregate<RowDecoder> {
        AssociationAggregate(sqlExpression, key: key)
    }

    /// Changes the name of the aggregate to that of a coding key.
    public func forKey(_ codingKey: some CodingKey) -> AssociationAggregate<RowDecoder> {
        forKey(codingKey.stringValue)
    }

    var sqlSelection: SQLSelection {
        SQLSelection(key.map { .named(sqlExpression, $0) } ?? .expression(sqlExpression))
    }
}

extension AssociationAggregate: SQLOrderingTerm {
    /// The ordering by the aggregate: `Package.order(Package.tags.count.desc)`.
    public var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
    /// The minimum value first.
    public var asc: SQLOrdering { sqlExpression.asc }
    /// The maximum value first.
    public var desc: SQLOrdering { sqlExpression.desc }
    /// The minimum value first, and NULL last.
    public var ascNullsLast: SQLOrdering { sqlExpression.ascNullsLast }
    /// NULL first, then the maximum value.
    public var descNullsFirst: SQLOrdering { sqlExpression.descNullsFirst }
}

extension AssociationToMany {
    /// The number of associated rows. For the key `books`, its name is `bookCount`.
    public var count: AssociationAggregate<OriginRowDecoder> {
        aggregate(.count, key: "\(name)Count")
    }

    /// Whether there are no associated rows. For the key `books`, its name is `hasNoBook`.
    public var isEmpty: AssociationAggregate<OriginRowDecoder> {
        aggregate(.isEmpty, key: "hasNo\(name.uppercasedFirst)")
    }

    /// The average of an expression over the associated rows. Example name: `averageBookPrice`.
    public func average(_ expression: any SQLExpressible & SQLSelectable) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(.average, expression) { "average\($0.uppercasedFirst)\($1.uppercasedFirst)" }
    }

    /// The maximum of an expression over the associated rows. Example name: `maxBookYear`.
    public func max(_ expression: any SQLExpressible & SQLSelectable) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(.max, expression) { "max\($0.uppercasedFirst)\($1.uppercasedFirst)" }
    }

    /// The minimum of an expression over the associated rows. Example name: `minBookYear`.
    public func min(_ expression: any SQLExpressible & SQLSelectable) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(.min, expression) { "min\($0.uppercasedFirst)\($1.uppercasedFirst)" }
    }

    /// The sum of an expression over the associated rows, or NULL without rows. Example name: `bookAwardsSum`.
    public func sum(_ expression: any SQLExpressible & SQLSelectable) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(.sum, expression) { "\($0)\($1.uppercasedFirst)Sum" }
    }

    /// The sum of an expression over the associated rows as a double, or 0.0 without rows. Example name:
    /// `bookAwardsSum`.
    public func total(_ expression: any SQLExpressible & SQLSelectable) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(.total, expression) { "\($0)\($1.uppercasedFirst)Sum" }
    }

    private var name: String { path.last.key.singular }

    private func aggregate(
        _ function: AssociatedValue.Function, key: String?
    ) -> AssociationAggregate<OriginRowDecoder> {
        var path = path
        // Aggregates over the same rows share a subquery, even if the keys of their associations differ.
        path.last.key = .fixed(path.last.key.many)
        return AssociationAggregate(
            SQLExpression(.symbol(.aggregate(AssociatedValue(path: path, function: function)))), key: key)
    }

    private func aggregate(
        _ function: SQLExpression.AggregateFunction, _ expression: any SQLExpressible & SQLSelectable,
        key: (_ name: String, _ column: String) -> String
    ) -> AssociationAggregate<OriginRowDecoder> {
        let expression = expression.sqlExpression
        let column: String? = if case .column(let name, _) = expression.node { name } else { nil }
        return aggregate(.call(function, expression), key: column.map { key(name, $0) })
    }
}

extension AssociationToMany where RowDecoder: TableRecord {
    /// The type that closures receive. By default, the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// The average of an expression over the associated rows: `Author.books.average(\.price)`.
    public func average(
        _ expression: (DatabaseComponents) throws -> any SQLExpressible & SQLSelectable
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        average(try expression(RowDecoder.databaseComponents))
    }

    /// The maximum of an expression over the associated rows: `Author.books.max(\.year)`.
    public func max(
        _ expression: (DatabaseComponents) throws -> any SQLExpressible & SQLSelectable
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        max(try expression(RowDecoder.databaseComponents))
    }

    /// The minimum of an expression over the associated rows: `Author.books.min(\.year)`.
    public func min(
        _ expression: (DatabaseComponents) throws -> any SQLExpressible & SQLSelectable
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        min(try expression(RowDecoder.databaseComponents))
    }

    /// The sum of an expression over the associated rows: `Author.books.sum(\.awards)`.
    public func sum(
        _ expression: (DatabaseComponents) throws -> any SQLExpressible & SQLSelectable
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        sum(try expression(RowDecoder.databaseComponents))
    }

    /// The sum of an expression over the associated rows as a double: `Author.books.total(\.price)`.
    public func total(
        _ expression: (DatabaseComponents) throws -> any SQLExpressible & SQLSelectable
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        total(try expression(RowDecoder.databaseComponents))
    }
}

// MARK: - Requests

extension SelectionRequest where Self: TypedRequest {
    /// Adds association aggregates to the selection: `Author.annotated(with: Author.books.count)`.
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> Self {
        annotated(with: aggregates.map(\.sqlSelection))._mapRelation { $0.hasAggregates = true }
    }

    /// Adds several association aggregates to the selection.
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> Self { annotated(with: aggregates) }
}

extension AggregatingRequest where Self: TypedRequest {
    /// Adds a condition on association aggregates: `Author.having(Author.books.count >= 2)`.
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> Self {
        // The condition concerns one row, and its associated rows are in a subquery, so no group is necessary.
        _mapRelation {
            $0.addFilter(predicate.sqlExpression)
            $0.hasAggregates = true
        }
    }
}
