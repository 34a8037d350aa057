// The aggregates of typed expressions, which know their type too.

/// `COUNT(value)`: the rows where the value is not NULL.
public func count(_ value: some SQLTypedExpressible) -> TypedExpression<Int> {
    TypedExpression(count(value.sqlExpression))
}

/// `COUNT(DISTINCT value)`
public func count(distinct value: some SQLTypedExpressible) -> TypedExpression<Int> {
    TypedExpression(count(distinct: value.sqlExpression))
}

/// `MIN(value)`: the least value of the group.
public func min<Value>(_ value: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(min(value.sqlExpression))
}

/// `MAX(value)`: the greatest value of the group.
public func max<Value>(_ value: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(max(value.sqlExpression))
}

/// `SUM(value)`: NULL for no row.
public func sum<Value>(_ value: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(sum(value.sqlExpression))
}

/// `TOTAL(value)`: 0.0 for no row.
public func total(_ value: some SQLTypedExpressible) -> TypedExpression<Double> {
    TypedExpression(total(value.sqlExpression))
}

/// `AVG(value)`: NULL for no row.
public func average(_ value: some SQLTypedExpressible) -> TypedExpression<Double> {
    TypedExpression(average(value.sqlExpression))
}
