// Collations. A collation has no effect on a condition: it must apply to its operands.
// Source: https://sqlite.org/datatype3.html#collation

extension SQLExpression {
    /// The expression with a collation. The collation of a condition applies to its comparisons.
    package func collated(_ collation: String) -> SQLExpression {
        switch node {
        case .equal(let a, let b, let isNegated):
            SQLExpression(.equal(a.collated(collation), b, isNegated: isNegated))
        case .binary(let op, let a, let b) where op.isComparison:
            SQLExpression(.binary(op, a.collated(collation), b))
        case .isIn(let operand, let container, let isNegated):
            SQLExpression(.isIn(operand.collated(collation), container, isNegated: isNegated))
        case .between(let operand, let lower, let upper, let isNegated):
            SQLExpression(.between(operand.collated(collation), lower, upper, isNegated: isNegated))
        case .associative(let op, let conditions) where op == .and || op == .or:
            .joined(conditions.all.map { $0.collated(collation) }, by: op)
        case .unary(.not, let condition):
            SQLExpression(.unary(.not, condition.collated(collation)))
        default:
            SQLExpression(.collated(self, collation))
        }
    }
}

extension SQLExpression.BinaryOperator {
    /// Whether collations affect the result.
    var isComparison: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .isSame, .isNotSame: true
        case .subtract, .divide, .remainder, .leftShift, .rightShift, .glob, .regexp, .match, .jsonRepresentation,
            .jsonValue:
            false
        }
    }
}
