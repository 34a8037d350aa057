// Rows that wait for one INSERT.

import Rowan
import RowanPlatform
import RowanSQLite

/// Inserts rows, several at a time.
final class ImportBatch {
    /// A value. Texts and blobs are in the buffer of the batch.
    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        case text(Range<Int>)
        case blob(Range<Int>)
    }

    /// The table and the columns of the rows. The batch must be empty when they change.
    @exclusivity(unchecked) var table = ImportedTable()

    private let db: Database
    private let memory = BindingBuffer()
    @exclusivity(unchecked) private var values: [Value] = []
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    /// The lines of the rows.
    @exclusivity(unchecked) private var lines: [Int] = []
    private var valueCount: Int { lines.count * table.columns.count }

    /// The number of inserted rows.
    private(set) var rowCount = 0

    private static let maximumByteCount = 1 << 20

    init(_ db: Database) { self.db = db }

    // MARK: The rows

    func add(_ value: Value) { values.append(value) }

    func add(_ text: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: text)
        values.append(.text(bytes.count - text.count..<bytes.count))
    }

    func add(_ blob: Data) {
        bytes.append(contentsOf: blob)
        values.append(.blob(bytes.count - blob.count..<bytes.count))
    }

    /// Ends a row.
    ///
    /// - Returns: whether the batch must be inserted.
    func endRow(line: Int) -> Bool {
        lines.append(line)
        return lines.count >= table.batchSize || bytes.count > Self.maximumByteCount
    }

    /// Drops the values of a row that has not ended.
    func dropRow() { values.removeLast(values.count - valueCount) }

    // MARK: The insertion

    /// Inserts the rows.
    ///
    /// - Parameter reject: called with the line and the error of each row that violates a constraint.
    func flush(_ reject: (Int, DatabaseError) throws -> Void) throws {
        defer {
            values.removeAll(keepingCapacity: true)
            bytes.removeAll(keepingCapacity: true)
            lines.removeAll(keepingCapacity: true)
        }
        var first = 0
        while first < lines.count {
            // A few sizes, so that few statements are compiled.
            let size = 1 << (Int.bitWidth - 1 - (lines.count - first).leadingZeroBitCount)
            let rows = first..<first + size
            if let error = try violation(rows) {
                // The statement has inserted nothing.
                for row in rows {
                    guard let error = size == 1 ? error : try violation(row..<row + 1) else { continue }
                    try reject(lines[row], error)
                }
            }
            first += size
        }
    }

    /// Inserts rows.
    ///
    /// - Returns: the error if they violate a constraint.
    private func violation(_ rows: Range<Int>) throws -> DatabaseError? {
        do {
            try insert(rows)
            return nil
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT && db.isInsideTransaction {
            return error
        }
    }

    private func insert(_ rows: Range<Int>) throws {
        let count = table.columns.count
        let use = try db.connection.use(table.insertion(ofRows: rows.count))
        let values = values[rows.lowerBound * count..<rows.upperBound * count]
        _ = try use.statement.run(in: memory) {
            bind(values, to: $0)
        } arguments: {
            StatementArguments(values: values.map(databaseValue))
        }
        rowCount += rows.count
    }

    private func bind(_ values: ArraySlice<Value>, to statement: SQLiteStatement) -> CInt {
        bytes.withUnsafeBufferPointer { bytes in
            var index: CInt = 0
            for value in values {
                index += 1
                let code: CInt
                switch value {
                case .null: code = sqlite3_bind_null(statement, index)
                case .integer(let integer): code = sqlite3_bind_int64(statement, index, integer)
                case .real(let real): code = sqlite3_bind_double(statement, index, real)
                case .text(let range):
                    guard let length = CInt(exactly: range.count) else { return SQLITE_TOOBIG }
                    let text = memory.append(UnsafeBufferPointer(rebasing: bytes[range]))
                    code = text.withMemoryRebound(to: CChar.self, capacity: range.count) {
                        rowan_bind_static_text(statement, index, $0, length)
                    }
                case .blob(let range):
                    guard let length = CInt(exactly: range.count) else { return SQLITE_TOOBIG }
                    code = rowan_bind_static_blob(
                        statement, index, memory.append(UnsafeBufferPointer(rebasing: bytes[range])), length)
                }
                guard code == SQLITE_OK else { return code }
            }
            return SQLITE_OK
        }
    }

    private func databaseValue(_ value: Value) -> DatabaseValue {
        switch value {
        case .null: .null
        case .integer(let integer): integer.databaseValue
        case .real(let real): real.databaseValue
        case .text(let range): String(decoding: bytes[range], as: UTF8.self).databaseValue
        case .blob(let range): Data(bytes[range]).databaseValue
        }
    }
}
