// Updates ignored by a trigger: the row exists, so it is neither missing nor inserted again.

import Foundation
import Rowan
import Testing

private struct Player: Codable, Equatable, FetchableRecord, PersistableRecord {
    var id: Int
    var name: String
}

private struct Watched: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int
    var name: String
    func willUpdate(_ db: Database, columns: Set<String>) throws {}
    func didUpdate(_ updated: PersistenceSuccess) {}
}

struct IgnoredUpdateTests {
    private let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO player VALUES (1, 'a');
        CREATE TRIGGER keep BEFORE UPDATE ON player WHEN OLD.id = 1 BEGIN SELECT RAISE(IGNORE); END
        """

    @Test func updates() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let player = Player(id: 1, name: "b")
            try player.update(db)
            try player.update(db, columns: ["name"])
            #expect(try player.updateChanges(db, from: Player(id: 1, name: "a")) == true)
            var other = Player(id: 1, name: "a")
            #expect(try other.updateChanges(db) { $0.name = "c" } == true)
            try Watched(id: 1, name: "b").update(db)
            #expect(try Player.fetchAll(db) == [Player(id: 1, name: "a")])
            // A row that does not exist is still missing.
            #expect(throws: RecordError.self) { try Player(id: 2, name: "b").update(db) }
            #expect(throws: RecordError.self) { try Watched(id: 2, name: "b").update(db) }
        }
    }

    /// Triggers that change other rows although the change of the record is ignored: SQLite counts them in its total.
    @Test func ignoredChangesOfTriggersThatWrite() throws {
        let schema = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO player VALUES (1, 'a'), (2, 'b');
            CREATE TABLE watched (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
            INSERT INTO watched VALUES (1, 'a'), (2, 'b');
            CREATE TABLE log (text TEXT);
            CREATE TRIGGER kept BEFORE DELETE ON player WHEN OLD.id = 1 BEGIN
                INSERT INTO log VALUES ('delete');
                SELECT RAISE(IGNORE);
            END;
            CREATE TRIGGER logged BEFORE UPDATE ON watched BEGIN INSERT INTO log VALUES ('update'); END;
            """
        struct Unique: Codable, PersistableRecord {
            static let databaseTableName = "watched"
            var id: Int
            var name: String
        }
        try inLoggedDatabase(schema) { db, _ throws in
            for _ in 1...2 {
                let isDeleted = try Player(id: 1, name: "a").delete(db)
                #expect(!isDeleted)
                #expect(throws: RecordError.self) { try Unique(id: 1, name: "b").update(db, onConflict: .ignore) }
            }
            #expect(try Player.fetchCount(db) == 2)
            #expect(
                try String.fetchAll(db, sql: "SELECT text FROM log") == ["delete", "update", "delete", "update"])
            let isDeleted = try Player(id: 2, name: "b").delete(db)
            #expect(isDeleted)
        }
    }

    @Test func saves() throws {
        try inLoggedDatabase(schema) { db, log throws in
            _ = log.take()
            try Player(id: 1, name: "b").save(db)
            try Watched(id: 1, name: "b").save(db)
            #expect(!log.take().contains { $0.hasPrefix("INSERT") })
            try Player(id: 2, name: "b").save(db)
            #expect(
                try Player.order(Column("id")).fetchAll(db) == [Player(id: 1, name: "a"), Player(id: 2, name: "b")])
            // There is no row to return.
            #expect(throws: RecordError.self) { try Player(id: 1, name: "b").updateAndFetch(db) }
            #expect(throws: RecordError.self) { try Player(id: 1, name: "b").saveAndFetch(db) }
        }
    }

    @Test func constraintsOfTheTable() throws {
        let schema = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT IGNORE);
            INSERT INTO player VALUES (1, 'a'), (2, 'b')
            """
        try inLoggedDatabase(schema) { db, _ throws in
            try Player(id: 1, name: "b").save(db)
            try Player(id: 1, name: "b").update(db)
            try Watched(id: 1, name: "b").save(db)
            #expect(try Player.fetchAll(db) == [Player(id: 1, name: "a"), Player(id: 2, name: "b")])
            #expect(throws: RecordError.self) { try Player(id: 3, name: "b").update(db) }
        }
    }

    /// For tables without such triggers, no additional statement checks the row.
    @Test func statements() throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)") { db, log throws in
            try Player(id: 1, name: "a").save(db)
            try Player(id: 2, name: "b").save(db)
            _ = log.take()
            try Player(id: 3, name: "c").save(db)
            #expect(log.take().filter { !$0.hasPrefix("SELECT type") }.count == 2, "an update, and an insertion")
        }
    }
}
