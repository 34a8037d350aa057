// Collations. A collation has no effect on a condition: it applies to the operands of the condition.
// Source: https://sqlite.org/datatype3.html#collation

extension SQLExpression {
    /// The expression with a collation, which also applies to the operands of `IN` and of ranges.
    package func collated(_ collation: String) -> SQLExpression {
        switch node {
        case .isIn(let operand, let container, let isNegated):
            SQLExpression(.isIn(operand.collated(collation), container, isNegated: isNegated))
        case .between(let operand, let lower, let upper, let isNegated):
            SQLExpression(.between(operand.collated(collation), lower, upper, isNegated: isNegated))
        case .associative(.and, let bounds) where isHalfOpenRange:
            .joined(bounds.map { $0.comparisonCollated(collation) }, by: .and)
        case .unary(.not, let range) where range.isHalfOpenRange: range.collated(collation).negated
        default:
            // A value, or a condition whose operands the user can collate.
            SQLExpression(.collated(self, collation))
        }
    }

    private func comparisonCollated(_ collation: String) -> SQLExpression {
        guard case .binary(let op, let a, let b) = node else { return self }
        return SQLExpression(.binary(op, a.collated(collation), b))
    }

    /// Whether this is the result of `(a..<b).contains(element)`.
    private var isHalfOpenRange: Bool {
        guard case .associative(.and, let bounds) = node, bounds.count == 2,
            case .binary(.greaterOrEqual, let element, _) = bounds[0].node,
            case .binary(.less, let same, _) = bounds[1].node
        else { return false }
        return element.node == same.node
    }
}
