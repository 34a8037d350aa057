// The assignments of typed columns.

extension TypedColumn {
    /// Assigns a value: `$0.score.set(to: 0)`. For a column with an optional type, nil means NULL.
    public func set(to value: Value) -> ColumnAssignment {
        ColumnAssignment(column: name, value: value.sqlExpression, convertsValue: convertsValues)
    }

    /// Assigns the value of an expression: `$0.score.set(to: $0.bestScore)`.
    public func set(to value: some SQLTypedExpressible<Value>) -> ColumnAssignment {
        untyped.set(to: value.sqlExpression)
    }

    /// Assigns the value of a non-NULL expression to a column with an optional type.
    public func set<Wrapped>(
        to value: some SQLTypedExpressible<Wrapped>
    ) -> ColumnAssignment where Value == Wrapped? {
        untyped.set(to: value.sqlExpression)
    }

    /// Keeps the stored value in an upsert.
    public var noOverwrite: ColumnAssignment { untyped.noOverwrite }
}

extension TypedColumn where Value: SQLNumber {
    /// `score = score + 1`
    public static func += (column: Self, value: Value) -> ColumnAssignment { column.untyped += value }
    /// `score = score + bonus`
    public static func += (column: Self, value: some SQLTypedExpressible<Value>) -> ColumnAssignment {
        column.untyped += value.sqlExpression
    }
    /// `score = score - 1`
    public static func -= (column: Self, value: Value) -> ColumnAssignment { column.untyped -= value }
    /// `score = score - bonus`
    public static func -= (column: Self, value: some SQLTypedExpressible<Value>) -> ColumnAssignment {
        column.untyped -= value.sqlExpression
    }
    /// `score = score * 2`
    public static func *= (column: Self, value: Value) -> ColumnAssignment { column.untyped *= value }
    /// `score = score * bonus`
    public static func *= (column: Self, value: some SQLTypedExpressible<Value>) -> ColumnAssignment {
        column.untyped *= value.sqlExpression
    }
    /// `score = score / 2`
    public static func /= (column: Self, value: Value) -> ColumnAssignment { column.untyped /= value }
    /// `score = score / bonus`
    public static func /= (column: Self, value: some SQLTypedExpressible<Value>) -> ColumnAssignment {
        column.untyped /= value.sqlExpression
    }
}

extension TypedColumn {
    /// Not available: the value must have the column's type, which is a number.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "the value must be a number of the type of the column: convert it, or use `$0.score.untyped += value`"
    )
    public static func += (column: Self, value: some SQLExpressible) -> ColumnAssignment { fatalError() }
    /// Not available: the value must have the column's type, which is a number.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "the value must be a number of the type of the column: convert it, or use `$0.score.untyped -= value`"
    )
    public static func -= (column: Self, value: some SQLExpressible) -> ColumnAssignment { fatalError() }
    /// Not available: the value must have the column's type, which is a number.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "the value must be a number of the type of the column: convert it, or use `$0.score.untyped *= value`"
    )
    public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment { fatalError() }
    /// Not available: the value must have the column's type, which is a number.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "the value must be a number of the type of the column: convert it, or use `$0.score.untyped /= value`"
    )
    public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment { fatalError() }
}
