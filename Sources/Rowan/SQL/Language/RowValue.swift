// Row values: several values compared as one, from left to right.

/// Several values compared as one: `("year", "month") < (2024, 6)`.
///
/// ```swift
/// // SELECT * FROM "player" WHERE ("score", "id") < (?, ?) ORDER BY "score" DESC, "id" DESC LIMIT 20
/// Player.filter { rowValue($0.score, $0.id) < rowValue(last.score, last.id) }
///     .order { [$0.score.desc, $0.id.desc] }
///     .limit(20)
///
/// // ... WHERE ("year", "month") IN (VALUES (?, ?), (?, ?))
/// [rowValue(2024, 1), rowValue(2024, 6)].contains(rowValue($0.year, $0.month))
///
/// // ... WHERE ("a", "b") IN (SELECT "a", "b" FROM "other")
/// Other.select { [$0.a, $0.b] }.contains(rowValue($0.a, $0.b))
/// ```
///
/// Fetching throws an error for row values of different sizes, and for a row value in place of a single value.
///
/// Source: <https://sqlite.org/rowvalue.html>
public struct RowValue: SQLExpressible, Sendable {
    private let elements: [SQLExpression]

    init(_ elements: [any SQLExpressible]) { self.elements = elements.map(\.sqlExpression) }

    /// The row value as an expression: `(a, b)`.
    public var sqlExpression: SQLExpression { SQLExpression(.tuple(elements)) }

    /// `(a, b) = (c, d)`
    public static func == (lhs: RowValue, rhs: RowValue) -> SQLExpression {
        SQLExpression(.equal(lhs.sqlExpression, rhs.sqlExpression, isNegated: false))
    }
    /// `(a, b) <> (c, d)`
    public static func != (lhs: RowValue, rhs: RowValue) -> SQLExpression { (lhs == rhs).negated }
    /// `(a, b) < (c, d)`
    public static func < (lhs: RowValue, rhs: RowValue) -> SQLExpression { .binary(.less, lhs, rhs) }
    /// `(a, b) <= (c, d)`
    public static func <= (lhs: RowValue, rhs: RowValue) -> SQLExpression { .binary(.lessOrEqual, lhs, rhs) }
    /// `(a, b) > (c, d)`
    public static func > (lhs: RowValue, rhs: RowValue) -> SQLExpression { .binary(.greater, lhs, rhs) }
    /// `(a, b) >= (c, d)`
    public static func >= (lhs: RowValue, rhs: RowValue) -> SQLExpression { .binary(.greaterOrEqual, lhs, rhs) }

    /// `(a, b) IS (c, d)`: equal, with NULL as an ordinary value.
    public func isNotDistinct(from other: RowValue) -> SQLExpression { .binary(.isSame, self, other) }
    /// `(a, b) IS NOT (c, d)`: not equal, with NULL as an ordinary value.
    public func isDistinct(from other: RowValue) -> SQLExpression { .binary(.isNotSame, self, other) }

    fileprivate static func list(_ rows: some Sequence<RowValue>) -> [[SQLExpression]] { rows.map(\.elements) }
}

/// Several values compared as one: `(a, b)`. See ``RowValue``.
public func rowValue(
    _ first: any SQLExpressible, _ second: any SQLExpressible, _ others: any SQLExpressible...
) -> RowValue {
    RowValue([first, second] + others)
}

extension Sequence where Element == RowValue {
    /// `(a, b) IN (VALUES (1, 2), (3, 4))`; false for an empty sequence.
    public func contains(_ element: RowValue) -> SQLExpression {
        let rows = RowValue.list(self)
        guard !rows.isEmpty else { return .value(.int64(0)) }
        return SQLExpression(.isIn(element.sqlExpression, .rows(rows), isNegated: false))
    }
}
