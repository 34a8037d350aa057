// The types of columns, from all of their values.

import Rowan

/// What the values of a column have in common.
struct InferredColumn {
    private enum Kind { case nothing, booleans, integers, reals, text }

    private var kind = Kind.nothing
    /// Whether there is an integer that a column of reals can't hold.
    private var hasLargeInteger = false

    /// Takes note of a number or a text.
    mutating func note(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard kind != .text else { return }
        switch ExactNumber(bytes) {
        case .integer(let integer):
            if integer.magnitude > 1 << 53 { hasLargeInteger = true }
            if kind != .reals { note(.integers) }
        case .real:
            if kind == .integers { kind = .reals }
            note(.reals)
        case nil: kind = .text
        }
    }

    mutating func noteText() { kind = .text }

    mutating func noteBoolean() { note(.booleans) }

    private mutating func note(_ other: Kind) { kind = kind == .nothing || kind == other ? other : .text }

    /// A type that stores all values without a loss.
    var type: Database.ColumnType {
        switch kind {
        case .booleans: .boolean
        case .integers: .integer
        case .reals: hasLargeInteger ? .text : .double
        case .nothing, .text: .text
        }
    }
}
