// The number of times that saved records encode themselves, and the values seen by their callbacks.

import Rowan
import Synchronization
import Testing

/// Counts the encodings of the tests that run in this task.
private enum Encodings {
    @TaskLocal static var count = Log<String>()
}

private struct Note: Codable, FetchableRecord, PersistableRecord, Equatable {
    struct Tags: Codable, Equatable { var names: [String] }
    var id: String?
    var text: String
    var tags: Tags

    func encode(to container: inout PersistenceContainer) throws {
        Encodings.count.append("encode")
        container["id"] = id
        container["text"] = text
        container["tags"] = tags.names.joined(separator: ",")
    }

    init(id: String?, text: String, tags: [String] = []) {
        (self.id, self.text, self.tags) = (id, text, Tags(names: tags))
    }

    init(row: Row) throws {
        self.init(
            id: row["id"], text: row["text"], tags: (row["tags"] as String).split(separator: ",").map(String.init))
    }
}

/// A record whose callbacks change it.
private struct Stamped: MutablePersistableRecord {
    static let databaseTableName = "note"
    var id: String?
    var text: String

    func encode(to container: inout PersistenceContainer) { (container["id"], container["text"]) = (id, text) }
    mutating func willInsert(_ db: Database) throws { text += " (inserted)" }
}

/// A class that changes itself before an update.
private final class Counted: PersistableRecord {
    static var databaseTableName: String { "note" }
    let id: String
    var text: String
    init(_ id: String, _ text: String) { (self.id, self.text) = (id, text) }
    func encode(to container: inout PersistenceContainer) { (container["id"], container["text"]) = (id, text) }
    func willUpdate(_ db: Database, columns: Set<String>) throws { text += " (updated)" }
}

struct SaveEncodingTests {
    private func withNotes(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE note(id TEXT PRIMARY KEY, text TEXT, tags TEXT)")
            try Encodings.$count.withValue(Log<String>()) { try body(db) }
        }
    }

    /// From the third record on, Rowan has detected the type's callbacks.
    @Test func aSavedRecordIsEncodedOnce() throws {
        try withNotes { db in
            for number in 1...3 { try Note(id: "\(number)", text: "a").save(db) }
            for number in 1...3 { try Note(id: "\(number)", text: "b").save(db) }
            let before = Encodings.count.elements.count
            try Note(id: "new", text: "c", tags: ["x", "y"]).save(db)
            #expect(Encodings.count.elements.count == before + 1)
            try Note(id: "new", text: "d").save(db)
            #expect(Encodings.count.elements.count == before + 2)
            try Note(id: nil, text: "e").save(db)
            #expect(Encodings.count.elements.count == before + 3)
            let notes = try Note.order(Column("text"), Column("id")).fetchAll(db)
            #expect(
                notes == [
                    Note(id: "1", text: "b"), Note(id: "2", text: "b"), Note(id: "3", text: "b"),
                    Note(id: "new", text: "d"), Note(id: nil, text: "e"),
                ])
        }
    }

    @Test func callbacksChangeTheRecord() throws {
        try withNotes { db in
            for number in 1...4 {
                var record = Stamped(id: "\(number)", text: "a")
                try record.save(db)
                #expect(record.text == "a (inserted)")
                record.text = "b"
                try record.save(db)
                #expect(record.text == "b")
                try Counted("\(number)", "c").save(db)
                try Counted("c\(number)", "c").save(db)
            }
            let texts = try String.fetchAll(db, sql: "SELECT text FROM note ORDER BY rowid")
            // The update that finds no row has changed the object before its insertion.
            #expect(texts == Array(repeating: "c (updated)", count: 8))
            var record = Stamped(id: "s", text: "a")
            try record.save(db)
            #expect(try String.fetchOne(db, sql: "SELECT text FROM note WHERE id = 's'") == "a (inserted)")
        }
    }

    /// Records of the same type with varying columns, and a schema change.
    @Test func varyingColumns() throws {
        struct Part: PersistableRecord {
            static let databaseTableName = "note"
            var values: [(String, String?)]
            func encode(to container: inout PersistenceContainer) {
                for (name, value) in values { container[name] = value }
            }
        }
        try withNotes { db in
            for round in 0..<3 {
                try Part(values: [("id", "\(round)"), ("text", "a")]).save(db)
                try Part(values: [("text", "b"), ("id", "\(round)")]).save(db)
                try Part(values: [("tags", "t"), ("ID", "\(round)")]).save(db)
                try Part(values: [("text", "n"), ("tags", "u")]).save(db)
                try db.execute(sql: "ALTER TABLE note ADD COLUMN c\(round)")
                try Part(values: [("id", "\(round)"), ("c\(round)", "x")]).save(db)
            }
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM note WHERE id IS NOT NULL ORDER BY id")
            #expect(
                rows == [
                    ["id": "0", "text": "b", "tags": "t", "c0": "x", "c1": nil, "c2": nil],
                    ["id": "1", "text": "b", "tags": "t", "c0": nil, "c1": "x", "c2": nil],
                    ["id": "2", "text": "b", "tags": "t", "c0": nil, "c1": nil, "c2": "x"],
                ])
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM note WHERE id IS NULL AND tags = 'u'") == 3)
        }
    }

    // MARK: Upserts

    /// The rowid is only returned for callbacks that receive it.
    @Test func upsertsReturnTheRowIDOnDemand() throws {
        struct Player: Codable, MutablePersistableRecord {
            var id: Int64?
            var name: String
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE status(id INTEGER PRIMARY KEY, name TEXT UNIQUE, text TEXT);
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
                    """)
            struct Status: Codable, PersistableRecord {
                var id: Int64?
                var name: String
                var text: String
            }
            var statements: [String] = []
            db.trace { statements.append($0.description) }
            for round in 1...3 {
                for name in ["a", "b"] { try Status(id: nil, name: name, text: "\(round)").upsert(db) }
            }
            let sql =
                #"INSERT INTO "status" ("id", "name", "text") VALUES (?,?,?) "#
                + #"ON CONFLICT DO UPDATE SET "name" = "excluded"."name", "text" = "excluded"."text""#
            #expect(statements == [sql + #" RETURNING "rowid""#] + Array(repeating: sql, count: 5))
            #expect(try String.fetchAll(db, sql: "SELECT name || text FROM status") == ["a3", "b3"])
            var ids: [Int64?] = []
            for _ in 1...3 {
                for name in ["x", "y"] {
                    var player = Player(id: nil, name: name)
                    try player.upsert(db)
                    ids.append(player.id)
                }
            }
            #expect(ids == [1, 2, 1, 2, 1, 2])
        }
    }

    // MARK: The Record class

    @Test func changesOfTheRecordClass() throws {
        final class Item: Record {
            var id: Int64?
            var values: [(String, String?)]
            override class var databaseTableName: String { "item" }
            init(_ values: [(String, String?)]) {
                self.values = values
                super.init()
            }
            required init(row: Row) throws {
                id = row["id"]
                values = ["a", "b", "c"].map { ($0, row[$0]) }
                try super.init(row: row)
            }
            override func encode(to container: inout PersistenceContainer) throws {
                container["id"] = id
                for (name, value) in values { container[name] = value }
            }
            override func didInsert(_ inserted: InsertionSuccess) {
                super.didInsert(inserted)
                id = inserted.rowID
            }
        }
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT)")
            let item = Item([("a", "1"), ("b", "2"), ("c", "3")])
            try item.insert(db)
            #expect(!item.hasDatabaseChanges)
            item.values = [("a", "x"), ("b", "y"), ("c", "3")]
            #expect(try item.databaseChanges == ["a": "1".databaseValue, "b": "2".databaseValue])
            // Only one of the two changes is stored, with another spelling.
            try item.update(db, columns: ["A"])
            #expect(try item.databaseChanges == ["b": "2".databaseValue])
            #expect(try item.updateChanges(db))
            #expect(try !item.updateChanges(db))
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM item") == ["id": 1, "a": "x", "b": "y", "c": "3"])
            // A fetched object stores its row; columns that were not fetched are unknown.
            let fetched = try #require(try Item.select(Column("id"), Column("a")).fetchOne(db))
            fetched.values = [("a", "z"), ("b", "y")]
            #expect(try fetched.databaseChanges == ["a": "x".databaseValue, "b": nil])
            try fetched.update(db, columns: ["a"])
            #expect(try fetched.databaseChanges == ["b": nil])
            try fetched.update(db)
            #expect(!fetched.hasDatabaseChanges)
        }
    }
}
