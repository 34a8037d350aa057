// NUL characters in values and names: SQL text can't contain them, because SQLite stops there.

import Foundation
import Rowan
import Testing

struct NULTests {
    private static let texts = ["a\0b", "\0", "\0\0'x'\0", "\\0\0\\00", "é\u{301}\0🇫🇷", "'\0\\"]

    @Test(arguments: texts) func definitions(_ text: String) throws {
        try DatabaseQueue().write { db throws in
            try db.create(table: "t") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("a", .text).defaults(to: text)
                t.column("b", .text).check { $0 != text }
                t.column("c", .boolean).generatedAs(Column("b") == "\(text)\(text)")
            }
            try db.create(index: "i", on: "t", columns: ["a"], condition: Column("a") != text)
            try db.create(view: "v", as: Table("t").filter(Column("a") == text))
            try db.execute(sql: "INSERT INTO t(b) VALUES (?), (?)", arguments: ["\(text)\(text)", "other"])
            #expect(try String.fetchAll(db, sql: "SELECT a FROM t") == [text, text])
            #expect(try Bool.fetchAll(db, sql: "SELECT c FROM t ORDER BY id") == [true, false])
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM v") == 2)
            expectError(.SQLITE_CONSTRAINT_CHECK) {
                try db.execute(sql: "INSERT INTO t(b) VALUES (?)", arguments: [text])
            }
            #expect(try db.integrityCheck() == [])
        }
    }

    /// The SQL in a trace can be run.
    @Test(arguments: texts) func expandedSQL(_ text: String) throws {
        var expansions: [String] = []
        let queue = try DatabaseQueue()
        try queue.inDatabase { db throws in
            db.trace(options: [.statement, .profile]) { event in
                switch event {
                case .statement(let statement): expansions.append(statement.expandedSQL)
                case .profile(let statement, _): expansions.append(statement.expandedSQL)
                }
            }
            let sql = "SELECT ?, :a, ?2, '?', \"x?\", ?4 /* ? */ FROM (SELECT 1 AS \"x?\") WHERE :a = ?2"
            let row = try #require(try Row.fetchOne(db, sql: sql, arguments: ["x", text, nil, 2.5]))
            db.trace(options: [])
            #expect(expansions.count == 2)
            for expansion in expansions {
                #expect(
                    try Row.fetchOne(db, sql: expansion).map { Array($0.databaseValues) } == Array(row.databaseValues))
            }
        }
    }

    @Test func expansions() throws {
        var expansions: [String] = []
        try DatabaseQueue().inDatabase { db in
            db.trace { expansions.append($0.expandedDescription) }
            try db.execute(sql: "SELECT ?, ?", arguments: ["a\0b", "c"])
            try db.execute(sql: "SELECT :a", arguments: ["a": "\\0\0"])
            db.trace(options: [])
        }
        #expect(
            expansions == [#"SELECT replace('a\0b','\0',char(0)), 'c'"#, #"SELECT replace('\0\00','\00',char(0))"#])
    }

    @Test func names() throws {
        try DatabaseQueue().write { db in
            let message = #"the name "a\0b" contains a NUL character, which SQL can't contain: choose another name"#
            let name = "a\0b"
            expectError(.SQLITE_ERROR, message) { try db.create(table: name) { $0.column("a") } }
            expectError(.SQLITE_ERROR, message) { try db.create(table: "t") { $0.column(name) } }
            expectError(.SQLITE_ERROR, message) { try Table(name).fetchAll(db) }
            expectError(.SQLITE_ERROR, message) { try Row.fetchAll(db, Table("sqlite_master").select(Column(name))) }
            expectError(.SQLITE_ERROR, message) { try db.drop(table: name) }
            expectError(.SQLITE_ERROR, message) { try db.columns(in: name) }
            expectError(
                .SQLITE_ERROR, "a text in SQL contains a NUL character: pass the text as an argument of the statement"
            ) {
                try db.execute(sql: "SELECT 'a\0b'")
            }
            expectError(.SQLITE_ERROR, "unexpected NUL character in SQL") { try db.execute(sql: "SELECT 1 \0") }
        }
    }
}
