// Reads the rows of one part, in place.

import RowanPlatform
import Rowan

/// Reads the rows of a part.
struct RowReader {
    private let part: RowsPart
    private var reader: WireReader
    /// The columns of the current row.
    private var columns: [Column]

    private struct Column {
        var type: UInt8 = 0
        /// The bytes of text, without its terminating NUL, or of a blob.
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        var word: UInt64 = 0
    }

    init(_ part: RowsPart) {
        self.part = part
        reader = part.rowReader
        columns = Array(repeating: Column(), count: part.columnCount)
    }

    /// Moves to the next row.
    ///
    /// - Returns: false at the end.
    /// - Throws: `WireError.malformed`; ``DatabaseError`` with the code SQLITE_MISMATCH for a column whose NULL a cluster does
    ///   not transfer.
    mutating func next() throws -> Bool {
        guard !reader.isAtEnd else { return false }
        var header = reader
        try reader.skip(words: part.headerWords)
        var types: UInt64 = 0
        for index in columns.indices {
            types = index & 15 == 0 ? try header.word() : types &>> 4
            let type = UInt8(truncatingIfNeeded: types & 15)
            columns[index].type = type
            switch type {
            case WireType.integer, WireType.double, WireType.null: columns[index].word = try reader.word()
            case WireType.text: columns[index].bytes = try reader.text()
            case WireType.blob: columns[index].bytes = try reader.blob()
            default: throw part.refusal(type, index)
            }
        }
        return true
    }

    /// Passes a value on. The memory stays valid while the reader exists.
    @inline(__always)
    func setResult(_ result: RemoteResult, _ index: Int) {
        // The hidden columns of the virtual table have no values.
        guard index < columns.count else { return result.setNull() }
        let column = columns[index]
        switch column.type {
        case WireType.integer: result.set(Int64(bitPattern: column.word))
        case WireType.double: result.set(Double(bitPattern: column.word))
        case WireType.text:
            if let start = column.bytes.baseAddress { result.set(text: start.assumingMemoryBound(to: CChar.self)) }
        case WireType.blob: result.set(blob: column.bytes)
        default: result.setNull()
        }
    }

    /// The values of the current row.
    var values: [DatabaseValue] {
        columns.map { column in
            switch column.type {
            case WireType.integer: Int64(bitPattern: column.word).databaseValue
            // No column contains NaN, but the bytes of a frame may. SQLite also turns it into NULL.
            case WireType.double:
                Double(bitPattern: column.word).isNaN ? .null : Double(bitPattern: column.word).databaseValue
            case WireType.text: String(decoding: column.bytes, as: UTF8.self).databaseValue
            case WireType.blob: Data(column.bytes).databaseValue
            default: .null
            }
        }
    }
}

extension [RowsPart] {
    /// The values of all rows.
    ///
    /// - Throws: the errors of `RowReader.next()`.
    func values() throws -> [[DatabaseValue]] {
        var all: [[DatabaseValue]] = []
        for part in self {
            var reader = RowReader(part)
            while try reader.next() { all.append(reader.values) }
        }
        return all
    }
}
