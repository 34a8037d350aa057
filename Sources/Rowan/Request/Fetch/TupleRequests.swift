// Requests whose rows decode to tuples of values: `select(..., as: (String, Int).self)`.

extension FetchRequest {
    /// Fetches all rows as tuples, with one element per column.
    ///
    /// ```swift
    /// // SELECT "team", MAX("score") FROM "player" GROUP BY "team"
    /// let best = try Player.all()
    ///     .group(\.team)
    ///     .select({ [$0.team, max($0.score)] }, as: (String, Int?).self)
    ///     .fetchAll(db)   // [(String, Int?)]
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` for a missing column or a value that can't be
    ///   converted.
    @_disfavoredOverload
    public func fetchAll<A: DatabaseValueConvertible, B: DatabaseValueConvertible, each C: DatabaseValueConvertible>(
        _ db: Database
    ) throws -> [(A, B, repeat each C)] where RowDecoder == (A, B, repeat each C) {
        var tuples: [(A, B, repeat each C)] = []
        let cursor = try Row.fetchCursor(db, self)
        while let row = try cursor.next() { tuples.append(try row.decodeTuple()) }
        return tuples
    }

    /// Fetches the first row as a tuple, or nil.
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` for a missing column or a value that can't be
    ///   converted.
    @_disfavoredOverload
    public func fetchOne<A: DatabaseValueConvertible, B: DatabaseValueConvertible, each C: DatabaseValueConvertible>(
        _ db: Database
    ) throws -> (A, B, repeat each C)? where RowDecoder == (A, B, repeat each C) {
        guard let row = try Row.fetchOne(db, self) else { return nil }
        let tuple: (A, B, repeat each C) = try row.decodeTuple()
        return tuple
    }

    /// A cursor over the rows as tuples.
    ///
    /// - Throws: a ``DatabaseError``.
    @_disfavoredOverload
    public func fetchCursor<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, each C: DatabaseValueConvertible
    >(_ db: Database) throws -> AnyCursor<(A, B, repeat each C)> where RowDecoder == (A, B, repeat each C) {
        AnyCursor(try Row.fetchCursor(db, self).map { row -> (A, B, repeat each C) in try row.decodeTuple() })
    }
}

extension Row {
    /// The first columns, from left to right.
    fileprivate func decodeTuple<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, each C: DatabaseValueConvertible
    >() throws -> (A, B, repeat each C) {
        var index = 0
        func next<Value: DatabaseValueConvertible>(_ type: Value.Type) throws -> Value {
            defer { index += 1 }
            return try decode(type, atIndex: index)
        }
        return (try next(A.self), try next(B.self), repeat try next((each C).self))
    }
}
