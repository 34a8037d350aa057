// One frame with rows of a query. A long result arrives in many parts, each with the names of its columns.

import Foundation
package import Rowan

/// Rows of a query, in the memory where they arrived.
package struct RowsPart {
    private let memory: FrameMemory
    private let names: Range<Int>
    private let rows: Range<Int>

    package let columnCount: Int

    /// Whether the result has no more parts.
    package let isLast: Bool

    init(_ memory: FrameMemory, _ range: Range<Int>) throws(WireError) {
        self.memory = memory
        var reader = WireReader(memory.start, range)
        columnCount = try reader.count(ofSize: 1)
        names = reader.offset..<range.upperBound
        for _ in 0..<columnCount { _ = try reader.text() }
        guard reader.end - reader.offset >= 8 else { throw WireReader.truncated }
        rows = reader.offset..<(reader.end - 8)
        // Rows without columns have no bytes: their number would be unknown.
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
        // The initializer has read them: they do not throw.
        for _ in 0..<columnCount { result.append((try? reader.string()) ?? "") }
        withExtendedLifetime(memory) {}
        return result
    }

    /// Whether there are no rows in this part.
    package var isEmpty: Bool { rows.isEmpty }

    /// The number of bytes of the rows.
    package var byteCount: Int { rows.count }

    /// The largest number of rows that may be in this part: each value takes a word at least.
    package var maximumRowCount: Int { rows.count / (8 * (headerWords + max(columnCount, 1))) }

    /// The number of words with the types of a row's columns, which are 4 bits each.
    private var headerWords: Int { (columnCount + 15) / 16 }
}

extension RowsPart {
    /// The rows, as a batch of their own.
    ///
    /// - Parameters:
    ///   - columns: the columns of the statement.
    ///   - layout: the columns that the rows show; by default, all columns.
    /// - Throws: the same errors as `append(to:)`.
    package func batch(columns: ColumnLayout, layout: ColumnLayout? = nil, isStrict: Bool) throws -> RowBatch {
        // A part is larger than a page only by its last row: the bound is a good estimate, except for a huge value.
        let batch = RowBatch(
            columns: columns, layout: layout, isStrict: isStrict, rowCapacity: min(maximumRowCount, 512),
            byteCapacity: byteCount)
        try append(to: batch)
        return batch
    }

    /// Appends all rows to a batch. If it throws, the batch is as before.
    ///
    /// - Throws: `WireError.malformed`; ``DatabaseError`` with the code SQLITE_MISMATCH for a column whose NULL a
    ///   cluster does not transfer, and with SQLITE_SCHEMA if the batch has another number of columns.
    package func append(to batch: RowBatch) throws {
        try batch.append { values, width in
            guard width == columnCount else {
                throw DatabaseError(
                    resultCode: .SQLITE_SCHEMA,
                    message: "the node returned \(columnCount) columns, and the statement has \(width): "
                        + "another client changed the schema")
            }
            return try append(to: values)
        }
    }

    /// Appends the values of all rows. If it throws, it may have appended some.
    ///
    /// - Returns: the number of rows.
    /// - Throws: `WireError.malformed`; ``DatabaseError`` with the code SQLITE_MISMATCH for a column whose NULL a
    ///   cluster does not transfer.
    package func append(to values: PackedValues) throws -> Int {
        var reader = WireReader(memory.start, rows)
        let headerWords = headerWords
        var count = 0
        while !reader.isAtEnd {
            var header = reader
            try reader.skip(words: headerWords)
            var types: UInt64 = 0
            for column in 0..<columnCount {
                types = column & 15 == 0 ? try header.word() : types &>> 4
                switch UInt8(truncatingIfNeeded: types & 15) {
                case WireType.integer: values.append(int64: Int64(bitPattern: try reader.word()))
                case WireType.double: append(Double(bitPattern: try reader.word()), to: values)
                case WireType.text: values.append(text: try reader.text())
                case WireType.blob: values.append(blob: try reader.blob())
                case WireType.null:
                    _ = try reader.word()
                    values.appendNull()
                case let type: throw refusal(type, column)
                }
            }
            count &+= 1
        }
        withExtendedLifetime(memory) {}
        return count
    }

    @inline(__always)
    private func append(_ double: Double, to values: PackedValues) {
        // No column contains NaN, but the bytes of a frame may.
        if double.isNaN { values.appendNull() } else { values.append(double: double) }
    }

    private func refusal(_ type: UInt8, _ column: Int) -> any Error {
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
