// Window functions, and the clauses of function calls: FILTER, ORDER BY, OVER.
// Sources: https://sqlite.org/windowfunctions.html, https://sqlite.org/lang_aggfunc.html

extension SQLExpression {
    /// The function over a window: the result for each row depends on the rows of its window.
    ///
    /// ```swift
    /// // SELECT "name", SUM("score") OVER (PARTITION BY "team" ORDER BY "date") FROM "player"
    /// Player.select { [$0.name, sum($0.score).over(Window(partitionBy: [$0.team], orderBy: [$0.date]))] }
    /// ```
    ///
    /// The expression must be a call to a window function or an aggregate: for any other expression, fetching throws an
    /// error.
    ///
    /// Source: <https://sqlite.org/windowfunctions.html>
    public func over(_ window: Window) -> SQLExpression { SQLExpression(.windowed(self, .window(window))) }

    /// The function over a window: `RANK() OVER (PARTITION BY "team" ORDER BY "score" DESC)`.
    ///
    /// ```swift
    /// // AVG("score") OVER (ORDER BY "date" ROWS BETWEEN ? PRECEDING AND CURRENT ROW)
    /// average($0.score).over(orderBy: [$0.date], frame: .rows(from: .preceding(6)))
    /// ```
    public func over(
        partitionBy partitions: [any SQLExpressible] = [], orderBy orderings: [any SQLOrderingTerm] = [],
        frame: Window.Frame? = nil
    ) -> SQLExpression {
        over(Window(partitionBy: partitions, orderBy: orderings, frame: frame))
    }

    /// The function over a window that the WINDOW clause of the query defines: `RANK() OVER "w"`.
    public func over(_ windowName: String) -> SQLExpression { SQLExpression(.windowed(self, .named(windowName))) }

    /// The aggregate over the rows that satisfy a condition.
    ///
    /// ```swift
    /// // SELECT COUNT(*) FILTER (WHERE "score" > ?) FROM "player"
    /// Player.select({ count(.allColumns).filter($0.score > 100) }, as: Int.self)
    /// ```
    ///
    /// A second filter is combined with the first one by AND. The expression must be a call to an aggregate: for any
    /// other expression, fetching throws an error.
    ///
    /// Source: <https://sqlite.org/lang_aggfunc.html#aggfilter>
    public func filter(_ condition: some SQLSpecificExpressible) -> SQLExpression {
        guard case .function(var call) = node else {
            return SQL("\(self) FILTER (WHERE \(condition.sqlExpression))").sqlExpression
        }
        call.filter = call.filter.map { .associative(.and, $0, condition) } ?? condition.sqlExpression
        return SQLExpression(.function(call))
    }

    /// The aggregate, with its rows processed in an order.
    ///
    /// ```swift
    /// // SELECT JSON_GROUP_ARRAY("name" ORDER BY "score" DESC) FROM "player"
    /// Player.select({ Database.jsonGroupArray($0.name).ordered(by: $0.score.desc) }, as: String.self)
    /// ```
    ///
    /// Requires SQLite 3.44: on an older version, the query throws a `DatabaseError` that reports this. The expression
    /// must be a call to an aggregate: for any other expression, fetching throws an error.
    ///
    /// Source: <https://sqlite.org/lang_aggfunc.html#aggorderby>
    public func ordered(by orderings: any SQLOrderingTerm...) -> SQLExpression { ordered(by: orderings) }

    /// The aggregate, with its rows processed in the order of an array of orderings.
    public func ordered(by orderings: [any SQLOrderingTerm]) -> SQLExpression {
        guard case .function(var call) = node else {
            let terms = orderings.map { SQL("\($0.sqlOrdering)") }.joined(separator: ", ")
            return SQL("(\(self) ORDER BY \(terms))").sqlExpression
        }
        call.orderings = orderings.map(\.sqlOrdering)
        return SQLExpression(.function(call))
    }
}

/// `GROUP_CONCAT(value, separator ORDER BY ...)`: the texts of a group, joined; NULL if there are none.
///
/// ```swift
/// // SELECT GROUP_CONCAT("name", ?) FROM "player"   -- Arthur; Barbara
/// Player.select({ groupConcat($0.name, separator: "; ") }, as: String.self)
/// ```
///
/// - Parameters:
///   - value: the text of each row.
///   - separator: the text between two texts; a comma if nil.
///   - orderings: the order of the texts. Requires SQLite 3.44, like
///     ``SQLExpression/ordered(by:)-(SQLOrderingTerm...)``.
///   - filter: the condition on the rows.
///
/// Source: <https://sqlite.org/lang_aggfunc.html#group_concat>
public func groupConcat(
    _ value: some SQLSpecificExpressible, separator: (any SQLExpressible)? = nil,
    orderBy orderings: [any SQLOrderingTerm] = [], filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    let arguments = [value.sqlExpression] + (separator.map { [$0.sqlExpression] } ?? [])
    return SQLExpression(.function(.init("GROUP_CONCAT", arguments, .aggregate, filter: filter?.sqlExpression)))
        .ordered(by: orderings)
}

/// `ROW_NUMBER()`: the number of the row in its partition, from 1. Call ``SQLExpression/over(_:)-(Window)`` on it.
///
/// ```swift
/// // SELECT *, ROW_NUMBER() OVER (ORDER BY "score" DESC) AS "position" FROM "player"
/// Player.annotated(with: { [rowNumber().over(orderBy: [$0.score.desc]).forKey("position")] })
/// ```
///
/// Source: <https://sqlite.org/windowfunctions.html#biwinfunc>
public func rowNumber() -> SQLExpression { .window("ROW_NUMBER") }

/// `RANK()`: the row number of the first peer, a row that is equal in the order. Ranks are skipped after peers.
public func rank() -> SQLExpression { .window("RANK") }

/// `DENSE_RANK()`: the rank of the row, without gaps after equal rows.
public func denseRank() -> SQLExpression { .window("DENSE_RANK") }

/// `PERCENT_RANK()`: the rank, as a number from 0.0 to 1.0.
public func percentRank() -> SQLExpression { .window("PERCENT_RANK") }

/// `CUME_DIST()`: the proportion of rows that come before the row in the order or are equal to it, up to 1.0.
public func cumeDist() -> SQLExpression { .window("CUME_DIST") }

/// `NTILE(count)`: the number of the row's part, from 1, after dividing the partition into parts of nearly equal size.
public func ntile(_ count: some SQLExpressible) -> SQLExpression { .window("NTILE", count.sqlExpression) }

/// `LAG(value, offset, default)`: the value in an earlier row of the partition, or the default if that row does not
/// exist.
///
/// ```swift
/// // SELECT "score" - LAG("score") OVER (ORDER BY "date") FROM "game"
/// Game.select({ $0.score - lag($0.score).over(orderBy: [$0.date]) }, as: Int?.self)
/// ```
///
/// - Parameters:
///   - value: the expression to evaluate in the earlier row.
///   - offset: the number of rows to go back.
///   - defaultValue: the result if that row does not exist; NULL if nil.
public func lag(
    _ value: some SQLSpecificExpressible, offset: Int = 1, default defaultValue: (any SQLExpressible)? = nil
) -> SQLExpression {
    .shifted("LAG", value.sqlExpression, offset, defaultValue?.sqlExpression)
}

/// `LEAD(value, offset, default)`: the value in a later row of the partition, or the default if that row does not
/// exist.
///
/// - Parameters:
///   - value: the expression to evaluate in the later row.
///   - offset: the number of rows to go forward.
///   - defaultValue: the result if that row does not exist; NULL if nil.
public func lead(
    _ value: some SQLSpecificExpressible, offset: Int = 1, default defaultValue: (any SQLExpressible)? = nil
) -> SQLExpression {
    .shifted("LEAD", value.sqlExpression, offset, defaultValue?.sqlExpression)
}

/// `FIRST_VALUE(value)`: the value in the first row of the frame.
public func firstValue(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .window("FIRST_VALUE", value.sqlExpression)
}

/// `LAST_VALUE(value)`: the value in the last row of the frame. The default frame ends with the current row and its
/// peers.
public func lastValue(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .window("LAST_VALUE", value.sqlExpression)
}

/// `NTH_VALUE(value, n)`: the value in a row of the frame, counted from 1; NULL if that row does not exist.
public func nthValue(_ value: some SQLSpecificExpressible, _ n: some SQLExpressible) -> SQLExpression {
    .window("NTH_VALUE", value.sqlExpression, n.sqlExpression)
}

extension SQLExpression {
    fileprivate static func window(_ name: String, _ arguments: SQLExpression...) -> SQLExpression {
        SQLExpression(.function(FunctionCall(name, arguments, .window)))
    }

    fileprivate static func shifted(
        _ name: String, _ value: SQLExpression, _ offset: Int, _ defaultValue: SQLExpression?
    ) -> SQLExpression {
        var arguments = [value]
        if offset != 1 || defaultValue != nil { arguments.append(.value(.int64(Int64(offset)))) }
        if let defaultValue { arguments.append(defaultValue) }
        return SQLExpression(.function(FunctionCall(name, arguments, .window)))
    }
}
