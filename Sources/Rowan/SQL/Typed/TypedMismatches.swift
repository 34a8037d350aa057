// Lists and calculations that don't compile: see SQLTypedExpressible+Mismatches.

// MARK: Lists and ranges

extension Sequence where Element: SQLExpressible {
    /// Not available: the elements must have the column's type.
    @available(
        *, unavailable,
        message:
            "the elements have another type than the column: convert them, or use `$0.score.untyped`, which compares with any value"
    )
    public func contains(_ element: some SQLTypedExpressible) -> SQLExpression { fatalError() }
}

extension RangeExpression where Bound: SQLExpressible {
    /// Not available: the bounds must have the column's type.
    @available(
        *, unavailable,
        message:
            "the bounds have another type than the column: convert them, or use `$0.score.untyped`, which compares with any value"
    )
    public func contains(_ element: some SQLTypedExpressible) -> SQLExpression { fatalError() }
}

// MARK: - Calculations

extension SQLTypedExpressible {
    /// Not available: the operands must be numbers of the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the operands must be numbers of the same type: convert the value, or use `$0.score.untyped`, which calculates with any number"
    )
    public static func + (lhs: Self, rhs: some SQLExpressible) -> TypedExpression<Value> { fatalError() }
    /// Not available: the operands must be numbers of the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the operands must be numbers of the same type: convert the value, or use `$0.score.untyped`, which calculates with any number"
    )
    public static func - (lhs: Self, rhs: some SQLExpressible) -> TypedExpression<Value> { fatalError() }
    /// Not available: the operands must be numbers of the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the operands must be numbers of the same type: convert the value, or use `$0.score.untyped`, which calculates with any number"
    )
    public static func * (lhs: Self, rhs: some SQLExpressible) -> TypedExpression<Value> { fatalError() }
    /// Not available: the operands must be numbers of the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the operands must be numbers of the same type: convert the value, or use `$0.score.untyped`, which calculates with any number"
    )
    public static func / (lhs: Self, rhs: some SQLExpressible) -> TypedExpression<Value> { fatalError() }
    /// Not available: the operands must be numbers of the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the operands must be numbers of the same type: convert the value, or use `$0.score.untyped`, which calculates with any number"
    )
    public static func % (lhs: Self, rhs: some SQLExpressible) -> TypedExpression<Value> { fatalError() }
}

extension SQLTypedExpressible<String> {
    /// Not available: texts are joined by a function.
    @_disfavoredOverload
    @available(*, unavailable, message: "a text isn't a number: use `concat($0.name, \"!\")` to join texts")
    public static func + (lhs: Self, rhs: some SQLExpressible) -> TypedExpression<Value> { fatalError() }
}

extension SQLTypedExpressible {
    /// Not available: the other value must have the column's type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "the value has another type than the column: convert it, or use `$0.score.untyped ?? value`"
    )
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { fatalError() }
}
