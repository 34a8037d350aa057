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
        // The schema may change before all queries have run. The request is then prepared again, once.
        for _ in 1...2 {
            let prepared = try request.makePreparedRequest(db, forSingleResult: singleResult)
            guard !prepared.prefetches.isEmpty else {
                return try renewingCursor(db, request, forSingleResult: singleResult, prepared)
            }
            do {
                return FetchCursor(
                    prepared.statement, of: prepared.use, rows: try PrefetchedQuery.rows(db, prepared))
            } catch is SchemaMoved {}
        }
        throw SchemaMoved.repeatedly
    }

    /// The cursor over a request without prefetched rows. If the schema changes before the first step, the request is
    /// prepared again.
    private static func renewingCursor(
        _ db: Database, _ request: some FetchRequest, forSingleResult singleResult: Bool, _ prepared: PreparedRequest
    ) throws -> FetchCursor<Self> {
        let cursor = try FetchCursor<Self>(prepared.statement, of: prepared.use, adapter: prepared.adapter)
        if let columnCount = prepared.resolvedColumnCount {
            // The cursor renews its statement in the access that started it, where the database is alive.
            cursor.check(
                .init(columnCount: columnCount) { [unowned db] in
                    let prepared = try request.makePreparedRequest(db, forSingleResult: singleResult)
                    return (prepared.statement, prepared.use, prepared.adapter)
                })
        }
        return cursor
    }

    /// The cursor over a prepared request. Its first step throws `SchemaMoved` if the schema has changed.
    package static func cursor(_ db: Database, _ prepared: PreparedRequest) throws -> FetchCursor<Self> {
        guard prepared.prefetches.isEmpty else {
            return FetchCursor(prepared.statement, of: prepared.use, rows: try PrefetchedQuery.rows(db, prepared))
        }
        let cursor = try FetchCursor<Self>(prepared.statement, of: prepared.use, adapter: prepared.adapter)
        if let columnCount = prepared.resolvedColumnCount { cursor.check(.init(columnCount: columnCount, renew: nil)) }
        return cursor
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

extension RowElements {
    /// All the rows. Their copies share buffers.
    @usableFromInline
    package static func all(_ cursor: RowCursor) throws -> [Row] { try cursor.copies() }
}
