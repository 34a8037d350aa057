// The implementations of the fetch methods: cursor, array, set and first element, from a statement or a request.
// `@inlinable`, so that the loop is specialized: benchmarks fetch-index, fetch-int.

extension RowDecoding {
    // MARK: Cursors

    @inlinable
    package static func cursor(
        _ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?
    ) throws -> FetchCursor<Self> {
        if let arguments { try statement.setArguments(arguments) }
        return try FetchCursor<Self>(statement, adapter: adapter)
    }

    /// The cursor over SQL text.
    @inlinable
    package static func cursor(
        _ db: Database, sql: String, _ arguments: StatementArguments, _ adapter: (any RowAdapter)?
    ) throws -> FetchCursor<Self> {
        let use = try db.use(sql: sql, arguments)
        return try FetchCursor<Self>(use, adapter: adapter)
    }

    /// The cursor over a request. Prefetches require all rows up front.
    @usableFromInline
    package static func cursor(
        _ db: Database, _ request: some FetchRequest, forSingleResult singleResult: Bool
    ) throws -> FetchCursor<Self> {
        // The schema may change before all queries have run, or before the first step of the only query.
        try SchemaMoved.retrying {
            try cursor(db, request.makePreparedRequest(db, forSingleResult: singleResult)) { [unowned db] in
                // In the access that started the cursor, where the database is alive.
                let prepared = try request.makePreparedRequest(db, forSingleResult: singleResult)
                return (prepared.statement, prepared.use, prepared.adapter)
            }
        }
    }

    /// The cursor over a prepared request. Without a closure that prepares the request again, its first step throws
    /// `SchemaMoved` if the schema has changed.
    package static func cursor(
        _ db: Database, _ prepared: PreparedRequest, renew: (() throws -> FetchCursor<Self>.Renewal.Renewed)? = nil
    ) throws -> FetchCursor<Self> {
        guard prepared.prefetches.isEmpty else {
            return FetchCursor(prepared.statement, of: prepared.use, rows: try PrefetchedQuery.rows(db, prepared))
        }
        return try FetchCursor(prepared, adapter: prepared.adapter, renew: renew)
    }

    // MARK: The loops

    @inlinable
    package static func all(_ cursor: FetchCursor<Self>) throws -> [Decoded] {
        var elements: [Decoded] = []
        guard let row = try cursor.nextRow() else { return elements }
        if cursor.preloaded != nil {
            elements.append(try detachedElement(of: row))
            while let row = try cursor.nextRow() { elements.append(try detachedElement(of: row)) }
            return elements
        }
        repeat { elements.append(try detachedElement(of: row)) } while try cursor.advance(row)
        return elements
    }

    @inlinable
    package static func first(_ cursor: FetchCursor<Self>) throws -> Decoded? {
        guard let row = try cursor.nextRow() else { return nil }
        let element = try firstElement(of: row)
        try cursor.finishWriting(row)
        return element
    }

    @inlinable
    package static func set(_ cursor: FetchCursor<Self>) throws -> Set<Decoded> where Decoded: Hashable {
        var elements: Set<Decoded> = []
        guard let row = try cursor.nextRow() else { return elements }
        if cursor.preloaded != nil {
            elements.insert(try detachedElement(of: row))
            while let row = try cursor.nextRow() { elements.insert(try detachedElement(of: row)) }
            return elements
        }
        repeat { elements.insert(try detachedElement(of: row)) } while try cursor.advance(row)
        return elements
    }
}

extension FetchCursor {
    /// Creates a cursor over a prepared request, without its prefetched rows.
    package convenience init(
        _ prepared: PreparedRequest, adapter: (any RowAdapter)?, renew: (() throws -> Renewal.Renewed)? = nil
    ) throws {
        try self.init(prepared.statement, of: prepared.use, adapter: adapter)
        if let columnCount = prepared.resolvedColumnCount { check(.init(columnCount: columnCount, renew: renew)) }
    }
}

extension RowElements {
    /// All the rows. Their copies share buffers.
    @usableFromInline
    package static func all(_ cursor: RowCursor) throws -> [Row] { try cursor.copies() }
}
