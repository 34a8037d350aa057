// Joins of any requests, on any condition. Their rows are decoded to tuples, or to structs by the keys of the joined
// rows.

/// A request for the combined rows of several requests.
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
/// Up to six requests can be joined. Filters and orders apply to the first request, as with associations. Use the
/// aliases to reach the columns of the other requests.
///
/// The elements of the tuples are records, rows or values. For other types, use ``asRequest(of:)``.
///
/// Article: <doc:BeyondTheBasics>.
///
/// Source: <https://sqlite.org/lang_select.html#fromclause>
public struct JoinedRequest<Element, Aliases: Sendable>: Sendable {
    var relation: Relation
    let aliases: Aliases
    let decode: @Sendable (Row) throws -> Element

    /// A request that decodes the same rows to a type, by the keys of the joined requests: the names of their tables,
    /// or the keys that the joins define.
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

    /// Replaces the selection of all requests and decodes the rows to a type: a record, a value, or a tuple of values.
    ///
    /// ```swift
    /// // SELECT DISTINCT "team"."name", "player"."name" FROM "player" JOIN "team" ON "player"."teamId" = "team"."id"
    /// let names = try Player.all()
    ///     .join(Team.all()) { player, team in player.teamId == team.id }
    ///     .select({ player, team in [team.name, player.name] }, as: (String, String).self)
    ///     .distinct()
    ///     .fetchAll(db)
    /// ```
    public func select<T>(
        _ selection: (Aliases) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        asRequest(of: type).select(try selection(aliases))
    }

    /// Limits the rows, with an optional offset. Replaces the previous limit.
    public consuming func limit(_ limit: Int, offset: Int? = nil) -> Self {
        _mapRelation { $0.limit = Relation.Limit(count: limit, offset: offset) }
    }

    // MARK: Fetching

    /// Fetches all rows as tuples.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    public func fetchAll(_ db: Database) throws -> [Element] {
        var elements: [Element] = []
        let cursor = try Row.fetchCursor(db, asRequest(of: Row.self))
        while let row = try cursor.next() { elements.append(try decode(row)) }
        return elements
    }

    /// Fetches the first row as a tuple, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    public func fetchOne(_ db: Database) throws -> Element? {
        try Row.fetchOne(db, asRequest(of: Row.self)).map(decode)
    }

    /// A cursor over the rows as tuples.
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> AnyCursor<Element> {
        AnyCursor(try Row.fetchCursor(db, asRequest(of: Row.self)).map(decode))
    }

    /// The number of rows.
    public func fetchCount(_ db: Database) throws -> Int { try asRequest(of: Row.self).fetchCount(db) }
}

extension JoinedRequest: FilteredRequest, OrderedRequest {
    /// The request with a changed relation. Not for users.
    public consuming func _mapRelation(_ change: (inout Relation) -> Void) -> Self {
        change(&relation)
        return self
    }
}
