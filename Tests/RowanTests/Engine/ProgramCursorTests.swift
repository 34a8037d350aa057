// Cursors defined by a program, and statements whose arguments it binds through the C API.

import RowanSQLite
import Rowan
import Testing

/// Decodes the first column, as a program would.
private final class TextCursor: DatabaseCursor {
    typealias Element = String

    var _isDone = false
    let _statement: Statement
    var refused: String?

    init(_ statement: Statement, refusing refused: String? = nil) {
        _statement = statement
        self.refused = refused
    }

    func _element(sqliteStatement: SQLiteStatement) throws -> String {
        let text = String(cString: sqlite3_column_text(sqliteStatement, 0))
        if text == refused { throw CursorRefusal() }
        return text
    }
}

private struct CursorRefusal: Error {}

@Suite struct ProgramCursorTests {
    private let sql = "SELECT value FROM json_each('[\"a\", \"b\", \"c\"]')"

    @Test func aCursorOfTheProgram() throws {
        try withDatabase { db in
            let cursor = TextCursor(try db.makeStatement(sql: sql))
            #expect(cursor.sql == sql)
            #expect(cursor.columnNames == ["value"])
            #expect(cursor.columnCount == 1)
            #expect(try cursor.next() == "a")
            #expect(!cursor._isDone)
            #expect(try Array(cursor) == ["b", "c"])
            #expect(cursor._isDone)
            #expect(try cursor.next() == nil)
            // The statement can run again.
            #expect(try Array(TextCursor(cursor.statement).map { $0 + "!" }) == ["a!", "b!", "c!"])
            #expect(try String.fetchAll(cursor.statement) == ["a", "b", "c"])
        }
    }

    /// A program may stop at any row, and reuse the statement.
    @Test func aCursorThatIsGivenUp() throws {
        try withDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT value FROM json_each(?)")
            statement.arguments = [#"["a", "b"]"#]
            var cursor: TextCursor? = TextCursor(statement)
            #expect(try cursor?.next() == "a")
            cursor = nil
            // Another cursor starts at the first row, with and without new arguments.
            #expect(try Array(TextCursor(statement)) == ["a", "b"])
            let (first, second) = (TextCursor(statement), TextCursor(statement))
            #expect(try first.next() == "a")
            #expect(try Array(second) == ["a", "b"])
            statement.arguments = [#"["x", "y"]"#]
            #expect(try String.fetchAll(statement) == ["x", "y"])
            #expect(try Array(TextCursor(statement)) == ["x", "y"])
        }
    }

    @Test func errors() throws {
        let queue = try DatabaseQueue()
        let kept = try queue.write { db in
            let cursor = TextCursor(try db.makeStatement(sql: sql), refusing: "b")
            #expect(try cursor.next() == "a")
            #expect(throws: CursorRefusal.self) { try cursor.next() }
            #expect(try cursor.next() == nil)
            #expect(try Array(TextCursor(cursor.statement)) == ["a", "b", "c"])
            let failing = TextCursor(try db.makeStatement(sql: "SELECT abs(-9223372036854775808)"))
            expectError(.SQLITE_ERROR, "integer overflow") { try failing.next() }
            #expect(failing._isDone)
            // A library cursor is using the statement.
            let statement = try db.makeStatement(sql: sql)
            let rows = try Row.fetchCursor(statement)
            expectError(.SQLITE_MISUSE) { try TextCursor(statement).next() }
            #expect(try rows.next()?.description == #"[value:"a"]"#)
            expectError(.SQLITE_MISUSE) { try TextCursor(statement).next() }
            #expect(try rows.next()?.description == #"[value:"b"]"#)
            return TextCursor(try db.makeStatement(sql: sql))
        }
        expectError(.SQLITE_MISUSE) { try kept.next() }
    }

    @Test func writesAreChecked() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t(x TEXT)") }
        let insertion = "INSERT INTO t VALUES ('a'), ('b') RETURNING x"
        expectError(.SQLITE_READONLY) { try queue.read { try TextCursor($0.makeStatement(sql: insertion)).next() } }
        let inserted = try queue.write { try Array(TextCursor($0.makeStatement(sql: insertion))) }
        #expect(inserted == ["a", "b"])
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } == 2)
    }

    /// The library's cursors also adopt the protocol.
    @Test func cursorsOfTheLibrary() throws {
        func rest<C: DatabaseCursor>(_ cursor: inout C) throws -> [C.Element] {
            var elements: [C.Element] = []
            while !cursor._isDone, let element = try cursor.next() { elements.append(element) }
            return elements
        }
        try withDatabase { db in
            var cursor = try String.fetchCursor(db, sql: sql)
            #expect(cursor._statement.sql == sql)
            #expect(try cursor.next() == "a")
            #expect(try cursor._element(sqliteStatement: cursor._statement.sqliteStatement) == "a")
            #expect(try rest(&cursor) == ["b", "c"])
            #expect(cursor._isDone)
            cursor = try String.fetchCursor(db, sql: sql)
            _ = try cursor.next()
            cursor._isDone = true
            #expect(try cursor.next() == nil)
            #expect(try String.fetchAll(db, sql: sql) == ["a", "b", "c"])
        }
    }

    @Test func argumentsBoundByTheProgram() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x, y)")
            let insertion = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
            expectError(.SQLITE_MISUSE) { try insertion.execute() }
            sqlite3_bind_int64(insertion.sqliteStatement, 1, 42)
            try insertion.execute()
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM t") == ["x": 42, "y": nil])
            let selection = try db.makeStatement(sql: "SELECT x FROM t WHERE x = ?")
            sqlite3_bind_int64(selection.sqliteStatement, 1, 42)
            #expect(try Int.fetchAll(selection) == [42])
            #expect(try Array(TextCursor(selection)) == ["42"])
            // The library's arguments are still counted.
            expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 0") { try selection.setArguments([]) }
        }
    }
}
