// The documented formats, value by value.

import Foundation
import Rowan
import Testing

/// A row with each storage class, a row with unusual values, and a row with only NULLs.
private let values: SQL = """
    SELECT 1 AS id, 'Arthur' AS name, 2.5 AS score, x'4142' AS picture
    UNION ALL SELECT -9223372036854775808, 'O''Brien', 9e999, x'FF00'
    UNION ALL SELECT NULL, NULL, NULL, NULL
    """

struct DumpFormatTests {
    @Test func debug() throws {
        #expect(try dumped(values, as: .debug()) == "1|Arthur|2.5|AB\n-9223372036854775808|O'Brien|inf|X'FF00'\n|||\n")
        #expect(
            try dumped(values, as: .debug(header: true, separator: ", ", nullValue: "NULL"))
                == """
                id, name, score, picture
                1, Arthur, 2.5, AB
                -9223372036854775808, O'Brien, inf, X'FF00'
                NULL, NULL, NULL, NULL

                """)
    }

    /// Blobs that aren't text.
    @Test func debugBlobs() throws {
        let uuid = try #require(UUID(uuidString: "69BF8A9C-D9F0-4777-BD11-93451D84CBCF"))
        #expect(
            try dumped("SELECT \(uuid), x'C3A9', x'C3', x'', x'41424344454647484950515253545556'", as: .debug())
                == "69BF8A9C-D9F0-4777-BD11-93451D84CBCF|é|X'C3'||ABCDEFGHIPQRSTUV\n")
    }

    @Test func list() throws {
        #expect(
            try dumped(values, as: .list())
                == "1|Arthur|2.5|AB\n-9223372036854775808|O'Brien|inf|\u{FFFD}\0\n|||\n")
        #expect(
            try dumped("SELECT 1 AS a, NULL AS b", as: .list(header: true, separator: "\t", nullValue: "∅"))
                == "a\tb\n1\t∅\n")
        #expect(
            try dumped("SELECT 1.0, 0.1, 1e100, 1e15, -0.5", as: .list()) == "1.0|0.1|1e+100|1000000000000000.0|-0.5\n")
    }

    @Test func line() throws {
        #expect(
            try dumped("SELECT 1 AS id, 'Arthur' AS name UNION ALL SELECT 2, NULL", as: .line())
                == "  id = 1\nname = Arthur\n\n  id = 2\nname = \n")
        #expect(
            try dumped("SELECT x'41' AS short, NULL AS \"a longer name\"", as: .line(nullValue: "-"))
                == "        short = A\na longer name = -\n")
        #expect(try dumped("SELECT 1 AS été, 2 AS longest", as: .line()) == "    été = 1\nlongest = 2\n")
    }

    @Test func quote() throws {
        #expect(
            try dumped(values, as: .quote(header: true))
                == """
                'id','name','score','picture'
                1,'Arthur',2.5,X'4142'
                -9223372036854775808,'O''Brien',9.0e+999,X'FF00'
                NULL,NULL,NULL,NULL

                """)
        #expect(
            try dumped("SELECT 1, 'a' AS \"it's\"", as: .quote(header: true, separator: ";")) == "'1';'it''s'\n1;'a'\n")
        #expect(try dumped("SELECT 0.1, 1.0, -9e999, x'', ''", as: .quote()) == "0.1,1.0,-9.0e+999,X'',''\n")
        #expect(try dumped("SELECT 'a' || char(10) || 'é'", as: .quote()) == "'a\né'\n")
    }

    /// Reals and other values, as printed by SQLite's `quote` function.
    @Test func quoteFunction() throws {
        var random = SeededGenerator(0x900)
        try withDatabase { db throws in
            for _ in 0..<300 {
                let double = random.double()
                guard double.isFinite else { continue }
                let text = random.string().replacing("\0", with: "")
                let data = random.data()
                let integer = random.integer(Int64.self)
                let line = try dumped {
                    try db.dumpSQL("SELECT \(double), \(text), \(data), \(integer)", format: .quote(), to: $0)
                }
                let row = try Row.fetchOne(
                    db, sql: "SELECT quote(?) || ',' || quote(?) || ',' || quote(?) || ',' || quote(?)",
                    arguments: [double, text, data, integer])
                #expect(line == "\(try #require(row)[0] as String)\n", "seed \(random.seed)")
            }
        }
    }

    /// SQL text contains neither NUL characters nor invalid UTF-8.
    @Test(.disabled(if: ClusterUnderTest.isActive, "nodes truncate texts at NUL"))
    func unusualTextsAsLiterals() throws {
        #expect(try dumped("SELECT 'a' || char(0) || 'b'", as: .quote()) == #"replace('a\0b','\0',char(0))"# + "\n")
        #expect(
            try dumped(#"SELECT '\0' || char(0) || '''\00'"#, as: .quote())
                == #"replace('\0\000''\00','\000',char(0))"# + "\n")
        #expect(try dumped("SELECT CAST(x'61FF' AS TEXT)", as: .quote()) == "CAST(X'61FF' AS TEXT)\n")
    }

    /// There is no header without rows, as in the sqlite3 shell.
    @Test func noRows() throws {
        let none: SQL = "SELECT 1 AS a WHERE 0"
        #expect(try dumped(none, as: .debug(header: true)) == "")
        #expect(try dumped(none, as: .list(header: true)) == "")
        #expect(try dumped(none, as: .line()) == "")
        #expect(try dumped(none, as: .quote(header: true)) == "")
        #expect(try dumped(none, as: .json()) == "[]\n")
        #expect(try dumped(none, as: .jsonLines()) == "")
        #expect(try dumped(none, as: .csv()) == "a\r\n")
        #expect(try dumped(none, as: .csv(header: false)) == "")
    }

    @Test func theShellPrintsTheSame() throws {
        let sql = "SELECT 1 AS a, 'text' AS bcdef, 2.5 AS e, NULL AS f UNION ALL SELECT -5, 'it''s', -0.25, x'4142'"
        guard let list = shell("list", sql), let line = shell("line", sql) else { return }
        #expect(try dumped(SQL(sql: sql), as: .list()) == list)
        #expect(try dumped(SQL(sql: sql), as: .line()) == line)
        let quoted = "SELECT 1 AS a, 'it''s' AS b, 2.5 AS c, NULL AS d, 'x' AS e"
        #expect(try dumped(SQL(sql: quoted), as: .quote()) == shell("quote", quoted))
    }

    /// The output of this machine's shell; nil if there is none.
    private func shell(_ mode: String, _ sql: String) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", ":memory:", ".mode \(mode)", sql]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = Pipe()
        guard (try? process.run()) != nil else { return nil }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}

/// Custom formats.
struct CustomDumpFormatTests {
    private struct CountFormat: DumpFormat {
        var count = 0
        mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) { count += 1 }
        mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
            stream.write("\(count) rows of \(statement.columnNames)\n")
        }
    }

    /// A format that wraps another one.
    private struct SeparatedFormat<Base: DumpFormat>: DumpFormat {
        var base: Base
        mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
            try base.writeRow(db, statement: statement, to: &stream)
            stream.margin()
            stream.write("")
        }
        mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
            base.finalize(db, statement: statement, to: &stream)
            stream.write("end\n")
        }
    }

    private struct FailingFormat: DumpFormat {
        mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
            stream.write("before the error\n")
            throw Refusal()
        }
        mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
    }

    @Test func customFormat() throws {
        let sql: SQL = "SELECT 1 AS a, 2 AS b UNION SELECT 3, 4"
        #expect(try dumped(sql, as: CountFormat()) == "2 rows of [\"a\", \"b\"]\n")
        // Each table has its own copy of the format.
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE a(x); CREATE TABLE b(y); INSERT INTO a VALUES (1), (2)")
            #expect(
                try dumped { try db.dumpTables(["a", "b"], format: CountFormat(), to: $0) }
                    == "a\n2 rows of [\"x\"]\n\nb\n0 rows of [\"y\"]\n")
        }
    }

    @Test func margin() throws {
        #expect(
            try dumped("SELECT 1 UNION SELECT 2", as: SeparatedFormat(base: ListDumpFormat())) == "1\n\n2\n\nend\n")
    }

    /// The text printed before an error reaches the stream, and the connection is usable.
    @Test(arguments: ConnectionKind.allCases)
    func failingFormat(kind: ConnectionKind) throws {
        try withTable(kind) { writer throws in
            let sink = TextSink()
            expectRefusal { try writer.dumpTables(["t"], format: FailingFormat(), to: sink) }
            #expect(sink.text == "before the error\n")
            try writer.write { db throws in
                try db.insert(3)
                expectRefusal { try db.dumpSQL("SELECT x FROM t", format: FailingFormat(), to: sink) }
                try db.execute(sql: "DROP TABLE t")
            }
            try writer.close()
        }
    }
}
