// Requests made of requests: union, intersection, difference.

/// The rows of several requests as one: `UNION`, `UNION ALL`, `INTERSECT`, `EXCEPT`.
///
/// ```swift
/// // SELECT "name" FROM "player" UNION SELECT "name" FROM "coach" ORDER BY "name" LIMIT 10
/// let names = try Player.select(\.name, as: String.self)
///     .union(Coach.select(\.name, as: String.self))
///     .order(Column("name"))
///     .limit(10)
///     .fetchAll(db)
/// ```
///
/// Requests combine from left to right. A request with an order or a limit of its own keeps it. The requests must
/// select the same number of columns, or fetching throws; the names are those of the first one. A compound request is
/// a subquery as any other: `compound.contains($0.name)`, `CommonTableExpression(named: "n", request: compound)`, and
/// ``asDerivedTable(named:)`` for filters, groups and joins.
///
/// Source: <https://sqlite.org/lang_select.html#compound>
public struct CompoundRequest<RowDecoder>: FetchRequest, Sendable {
    private var query: CompoundQuery

    init(_ first: SQLSubquery, _ op: CompoundQuery.Operator, _ other: SQLSubquery) {
        query = CompoundQuery(first, [.init(op, other)])
    }

    public var sqlSubquery: SQLSubquery { SQLSubquery(.compound(query)) }

    /// The rows in an order, which replaces the previous one. Its columns are those of the rows.
    public func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

    /// The rows in an order, which replaces the previous one. Its columns are those of the rows.
    public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
        var result = self
        result.query.orderings = orderings.map(\.sqlOrdering)
        return result
    }

    /// At most `limit` rows, from an offset. It replaces the previous limit.
    public func limit(_ limit: Int, offset: Int? = nil) -> Self {
        var result = self
        result.query.limit = Relation.Limit(count: limit, offset: offset)
        return result
    }

    /// The same request, whose rows decode into another type.
    public func asRequest<T>(of type: T.Type) -> CompoundRequest<T> { CompoundRequest<T>(query: query) }

    fileprivate init(query: CompoundQuery) { self.query = query }

    func adding(_ op: CompoundQuery.Operator, _ other: SQLSubquery) -> Self {
        guard query.orderings.isEmpty, query.limit == nil else { return Self(sqlSubquery, op, other) }
        var result = self
        result.query.others.append(.init(op, other))
        return result
    }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        try query.refusePrefetches()
        var resolved = try Resolver(db).compound(query)
        if singleResult, resolved.limit == nil { resolved.limit = Relation.Limit(count: 1, offset: nil) }
        return PreparedRequest(reserving: try db.statement { $0.write(resolved) })
    }

    /// The number of rows: `SELECT COUNT(*) FROM (...)`.
    public func fetchCount(_ db: Database) throws -> Int { try sqlSubquery.fetchCount(db) }
}

extension CompoundRequest where RowDecoder: TableRecord {
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// The rows in an order, which replaces the previous one: `order(\.name)`.
    public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> Self {
        order([try ordering(RowDecoder.databaseComponents)])
    }

    /// The rows in an order, which replaces the previous one: `order { [$0.score.desc, $0.name] }`.
    public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows -> Self {
        order(try orderings(RowDecoder.databaseComponents))
    }
}

extension CompoundQuery {
    /// Prefetched rows belong to rows of one table.
    fileprivate func refusePrefetches() throws {
        for query in [first] + others.map(\.query) {
            guard case .relation(let relation) = query.content, let prefetch = relation.prefetches.first else {
                continue
            }
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "including(all:) of \"\(prefetch.name)\" has no place in a compound request")
        }
    }
}

extension FetchRequest {
    /// The rows of this request and of another one, each once: `UNION`.
    public func union(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound(.union, other)
    }

    /// The rows of this request and of another one, with duplicates: `UNION ALL`.
    public func unionAll(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound(.unionAll, other)
    }

    /// The rows that this request and another one have in common, each once: `INTERSECT`.
    public func intersect(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound(.intersect, other)
    }

    /// The rows of this request that another one does not have, each once: `EXCEPT`.
    public func except(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound(.except, other)
    }

    private func compound(
        _ op: CompoundQuery.Operator, _ other: some FetchRequest<RowDecoder>
    ) -> CompoundRequest<RowDecoder> {
        // Compounds combine from left to right: this one goes on.
        if let compound = self as? CompoundRequest<RowDecoder> { return compound.adding(op, other.sqlSubquery) }
        return CompoundRequest(sqlSubquery, op, other.sqlSubquery)
    }

    /// A request on the rows of this one, as if they were a table: a subquery in FROM.
    ///
    /// ```swift
    /// // SELECT "team", COUNT(*) FROM (SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10) AS "best" GROUP BY "team"
    /// Player.order(\.score.desc).limit(10).asDerivedTable(named: "best")
    ///     .select(Column("team"), count(.allColumns)).group(Column("team"))
    /// ```
    ///
    /// Source: <https://sqlite.org/lang_select.html#fromclause>
    public func asDerivedTable(named name: String) -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: Relation(.subquery(sqlSubquery, name: name)))
    }
}
