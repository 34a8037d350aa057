import Rowan
import Testing

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER DEFAULT 5);
    INSERT INTO player VALUES (1, 'Arthur', 10), (2, 'Barbara', 20)
    """

private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord, Identifiable {
    var id: Int64?
    var name: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct FullPlayer: Codable, Equatable, FetchableRecord, TableRecord {
    static let databaseTableName = "player"
    var id: Int64
    var name: String
    var score: Int
}

private struct Country: Codable, Equatable, FetchableRecord, PersistableRecord {
    var code: String
    var name: String
}

struct SaveAndDeleteTests {
    @Test func saveInsertsWithoutKey() throws {
        try inLoggedDatabase(schema) { db, log throws in
            var player = Player(id: nil, name: "Craig")
            try player.save(db)
            #expect(player.id == 3)
            #expect(log.takeExpanded() == [#"INSERT INTO "player" ("id", "name") VALUES (NULL,'Craig')"#])
        }
    }

    @Test func saveUpdatesTheRowOfTheKey() throws {
        try inLoggedDatabase(schema) { db, log throws in
            var player = Player(id: 1, name: "Arthur II")
            try player.save(db)
            #expect(log.takeExpanded() == [#"UPDATE "player" SET "name"='Arthur II' WHERE "id"=1"#])
            #expect(try FullPlayer.fetchOne(db, key: 1) == FullPlayer(id: 1, name: "Arthur II", score: 10))
        }
    }

    @Test func saveInsertsWhatNoUpdateFinds() throws {
        try inLoggedDatabase(schema) { db, log throws in
            var player = Player(id: 9, name: "Ninth")
            try player.save(db)
            #expect(
                log.takeExpanded() == [
                    #"UPDATE "player" SET "name"='Ninth' WHERE "id"=9"#,
                    #"INSERT INTO "player" ("id", "name") VALUES (9,'Ninth')"#,
                ])
            #expect(player.id == 9)
        }
    }

    @Test func savedLeavesTheRecordAsItIs() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let player = Player(id: nil, name: "Craig")
            #expect(try player.saved(db) == Player(id: 3, name: "Craig"))
            #expect(player.id == nil)
        }
    }

    @Test func saveAndFetch() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            #expect(try Player(id: nil, name: "Craig").saveAndFetch(db) == Player(id: 3, name: "Craig"))
            #expect(try Player(id: 1, name: "A").saveAndFetch(db) == Player(id: 1, name: "A"))
            var player = Player(id: nil, name: "David")
            #expect(try player.saveAndFetch(db, as: FullPlayer.self) == FullPlayer(id: 4, name: "David", score: 5))
            #expect(player.id == 4)
            player.name = "David II"
            let score = try player.saveAndFetch(db, selection: [Column("score")]) { try Int.fetchOne($0) }
            #expect(score == 5)
            var ninth = Player(id: 9, name: "Ninth")
            let row = try ninth.saveAndFetch(db, selection: [.allColumns]) { try Row.fetchOne($0) }
            #expect(row == ["id": 9, "name": "Ninth", "score": 5])
        }
    }

    @Test func immutableRecordsSave() throws {
        try inLoggedDatabase("CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT)") { db, log throws in
            let country = Country(code: "FR", name: "France")
            try country.save(db)
            try country.save(db)
            #expect(
                log.take() == [
                    #"UPDATE "country" SET "name"=? WHERE "code"=?"#,
                    #"INSERT INTO "country" ("code", "name") VALUES (?,?)"#,
                    #"UPDATE "country" SET "name"=? WHERE "code"=?"#,
                ])
            #expect(try country.saveAndFetch(db) == country)
            #expect(try country.saveAndFetch(db, as: Country.self) == country)
            #expect(try country.saved(db) == country)
            #expect(try Country.fetchAll(db) == [country])
        }
    }

    @Test func deleteTellsWhetherThereWasARow() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let player = Player(id: 1, name: "whatever")
            #expect(try player.delete(db))
            #expect(try !player.delete(db))
            #expect(log.takeExpanded() == Array(repeating: #"DELETE FROM "player" WHERE "id"=1"#, count: 2))
            #expect(try !Player(id: nil, name: "").delete(db))
            #expect(try Player.fetchCount(db) == 1)
        }
    }

    @Test func deleteOne() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.deleteOne(db, id: 1))
            #expect(try !Player.deleteOne(db, key: 1))
            #expect(try Player.deleteOne(db, key: ["name": "Barbara"]))
            #expect(
                log.takeExpanded() == [
                    #"DELETE FROM "player" WHERE "id" = 1"#, #"DELETE FROM "player" WHERE "id" = 1"#,
                    #"DELETE FROM "player" WHERE "name" = 'Barbara'"#,
                ])
            let error = databaseError { try Player.deleteOne(db, key: ["score": 1]) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
        }
    }

    @Test func deleteAll() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.deleteAll(db, ids: []) == 0)
            #expect(try Player.deleteAll(db, keys: [] as [Int]) == 0)
            #expect(log.take() == [])
            #expect(try Player.deleteAll(db, ids: [1, 9]) == 1)
            #expect(try Player.deleteAll(db, keys: [1, 2]) == 1)
            try db.execute(sql: "INSERT INTO player VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)")
            #expect(try Player.deleteAll(db, keys: [["name": "a"], ["id": 2]]) == 2)
            #expect(try Player.deleteAll(db) == 1)
            #expect(log.takeExpanded().last == #"DELETE FROM "player""#)
        }
    }

    @Test func aRecordThatDoesNotEncodeItsKeyIsInserted() throws {
        struct Nameless: PersistableRecord {
            static let databaseTableName = "player"
            func encode(to container: inout PersistenceContainer) { container["score"] = 1 }
        }
        try inLoggedDatabase(schema) { db, _ throws in
            try Nameless().save(db)
            #expect(try Player.fetchCount(db) == 2 + 1)
        }
    }
}
