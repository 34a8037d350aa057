// Updates set the columns that the record and the table have in common, unless the configuration is strict.

import Rowan
import Testing

/// A newer record type than its table.
private struct Player: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var email: String?
    var score = 0
    enum Columns {
        static let name = Column("name")
        static let email = Column("email")
    }
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER DEFAULT 5);
    INSERT INTO player VALUES (1, 'a', 1);
    CREATE VIEW old AS SELECT id, name FROM player;
    CREATE TRIGGER old_update INSTEAD OF UPDATE ON old BEGIN UPDATE player SET name = NEW.name WHERE id = NEW.id; END
    """

@Suite struct StrictColumnsTests {
    private let player = Player(id: 1, name: "b", email: "e", score: 2)

    private func row(_ db: Database) throws -> Row? { try Row.fetchOne(db, sql: "SELECT * FROM player") }

    @Test func anUpdateSetsTheColumnsOfTheTable() throws {
        try inLoggedDatabase(schema) { db, log throws in
            try player.update(db)
            #expect(log.take() == [#"UPDATE "player" SET "name"=?, "score"=? WHERE "id"=?"#])
            var saved = player
            saved.name = "c"
            try saved.save(db)
            #expect(try row(db) == ["id": 1, "name": "c", "score": 2])
            _ = log.take()
            #expect(try saved.updateChanges(db) { ($0.name, $0.email) = ("d", "f") })
            #expect(log.take() == [#"UPDATE "player" SET "name"=? WHERE "id"=?"#])
            let fetched = try player.updateAndFetch(db, selection: [Column("name")]) { try String.fetchOne($0) }
            #expect(fetched == "b")
            _ = log.take()
            // The record and the table only have the key in common.
            #expect(try saved.updateChanges(db) { $0.email = "g" })
            #expect(log.take() == [#"UPDATE "player" SET "id"=? WHERE "id"=?"#])
            try db.alter(table: "player") { $0.add(column: "email", .text) }
            try player.update(db)
            #expect(try row(db) == ["id": 1, "name": "b", "score": 2, "email": "e"])
        }
    }

    @Test func namedColumns() throws {
        try inLoggedDatabase(schema) { db, log throws in
            try player.update(db, columns: ["name", "email", "nmae"])
            #expect(log.take() == [#"UPDATE "player" SET "name"=? WHERE "id"=?"#])
            try player.update(db, columns: [Player.Columns.email])
            #expect(log.take() == [#"UPDATE "player" SET "id"=? WHERE "id"=?"#])
            #expect(throws: RecordError.self) { try Player(id: 9, name: "").update(db, columns: ["email"]) }
        }
    }

    /// Another connection adds the column that an update has omitted.
    @Test(arguments: [ConnectionKind.fileQueue, .pool])
    func aColumnThatAnotherConnectionAdds(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try writer.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)") }
        try writer.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'a')")
            try player.update(db)
        }
        try DatabaseQueue(path: writer.path).write { db in
            try db.execute(sql: "ALTER TABLE player ADD COLUMN email TEXT")
        }
        try writer.write { try player.update($0) }
        #expect(try writer.read(row) == ["id": 1, "name": "b", "email": "e"])
    }

    @Test func namesOfTheRowID() throws {
        struct Entry: Codable, PersistableRecord {
            var code: String
            var rowid: Int64
        }
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE entry (code TEXT PRIMARY KEY); INSERT INTO entry VALUES ('a')")
            try Entry(code: "a", rowid: 7).update(db)
            #expect(try Int.fetchOne(db, sql: "SELECT rowid FROM entry") == 7)
        }
    }

    @Test func views() throws {
        struct Old: Codable, MutablePersistableRecord {
            static let databaseTableName = "old"
            var id: Int64
            var name: String
            var score: Int
        }
        var configuration = Configuration()
        configuration.schemaSource = Keys()
        try DatabaseQueue(configuration: configuration).write { db in
            try db.execute(sql: schema)
            try Old(id: 1, name: "v", score: 7).update(db)
            #expect(try row(db) == ["id": 1, "name": "v", "score": 1])
        }
    }

    private struct Keys: DatabaseSchemaSource {
        func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { ["id"] }
    }

    /// A row without one of the record's columns would lose a value.
    @Test func insertionsThrow() throws {
        try withDatabase { db in
            try db.execute(sql: schema)
            for id in [2, nil] as [Int64?] {
                var new = Player(id: id, name: "n", email: "e")
                expectError(.SQLITE_ERROR, "table player has no column named email") { try new.insert(db) }
                expectError(.SQLITE_ERROR, "table player has no column named email") { try new.save(db) }
                expectError(.SQLITE_ERROR, "table player has no column named email") { try new.upsert(db) }
            }
            expectError(.SQLITE_ERROR, "table player has no column named email") { try Player.insertAll(db, [player]) }
        }
    }

    @Test func strictColumns() throws {
        var configuration = Configuration()
        configuration.strictColumns = true
        try DatabaseQueue(configuration: configuration).write { db in
            try db.execute(sql: schema)
            expectError(.SQLITE_ERROR, "no such column: email") { try player.update(db) }
            expectError(.SQLITE_ERROR, "no such column: email") { try player.update(db, columns: ["email"]) }
            expectError(.SQLITE_MISUSE, #"Player does not encode column "nmae""#) {
                try player.update(db, columns: ["nmae"])
            }
            try player.update(db, columns: ["name"])
            #expect(try row(db) == ["id": 1, "name": "b", "score": 1])
        }
    }
}
