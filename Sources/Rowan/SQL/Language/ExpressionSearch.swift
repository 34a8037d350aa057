// Searches in an expression and its subexpressions. Subqueries are excluded: they are separate queries.

extension SQLExpression {
    /// The action for a visited expression.
    package enum SearchStep { case found, goOn, skip }

    private struct Found: Error {}

    /// Whether a search finds an expression, excluding subqueries and SQL text.
    package func contains(_ step: (SQLExpression) -> SearchStep) -> Bool {
        do {
            _ = try mapParts { expression in
                switch step(expression) {
                case .found: throw Found()
                case .skip: expression
                case .goOn: nil
                }
            }
            return false
        } catch {
            return true  // Only a result is thrown.
        }
    }

    /// Searches for SQL text.
    static func findText(_ expression: SQLExpression) -> SearchStep {
        if case .literal = expression.node { .found } else { .goOn }
    }

    /// Searches for window functions.
    package static func findWindow(_ expression: SQLExpression) -> SearchStep {
        if case .windowed = expression.node { .found } else { .goOn }
    }

    /// Searches for aggregates of associated rows.
    static func findAssociatedValue(_ expression: SQLExpression) -> SearchStep {
        if case .symbol(.aggregate) = expression.node { .found } else { .goOn }
    }

    /// Searches for collations.
    static func findCollation(_ expression: SQLExpression) -> SearchStep {
        if case .collated = expression.node { .found } else { .goOn }
    }

    /// Whether the expression certainly contains an aggregate function outside windows, which reduces all rows to one.
    var isAggregate: Bool {
        contains { expression in
            switch expression.node {
            case .function(let call) where call.isAggregate: .found
            case .windowed: .skip
            default: .goOn
            }
        }
    }

    /// Whether the expression, as a filter, selects at most one row.
    var leavesOneRow: Bool { if case .symbol(.deferred(let deferred)) = node { deferred.leavesOneRow } else { false } }

    /// The columns that have the same value in all rows that satisfy the condition.
    var columnsWithOneValue: [String] {
        switch node {
        case .associative(.and, let operands): return operands.all.flatMap(\.columnsWithOneValue)
        case .equal(let lhs, let rhs, isNegated: false):
            switch (lhs.node, rhs.node) {
            case (.column(let name, _), .value(let value)), (.value(let value), .column(let name, _)):
                return value.isNull ? [] : [name]
            default: return []
            }
        default: return []
        }
    }

    /// Whether the expression may contain an aggregate function outside windows.
    package var mayAggregate: Bool {
        contains { expression in
            switch expression.node {
            case .function(let call) where call.isAggregate: .found
            // SQL text may call an aggregate function.
            case .literal: .found
            case .windowed: .skip
            default: .goOn
            }
        }
    }
}

extension SQLSelection {
    /// Whether a search finds an expression, excluding subqueries and SQL text.
    package func contains(_ step: (SQLExpression) -> SQLExpression.SearchStep) -> Bool {
        switch node {
        case .expression(let expression), .named(let expression, _): expression.contains(step)
        case .literal, .allColumns, .symbol: false
        }
    }

    var isLiteral: Bool { if case .literal = node { true } else { false } }
}

extension SQLOrdering {
    /// Whether a search finds an expression, excluding subqueries and SQL text.
    package func contains(_ step: (SQLExpression) -> SQLExpression.SearchStep) -> Bool {
        if case .expression(let expression, _) = node { expression.contains(step) } else { false }
    }
}
