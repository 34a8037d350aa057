// Joins of any requests, on any condition, decoded into tuples, or into structs by the keys of the joined rows.

/// The rows of several requests, side by side.
///
/// ```swift
/// // SELECT "player".*, "team".* FROM "player" LEFT JOIN "team" ON "player"."teamId" = "team"."id"
/// let pairs = try Player.all()
///     .leftJoin(Team.all()) { player, team in player.teamId == team.id }
///     .fetchAll(db)   // [(Player, Team?)]
///
/// // Each further join gets the aliases of all requests so far:
/// let triples = try Player.all()
///     .join(Team.all()) { player, team in player.teamId == team.id }
///     .leftJoin(Stadium.all()) { player, team, stadium in team.stadiumId == stadium.id }
///     .fetchAll(db)   // [(Player, Team, Stadium?)]
/// ```
///
/// Up to six requests join. Filters and orders apply to the first request, as they do with associations. Use the aliases
/// to reach the columns of the other requests.
///
/// The elements of the tuples are records, rows or values. Joins of other types are fetched with ``asRequest(of:)``.
///
/// Source: <https://sqlite.org/lang_select.html#fromclause>
public struct JoinedRequest<Element, Aliases: Sendable>: Sendable {
    var relation: Relation
    let aliases: Aliases
    let decode: @Sendable (Row) throws -> Element

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

    // MARK: Fetching

    /// All the rows, as tuples.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    public func fetchAll(_ db: Database) throws -> [Element] {
        var elements: [Element] = []
        let cursor = try Row.fetchCursor(db, asRequest(of: Row.self))
        while let row = try cursor.next() { elements.append(try decode(row)) }
        return elements
    }

    /// The first row, as a tuple, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    public func fetchOne(_ db: Database) throws -> Element? {
        try Row.fetchOne(db, asRequest(of: Row.self)).map(decode)
    }

    /// A cursor over the rows, as tuples.
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> AnyCursor<Element> {
        AnyCursor(try Row.fetchCursor(db, asRequest(of: Row.self)).map(decode))
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
