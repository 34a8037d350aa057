// The types of columns, from all of their values.

import Rowan

/// What the values of a column have in common.
struct InferredColumn {
    private enum Kind { case nothing, integers, reals, text }

    private var kind = Kind.nothing
    /// Whether there is an integer that a column of reals can't hold.
    private var hasLargeInteger = false

    /// Takes note of a value that is not NULL.
    mutating func note(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard kind != .text else { return }
        switch CSVNumber(bytes) {
        case .integer(let integer):
            if integer.magnitude > 1 << 53 { hasLargeInteger = true }
            if kind == .nothing { kind = .integers }
        case .real: kind = .reals
        case nil: kind = .text
        }
    }

    /// A type that stores all values without a loss.
    var type: Database.ColumnType {
        switch kind {
        case .integers: .integer
        case .reals: hasLargeInteger ? .text : .double
        case .nothing, .text: .text
        }
    }
}
