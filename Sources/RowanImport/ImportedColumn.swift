// What becomes of the values of a column.

import Rowan
import RowanPlatform

/// A column of a table that receives values.
struct ImportedColumn {
    private enum Kind { case number, real, text, blob }

    let name: String
    private let kind: Kind

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

    /// Adds a value to the batch.
    func add(_ field: CSVScanner.Field, _ index: Int, of reader: CSVReader, to batch: ImportBatch) throws {
        guard !reader.isNull(field) else { return batch.add(.null) }
        let bytes = reader.scanner.bytes(field)
        switch kind {
        case .number, .real:
            switch CSVNumber(bytes) {
            case .integer(let integer): return batch.add(.integer(integer))
            case .real(let real): return batch.add(.real(real))
            case nil:
                if kind == .real, let infinity = Self.infinity(bytes) { return batch.add(.real(infinity)) }
            }
        case .blob:
            guard let data = reader.format.blobs.data(String(decoding: bytes, as: UTF8.self)) else {
                throw reader.error(
                    index,
                    "the value of this BLOB is not in \(reader.format.blobs == .base64 ? "Base64" : "hexadecimal")")
            }
            return batch.add(data)
        case .text: break
        }
        // SQLite converts it to the type of the column, if it can.
        guard bytes.isValidUTF8 else { throw reader.error(index, CSVReader.notUTF8) }
        batch.add(bytes)
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
