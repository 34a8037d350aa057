// Typed versions of aggregate functions.

/// `COUNT(value)`: the number of rows where the value is not NULL.
public func count(_ value: some SQLTypedExpressible) -> TypedExpression<Int> {
    TypedExpression(count(value.sqlExpression))
}

/// `COUNT(DISTINCT value)`
public func count(distinct value: some SQLTypedExpressible) -> TypedExpression<Int> {
    TypedExpression(count(distinct: value.sqlExpression))
}

/// `MIN(value)`: the minimum value in the group.
public func min<Value>(_ value: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(min(value.sqlExpression))
}

/// `MAX(value)`: the maximum value in the group.
public func max<Value>(_ value: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(max(value.sqlExpression))
}

/// `SUM(value)`: the sum, or NULL if there are no rows.
public func sum<Value>(_ value: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(sum(value.sqlExpression))
}

/// `TOTAL(value)`: the sum as a double, or 0.0 if there are no rows.
public func total(_ value: some SQLTypedExpressible) -> TypedExpression<Double> {
    TypedExpression(total(value.sqlExpression))
}

/// `AVG(value)`: the average, or NULL if there are no rows.
public func average(_ value: some SQLTypedExpressible) -> TypedExpression<Double> {
    TypedExpression(average(value.sqlExpression))
}

// MARK: - Aggregates with a filter

/// `COUNT(value) FILTER (WHERE filter)`: the number of rows that satisfy a condition and whose value is not NULL.
public func count(
    _ value: some SQLTypedExpressible, filter: some SQLSpecificExpressible
) -> TypedExpression<Int> {
    TypedExpression(count(value.sqlExpression, filter: filter))
}

/// `COUNT(value) FILTER (WHERE filter)`, with a Boolean column as the filter.
public func count<Filter: SQLTypedExpressible>(
    _ value: some SQLTypedExpressible, filter: Filter
) -> TypedExpression<Int> where Filter.Value: SQLCondition {
    TypedExpression(count(value.sqlExpression, filter: filter.sqlExpression))
}

/// `COUNT(DISTINCT value) FILTER (WHERE filter)`: the number of distinct values in the rows that satisfy a condition.
public func count(
    distinct value: some SQLTypedExpressible, filter: some SQLSpecificExpressible
) -> TypedExpression<Int> {
    TypedExpression(count(distinct: value.sqlExpression, filter: filter))
}

/// `COUNT(DISTINCT value) FILTER (WHERE filter)`, with a Boolean column as the filter.
public func count<Filter: SQLTypedExpressible>(
    distinct value: some SQLTypedExpressible, filter: Filter
) -> TypedExpression<Int> where Filter.Value: SQLCondition {
    TypedExpression(count(distinct: value.sqlExpression, filter: filter.sqlExpression))
}

/// `MIN(value) FILTER (WHERE filter)`: the minimum value in the rows that satisfy a condition.
public func min<Value>(
    _ value: some SQLTypedExpressible<Value>, filter: some SQLSpecificExpressible
) -> TypedExpression<Value> {
    TypedExpression(min(value.sqlExpression, filter: filter))
}

/// `MIN(value) FILTER (WHERE filter)`, with a Boolean column as the filter.
public func min<Value, Filter: SQLTypedExpressible>(
    _ value: some SQLTypedExpressible<Value>, filter: Filter
) -> TypedExpression<Value> where Filter.Value: SQLCondition {
    TypedExpression(min(value.sqlExpression, filter: filter.sqlExpression))
}

/// `MAX(value) FILTER (WHERE filter)`: the maximum value in the rows that satisfy a condition.
public func max<Value>(
    _ value: some SQLTypedExpressible<Value>, filter: some SQLSpecificExpressible
) -> TypedExpression<Value> {
    TypedExpression(max(value.sqlExpression, filter: filter))
}

/// `MAX(value) FILTER (WHERE filter)`, with a Boolean column as the filter.
public func max<Value, Filter: SQLTypedExpressible>(
    _ value: some SQLTypedExpressible<Value>, filter: Filter
) -> TypedExpression<Value> where Filter.Value: SQLCondition {
    TypedExpression(max(value.sqlExpression, filter: filter.sqlExpression))
}

/// `SUM(value) FILTER (WHERE filter)`: the sum over the rows that satisfy a condition, or NULL if there are none.
///
/// ```swift
/// // SELECT SUM("score") FILTER (WHERE "bonus" > ?) FROM "player"
/// Player.select({ sum($0.score, filter: $0.bonus > 10) }, as: Int.self)
/// ```
public func sum<Value>(
    _ value: some SQLTypedExpressible<Value>, filter: some SQLSpecificExpressible
) -> TypedExpression<Value> {
    TypedExpression(sum(value.sqlExpression, filter: filter))
}

/// `SUM(value) FILTER (WHERE filter)`, with a Boolean column as the filter.
public func sum<Value, Filter: SQLTypedExpressible>(
    _ value: some SQLTypedExpressible<Value>, filter: Filter
) -> TypedExpression<Value> where Filter.Value: SQLCondition {
    TypedExpression(sum(value.sqlExpression, filter: filter.sqlExpression))
}

/// `TOTAL(value) FILTER (WHERE filter)`: the sum over the rows that satisfy a condition, as a double; 0.0 without any.
public func total(
    _ value: some SQLTypedExpressible, filter: some SQLSpecificExpressible
) -> TypedExpression<Double> {
    TypedExpression(total(value.sqlExpression, filter: filter))
}

/// `TOTAL(value) FILTER (WHERE filter)`, with a Boolean column as the filter.
public func total<Filter: SQLTypedExpressible>(
    _ value: some SQLTypedExpressible, filter: Filter
) -> TypedExpression<Double> where Filter.Value: SQLCondition {
    TypedExpression(total(value.sqlExpression, filter: filter.sqlExpression))
}

/// `AVG(value) FILTER (WHERE filter)`: the average over the rows that satisfy a condition, or NULL if there are none.
public func average(
    _ value: some SQLTypedExpressible, filter: some SQLSpecificExpressible
) -> TypedExpression<Double> {
    TypedExpression(average(value.sqlExpression, filter: filter))
}

/// `AVG(value) FILTER (WHERE filter)`, with a Boolean column as the filter.
public func average<Filter: SQLTypedExpressible>(
    _ value: some SQLTypedExpressible, filter: Filter
) -> TypedExpression<Double> where Filter.Value: SQLCondition {
    TypedExpression(average(value.sqlExpression, filter: filter.sqlExpression))
}

/// `COUNT(*) FILTER (WHERE filter)`, with a Boolean column as the filter.
public func count<Filter: SQLTypedExpressible>(
    _ all: AllColumns, filter: Filter
) -> SQLExpression where Filter.Value: SQLCondition {
    count(all, filter: filter.sqlExpression)
}
