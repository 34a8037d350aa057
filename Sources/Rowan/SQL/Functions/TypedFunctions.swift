// Typed versions of scalar functions.

public import RowanPlatform

/// `LENGTH(value)`: the number of characters.
public func length(_ value: some SQLTypedExpressible<String>) -> TypedExpression<Int> {
    TypedExpression(length(value.sqlExpression))
}

/// `LENGTH(value)`: the number of characters; NULL for NULL.
public func length(_ value: some SQLTypedExpressible<String?>) -> TypedExpression<Int?> {
    TypedExpression(length(value.sqlExpression))
}

/// `LENGTH(value)`: the number of bytes.
public func length(_ value: some SQLTypedExpressible<Data>) -> TypedExpression<Int> {
    TypedExpression(length(value.sqlExpression))
}

/// `LENGTH(value)`: the number of bytes; NULL for NULL.
public func length(_ value: some SQLTypedExpressible<Data?>) -> TypedExpression<Int?> {
    TypedExpression(length(value.sqlExpression))
}

/// `ABS(value)`: the absolute value; NULL for NULL.
public func abs<Value>(_ value: some SQLTypedExpressible<Value>) -> TypedExpression<Value> where Value: SQLNumber {
    TypedExpression(abs(value.sqlExpression))
}

/// `ROUND(value, digits)`
public func round(
    _ value: some SQLTypedExpressible<Double>, digits: (any SQLExpressible)? = nil
) -> TypedExpression<Double> {
    TypedExpression(round(value.sqlExpression, digits: digits))
}

/// `ROUND(value, digits)`: NULL for NULL.
public func round(
    _ value: some SQLTypedExpressible<Double?>, digits: (any SQLExpressible)? = nil
) -> TypedExpression<Double?> {
    TypedExpression(round(value.sqlExpression, digits: digits))
}

extension SQLTypedExpressible<String> {
    /// Whether the text contains another one: `INSTR(name, text) > 0`. Case-sensitive.
    public func contains(_ text: String) -> SQLExpression { sqlExpression.contains(text) }
    /// Whether the text starts with another one: `name GLOB 'text*'`. Case-sensitive.
    public func hasPrefix(_ text: String) -> SQLExpression { sqlExpression.hasPrefix(text) }
    /// Whether the text ends with another one. Case-sensitive.
    public func hasSuffix(_ text: String) -> SQLExpression { sqlExpression.hasSuffix(text) }
}

extension SQLTypedExpressible<String?> {
    /// Whether the text contains another one: `INSTR(name, text) > 0`. Case-sensitive.
    public func contains(_ text: String) -> SQLExpression { sqlExpression.contains(text) }
    /// Whether the text starts with another one: `name GLOB 'text*'`. Case-sensitive.
    public func hasPrefix(_ text: String) -> SQLExpression { sqlExpression.hasPrefix(text) }
    /// Whether the text ends with another one. Case-sensitive.
    public func hasSuffix(_ text: String) -> SQLExpression { sqlExpression.hasSuffix(text) }
}
