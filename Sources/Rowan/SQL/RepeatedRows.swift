// Rows that joins repeat. A request that joins to-many associations has a row for each of the associated ones; with
// aggregates of associations it has each of its rows once, as the documented `GROUP BY` of aggregates makes it.

extension Relation {
    /// Whether joined associations repeat rows that have aggregates of associations: they are grouped by their key.
    package var repeatsAggregatedRows: Bool {
        guard !joins.isEmpty, groups.isEmpty, !groupsByPrimaryKey, joins.contains(where: \.mayRepeatRows) else {
            return false
        }
        let (conditions, values) = (AggregateSearch(), AggregateSearch())
        for filter in filters { conditions.visit(filter.term) }
        for selection in selection {
            switch selection.term?.node {
            case .expression(let expression), .named(let expression, _): values.visit(expression)
            // Unknown SQL may make one row of all.
            case .literal: return false
            case .allColumns, .allColumnsExcluding, .primaryKey, nil: break
            }
        }
        return (conditions.hasAssociated || values.hasAssociated) && !values.hasFunction
    }
}

extension Join {
    /// Whether a row may be joined to several ones by an association.
    fileprivate var mayRepeatRows: Bool {
        switch step.condition {
        case .foreignKey(let link) where link.holder == .destination: true
        case .foreignKey, .first: step.relation.joins.contains(where: \.mayRepeatRows)
        // Not an association: another request, whose rows make pairs.
        case .always, .columns, .expression: false
        }
    }
}

/// Looks for aggregates, outside of subqueries and windows.
private final class AggregateSearch: ExpressionTransform {
    /// Whether there are aggregates of associations.
    private(set) var hasAssociated = false
    /// Whether there are aggregate functions, which make one row of all.
    private(set) var hasFunction = false

    func visit(_ expression: SQLExpression?) {
        guard let expression else { return }
        _ = try? self.expression(expression)
    }

    func expression(_ expression: SQLExpression) throws -> SQLExpression {
        switch expression.node {
        case .aggregate: hasAssociated = true
        case .function(let call): if call.isAggregate { hasFunction = true }
        case .literal: hasFunction = true
        case .windowed: return expression
        default: break  // The others are what their children are.
        }
        return try expression.mapChildren(self)
    }

    func subquery(_ subquery: SQLSubquery) -> SQLSubquery { subquery }
    func literal(_ literal: SQL) -> SQL { literal }
}

extension SQLExpression.FunctionCall {
    /// Whether the function is one of SQLite's aggregates. <https://sqlite.org/lang_aggfunc.html>
    fileprivate var isAggregate: Bool {
        switch name.uppercased() {
        case "AVG", "COUNT", "GROUP_CONCAT", "STRING_AGG", "SUM", "TOTAL": true
        case "MAX", "MIN": arguments.count == 1
        case let name: name.hasPrefix("JSON_GROUP_") || name.hasPrefix("JSONB_GROUP_") || filter != nil
        }
    }
}
