// Arithmetic on typed expressions. If one operand may be NULL, so may the result. Each operator has few forms, because
// each additional one slows down the diagnosis of misspelt names.

public import RowanPlatform

#if FullFoundation
public import Foundation
#endif

/// A type whose values can be used in SQL arithmetic: a number, or an optional number.
///
/// SQLite calculates with 64-bit integers and doubles: decimal numbers are calculated as doubles. The result of NULL
/// and a number is NULL.
public protocol SQLNumber {
    /// The type of the non-NULL values: `Int` for `Int` and for `Int?`.
    associatedtype Number = Self
}
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
extension Decimal: SQLNumber {}
#if FullFoundation
extension CGFloat: SQLNumber {}
#endif
extension Optional: SQLNumber where Wrapped: SQLNumber {
    /// The type of the non-NULL values.
    public typealias Number = Wrapped.Number
}

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
    public static func + <Other: SQLNumber>(
        lhs: Self, rhs: some SQLTypedExpressible<Other>
    ) -> TypedExpression<Other> where Other.Number == Value {
        TypedExpression(lhs.sqlExpression + rhs.sqlExpression)
    }
    /// `a + b`, where `a` may be NULL
    public static func + <Wrapped, Other: SQLNumber>(
        lhs: Self, rhs: some SQLTypedExpressible<Other>
    ) -> TypedExpression<Value> where Value == Wrapped?, Other.Number == Wrapped {
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
    public static func - <Other: SQLNumber>(
        lhs: Self, rhs: some SQLTypedExpressible<Other>
    ) -> TypedExpression<Other> where Other.Number == Value {
        TypedExpression(lhs.sqlExpression - rhs.sqlExpression)
    }
    /// `a - b`, where `a` may be NULL
    public static func - <Wrapped, Other: SQLNumber>(
        lhs: Self, rhs: some SQLTypedExpressible<Other>
    ) -> TypedExpression<Value> where Value == Wrapped?, Other.Number == Wrapped {
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
    public static func * <Other: SQLNumber>(
        lhs: Self, rhs: some SQLTypedExpressible<Other>
    ) -> TypedExpression<Other> where Other.Number == Value {
        TypedExpression(lhs.sqlExpression * rhs.sqlExpression)
    }
    /// `a * b`, where `a` may be NULL
    public static func * <Wrapped, Other: SQLNumber>(
        lhs: Self, rhs: some SQLTypedExpressible<Other>
    ) -> TypedExpression<Value> where Value == Wrapped?, Other.Number == Wrapped {
        TypedExpression(lhs.sqlExpression * rhs.sqlExpression)
    }
    /// `a / b`: integers give an integer.
    public static func / (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression / rhs)
    }
    /// `a / b`: integers give an integer.
    public static func / (lhs: Value, rhs: Self) -> TypedExpression<Value> {
        TypedExpression(lhs / rhs.sqlExpression)
    }
    /// `a / b`: integers give an integer.
    public static func / <Other: SQLNumber>(
        lhs: Self, rhs: some SQLTypedExpressible<Other>
    ) -> TypedExpression<Other> where Other.Number == Value {
        TypedExpression(lhs.sqlExpression / rhs.sqlExpression)
    }
    /// `a / b`, where `a` may be NULL: integers give an integer.
    public static func / <Wrapped, Other: SQLNumber>(
        lhs: Self, rhs: some SQLTypedExpressible<Other>
    ) -> TypedExpression<Value> where Value == Wrapped?, Other.Number == Wrapped {
        TypedExpression(lhs.sqlExpression / rhs.sqlExpression)
    }
    /// `a % b`: the remainder of an integer division, or NULL when dividing by zero.
    public static func % (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.sqlExpression % rhs)
    }
    /// `a % b`: the remainder of an integer division, or NULL when dividing by zero.
    public static func % (lhs: Value, rhs: Self) -> TypedExpression<Value> {
        TypedExpression(lhs % rhs.sqlExpression)
    }
    /// `a % b`: the remainder of an integer division, or NULL when dividing by zero.
    public static func % <Other: SQLNumber>(
        lhs: Self, rhs: some SQLTypedExpressible<Other>
    ) -> TypedExpression<Other> where Other.Number == Value {
        TypedExpression(lhs.sqlExpression % rhs.sqlExpression)
    }
    /// `a % b`, where `a` may be NULL: the remainder of an integer division.
    public static func % <Wrapped, Other: SQLNumber>(
        lhs: Self, rhs: some SQLTypedExpressible<Other>
    ) -> TypedExpression<Value> where Value == Wrapped?, Other.Number == Wrapped {
        TypedExpression(lhs.sqlExpression % rhs.sqlExpression)
    }
    /// `-a`
    public static prefix func - (value: Self) -> TypedExpression<Value> { TypedExpression(-value.sqlExpression) }
}
