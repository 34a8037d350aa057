// Dates computed by SQLite. `dateTime` and `julianDay` are in SQLFunctions.
// Source: https://sqlite.org/lang_datefunc.html
// Source: https://sqlite.org/lang_datefunc.html

/// `DATE(value, modifiers...)`: a text such as `2024-02-29`, or NULL if the value is not a date.
///
/// ```swift
/// // SELECT * FROM "player" WHERE DATE("created") >= DATE('now', ?)   -- '-7 days'
/// Player.filter { date($0.created) >= date(.now, .day(-7)) }
/// ```
///
/// Source: <https://sqlite.org/lang_datefunc.html>
public func date(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    .date("DATE", [value.sqlExpression], modifiers)
}

/// `TIME(value, modifiers...)`: a text such as `13:14:15`, or NULL if the value is not a date.
public func time(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    .date("TIME", [value.sqlExpression], modifiers)
}

/// `UNIXEPOCH(value, modifiers...)`: the seconds since 1970, or NULL if the value is not a date. Requires SQLite 3.38:
/// on older versions, fetching throws "no such function".
public func unixEpoch(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    .date("UNIXEPOCH", [value.sqlExpression], modifiers)
}

/// `STRFTIME(format, value, modifiers...)`: a date in a custom format, or NULL if the value is not a date.
///
/// ```swift
/// // SELECT COUNT(*) FROM "player" GROUP BY STRFTIME('%Y-%m', "created")
/// Player.select { count(.allColumns) }.group { strftime("%Y-%m", $0.created) }
/// ```
///
/// A format given as a Swift string is written into the SQL, so SQLite can use an index on the same expression.
public func strftime(
    _ format: some SQLExpressible, _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
    .date("STRFTIME", [format.sqlExpression.asConstant, value.sqlExpression], modifiers)
}

extension SQLSpecificExpressible where Self == SQLExpression {
    /// The current time, for the date functions: `DATE('now')`. It doesn't change during the execution of a statement.
    public static var now: SQLExpression { SQLExpression(.constant(DatabaseValue(storage: .string("now")))) }
}

extension SQLExpression {
    fileprivate static func date(
        _ name: String, _ arguments: [SQLExpression], _ modifiers: [SQLDateModifier]
    ) -> SQLExpression {
        SQLExpression(.function(FunctionCall(name, arguments + modifiers.map(\.sqlExpression))))
    }
}
