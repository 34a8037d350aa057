// Aggregates of associations: expressions that know which record type they belong to.

/// A value that is computed over the associated rows of each row: a count, a sum...
///
/// ```swift
/// // SELECT "author".*, (SELECT COUNT(*) FROM "book" WHERE "authorId" = "author"."id") AS "bookCount" FROM "author"
/// Author.annotated(with: Author.books.count)
/// Author.having(Author.books.count > Author.paintings.count)
/// ```
///
/// Each aggregate is computed by itself: those of several associations, in one request, are right. A row that an
/// association leads to by several ways counts once.
///
/// Where the foreign key of the associated rows has no index, their table is read once, in a grouped subquery.
public struct AssociationAggregate<RowDecoder>: Sendable, SQLExpressible {
    public let sqlExpression: SQLExpression
    /// The name in the fetched rows.
    let key: String?

    init(_ expression: SQLExpression, key: String? = nil) {
        sqlExpression = expression
        self.key = key
    }

    /// The aggregate with a name in the fetched rows.
    public func forKey(_ key: String) -> AssociationAggregate<RowDecoder> {
        AssociationAggregate(sqlExpression, key: key)
    }

    /// The aggregate with the name of a coding key.
    public func forKey(_ codingKey: some CodingKey) -> AssociationAggregate<RowDecoder> {
        forKey(codingKey.stringValue)
    }

    var sqlSelection: SQLSelection {
        SQLSelection(key.map { .named(sqlExpression, $0) } ?? .expression(sqlExpression))
    }
}

extension AssociationToMany {
    /// The number of associated rows; its name is `bookCount` for the key `books`.
    public var count: AssociationAggregate<OriginRowDecoder> {
        aggregate(.count, key: "\(name)Count")
    }

    /// Whether there is no associated row; its name is `hasNoBook` for the key `books`.
    public var isEmpty: AssociationAggregate<OriginRowDecoder> {
        aggregate(.isEmpty, key: "hasNo\(name.uppercasedFirst)")
    }

    /// The average of an expression over the associated rows; `averageBookPrice`.
    public func average(_ expression: any SQLExpressible & SQLSelectable) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(.average, expression) { "average\($0.uppercasedFirst)\($1.uppercasedFirst)" }
    }

    /// The greatest value of an expression over the associated rows; `maxBookYear`.
    public func max(_ expression: any SQLExpressible & SQLSelectable) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(.max, expression) { "max\($0.uppercasedFirst)\($1.uppercasedFirst)" }
    }

    /// The least value of an expression over the associated rows; `minBookYear`.
    public func min(_ expression: any SQLExpressible & SQLSelectable) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(.min, expression) { "min\($0.uppercasedFirst)\($1.uppercasedFirst)" }
    }

    /// The sum of an expression over the associated rows, NULL if there is none; `bookAwardsSum`.
    public func sum(_ expression: any SQLExpressible & SQLSelectable) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(.sum, expression) { "\($0)\($1.uppercasedFirst)Sum" }
    }

    /// The sum of an expression over the associated rows as a double, 0.0 if there is none; `bookAwardsSum`.
    public func total(_ expression: any SQLExpressible & SQLSelectable) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(.total, expression) { "\($0)\($1.uppercasedFirst)Sum" }
    }

    private var name: String { path.last.key.singular }

    private func aggregate(
        _ function: AssociatedValue.Function, key: String?
    ) -> AssociationAggregate<OriginRowDecoder> {
        var path = path
        // Aggregates over the same rows share a subquery, whatever their association is called.
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
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// The average of an expression over the associated rows: `Author.books.average(\.price)`.
    public func average(
        _ expression: (DatabaseComponents) throws -> any SQLExpressible & SQLSelectable
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        average(try expression(RowDecoder.databaseComponents))
    }

    /// The greatest value of an expression over the associated rows: `Author.books.max(\.year)`.
    public func max(
        _ expression: (DatabaseComponents) throws -> any SQLExpressible & SQLSelectable
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        max(try expression(RowDecoder.databaseComponents))
    }

    /// The least value of an expression over the associated rows: `Author.books.min(\.year)`.
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
    /// The request with aggregates of associations: `Author.annotated(with: Author.books.count)`.
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> Self {
        annotated(with: aggregates.map(\.sqlSelection))._mapRelation { $0.hasAggregates = true }
    }

    /// The request with aggregates of associations.
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> Self { annotated(with: aggregates) }
}

extension AggregatingRequest where Self: TypedRequest {
    /// The rows whose associated rows satisfy a condition: `Author.having(Author.books.count >= 2)`.
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> Self {
        // The condition is on one row, whose associated rows are a subquery: it needs no group.
        _mapRelation {
            $0.filters.append(predicate.sqlExpression)
            $0.hasAggregates = true
        }
    }
}

extension TableRecord {
    /// A request with aggregates of associations: `Author.annotated(with: Author.books.count)`.
    public static func annotated(with aggregates: [AssociationAggregate<Self>]) -> QueryInterfaceRequest<Self> {
        all().annotated(with: aggregates)
    }

    /// A request with aggregates of associations.
    public static func annotated(with aggregates: AssociationAggregate<Self>...) -> QueryInterfaceRequest<Self> {
        all().annotated(with: aggregates)
    }

    /// A request of the records whose associated rows satisfy a condition.
    public static func having(_ predicate: AssociationAggregate<Self>) -> QueryInterfaceRequest<Self> {
        all().having(predicate)
    }
}

extension Table {
    /// A request with aggregates of associations.
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: aggregates)
    }

    /// A request with aggregates of associations.
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: aggregates)
    }

    /// A request of the rows whose associated rows satisfy a condition.
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
        all().having(predicate)
    }
}
