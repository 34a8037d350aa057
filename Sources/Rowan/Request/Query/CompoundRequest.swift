// Requests combined by union, intersection or difference.

/// The combined rows of several requests: `UNION`, `UNION ALL`, `INTERSECT`, `EXCEPT`.
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
/// Requests are combined from left to right. Each request keeps its own order and limit. All requests must select the
/// same number of columns; otherwise, the fetch throws an error. The first request defines the column names. A compound
/// request can be used as a subquery: `compound.contains($0.name)`,
/// `CommonTableExpression(named: "n", request: compound)`. To filter, group or join its rows, use
/// ``asDerivedTable(named:)``.
///
/// Article: <doc:CompoundsAndWindows>.
///
/// Source: <https://sqlite.org/lang_select.html#compound>
public struct CompoundRequest<RowDecoder>: FetchRequest, Sendable {
    private var query: CompoundQuery

    init(_ first: SQLSubquery, _ op: CompoundQuery.Operator, _ other: SQLSubquery) {
        query = CompoundQuery(first, [.init(op, other)])
    }

    /// The compound as a subquery.
    public var sqlSubquery: SQLSubquery { SQLSubquery(.compound(query)) }

    /// Orders the combined rows by their columns. Replaces the previous order.
    public func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

    /// Orders the combined rows by an array of ordering terms. Replaces the previous order.
    public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
        var result = self
        result.query.orderings = orderings.map(\.sqlOrdering)
        return result
    }

    /// Limits the combined rows, with an optional offset. Replaces the previous limit.
    public func limit(_ limit: Int, offset: Int? = nil) -> Self {
        var result = self
        result.query.limit = Relation.Limit(count: limit, offset: offset)
        return result
    }

    /// Returns the request with rows that decode to another type.
    public func asRequest<T>(of type: T.Type) -> CompoundRequest<T> { CompoundRequest<T>(query: query) }

    fileprivate init(query: CompoundQuery) { self.query = query }

    func adding(_ op: CompoundQuery.Operator, _ other: SQLSubquery) -> Self {
        guard query.orderings.isEmpty, query.limit == nil else { return Self(sqlSubquery, op, other) }
        var result = self
        result.query.others.append(.init(op, other))
        return result
    }

    /// Prepares the statement of the request.
    ///
    /// - Throws: a ``DatabaseError``; its code is SQLITE_MISUSE if a member includes prefetched rows.
    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        try query.refusePrefetches()
        var resolved = try Resolver(db).compound(query)
        if singleResult, resolved.limit == nil { resolved.limit = Relation.Limit(count: 1, offset: nil) }
        return PreparedRequest(try db.use { $0.write(resolved) })
    }

    /// The number of rows: `SELECT COUNT(*) FROM (...)`.
    public func fetchCount(_ db: Database) throws -> Int { try sqlSubquery.fetchCount(db) }
}

extension CompoundRequest where RowDecoder: TableRecord {
    /// The type that closures receive. By default, the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Orders the combined rows by one term: `order(\.name)`. Replaces the previous order.
    public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> Self {
        order([try ordering(RowDecoder.databaseComponents)])
    }

    /// Orders the combined rows by several terms: `order { [$0.score.desc, $0.name] }`. Replaces the previous order.
    public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows -> Self {
        order(try orderings(RowDecoder.databaseComponents))
    }
}

extension CompoundQuery {
    /// Prefetched rows need the rows of a single table.
    fileprivate func refusePrefetches() throws {
        for query in [first] + others.map(\.query) {
            guard case .relation(let relation) = query.content, let prefetch = relation.prefetches.first else {
                continue
            }
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a compound request can't include \"\(prefetch.name)\": remove including(all:)")
        }
    }
}

extension FetchRequest {
    /// The rows of this request and of the other one, without duplicates: `UNION`.
    public func union(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound(.union, other)
    }

    /// The rows of this request and of the other one, with duplicates: `UNION ALL`.
    public func unionAll(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound(.unionAll, other)
    }

    /// The rows that both requests return, without duplicates: `INTERSECT`.
    public func intersect(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound(.intersect, other)
    }

    /// The rows of this request that the other one does not return, without duplicates: `EXCEPT`.
    public func except(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound(.except, other)
    }

    private func compound(
        _ op: CompoundQuery.Operator, _ other: some FetchRequest<RowDecoder>
    ) -> CompoundRequest<RowDecoder> {
        // Compounds are combined from left to right, so this one is extended.
        if let compound = self as? CompoundRequest<RowDecoder> { return compound.adding(op, other.sqlSubquery) }
        return CompoundRequest(sqlSubquery, op, other.sqlSubquery)
    }

    /// A request on the rows of this request, as a named subquery in FROM.
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

extension FetchRequest where RowDecoder: TableRecord {
    /// A request on the rows of this request, as a named subquery in FROM. The rows keep the primary key and the
    /// associations of the record type if the request selects their columns.
    ///
    /// ```swift
    /// // SELECT "best".*, "team".* FROM (SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10) AS "best"
    /// // JOIN "team" ON "team"."id" = "best"."teamId"
    /// Player.order(\.score.desc).limit(10).asDerivedTable(named: "best").including(required: Player.team)
    /// ```
    ///
    /// Source: <https://sqlite.org/lang_select.html#fromclause>
    public func asDerivedTable(named name: String) -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: RowDecoder.relation(of: .subquery(sqlSubquery, name: name)))
    }
}
