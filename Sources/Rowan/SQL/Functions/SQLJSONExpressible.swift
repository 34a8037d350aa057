// JSON values: expressions that contain JSON, and the operators that access its parts.

/// A type that can be used as an SQL expression and contains a JSON value.
///
/// ```swift
/// extension Player: TableRecord {
///     enum Columns {
///         static let address = JSONColumn("address")
///     }
/// }
///
/// // SELECT * FROM "player" WHERE "address" ->> 'country' = ?
/// Player.filter { $0.address["country"] == "DE" }
/// ```
///
/// As an element of a JSON array or object, such as the result of `Database.jsonArray`, it stays a JSON value. Any
/// other text becomes a JSON string.
///
/// Source: <https://sqlite.org/json1.html>
public protocol SQLJSONExpressible: SQLSpecificExpressible {}

extension SQLJSONExpressible {
    /// The SQL value at a path: `"info" ->> 'name'`. JSON strings become texts, and JSON numbers become numbers. JSON
    /// null and missing values become NULL. Arrays and objects become JSON text.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "address" ->> 'country' = ?
    /// Player.filter { $0.address["country"] == "DE" }
    /// // ... "scores" ->> 0, "info" ->> '$.team.name'
    /// $0.scores[0]; $0.info["$.team.name"]
    /// ```
    ///
    /// A path given as a Swift string or integer is written into the SQL, so SQLite can use an index on the same
    /// expression. A string is a key, whatever characters it contains, unless it is `$` or starts with `$.` or `$[`:
    ///
    /// ```swift
    /// // "counts" ->> '$."2026-01-31"', "counts" ->> '$."7"', "mails" ->> '$."a@example.com"'
    /// $0.counts["2026-01-31"]; $0.counts["7"]; $0.mails["a@example.com"]
    /// ```
    ///
    /// - Parameter path: a key of the object, an integer for a position in the array, or a path that starts with `$`.
    ///   <https://sqlite.org/json1.html#jptr>. SQLite interprets the text of any other expression: before 3.45, it
    ///   treats digits as a position, and a text with dots or brackets as a path.
    public subscript(_ path: some SQLExpressible) -> SQLExpression {
        .json(.jsonValue, sqlExpression, path.sqlExpression)
    }

    /// The JSON text of the value at a path: `"info" -> 'name'`. A JSON string keeps its quotes, and JSON null is the
    /// text `null`. A missing value is NULL.
    ///
    /// ```swift
    /// // SELECT "address" -> 'country' FROM "player"   -- "DE", with its quotes
    /// Player.select({ $0.address.jsonRepresentation(atPath: "country") }, as: String.self)
    /// ```
    ///
    /// - Parameter path: a key of the object, an integer for a position in the array, or a path that starts with `$`,
    ///   as in the subscript.
    public func jsonRepresentation(atPath path: some SQLExpressible) -> SQLExpression {
        .json(.jsonRepresentation, sqlExpression, path.sqlExpression)
    }

    /// The SQL value at a path: `JSON_EXTRACT("info", '$.name')`.
    ///
    /// ```swift
    /// // SELECT JSON_EXTRACT("address", '$.country') FROM "player"
    /// Player.select({ $0.address.jsonExtract(atPath: "$.country") }, as: String.self)
    /// ```
    ///
    /// Fetching throws an error for invalid JSON, and for a path that does not start with `$`.
    ///
    /// Source: <https://sqlite.org/json1.html#jex>
    public func jsonExtract(atPath path: some SQLExpressible) -> SQLExpression {
        .json(.extract, [sqlExpression, path.sqlExpression.asConstant])
    }

    /// The values at several paths, as a JSON array: `JSON_EXTRACT("info", '$.a', '$.b')`. A single path gives an SQL
    /// value, like ``jsonExtract(atPath:)``. No path gives NULL.
    ///
    /// ```swift
    /// // SELECT JSON_EXTRACT("address", '$.city', '$.country') FROM "player"   -- ["Berlin","DE"]
    /// Player.select({ $0.address.jsonExtract(atPaths: ["$.city", "$.country"]) }, as: String.self)
    /// ```
    ///
    /// Source: <https://sqlite.org/json1.html#jex>
    public func jsonExtract<Path: SQLExpressible>(atPaths paths: some Collection<Path>) -> SQLExpression {
        .json(.extract, [sqlExpression] + paths.map(\.sqlExpression.asConstant))
    }

    /// The values at paths of several types, as a JSON array: `JSON_EXTRACT("info", '$.a', '$.b')`.
    public func jsonExtract(atPaths paths: some Collection<any SQLExpressible>) -> SQLExpression {
        .json(.extract, [sqlExpression] + paths.map(\.sqlExpression.asConstant))
    }
}

/// A column that contains JSON values.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "address" ->> 'country' = ?
/// Player.filter(JSONColumn("address")["country"] == "DE")
/// ```
///
/// Article: <doc:JSONColumns>.
public struct JSONColumn: ColumnExpression, SQLJSONExpressible, Sendable {
    /// The name of the column, not quoted.
    public var name: String

    /// Creates a column with this name.
    public init(_ name: String) { self.name = name }

    /// Creates a column with the name of a coding key.
    public init(_ codingKey: some CodingKey) { name = codingKey.stringValue }
}

/// A type-erased expression that contains a JSON value.
///
/// ```swift
/// // SELECT "address" ->> 'name', "info" ->> 'name' FROM "player"
/// let values = [AnySQLJSONExpressible(JSONColumn("address")), Column("info").asJSON]
/// Player.select(values.map { $0["name"] })
/// ```
public struct AnySQLJSONExpressible: SQLJSONExpressible, Sendable {
    /// The JSON value as an expression.
    public let sqlExpression: SQLExpression

    /// Erases the type of a JSON value.
    public init(_ base: some SQLJSONExpressible) { sqlExpression = base.sqlExpression }

    package init(sqlExpression: SQLExpression) { self.sqlExpression = sqlExpression }
}

extension SQLSpecificExpressible {
    /// The expression, treated as a JSON value. Its SQL does not change.
    ///
    /// ```swift
    /// // SELECT "info" ->> 'score' FROM "player"
    /// Player.select({ $0.info.asJSON["score"] }, as: Int.self)
    /// // JSON_ARRAY("info") is an array of one text, JSON_ARRAY(JSON("info")) is an array of one object:
    /// Database.jsonArray([$0.info])
    /// Database.jsonArray([$0.info.asJSON])
    /// ```
    public var asJSON: AnySQLJSONExpressible { AnySQLJSONExpressible(sqlExpression: sqlExpression) }
}

extension SQLExpression {
    package static func json(
        _ function: JSONFunction, _ arguments: [SQLExpression], filter: SQLExpression? = nil
    ) -> SQLExpression {
        SQLExpression(.function(FunctionCall(function, arguments, filter: filter)))
    }

    /// `json -> path` or `json ->> path`. A string that is not a path is a key, which SQLite before 3.45 may mistake
    /// for a position or a path: it becomes a quoted path, unless the key is plain.
    fileprivate static func json(_ op: BinaryOperator, _ json: SQLExpression, _ path: SQLExpression) -> SQLExpression {
        guard case .value(let value) = path.node, case .string(let key) = value.storage, key != "$",
            !key.hasPrefix("$."), !key.hasPrefix("$[")
        else { return SQLExpression(.binary(op, json, path.asConstant)) }
        // Before 3.45, SQLite compares a path with the JSON text, where these characters may be escaped: JSONEncoder
        // writes `\/`, and other encoders write `\u00e9`.
        let escaped = "\"\\/".utf8
        if key.utf8.contains(where: { !(0x20..<0x7F).contains($0) || escaped.contains($0) }) {
            return memberByName(op, json, path)
        }
        let startsPlain = key.utf8.first.map { !$0.isASCIIDigit && $0 != UInt8(ascii: "$") } ?? false
        let isPlain =
            startsPlain && !key.utf8.contains(UInt8(ascii: ".")) && !key.utf8.contains(UInt8(ascii: "["))
        let path = isPlain ? key : "$.\"\(key)\""
        return SQLExpression(.binary(op, json, SQLExpression(.constant(path.databaseValue))))
    }

    /// The member of an object with the given name, which SQLite compares as text.
    private static func memberByName(
        _ op: BinaryOperator, _ json: SQLExpression, _ name: SQLExpression
    ) -> SQLExpression {
        let value: SQL =
            op == .jsonValue
            ? "value"
            : "CASE type WHEN 'array' THEN value WHEN 'object' THEN value WHEN 'true' THEN type WHEN 'false' THEN type "
                + "ELSE JSON_QUOTE(value) END"
        // The names of the function's columns would shadow the table's columns.
        return SQLExpression(
            .subquery(
                SQLSubquery(
                    .literal(
                        "SELECT \(value) FROM (SELECT \(json) AS \"rowan json\"), json_each(\"rowan json\") WHERE key = "
                            + "\(name) LIMIT 1"))))
    }

    /// A text or an integer as a literal in the SQL, where SQLite can't read a NUL character.
    package var asConstant: SQLExpression {
        guard case .value(let value) = node else { return self }
        return switch value.storage {
        case .int64: SQLExpression(.constant(value))
        case .string(let string) where !string.utf8.contains(0): SQLExpression(.constant(value))
        case .string, .double, .blob, .null: self
        }
    }

    /// Whether SQLite recognizes the value as JSON: it is the result of a function that returns JSON, or from `->`.
    /// Source: <https://sqlite.org/json1.html#interface_overview>
    package var isJSONForSQLite: Bool {
        switch node {
        case .function(let call): call.jsonFunction?.returnsJSON ?? false
        case .windowed(let call, _): call.isJSONForSQLite
        case .binary(let op, _, _): op == .jsonRepresentation
        case .value, .constant, .column, .literal, .unary, .associative, .equal, .between, .isIn, .like, .collated,
            .conditional, .cast, .subquery, .exists, .tuple, .storable,
            .symbol:
            false
        case .bound(let expression, _): expression.isJSONForSQLite
        }
    }
}

extension SQLSpecificExpressible {
    /// The value in SQLite's binary JSON format: a blob that JSON functions read without parsing.
    ///
    /// ```swift
    /// Database.jsonArray([1, 2]).asJSONB   // JSONB_ARRAY(?, ?)
    /// Column("info").asJSONB               // JSONB("info")
    /// ```
    ///
    /// - Note: on SQLite before 3.45, fetching throws "no such function".
    ///
    /// Source: <https://sqlite.org/jsonb.html>
    public var asJSONB: SQLExpression { sqlExpression.binaryJSON }
}

extension SQLExpression {
    fileprivate var binaryJSON: SQLExpression {
        switch node {
        case .function(var call):
            guard let function = call.jsonFunction, call.name == function.rawValue, let name = function.binaryName
            else {
                return .json(.binary, [self])
            }
            call.name = name
            return SQLExpression(.function(call))
        case .windowed(let call, let window) where call.isJSONForSQLite:
            return SQLExpression(.windowed(call.binaryJSON, window))
        default:
            // Any other value is JSON text, or is rejected by SQLite.
            return .json(.binary, [self])
        }
    }
}

extension SQLExpressible {
    /// The argument of a function that embeds it in JSON. SQLite recognizes some JSON only as a text or a blob: such
    /// JSON is parsed, so that it is stored as JSON rather than as a JSON string.
    package var asJSONElement: SQLExpression {
        let expression = sqlExpression
        guard self is any SQLJSONExpressible, !expression.isJSONForSQLite else { return expression }
        return .json(.json, [expression])
    }
}
