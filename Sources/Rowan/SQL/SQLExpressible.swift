// The four faces of a term of a query: an expression, an ordering, a selection, a subquery.

/// A type that is an SQL expression: a column, a value, a subquery...
public protocol SQLExpressible {
    /// The expression.
    var sqlExpression: SQLExpression { get }
}

/// A type that is a term of an ORDER BY clause.
public protocol SQLOrderingTerm {
    /// The ordering.
    var sqlOrdering: SQLOrdering { get }
}

/// A type that is a term of a SELECT clause.
public protocol SQLSelectable {
    /// The selection.
    var sqlSelection: SQLSelection { get }
}

/// An SQL expression that is not a plain Swift value. SQL operators apply to it: `$0.score > 1000`.
public protocol SQLSpecificExpressible: SQLExpressible, SQLOrderingTerm, SQLSelectable {}

extension SQLSpecificExpressible {
    public var sqlOrdering: SQLOrdering { SQLOrdering(.expression(sqlExpression, .none)) }
    public var sqlSelection: SQLSelection { SQLSelection(.expression(sqlExpression)) }
}

/// A type that is a subquery: a request, or SQL text.
public protocol SQLSubqueryable: SQLSpecificExpressible {
    /// The subquery.
    var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
    /// The subquery as an expression, between parentheses.
    public var sqlExpression: SQLExpression { SQLExpression(.subquery(sqlSubquery)) }

    /// Whether an element is in the subquery: `id IN (SELECT ...)`.
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        SQLExpression(.isIn(element.sqlExpression, .subquery(sqlSubquery), isNegated: false))
    }

    /// Whether the subquery has a row: `EXISTS (SELECT ...)`.
    public func exists() -> SQLExpression {
        SQLExpression(.exists(sqlSubquery, isNegated: false))
    }
}
