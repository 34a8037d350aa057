// What a request is: a statement when a connection is known, and a type that its rows decode into.

/// A request that knows what its rows decode into.
public protocol TypedRequest<RowDecoder> {
    /// The type that rows decode into.
    associatedtype RowDecoder
}

/// A request that fetches.
///
/// ```swift
/// let request: some FetchRequest<Player> = Player.filter { $0.score > 1000 }
/// let players = try request.fetchAll(db)
/// ```
public protocol FetchRequest<RowDecoder>: TypedRequest, SQLSubqueryable, Sendable {
    /// The statement of the request, with its arguments, and its adapter.
    ///
    /// - Parameter singleResult: whether only the first row is of interest: the statement may be limited to it.
    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest

    /// The number of rows that the request fetches.
    func fetchCount(_ db: Database) throws -> Int
}

/// A statement that is ready to run, and the adapter of its rows.
///
/// The statement is this request's own as long as it lives: its arguments don't change when another request is prepared.
public struct PreparedRequest {
    public var statement: Statement
    /// Keeps a statement of the cache.
    private var reservation: StatementReservation?
    public var adapter: (any RowAdapter)?
    /// What is fetched for the rows by other queries.
    package var prefetches: [ResolvedPrefetch] = []
    /// Whether the rows are all those of a table.
    package var isWholeTable = false
    /// The number of columns at the end that no row shows.
    package var hiddenCount = 0
    /// The number of columns of the statement, if the schema has told what they mean.
    package var resolvedColumnCount: Int?
    /// The index of the first column that no row shows.
    var hiddenStart: Int { statement.columnCount - hiddenCount }

    public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
        self.statement = statement
        self.adapter = adapter
    }

    /// A request with a statement of the cache, whose arguments are set.
    package init(reserving statement: Statement, adapter: (any RowAdapter)? = nil) {
        self.init(statement: statement, adapter: adapter)
        reservation = StatementReservation(statement)
    }
}

/// Keeps a statement out of the cache as long as it lives: whoever asks for the same text gets another one.
private final class StatementReservation {
    private let statement: Statement

    init(_ statement: Statement) {
        self.statement = statement
        statement.reserve()
    }

    deinit { statement.connection.end(.reservation, of: statement) }
}

extension FetchRequest {
    /// The request with its rows adapted.
    public func adapted(
        _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
    ) -> AdaptedFetchRequest<Self> {
        AdaptedFetchRequest(base: self, adapter: adapter)
    }
}

/// A request whose rows are adapted.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
    public typealias RowDecoder = Base.RowDecoder

    let base: Base
    let adapter: @Sendable (Database) throws -> any RowAdapter

    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
        let adapter = try adapter(db)
        request.adapter = request.adapter.map { ChainedAdapter(first: $0, second: adapter) } ?? adapter
        return request
    }
}

/// An adapter of adapted rows.
private struct ChainedAdapter: RowAdapter {
    let first: any RowAdapter
    let second: any RowAdapter

    func mapping(of layout: ColumnLayout) throws -> RowMapping {
        let inner = try first.mapping(of: layout)
        return try second.mapping(of: inner.layout).rebased(on: inner)
    }
}

extension RowMapping {
    fileprivate func rebased(on inner: RowMapping) -> RowMapping {
        RowMapping(
            zip(indexes, layout.names).map { (index: inner.indexes[$0], name: $1) },
            scopes: inner.scopes.merging(scopes.mapValues { $0.rebased(on: inner) }) { _, outer in outer })
    }
}

/// A request of any kind.
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
    private let base: any FetchRequest

    /// Wraps a request.
    public init(_ request: some FetchRequest<RowDecoder>) { base = request }

    private init(any base: any FetchRequest) { self.base = base }

    /// The same request, whose rows decode into another type.
    public func asRequest<T>(of type: T.Type) -> AnyFetchRequest<T> { AnyFetchRequest<T>(any: base) }

    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        try base.makePreparedRequest(db, forSingleResult: singleResult)
    }
}

extension Database {
    /// A statement of generated SQL: cached, with its arguments set.
    package func statement(_ write: (inout Renderer) -> Void) throws -> Statement {
        var renderer = Renderer(over: connection.text)
        write(&renderer)
        let statement = try renderer.sql.withUTF8(connection.cachedStatement(utf8:))
        try statement.setArguments(renderer.statementArguments())
        return statement
    }

    /// A statement of generated SQL for its caller alone, with its arguments set: those of the cache change hands.
    func ownStatement(_ write: (inout Renderer) -> Void) throws -> Statement {
        var renderer = Renderer()
        write(&renderer)
        let statement = try makeStatement(sql: renderer.text)
        try statement.setArguments(renderer.statementArguments())
        return statement
    }

    /// The number that a query selects.
    package func fetchCount(_ write: (inout Renderer) -> Void) throws -> Int {
        try Int.fetchOne(statement(write)) ?? 0
    }
}
