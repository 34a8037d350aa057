// Values larger than SQLite accepts. A limit of 1,000 bytes replaces the one of 2 GiB.

import RowanSQLite
import Foundation
import Rowan
import Testing

struct TooLargeValueTests {
    struct Note: Codable, FetchableRecord, PersistableRecord {
        var text: String?
        var data: Data?
    }

    private func withLimit(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE note(text, data)")
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 1_000)
            try body(db)
            try #expect(Note.fetchCount(db) == 0)
        }
    }

    @Test func valuesThatAreTooLarge() throws {
        let text = String(repeating: "a", count: 2_000)
        let data = Data(count: 2_000)
        try withLimit { db in
            for value in [text, data] as [any DatabaseValueConvertible] {
                expectError(.SQLITE_TOOBIG) {
                    try db.execute(sql: "INSERT INTO note(text) VALUES (?)", arguments: [value])
                }
                expectError(.SQLITE_TOOBIG) {
                    try db.execute(sql: "INSERT INTO note(text) VALUES (:a)", arguments: ["a": value])
                }
                expectError(.SQLITE_TOOBIG) { try Table("note").filter(Column("text") == value).fetchCount(db) }
                let result = value.databaseValue
                let function = DatabaseFunction("f", argumentCount: 0) { _ in result }
                db.add(function: function)
                expectError(.SQLITE_TOOBIG) { try Row.fetchOne(db, sql: "SELECT f()") }
            }
            for note in [Note(text: text), Note(data: data)] {
                expectError(.SQLITE_TOOBIG) { try note.insert(db) }
                expectError(.SQLITE_TOOBIG) { try Note.insertAll(db, [note, note]) }
            }
        }
    }

    /// Arguments set without a check are rejected when the statement runs, rather than treated as NULL.
    @Test func argumentsThatAreSetWithoutACheck() throws {
        try withLimit { db in
            let statement = try db.makeStatement(sql: "SELECT ? IS NULL")
            for value in [String(repeating: "a", count: 2_000), Data(count: 2_000)] as [any DatabaseValueConvertible] {
                statement.setUncheckedArguments([value])
                expectError(.SQLITE_TOOBIG) { try Bool.fetchOne(statement) }
                expectError(.SQLITE_TOOBIG) { try statement.execute() }
                statement.setUncheckedArguments(["short"])
                try #expect(Bool.fetchOne(statement) == false)
                statement.setUncheckedArguments([])
                try #expect(Bool.fetchOne(statement) == true)
                statement.setUncheckedArguments([value])
                try #expect(Bool.fetchOne(statement, arguments: [1]) == false)
            }
        }
    }
}
