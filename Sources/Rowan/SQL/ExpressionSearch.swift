// Questions about an expression and those in it. What stands in a subquery belongs to another query.

extension SQLExpression {
    /// What a search does with an expression that it visits.
    package enum SearchStep { case found, goOn, skip }

    /// Whether a search finds an expression in this one, outside of subqueries and SQL text.
    package func contains(_ step: (SQLExpression) -> SearchStep) -> Bool {
        withoutActuallyEscaping(step) { step in
            var search = ExpressionSearch(step: step)
            // The search throws what it looks for, and nothing else.
            return (try? search.expression(self)) == nil
        }
    }

    /// Whether the expression surely has an aggregate function, outside of windows: it makes one row of all.
    var isAggregate: Bool {
        contains { expression in
            switch expression.node {
            case .function(let call) where call.isAggregate: .found
            case .windowed: .skip
            default: .goOn
            }
        }
    }

    /// Whether a filter leaves one row at most.
    var leavesOneRow: Bool { if case .symbol(.deferred(let deferred)) = node { deferred.leavesOneRow } else { false } }

    /// Whether the expression may have an aggregate function, outside of windows.
    package var mayAggregate: Bool {
        contains { expression in
            switch expression.node {
            case .function(let call) where call.isAggregate: .found
            // Unknown SQL may call one.
            case .literal: .found
            case .windowed: .skip
            default: .goOn
            }
        }
    }
}

private struct ExpressionSearch: ExpressionTransform {
    struct Found: Error {}

    let step: (SQLExpression) -> SQLExpression.SearchStep

    mutating func expression(_ expression: SQLExpression) throws -> SQLExpression {
        switch step(expression) {
        case .found: throw Found()
        case .skip: return expression
        case .goOn: return try expression.mapChildren(&self)
        }
    }

    func subquery(_ subquery: SQLSubquery) -> SQLSubquery { subquery }
    func literal(_ literal: SQL) -> SQL { literal }
}
