// SQLite functions with a Swift counterpart in the documented API. Call any other function in a literal:
// `SQL("DATE(\(x))")`. Sources: https://sqlite.org/lang_corefunc.html, lang_aggfunc.html, lang_datefunc.html

/// `ABS(value)`
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression { .call("ABS", value) }

/// `LENGTH(value)`
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression { .call("LENGTH", value) }

/// `COUNT(value)`: the number of rows where the value is not NULL.
public func count(_ counted: some SQLSpecificExpressible) -> SQLExpression { .call(.count, counted) }

/// `COUNT(*)`
public func count(_ all: AllColumns) -> SQLExpression {
    SQLExpression(.function(.countOfRows))
}

/// `COUNT(DISTINCT value)`
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
    var call = SQLExpression.FunctionCall(.count, value.sqlExpression)
    call.isDistinct = true
    return SQLExpression(.function(call))
}

/// `COUNT(value) FILTER (WHERE filter)`
public func count(_ counted: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    .call(.count, counted, filter: filter.sqlExpression)
}

/// `COUNT(*) FILTER (WHERE filter)`: the number of rows that satisfy a condition.
///
/// ```swift
/// // SELECT "team", COUNT(*) FILTER (WHERE "score" > ?) FROM "player" GROUP BY "team"
/// Player.select { [$0.team, count(.allColumns, filter: $0.score > 100)] }.group(\.team)
/// ```
public func count(_ all: AllColumns, filter: some SQLSpecificExpressible) -> SQLExpression {
    var call = SQLExpression.FunctionCall.countOfRows
    call.filter = filter.sqlExpression
    return SQLExpression(.function(call))
}

/// `COUNT(DISTINCT value) FILTER (WHERE filter)`
public func count(distinct value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    var call = SQLExpression.FunctionCall(.count, value.sqlExpression, filter: filter.sqlExpression)
    call.isDistinct = true
    return SQLExpression(.function(call))
}

/// `MEDIAN(value)`: the median of the numbers in the group. If SQLite lacks the function, fetching throws "no such
/// function: MEDIAN".
///
/// Source: <https://sqlite.org/percentile.html>
public func median(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil) -> SQLExpression {
    SQLExpression(.function(.init("MEDIAN", [value.sqlExpression], .aggregate, filter: filter?.sqlExpression)))
}

/// `PERCENTILE(value, percentage)`: the number below which a percentage of the group's numbers lies. If SQLite lacks
/// the function, fetching throws "no such function: PERCENTILE".
///
/// - Parameters:
///   - value: the numbers.
///   - percentage: the percentage, from 0 to 100.
///   - filter: the rows to include; nil for the whole group.
///
/// Source: <https://sqlite.org/percentile.html>
public func percentile(
    _ value: some SQLSpecificExpressible, _ percentage: some SQLExpressible,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    let arguments = [value.sqlExpression, percentage.sqlExpression]
    return SQLExpression(.function(.init("PERCENTILE", arguments, .aggregate, filter: filter?.sqlExpression)))
}

/// `ROUND(value)`, or `ROUND(value, digits)`: a double.
///
/// - Parameters:
///   - value: the number.
///   - digits: the number of digits after the decimal point; none if nil.
///
/// Source: <https://sqlite.org/lang_corefunc.html#round>
public func round(_ value: some SQLSpecificExpressible, digits: (any SQLExpressible)? = nil) -> SQLExpression {
    SQLExpression(.function(.init("ROUND", [value.sqlExpression] + (digits.map { [$0.sqlExpression] } ?? []))))
}

/// `IIF(condition, value, other)`: one of two values.
///
/// ```swift
/// // SELECT IIF("score" > ?, ?, ?) FROM "player"
/// Player.select({ iif($0.score > 100, then: "good", else: "fair") }, as: String.self)
/// ```
///
/// Source: <https://sqlite.org/lang_corefunc.html#iif>
public func iif(
    _ condition: some SQLSpecificExpressible, then value: some SQLExpressible, else other: some SQLExpressible
) -> SQLExpression {
    SQLExpression(.function(.init("IIF", [condition.sqlExpression, value.sqlExpression, other.sqlExpression])))
}

/// `AVG(value)`
public func average(_ value: some SQLSpecificExpressible) -> SQLExpression { .call(.average, value) }

/// `AVG(value) FILTER (WHERE filter)`
public func average(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    .call(.average, value, filter: filter.sqlExpression)
}

/// `MIN(value)`: the minimum value in the group.
public func min(_ value: some SQLSpecificExpressible) -> SQLExpression { .call(.min, value) }

/// `MIN(value) FILTER (WHERE filter)`
public func min(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    .call(.min, value, filter: filter.sqlExpression)
}

/// `MIN(a, b, ...)`: the minimum of several values.
public func min(
    _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
    SQLExpression(
        .function(
            .init(
                "MIN", [value1.sqlExpression, value2.sqlExpression] + values.map(\.sqlExpression), result: .argument)))
}

/// `MAX(value)`: the maximum value in the group.
public func max(_ value: some SQLSpecificExpressible) -> SQLExpression { .call(.max, value) }

/// `MAX(value) FILTER (WHERE filter)`
public func max(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    .call(.max, value, filter: filter.sqlExpression)
}

/// `MAX(a, b, ...)`: the maximum of several values.
public func max(
    _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
    SQLExpression(
        .function(
            .init(
                "MAX", [value1.sqlExpression, value2.sqlExpression] + values.map(\.sqlExpression), result: .argument)))
}

/// `SUM(value)`: the sum, or NULL if there are no rows.
public func sum(_ value: some SQLSpecificExpressible) -> SQLExpression { .call(.sum, value) }

/// `SUM(value) FILTER (WHERE filter)`
public func sum(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    .call(.sum, value, filter: filter.sqlExpression)
}

/// `TOTAL(value)`: the sum as a double, or 0.0 if there are no rows.
public func total(_ value: some SQLSpecificExpressible) -> SQLExpression { .call(.total, value) }

/// `TOTAL(value) FILTER (WHERE filter)`
public func total(_ value: some SQLSpecificExpressible, filter: some SQLSpecificExpressible) -> SQLExpression {
    .call(.total, value, filter: filter.sqlExpression)
}

/// `COALESCE(a, b, ...)`: the first value that is not NULL.
public func coalesce(_ values: some Collection<any SQLSpecificExpressible>) -> SQLExpression {
    switch values.count {
    case 0: .null
    case 1: values.first!.sqlExpression
    default: SQLExpression(.function(.init("COALESCE", values.map(\.sqlExpression), result: .firstArgument)))
    }
}

/// `DATETIME(value, modifiers...)`
public func dateTime(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    SQLExpression(.function(.init("DATETIME", [value.sqlExpression] + modifiers.map(\.sqlExpression))))
}

/// `JULIANDAY(value, modifiers...)`
public func julianDay(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    SQLExpression(.function(.init("JULIANDAY", [value.sqlExpression] + modifiers.map(\.sqlExpression))))
}

extension SQLExpression {
    static func call(_ name: String, _ argument: some SQLExpressible) -> SQLExpression {
        SQLExpression(.function(.init(name, [argument.sqlExpression])))
    }

    static func call(
        _ function: AggregateFunction, _ argument: some SQLExpressible, filter: SQLExpression? = nil
    ) -> SQLExpression {
        SQLExpression(.function(.init(function, argument.sqlExpression, filter: filter)))
    }
}

/// A modifier of SQLite's date functions. <https://sqlite.org/lang_datefunc.html#modifiers>
public enum SQLDateModifier: SQLSpecificExpressible, Sendable {
    /// Adds seconds: `'1.5 seconds'`.
    case second(Double)
    /// Adds minutes: `'1 minutes'`.
    case minute(Int)
    /// Adds hours: `'1 hours'`.
    case hour(Int)
    /// Adds days: `'1 days'`.
    case day(Int)
    /// Adds months: `'1 months'`.
    case month(Int)
    /// Adds years: `'1 years'`.
    case year(Int)
    /// Moves back to the start of the day: `'start of day'`.
    case startOfDay
    /// Moves back to the start of the month: `'start of month'`.
    case startOfMonth
    /// Moves back to the start of the year: `'start of year'`.
    case startOfYear
    /// Advances to the next given weekday, unless the date already falls on it. Sunday is 0: `'weekday 0'`.
    case weekday(Int)
    /// Reads numbers as seconds since 1970: `'unixepoch'`.
    case unixEpoch
    /// Converts from UTC to local time: `'localtime'`.
    case localTime
    /// Converts from local time to UTC: `'utc'`.
    case utc
    /// Reads numbers as seconds since 1970 or as Julian days, whichever is plausible. Requires SQLite 3.38.
    case auto
    /// Reads numbers only as Julian days. Requires SQLite 3.38.
    case julianDay
    /// Keeps fractional seconds in the result. Requires SQLite 3.42.
    case subsecond

    /// The text of the modifier.
    public var sqlExpression: SQLExpression { .value(.string(text)) }

    private var text: String {
        switch self {
        case .second(let count): "\(count) seconds"
        case .minute(let count): "\(count) minutes"
        case .hour(let count): "\(count) hours"
        case .day(let count): "\(count) days"
        case .month(let count): "\(count) months"
        case .year(let count): "\(count) years"
        case .startOfDay: "start of day"
        case .startOfMonth: "start of month"
        case .startOfYear: "start of year"
        case .weekday(let day): "weekday \(day)"
        case .unixEpoch: "unixepoch"
        case .localTime: "localtime"
        case .utc: "utc"
        case .auto: "auto"
        case .julianDay: "julianday"
        case .subsecond: "subsec"
        }
    }
}
