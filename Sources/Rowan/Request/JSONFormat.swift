// The two forms of the JSON functions, and what of a value they take for JSON.

/// What a JSON function returns.
///
/// ```swift
/// Database.jsonArray([1, 2])                    // JSON_ARRAY(?, ?)    [1,2]
/// Database.jsonArray([1, 2], format: .binary)   // JSONB_ARRAY(?, ?)   a blob
/// ```
public enum JSONFormat: Hashable, Sendable {
    /// JSON text.
    case text
    /// SQLite's binary JSON: a blob that JSON functions read without parsing. Since SQLite 3.45: a former one throws
    /// "no such function" at fetch. <https://sqlite.org/jsonb.html>
    case binary

    /// `JSON_ARRAY`, or `JSONB_ARRAY`.
    func function(_ suffix: String) -> String {
        switch self {
        case .text: "JSON\(suffix)"
        case .binary: "JSONB\(suffix)"
        }
    }

    /// The argument of a function that stores it into JSON. JSON that SQLite only sees as a text or a blob is read, so
    /// that it is stored as JSON, and not as a JSON string.
    func element(_ value: any SQLExpressible) -> SQLExpression {
        let expression = value.sqlExpression
        guard value is any SQLJSONExpressible, !expression.isJSONForSQLite else { return expression }
        return .json(function(""), [expression])
    }

    func elements(_ assignments: some Collection<(key: String, value: any SQLExpressible)>) -> [SQLExpression] {
        // A dictionary has no order of its own: the same one gives the same SQL.
        let ordered =
            assignments is [String: any SQLExpressible] ? assignments.sorted { $0.key < $1.key } : Array(assignments)
        return ordered.flatMap { [$0.key.sqlExpression, element($0.value)] }
    }
}
