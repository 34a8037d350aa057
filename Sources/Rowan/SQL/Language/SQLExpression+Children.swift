// The only traversal of expressions: all transformations use `mapChildren`.

extension SQLExpression {
    /// The expression with each direct child transformed.
    package func mapChildren(_ transform: inout some ExpressionTransform) throws -> SQLExpression {
        switch node {
        case .value, .constant, .column, .storable, .symbol:
            self
        case .bound(let a, let bindings):
            SQLExpression(.bound(try transform.expression(a), bindings))
        case .literal(let literal):
            SQLExpression(.literal(try transform.literal(literal)))
        case .unary(let op, let a):
            SQLExpression(.unary(op, try transform.expression(a)))
        case .binary(let op, let a, let b):
            SQLExpression(.binary(op, try transform.expression(a), try transform.expression(b)))
        case .associative(let op, let operands):
            SQLExpression(.associative(op, OperandList(try operands.all.map { try transform.expression($0) })))
        case .equal(let a, let b, let isNegated):
            SQLExpression(.equal(try transform.expression(a), try transform.expression(b), isNegated: isNegated))
        case .between(let a, let b, let c, let isNegated):
            SQLExpression(
                .between(
                    try transform.expression(a), try transform.expression(b), try transform.expression(c),
                    isNegated: isNegated))
        case .isIn(let a, let container, let isNegated):
            SQLExpression(
                .isIn(try transform.expression(a), try transform.container(container), isNegated: isNegated))
        case .like(let a, let b, let escape, let isNegated):
            SQLExpression(
                .like(
                    try transform.expression(a), try transform.expression(b),
                    escape: try escape.map { try transform.expression($0) }, isNegated: isNegated))
        case .collated(let a, let collation):
            SQLExpression(.collated(try transform.expression(a), collation))
        case .function(var call):
            try {
                call.arguments = try call.arguments.map { try transform.expression($0) }
                call.filter = try call.filter.map { try transform.expression($0) }
                if !call.orderings.isEmpty {
                    try transform.check(call)
                    call.orderings = try call.orderings.flatMap { try transform.orderings($0) }
                }
                return SQLExpression(.function(call))
            }()
        case .windowed(let a, let window):
            SQLExpression(.windowed(try transform.expression(a), try window.map(&transform)))
        case .conditional(let conditional):
            SQLExpression(.conditional(try conditional.map(&transform)))
        case .cast(let a, let type):
            SQLExpression(.cast(try transform.expression(a), type))
        case .subquery(let subquery):
            SQLExpression(.subquery(try transform.subquery(subquery)))
        case .exists(let subquery, let isNegated):
            SQLExpression(.exists(try transform.subquery(subquery), isNegated: isNegated))
        case .tuple(let elements):
            SQLExpression(.tuple(try elements.map { try transform.expression($0) }))
        }
    }
}

extension SQLExpression {
    /// The expression, with other expressions in place of some of its parts. Subqueries and SQL text don't change.
    ///
    /// - Parameter replacement: returns nil to visit the children of an expression.
    func replacing(_ replacement: (SQLExpression) -> SQLExpression?) -> SQLExpression {
        // Only the closure could throw.
        do { return try mapParts(replacement) } catch { return self }
    }

    /// The expression, with other expressions in place of some of its parts. Subqueries and SQL text don't change.
    ///
    /// - Parameter replacement: returns nil to visit the children of an expression.
    @inline(never)
    func mapParts(_ replacement: (SQLExpression) throws -> SQLExpression?) throws -> SQLExpression {
        try withoutActuallyEscaping(replacement) {
            var parts = PartReplacement(replacement: $0)
            return try parts.expression(self)
        }
    }
}

/// One transformation for most uses: the compiler makes a copy of the traversal for each type of transformations.
private struct PartReplacement: ExpressionTransform {
    let replacement: (SQLExpression) throws -> SQLExpression?

    mutating func expression(_ expression: SQLExpression) throws -> SQLExpression {
        // Not `??`, which means IFNULL for expressions.
        if let result = try replacement(expression) { return result }
        return try expression.mapChildren(&self)
    }

    func subquery(_ subquery: SQLSubquery) -> SQLSubquery { subquery }
    func literal(_ literal: SQL) -> SQL { literal }
}

/// The handlers of a transformation for each kind of child.
package protocol ExpressionTransform {
    mutating func expression(_ expression: SQLExpression) throws -> SQLExpression
    mutating func subquery(_ subquery: SQLSubquery) throws -> SQLSubquery
    mutating func literal(_ literal: SQL) throws -> SQL
    /// The terms that replace an ordering.
    mutating func orderings(_ ordering: SQLOrdering) throws -> [SQLOrdering]
    /// Throws an error if the call is not supported.
    func check(_ call: SQLExpression.FunctionCall) throws
}

extension ExpressionTransform {
    mutating func container(_ container: SQLExpression.Container) throws -> SQLExpression.Container {
        switch container {
        case .expressions(let expressions): .expressions(try expressions.map { try expression($0) })
        case .subquery(let query): .subquery(try subquery(query))
        case .table, .values: container
        case .rows(let rows): .rows(try rows.map { try $0.map { try expression($0) } })
        }
    }

    package mutating func orderings(_ ordering: SQLOrdering) throws -> [SQLOrdering] {
        switch ordering.node {
        case .expression(let e, let direction): [SQLOrdering(.expression(try expression(e), direction))]
        case .literal(let l): [SQLOrdering(.literal(try literal(l)))]
        case .symbol: [ordering]
        }
    }

    package func check(_ call: SQLExpression.FunctionCall) throws {}
}

extension SQLExpression.Node {
    /// Whether this node or a direct child needs the schema. Each child has already computed this for itself.
    var isSymbolic: Bool {
        switch self {
        case .value, .constant, .column: false
        case .storable, .symbol: true
        case .bound(let a, _): a.isSymbolic
        case .literal(let literal): literal.isSymbolic
        case .unary(_, let a), .collated(let a, _), .cast(let a, _): a.isSymbolic
        case .binary(_, let a, let b), .equal(let a, let b, _): a.isSymbolic || b.isSymbolic
        case .associative(_, let operands): operands.all.contains(where: \.isSymbolic)
        case .tuple(let operands): operands.contains(where: \.isSymbolic)
        case .between(let a, let b, let c, _): a.isSymbolic || b.isSymbolic || c.isSymbolic
        case .isIn(let a, let container, _): a.isSymbolic || container.isSymbolic
        case .like(let a, let b, let escape, _): a.isSymbolic || b.isSymbolic || escape?.isSymbolic ?? false
        case .function(let call):
            // Only some versions of SQLite support orderings, which the connection checks.
            !call.orderings.isEmpty || call.arguments.contains(where: \.isSymbolic) || call.filter?.isSymbolic ?? false
        case .windowed(let a, let window): a.isSymbolic || window.isSymbolic
        case .conditional(let conditional): conditional.isSymbolic
        case .subquery(let subquery), .exists(let subquery, _): subquery.isSymbolic
        }
    }
}

extension SQLExpression.Container {
    var isSymbolic: Bool {
        switch self {
        case .expressions(let expressions): expressions.contains(where: \.isSymbolic)
        case .subquery(let subquery): subquery.isSymbolic
        case .table, .values: false
        case .rows(let rows): rows.contains { $0.contains(where: \.isSymbolic) }
        }
    }
}
