// Arithmetic of typed expressions.

extension SQLTypedExpressible where Value: Numeric {
    /// `a + b`
    public static func + (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression + rhs)
    }
    /// `a + b`
    public static func + (lhs: Value, rhs: Self) -> TypedExpression<Value> {
        TypedExpression(lhs + rhs.sqlExpression)
    }
    /// `a + b`
    public static func + (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression + rhs.sqlExpression)
    }
    /// `a - b`
    public static func - (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression - rhs)
    }
    /// `a - b`
    public static func - (lhs: Value, rhs: Self) -> TypedExpression<Value> {
        TypedExpression(lhs - rhs.sqlExpression)
    }
    /// `a - b`
    public static func - (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression - rhs.sqlExpression)
    }
    /// `a * b`
    public static func * (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression * rhs)
    }
    /// `a * b`
    public static func * (lhs: Value, rhs: Self) -> TypedExpression<Value> {
        TypedExpression(lhs * rhs.sqlExpression)
    }
    /// `a * b`
    public static func * (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression * rhs.sqlExpression)
    }
    /// `a / b`: of integers, an integer.
    public static func / (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression / rhs)
    }
    /// `a / b`: of integers, an integer.
    public static func / (lhs: Value, rhs: Self) -> TypedExpression<Value> {
        TypedExpression(lhs / rhs.sqlExpression)
    }
    /// `a / b`: of integers, an integer.
    public static func / (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression / rhs.sqlExpression)
    }
    /// `-a`
    public static prefix func - (value: Self) -> TypedExpression<Value> { TypedExpression(-value.sqlExpression) }
}
