// Runs the code of the documentation's overview, and checks that the overview contains this code.

import Foundation
import Rowan
import Synchronization
import Testing

private struct Player: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var team: String?
    var score: Int

    enum Columns {
        static let name = Column(CodingKeys.name)
        static let team = Column(CodingKeys.team)
        static let score = Column(CodingKeys.score)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

@Suite struct OverviewTests {
    @Test func theCodeOfTheOverviewRuns() throws {
        let dbQueue = try DatabaseQueue()

        try dbQueue.write { db in
            // CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT,
            //   "name" TEXT NOT NULL, "team" TEXT, "score" INTEGER NOT NULL DEFAULT 0)
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("team", .text)
                t.column("score", .integer).notNull().defaults(to: 0)
            }
        }

        try dbQueue.write { db in
            // INSERT INTO "player" ("id", "name", "team", "score") VALUES (?,?,?,?)
            var player = Player(id: nil, name: "Arthur", team: "Reds", score: 100)
            try player.insert(db)

            // UPDATE "player" SET "score"=? WHERE "id"=?
            try player.updateChanges(db) { $0.score += 900 }
        }

        let best = try dbQueue.read { db in
            // SELECT * FROM "player" WHERE "score" >= ? ORDER BY "score" DESC LIMIT 10
            try Player
                .filter { $0.score >= 1000 }
                .order(\.score.desc)
                .limit(10)
                .fetchAll(db)
        }
        #expect(best.map(\.name) == ["Arthur"])
        #expect(best.map(\.id) == [1])

        try dbQueue.write { db in
            // UPDATE "player" SET "score" = "score" + ? WHERE "team" = ?
            try Player.filter { $0.team == "Reds" }.updateAll(db) { $0.score += 100 }
        }

        let name = "Arthur"
        let score = try dbQueue.read { db in
            try Int.fetchOne(db, sql: "SELECT score FROM player WHERE name = ?", arguments: [name])
        }
        let request: SQLRequest<Player> = "SELECT * FROM player WHERE name = \(name)"
        let arthur = try dbQueue.read(request.fetchOne)
        #expect(score == 1100)
        #expect(arthur?.score == 1100)

        do {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES (NULL)")
            }
        } catch DatabaseError.SQLITE_CONSTRAINT_NOTNULL {
            // The transaction is rolled back.
        }
        #expect(try dbQueue.read(Player.fetchCount) == 1)
    }

    @Test func theSQLOfTheOverviewIsTheOneThatRuns() throws {
        let log = Mutex<[String]>([])
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.trace { event in
                if case .statement(let statement) = event { log.withLock { $0.append(statement.sql) } }
            }
        }
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try dbQueue.write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("team", .text)
                t.column("score", .integer).notNull().defaults(to: 0)
            }
            var player = Player(id: nil, name: "Arthur", team: "Reds", score: 100)
            try player.insert(db)
            try player.updateChanges(db) { $0.score += 900 }
            _ = try Player.filter { $0.score >= 1000 }.order(\.score.desc).limit(10).fetchAll(db)
            try Player.filter { $0.team == "Reds" }.updateAll(db) { $0.score += 100 }
        }
        let article = try Article("Rowan")
        #expect(article.blocks.count == 8)
        article.check(ran: log.withLock { $0 })
    }
}
