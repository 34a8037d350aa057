// The operators of aggregates: those of expressions, with the record type preserved. Most have two forms because only
// one side may be an aggregate. The form with the aggregate on the right is disfavored. AND and OR have none: see
// SQLOperators.

extension AssociationAggregate {
    /// `a = b`, and `a IS NULL` for nil.
    public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
        // A test needs no comparison with true or false.
        if let bool = rhs as? Bool, lhs.sqlExpression.isTest { return bool ? lhs.unnamed : !lhs }
        return Self(lhs.sqlExpression == rhs)
    }
    /// `a = b`, and `b IS NULL` for nil.
    @_disfavoredOverload
    public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> Self { Self(lhs == rhs.sqlExpression) }
    /// `a <> b`, and `a IS NOT NULL` for nil.
    public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> Self { !(lhs == rhs) }
    /// `a <> b`, and `b IS NOT NULL` for nil.
    @_disfavoredOverload
    public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> Self { Self(lhs != rhs.sqlExpression) }
    /// `a IS b`
    public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> Self { Self(lhs.sqlExpression === rhs) }
    /// `a IS b`
    @_disfavoredOverload
    public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> Self { Self(lhs === rhs.sqlExpression) }
    /// `a IS NOT b`
    public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> Self { Self(lhs.sqlExpression !== rhs) }
    /// `a IS NOT b`
    @_disfavoredOverload
    public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> Self { Self(lhs !== rhs.sqlExpression) }

    /// `a < b`
    public static func < (lhs: Self, rhs: some SQLExpressible) -> Self { Self(lhs.sqlExpression < rhs) }
    /// `a < b`
    @_disfavoredOverload
    public static func < (lhs: some SQLExpressible, rhs: Self) -> Self { Self(lhs < rhs.sqlExpression) }
    /// `a <= b`
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> Self { Self(lhs.sqlExpression <= rhs) }
    /// `a <= b`
    @_disfavoredOverload
    public static func <= (lhs: some SQLExpressible, rhs: Self) -> Self { Self(lhs <= rhs.sqlExpression) }
    /// `a > b`
    public static func > (lhs: Self, rhs: some SQLExpressible) -> Self { Self(lhs.sqlExpression > rhs) }
    /// `a > b`
    @_disfavoredOverload
    public static func > (lhs: some SQLExpressible, rhs: Self) -> Self { Self(lhs > rhs.sqlExpression) }
    /// `a >= b`
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> Self { Self(lhs.sqlExpression >= rhs) }
    /// `a >= b`
    @_disfavoredOverload
    public static func >= (lhs: some SQLExpressible, rhs: Self) -> Self { Self(lhs >= rhs.sqlExpression) }
    /// `a + b`
    public static func + (lhs: Self, rhs: some SQLExpressible) -> Self { Self(lhs.sqlExpression + rhs) }
    /// `a + b`
    @_disfavoredOverload
    public static func + (lhs: some SQLExpressible, rhs: Self) -> Self { Self(lhs + rhs.sqlExpression) }
    /// `a - b`
    public static func - (lhs: Self, rhs: some SQLExpressible) -> Self { Self(lhs.sqlExpression - rhs) }
    /// `a - b`
    @_disfavoredOverload
    public static func - (lhs: some SQLExpressible, rhs: Self) -> Self { Self(lhs - rhs.sqlExpression) }
    /// `a * b`
    public static func * (lhs: Self, rhs: some SQLExpressible) -> Self { Self(lhs.sqlExpression * rhs) }
    /// `a * b`
    @_disfavoredOverload
    public static func * (lhs: some SQLExpressible, rhs: Self) -> Self { Self(lhs * rhs.sqlExpression) }
    /// `a / b`
    public static func / (lhs: Self, rhs: some SQLExpressible) -> Self { Self(lhs.sqlExpression / rhs) }
    /// `a / b`
    @_disfavoredOverload
    public static func / (lhs: some SQLExpressible, rhs: Self) -> Self { Self(lhs / rhs.sqlExpression) }
    /// `a AND b`. The aggregate comes first.
    @_disfavoredOverload
    public static func && (lhs: Self, rhs: any SQLExpressible) -> Self { Self(lhs.sqlExpression && rhs.sqlExpression) }
    /// `a OR b`. The aggregate comes first.
    @_disfavoredOverload
    public static func || (lhs: Self, rhs: any SQLExpressible) -> Self { Self(lhs.sqlExpression || rhs.sqlExpression) }

    /// `IFNULL(a, b)`, which keeps the name of the aggregate.
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> Self {
        Self(lhs.sqlExpression ?? rhs, key: lhs.key)
    }
    /// `-a`
    public static prefix func - (aggregate: Self) -> Self { Self(-aggregate.sqlExpression) }
    /// `NOT a`, or the opposite operator.
    public static prefix func ! (aggregate: Self) -> Self { Self(!aggregate.sqlExpression) }

    private var unnamed: Self { Self(sqlExpression) }
}

extension SQLExpression {
    /// Whether the aggregate is a test, whose value is true or false.
    fileprivate var isTest: Bool {
        if case .symbol(.aggregate(let value)) = node { value.function == .isEmpty } else { false }
    }
}

/// `ABS(aggregate)`
public func abs<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(abs(aggregate.sqlExpression))
}

/// `CAST(aggregate AS type)`
public func cast<RowDecoder>(
    _ aggregate: AssociationAggregate<RowDecoder>, as storageClass: Database.StorageClass
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(cast(aggregate.sqlExpression, as: storageClass))
}

/// `LENGTH(aggregate)`
public func length<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(length(aggregate.sqlExpression))
}
