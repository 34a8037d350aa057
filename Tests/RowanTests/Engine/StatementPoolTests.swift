// The pool provides a statement to one user at a time, and never one that the program still retains.

import Testing

@testable import Rowan

@Suite
struct StatementPoolTests {
    private struct Item: Codable, FetchableRecord, PersistableRecord {
        var id: Int64?
        var name: String
        enum Columns {
            static let id = Column(CodingKeys.id)
        }
    }

    private func withItems(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT)")
            try body(db)
        }
    }

    private func names(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT name FROM item ORDER BY id")
    }

    /// The closure's statement is bound but not running yet.
    @Test func anInsertionInTheClosureOfAnInsertion() throws {
        try withItems { db in
            let (a, b) = (Item(id: 1, name: "a"), Item(id: 2, name: "b"))
            let id = try a.insertAndFetch(db, selection: [Column("id")]) { statement in
                let inner = try b.insertAndFetch(db, selection: [Column("id")]) { try Int64.fetchOne($0) }
                #expect(inner == 2)
                return try Int64.fetchOne(statement)
            }
            #expect(id == 1)
            #expect(try names(db) == ["a", "b"])
        }
    }

    @Test func anUpdateInTheClosureOfAnUpdate() throws {
        try withItems { db in
            var (a, b) = (Item(id: 1, name: "a"), Item(id: 2, name: "b"))
            try a.insert(db)
            try b.insert(db)
            (a.name, b.name) = ("c", "d")
            let name = try a.updateAndFetch(db, selection: [Column("name")]) { statement in
                let inner = try b.updateAndFetch(db, selection: [Column("name")]) { try String.fetchOne($0) }
                #expect(inner == "d")
                return try String.fetchOne(statement)
            }
            #expect(name == "c")
            #expect(try names(db) == ["c", "d"])
        }
    }

    /// A statement that escapes its closure belongs to the program.
    @Test func aStatementThatLeavesItsClosure() throws {
        try withItems { db in
            var kept: Statement?
            let a = Item(id: 1, name: "a")
            _ = try a.insertAndFetch(db, selection: [Column("id")]) { statement in
                kept = statement
                return try Int64.fetchOne(statement)
            }
            let b = Item(id: 2, name: "b")
            _ = try b.insertAndFetch(db, selection: [Column("id")]) { statement in
                #expect(statement !== kept)
                return try Int64.fetchOne(statement)
            }
            #expect(kept?.arguments == [1, "a"])
        }
    }

    /// A cursor that escapes its closure continues, with its own statement.
    @Test func aCursorThatLeavesItsClosure() throws {
        try withItems { db in
            let a = Item(id: 1, name: "a")
            let cursor = try a.insertAndFetch(db, selection: [Column("id")]) { statement in
                let cursor = try Int64.fetchCursor(statement)
                #expect(try cursor.next() == 1)
                return cursor
            }
            let b = Item(id: 2, name: "b")
            try b.insert(db)
            #expect(try b.updateAndFetch(db, selection: [Column("id")]) { try Int64.fetchOne($0) } == 2)
            #expect(try cursor.next() == nil)
            #expect(try names(db) == ["a", "b"])
        }
    }

    /// The statement of a retained cursor is not bound by others.
    @Test func theStatementOfAKeptCursor() throws {
        try withItems { db in
            let sql = "SELECT ? AS x"
            let statement = try Row.fetchCursor(db, sql: sql, arguments: [1]).statement
            #expect(try Int.fetchOne(db, sql: sql, arguments: [2]) == 2)
            #expect(statement.arguments == [1])
            #expect(try Int.fetchOne(statement) == 1)
        }
    }

    /// A released statement is reused.
    @Test func aStatementIsCompiledOnce() throws {
        try withItems { db in
            let sql = "SELECT ? AS x"
            let compiled = ObjectIdentifier(try Row.fetchCursor(db, sql: sql, arguments: [1]).statement)
            #expect(try Int.fetchOne(db, sql: sql, arguments: [2]) == 2)
            let cursor = try Row.fetchCursor(db, sql: sql, arguments: [3])
            #expect(ObjectIdentifier(cursor.statement) == compiled)
            // While it is in use, the same SQL uses another statement.
            let other = try Row.fetchCursor(db, sql: sql, arguments: [4])
            #expect(other.statement !== cursor.statement)
            #expect(try cursor.next()?["x"] == 3)
            #expect(try other.next()?["x"] == 4)
        }
    }

    /// An unread row or an error doesn't hold the database afterwards.
    @Test func anUnreadRowEndsWithItsUse() throws {
        try withItems { db in
            for id in 1...3 { try Item(id: Int64(id), name: "x").insert(db) }
            _ = try Item.fetchCursor(db).next()
            try db.execute(sql: "DROP TABLE item")
        }
    }

    /// SQL rejected by SQLite occupies no place in the pool.
    @Test func refusedSQLIsNotKept() throws {
        try withDatabase { db in
            let count = db.connection.pool.count
            for index in 0..<10 { expectError(.SQLITE_ERROR) { try Row.fetchAll(db, sql: "SELECT missing\(index)") } }
            #expect(db.connection.pool.count == count)
        }
    }
}
