// Imports of JSON lines into tables.

import Foundation
import Rowan
import Testing

@testable import RowanImport

@Suite struct ImportJSONTests {
    /// A table that is created needs two passes.
    @Test func progress() throws {
        let text = (1...5000).map { "{\"id\":\($0),\"name\":\"number \($0)\"}\n" }.joined()
        let file = FileManager.default.temporaryDirectory.appending(path: "RowanImport-\(UUID()).jsonl")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let queue = try DatabaseQueue()
        try queue.write { db in
            var all: [ImportProgress] = []
            try db.importJSONLines(into: "t", from: file, onProgress: { all.append($0) })
            let (first, second) = (all.filter(\.isFindingTypes), all.filter { !$0.isFindingTypes })
            #expect(first.last?.byteCount == text.utf8.count && first.allSatisfy { $0.rowCount == 0 })
            #expect(second.last?.byteCount == text.utf8.count && (1...5000).contains(second.last?.rowCount ?? 0))
            all = []
            try db.importJSONLines(into: "t", from: file, onProgress: { all.append($0) })
            #expect(all.count > 1 && all.allSatisfy { !$0.isFindingTypes })
            #expect(throws: CancellationError.self) {
                try db.importJSONLines(into: "t", from: file, onProgress: { _ in throw CancellationError() })
            }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 10_000)
        }
    }

    private func rows(_ queue: DatabaseQueue, _ sql: String = "SELECT * FROM t") throws -> [String] {
        try queue.read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map(\.sqlLiteral).joined(separator: " ")
            }
        }
    }

    private func queue(_ schema: String = "") throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: schema) }
        return queue
    }

    private func importing(
        _ text: String, into table: String = "t", _ queue: DatabaseQueue, key: [String] = [],
        onBadRow: ((ImportError) throws -> Void)? = nil
    ) throws -> ImportResult {
        try queue.write { db in
            try db.importJSONLines(into: table, data: Data(text.utf8), key: key, onBadRow: onBadRow)
        }
    }

    /// The error of an import.
    private func error(_ text: String, into table: String = "t", _ queue: DatabaseQueue, key: [String] = []) -> String {
        do {
            _ = try importing(text, into: table, queue, key: key)
            return "no error"
        } catch { return "\(error)" }
    }

    // MARK: New tables

    @Test func columnsOfNewTables() throws {
        let queue = try queue()
        let result = try importing(
            """
            {"id":1,"zip":"01234","price":1.5,"big":12345678901234567890,"mixed":1,"done":true,"nothing":null}
            {"id":-2,"zip":"98765","price":2,"big":1,"mixed":"x","done":false,"list":[1, {"a":2}],"flag":true}
            { "id" : 9223372036854775807 , "price" : -0.25 , "mixed" : true , "object" : { "b" : "}" } , "flag": 1 }
            """, queue)
        #expect(result.rowCount == 3 && result.skippedCount == 0 && result.hasCreatedTable)
        #expect(
            try rows(queue, "SELECT sql FROM sqlite_master") == [
                "'CREATE TABLE \"t\" (\"id\" INTEGER, \"zip\" TEXT, \"price\" DOUBLE, \"big\" TEXT, \"mixed\" TEXT, "
                    + "\"done\" BOOLEAN, \"nothing\" TEXT, \"list\" TEXT, \"flag\" TEXT, \"object\" TEXT)'"
            ])
        #expect(
            try rows(queue) == [
                "1 '01234' 1.5 '12345678901234567890' '1' 1 NULL NULL NULL NULL",
                "-2 '98765' 2.0 '1' 'x' 0 NULL '[1, {\"a\":2}]' 'true' NULL",
                "9223372036854775807 NULL -0.25 NULL 'true' NULL NULL NULL '1' '{ \"b\" : \"}\" }'",
            ])
    }

    @Test(arguments: [
        ("0", "INTEGER"), ("-9223372036854775808", "INTEGER"), ("9223372036854775808", "TEXT"), ("-0", "TEXT"),
        ("1e5", "DOUBLE"), ("1e999", "TEXT"), ("0.1234567890123456789", "TEXT"), ("true", "BOOLEAN"),
        ("null", "TEXT"), ("\"1\"", "TEXT"), ("[]", "TEXT"), ("{}", "TEXT"),
    ])
    func types(_ value: String, _ type: String) throws {
        let queue = try queue()
        _ = try importing("{\"a\":\(value)}\n", queue)
        #expect(try queue.read { try $0.columns(in: "t").map(\.type) } == [type])
        if type == "TEXT", value != "null" {
            let expected = value == "\"1\"" ? "1" : value
            #expect(try queue.read { try String.fetchOne($0, sql: "SELECT a FROM t") } == expected)
        }
    }

    @Test func keysOfNewTables() throws {
        let queue = try queue()
        let text = "{\"code\":\"a\",\"n\":5}\n{\"code\":\"b\",\"n\":6}\n{\"n\":7,\"code\":\"a\"}\n{\"code\":\"b\"}"
        _ = try importing(text, queue, key: ["code"])
        #expect(try rows(queue, "SELECT * FROM t ORDER BY n") == ["'b' 6", "'a' 7"])
        #expect(try queue.read { try $0.primaryKey("t").columns } == ["code"])
        #expect(
            error("{\"n\":1}", queue, key: ["code"]) == "line 1: there is no column code, which is part of the key")
    }

    @Test func filesThatMakeNoTable() throws {
        let queue = try queue()
        #expect(error("", queue) == "the file is empty")
        #expect(error(" \n\r\n", queue) == "the file is empty")
        #expect(error("{\"\":1}", queue) == "column 1: the column has no name")
        #expect(error("{\"a\":1}\n{\"A\":1}", queue) == "column A: the column occurs twice")
        #expect(try rows(queue, "SELECT name FROM sqlite_master") == [])
    }

    // MARK: Tables that exist

    @Test func valuesHaveTheTypesOfTheirColumns() throws {
        let queue = try queue(
            """
            CREATE TABLE t (i INTEGER, r REAL, x TEXT, b BLOB, n NUMERIC, u, g INTEGER GENERATED ALWAYS AS (i + 1));
            """)
        _ = try importing(
            """
            {"I":"007","r":1,"x":7,"b":"AQID","n":"1.5","u":"2","g":99}
            {"i":"x","r":"inf","x":1.0,"b":"","n":true,"u":false}
            {"i":1.0,"r":"-inf","x":true,"b":5,"n":[1],"u":12345678901234567890}
            {"i":12345678901234567890,"r":"x","x":"\\u00e9\\uD83D\\uDE00\\n\\u0000","b":"\\u0041\\u0051==","n":null}
            """, queue)
        #expect(
            try rows(queue, "SELECT i, r, x, b, n, u, g FROM t").dropLast() == [
                "7 1.0 '7' x'010203' 1.5 '2' 8", "'x' 9e999 '1.0' x'' 1 0 1",
                "1 -9e999 'true' 5 '[1]' '12345678901234567890' 2",
            ])
        let last = try queue.read { try Row.fetchOne($0, sql: "SELECT * FROM t WHERE rowid = 4") }
        #expect(last?["i"] == 12345678901234567890.0)
        #expect(last?["x"] == "é😀\n\0" && last?["b"] == Data([1]) && last?["u"] == nil)
    }

    /// A column without a key has its default value or, in an upsert, keeps its value.
    @Test func columnsWithoutKeys() throws {
        let queue = try queue("CREATE TABLE t (id INTEGER PRIMARY KEY, a DEFAULT 'x', b DEFAULT 'y')")
        let text = "{\"id\":1}\n{\"b\":2,\"id\":2}\n{\"id\":3,\"b\":3}\n{\"id\":4,\"b\":4}\n{\"a\":5,\"b\":null}\n"
        #expect(try importing(text + "{}\n", queue).rowCount == 6)
        #expect(try rows(queue) == ["1 'x' 'y'", "2 'x' 2", "3 'x' 3", "4 'x' 4", "5 5 NULL", "6 'x' 'y'"])
        _ = try importing("{\"id\":2,\"a\":20}\n{\"id\":4,\"b\":null}\n{\"id\":4}\n{\"id\":9}", queue, key: ["id"])
        #expect(
            try rows(queue) == ["1 'x' 'y'", "2 20 2", "3 'x' 3", "4 'x' NULL", "5 5 NULL", "6 'x' 'y'", "9 'x' 'y'"])
    }

    @Test func keysWithOddNames() throws {
        let queue = try queue()
        _ = try importing(
            """
            {"a b":1,"\\"":2,"$.x":3,"é":4,"ü":5,"\\n":6,"rowid":7}
            {"a b":1,"\\u0022":2,"$.x":3,"\\u00e9":4,"ü":5,"\\u000a":6,"rowid":7}
            """, queue)
        #expect(
            try queue.read { try $0.columns(in: "t").map(\.name.utf8.count) } == [3, 1, 3, 2, 2, 1, 5])
        #expect(try rows(queue) == ["1 2 3 4 5 6 7", "1 2 3 4 5 6 7"])
    }

    // MARK: Errors

    @Test func errorsAreLocatedAndUndone() throws {
        let queue = try queue("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT CHECK (b <> 'bad'), c BLOB, d AS (1))")
        let good = (1...40).map { "{\"a\":\($0),\"b\":\"x\"}\n" }.joined()
        for (line, message) in [
            ("{\"a\":1", ": the JSON object has no end"),
            ("{\"a\":1,}", ": the line is not valid JSON, from byte 8 on"),
            ("{'a':1}", ": the line is not valid JSON, from byte 2 on"),
            ("{\"a\":1} {}", ": the line is not valid JSON, from byte 9 on"),
            ("{\"a\":NaN}", ": the line is not valid JSON, from byte 6 on"),
            ("{\"a\":01}", ": the line is not valid JSON, from byte 8 on"),
            ("[1]", ": the line is an array instead of an object"), ("7", ": the line is a value instead of an object"),
            ("{\"a\":1,\"b\":\"x\",\"a\":2}", ", column a: the key occurs twice"),
            ("{\"a\":1,\"A\":2}", ", column A: the column occurs twice"),
            ("{\"a\":1,\"e\":2}", ", column e: table \"t\" has no such column"),
            ("{\"a\":1,\"b\":\"x\"}", ": UNIQUE constraint failed: t.a"),
            ("{\"a\":41,\"c\":\"*\"}", ", column c: the value of this BLOB is not in Base64"),
            ("{\"a\":41,\"c\":\"\\u002a\"}", ", column c: the value of this BLOB is not in Base64"),
        ] {
            #expect(error(good + line + "\n{\"a\":50}", queue) == "line 41" + message)
            #expect(try rows(queue) == [])
            var errors: [String] = []
            let text = good + line + "\n" + line + "\n{\"a\":50}"
            let result = try importing(text, queue) { errors.append("\($0)") }
            #expect(errors == ["line 41" + message, "line 42" + message])
            #expect(result.rowCount == 41 && result.skippedCount == 2)
            try queue.write { try $0.execute(sql: "DELETE FROM t") }
        }
    }

    @Test func textsThatAreNotUTF8() throws {
        let queue = try queue("CREATE TABLE t (a)")
        for bytes in [[0xFF], [0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]] {
            let data = Data("{\"a\":\"".utf8) + bytes + Data("\"}".utf8)
            #expect(throws: ImportError.self) { try queue.write { _ = try $0.importJSONLines(into: "t", data: data) } }
        }
        let data = Data("{\"a\":1}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        do {
            try queue.write { _ = try $0.importJSONLines(into: "t", data: Data([0xFF, 0xFE]) + data) }
            Issue.record("no error")
        } catch { #expect("\(error)" == "line 1: the text is UTF-16: convert it to UTF-8") }
    }

    @Test func badRowsOfNewTables() throws {
        let queue = try queue()
        var errors: [String] = []
        let result = try importing("{\"a\":1}\n\nx\n{\"a\":2}\n", queue) { errors.append("\($0)") }
        #expect(errors == ["line 3: the line is not valid JSON, from byte 1 on"])
        #expect(result.rowCount == 2 && result.skippedCount == 1)
        #expect(try queue.read { try $0.columns(in: "t").map(\.type) } == ["INTEGER"])
    }

    // MARK: Files

    /// With buffers of every size, and every end of lines.
    @Test func linesAndBuffers() throws {
        let lines = ["{\"a\":1,\"b\":\"x\"}", "", "{\"b\":\"a long text\",\"a\":2}", "  ", "{\"a\":3,\"b\":\"\"}"]
        for end in ["\n", "\r\n"] {
            for hasLastEnd in [false, true] {
                let text = "\u{FEFF}" + lines.joined(separator: end) + (hasLastEnd ? end : "")
                for capacity in 4..<40 {
                    let reader = try JSONLinesReader(ImportData(Data(text.utf8), name: nil), capacity: capacity)
                    var found: [String] = []
                    while try reader.advance() { found.append("\(reader.line) \(reader.columnNames)") }
                    #expect(found == [#"1 ["a", "b"]"#, #"3 ["b", "a"]"#, #"5 ["a", "b"]"#])
                }
            }
        }
    }

    @Test(arguments: [false, true]) func pipes(tableExists: Bool) throws {
        let queue = try queue(tableExists ? "CREATE TABLE t (a INTEGER, b TEXT)" : "")
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("{\"a\":1,\"b\":\"x\"}\n".utf8))
        try pipe.fileHandleForWriting.close()
        let url = URL(filePath: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        let result = try queue.write { try $0.importJSONLines(into: "t", from: url) }
        #expect(result.rowCount == 1)
        #expect(try rows(queue) == ["1 'x'"])
        withExtendedLifetime(pipe) {}
    }

    /// More layouts than are kept.
    @Test func manyLayouts() throws {
        let names = (0..<12).map { "c\($0)" }
        let queue = try queue("CREATE TABLE t (\(names.map { "\($0) DEFAULT -1" }.joined(separator: ", ")))")
        var random = SeededGenerator(5)
        let sets = (0..<2_000).map { _ in names.shuffled(using: &random).prefix(Int.random(in: 1...12, using: &random))
        }
        let text = sets.map { set in
            "{" + set.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}\n"
        }.joined()
        #expect(try importing(text, queue).rowCount == 2_000)
        let expected = sets.map { set in
            names.map { set.firstIndex(of: $0).map(String.init) ?? "-1" }.joined(separator: " ")
        }
        #expect(try rows(queue) == expected)
    }

    // MARK: Dumps

    /// An import of a dump is the same table.
    @Test func importsOfDumps() throws {
        var random = SeededGenerator(78)
        let texts = ["", "a", "null", "\"", "\\", "\n", "\r", "é😀", "1", "01", "\t", "\0", "/", "\u{2028}", "{}"]
        for cycle in 0..<200 {
            let schema = "CREATE TABLE t (i INTEGER, r REAL, x TEXT, b BLOB)" + (cycle % 2 == 0 ? " STRICT" : "")
            let (source, copy) = (try queue(schema), try queue(schema))
            try source.write { db in
                for _ in 0..<Int.random(in: 0..<40, using: &random) {
                    let bits = Int64(bitPattern: random.next())
                    let integer: Int64 = [0, -1, .min, .max, bits, bits % 1000].randomElement(using: &random) ?? 0
                    let reals = [0.0, -0.0, 0.1, 1e300, .leastNonzeroMagnitude, .infinity, Double(bits)]
                    let blob = Data((0..<Int.random(in: 0..<9, using: &random)).map { UInt8($0 * 31) })
                    let values: [DatabaseValue] = [
                        integer.databaseValue, reals.randomElement(using: &random)?.databaseValue ?? .null,
                        texts.randomElement(using: &random)?.databaseValue ?? .null, blob.databaseValue,
                    ].map { Int.random(in: 0..<5, using: &random) == 0 ? .null : $0 }
                    try db.execute(sql: "INSERT INTO t VALUES (?, ?, ?, ?)", arguments: StatementArguments(values))
                }
            }
            let stream = TextStream()
            let format = JSONLinesDumpFormat(nulls: cycle % 4 < 2 ? .null : .omitted)
            try source.read { db in try db.dumpSQL("SELECT * FROM t", format: format, to: stream) }
            let message: Comment = "ROWAN_SEED=\(random.seed) \(stream.text.debugDescription)"
            _ = try importing(stream.text, copy)
            #expect(try rows(copy) == rows(source), message)
        }
    }

    private final class TextStream: TextOutputStream {
        var text = ""
        func write(_ string: String) { text += string }
    }
}
