// Which table aliases the expressions of a query refer to.

/// Collects the aliases of all that it visits.
final class AliasSearch: ExpressionTransform {
    private(set) var aliases: Set<TableAliasID> = []

    func visit(_ relation: Relation) throws {
        for expression in (relation.filters + relation.groups + relation.havings).compactMap(\.term) {
            _ = try self.expression(expression)
        }
        for ordering in relation.orderings.compactMap(\.term) { _ = try orderings(ordering) }
        for selection in relation.selection.compactMap(\.term) {
            switch selection.node {
            case .expression(let expression), .named(let expression, _): _ = try self.expression(expression)
            case .literal(let literal): _ = try self.literal(literal)
            case .allColumns, .allColumnsExcluding, .primaryKey: break
            }
        }
        if case .subquery(let query, _) = relation.source { _ = try subquery(query) }
        if case .function(let call) = relation.source {
            for argument in call.arguments { _ = try expression(argument) }
        }
        for join in relation.joins { try visit(join.step) }
    }

    func visit(_ step: AssociationStep) throws {
        if case .expression(let condition, _, _) = step.condition { _ = try expression(condition) }
        if case .first(let path) = step.condition { for step in path.steps { try visit(step) } }
        try visit(step.relation)
    }

    func expression(_ expression: SQLExpression) throws -> SQLExpression {
        switch expression.node {
        case .column(_, .alias(let alias)), .rowExists(let alias): aliases.insert(alias)
        case .aggregate(let value): try visit(value)
        default: break  // The others refer to nothing themselves.
        }
        return try expression.mapChildren(self)
    }

    func visit(_ value: AssociatedValue) throws {
        for step in value.path.steps { try visit(step) }
        if case .call(_, let argument) = value.function { _ = try expression(argument) }
    }

    func subquery(_ subquery: SQLSubquery) throws -> SQLSubquery {
        switch subquery.content {
        case .literal(let literal): _ = try self.literal(literal)
        case .relation(let relation): try visit(relation)
        case .compound(let compound):
            for query in [compound.first] + compound.others.map(\.query) { _ = try self.subquery(query) }
        }
        return subquery
    }

    func literal(_ literal: SQL) throws -> SQL {
        for segment in literal.segments {
            switch segment {
            case .expression(let expression): _ = try self.expression(expression)
            case .ordering(let ordering): _ = try orderings(ordering)
            case .subquery(let query): _ = try subquery(query)
            case .text, .selection, .cte: break
            }
        }
        return literal
    }
}
