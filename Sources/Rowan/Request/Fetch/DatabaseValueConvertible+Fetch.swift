// Fetching values of the leftmost column: the public forms of the methods in RowDecoding+Fetch. A type that is also a
// record is fetched as a record: `@_disfavoredOverload`.

extension DatabaseValueConvertible {
    // MARK: From a statement

    /// A cursor over the values of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE score > ?")
    /// let names = try String.fetchCursor(statement, arguments: [1000])
    /// while let name = try names.next() { print(name) }
    /// ```
    ///
    /// Outside a transaction, a statement with `RETURNING` commits when it finishes. Iterate its cursor to the end: a
    /// cursor released earlier can't report a commit error.
    ///
    /// - Throws: a ``DatabaseError``; its code is SQLITE_MISUSE for wrong arguments, or if another cursor uses the
    ///   statement.
    @_disfavoredOverload
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try ValueElements<Self>.cursor(statement, arguments, adapter)
    }

    /// All the values of a statement.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try ValueElements<Self>.all(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// The first value of a statement, or nil without rows. NULL is also nil; for an optional type, it is `.some(nil)`.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try ValueElements<Self>.first(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    // MARK: From SQL

    /// A cursor over the values of an SQL query.
    ///
    /// - Throws: a ``DatabaseError``.
    @_disfavoredOverload
    @inlinable
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try ValueElements<Self>.cursor(db, sql: sql, arguments, adapter)
    }

    /// All the values of an SQL query.
    ///
    /// ```swift
    /// let names = try String.fetchAll(db, sql: "SELECT name FROM player WHERE score > ?", arguments: [1000])
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try ValueElements<Self>.all(ValueElements<Self>.cursor(db, sql: sql, arguments, adapter))
    }

    /// The first value of an SQL query, or nil without rows. NULL is also nil; for an optional type, it is
    /// `.some(nil)`.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try ValueElements<Self>.first(ValueElements<Self>.cursor(db, sql: sql, arguments, adapter))
    }

    // MARK: From a request

    /// A cursor over the values of any request.
    ///
    /// - Throws: a ``DatabaseError``.
    @_disfavoredOverload
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> DatabaseValueCursor<Self> {
        try ValueElements<Self>.cursor(db, request, forSingleResult: false)
    }

    /// All the values of any request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        try ValueElements<Self>.all(ValueElements<Self>.cursor(db, request, forSingleResult: false))
    }

    /// The first value of any request, or nil without rows. NULL is also nil; for an optional type, it is `.some(nil)`.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        try ValueElements<Self>.first(ValueElements<Self>.cursor(db, request, forSingleResult: true))
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// The set of the values of a statement.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try ValueElements<Self>.set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// The set of the values of an SQL query.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try ValueElements<Self>.set(ValueElements<Self>.cursor(db, sql: sql, arguments, adapter))
    }

    /// The set of the values of any request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try ValueElements<Self>.set(ValueElements<Self>.cursor(db, request, forSingleResult: false))
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
    /// A cursor over the values of the request.
    ///
    /// - Throws: a ``DatabaseError``.
    @_disfavoredOverload
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// All the values of the request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// The first value of the request, or nil without rows. NULL is also nil; for an optional type, it is `.some(nil)`.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }

    /// The set of the values of the request.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
        try RowDecoder.fetchSet(db, self)
    }
}

extension Table where RowDecoder: DatabaseValueConvertible {
    /// A cursor over all values of the table's leftmost column.
    ///
    /// - Throws: a ``DatabaseError``.
    @_disfavoredOverload
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> { try all().fetchCursor(db) }

    /// All values of the table's leftmost column.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// The first value that SQLite returns from the table's leftmost column, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }

    /// The set of all values of the table's leftmost column.
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @_disfavoredOverload
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
        try all().fetchSet(db)
    }
}

extension PageRequest where RowDecoder: DatabaseValueConvertible {
    /// Fetches the page.
    ///
    /// - Throws: a ``DatabaseError``; its code is SQLITE_MISUSE if the size is not positive, if the token belongs to
    ///   another order, or if the request has a limit, groups, an order in SQL text, or right, full or cross joins.
    @_disfavoredOverload
    @inlinable
    public func fetch(_ db: Database) throws -> Page<RowDecoder> { try page(db, of: ValueElements<RowDecoder>.self) }
}
