// What becomes of the values of a column.

import Rowan
import RowanPlatform

/// A column of a table that receives values.
struct ImportedColumn {
    enum Kind { case number, real, text, blob }

    let name: String
    let kind: Kind

    init(_ name: String, declaredType: String) {
        self.name = name
        kind =
            switch Affinity(declaredType: declaredType) {
            case .integer, .numeric: .number
            case .real: .real
            case .text: .text
            // Columns without a type keep the type of each value.
            case .blob: declaredType.isEmpty ? .number : .blob
            }
    }

    /// Adds a number.
    ///
    /// - Returns: false for a text that is not a number, or that can't be stored as one without a loss.
    @inline(__always)
    func addNumber(_ bytes: UnsafeBufferPointer<UInt8>, to batch: ImportBatch) -> Bool {
        guard kind != .text, let number = ExactNumber(bytes) else { return false }
        switch number {
        case .integer(let integer): batch.add(.integer(integer))
        case .real(let real): batch.add(.real(real))
        }
        return true
    }

    /// Adds a text, which SQLite converts to the type of the column, if it can.
    func addText(_ bytes: UnsafeBufferPointer<UInt8>, to batch: ImportBatch) {
        if kind == .real, let infinity = Self.infinity(bytes) { return batch.add(.real(infinity)) }
        batch.add(bytes)
    }

    func add(_ boolean: Bool, to batch: ImportBatch) {
        guard kind == .text else { return batch.add(.integer(boolean ? 1 : 0)) }
        (boolean ? "true" : "false").withBytes { batch.add($0) }
    }

    /// Infinity in the form of dumps.
    private static func infinity(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
        switch String(decoding: bytes.prefix(5), as: UTF8.self) {
        case "inf": .infinity
        case "-inf": -.infinity
        default: nil
        }
    }
}
