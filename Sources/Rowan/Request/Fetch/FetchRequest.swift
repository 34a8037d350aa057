// Requests: a request and a connection make a statement. A request also defines the type that its rows decode to.

/// A request with a type that its rows decode to.
public protocol TypedRequest<RowDecoder> {
    /// The type that rows decode to.
    associatedtype RowDecoder
}

/// A request that can be fetched.
///
/// ```swift
/// let request: some FetchRequest<Player> = Player.filter { $0.score > 1000 }
/// let players = try request.fetchAll(db)
/// ```
///
/// Article: <doc:FetchingRows>.
public protocol FetchRequest<RowDecoder>: TypedRequest, SQLSubqueryable, DatabaseRegionConvertible {
    /// Prepares the statement of the request, with its arguments and its adapter.
    ///
    /// - Parameters:
    ///   - db: the connection that runs the statement.
    ///   - singleResult: whether only the first row is needed. If so, the statement may be limited to one row.
    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest

    /// The number of rows that the request fetches.
    func fetchCount(_ db: Database) throws -> Int
}

/// A statement that is ready to run, with the adapter of its rows.
///
/// While this value exists, no other request uses the statement or changes its arguments.
public struct PreparedRequest {
    /// The statement, with its arguments.
    public var statement: Statement
    /// The use of a pooled statement; nil for a statement that belongs to the request.
    package private(set) var use: SharedStatementUse?
    /// The adapter of the rows, or nil.
    public var adapter: (any RowAdapter)?
    /// The associated rows to fetch with other queries.
    package var prefetches: [ResolvedPrefetch] = []
    /// Whether the rows are all the rows of a table.
    package var isWholeTable = false
    /// The number of trailing columns that rows don't show.
    package var hiddenCount = 0
    /// The number of columns of the statement, if the schema has determined their meaning.
    package var resolvedColumnCount: Int?
    /// The index of the first column that rows don't show.
    var hiddenStart: Int { statement.columnCount - hiddenCount }

    /// Creates a prepared request from a statement whose arguments are set.
    public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
        self.statement = statement
        self.adapter = adapter
    }

    /// A request with a pooled statement whose arguments are set.
    package init(_ use: consuming StatementUse, adapter: (any RowAdapter)? = nil) {
        self.init(statement: use.statement, adapter: adapter)
        self.use = SharedStatementUse(use)
    }
}

extension FetchRequest {
    /// Adapts the rows of the request.
    public func adapted(
        _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
    ) -> AdaptedFetchRequest<Self> {
        AdaptedFetchRequest(base: self, adapter: adapter)
    }
}

/// A request with adapted rows.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
    /// The type that rows decode to.
    public typealias RowDecoder = Base.RowDecoder

    let base: Base
    let adapter: @Sendable (Database) throws -> any RowAdapter

    /// The wrapped request as a subquery.
    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    /// The number of rows of the wrapped request.
    public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

    /// Prepares the statement of the wrapped request, with both adapters combined.
    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
        let adapter = try adapter(db)
        request.adapter = request.adapter.map { ChainedAdapter(first: $0, second: adapter) } ?? adapter
        return request
    }
}

/// An adapter of rows that are already adapted.
private struct ChainedAdapter: RowAdapter {
    let first: any RowAdapter
    let second: any RowAdapter

    func layout(of columns: ColumnLayout) throws -> ColumnLayout {
        let inner = try first.layout(of: columns)
        return try second.layout(of: inner).rebased(on: inner)
    }
}

extension ColumnLayout {
    fileprivate func rebased(on inner: ColumnLayout) -> ColumnLayout {
        ColumnLayout(
            zip(statementIndexes, names).map { (index: inner.statementIndexes[$0], name: $1) },
            scopes: inner.scopes.merging(scopes.mapValues { $0.rebased(on: inner) }) { _, outer in outer })
    }
}

/// A type-erased request.
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
    private let base: any FetchRequest

    /// Wraps a request.
    public init(_ request: some FetchRequest<RowDecoder>) { base = request }

    private init(any base: any FetchRequest) { self.base = base }

    /// Returns the request with rows that decode to another type.
    public func asRequest<T>(of type: T.Type) -> AnyFetchRequest<T> { AnyFetchRequest<T>(any: base) }

    /// The wrapped request as a subquery.
    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    /// The number of rows of the wrapped request.
    public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

    /// Prepares the statement of the wrapped request.
    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        try base.makePreparedRequest(db, forSingleResult: singleResult)
    }
}

extension Database {
    /// The length from which a list of values is passed as a single argument.
    var largeListCount: Int { connection.abilities.largeListCount }

    /// Checks out a statement of generated SQL, with its arguments set.
    package func use(_ write: (inout Renderer) -> Void) throws -> StatementUse {
        var renderer = Renderer(over: connection.text)
        renderer.largeListCount = largeListCount
        write(&renderer)
        let use = try renderer.sql.withUTF8(connection.use(utf8:))
        try use.statement.setArguments(renderer.statementArguments())
        return use
    }

    /// Executes a statement of generated SQL.
    package func execute(_ write: (inout Renderer) -> Void) throws {
        let use = try use(write)
        try use.statement.runToEnd()
    }

    /// Creates a statement of generated SQL for the program, with its arguments set.
    func ownStatement(_ write: (inout Renderer) -> Void) throws -> Statement {
        var renderer = Renderer()
        renderer.largeListCount = largeListCount
        write(&renderer)
        let statement = try makeStatement(sql: renderer.text)
        try statement.setArguments(renderer.statementArguments())
        return statement
    }

    /// The number that a query returns.
    package func fetchCount(_ write: (inout Renderer) -> Void) throws -> Int {
        try ValueElements<Int>.first(FetchCursor(use(write), adapter: nil)) ?? 0
    }
}
