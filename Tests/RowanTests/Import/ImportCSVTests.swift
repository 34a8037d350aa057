// Imports of comma-separated values into tables.

import Foundation
import Rowan
import RowanImport
import Testing

@Suite struct ImportCSVTests {
    func rows(_ queue: DatabaseQueue, _ sql: String) throws -> [String] {
        try queue.read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map(\.sqlLiteral).joined(separator: " ")
            }
        }
    }

    func queue(_ schema: String = "") throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: schema) }
        return queue
    }

    func importing(
        _ text: String, into table: String = "t", _ queue: DatabaseQueue, format: CSVDumpFormat = CSVDumpFormat(),
        key: [String] = [], onBadRow: ((ImportError) throws -> Void)? = nil
    ) throws -> ImportResult {
        try queue.write { db in
            try db.importCSV(into: table, data: Data(text.utf8), format: format, key: key, onBadRow: onBadRow)
        }
    }

    // MARK: New tables

    @Test func columnsOfNewTables() throws {
        let queue = try queue()
        let result = try importing(
            """
            id,zip,price,big,mixed,amount,nothing,version,precise
            1,01234,1.5,12345678901234567890,1,1,,1.10,0.1234567890123456789
            -2,98765,2,1,x,2.5e3,,1.2,1
            9223372036854775807,1,-0.25,2,2,,,1.3,2
            """, queue)
        #expect(result.rowCount == 3 && result.skippedCount == 0 && result.hasCreatedTable)
        let schema = try rows(queue, "SELECT sql FROM sqlite_master")
        #expect(
            schema == [
                "'CREATE TABLE \"t\" (\"id\" INTEGER, \"zip\" TEXT, \"price\" DOUBLE, \"big\" TEXT, \"mixed\" TEXT, "
                    + "\"amount\" DOUBLE, \"nothing\" TEXT, \"version\" DOUBLE, \"precise\" TEXT)'"
            ])
        #expect(
            try rows(queue, "SELECT * FROM t") == [
                "1 '01234' 1.5 '12345678901234567890' '1' 1.0 NULL 1.1 '0.1234567890123456789'",
                "-2 '98765' 2.0 '1' 'x' 2500.0 NULL 1.2 '1'",
                "9223372036854775807 '1' -0.25 '2' '2' NULL NULL 1.3 '2'",
            ])
    }

    @Test(arguments: [
        ("0", "INTEGER"), ("-1", "INTEGER"), ("-9223372036854775808", "INTEGER"), ("9223372036854775808", "TEXT"),
        ("00", "TEXT"), ("+1", "TEXT"), ("-0", "TEXT"), ("-", "TEXT"), ("1.", "TEXT"), (".5", "TEXT"),
        ("1e5", "DOUBLE"),
        ("1E+5", "DOUBLE"), ("1e-5", "DOUBLE"), ("1e", "TEXT"), ("1e+", "TEXT"), ("1e999", "TEXT"), ("1e99999", "TEXT"),
        ("-0.0", "DOUBLE"), ("0x10", "TEXT"), ("1 ", "TEXT"), ("1_000", "TEXT"), ("inf", "TEXT"), ("nan", "TEXT"),
        ("\"1\"", "INTEGER"), ("\"\"", "TEXT"), ("1.7976931348623157e+308", "DOUBLE"), ("5e-324", "DOUBLE"),
        ("0.12345678901234567", "DOUBLE"), ("0.123456789012345678", "TEXT"), ("9007199254740993.5", "DOUBLE"),
    ])
    func numbers(_ text: String, _ type: String) throws {
        let queue = try queue()
        _ = try importing("a\n\(text)\n", queue)
        #expect(try queue.read { try $0.columns(in: "t").map(\.type) } == [type])
        if type == "DOUBLE" {
            #expect(try queue.read { try Double.fetchOne($0, sql: "SELECT a FROM t") } == Double(text))
        }
        if type == "TEXT", text != "\"\"" {
            #expect(try queue.read { try String.fetchOne($0, sql: "SELECT a FROM t") } == text)
        }
    }

    @Test func integersThatRealsCanNotHold() throws {
        let queue = try queue()
        _ = try importing("a,b\n9007199254740993,9007199254740992\n0.5,0.5\n", queue)
        #expect(try queue.read { try $0.columns(in: "t").map(\.type) } == ["TEXT", "DOUBLE"])
        #expect(try rows(queue, "SELECT * FROM t") == ["'9007199254740993' 9007199254740992.0", "'0.5' 0.5"])
    }

    @Test func keysOfNewTables() throws {
        let queue = try queue()
        _ = try importing("code,year,n\na,1,5\nb,1,6\na,1,7\n", queue, key: ["YEAR", "code"])
        #expect(try rows(queue, "SELECT * FROM t ORDER BY n") == ["'b' 1 6", "'a' 1 7"])
        #expect(try queue.read { try $0.primaryKey("t").columns } == ["code", "year"])
        expectError("line 3: NOT NULL constraint failed: u.code") {
            _ = try importing("code\na\n\n", into: "u", queue, key: ["code"])
        }
        #expect(try queue.read { try !$0.tableExists("u") })
    }

    @Test func headersThatMakeNoTable() throws {
        let queue = try queue()
        expectError("the file is empty") { _ = try importing("", queue) }
        expectError("line 1, column 2: the column has no name") { _ = try importing("a,\n1,2\n", queue) }
        expectError("line 1, column A: the column occurs twice") { _ = try importing("a,A\n1,2\n", queue) }
        expectError("line 1: there is no column c, which is part of the key") {
            _ = try importing("a,b\n1,2\n", queue, key: ["a", "c"])
        }
        #expect(try rows(queue, "SELECT name FROM sqlite_master") == [])
        // Only a header: an empty table.
        let result = try importing("a,b\n", queue)
        #expect(result.rowCount == 0 && result.hasCreatedTable)
        #expect(try queue.read { try $0.columns(in: "t").map(\.name) } == ["a", "b"])
    }

    // MARK: Tables that exist

    @Test func valuesHaveTheTypesOfTheirColumns() throws {
        let queue = try queue(
            """
            CREATE TABLE t (i INTEGER, r REAL, x TEXT, b BLOB, n NUMERIC, u, g INTEGER GENERATED ALWAYS AS (i + 1));
            """)
        let result = try importing("I,r,x,b,n,u,g\n007,1,007,AQID,1.5,2,99\nx,inf,1.0,\"\",x,02,\n,-inf,,,,,\n", queue)
        #expect(result.rowCount == 3 && !result.hasCreatedTable)
        #expect(
            try rows(queue, "SELECT i, r, x, b, n, u, g FROM t") == [
                "7 1.0 '007' x'010203' 1.5 2 8", "'x' 9e999 '1.0' x'' 'x' '02' 1",
                "NULL -9e999 NULL NULL NULL NULL NULL",
            ])
    }

    @Test func views() throws {
        let queue = try queue(
            """
            CREATE TABLE t (a INTEGER, b); CREATE VIEW v AS SELECT a, b FROM t;
            CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (new.a, new.b); END
            """)
        #expect(try importing("b,a\nx,1\n2,3\n", into: "v", queue).rowCount == 2)
        #expect(try rows(queue, "SELECT * FROM t") == ["1 'x'", "3 2"])
    }

    @Test func columnsByPosition() throws {
        let queue = try queue("CREATE TABLE t (a TEXT, b INTEGER, c INTEGER DEFAULT 5)")
        _ = try importing("x;1\ny;2\n", queue, format: CSVDumpFormat(header: false, separator: ";"))
        #expect(try rows(queue, "SELECT * FROM t") == ["'x' 1 5", "'y' 2 5"])
        expectError("line 1, column column4: table \"t\" has no such column") {
            _ = try importing("x,1,2,3\n", queue, format: CSVDumpFormat(header: false))
        }
    }

    @Test func columnsThatDoNotFit() throws {
        let queue = try queue("CREATE TABLE t (a, b AS (1)); CREATE VIEW v AS SELECT a FROM t")
        expectError("line 1, column c: table \"t\" has no such column") { _ = try importing("a,c\n1,2\n", queue) }
        expectError("line 1, column A: the column occurs twice") { _ = try importing("a,A\n1,2\n", queue) }
        expectError("line 1: there is no column that can be imported") { _ = try importing("b\n1\n", queue) }
        #expect(throws: DatabaseError.self) { try importing("a\n1\n", into: "v", queue) }
        let result = try importing("", queue)
        #expect(result.rowCount == 0 && !result.hasCreatedTable)
        #expect(try rows(queue, "SELECT a FROM t") == [])
    }

    @Test func upserts() throws {
        let queue = try queue(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b DEFAULT 1); INSERT INTO t VALUES (1, 'x', 7)")
        let result = try importing("id,a\n1,y\n2,z\n", queue, key: ["id"])
        #expect(result.rowCount == 2)
        #expect(try rows(queue, "SELECT * FROM t") == ["1 'y' 7", "2 'z' 1"])
        _ = try importing("id\n1\n3\n", queue, key: ["id"])
        #expect(try rows(queue, "SELECT * FROM t") == ["1 'y' 7", "2 'z' 1", "3 NULL 1"])
        #expect(throws: DatabaseError.self) { try importing("id,a\n1,y\n", queue, key: ["a"]) }
    }

    /// Tables whose rows are inserted one by one, and others.
    private static let schemas = [
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL CHECK (b <> 'bad'))",
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL CHECK (b <> 'bad')); CREATE INDEX i ON t (b)",
        "CREATE TABLE t (a INTEGER PRIMARY KEY ON CONFLICT FAIL, b TEXT NOT NULL ON CONFLICT FAIL CHECK (b <> 'bad'))",
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL CHECK (b <> 'bad')) STRICT",
    ]

    @Test(arguments: schemas) func errorsAreLocatedAndUndone(_ schema: String) throws {
        let queue = try queue(schema + "; INSERT INTO t VALUES (100, 'old')")
        let good = (1...40).map { "\($0),x\($0)\n" }.joined()
        for (line, message) in [
            ("41,\n", "line 42: NOT NULL constraint failed: t.b"), ("7,y\n", "line 42: UNIQUE constraint failed: t.a"),
            ("100,y\n", "line 42: UNIQUE constraint failed: t.a"),
            ("41\n", "line 42: the row has 1 value instead of 2"),
            ("41,\"a\"b\n", "line 42, column b: text follows the quote that ends the value"),
        ] {
            expectError(message) { _ = try importing("a,b\n\(good)\(line)42,x\n", queue) }
            #expect(try rows(queue, "SELECT * FROM t") == ["100 'old'"])
            if line.hasPrefix("7,") { continue }
            expectError("line 2" + message.dropFirst(7)) { _ = try importing("a,b\n\(line)", queue) }
        }
    }

    @Test(arguments: schemas) func badRowsAreLeftOut(_ schema: String) throws {
        let queue = try queue(schema)
        let lines = (1...100).map { number in
            switch number {
            case 3: "3"
            case 20: "20,"
            case 21: "21,bad"
            case 40: "1,again"
            case 77: "77,\"x\"y"
            case 100: "100,\"open"
            default: "\(number),x"
            }
        }
        var errors: [String] = []
        let result = try importing("a,b\n" + lines.joined(separator: "\n"), queue) { errors.append("\($0)") }
        #expect(
            errors.map {
                $0.replacingOccurrences(of: "CHECK constraint failed: t", with: "CHECK constraint failed: b <> 'bad'")
            } == [
                "line 4: the row has 1 value instead of 2", "line 21: NOT NULL constraint failed: t.b",
                "line 22: CHECK constraint failed: b <> 'bad'", "line 41: UNIQUE constraint failed: t.a",
                "line 78, column b: text follows the quote that ends the value",
                "line 101, column b: a quoted value has no end",
            ])
        #expect(result.rowCount == 94 && result.skippedCount == 6)
        #expect(try rows(queue, "SELECT COUNT(*), SUM(a) FROM t") == ["94 4789"])
    }

    @Test func badRowsOfNewTables() throws {
        let queue = try queue()
        var errors: [String] = []
        let result = try importing("a,b\n1,2\nx\n3,4\n", queue) { errors.append("\($0)") }
        #expect(errors == ["line 3: the row has 1 value instead of 2"])
        #expect(result.rowCount == 2 && result.skippedCount == 1)
        #expect(try queue.read { try $0.columns(in: "t").map(\.type) } == ["INTEGER", "INTEGER"])
        struct Stop: Error {}
        #expect(throws: Stop.self) { try importing("a,b\n1,2\nx\n3,4\n", into: "u", queue) { _ in throw Stop() } }
        #expect(try queue.read { try !$0.tableExists("u") })
    }

    /// A constraint that ends the transaction ends the import, too.
    @Test func constraintsThatRollBack() throws {
        let queue = try queue("CREATE TABLE t (a PRIMARY KEY ON CONFLICT ROLLBACK, b)")
        var errors = 0
        #expect(throws: DatabaseError.self) { try importing("a,b\n1,2\n1,3\n4,5\n", queue) { _ in errors += 1 } }
        #expect(errors == 0)
        #expect(try rows(queue, "SELECT * FROM t") == [])
    }

    @Test func foreignKeysAndTriggers() throws {
        let queue = try queue(
            """
            CREATE TABLE team (id INTEGER PRIMARY KEY);
            CREATE TABLE t (a INTEGER PRIMARY KEY, team REFERENCES team (id));
            CREATE TABLE log (a);
            CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END;
            INSERT INTO team VALUES (1);
            """)
        var errors: [String] = []
        let result = try importing("a,team\n1,1\n2,9\n3,\n", queue) { errors.append("\($0)") }
        #expect(errors == ["line 3: FOREIGN KEY constraint failed"] && result.rowCount == 2)
        #expect(try rows(queue, "SELECT * FROM log") == ["1", "3"])
    }

    @Test func blobsThatAreNone() throws {
        let queue = try queue("CREATE TABLE t (a BLOB)")
        expectError("line 2, column a: the value of this BLOB is not in Base64") {
            _ = try importing("a\n***\n", queue)
        }
        let format = CSVDumpFormat(blobs: .hexadecimal)
        expectError("line 2, column a: the value of this BLOB is not in hexadecimal") {
            _ = try importing("a\n0\n", queue, format: format)
        }
        _ = try importing("a\nABCD\n", queue, format: format)
        #expect(try rows(queue, "SELECT * FROM t") == ["x'ABCD'"])
    }

    @Test func readsCanNotImport() throws {
        let queue = try queue("CREATE TABLE t (a)")
        for table in ["t", "u"] {
            #expect(throws: DatabaseError.self) {
                try queue.read { db in _ = try db.importCSV(into: table, data: Data("a\n1\n".utf8)) }
            }
        }
    }

    // MARK: Files

    @Test func files() throws {
        let folder = try TemporaryFolder()
        let queue = try queue()
        let url = folder.url.appending(path: "cities.csv")
        try Data("name,population\nOslo,700000\n".utf8).write(to: url)
        for isNew in [true, false] {
            let result = try queue.write { try $0.importCSV(into: "city", from: url) }
            #expect(result.rowCount == 1 && result.hasCreatedTable == isNew)
        }
        #expect(
            try rows(queue, "SELECT *, typeof(population) FROM city") == [
                "'Oslo' 700000 'integer'", "'Oslo' 700000 'integer'",
            ])
        let missing = folder.url.appending(path: "none.csv")
        expectError("\(missing.path): can't read the file: No such file or directory") {
            try queue.write { _ = try $0.importCSV(into: "city", from: missing) }
        }
        try Data("name,population\nOslo\n".utf8).write(to: url)
        expectError("\(url.path), line 2: the row has 1 value instead of 2") {
            try queue.write { _ = try $0.importCSV(into: "city", from: url) }
        }
    }

    @Test(arguments: [false, true]) func pipes(tableExists: Bool) throws {
        let queue = try queue(tableExists ? "CREATE TABLE t (a INTEGER, b TEXT)" : "")
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("a,b\n1,x\n2,y\n".utf8))
        try pipe.fileHandleForWriting.close()
        let url = URL(filePath: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        let result = try queue.write { try $0.importCSV(into: "t", from: url) }
        #expect(result.rowCount == 2)
        #expect(try rows(queue, "SELECT * FROM t") == ["1 'x'", "2 'y'"])
        withExtendedLifetime(pipe) {}
    }

    /// A reader of a header and two parts of two rows.
    private func makeReader(beforeLastPart body: @escaping () -> Void = {}) throws -> CSVReader {
        var parts = ["a,b\n", "1,x\n2,y\n", "3,x\n4,y\n"]
        return try CSVReader(named: "stream") { buffer in
            guard !parts.isEmpty else { return 0 }
            if parts.count == 1 { body() }
            let part = Array(parts.removeFirst().utf8)
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    @Test func readers() throws {
        let queue = try queue("CREATE TABLE t (a INTEGER, b TEXT)")
        let result = try queue.write { try $0.importCSV(into: "t", reader: makeReader()) }
        #expect(result.rowCount == 4 && !result.hasCreatedTable)
        #expect(try rows(queue, "SELECT * FROM t") == ["1 'x'", "2 'y'", "3 'x'", "4 'y'"])
        #expect(throws: DatabaseError.self) {
            try queue.write { _ = try $0.importCSV(into: "u", reader: makeReader()) }
        }
    }

    @Test func cancelledImports() async throws {
        let queue = try queue("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, UNIQUE (b, a))")
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let isCancelled = DispatchSemaphore(value: 0)
        let task = Task {
            try await queue.write { db in
                let reader = try makeReader {
                    start.yield()
                    isCancelled.wait()
                }
                _ = try db.importCSV(into: "t", reader: reader)
            }
        }
        for await _ in started { break }
        task.cancel()
        isCancelled.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try rows(queue, "SELECT * FROM t") == [])
    }

    /// An error of the file ends the import, even if bad rows are left out.
    @Test func unreadableFiles() throws {
        let folder = try TemporaryFolder()
        for schema in ["", "CREATE TABLE t (a)"] {
            let queue = try queue(schema)
            expectError("\(folder.url.path): can't read the file: Is a directory") {
                try queue.write { _ = try $0.importCSV(into: "t", from: folder.url) { _ in } }
            }
        }
    }
}

/// Expects an error with a description.
private func expectError(_ description: String, _ body: () throws -> Void) {
    do {
        try body()
        Issue.record("no error: \(description)")
    } catch { #expect("\(error)" == description) }
}
