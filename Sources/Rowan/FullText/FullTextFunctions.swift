// The auxiliary functions of full-text tables, in requests that match a pattern.

extension FTS5 {
    /// The part of a text with the most matches: `snippet(document, 1, '<b>', '</b>', '…', 16)`.
    ///
    /// ```swift
    /// // SELECT *, snippet("document", 1, ?, ?, ?, ?) AS "excerpt" FROM "document" WHERE "document" MATCH ?
    /// Document.matching(pattern).annotated { [FTS5.snippet(of: $0.body).forKey("excerpt")] }
    /// ```
    ///
    /// The fetch throws an error if the request matches no pattern, or if its table is not an FTS5 table.
    ///
    /// - Parameters:
    ///   - column: the column of the text.
    ///   - start: the text before a match.
    ///   - end: the text after a match.
    ///   - ellipsis: the text in place of omitted parts.
    ///   - tokenCount: the maximum number of tokens, from 1 to 64.
    ///
    /// Source: <https://sqlite.org/fts5.html#the_snippet_function>
    public static func snippet(
        of column: some ColumnExpression, start: String = "<b>", end: String = "</b>", ellipsis: String = "…",
        tokenCount: Int = 16
    ) -> SQLExpression {
        call("snippet", position(of: column), start, end, ellipsis, tokenCount)
    }

    /// The part of the text of any column with the most matches.
    public static func snippet(
        start: String = "<b>", end: String = "</b>", ellipsis: String = "…", tokenCount: Int = 16
    ) -> SQLExpression {
        call("snippet", SQLExpression.constant(-1), start, end, ellipsis, tokenCount)
    }

    /// A text with its matches marked: `highlight(document, 0, '<b>', '</b>')`.
    ///
    /// ```swift
    /// // SELECT *, highlight("document", 0, ?, ?) AS "marked" FROM "document" WHERE "document" MATCH ?
    /// Document.matching(pattern).annotated { [FTS5.highlight($0.title).forKey("marked")] }
    /// ```
    ///
    /// The fetch throws an error if the request matches no pattern, or if its table is not an FTS5 table.
    ///
    /// Source: <https://sqlite.org/fts5.html#the_highlight_function>
    public static func highlight(
        _ column: some ColumnExpression, start: String = "<b>", end: String = "</b>"
    ) -> SQLExpression {
        call("highlight", position(of: column), start, end)
    }

    /// The relevance of a row, with a weight for each column: `bm25(document, 10.0, 1.0)`. The most relevant rows have
    /// the smallest value.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH ? ORDER BY bm25("document", ?, ?)
    /// Document.matching(pattern).order(FTS5.bm25(weights: [10, 1]))
    /// ```
    ///
    /// With equal weights, ordering by ``Column/rank`` is faster. The fetch throws an error if the request matches no
    /// pattern, or if its table is not an FTS5 table.
    ///
    /// - Parameter weights: the weights of the columns, in order. Missing weights are 1.
    ///
    /// Source: <https://sqlite.org/fts5.html#the_bm25_function>
    public static func bm25(weights: [Double] = []) -> SQLExpression { call("bm25", arguments: weights) }
}

extension FTS3 {
    /// The part of a text with the most matches, in an FTS3 or FTS4 table: `snippet(document, '<b>', '</b>', '…', 1, 15)`.
    ///
    /// ```swift
    /// // SELECT *, snippet("document", ?, ?, ?, 1, ?) AS "excerpt" FROM "document" WHERE "document" MATCH ?
    /// Document.matching(pattern).annotated { [FTS3.snippet(of: $0.body).forKey("excerpt")] }
    /// ```
    ///
    /// The fetch throws an error if the request matches no pattern, or if its table is not a full-text table.
    ///
    /// - Parameters:
    ///   - column: the column that contains the text.
    ///   - start: the text before each match.
    ///   - end: the text after each match.
    ///   - ellipsis: the text in place of the omitted parts.
    ///   - tokenCount: the approximate number of tokens, from 1 to 64.
    ///
    /// Source: <https://sqlite.org/fts3.html#snippet>
    public static func snippet(
        of column: some ColumnExpression, start: String = "<b>", end: String = "</b>", ellipsis: String = "…",
        tokenCount: Int = 15
    ) -> SQLExpression {
        call("snippet", start, end, ellipsis, position(of: column), tokenCount)
    }

    /// The part of the text of any column with the most matches.
    public static func snippet(
        start: String = "<b>", end: String = "</b>", ellipsis: String = "…", tokenCount: Int = 15
    ) -> SQLExpression {
        call("snippet", start, end, ellipsis, SQLExpression.constant(-1), tokenCount)
    }

    /// The positions of the matches in a row of an FTS3 or FTS4 table, as four integers for each of them: the column,
    /// the term of the pattern, the byte offset and the number of bytes. <https://sqlite.org/fts3.html#offsets>
    public static func offsets() -> SQLExpression { call("offsets") }

    /// Statistics about the matches in a row of an FTS3 or FTS4 table, as a blob of 32-bit integers.
    /// <https://sqlite.org/fts3.html#matchinfo>
    public static func matchInfo(format: String = "pcx") -> SQLExpression { call("matchinfo", format) }
}

/// A call of an auxiliary function, whose first argument is the table.
private func call(_ name: String, _ arguments: any SQLExpressible...) -> SQLExpression {
    call(name, arguments: arguments)
}

private func call(_ name: String, arguments: [any SQLExpressible]) -> SQLExpression {
    let table = SQLExpression(.symbol(.fullText(.table, .current)))
    return SQLExpression(.function(.init(name, [table] + arguments.map(\.sqlExpression))))
}

private func position(of column: some ColumnExpression) -> SQLExpression {
    SQLExpression(.symbol(.fullText(.position(ofColumn: column.name), .current)))
}

extension SQLExpression {
    fileprivate static func constant(_ integer: Int) -> SQLExpression {
        SQLExpression(.constant(integer.databaseValue))
    }
}
