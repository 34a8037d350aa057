import Rowan
import Testing

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, level INTEGER AS (score / 10));
    INSERT INTO player (id, name, score) VALUES (1, 'Arthur', 10), (2, 'Barbara', 20)
    """

private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord, Identifiable {
    var id: Int64?
    var name: String
    var score: Int

    enum Columns {
        static let name = Column(CodingKeys.name)
        static let score = Column(CodingKeys.score)
        static let level = Column("level")
    }
}

private struct Level: Decodable, Equatable, FetchableRecord, TableRecord {
    static let databaseTableName = "player"
    static var databaseSelection: [any SQLSelectable] { [Column("name"), Column("level")] }
    var name: String
    var level: Int
}

struct UpdateTests {
    @Test func updateWritesAllColumnsButTheKey() throws {
        try inLoggedDatabase(schema) { db, log throws in
            try Player(id: 1, name: "Arthur II", score: 11).update(db)
            #expect(log.takeExpanded() == [#"UPDATE "player" SET "name"='Arthur II', "score"=11 WHERE "id"=1"#])
            #expect(try Player.fetchOne(db, id: 1) == Player(id: 1, name: "Arthur II", score: 11))
            #expect(try Player.fetchOne(db, id: 2)?.name == "Barbara")
        }
    }

    @Test func updateWritesSomeColumns() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let player = Player(id: 1, name: "ignored", score: 99)
            try player.update(db, columns: ["score"])
            try player.update(db, columns: [Column("score")])
            try player.update(db, columns: [Player.Columns.score])
            try player.update(db, columns: ["SCORE", "id"] as Set)
            #expect(log.takeExpanded() == Array(repeating: #"UPDATE "player" SET "score"=99 WHERE "id"=1"#, count: 4))
            #expect(try Player.fetchOne(db, id: 1) == Player(id: 1, name: "Arthur", score: 99))
            try player.update(db, columns: ["score", "name"])
            #expect(log.take().last == #"UPDATE "player" SET "name"=?, "score"=? WHERE "id"=?"#)
        }
    }

    @Test func noColumnTellsWhetherTheRowExists() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try Player(id: 1, name: "", score: 0).update(db, columns: [] as [String])
            #expect(try Player.fetchOne(db, id: 1)?.name == "Arthur")
            let key = missingKey { try Player(id: 9, name: "", score: 0).update(db, columns: [] as [String]) }
            #expect(key == ["id": 9.databaseValue])
        }
    }

    @Test func aMissingRowIsAnError() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Player(id: 9, name: "Nobody", score: 0)
            #expect(missingKey { try player.update(db) } == ["id": 9.databaseValue])
            #expect(missingKey { try player.update(db, columns: ["score"]) } == ["id": 9.databaseValue])
            #expect(missingKey { try player.updateChanges(db) { $0.score = 1 } } == ["id": 9.databaseValue])
            #expect(missingKey { try player.updateAndFetch(db) } == ["id": 9.databaseValue])
            #expect(missingKey { try player.updateAndFetch(db, as: Level.self) } == ["id": 9.databaseValue])
            #expect(missingKey { try player.updateChangesAndFetch(db) { $0.score = 2 } } == ["id": 9.databaseValue])
            player.id = nil
            #expect(missingKey { try player.update(db) } == ["id": .null])
        }
    }

    @Test func updateChangesFromAnotherRecord() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let old = try #require(try Player.fetchOne(db, id: 1))
            var new = old
            _ = log.takeAll()
            #expect(try new.updateChanges(db, from: old) == false)
            #expect(log.takeAll() == [], "no change does not hit the database")
            new.score = 100
            #expect(try new.updateChanges(db, from: old))
            #expect(log.takeExpanded() == [#"UPDATE "player" SET "score"=100 WHERE "id"=1"#])
            new.name = "Arthur II"
            #expect(try new.updateChanges(db, from: Level2(id: 1, score: 100)))
            #expect(log.takeExpanded() == [#"UPDATE "player" SET "name"='Arthur II' WHERE "id"=1"#])
        }
    }

    private struct Level2: Encodable, PersistableRecord {
        static let databaseTableName = "player"
        var id: Int64
        var score: Int
    }

    @Test func updateChangesInPlace() throws {
        try inLoggedDatabase(schema) { db, log throws in
            var player = try Player.find(db, id: 1)
            _ = log.takeAll()
            let isModified = try player.updateChanges(db) { $0.score = 10 }
            #expect(!isModified)
            #expect(log.takeAll() == [])
            let isModifiedAgain = try player.updateChanges(db) { $0.score += 1 }
            #expect(isModifiedAgain)
            #expect(player.score == 11)
            #expect(log.takeExpanded() == [#"UPDATE "player" SET "score"=11 WHERE "id"=1"#])
            #expect(throws: CallbackFailure("modify")) {
                try player.updateChanges(db) { _ in throw CallbackFailure("modify") }
            }
        }
    }

    @Test func updateAndFetch() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let player = Player(id: 1, name: "Arthur", score: 55)
            #expect(try player.updateAndFetch(db) == player)
            #expect(log.take() == [#"UPDATE "player" SET "name"=?, "score"=? WHERE "id"=? RETURNING *"#])
            #expect(try player.updateAndFetch(db, as: Level.self) == Level(name: "Arthur", level: 5))
            #expect(log.take() == [#"UPDATE "player" SET "name"=?, "score"=? WHERE "id"=? RETURNING "name", "level""#])
            let level = try player.updateAndFetch(db, selection: [Column("level")]) { try Int.fetchOne($0) }
            #expect(level == 5)
            let next = try player.updateAndFetch(db, columns: ["score"], selection: [Column("level") + 1]) {
                try Int.fetchOne($0)
            }
            #expect(next == 6)
            #expect(log.take().last == #"UPDATE "player" SET "score"=? WHERE "id"=? RETURNING "level" + ?"#)
            let again = try player.updateAndFetch(db, columns: [Column("score")], selection: [Column("level")]) {
                try Int.fetchOne($0)
            }
            #expect(again == 5)
        }
    }

    @Test func updateChangesAndFetch() throws {
        try inLoggedDatabase(schema) { db, log throws in
            var player = try Player.find(db, id: 2)
            _ = log.takeAll()
            let unchanged = try player.updateChangesAndFetch(db) { $0.score = 20 }
            #expect(unchanged == nil)
            #expect(log.takeAll() == [])
            let stored = try player.updateChangesAndFetch(db) { $0.score = 30 }
            #expect(stored == player)
            #expect(log.takeExpanded() == [#"UPDATE "player" SET "score"=30 WHERE "id"=2 RETURNING *"#])
            let level = try player.updateChangesAndFetch(db, as: Level.self) { $0.score = 40 }
            #expect(level == Level(name: "Barbara", level: 4))
            let number = try player.updateChangesAndFetch(
                db, selection: [Column("level")], fetch: { try Int.fetchOne($0) }, modify: { $0.score = 50 })
            #expect(number == 5)
        }
    }

    @Test func updateAll() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.updateAll(db) { $0.score += 100 } == 2)
            #expect(try Player.updateAll(db) { [$0.score -= 1, $0.name.set(to: nil)] } == 2)
            #expect(try Player.updateAll(db, Column("score").set(to: 0), Column("name").set(to: "x")) == 2)
            #expect(try Player.updateAll(db, onConflict: .ignore, [Column("score").set(to: 1)]) == 2)
            #expect(try Player.updateAll(db, [ColumnAssignment]()) == 0)
            #expect(
                log.takeExpanded() == [
                    #"UPDATE "player" SET "score" = "score" + 100"#,
                    #"UPDATE "player" SET "score" = "score" - 1, "name" = NULL"#,
                    #"UPDATE "player" SET "score" = 0, "name" = 'x'"#,
                    #"UPDATE OR IGNORE "player" SET "score" = 1"#,
                ])
        }
    }
}
