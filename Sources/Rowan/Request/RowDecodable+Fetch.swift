// The fetch verbs: cursor, array, set, first element; from a statement, from SQL, from a request. They exist here
// once, for rows, values and records. `@inlinable`: benchmarks fetch-index, fetch-int: the loop specialises.

extension RowDecodable {
    // MARK: From a statement

    /// A cursor over the rows of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE score > ?")
    /// let players = try Player.fetchCursor(statement, arguments: [1000])
    /// while let player = try players.next() { print(player.name) }
    /// ```
    ///
    /// Outside of a transaction, a statement with `RETURNING` commits at its end: iterate its cursor to the end, because
    /// one that is dropped before can't throw the error of the commit.
    ///
    /// - Throws: a ``DatabaseError``; SQLITE_MISUSE for wrong arguments, or if a cursor holds the statement.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> FetchCursor<Self> {
        if let arguments { try statement.setArguments(arguments) }
        return try FetchCursor<Self>(statement, adapter: adapter)
    }

    /// All the elements of a statement.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try allElements(of: fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// The first element of a statement, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try firstElement(of: fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    // MARK: From SQL

    /// A cursor over the rows of a query.
    ///
    /// - Throws: a ``DatabaseError``.
    @inlinable
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> FetchCursor<Self> {
        try fetchCursor(db.statement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// All the elements of a query.
    ///
    /// ```swift
    /// let names = try String.fetchAll(db, sql: "SELECT name FROM player WHERE score > ?", arguments: [1000])
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.statement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// The first element of a query, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.statement(sql: sql), arguments: arguments, adapter: adapter)
    }

    // MARK: From a request

    /// A cursor over the rows of a request of any type.
    ///
    /// - Throws: a ``DatabaseError``.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> FetchCursor<Self> {
        try cursor(db, request, forSingleResult: false)
    }

    /// All the elements of a request of any type.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    @inlinable
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        try allElements(of: fetchCursor(db, request))
    }

    /// The first element of a request of any type, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    @inlinable
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        try firstElement(of: cursor(db, request, forSingleResult: true))
    }

    /// The cursor over a request. What other queries prefetch needs all rows first.
    @usableFromInline
    static func cursor(
        _ db: Database, _ request: some FetchRequest, forSingleResult singleResult: Bool
    ) throws -> FetchCursor<Self> {
        // The schema may move before all queries have run: the request is made again then, once.
        for _ in 1...2 {
            let prepared = try request.makePreparedRequest(db, forSingleResult: singleResult)
            guard !prepared.prefetches.isEmpty else {
                return try renewingCursor(db, request, forSingleResult: singleResult, prepared)
            }
            do {
                return FetchCursor(prepared.statement, rows: try PrefetchedQuery.rows(db, prepared))
            } catch is SchemaMoved {}
        }
        throw SchemaMoved.repeatedly
    }

    /// The cursor over a request without prefetched rows. It makes the request again if the schema moves before the
    /// first step.
    private static func renewingCursor(
        _ db: Database, _ request: some FetchRequest, forSingleResult singleResult: Bool, _ prepared: PreparedRequest
    ) throws -> FetchCursor<Self> {
        let cursor = try FetchCursor<Self>(prepared.statement, adapter: prepared.adapter)
        if let columnCount = prepared.resolvedColumnCount {
            // The cursor renews its statement in the access that it started in, which keeps the database.
            cursor.check(
                .init(columnCount: columnCount) { [unowned db] in
                    let prepared = try request.makePreparedRequest(db, forSingleResult: singleResult)
                    return (prepared.statement, prepared.adapter)
                })
        }
        return cursor
    }

    /// The cursor over a prepared request, whose first step throws `SchemaMoved` if the schema is another one.
    static func cursor(_ db: Database, _ prepared: PreparedRequest) throws -> FetchCursor<Self> {
        guard prepared.prefetches.isEmpty else {
            return FetchCursor(prepared.statement, rows: try PrefetchedQuery.rows(db, prepared))
        }
        let cursor = try FetchCursor<Self>(prepared.statement, adapter: prepared.adapter)
        if let columnCount = prepared.resolvedColumnCount { cursor.check(.init(columnCount: columnCount, renew: nil)) }
        return cursor
    }

    // MARK: The loops

    @inlinable
    static func allElements(of cursor: FetchCursor<Self>) throws -> [Self] {
        if let cursor = cursor as? FetchCursor<Row> {
            // The type of the cursor tells that `Self` is `Row`: a checked cast would visit each row.
            return unsafeBitCast(try cursor.copies(), to: [Self].self)
        }
        var elements: [Self] = []
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
    static func firstElement(of cursor: FetchCursor<Self>) throws -> Self? {
        guard let row = try cursor.nextRow() else { return nil }
        let element = try firstElement(of: row)
        try cursor.finishWriting(row)
        return element
    }
}

extension RowDecodable where Self: Hashable {
    /// The set of the elements of a statement.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try elementSet(of: fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// The set of the elements of a query.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.statement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// The set of the elements of a request of any type.
    ///
    /// - Throws: a ``DatabaseError``, or the error of the decoding.
    @inlinable
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try elementSet(of: fetchCursor(db, request))
    }

    @inlinable
    static func elementSet(of cursor: FetchCursor<Self>) throws -> Set<Self> {
        var elements: Set<Self> = []
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

extension FetchRequest where RowDecoder: RowDecodable {
    /// A cursor over the elements of the request.
    public func fetchCursor(_ db: Database) throws -> FetchCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// All the elements of the request.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// The first element of the request, or nil.
    @inlinable
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: RowDecodable & Hashable {
    /// The set of the elements of the request.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try RowDecoder.fetchSet(db, self) }
}
