// SQL operators as Swift operators. Each has two forms, because one of its sides may be an ordinary Swift value. If the
// left side is, it is an existential: with generics on both sides, type-checking `2 * a + 3 * b > 10` took seconds
// (Tests/CompileTime).
//
// AND and OR have no more forms than these, and not two for aggregates. With more than five functions named `&&`, Swift's
// included, the compiler no longer begins with them: the time for `!a && b != "c" && d != "e"` on Swift values then grows
// exponentially with the number of terms.

/// `a AND b`
public func && (lhs: any SQLLogicalOperand, rhs: any SQLLogicalOperand) -> SQLExpression {
    .associative(.and, lhs, rhs)
}

/// `a AND b`
@_disfavoredOverload
public func && (lhs: any SQLSpecificExpressible, rhs: any SQLExpressible) -> SQLExpression {
    .associative(.and, lhs, rhs)
}

/// `a AND b`
@_disfavoredOverload
public func && (lhs: any SQLExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    .associative(.and, lhs, rhs)
}

/// `a OR b`
public func || (lhs: any SQLLogicalOperand, rhs: any SQLLogicalOperand) -> SQLExpression {
    .associative(.or, lhs, rhs)
}

/// `a OR b`
@_disfavoredOverload
public func || (lhs: any SQLSpecificExpressible, rhs: any SQLExpressible) -> SQLExpression {
    .associative(.or, lhs, rhs)
}

/// `a OR b`
@_disfavoredOverload
public func || (lhs: any SQLExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    .associative(.or, lhs, rhs)
}

extension SQLSpecificExpressible {
    /// `a = b`, and `a IS NULL` for nil.
    public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
        SQLExpression(.equal(lhs.sqlExpression, rhs?.sqlExpression ?? .null, isNegated: false))
    }
    /// `a = b`, and `b IS NULL` for nil.
    @_disfavoredOverload
    public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
        SQLExpression(.equal(lhs?.sqlExpression ?? .null, rhs.sqlExpression, isNegated: false))
    }
    /// `a <> b`, and `a IS NOT NULL` for nil.
    public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression { (lhs == rhs).negated }
    /// `a <> b`, and `b IS NOT NULL` for nil.
    @_disfavoredOverload
    public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression { (lhs == rhs).negated }
    /// `a IS b`: equal, with NULL as an ordinary value.
    public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
        .binary(.isSame, lhs, rhs?.sqlExpression ?? .null)
    }
    /// `a IS b`: equal, with NULL as an ordinary value.
    @_disfavoredOverload
    public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
        .binary(.isSame, lhs?.sqlExpression ?? .null, rhs)
    }
    /// `a IS NOT b`: not equal, with NULL as an ordinary value.
    public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression { (lhs === rhs).negated }
    /// `a IS NOT b`: not equal, with NULL as an ordinary value.
    @_disfavoredOverload
    public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression { (lhs === rhs).negated }

    /// `a < b`
    public static func < (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .binary(.less, lhs, rhs) }
    /// `a < b`
    public static func < (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .binary(.less, lhs, rhs) }
    /// `a <= b`
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .binary(.lessOrEqual, lhs, rhs) }
    /// `a <= b`
    public static func <= (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .binary(.lessOrEqual, lhs, rhs) }
    /// `a > b`
    public static func > (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .binary(.greater, lhs, rhs) }
    /// `a > b`
    public static func > (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .binary(.greater, lhs, rhs) }
    /// `a >= b`
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .binary(.greaterOrEqual, lhs, rhs)
    }
    /// `a >= b`
    public static func >= (lhs: any SQLExpressible, rhs: Self) -> SQLExpression {
        .binary(.greaterOrEqual, lhs, rhs)
    }

    /// `a + b`: the sum of two numbers. To concatenate texts, see ``SQLExpression/AssociativeBinaryOperator/concat``.
    public static func + (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .associative(.add, lhs, rhs) }
    /// `a + b`
    public static func + (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .associative(.add, lhs, rhs) }
    /// `a * b`
    public static func * (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .associative(.multiply, lhs, rhs) }
    /// `a * b`
    public static func * (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .associative(.multiply, lhs, rhs) }
    /// `a - b`
    public static func - (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .binary(.subtract, lhs, rhs) }
    /// `a - b`
    public static func - (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .binary(.subtract, lhs, rhs) }
    /// `a / b`
    public static func / (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .binary(.divide, lhs, rhs) }
    /// `a / b`
    public static func / (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .binary(.divide, lhs, rhs) }
    /// `a % b`: the remainder of an integer division, or NULL when dividing by zero.
    public static func % (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .binary(.remainder, lhs, rhs) }
    /// `a % b`: the remainder of an integer division, or NULL when dividing by zero.
    public static func % (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .binary(.remainder, lhs, rhs) }
    /// `a & b`
    public static func & (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .associative(.bitwiseAnd, lhs, rhs) }
    /// `a & b`
    public static func & (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .associative(.bitwiseAnd, lhs, rhs) }
    /// `a | b`
    public static func | (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .associative(.bitwiseOr, lhs, rhs) }
    /// `a | b`
    public static func | (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .associative(.bitwiseOr, lhs, rhs) }
    /// `a << b`
    public static func << (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .binary(.leftShift, lhs, rhs) }
    /// `a << b`
    public static func << (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .binary(.leftShift, lhs, rhs) }
    /// `a >> b`
    public static func >> (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { .binary(.rightShift, lhs, rhs) }
    /// `a >> b`
    public static func >> (lhs: any SQLExpressible, rhs: Self) -> SQLExpression { .binary(.rightShift, lhs, rhs) }

    /// `IFNULL(a, b)`
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        SQLExpression(.function(.init("IFNULL", [lhs.sqlExpression, rhs.sqlExpression], result: .firstArgument)))
    }
    /// `-a`
    public static prefix func - (value: Self) -> SQLExpression { SQLExpression(.unary(.minus, value.sqlExpression)) }
    /// `~a`
    public static prefix func ~ (value: Self) -> SQLExpression {
        SQLExpression(.unary(.bitwiseNot, value.sqlExpression))
    }
    /// `NOT a`, or the opposite operator: `!(a == b)` is `a <> b`.
    public static prefix func ! (value: Self) -> SQLExpression { value.sqlExpression.negated }

    /// `a LIKE pattern ESCAPE escape`. <https://sqlite.org/lang_expr.html#like>
    public func like(_ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil) -> SQLExpression {
        SQLExpression(
            .like(sqlExpression, pattern.sqlExpression, escape: escape?.sqlExpression, isNegated: false))
    }
}

// Terms are also values, which Swift compares with `==` where a Bool is expected. Elsewhere, `==` must be SQL: Bool is
// an expression too, so `having(a == b)` would silently mean `having(false)`. Only operators on concrete types take
// precedence over those of Equatable.

extension Column {
    /// `a = b`
    public static func == (lhs: Column, rhs: Column) -> SQLExpression { .equality(lhs, rhs) }
    /// `a <> b`
    public static func != (lhs: Column, rhs: Column) -> SQLExpression { .equality(lhs, rhs).negated }
}

extension SQLLiteral {
    // Generic, like the others: the derived operator would take precedence over them.

    /// Whether two literals are the same value. Where Swift doesn't expect a `Bool`, `==` is SQL.
    @_disfavoredOverload
    @inline(never)  // It is part of the comparison of all expressions.
    public static func == (lhs: Self, rhs: Self) -> Bool { (lhs as? SQL)?.segments == (rhs as? SQL)?.segments }

    /// `a = b`
    public static func == (lhs: Self, rhs: Self) -> SQLExpression { .equality(lhs, rhs) }
    /// `a <> b`
    public static func != (lhs: Self, rhs: Self) -> SQLExpression { .equality(lhs, rhs).negated }

    // Without these operators, a string literal on either side would be SQL rather than a text value.

    /// `a = 'text'`
    public static func == (lhs: Self, rhs: String) -> SQLExpression { .equality(lhs, rhs) }
    /// `a <> 'text'`
    public static func != (lhs: Self, rhs: String) -> SQLExpression { .equality(lhs, rhs).negated }
    /// `'text' = a`
    public static func == (lhs: String, rhs: Self) -> SQLExpression { .equality(lhs, rhs) }
    /// `'text' <> a`
    public static func != (lhs: String, rhs: Self) -> SQLExpression { .equality(lhs, rhs).negated }
}

extension SQLExpression {
    /// `a = b`
    public static func == (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression { .equality(lhs, rhs) }
    /// `a <> b`
    public static func != (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression { .equality(lhs, rhs).negated }

    // It repeats the generic operator so that long conditions type-check faster.

    /// `NOT a`, or the opposite operator: `!(a == b)` is `a <> b`.
    public static prefix func ! (value: SQLExpression) -> SQLExpression { value.negated }
}

extension SQLSubquery {
    /// `a = b`
    public static func == (lhs: SQLSubquery, rhs: SQLSubquery) -> SQLExpression { .equality(lhs, rhs) }
    /// `a <> b`
    public static func != (lhs: SQLSubquery, rhs: SQLSubquery) -> SQLExpression { .equality(lhs, rhs).negated }
}

extension SQLExpression {
    fileprivate static func equality(_ lhs: some SQLExpressible, _ rhs: some SQLExpressible) -> SQLExpression {
        SQLExpression(.equal(lhs.sqlExpression, rhs.sqlExpression, isNegated: false))
    }
}

extension SQLExpression {
    /// `element IN (a, b, c)`, `element = a`, or a constant for an empty list.
    fileprivate static func membership(of element: SQLExpression, in list: [SQLExpression]) -> SQLExpression {
        switch list.count {
        case 0: false.sqlExpression
        // `IN (NULL)` is NULL. An equality would become `IS NULL`.
        case 1 where list[0].node != .value(.null): SQLExpression(.equal(element, list[0], isNegated: false))
        default: SQLExpression(.isIn(element, .expressions(list), isNegated: false))
        }
    }
}

extension Sequence where Element: SQLExpressible {
    /// `element IN (a, b, c)`
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (?, ?, ?)
    /// Player.filter { [1, 2, 3].contains($0.id) }
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .membership(of: element.sqlExpression, in: map { $0.sqlExpression })
    }
}

extension Sequence where Element == any SQLExpressible {
    /// `element IN (a, b, c)`
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .membership(of: element.sqlExpression, in: map { $0.sqlExpression })
    }

    /// Joins the expressions with an operator.
    public func joined(operator op: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        .joined(map { $0.sqlExpression }, by: op)
    }
}

extension Sequence where Element: SQLExpressible {
    /// Joins the expressions with an operator: `[a, b, c].joined(operator: .and)`.
    public func joined(operator op: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        .joined(map { $0.sqlExpression }, by: op)
    }
}

extension Sequence where Element == any SQLSpecificExpressible {
    /// Joins the expressions with an operator: `[$0.score >= 10, $0.name != nil].joined(operator: .and)`.
    public func joined(operator op: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        .joined(map { $0.sqlExpression }, by: op)
    }
}

extension ClosedRange where Bound: SQLExpressible {
    /// `element BETWEEN lower AND upper`
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(
            .between(
                element.sqlExpression, lowerBound.sqlExpression, upperBound.sqlExpression, isNegated: false))
    }
}

extension PartialRangeFrom where Bound: SQLExpressible {
    /// `element >= lower`
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .binary(.greaterOrEqual, element, lowerBound)
    }
}

extension PartialRangeThrough where Bound: SQLExpressible {
    /// `element <= upper`
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .binary(.lessOrEqual, element, upperBound)
    }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
    /// `element < upper`
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .binary(.less, element, upperBound)
    }
}

extension Range where Bound: SQLExpressible {
    /// `(element >= lower) AND (element < upper)`
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .associative(
            .and, SQLExpression.binary(.greaterOrEqual, element, lowerBound),
            SQLExpression.binary(.less, element, upperBound))
    }
}
