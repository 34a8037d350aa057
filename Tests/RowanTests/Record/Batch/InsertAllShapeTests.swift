// The statements of insertAll, depending on the schema: several rows per statement only if SQLite needs no statement
// journal, or if the table has no index.

import Rowan
import Testing

private struct Item: Codable, PersistableRecord, Equatable, FetchableRecord {
    var id: Int64
    var a: Int
    var b: Int?
}

private let several = #"INSERT INTO "item" ("id", "a", "b") VALUES (?,?,?),(?,?,?),(?,?,?),(?,?,?)"#
private let keeping = #"INSERT OR FAIL INTO "item" ("id", "a", "b") VALUES (?,?,?),(?,?,?),(?,?,?),(?,?,?)"#
private let single = #"INSERT INTO "item" ("id", "a", "b") VALUES (?,?,?)"#

@Suite struct InsertAllShapeTests {
    private let items = (1...4).map { Item(id: $0, a: Int($0) * 10, b: nil) }

    /// The statements that insert the items.
    private func statements(
        _ schema: String, onConflict resolution: Database.ConflictResolution? = nil, isUpsert: Bool = false
    ) throws -> [String] {
        try inLoggedDatabase(schema) { db, log throws in
            // The schema is cached.
            _ = try db.indexes(on: "item")
            _ = log.take()
            if isUpsert {
                try Item.upsertAll(db, items, callbacks: .skipped)
            } else {
                try Item.insertAll(db, items, onConflict: resolution, callbacks: .skipped)
            }
            let statements = log.take().filter { $0.hasPrefix("INSERT") }
            #expect(try Item.fetchAll(db) == items)
            return statements
        }
    }

    private let plain = "CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER NOT NULL CHECK (a > 0), b INTEGER)"
    private let unique = "CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER UNIQUE, b INTEGER)"

    @Test func withoutIndexes() throws {
        #expect(try statements(plain) == [several])
        #expect(try statements(plain + "; CREATE TRIGGER t AFTER INSERT ON item BEGIN SELECT 1; END") == [several])
        #expect(try statements(plain, isUpsert: true).count == 1)
    }

    @Test func indexes() throws {
        #expect(try statements(unique) == [keeping])
        #expect(try statements(plain + "; CREATE INDEX i ON item(b)") == [keeping])
        #expect(try statements(plain + "; CREATE INDEX i ON item(abs(b)) WHERE b > 1") == [keeping])
        #expect(
            try statements("CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER) WITHOUT ROWID")
                == [keeping])
        #expect(try statements(unique, onConflict: .fail) == [keeping])
        let ignoring = keeping.replacing("FAIL", with: "IGNORE")
        #expect(try statements(unique, onConflict: .ignore) == [ignoring])
    }

    /// Definitions that may fail after the row is inserted, or that the statement's conflict clause would override.
    @Test func oneRowAStatement() throws {
        let four = Array(repeating: single, count: 4)
        let definitions = [
            unique.replacing("UNIQUE", with: "UNIQUE ON CONFLICT REPLACE"),
            unique + "; CREATE TRIGGER t AFTER INSERT ON item BEGIN SELECT 1; END",
            unique + "; CREATE TEMP TRIGGER t AFTER INSERT ON main.item BEGIN SELECT 1; END",
            "CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER UNIQUE, b INTEGER REFERENCES item)",
        ]
        for definition in definitions { #expect(try statements(definition) == four, "\(definition)") }
        #expect(try statements(unique, onConflict: .replace).count == 4)
        #expect(try statements(unique, isUpsert: true).count == 4)
    }

    /// A failure undoes all rows and names the record, whatever the statements.
    @Test func failures() throws {
        let definitions = [
            plain, unique, unique + "; CREATE INDEX i ON item(b)",
            unique + "; CREATE TRIGGER t AFTER INSERT ON item BEGIN SELECT 1; END",
        ]
        for definition in definitions {
            try withDatabase { db in
                try db.execute(sql: definition)
                try Item(id: 100, a: 7, b: nil).insert(db)
                var records = (1...150).map { Item(id: $0 + 1_000, a: Int($0) + 10, b: 0) }
                records[70].id = 100
                let error = expectError(.SQLITE_CONSTRAINT_PRIMARYKEY) {
                    try Item.insertAll(db, records, callbacks: .skipped)
                }
                #expect(error?.message == "UNIQUE constraint failed: item.id - inserting the record at index 70")
                #expect(try Item.fetchAll(db) == [Item(id: 100, a: 7, b: nil)])
                records[70].id = 2_000
                try Item.insertAll(db, records, callbacks: .skipped)
                #expect(try Item.fetchCount(db) == 151)
            }
        }
    }

    /// SQLite keeps the rows before a value of the wrong type, but does not count them.
    @Test func aStrictTable() throws {
        struct Loose: Codable, PersistableRecord {
            static let databaseTableName = "item"
            var id: Int64
            var a: String
        }
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER UNIQUE) STRICT")
            let records = (1...10).map { Loose(id: $0, a: $0 == 5 ? "five" : "\($0)") }
            let error = expectError(.SQLITE_CONSTRAINT) { try Loose.insertAll(db, records, callbacks: .skipped) }
            #expect(
                error?.message
                    == "cannot store TEXT value in INTEGER column item.a - inserting the record at index 4")
            #expect(try Loose.fetchCount(db) == 0)
        }
    }
}
