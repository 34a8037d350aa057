// Comparisons as methods: patterns, and comparisons that treat NULL as an ordinary value.

extension SQLSpecificExpressible {
    /// `a GLOB pattern`: `*` and `?` match any characters. The comparison is case-sensitive.
    ///
    /// ```swift
    /// // SELECT * FROM "file" WHERE "name" GLOB ?
    /// File.filter { $0.name.glob("*.swift") }
    /// ```
    ///
    /// Source: <https://sqlite.org/lang_expr.html#glob>
    public func glob(_ pattern: some SQLExpressible) -> SQLExpression { .binary(.glob, self, pattern) }

    /// `a REGEXP pattern`: SQLite calls the function `regexp` with the pattern and the text. SQLite does not provide
    /// this function: unless you add it, fetching throws "no such function: REGEXP".
    ///
    /// ```swift
    /// db.add(function: DatabaseFunction("regexp", argumentCount: 2, pure: true) { values in
    ///     guard let pattern = String.fromDatabaseValue(values[0]), let text = String.fromDatabaseValue(values[1])
    ///     else { return nil }
    ///     return try text.contains(Regex(pattern))
    /// })
    /// // SELECT * FROM "file" WHERE "name" REGEXP ?
    /// File.filter { $0.name.regexp("[0-9]+") }
    /// ```
    ///
    /// Source: <https://sqlite.org/lang_expr.html#regexp>
    public func regexp(_ pattern: some SQLExpressible) -> SQLExpression { .binary(.regexp, self, pattern) }

    /// `a IS NOT b`: whether the values differ, with NULL as an ordinary value. This is the SQL standard's
    /// `a IS DISTINCT FROM b`, in a form that every version of SQLite accepts. It is the same as `a !== b`.
    ///
    /// Source: <https://sqlite.org/lang_expr.html#isisnot>
    public func isDistinct(from other: (any SQLExpressible)?) -> SQLExpression {
        .binary(.isNotSame, self, other?.sqlExpression ?? .null)
    }

    /// `a IS b`: whether the values are equal, with NULL as an ordinary value. It is the same as `a === b`.
    public func isNotDistinct(from other: (any SQLExpressible)?) -> SQLExpression {
        .binary(.isSame, self, other?.sqlExpression ?? .null)
    }
}
