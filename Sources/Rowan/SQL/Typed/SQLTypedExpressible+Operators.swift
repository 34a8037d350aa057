// The operators of typed expressions. Each accepts a value or an expression of the same type. Expressions of optional
// and non-optional types can be compared.

extension SQLTypedExpressible {
    /// `a = b`, and `a IS NULL` for nil
    public static func == (lhs: Self, rhs: Value?) -> SQLExpression { .typedEqual(lhs, rhs?.sqlExpression ?? .null) }
    /// `a = b`
    public static func == (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> SQLExpression { .typedEqual(lhs, rhs) }
    /// `a = b`, where `b` may be NULL
    public static func == (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> SQLExpression { .typedEqual(lhs, rhs) }
    /// `a = b`, where `a` may be NULL
    public static func == <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        .typedEqual(lhs, rhs)
    }

    /// `a <> b`, and `a IS NOT NULL` for nil
    public static func != (lhs: Self, rhs: Value?) -> SQLExpression {
        SQLExpression.typedEqual(lhs, rhs?.sqlExpression ?? .null).negated
    }
    /// `a <> b`
    public static func != (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> SQLExpression {
        SQLExpression.typedEqual(lhs, rhs).negated
    }
    /// `a <> b`, where `b` may be NULL
    public static func != (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> SQLExpression {
        SQLExpression.typedEqual(lhs, rhs).negated
    }
    /// `a <> b`, where `a` may be NULL
    public static func != <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        SQLExpression.typedEqual(lhs, rhs).negated
    }

    /// `a IS b`
    public static func === (lhs: Self, rhs: Value?) -> SQLExpression {
        .binary(.isSame, lhs, rhs?.sqlExpression ?? .null)
    }
    /// `a IS b`
    public static func === (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> SQLExpression {
        .binary(.isSame, lhs, rhs)
    }
    /// `a IS b`, where `b` may be NULL
    public static func === (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> SQLExpression {
        .binary(.isSame, lhs, rhs)
    }
    /// `a IS b`, where `a` may be NULL
    public static func === <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        .binary(.isSame, lhs, rhs)
    }

    /// `a IS NOT b`
    public static func !== (lhs: Self, rhs: Value?) -> SQLExpression {
        .binary(.isNotSame, lhs, rhs?.sqlExpression ?? .null)
    }
    /// `a IS NOT b`
    public static func !== (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> SQLExpression {
        .binary(.isNotSame, lhs, rhs)
    }
    /// `a IS NOT b`, where `b` may be NULL
    public static func !== (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> SQLExpression {
        .binary(.isNotSame, lhs, rhs)
    }
    /// `a IS NOT b`, where `a` may be NULL
    public static func !== <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        .binary(.isNotSame, lhs, rhs)
    }

    /// `a < b`
    public static func < (lhs: Self, rhs: Value) -> SQLExpression { .binary(.less, lhs, rhs) }
    /// `a < b`
    public static func < (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> SQLExpression { .binary(.less, lhs, rhs) }
    /// `a < b`, where `b` may be NULL
    public static func < (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> SQLExpression {
        .binary(.less, lhs, rhs)
    }
    /// `a < b`, where `a` may be NULL
    public static func < <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        .binary(.less, lhs, rhs)
    }

    /// `a <= b`
    public static func <= (lhs: Self, rhs: Value) -> SQLExpression { .binary(.lessOrEqual, lhs, rhs) }
    /// `a <= b`
    public static func <= (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> SQLExpression {
        .binary(.lessOrEqual, lhs, rhs)
    }
    /// `a <= b`, where `b` may be NULL
    public static func <= (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> SQLExpression {
        .binary(.lessOrEqual, lhs, rhs)
    }
    /// `a <= b`, where `a` may be NULL
    public static func <= <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        .binary(.lessOrEqual, lhs, rhs)
    }

    /// `a > b`
    public static func > (lhs: Self, rhs: Value) -> SQLExpression { .binary(.greater, lhs, rhs) }
    /// `a > b`
    public static func > (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> SQLExpression {
        .binary(.greater, lhs, rhs)
    }
    /// `a > b`, where `b` may be NULL
    public static func > (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> SQLExpression {
        .binary(.greater, lhs, rhs)
    }
    /// `a > b`, where `a` may be NULL
    public static func > <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        .binary(.greater, lhs, rhs)
    }

    /// `a >= b`
    public static func >= (lhs: Self, rhs: Value) -> SQLExpression { .binary(.greaterOrEqual, lhs, rhs) }
    /// `a >= b`
    public static func >= (lhs: Self, rhs: some SQLTypedExpressible<Value>) -> SQLExpression {
        .binary(.greaterOrEqual, lhs, rhs)
    }
    /// `a >= b`, where `b` may be NULL
    public static func >= (lhs: Self, rhs: some SQLTypedExpressible<Value?>) -> SQLExpression {
        .binary(.greaterOrEqual, lhs, rhs)
    }
    /// `a >= b`, where `a` may be NULL
    public static func >= <Wrapped>(
        lhs: Self, rhs: some SQLTypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        .binary(.greaterOrEqual, lhs, rhs)
    }
}

extension SQLExpression {
    fileprivate static func typedEqual(_ lhs: some SQLExpressible, _ rhs: some SQLExpressible) -> SQLExpression {
        SQLExpression(.equal(lhs.sqlExpression, rhs.sqlExpression, isNegated: false))
    }
}

// MARK: - Conditions

/// A type whose values are conditions: Boolean values and optional Booleans, where NULL is neither true nor false.
public protocol SQLCondition {}
extension Bool: SQLCondition {}
extension Optional: SQLCondition where Wrapped == Bool {}

extension TypedColumn: SQLLogicalOperand where Value: SQLCondition {}
extension TypedExpression: SQLLogicalOperand where Value: SQLCondition {}

extension SQLTypedExpressible where Value: SQLCondition {
    /// `NOT a`: NULL for NULL
    public static prefix func ! (expression: Self) -> SQLExpression { !expression.sqlExpression }
}
