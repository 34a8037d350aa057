// The functions of SQLite that read and check JSON. Those that return JSON are in Database+JSONFunctions.
// Source: https://sqlite.org/json1.html

extension Database {
    // MARK: Reading

    /// The number of elements of a JSON array, or 0 for other JSON values: `JSON_ARRAY_LENGTH("scores")`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE JSON_ARRAY_LENGTH("scores") > ?
    /// Player.filter { Database.jsonArrayLength($0.scores) > 10 }
    /// ```
    ///
    /// Source: <https://sqlite.org/json1.html#jarraylen>
    public static func jsonArrayLength(_ value: some SQLExpressible) -> SQLExpression {
        .json(.arrayLength, [value.sqlExpression])
    }

    /// The number of elements of the JSON array at a path, or NULL if the path does not exist:
    /// `JSON_ARRAY_LENGTH("info", '$.scores')`.
    public static func jsonArrayLength(
        _ value: some SQLExpressible, atPath path: some SQLExpressible
    ) -> SQLExpression {
        .json(.arrayLength, [value.sqlExpression, path.sqlExpression.asConstant])
    }

    /// The type of a JSON value: `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE JSON_TYPE("info") = ?
    /// Player.filter { Database.jsonType($0.info) == "array" }
    /// ```
    ///
    /// Source: <https://sqlite.org/json1.html#jtype>
    public static func jsonType(_ value: some SQLExpressible) -> SQLExpression {
        .json(.type, [value.sqlExpression])
    }

    /// The type of the JSON value at a path, or NULL if the path does not exist: `JSON_TYPE("info", '$.name')`.
    public static func jsonType(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        .json(.type, [value.sqlExpression, path.sqlExpression.asConstant])
    }

    // MARK: Checking

    /// Whether a text is valid JSON: `JSON_VALID("info")`.
    ///
    /// ```swift
    /// // CREATE TABLE "player" ("info" TEXT CHECK (JSON_VALID("info")))
    /// t.column("info", .jsonText).check { Database.jsonIsValid($0) }
    /// ```
    ///
    /// Source: <https://sqlite.org/json1.html#jvalid>
    public static func jsonIsValid(_ value: some SQLExpressible) -> SQLExpression {
        .json(.valid, [value.sqlExpression])
    }

    /// The position of the first syntax error, or 0 for valid JSON: `JSON_ERROR_POSITION("info")`. Requires SQLite
    /// 3.42.
    ///
    /// Source: <https://sqlite.org/json1.html#jerr>
    public static func jsonErrorPosition(_ value: some SQLExpressible) -> SQLExpression {
        .json(.errorPosition, [value.sqlExpression])
    }

    // MARK: Texts

    /// The JSON of an SQL number or text: `JSON_QUOTE("name")`. JSON values stay unchanged.
    ///
    /// ```swift
    /// // SELECT JSON_QUOTE("name") FROM "player"   -- "Arthur", with its quotes
    /// Player.select({ Database.jsonQuote($0.name) }, as: String.self)
    /// ```
    ///
    /// Source: <https://sqlite.org/json1.html#jquote>
    public static func jsonQuote(_ value: some SQLExpressible) -> SQLExpression {
        .json(.quote, [value.asJSONElement])
    }

    /// The JSON with line breaks and indentation: `JSON_PRETTY("info")`. Requires SQLite 3.46.
    ///
    /// - Parameters:
    ///   - value: an expression whose value is JSON.
    ///   - indent: the text that indents one level; nil for SQLite's default, four spaces.
    ///
    /// Source: <https://sqlite.org/json1.html#jpretty>
    public static func jsonPretty(_ value: some SQLExpressible, indent: String? = nil) -> SQLExpression {
        .json(.pretty, [value.sqlExpression] + (indent.map { [$0.sqlExpression] } ?? []))
    }
}
