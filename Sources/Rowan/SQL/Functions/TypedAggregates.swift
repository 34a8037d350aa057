// Typed versions of aggregate functions.

/// `COUNT(value)`: the number of rows where the value is not NULL.
public func count(_ value: some SQLTypedExpressible) -> TypedExpression<Int> {
    TypedExpression(count(value.sqlExpression))
}

/// `COUNT(DISTINCT value)`
public func count(distinct value: some SQLTypedExpressible) -> TypedExpression<Int> {
    TypedExpression(count(distinct: value.sqlExpression))
}

/// `MIN(value)`: the minimum value of the group.
public func min<Value>(_ value: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(min(value.sqlExpression))
}

/// `MAX(value)`: the maximum value of the group.
public func max<Value>(_ value: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(max(value.sqlExpression))
}

/// `SUM(value)`: the sum, or NULL without rows.
public func sum<Value>(_ value: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(sum(value.sqlExpression))
}

/// `TOTAL(value)`: the sum as a double, 0.0 without rows.
public func total(_ value: some SQLTypedExpressible) -> TypedExpression<Double> {
    TypedExpression(total(value.sqlExpression))
}

/// `AVG(value)`: the average, or NULL without rows.
public func average(_ value: some SQLTypedExpressible) -> TypedExpression<Double> {
    TypedExpression(average(value.sqlExpression))
}
