// Functions on texts: parts, positions, and comparisons with user input. Sources:
// https://sqlite.org/lang_corefunc.html, https://sqlite.org/lang_expr.html#glob

/// `SUBSTR(text, start)`, or `SUBSTR(text, start, length)`.
///
/// ```swift
/// // SELECT SUBSTR("name", ?, ?) FROM "player"
/// Player.select({ substr($0.name, 1, 3) }, as: String.self)
/// ```
///
/// - Parameters:
///   - text: the whole text.
///   - start: the position of the first character, from 1; counted from the end if negative.
///   - length: the number of characters; all remaining ones if nil.
///
/// Source: <https://sqlite.org/lang_corefunc.html#substr>
public func substr(
    _ text: some SQLSpecificExpressible, _ start: some SQLExpressible, _ length: (any SQLExpressible)? = nil
) -> SQLExpression {
    let arguments = [text.sqlExpression, start.sqlExpression] + (length.map { [$0.sqlExpression] } ?? [])
    return SQLExpression(.function(.init("SUBSTR", arguments)))
}

/// `INSTR(text, part)`: the position of the first occurrence, from 1; 0 if there is none.
///
/// Source: <https://sqlite.org/lang_corefunc.html#instr>
public func instr(_ text: some SQLSpecificExpressible, _ part: some SQLExpressible) -> SQLExpression {
    SQLExpression(.function(.init("INSTR", [text.sqlExpression, part.sqlExpression])))
}

/// The texts of the values, joined: `IFNULL(a, '') || IFNULL(b, '')`. It is equivalent to SQLite's `concat`, which
/// ignores NULL, but works in all versions.
///
/// Source: <https://sqlite.org/lang_corefunc.html#concat>
public func concat(_ values: any SQLExpressible...) -> SQLExpression {
    let empty = SQLExpression(.constant(DatabaseValue(storage: .string(""))))
    let texts = values.map {
        SQLExpression(.function(.init("IFNULL", [$0.sqlExpression, empty], result: .firstArgument)))
    }
    return .joined([empty] + texts, by: .concat)
}

/// `CONCAT_WS(separator, a, b, ...)`: the texts of the values that are not NULL, joined with a separator. Requires
/// SQLite 3.44: on older versions, fetching throws "no such function: CONCAT_WS".
///
/// Source: <https://sqlite.org/lang_corefunc.html#concat_ws>
public func concat(_ values: any SQLExpressible..., separator: some SQLExpressible) -> SQLExpression {
    SQLExpression(.function(.init("CONCAT_WS", [separator.sqlExpression] + values.map(\.sqlExpression))))
}

/// `GROUP_CONCAT(value, separator ORDER BY ...)`, which the SQL standard calls STRING_AGG: the texts of a group,
/// joined; NULL if there are none.
///
/// - Parameters:
///   - value: the texts.
///   - separator: the text between two values.
///   - orderings: the order of the texts. Requires SQLite 3.44.
///   - filter: the rows to include; nil for the whole group.
///
/// Source: <https://sqlite.org/lang_aggfunc.html#group_concat>
public func stringAgg(
    _ value: some SQLSpecificExpressible, _ separator: some SQLExpressible,
    orderBy orderings: [any SQLOrderingTerm] = [], filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    groupConcat(value, separator: separator, orderBy: orderings, filter: filter)
}

extension SQLSpecificExpressible {
    /// Whether the text contains another one: `INSTR(name, text) > 0`. Case-sensitive.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE INSTR("name", ?) > 0
    /// Player.filter { $0.name.contains("50%") }
    /// ```
    ///
    /// To ignore the case of ASCII letters, use ``like(_:escape:)``. To find words in many texts, use full-text search.
    public func contains(_ text: some SQLExpressible) -> SQLExpression {
        SQLExpression(.binary(.greater, instr(self, text), .constant(0)))
    }

    /// Whether the text starts with another one: `name GLOB 'text*'`. Case-sensitive. The other text has no wildcards.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" GLOB ?   -- Art*
    /// Player.filter { $0.name.hasPrefix("Art") }
    /// ```
    ///
    /// The query can use an index on the column.
    public func hasPrefix(_ text: String) -> SQLExpression {
        guard let pattern = text.globPattern else { return starts(with: text) }
        return glob("\(pattern)*")
    }

    /// Whether the text starts with the text of an expression: `INSTR(name, text) = 1`.
    public func hasPrefix(_ text: some SQLSpecificExpressible) -> SQLExpression { starts(with: text) }

    /// Whether the text ends with another one. Case-sensitive.
    ///
    /// ```swift
    /// // SELECT * FROM "file" WHERE (LENGTH(CAST('.' || "name" AS BLOB)) > LENGTH(CAST(? AS BLOB)))
    /// // AND (SUBSTR(CAST('.' || "name" AS BLOB), ...) = CAST(? AS BLOB))
    /// File.filter { $0.name.hasSuffix(".swift") }
    /// ```
    public func hasSuffix(_ text: some SQLExpressible) -> SQLExpression {
        // GLOB, and the length of a text, stop at NUL, but blobs don't. A byte is prepended because parts of an empty
        // blob would be NULL.
        let prefix = SQLExpression(.constant(DatabaseValue(storage: .string("."))))
        let whole = cast(SQLExpression.joined([prefix, sqlExpression], by: .concat), as: .blob)
        let part = cast(text.sqlExpression, as: .blob)
        let end = substr(whole, length(whole) - length(part) + SQLExpression.constant(1))
        return length(whole) > length(part) && SQLExpression(.equal(end, part, isNegated: false))
    }

    private func starts(with text: some SQLExpressible) -> SQLExpression {
        SQLExpression(.equal(instr(self, text), .constant(1), isNegated: false))
    }
}

extension SQLExpression {
    /// A number that is not user input.
    fileprivate static func constant(_ number: Int64) -> SQLExpression {
        SQLExpression(.constant(DatabaseValue(storage: .int64(number))))
    }
}

extension String {
    /// A GLOB pattern for the text; nil if a pattern can't express it: GLOB stops at NUL.
    fileprivate var globPattern: String? {
        guard !utf8.contains(0) else { return nil }
        guard utf8.contains(where: { [0x2A, 0x3F, 0x5B].contains($0) }) else { return self }
        // A character may consist of one of these and combining marks.
        return unicodeScalars.reduce(into: "") { pattern, scalar in
            let isSpecial = "*?[".unicodeScalars.contains(scalar)
            pattern += isSpecial ? "[\(scalar)]" : String(scalar)
        }
    }
}
