// One frame with rows of a query. A long result arrives in many parts, each with its column names.

import RowanPlatform
import Rowan

/// Rows of a query, in the memory where they arrived.
package struct RowsPart {
    private let memory: FrameMemory
    private let names: Range<Int>
    private let rows: Range<Int>

    package let columnCount: Int

    /// Whether this is the last part of the result.
    package let isLast: Bool

    /// The highest limit for which SQLite can be built: https://sqlite.org/limits.html#max_column
    private static let maximumColumnCount = 32_767

    init(_ memory: FrameMemory, _ range: Range<Int>) throws(WireError) {
        self.memory = memory
        var reader = WireReader(memory.start, range)
        columnCount = try reader.count(ofSize: 1)
        // A column takes more memory than its name.
        guard columnCount <= Self.maximumColumnCount else { throw .malformed("rows have \(columnCount) columns") }
        names = reader.offset..<range.upperBound
        for _ in 0..<columnCount { _ = try reader.text() }
        guard reader.end - reader.offset >= 8 else { throw WireReader.truncated }
        rows = reader.offset..<(reader.end - 8)
        // Rows without columns have no bytes, so their number would be unknown.
        guard columnCount > 0 || rows.isEmpty else { throw .malformed("rows have no columns") }
        var marker = WireReader(memory.start, rows.upperBound..<range.upperBound)
        switch try marker.word() {
        case 0xFFFF_FFFF_FFFF_FFFF: isLast = true
        case 0xEEEE_EEEE_EEEE_EEEE: isLast = false
        default: throw .malformed("rows have no end marker")
        }
    }

    /// The names of the columns.
    package var columnNames: [String] {
        var reader = WireReader(memory.start, names)
        var result: [String] = []
        result.reserveCapacity(columnCount)
        // The initializer has already read them, so they can't throw.
        for _ in 0..<columnCount { result.append((try? reader.string()) ?? "") }
        withExtendedLifetime(memory) {}
        return result
    }

    /// The number of bytes of the names and the rows.
    var byteCount: Int { rows.upperBound - names.lowerBound }

    var rowReader: WireReader { WireReader(memory.start, rows) }

    /// Whether there are no rows in this part.
    package var isEmpty: Bool { rows.isEmpty }

    /// The number of words that contain the types of a row's columns, 4 bits each.
    var headerWords: Int { (columnCount + 15) / 16 }
}

extension RowsPart {
    func refusal(_ type: UInt8, _ column: Int) -> any Error {
        switch type {
        case WireType.unixTime, WireType.isoText, WireType.boolean:
            let name = columnNames[column]
            return DatabaseError(
                resultCode: .SQLITE_MISMATCH,
                message: "the column \"\(name)\" is declared as BOOLEAN, DATE, DATETIME or TIMESTAMP, and a cluster "
                    + "does not transfer the NULL of such columns: declare it as BOOLEAN(1), DATE(1), DATETIME(1) or "
                    + "TIMESTAMP(1), or select an expression such as +\(name.isEmpty ? "column" : name)")
        default:
            return WireError.malformed("a value of column \(column) has the unknown type \(type)")
        }
    }
}
