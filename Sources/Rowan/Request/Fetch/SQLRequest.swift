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
///
/// Article: <doc:WritingSQL>.
public struct SQLRequest<RowDecoder>: FetchRequest {
    /// The adapter of the rows.
    public var adapter: (any RowAdapter)?

    private(set) var sqlLiteral: SQL
    private let isCached: Bool

    /// Creates a request from SQL text.
    ///
    /// - Parameters:
    ///   - sql: a single statement.
    ///   - arguments: the values of the statement's parameters.
    ///   - adapter: the adapter that changes the columns of the rows; nil for the columns of the statement.
    ///   - cached: whether the statement stays prepared for later executions.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(literal: SQL(sql: sql, arguments: arguments), adapter: adapter, cached: cached)
    }

    /// Creates a request from a literal.
    ///
    /// - Parameters:
    ///   - sqlLiteral: a single statement, with its values.
    ///   - adapter: the adapter that changes the columns of the rows; nil for the columns of the statement.
    ///   - cached: whether the statement stays prepared for later executions.
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.init(sqlLiteral, adapter, isCached: cached)
    }

    private init(_ sqlLiteral: SQL, _ adapter: (any RowAdapter)?, isCached: Bool) {
        self.sqlLiteral = sqlLiteral
        self.adapter = adapter
        self.isCached = isCached
    }

    /// The SQL as a subquery.
    public var sqlSubquery: SQLSubquery { SQLSubquery(.literal(sqlLiteral)) }

    /// Prepares the statement of the request.
    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        guard isCached else {
            return PreparedRequest(statement: try db.makeStatement(literal: sqlLiteral), adapter: adapter)
        }
        let (sql, arguments) = try sqlLiteral.build(db)
        return PreparedRequest(try db.use(sql: sql, arguments), adapter: adapter)
    }

    /// The number of rows: `SELECT COUNT(*) FROM (...)`.
    public func fetchCount(_ db: Database) throws -> Int { try sqlSubquery.fetchCount(db) }
}

extension SQLRequest where RowDecoder == Row {
    /// Creates a request for rows from SQL text: `SQLRequest(sql: "SELECT ...")` needs no type.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(literal: SQL(sql: sql, arguments: arguments), adapter: adapter, cached: cached)
    }

    /// Creates a request for rows from a literal.
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.init(sqlLiteral, adapter, isCached: cached)
    }
}

extension SQLRequest: ExpressibleByStringInterpolation {
    /// Creates a request from plain SQL.
    public init(unicodeScalarLiteral: String) { self.init(sql: unicodeScalarLiteral) }
    /// Creates a request from plain SQL.
    public init(extendedGraphemeClusterLiteral: String) { self.init(sql: extendedGraphemeClusterLiteral) }
    /// Creates a request from plain SQL.
    public init(stringLiteral: String) { self.init(sql: stringLiteral) }
    /// Creates a request from SQL with interpolated values.
    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(literal: SQL(stringInterpolation: sqlInterpolation))
    }
}

extension SQLSubquery {
    /// The number of rows: `SELECT COUNT(*) FROM (...)`.
    func fetchCount(_ db: Database) throws -> Int {
        let subquery = try Resolver(db).subquery(self)
        return try db.fetchCount { renderer in
            renderer.write("SELECT COUNT(*) FROM (")
            renderer.write(subquery)
            renderer.write(")")
        }
    }
}
