// Fetching rows: the public forms of the methods in RowDecoding+Fetch.

extension Row {
    // MARK: From a statement

    /// A cursor over the rows of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE score > ?")
    /// let rows = try Row.fetchCursor(statement, arguments: [1000])
    /// while let row = try rows.next() { print(row["name"] as String) }
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
    ) throws -> RowCursor {
        try RowElements.cursor(statement, arguments, adapter)
    }

    /// All the rows of a statement.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try RowElements.all(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// The first row of a statement, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try RowElements.first(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    // MARK: From SQL

    /// A cursor over the rows of an SQL query.
    ///
    /// - Throws: a ``DatabaseError``.
    @inlinable
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try RowElements.cursor(db, sql: sql, arguments, adapter)
    }

    /// All the rows of an SQL query.
    ///
    /// ```swift
    /// let rows = try Row.fetchAll(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try RowElements.all(RowElements.cursor(db, sql: sql, arguments, adapter))
    }

    /// The first row of an SQL query, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try RowElements.first(RowElements.cursor(db, sql: sql, arguments, adapter))
    }

    // MARK: From a request

    /// A cursor over the rows of any request.
    ///
    /// - Throws: a ``DatabaseError``.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RowCursor {
        try RowElements.cursor(db, request, forSingleResult: false)
    }

    /// All the rows of any request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Row] {
        try RowElements.all(RowElements.cursor(db, request, forSingleResult: false))
    }

    /// The first row of any request, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Row? {
        try RowElements.first(RowElements.cursor(db, request, forSingleResult: true))
    }
}

extension Row {
    /// The set of the rows of a statement.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try RowElements.set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// The set of the rows of an SQL query.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try RowElements.set(RowElements.cursor(db, sql: sql, arguments, adapter))
    }

    /// The set of the rows of any request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Row> {
        try RowElements.set(RowElements.cursor(db, request, forSingleResult: false))
    }
}

extension FetchRequest where RowDecoder == Row {
    /// A cursor over the rows of the request.
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> RowCursor { try Row.fetchCursor(db, self) }

    /// All the rows of the request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [Row] { try Row.fetchAll(db, self) }

    /// The first row of the request, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public func fetchOne(_ db: Database) throws -> Row? { try Row.fetchOne(db, self) }

    /// The set of the rows of the request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<Row> {
        try Row.fetchSet(db, self)
    }
}

extension Table where RowDecoder == Row {
    /// A cursor over all rows of the table.
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> RowCursor { try all().fetchCursor(db) }

    /// All rows of the table.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    public func fetchAll(_ db: Database) throws -> [Row] { try all().fetchAll(db) }

    /// The first row that SQLite returns, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    public func fetchOne(_ db: Database) throws -> Row? { try all().fetchOne(db) }

    /// The set of all rows of the table.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    public func fetchSet(_ db: Database) throws -> Set<Row> {
        try all().fetchSet(db)
    }
}

extension PageRequest where RowDecoder == Row {
    /// Fetches the page.
    ///
    /// - Throws: a ``DatabaseError``; its code is SQLITE_MISUSE if the size is not positive, if the token belongs to
    ///   another order, or if the request has a limit, groups, an order in SQL text, or right, full or cross joins.
    @inlinable
    public func fetch(_ db: Database) throws -> Page<Row> { try page(db, of: RowElements.self) }
}
