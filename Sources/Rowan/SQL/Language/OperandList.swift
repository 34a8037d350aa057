// The operands of an operator such as AND. Programs build chains of thousands, one operand at a time and keep the
// previous chains: each step copies one block of operands and shares the others.

package struct OperandList: Sendable {
    /// The first operands: all of them, for nearly all expressions.
    private(set) var first: [SQLExpression]
    /// The other operands, in blocks.
    private(set) var others: [[SQLExpression]] = []

    private static var blockSize: Int { 128 }

    init(_ operands: [SQLExpression]) { first = operands }

    package var count: Int { others.reduce(first.count) { $0 + $1.count } }

    /// All operands.
    package var all: [SQLExpression] { others.isEmpty ? first : first + others.joined() }

    func appending(_ operand: SQLExpression) -> OperandList {
        guard others.isEmpty else {
            var list = self
            if others[others.count - 1].count < Self.blockSize {
                list.others[others.count - 1].append(operand)
            } else {
                list.others.append([operand])
            }
            return list
        }
        guard first.count < Self.blockSize else {
            var list = self
            list.others = [[operand]]
            return list
        }
        // One allocation, whereas a sum of arrays takes several (benchmark request-build).
        var operands: [SQLExpression] = []
        operands.reserveCapacity(first.count + 1)
        operands.append(contentsOf: first)
        operands.append(operand)
        return OperandList(operands)
    }

    func prepending(_ operand: SQLExpression) -> OperandList { OperandList([operand]).appending(contentsOf: self) }

    func appending(contentsOf list: OperandList) -> OperandList {
        var blocks = [first] + others
        if blocks[blocks.count - 1].count + list.first.count <= Self.blockSize {
            blocks[blocks.count - 1] += list.first
        } else {
            blocks.append(list.first)
        }
        blocks += list.others
        var result = OperandList(blocks.removeFirst())
        result.others = blocks
        return result
    }
}

extension OperandList: Hashable {
    /// Whether both lists have the same operands, in blocks of any sizes.
    package static func == (lhs: OperandList, rhs: OperandList) -> Bool {
        guard !lhs.others.isEmpty || !rhs.others.isEmpty else { return lhs.first == rhs.first }
        return lhs.all == rhs.all
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}
