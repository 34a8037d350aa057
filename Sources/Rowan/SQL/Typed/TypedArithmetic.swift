// Arithmetic of typed expressions.

public import Foundation

/// A type whose values calculate in SQL: a number, or an optional one.
///
/// SQLite calculates with integers of 64 bits and doubles: the result of decimal numbers is that of doubles. The result of
/// NULL and a number is NULL.
public protocol SQLNumber {}
extension Int: SQLNumber {}
extension Int8: SQLNumber {}
extension Int16: SQLNumber {}
extension Int32: SQLNumber {}
extension Int64: SQLNumber {}
extension UInt: SQLNumber {}
extension UInt8: SQLNumber {}
extension UInt16: SQLNumber {}
extension UInt32: SQLNumber {}
extension UInt64: SQLNumber {}
extension Double: SQLNumber {}
extension Float: SQLNumber {}
extension CGFloat: SQLNumber {}
extension Decimal: SQLNumber {}
extension Optional: SQLNumber where Wrapped: SQLNumber {}

extension SQLTypedExpressible where Value: SQLNumber {
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
    /// `a + b`, where `b` may be NULL
    public static func + (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> TypedExpression<Value?> {
        TypedExpression(lhs.sqlExpression + rhs.sqlExpression)
    }
    /// `a + b`, where `a` may be NULL
    public static func + <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> TypedExpression<Value> where Value == Wrapped? {
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
    /// `a - b`, where `b` may be NULL
    public static func - (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> TypedExpression<Value?> {
        TypedExpression(lhs.sqlExpression - rhs.sqlExpression)
    }
    /// `a - b`, where `a` may be NULL
    public static func - <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> TypedExpression<Value> where Value == Wrapped? {
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
    /// `a * b`, where `b` may be NULL
    public static func * (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> TypedExpression<Value?> {
        TypedExpression(lhs.sqlExpression * rhs.sqlExpression)
    }
    /// `a * b`, where `a` may be NULL
    public static func * <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> TypedExpression<Value> where Value == Wrapped? {
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
    /// `a / b`, where `b` may be NULL
    public static func / (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> TypedExpression<Value?> {
        TypedExpression(lhs.sqlExpression / rhs.sqlExpression)
    }
    /// `a / b`, where `a` may be NULL
    public static func / <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> TypedExpression<Value> where Value == Wrapped? {
        TypedExpression(lhs.sqlExpression / rhs.sqlExpression)
    }
    /// `a % b`: the remainder of a division of integers, NULL for a division by zero.
    public static func % (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression % rhs)
    }
    /// `a % b`: the remainder of a division of integers, NULL for a division by zero.
    public static func % (lhs: Value, rhs: Self) -> TypedExpression<Value> {
        TypedExpression(lhs % rhs.sqlExpression)
    }
    /// `a % b`: the remainder of a division of integers, NULL for a division by zero.
    public static func % (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression % rhs.sqlExpression)
    }
    /// `a % b`, where `b` may be NULL
    public static func % (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> TypedExpression<Value?> {
        TypedExpression(lhs.sqlExpression % rhs.sqlExpression)
    }
    /// `a % b`, where `a` may be NULL
    public static func % <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> TypedExpression<Value> where Value == Wrapped? {
        TypedExpression(lhs.sqlExpression % rhs.sqlExpression)
    }
    /// `-a`
    public static prefix func - (value: Self) -> TypedExpression<Value> { TypedExpression(-value.sqlExpression) }
}
