// Full-text searches in requests. The left operand of MATCH is a column, or the hidden column with the name of the
// table.

extension Column {
    /// The hidden column with the relevance of a row of an FTS5 table. The most relevant rows come first.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH ? ORDER BY "rank"
    /// Document.matching(pattern).order(Column.rank)
    /// ```
    ///
    /// Source: <https://sqlite.org/fts5.html#sorting_by_auxiliary_function_results>
    public static let rank = Column("rank")
}

extension ColumnExpression {
    /// Whether a column of an FTS3 or FTS4 table matches a pattern. Nil matches nothing.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "title" MATCH ?
    /// Document.filter { $0.title.match(FTS3Pattern(matchingPhrase: "Moby-Dick")) }
    /// ```
    public func match(_ pattern: FTS3Pattern?) -> SQLExpression { sqlExpression.match(pattern) }

    /// Whether a column of an FTS5 table matches a pattern. Nil matches nothing.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "title" MATCH ?
    /// Document.filter { $0.title.match(FTS5Pattern(matchingPhrase: "Moby-Dick")) }
    /// ```
    public func match(_ pattern: FTS5Pattern?) -> SQLExpression { sqlExpression.match(pattern) }
}

extension TypedColumn {
    /// Whether a column of an FTS3 or FTS4 table matches a pattern. Nil matches nothing.
    public func match(_ pattern: FTS3Pattern?) -> SQLExpression { untyped.match(pattern) }

    /// Whether a column of an FTS5 table matches a pattern. Nil matches nothing.
    public func match(_ pattern: FTS5Pattern?) -> SQLExpression { untyped.match(pattern) }
}

extension SQLExpression {
    fileprivate func match(_ pattern: (some DatabaseValueConvertible)?) -> SQLExpression {
        // For FTS5, NULL is a syntax error.
        guard let pattern else { return .null }
        return SQLExpression(.binary(.match, self, SQLExpression(.value(pattern.databaseValue))))
    }
}

extension TableRequest {
    /// Keeps the rows of an FTS3 or FTS4 table that match a pattern. Nil matches nothing.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH ?
    /// Document.all().matching(FTS3Pattern(matchingAllTokensIn: "SQLite database"))
    /// ```
    ///
    /// - Note: the fetch throws an error if the table is not a full-text table.
    public consuming func matching(_ pattern: FTS3Pattern?) -> Self {
        _mapRelation { $0.addFilter(Column($0.source.name).match(pattern)) }
    }

    /// Keeps the rows of an FTS5 table that match a pattern. Nil matches nothing.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH ?
    /// Document.all().matching(FTS5Pattern(matchingAllTokensIn: "SQLite database"))
    /// ```
    ///
    /// - Note: the fetch throws an error if the table is not a full-text table.
    public consuming func matching(_ pattern: FTS5Pattern?) -> Self {
        _mapRelation { $0.addFilter(Column($0.source.name).match(pattern)) }
    }
}

extension TableRecord {
    /// A request for the records of an FTS3 or FTS4 table that match a pattern. Nil matches nothing.
    public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> { all().matching(pattern) }

    /// A request for the records of an FTS5 table that match a pattern. Nil matches nothing.
    public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> { all().matching(pattern) }
}

extension Table {
    /// A request for the rows of an FTS3 or FTS4 table that match a pattern. Nil matches nothing.
    public func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<RowDecoder> { all().matching(pattern) }

    /// A request for the rows of an FTS5 table that match a pattern. Nil matches nothing.
    public func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<RowDecoder> { all().matching(pattern) }
}
