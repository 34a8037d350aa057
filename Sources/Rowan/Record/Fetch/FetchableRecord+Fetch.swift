// Fetching records: the public forms of the methods in RowDecoding+Fetch.

extension FetchableRecord {
    // MARK: From a statement

    /// A cursor over the records of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE score > ?")
    /// let players = try Player.fetchCursor(statement, arguments: [1000])
    /// while let player = try players.next() { print(player.name) }
    /// ```
    ///
    /// Outside a transaction, a statement with `RETURNING` commits when it finishes. Iterate its cursor to the end: a
    /// cursor released earlier can't report a commit error.
    ///
    /// - Throws: a ``DatabaseError``; its code is SQLITE_MISUSE for wrong arguments, or if another cursor uses the
    ///   statement.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try RecordElements<Self>.cursor(statement, arguments, adapter)
    }

    /// All the records of a statement.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try RecordElements<Self>.all(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// The first record of a statement, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try RecordElements<Self>.first(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    // MARK: From SQL

    /// A cursor over the records of an SQL query.
    ///
    /// - Throws: a ``DatabaseError``.
    @inlinable
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try RecordElements<Self>.cursor(db, sql: sql, arguments, adapter)
    }

    /// All the records of an SQL query.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try RecordElements<Self>.all(RecordElements<Self>.cursor(db, sql: sql, arguments, adapter))
    }

    /// The first record of an SQL query, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try RecordElements<Self>.first(RecordElements<Self>.cursor(db, sql: sql, arguments, adapter))
    }

    // MARK: From a request

    /// A cursor over the records of any request.
    ///
    /// - Throws: a ``DatabaseError``.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RecordCursor<Self> {
        try RecordElements<Self>.cursor(db, request, forSingleResult: false)
    }

    /// All the records of any request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        try RecordElements<Self>.all(RecordElements<Self>.cursor(db, request, forSingleResult: false))
    }

    /// The first record of any request, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        try RecordElements<Self>.first(RecordElements<Self>.cursor(db, request, forSingleResult: true))
    }
}

extension FetchableRecord where Self: Hashable {
    /// The set of the records of a statement.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try RecordElements<Self>.set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// The set of the records of an SQL query.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try RecordElements<Self>.set(RecordElements<Self>.cursor(db, sql: sql, arguments, adapter))
    }

    /// The set of the records of any request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try RecordElements<Self>.set(RecordElements<Self>.cursor(db, request, forSingleResult: false))
    }
}

extension FetchRequest where RowDecoder: FetchableRecord {
    /// A cursor over the records of the request.
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> { try RowDecoder.fetchCursor(db, self) }

    /// All the records of the request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// The first record of the request, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }

    /// The set of the records of the request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
        try RowDecoder.fetchSet(db, self)
    }
}

extension Table where RowDecoder: FetchableRecord {
    /// A cursor over all records of the table.
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> { try all().fetchCursor(db) }

    /// All records of the table.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// The first record that SQLite returns, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }

    /// The set of all records of the table.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
        try all().fetchSet(db)
    }
}

extension PageRequest where RowDecoder: FetchableRecord {
    /// Fetches the page.
    ///
    /// - Throws: a ``DatabaseError``; its code is SQLITE_MISUSE if the size is not positive, if the token belongs to
    ///   another order, or if the request has a limit, groups, an order in SQL text, or right, full or cross joins.
    @inlinable
    public func fetch(_ db: Database) throws -> Page<RowDecoder> { try page(db, of: RecordElements<RowDecoder>.self) }
}
