// Comparisons that don't compile, each with the compiler's message. Swift considers unavailable operators only after an
// expression has failed, so they cost nothing in code that compiles. There are few, and none for `&&`, because after a
// misspelt name Swift tries all combinations of the operators in an expression.

extension SQLTypedExpressible {
    /// Not available: both sides must have the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the two sides have different types: convert the value, or use `$0.score.untyped`, which compares with any value"
    )
    public static func == (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { fatalError() }

    /// Not available: both sides must have the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the two sides have different types: convert the value, or use `$0.score.untyped`, which compares with any value"
    )
    public static func != (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { fatalError() }

    /// Not available: both sides must have the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the two sides have different types: convert the value, or use `$0.score.untyped`, which compares with any value"
    )
    public static func === (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { fatalError() }

    /// Not available: both sides must have the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the two sides have different types: convert the value, or use `$0.score.untyped`, which compares with any value"
    )
    public static func !== (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { fatalError() }

    /// Not available: both sides must have the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the two sides have different types: convert the value, or use `$0.score.untyped`, which compares with any value"
    )
    public static func < (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { fatalError() }
    /// Not available: the value must not be an optional.
    @_disfavoredOverload
    @available(
        *, unavailable, message: "the value is an optional, and no value is less or greater than NULL: unwrap it first"
    )
    public static func < (lhs: Self, rhs: (some SQLExpressible)?) -> SQLExpression { fatalError() }

    /// Not available: both sides must have the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the two sides have different types: convert the value, or use `$0.score.untyped`, which compares with any value"
    )
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { fatalError() }
    /// Not available: the value must not be an optional.
    @_disfavoredOverload
    @available(
        *, unavailable, message: "the value is an optional, and no value is less or greater than NULL: unwrap it first"
    )
    public static func <= (lhs: Self, rhs: (some SQLExpressible)?) -> SQLExpression { fatalError() }

    /// Not available: both sides must have the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the two sides have different types: convert the value, or use `$0.score.untyped`, which compares with any value"
    )
    public static func > (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { fatalError() }
    /// Not available: the value must not be an optional.
    @_disfavoredOverload
    @available(
        *, unavailable, message: "the value is an optional, and no value is less or greater than NULL: unwrap it first"
    )
    public static func > (lhs: Self, rhs: (some SQLExpressible)?) -> SQLExpression { fatalError() }

    /// Not available: both sides must have the same type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the two sides have different types: convert the value, or use `$0.score.untyped`, which compares with any value"
    )
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { fatalError() }
    /// Not available: the value must not be an optional.
    @_disfavoredOverload
    @available(
        *, unavailable, message: "the value is an optional, and no value is less or greater than NULL: unwrap it first"
    )
    public static func >= (lhs: Self, rhs: (some SQLExpressible)?) -> SQLExpression { fatalError() }
}

// MARK: - Integers of different types

extension SQLTypedExpressible where Value: BinaryInteger {
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func == (lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable,
        message: "the column holds integers of another type: convert the value, as in `number.map { Int64($0) }`"
    )
    public static func == (lhs: Self, rhs: (some BinaryInteger & SQLExpressible)?) -> SQLExpression { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func != (lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable,
        message: "the column holds integers of another type: convert the value, as in `number.map { Int64($0) }`"
    )
    public static func != (lhs: Self, rhs: (some BinaryInteger & SQLExpressible)?) -> SQLExpression { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func === (lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable,
        message: "the column holds integers of another type: convert the value, as in `number.map { Int64($0) }`"
    )
    public static func === (lhs: Self, rhs: (some BinaryInteger & SQLExpressible)?) -> SQLExpression { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func !== (lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable,
        message: "the column holds integers of another type: convert the value, as in `number.map { Int64($0) }`"
    )
    public static func !== (lhs: Self, rhs: (some BinaryInteger & SQLExpressible)?) -> SQLExpression { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func < (lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func <= (lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func > (lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func >= (lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression { fatalError() }
}

extension SQLTypedExpressible {
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func == <Wrapped: BinaryInteger>(lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression
    where Value == Wrapped? { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable,
        message: "the column holds integers of another type: convert the value, as in `number.map { Int64($0) }`"
    )
    public static func == <Wrapped: BinaryInteger>(
        lhs: Self, rhs: (some BinaryInteger & SQLExpressible)?
    ) -> SQLExpression where Value == Wrapped? { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func != <Wrapped: BinaryInteger>(lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression
    where Value == Wrapped? { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable,
        message: "the column holds integers of another type: convert the value, as in `number.map { Int64($0) }`"
    )
    public static func != <Wrapped: BinaryInteger>(
        lhs: Self, rhs: (some BinaryInteger & SQLExpressible)?
    ) -> SQLExpression where Value == Wrapped? { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func === <Wrapped: BinaryInteger>(
        lhs: Self, rhs: some BinaryInteger & SQLExpressible
    ) -> SQLExpression where Value == Wrapped? { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable,
        message: "the column holds integers of another type: convert the value, as in `number.map { Int64($0) }`"
    )
    public static func === <Wrapped: BinaryInteger>(
        lhs: Self, rhs: (some BinaryInteger & SQLExpressible)?
    ) -> SQLExpression where Value == Wrapped? { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func !== <Wrapped: BinaryInteger>(
        lhs: Self, rhs: some BinaryInteger & SQLExpressible
    ) -> SQLExpression where Value == Wrapped? { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable,
        message: "the column holds integers of another type: convert the value, as in `number.map { Int64($0) }`"
    )
    public static func !== <Wrapped: BinaryInteger>(
        lhs: Self, rhs: (some BinaryInteger & SQLExpressible)?
    ) -> SQLExpression where Value == Wrapped? { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func < <Wrapped: BinaryInteger>(lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression
    where Value == Wrapped? { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func <= <Wrapped: BinaryInteger>(lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression
    where Value == Wrapped? { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func > <Wrapped: BinaryInteger>(lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression
    where Value == Wrapped? { fatalError() }
    /// Not available: both sides must have the same type.
    @available(
        *, unavailable, message: "the column holds integers of another type: convert the value, as in `Int64(number)`"
    )
    public static func >= <Wrapped: BinaryInteger>(lhs: Self, rhs: some BinaryInteger & SQLExpressible) -> SQLExpression
    where Value == Wrapped? { fatalError() }
}
