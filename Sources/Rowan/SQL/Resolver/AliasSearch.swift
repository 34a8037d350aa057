// The table aliases that the expressions of a query refer to.

/// Collects the aliases in the visited terms.
struct AliasSearch: ExpressionTransform {
    private(set) var aliases: Set<TableAliasID> = []

    mutating func visit(_ relation: Relation) throws {
        try visit(relation.filters + relation.groups + relation.havings, relation.orderings, relation.selection)
        try visit(relation.source)
        for join in relation.joins { try visit(join.step) }
    }

    private mutating func visit(_ select: Select) throws {
        try visit(select.filters + select.groups + select.havings, select.orderings, select.selection)
        for columns in select.joinedColumns { try visit([], [], columns.selection) }
        for orderings in select.joinedOrderings { try visit([], orderings.terms, []) }
        try visit(select.source)
        try visit(select.joins)
    }

    private mutating func visit(_ joins: [Select.JoinedTable]) throws {
        for join in joins {
            if case .expression(let condition, _, _) = join.condition { _ = try expression(condition) }
            try visit(join.filters, [], [])
            try visit(join.source)
            try visit(join.joins)
        }
    }

    private mutating func visit(
        _ expressions: [SQLExpression], _ orderings: [SQLOrdering], _ selection: [SQLSelection]
    ) throws {
        for expression in expressions { _ = try self.expression(expression) }
        for ordering in orderings { _ = try self.orderings(ordering) }
        for selection in selection {
            switch selection.node {
            case .expression(let expression), .named(let expression, _): _ = try self.expression(expression)
            case .literal(let literal): _ = try self.literal(literal)
            case .allColumns, .symbol: break
            }
        }
    }

    private mutating func visit(_ source: Source) throws {
        switch source {
        case .table: break
        case .subquery(let query, _): _ = try subquery(query)
        case .function(let call): for argument in call.arguments { _ = try expression(argument) }
        case .derived(let source, _): try visit(source)
        }
    }

    mutating func visit(_ step: AssociationStep) throws {
        if case .expression(let condition, _, _) = step.condition { _ = try expression(condition) }
        if case .first(let path) = step.condition { for step in path.steps { try visit(step) } }
        try visit(step.relation)
    }

    mutating func expression(_ expression: SQLExpression) throws -> SQLExpression {
        switch expression.node {
        case .column(_, .alias(let alias)), .symbol(.rowExists(let alias)), .symbol(.fullText(_, .alias(let alias))):
            aliases.insert(alias)
        case .symbol(.aggregate(let value)): try visit(value)
        // These contain no alias themselves.
        case .column, .symbol, .value, .constant, .literal, .unary, .binary, .associative, .equal, .between, .isIn,
            .like,
            .collated, .function, .windowed, .conditional, .cast, .subquery, .exists, .tuple, .storable, .bound:
            break
        }
        return try expression.mapChildren(&self)
    }

    mutating func visit(_ value: AssociatedValue) throws {
        for step in value.path.steps { try visit(step) }
        if case .call(_, let argument) = value.function { _ = try expression(argument) }
    }

    mutating func subquery(_ subquery: SQLSubquery) throws -> SQLSubquery {
        switch subquery.content {
        case .literal(let literal): _ = try self.literal(literal)
        case .relation(let relation): try visit(relation)
        case .select(let select): try visit(select)
        case .compound(let compound):
            for query in [compound.first] + compound.others.map(\.query) { _ = try self.subquery(query) }
        }
        return subquery
    }

    mutating func literal(_ literal: SQL) throws -> SQL {
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
