// Imports of what dumps have written.

import Foundation
import Rowan
import RowanImport
import Testing

extension ImportCSVTests {
    /// An import of a dump is the same table.
    @Test func importsOfDumps() throws {
        var random = SeededGenerator(77)
        let texts = [
            "", "a", "NULL", "a,b", "\"", "x\"y", "\n", "\r", " ", "é😀", "1", "01", "1.0", "=1", ";", "'", "\t", "\0",
        ]
        let formats = [
            CSVDumpFormat(), CSVDumpFormat(separator: ";", lineEnding: .lf, nullValue: "NULL", blobs: .hexadecimal),
            CSVDumpFormat(separator: "\t", nullValue: "\\N"), CSVDumpFormat(header: false, separator: "1"),
        ]
        for cycle in 0..<200 {
            let isStrict = Bool.random(using: &random)
            let schema = "CREATE TABLE t (i INTEGER, r REAL, x TEXT, b BLOB)" + (isStrict ? " STRICT" : "")
            let (source, copy) = (try queue(schema), try queue(schema))
            try source.write { db in
                for _ in 0..<Int.random(in: 0..<40, using: &random) {
                    let bits = Int64(bitPattern: random.next())
                    let integer: Int64 = [0, -1, .min, .max, bits, bits % 1000].randomElement(using: &random) ?? 0
                    let reals = [
                        0.0, -0.0, 0.1, 1e300, .leastNonzeroMagnitude, .infinity, Double(bits), 1 / Double(bits),
                    ]
                    let real = reals.randomElement(using: &random)
                    let text = texts.randomElement(using: &random) ?? ""
                    let blob = Data((0..<Int.random(in: 0..<9, using: &random)).map { UInt8($0 * 31) })
                    let values: [DatabaseValue] = [
                        integer.databaseValue, real?.databaseValue ?? .null, text.databaseValue, blob.databaseValue,
                    ].map { Int.random(in: 0..<5, using: &random) == 0 ? .null : $0 }
                    try db.execute(sql: "INSERT INTO t VALUES (?, ?, ?, ?)", arguments: StatementArguments(values))
                }
            }
            let format = formats[cycle % formats.count]
            let stream = TextStream()
            try source.read { db in try db.dumpSQL("SELECT * FROM t", format: format, to: stream) }
            let message: Comment = "ROWAN_SEED=\(random.seed) \(stream.text.debugDescription)"
            _ = try importing(stream.text, copy, format: format)
            #expect(try rows(copy, "SELECT * FROM t") == rows(source, "SELECT * FROM t"), message)
        }
    }

    private final class TextStream: TextOutputStream {
        var text = ""
        func write(_ string: String) { text += string }
    }
}
