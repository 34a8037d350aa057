// Texts with several statements: where one ends and the next begins.

import Foundation
import RowanSQLText
import Testing

@testable import Rowan

@Suite
struct StatementTextTests {
    /// Each statement is prepared after the previous one has run, because it may depend on it.
    @Test func aStatementUsesWhatTheFormerMade() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
            #expect(try db.values() == [1, 2])
            try db.execute(sql: "DROP TABLE t; CREATE TABLE t(x); INSERT INTO t VALUES (3);")
            #expect(try db.values() == [3])
        }
    }

    @Test(arguments: [
        "SELECT 1", "SELECT 1;", " \n\t SELECT 1 ; ", "SELECT 1;;; ;", "-- before\nSELECT 1", "/* before */ SELECT 1",
        "SELECT 1 -- after", "SELECT 1; -- after", "SELECT 1; -- after\n", "SELECT 1; /* after */", "SELECT 1 /* after",
        "SELECT 1; /* after", "SELECT 1;\n-- one\n-- two\n/* three */;",
    ])
    func oneStatement(_ sql: String) throws {
        try withDatabase { db in
            #expect(try Int.fetchOne(db, sql: sql) == 1)
            #expect(try Int.fetchOne(db.makeStatement(sql: sql)) == 1)
            #expect(try Int.fetchOne(db.cachedStatement(sql: sql)) == 1)
            try db.execute(sql: sql)
            #expect(try Array(db.allStatements(sql: sql).map(\.columnCount)) == [1])
        }
    }

    /// Swift considers these texts equal, but they are different statements.
    @Test func textsOfOneMeaningAreTwoStatements() throws {
        try withDatabase { (db: Database) throws in
            #expect(try Data.fetchOne(db, sql: "SELECT CAST('\u{E9}' AS BLOB)") == Data([0xC3, 0xA9]))
            #expect(try Data.fetchOne(db, sql: "SELECT CAST('e\u{301}' AS BLOB)") == Data([0x65, 0xCC, 0x81]))
        }
    }

    @Test(arguments: ["", " ", ";", "-- nothing", "/* nothing */", "; -- nothing\n;"])
    func noStatement(_ sql: String) throws {
        try withDatabase { db in
            let error = #expect(throws: DatabaseError.self) { try db.makeStatement(sql: sql) }
            #expect(error?.resultCode == .SQLITE_ERROR)
            #expect(error?.message == "empty statement")
            #expect(throws: DatabaseError.self) { try Row.fetchAll(db, sql: sql) }
            try db.execute(sql: sql)
            #expect(try Array(db.allStatements(sql: sql).map(\.sql)) == [])
        }
    }

    @Test(arguments: [
        "SELECT 1; SELECT 2", "SELECT 1; SELECT * FROM missing", "SELECT 1; nonsense", "SELECT 1;;-- c\n;x",
    ])
    func oneStatementIsAskedForAndMoreAreThere(_ sql: String) throws {
        try withDatabase { db in
            let error = #expect(throws: DatabaseError.self) { try db.makeStatement(sql: sql) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(error?.message?.hasPrefix("multiple statements found") == true)
            #expect(error?.sql == sql)
            #expect(throws: DatabaseError.self) { try Row.fetchAll(db, sql: sql) }
        }
    }

    @Test func theErrorOfALaterStatementTellsItsOwnText() throws {
        try withDatabase { db in
            let error = #expect(throws: DatabaseError.self) {
                try db.execute(sql: "CREATE TABLE t(x);\n  INSERT INTO missing VALUES (1)")
            }
            #expect(error?.sql == "INSERT INTO missing VALUES (1)")
            #expect(error?.message == "no such table: missing")
            // The statements before it have run.
            try #expect(db.tableExists("t"))
        }
    }

    @Test func statementsKnowTheirOwnText() throws {
        try withDatabase { db in
            let statements = try db.allStatements(
                sql: " SELECT 1 ;\n/* two */ SELECT ';' -- two; \n; SELECT \"a;b\" FROM (SELECT 1 AS \"a;b\")")
            #expect(
                try Array(statements.map(\.sql)) == [
                    "SELECT 1", "/* two */ SELECT ';' -- two", "SELECT \"a;b\" FROM (SELECT 1 AS \"a;b\")",
                ])
        }
    }

    @Test func statementsShareArguments() throws {
        try withDatabase { db in
            try db.execute(
                sql: "CREATE TABLE t(x); INSERT INTO t VALUES (?); INSERT INTO t VALUES (?), (?)", arguments: [1, 2, 3])
            #expect(try db.values() == [1, 2, 3])
            try db.execute(
                sql: "INSERT INTO t VALUES (:a); INSERT INTO t VALUES (:a + :b)", arguments: ["a": 10, "b": 1])
            #expect(try db.values() == [1, 2, 3, 10, 11])
        }
    }

    @Test func argumentsOfSeveralStatementsAreCounted() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let sql = "INSERT INTO t VALUES (?); INSERT INTO t VALUES (?)"
            let missing = #expect(throws: DatabaseError.self) { try db.execute(sql: sql, arguments: [1]) }
            #expect(missing?.resultCode == .SQLITE_MISUSE)
            let extra = #expect(throws: DatabaseError.self) { try db.execute(sql: sql, arguments: [1, 2, 3]) }
            #expect(extra?.resultCode == .SQLITE_MISUSE)
            #expect(extra?.message == "1 unused statement argument(s)")
        }
    }

    @Test func blanks() {
        func areBlank(_ sql: String) -> Bool { Array(sql.utf8).withUnsafeBufferPointer(SQLBytes.areBlank) }
        for sql in ["", " ", ";", "-- a", "/* a */", "/* a", " ;\n-- a\n/* b */;", "--", "\u{FEFF};"] {
            #expect(areBlank(sql), "\(sql)")
        }
        for sql in ["x", "-", "/", "- - a", "-- a\nx", "/* a */ x", "; x", "/*/ x */ y", "\u{1}", "\u{FEFF}x"] {
            #expect(!areBlank(sql), "\(sql)")
        }
    }

    @Test func aNULCharacterIsRefused() throws {
        try withDatabase { db in
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT 1; \0 DROP TABLE t") }
            #expect(error?.message == "unexpected NUL character in SQL")
        }
    }

    /// A preceding comment does not hide a statement's schema change.
    @Test func aCommentBeforeAChangeOfTheSchema() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            #expect(try db.columns(in: "t").map(\.name) == ["x"])
            try db.execute(sql: "-- adds y\nALTER TABLE t ADD COLUMN y")
            #expect(try db.columns(in: "t").map(\.name) == ["x", "y"])
            try db.execute(sql: "/* the end */ DROP TABLE t")
            try #expect(!db.tableExists("t"))
        }
    }

    /// A preceding comment does not hide that a pragma only reads.
    @Test(arguments: ["PRAGMA journal_mode", "-- mode\nPRAGMA journal_mode", " /* mode */ pragma journal_mode"])
    func aCommentBeforeAPragma(_ sql: String) throws {
        let queue = try DatabaseQueue()
        #expect(try queue.read { try String.fetchOne($0, sql: sql) } == "memory")
    }

    /// SQLite prepares a pragma anew each time, regardless of the schema; a comment doesn't hide this either.
    @Test func pragmasTellNothingAboutTheSchema() throws {
        try withDatabase { db in
            let statement = try db.makeStatement(sql: "/* x */ PRAGMA table_info(t)")
            for _ in 1...3 { try statement.execute() }
            let epoch = db.connection.schemaEpoch
            try statement.execute()
            #expect(db.connection.schemaEpoch == epoch)
        }
    }

    /// A rollback undoes schema changes if there were any. Otherwise, cached information is kept.
    @Test func theEndOfASavepointKeepsTheSchema() throws {
        try withDatabase { db in
            try db.inTransaction {
                let epoch = db.connection.schemaEpoch
                try db.inSavepoint { .commit }
                try db.inSavepoint { .rollback }
                #expect(db.connection.schemaEpoch == epoch)
                try db.inSavepoint {
                    try db.execute(sql: "CREATE TABLE t(x)")
                    return .rollback
                }
                #expect(db.connection.schemaEpoch != epoch)
                return .commit
            }
        }
    }
}
