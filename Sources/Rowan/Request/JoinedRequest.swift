// Joins of any requests, on any condition, decoded into tuples, or into structs by the keys of the joined rows.

/// The rows of several requests, side by side.
///
/// ```swift
/// // SELECT "player".*, "team".* FROM "player" LEFT JOIN "team" ON "player"."teamId" = "team"."id"
/// let pairs = try Player.all()
///     .leftJoin(Team.all()) { player, team in player.teamId == team.id }
///     .fetchAll(db)   // [(Player, Team?)]
/// ```
///
/// Filters and orders apply to the first request, as they do with associations. Use the aliases to reach
/// the columns of the other requests.
///
/// Source: <https://sqlite.org/lang_select.html#fromclause>
public struct JoinedRequest<each Element>: Sendable {
    var relation: Relation
    let decoders: (repeat JoinedElement<each Element>)

    /// A request of the same rows, decoded into a type by the keys of the joined requests: the names of their tables, or
    /// the keys that joins were given.
    ///
    /// ```swift
    /// struct Pair: Decodable, FetchableRecord {
    ///     var player: Player
    ///     var team: Team?
    /// }
    /// joined.asRequest(of: Pair.self)
    /// ```
    public func asRequest<T>(of type: T.Type) -> QueryInterfaceRequest<T> {
        QueryInterfaceRequest(relation: relation)
    }

    /// At most `limit` rows, from an offset. It replaces the previous limit.
    public consuming func limit(_ limit: Int, offset: Int? = nil) -> Self {
        _mapRelation { $0.limit = Relation.Limit(count: limit, offset: offset) }
    }

    /// The rows with those of another request, on a condition: `JOIN`.
    public func join<Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<repeat each Element, Other> where Other: RowDecodable {
        let joined = try relation.joining(other.relation, .inner, key) { try condition(TableAlias(id: $1)) }
        return JoinedRequest<repeat each Element, Other>(
            relation: joined.relation, decoders: (repeat each decoders, .required(joined.key)))
    }

    /// The rows with those of another request, or nil, on a condition: `LEFT JOIN`.
    public func leftJoin<Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<repeat each Element, Other?> where Other: RowDecodable {
        let joined = try relation.joining(other.relation, .left, key) { try condition(TableAlias(id: $1)) }
        return JoinedRequest<repeat each Element, Other?>(
            relation: joined.relation, decoders: (repeat each decoders, .optional(joined.key)))
    }

    // MARK: Fetching

    /// All the rows, as tuples.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    public func fetchAll(_ db: Database) throws -> [(repeat each Element)] {
        var elements: [(repeat each Element)] = []
        let cursor = try Row.fetchCursor(db, asRequest(of: Row.self))
        while let row = try cursor.next() { elements.append((repeat try (each decoders).decode(row))) }
        return elements
    }

    /// The first row, as a tuple, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    public func fetchOne(_ db: Database) throws -> (repeat each Element)? {
        guard let row = try Row.fetchOne(db, asRequest(of: Row.self)) else { return nil }
        return (repeat try (each decoders).decode(row))
    }

    /// A cursor over the rows, as tuples.
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> AnyCursor<(repeat each Element)> {
        let decoders = self.decoders
        return AnyCursor(
            try Row.fetchCursor(db, asRequest(of: Row.self)).map { row in (repeat try (each decoders).decode(row)) })
    }

    /// The number of rows.
    public func fetchCount(_ db: Database) throws -> Int { try asRequest(of: Row.self).fetchCount(db) }
}

extension JoinedRequest: FilteredRequest, OrderedRequest {
    public consuming func _mapRelation(_ change: (inout Relation) -> Void) -> Self {
        change(&relation)
        return self
    }
}

/// How an element of a joined row decodes.
struct JoinedElement<Element>: Sendable {
    let decode: @Sendable (Row) throws -> Element
}

extension JoinedElement where Element: RowDecodable {
    /// - Parameter key: nil for the first request.
    static func required(_ key: String?) -> Self {
        JoinedElement { row in
            guard let key else { return try Element.detachedElement(of: row) }
            return try Element.detachedElement(of: row.scopes[key]!)
        }
    }
}

extension JoinedElement {
    /// An element that may be missing: all its columns are NULL then.
    static func optional<Wrapped: RowDecodable>(_ key: String?) -> Self where Element == Wrapped? {
        JoinedElement { row in
            let part = key.map { row.scopes[$0]! } ?? row.unscoped
            return part.containsNonNullValue ? try Wrapped.detachedElement(of: part) : nil
        }
    }
}

extension QueryInterfaceRequest where RowDecoder: RowDecodable {
    /// The rows with those of another request, on a condition: `JOIN`.
    ///
    /// - Parameter key: the name of the joined rows for structs; that of the table by default.
    public func join<Other: RowDecodable>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<RowDecoder, Other> {
        let joined = try joining(other, .inner, key, condition)
        return JoinedRequest(relation: joined.relation, decoders: (.required(nil), .required(joined.key)))
    }

    /// The rows with those of another request, or nil, on a condition: `LEFT JOIN`.
    public func leftJoin<Other: RowDecodable>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<RowDecoder, Other?> {
        let joined = try joining(other, .left, key, condition)
        return JoinedRequest(relation: joined.relation, decoders: (.required(nil), .optional(joined.key)))
    }

    /// The rows, or nil, with those of another request, on a condition: `RIGHT JOIN`.
    ///
    /// - Note: fetching throws on SQLite before 3.39.
    public func rightJoin<Other: RowDecodable>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<RowDecoder?, Other> {
        let joined = try joining(other, .right, key, condition)
        return JoinedRequest(relation: joined.relation, decoders: (.optional(nil), .required(joined.key)))
    }

    /// The rows, or nil, with those of another request, or nil, on a condition: `FULL JOIN`.
    ///
    /// - Note: fetching throws on SQLite before 3.39.
    public func fullJoin<Other: RowDecodable>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<RowDecoder?, Other?> {
        let joined = try joining(other, .full, key, condition)
        return JoinedRequest(relation: joined.relation, decoders: (.optional(nil), .optional(joined.key)))
    }

    /// Each row with each row of another request: `CROSS JOIN`.
    public func crossJoin<Other: RowDecodable>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil
    ) -> JoinedRequest<RowDecoder, Other> {
        let joined = relation.joining(other.relation, .cross, key) { _, _ in nil }
        return JoinedRequest(relation: joined.relation, decoders: (.required(nil), .required(joined.key)))
    }

    /// Each row with the rows of a table-valued function of it: `JOIN json_each("player"."tags")`.
    public func join<Other: RowDecodable>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil
    ) -> JoinedRequest<RowDecoder, Other> {
        let joined = relation.joining(other.relation, .inner, key) { _, _ in nil }
        return JoinedRequest(relation: joined.relation, decoders: (.required(nil), .required(joined.key)))
    }

    private func joining<Other>(
        _ other: QueryInterfaceRequest<Other>, _ kind: Join.Kind, _ key: String?,
        _ condition: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> (relation: Relation, key: String) {
        try relation.joining(other.relation, kind, key) { try condition(TableAlias(id: $0), TableAlias(id: $1)) }
    }
}

extension Relation {
    /// The relation joined to another one, and the key of the joined rows.
    fileprivate func joining(
        _ other: Relation, _ kind: Join.Kind, _ key: String?,
        _ condition: (TableAliasID, TableAliasID) throws -> (any SQLExpressible)?
    ) rethrows -> (relation: Relation, key: String) {
        let filters: Filters = kind == .right || kind == .full ? .moved : .kept
        // What is joined already has its scopes: it stays as it is.
        var result = joins.contains(where: \.isIncluded) ? self : joinable(filters)
        let other = other.joinable(filters)
        var name = key ?? other.source.name
        if key == nil {
            var number = 1
            while result.joins.contains(where: { $0.name == name }) {
                number += 1
                name = "\(other.source.name)\(number)"
            }
        }
        let (origin, destination) = (TableAliasID.next(), TableAliasID.next())
        let expression = try condition(origin, destination)?.sqlExpression
        let step = AssociationStep(
            key: .fixed(name),
            condition: expression.map { .expression($0, origin: origin, destination: destination) } ?? .always,
            relation: other)
        result.joins.append(Join(kind, step, isIncluded: true))
        return (result, name)
    }

    private enum Filters {
        case kept
        /// Into a subquery: a condition on the rows of an outer join is not a condition on its result.
        case moved
    }

    /// The relation, in a subquery if it does more than to filter: a join would change what its clauses mean.
    private func joinable(_ filters: Filters) -> Relation {
        let isPlain =
            !isDistinct && limit == nil && groups.isEmpty && havings.isEmpty && !groupsByPrimaryKey && link == nil
            && !repeatsAggregatedRows && (filters == .kept || self.filters.isEmpty && joins.isEmpty)
        guard !isPlain else { return self }
        var inner = self
        inner.aliases = []
        inner.prefetches = []
        var result = Relation(.subquery(SQLSubquery(.relation(inner)), name: source.name))
        (result.aliases, result.storage, result.prefetches) = (aliases, storage, prefetches)
        return result
    }
}
