// Records whose row or key is missing: they find and change nothing, and throw.

import Rowan
import Testing

private final class Calls {
    var names: [String] = []
    func take() -> [String] {
        defer { names = [] }
        return names
    }
}

private struct Player: FetchableRecord, MutablePersistableRecord, Identifiable, Equatable {
    var id: Int64?
    var name: String
    var calls: Calls?

    init(id: Int64?, name: String, calls: Calls? = nil) {
        (self.id, self.name, self.calls) = (id, name, calls)
    }

    init(row: Row) throws { self.init(id: row["id"], name: row["name"]) }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }

    func willUpdate(_ db: Database, columns: Set<String>) throws { calls?.names.append("willUpdate") }
    func didUpdate(_ updated: PersistenceSuccess) { calls?.names.append("didUpdate") }
    func willInsert(_ db: Database) throws { calls?.names.append("willInsert") }
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
        calls?.names.append("didInsert \(inserted.persistenceContainer["id"] as Int64? ?? -1)")
    }

    static func == (a: Player, b: Player) -> Bool { a.id == b.id && a.name == b.name }
}

/// A record without the key's column.
private struct Nameless: PersistableRecord {
    static let databaseTableName = "player"
    func encode(to container: inout PersistenceContainer) { container["name"] = "x" }
}

private let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO player VALUES (1, 'a')"

struct MissingRowTests {
    @Test func updatesThatFetchFindNoRow() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let calls = Calls()
            var player = Player(id: 9, name: "x", calls: calls)
            #expect(missingKey { try player.updateAndFetch(db) } == ["id": 9.databaseValue])
            #expect(
                missingKey { try player.updateAndFetch(db, selection: [Column("name")]) { try String.fetchAll($0) } }
                    == ["id": 9.databaseValue])
            #expect(
                missingKey {
                    try player.updateChangesAndFetch(
                        db, selection: [Column("name")], fetch: { try String.fetchOne($0) }, modify: { $0.name = "y" })
                } == ["id": 9.databaseValue])
            #expect(calls.take() == ["willUpdate", "willUpdate", "willUpdate"])
            player.id = 1
            #expect(try player.updateAndFetch(db, selection: [Column("name")]) { try String.fetchAll($0) } == ["y"])
            #expect(calls.take() == ["willUpdate", "didUpdate"])
        }
    }

    @Test func savingUpdatesThenInserts() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let calls = Calls()
            var player = Player(id: 1, name: "b", calls: calls)
            #expect(try player.saveAndFetch(db, as: Player.self) == player)
            #expect(calls.take() == ["willUpdate", "didUpdate"])
            player.id = 2
            #expect(try player.saveAndFetch(db, as: Player.self) == player)
            #expect(calls.take() == ["willUpdate", "willInsert", "didInsert 2"])
            player.id = nil
            #expect(try player.saveAndFetch(db, as: Player.self) == player)
            #expect(calls.take() == ["willInsert", "didInsert 3"])
            let update = #"UPDATE "player" SET "name"=? WHERE "id"=? RETURNING *"#
            let insert = #"INSERT INTO "player" ("id", "name") VALUES (?,?) RETURNING *"#
            #expect(log.take() == [update, update, insert, insert])
        }
    }

    @Test func recordsWithoutKeyAreNotFound() throws {
        try inLoggedDatabase("\(schema); CREATE TABLE keyless (name TEXT)") { db, _ throws in
            #expect(missingKey { try Nameless().update(db) } == ["id": .null])
            #expect(missingKey { try Nameless().update(db, columns: ["name"]) } == ["id": .null])
            #expect(try !Nameless().delete(db))
            #expect(try !Nameless().exists(db))
            #expect(missingKey { try Player(id: nil, name: "x").update(db) } == ["id": .null])
            #expect(try Player.fetchAll(db) == [Player(id: 1, name: "a")])
        }
    }

    /// A nil key finds no rows, not even those with a NULL key, and no statement runs. A composite key with a nil part
    /// matches no row either.
    @Test func recordsWhoseKeyIsNil() throws {
        struct Pair: Codable, FetchableRecord, MutablePersistableRecord {
            var a: Int?
            var b: Int?
            var c = 1
        }
        let pairs = "CREATE TABLE pair (a INT, b INT, c INT, PRIMARY KEY (a, b)); INSERT INTO pair VALUES (1, NULL, 2)"
        try inLoggedDatabase("\(schema); INSERT INTO player VALUES (2, NULL); \(pairs)") { db, log throws in
            _ = log.take()
            var player = Player(id: nil, name: "x")
            #expect(missingKey { try player.update(db) } == ["id": .null])
            #expect(missingKey { try player.update(db, columns: ["name"]) } == ["id": .null])
            #expect(missingKey { try player.updateChanges(db) { $0.name = "y" } } == ["id": .null])
            #expect(missingKey { try player.updateAndFetch(db) } == ["id": .null])
            #expect(try !player.delete(db))
            #expect(try !player.exists(db))
            #expect(missingKey { try Pair(a: nil, b: nil).update(db) } == ["a": .null, "b": .null])
            #expect(try !Pair(a: nil, b: nil).delete(db))
            #expect(log.take() == [])
            #expect(missingKey { try Pair(a: 1, b: nil).update(db) } == ["a": 1.databaseValue, "b": .null])
            #expect(try !Pair(a: 1, b: nil).delete(db))
            #expect(try !Pair(a: 1, b: nil).exists(db))
            #expect(try Int.fetchOne(db, sql: "SELECT c FROM pair") == 2)
            try player.save(db)
            #expect(player.id == 3)
        }
    }

    @Test func keysThatAreNil() throws {
        struct Item: FetchableRecord, TableRecord, Identifiable, Decodable {
            var id: String?
        }
        try inLoggedDatabase("CREATE TABLE item (id TEXT PRIMARY KEY); INSERT INTO item VALUES (NULL), (NULL), ('a')") {
            db, log throws in
            #expect(try !Item.deleteOne(db, id: nil))
            #expect(try !Item.exists(db, id: nil))
            #expect(try Item.fetchOne(db, id: nil) == nil)
            #expect(try !Table<Item>("item").deleteOne(db, id: nil))
            #expect(try !Table<Item>("item").exists(db, id: nil))
            #expect(log.take() == [])
            #expect(try Item.filter(id: nil).fetchCount(db) == 0)
            #expect(try Table<Item>("item").filter(id: nil).fetchCount(db) == 0)
            #expect(try Item.deleteAll(db, ids: [nil, "a"]) == 1)
            #expect(try Table<Item>("item").deleteAll(db, ids: [nil, "a"]) == 0)
            #expect(try Item.fetchCount(db) == 2)
        }
    }

    /// SQLite does not count changes to a view, because its triggers make them.
    @Test func aRowOfAViewIsDeleted() throws {
        struct Source: DatabaseSchemaSource {
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { ["id"] }
        }
        struct Person: TableRecord, Identifiable { var id: Int64 }
        var configuration = Configuration()
        configuration.schemaSource = Source()
        let views = """
            \(schema); CREATE VIEW person AS SELECT * FROM player;
            CREATE TRIGGER person_delete INSTEAD OF DELETE ON person BEGIN DELETE FROM player WHERE id = OLD.id; END
            """
        try inLoggedDatabase(views, configuration: configuration) { db, _ throws in
            #expect(try Person.deleteOne(db, id: 1))
            #expect(try !Person.deleteOne(db, id: 1))
            #expect(try Player.fetchCount(db) == 0)
        }
    }
}
