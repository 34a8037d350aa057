// Requests from raw SQL.

/// A request from SQL text or a literal.
///
/// ```swift
/// extension Player {
///     static func filter(team: String) -> SQLRequest<Player> {
///         "SELECT * FROM player WHERE team = \(team)"
///     }
/// }
/// let reds = try Player.filter(team: "Reds").fetchAll(db)
/// ```
public struct SQLRequest<RowDecoder>: FetchRequest {
    /// The adapter of the rows.
    public var adapter: (any RowAdapter)?

    private(set) var sqlLiteral: SQL
    private let isCached: Bool

    /// A request from SQL text.
    ///
    /// - Parameter cached: whether the statement stays prepared for the next execution.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(literal: SQL(sql: sql, arguments: arguments), adapter: adapter, cached: cached)
    }

    /// A request from a literal.
    ///
    /// - Parameter cached: whether the statement stays prepared for the next execution.
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.init(sqlLiteral, adapter, isCached: cached)
    }

    private init(_ sqlLiteral: SQL, _ adapter: (any RowAdapter)?, isCached: Bool) {
        self.sqlLiteral = sqlLiteral
        self.adapter = adapter
        self.isCached = isCached
    }

    public var sqlSubquery: SQLSubquery { SQLSubquery(.literal(sqlLiteral)) }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        guard isCached else {
            return PreparedRequest(statement: try db.makeStatement(literal: sqlLiteral), adapter: adapter)
        }
        let (sql, arguments) = try sqlLiteral.build(db)
        let statement = try db.connection.cachedStatement(sql)
        try statement.setArguments(arguments)
        return PreparedRequest(reserving: statement, adapter: adapter)
    }

    public func fetchCount(_ db: Database) throws -> Int { try sqlSubquery.fetchCount(db) }
}

extension SQLRequest where RowDecoder == Row {
    /// A request of rows from SQL text: `SQLRequest(sql: "SELECT ...")` needs no type.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(literal: SQL(sql: sql, arguments: arguments), adapter: adapter, cached: cached)
    }

    /// A request of rows from a literal.
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.init(sqlLiteral, adapter, isCached: cached)
    }
}

extension SQLRequest: ExpressibleByStringInterpolation {
    public init(unicodeScalarLiteral: String) { self.init(sql: unicodeScalarLiteral) }
    public init(extendedGraphemeClusterLiteral: String) { self.init(sql: extendedGraphemeClusterLiteral) }
    public init(stringLiteral: String) { self.init(sql: stringLiteral) }
    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(literal: SQL(stringInterpolation: sqlInterpolation))
    }
}

extension SQLSubquery {
    /// `SELECT COUNT(*) FROM (...)`
    func fetchCount(_ db: Database) throws -> Int {
        let subquery = try Resolver(db).subquery(self)
        return try db.fetchCount { renderer in
            renderer.write("SELECT COUNT(*) FROM (")
            renderer.write(subquery)
            renderer.write(")")
        }
    }
}
