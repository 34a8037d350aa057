import Foundation
import Rowan
import Testing

struct CSVDumpTests {
    @Test func fields() throws {
        let sql: SQL = """
            SELECT 1 AS id, 'Arthur' AS name, 0.1 AS "a,b", x'FF00FE' AS data
            UNION ALL SELECT -1, 'O"Brien, Barbara', 1e100, x''
            UNION ALL SELECT NULL, '', 9e999, NULL
            UNION ALL SELECT 0, 'two' || char(10) || 'lines', -9e999, x'00'
            UNION ALL SELECT 0, 'a' || char(13), 1.0, x'0000'
            """
        #expect(
            try dumped(sql, as: .csv())
                == "id,name,\"a,b\",data\r\n"
                + "1,Arthur,0.1,/wD+\r\n"
                + "-1,\"O\"\"Brien, Barbara\",1e+100,\"\"\r\n"
                + ",\"\",inf,\r\n"
                + "0,\"two\nlines\",-inf,AA==\r\n"
                + "0,\"a\r\",1.0,AAA=\r\n")
    }

    @Test func options() throws {
        let sql: SQL = "SELECT 'a,b' AS x, 'c;d' AS y, NULL AS z, 'NULL' AS n, x'CAFE' AS d"
        #expect(
            try dumped(
                sql, as: .csv(header: false, separator: ";", lineEnding: .lf, nullValue: "NULL", blobs: .hexadecimal))
                == "a,b;\"c;d\";NULL;\"NULL\";CAFE\n")
        // A separator of several bytes.
        #expect(
            try dumped("SELECT 'a→b', '↑', 1", as: .csv(header: false, separator: "→", lineEnding: .lf))
                == "\"a→b\"→\"↑\"→1\n")
    }

    /// A parser of RFC 4180 reads the values back.
    @Test func readsBack() throws {
        var random = SeededGenerator(0xC5)
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE t(a, b, c)")
            var expected: [[String]] = []
            for _ in 0..<400 {
                let row = (0..<3).map { _ in random.string() }
                expected.append(row)
                try db.execute(literal: "INSERT INTO t VALUES (\(row[0]), \(row[1]), \(row[2]))")
            }
            for ending in [CSVDumpFormat.LineEnding.crlf, .lf] {
                let text = try dumped {
                    try db.dumpTables(["t"], format: .csv(header: false, lineEnding: ending), to: $0)
                }
                #expect(parse(text, ending) == expected, "seed \(random.seed)")
            }
        }
    }

    private func parse(_ text: String, _ ending: CSVDumpFormat.LineEnding) -> [[String]] {
        var rows: [[String]] = []
        var row: [String] = []
        var field = String.UnicodeScalarView()
        var isQuoted = false
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"" where isQuoted && scalars.first == "\"": field.append(scalars.removeFirst())
            case "\"": isQuoted.toggle()
            case _ where isQuoted: field.append(scalar)
            case ",":
                row.append(String(field))
                field = String.UnicodeScalarView()
            case "\r" where ending == .crlf: break
            case "\n":
                rows.append(row + [String(field)])
                (row, field) = ([], String.UnicodeScalarView())
            default: field.append(scalar)
            }
        }
        return rows
    }
}
