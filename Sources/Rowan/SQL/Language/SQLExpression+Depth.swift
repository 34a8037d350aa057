// The nesting depth of expressions. Every traversal of a tree is recursive, including its release, so no tree may be
// deep enough to overflow a worker thread's stack. Each expression counts its levels when it is built; beyond the
// maximum, only the count is kept.

extension SQLExpression {
    /// SQLite's parser has a stack of 100 entries (unlimited since 3.46), of which each level takes at least one.
    /// Source: <https://sqlite.org/limits.html#max_expr_depth>
    static let maximumDepth: Int32 = 100

    /// From this depth, a sum continues without parentheses, `((a + b) + c) + d + e`: the same operation, on one level.
    private static let flatteningDepth: Int32 = 16

    /// SQLite nests a sum by one level per operand.
    /// Source: <https://sqlite.org/limits.html#max_expr_depth>
    static let maximumSumCount = 1_000

    /// A chain of one operator becomes one node if the operator can be regrouped: `a AND b AND c`. Sums and products of
    /// floating-point numbers can't.
    static func associative(
        _ op: AssociativeBinaryOperator, _ lhs: some SQLExpressible, _ rhs: some SQLExpressible
    ) -> SQLExpression {
        let (lhs, rhs) = (lhs.sqlExpression, rhs.sqlExpression)
        let left = op.isRegroupable || lhs.depth >= flatteningDepth ? lhs.operands(of: op) : nil
        let right = op.isRegroupable ? rhs.operands(of: op) : nil
        // Traits are not recomputed from all operands: a chain of thousands is built one operand at a time.
        let depth = max(left == nil ? 1 + lhs.depth : lhs.depth, right == nil ? 1 + rhs.depth : rhs.depth)
        let isSymbolic = lhs.isSymbolic || rhs.isSymbolic
        let operands: OperandList
        switch (left, right) {
        case (nil, nil): operands = OperandList([lhs, rhs])
        case (let left?, nil): operands = left.appending(rhs)
        case (nil, let right?): operands = right.prepending(lhs)
        case (let left?, let right?): operands = left.appending(contentsOf: right)
        }
        guard op.isRegroupable || operands.count <= maximumSumCount else { return tooDeep(Int32(operands.count)) }
        return SQLExpression(.associative(op, operands), isSymbolic: isSymbolic, depth: depth)
    }

    /// The operands, if this node applies the operator.
    func operands(of op: AssociativeBinaryOperator) -> OperandList? {
        if case .associative(op, let operands) = node { operands } else { nil }
    }
}

extension SQLExpression.AssociativeBinaryOperator {
    /// Whether operands can be regrouped. Sums and products of doubles depend on the grouping.
    var isRegroupable: Bool { self != .add && self != .multiply }
}

extension SQLExpression.Node {
    /// The nesting depth of operations, including this one. Each child has already computed its own depth.
    var depth: Int32 {
        switch self {
        case .value, .constant, .column, .storable: 0
        case .literal(let literal): 1 + literal.depth
        case .unary(_, let a), .collated(let a, _), .cast(let a, _), .bound(let a, _): 1 + a.depth
        case .binary(_, let a, let b), .equal(let a, let b, _): 1 + max(a.depth, b.depth)
        case .associative(_, let operands): 1 + operands.all.depth
        case .tuple(let operands): 1 + operands.depth
        case .between(let a, let b, let c, _): 1 + max(a.depth, b.depth, c.depth)
        case .isIn(let a, let container, _): 1 + max(a.depth, container.depth)
        case .like(let a, let b, let escape, _): 1 + max(a.depth, b.depth, escape?.depth ?? 0)
        case .function(let call): 1 + call.depth
        case .windowed(let a, .window(let window)): 1 + max(a.depth, window.depth)
        case .windowed(let a, .named): 1 + a.depth
        case .conditional(let conditional): 1 + conditional.depth
        case .subquery(let subquery), .exists(let subquery, _): 1 + subquery.depth
        case .symbol(let symbol): symbol.depth
        }
    }
}

extension SQLExpression.Symbol {
    fileprivate var depth: Int32 {
        switch self {
        case .rowExists, .fullText, .deferred, .tooDeep: 0
        case .primaryKey(let values): 1 + values.depth
        case .aggregate(let value): 1 + value.depth
        }
    }
}

extension Collection<SQLExpression> {
    var depth: Int32 { reduce(0) { Swift.max($0, $1.depth) } }
}

extension SQLExpression.Container {
    fileprivate var depth: Int32 {
        switch self {
        case .expressions(let expressions): expressions.depth
        case .subquery(let subquery): subquery.depth
        case .table, .values: 0
        case .rows(let rows): rows.reduce(0) { max($0, $1.depth) }
        }
    }
}

extension SQLExpression.FunctionCall {
    fileprivate var depth: Int32 { max(arguments.depth, filter?.depth ?? 0, orderings.depth) }
}

extension SQLSelection {
    fileprivate var depth: Int32 {
        switch node {
        case .expression(let expression), .named(let expression, _): expression.depth
        case .literal(let literal): literal.depth
        case .allColumns, .symbol: 0
        }
    }
}

extension Collection<SQLOrdering> {
    var depth: Int32 { reduce(0) { Swift.max($0, $1.depth) } }
}

extension SQLOrdering {
    fileprivate var depth: Int32 {
        switch node {
        case .expression(let expression, _): expression.depth
        case .literal(let literal): literal.depth
        case .symbol: 0
        }
    }
}

extension SQL {
    fileprivate var depth: Int32 {
        segments.reduce(0) { depth, segment in
            switch segment {
            case .text: depth
            case .expression(let expression): max(depth, expression.depth)
            case .selection(let selection): max(depth, selection.depth)
            case .ordering(let ordering): max(depth, ordering.depth)
            case .subquery(let subquery): max(depth, 1 + subquery.depth)
            case .cte(let table): max(depth, 1 + table.query.depth)
            }
        }
    }
}

// MARK: - Queries

extension SQLSubquery.Content {
    /// The nesting depth of operations and queries. A query counts as three levels because it takes at least three
    /// entries on the parser's stack, and more space on the resolver's stack than other nodes.
    var depth: Int32 {
        switch self {
        case .literal(let literal): 1 + literal.depth
        case .relation(let relation): 3 + relation.depth
        case .select(let select): 3 + select.depth
        case .compound(let compound):
            1 + compound.others.reduce(max(compound.first.depth, compound.orderings.depth)) { max($0, $1.query.depth) }
        }
    }
}

extension Relation {
    fileprivate var depth: Int32 {
        var depth = source.depth
        for filter in filters { depth = max(depth, filter.depth) }
        for selection in selection { depth = max(depth, selection.depth) }
        for ordering in orderings { depth = max(depth, ordering.depth) }
        for group in groups { depth = max(depth, group.depth) }
        for having in havings { depth = max(depth, having.depth) }
        for definition in windows { depth = max(depth, definition.window.depth) }
        for table in commonTables { depth = max(depth, 1 + table.query.depth) }
        for join in joins { depth = max(depth, join.step.depth) }
        for prefetch in prefetches { depth = max(depth, prefetch.path.depth) }
        return depth
    }
}

extension Select {
    fileprivate var depth: Int32 {
        var depth = max(source.depth, joins.depth, filters.depth, groups.depth, havings.depth, orderings.depth)
        for selection in selection { depth = max(depth, selection.depth) }
        for columns in joinedColumns { depth = columns.selection.reduce(depth) { max($0, $1.depth) } }
        for orderings in joinedOrderings { depth = max(depth, orderings.terms.depth) }
        for definition in windows { depth = max(depth, definition.window.depth) }
        for table in commonTables { depth = max(depth, 1 + table.query.depth) }
        return depth
    }
}

extension [Select.JoinedTable] {
    fileprivate var depth: Int32 {
        reduce(0) { depth, join in
            let condition: Int32 =
                if case .expression(let expression, _, _) = join.condition { expression.depth } else { 0 }
            return Swift.max(depth, condition, join.filters.depth, 1 + join.source.depth, 1 + join.joins.depth)
        }
    }
}

extension Source {
    fileprivate var depth: Int32 {
        switch self {
        case .table: 0
        case .subquery(let subquery, _): subquery.depth
        case .function(let call): call.depth
        case .derived(let source, _): source.depth
        }
    }
}

extension AssociationStep {
    fileprivate var depth: Int32 {
        let depth = 1 + relation.depth
        switch condition {
        case .always, .foreignKey, .columns: return depth
        case .expression(let expression, _, _): return max(depth, expression.depth)
        case .first(let path): return max(depth, path.depth)
        }
    }
}

extension AssociationPath {
    fileprivate var depth: Int32 { steps.reduce(0) { max($0, $1.depth) } }
}

extension AssociatedValue {
    fileprivate var depth: Int32 {
        switch function {
        case .count, .isEmpty: path.depth
        case .call(_, let argument): max(path.depth, argument.depth)
        }
    }
}
