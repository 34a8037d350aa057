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

    /// A parser of RFC 4180 can read the values.
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

    @Test func separatorsThatAreRefused() throws {
        for (separator, name) in [("\"", "a quote"), ("\r", "a line break"), ("\n", "a line break")]
            as [(Unicode.Scalar, String)]
        {
            for sql in ["SELECT 1, 2", "SELECT 1, 2 WHERE 0"] as [SQL] {
                expectError(
                    .SQLITE_MISUSE,
                    "CSV can't be separated by \(name): use another separator, such as a comma or a semicolon"
                ) { try dumped(sql, as: .csv(separator: separator)) }
            }
        }
    }

    /// A value of any type is quoted if it equals the text for NULL, and so is a NULL text that contains a separator.
    @Test func ambiguousNulls() throws {
        func line(_ sql: SQL, _ null: String, _ separator: Unicode.Scalar = ",") throws -> String {
            try dumped(sql, as: .csv(header: false, separator: separator, lineEnding: .lf, nullValue: null))
        }
        #expect(try line("SELECT NULL, 1, 10, '1', 1.0", "1") == "1,\"1\",10,\"1\",1.0\n")
        #expect(try line("SELECT NULL, 1.0, 1, 'inf'", "1.0") == "1.0,\"1.0\",1,inf\n")
        // Base64 of three bytes.
        #expect(try line("SELECT NULL, x'3542CB', 'NULL'", "NULL") == "NULL,\"NULL\",\"NULL\"\n")
        #expect(try line("SELECT NULL, 1", "a,b") == "\"a,b\",1\n")
        #expect(try line("SELECT NULL, 1", "\"") == "\"\"\"\",1\n")
        // Separators that occur in numbers and in Base64.
        #expect(try line("SELECT 1.5, 2, -3, x'FFFE'", "", ".") == "\"1.5\".2.-3.//4=\n")
        #expect(try line("SELECT 15, 2, -5, x'FFFE'", "", "-") == "15-2-\"-5\"-//4=\n")
        #expect(try line("SELECT x'FFFE', 1", "", "/") == "\"//4=\"/1\n")
    }

    @Test func formulas() throws {
        let sql: SQL = """
            SELECT '=1+1' AS "=a", '+1' AS b, '-1' AS c, '@SUM(1)' AS d, char(9) || 'x' AS e, char(13) || 'x' AS f,
                'a=b' AS g, -1 AS h, -1.5 AS i, x'FB' AS j, NULL AS k, '=",' AS l, '' AS m
            """
        let header = "b,c,d,e,f,g,h,i,j,k,l,m\n"
        #expect(
            try dumped(sql, as: .csv(lineEnding: .lf))
                == "=a,\(header)=1+1,+1,-1,@SUM(1),\tx,\"\rx\",a=b,-1,-1.5,+w==,,\"=\"\",\",\"\"\n")
        #expect(
            try dumped(sql, as: .csv(lineEnding: .lf, formulas: .escaped))
                == "\"'=a\",\(header)\"'=1+1\",\"'+1\",\"'-1\",\"'@SUM(1)\",\"'\tx\",\"'\rx\",a=b,-1,-1.5,\"'+w==\",,"
                + "\"'=\"\",\",\"\"\n")
    }
}
