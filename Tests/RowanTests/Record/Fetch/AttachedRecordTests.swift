// Records of an attached database whose table names also exist in the main database.

import Rowan
import Testing

private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord, Identifiable {
    static let databaseTableName = "player"
    static let databaseSchemaName: String? = "archive"
    var id: Int64?
    var name: String
    var teamId: Int64?
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
    }
    static let team = belongsTo(Team.self)
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct Team: Codable, Equatable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "team"
    static let databaseSchemaName: String? = "archive"
    var code: Int64
    var name: String
    static let players = hasMany(Player.self)
}

struct AttachedRecordTests {
    /// The tables of the main database have other keys, and rows that must not change.
    private func run(_ body: (Database, SQLLog) throws -> Void) throws {
        let (queue, log) = try loggedQueue(
            """
            CREATE TABLE player (name TEXT PRIMARY KEY, id TEXT, teamId, other) WITHOUT ROWID;
            CREATE TABLE team (id INTEGER PRIMARY KEY, code, name);
            INSERT INTO player VALUES ('main', 1, 1, NULL);
            INSERT INTO team VALUES (1, 1, 'main');
            """)
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS archive;
                    CREATE TABLE archive.team (code INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE archive.player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
                        teamId INTEGER REFERENCES team(code));
                    INSERT INTO archive.team VALUES (1, 'Reds'), (2, 'Blues');
                    """)
            _ = log.takeAll()
            try body(db, log)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM main.player") == ["main"])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM main.team") == ["main"])
        }
    }

    @Test func verbsOfOneRecord() throws {
        try run { db, log throws in
            var player = Player(name: "Ada", teamId: 1)
            try player.insert(db)
            #expect(player.id == 1)
            player.name = "Bob"
            try player.update(db)
            #expect(try player.updateChanges(db) { $0.teamId = 2 })
            player.name = "Cid"
            try player.save(db)
            try player.upsert(db)
            #expect(try player.exists(db))
            #expect(try Player.exists(db, key: 1))
            #expect(
                log.takeExpanded() == [
                    #"INSERT INTO "archive"."player" ("id", "name", "teamId") VALUES (NULL,'Ada',1)"#,
                    #"UPDATE "archive"."player" SET "name"='Bob', "teamId"=1 WHERE "id"=1"#,
                    #"UPDATE "archive"."player" SET "teamId"=2 WHERE "id"=1"#,
                    #"UPDATE "archive"."player" SET "name"='Cid', "teamId"=2 WHERE "id"=1"#,
                    #"INSERT INTO "archive"."player" ("id", "name", "teamId") VALUES (1,'Cid',2) ON CONFLICT DO UPDATE SET "name" = "excluded"."name", "teamId" = "excluded"."teamId" RETURNING "rowid""#,
                    #"SELECT EXISTS (SELECT 1 FROM "archive"."player" WHERE "id"=1)"#,
                    #"SELECT EXISTS (SELECT * FROM "archive"."player" WHERE "id" = 1)"#,
                ])
            #expect(try Player.find(db, key: 1) == player)
            #expect(try Player.fetchOne(db, id: 1) == player)
            #expect(try Player.fetchOne(db, key: ["name": "Cid"]) == player)
            #expect(try player.updateAndFetch(db) == player)
            #expect(try player.delete(db))
            #expect(missingKey { try player.update(db) } == ["id": 1.databaseValue])
            #expect(missingKey { try Player.find(db, key: 9) } == ["id": 9.databaseValue])
            var saved = Player(name: "Dan")
            try saved.save(db)
            let fetched = try Player(name: "Eve").insertAndFetch(db)
            #expect([saved.id, fetched.id] == [2, 3])
        }
    }

    @Test func verbsOfManyRecords() throws {
        try run { db, _ throws in
            var players = (0..<200).map { Player(name: "p\($0)", teamId: 1) }
            try Player.insertAll(db, &players)
            #expect(players.map(\.id) == (1...200).map { $0 })
            let fetched = try Player.insertAllAndFetch(db, [Player(name: "x"), Player(name: "y")])
            #expect(fetched.map(\.id) == [201, 202])
            #expect(try Player.fetchCount(db) == 202)
            try Player.upsertAll(db, players.map { Player(id: $0.id, name: $0.name + "!", teamId: 2) })
            #expect(try Player.filter { $0.name.like("%!") }.fetchCount(db) == 200)
            #expect(try Player.fetchAll(db, keys: [1, 2, 300]).count == 2)
            #expect(try Player.updateAll(db) { $0.name.set(to: [$0.name, "?"].joined(operator: .concat)) } == 202)
            #expect(try Player.deleteAll(db, keys: [1, 2]) == 2)
            #expect(try Player.deleteAll(db) == 200)
        }
    }

    @Test func associationsAndInterpolation() throws {
        struct Info: Decodable, FetchableRecord {
            var player: Player
            var team: Team?
        }
        try run { db, log throws in
            var player = Player(name: "Ada", teamId: 2)
            try player.insert(db)
            _ = log.take()
            let infos = try Info.fetchAll(db, Player.including(optional: Player.team))
            #expect(infos.map(\.team?.name) == ["Blues"])
            #expect(
                log.take() == [
                    #"SELECT "player".*, "team".* FROM "archive"."player" LEFT JOIN "archive"."team" "#
                        + #"ON "team"."code" = "player"."teamId""#
                ])
            let counts = try Row.fetchAll(db, Team.annotated(with: Team.players.count))
            #expect(counts.map { $0["playerCount"] as Int } == [0, 1])
            #expect(try Team.including(all: Team.players).fetchCount(db) == 2)
            #expect(
                try Row.fetchAll(db, Team.including(all: Team.players)).map { $0.prefetchedRows["players"]?.count } == [
                    0, 1,
                ])
            let request: SQLRequest<Player> = "SELECT \(columnsOf: Player.self) FROM \(Player.self)"
            #expect(try request.fetchAll(db) == [player])
            let text = try statementText(db, request).sql
            #expect(text == #"SELECT "player".* FROM "archive"."player""#)
            let one: SQLRequest<Int> = "SELECT COUNT(*) FROM \(tableOf: player)"
            #expect(try one.fetchOne(db) == 1)
        }
    }
}
