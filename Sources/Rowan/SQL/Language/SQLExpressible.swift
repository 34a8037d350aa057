// The four roles of a term in a query: expression, ordering, selection, subquery.

/// A type that can be used as an SQL expression: a column, a value, a subquery…
public protocol SQLExpressible {
    /// The expression.
    var sqlExpression: SQLExpression { get }
}

/// A type that can be used as a term of an ORDER BY clause.
public protocol SQLOrderingTerm {
    /// The ordering.
    var sqlOrdering: SQLOrdering { get }
}

/// A type that can be used as a term of a SELECT clause.
public protocol SQLSelectable {
    /// The selection.
    var sqlSelection: SQLSelection { get }
}

/// A type whose values AND and OR can join: an SQL expression, or a typed column of Boolean values.
public protocol SQLLogicalOperand: SQLExpressible {}

extension Optional: SQLLogicalOperand where Wrapped: SQLSpecificExpressible {}

/// An SQL expression that is not a plain Swift value. SQL operators apply to it: `$0.score > 1000`.
public protocol SQLSpecificExpressible: SQLLogicalOperand, SQLOrderingTerm, SQLSelectable {}

extension SQLSpecificExpressible {
    /// The ordering by the expression, without an explicit direction.
    public var sqlOrdering: SQLOrdering { SQLOrdering(.expression(sqlExpression, .none)) }
    /// The expression as a selection.
    public var sqlSelection: SQLSelection { SQLSelection(.expression(sqlExpression)) }
}

/// A type that can be used as a subquery: a request, or SQL text.
public protocol SQLSubqueryable: SQLSpecificExpressible {
    /// The subquery.
    var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
    /// The subquery as an expression, in parentheses.
    public var sqlExpression: SQLExpression { SQLExpression(.subquery(sqlSubquery)) }

    /// Whether the subquery contains an element: `id IN (SELECT ...)`.
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        SQLExpression(.isIn(element.sqlExpression, .subquery(sqlSubquery), isNegated: false))
    }

    /// Whether the subquery returns any row: `EXISTS (SELECT ...)`.
    public func exists() -> SQLExpression {
        SQLExpression(.exists(sqlSubquery, isNegated: false))
    }
}
