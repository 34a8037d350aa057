import Rowan
import Testing

private struct Team: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var score: Int
}

private let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, score INTEGER);
    CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER, score INTEGER);
    CREATE TABLE history (playerId INTEGER, score INTEGER, note TEXT);
    INSERT INTO team VALUES (1, 0), (2, 0);
    """

struct TriggerTests {
    @Test func requestsInTriggers() throws {
        try inLoggedDatabase(schema) { db, log throws in
            try db.create(trigger: "player_ai", .after, .insert, on: "player") { t in
                t.update(Team.filter(Column("id") == t.new["teamId"]), Column("score") += t.new["score"])
                t.insert(
                    into: "history", Column("playerId").set(to: t.new["id"]), Column("score").set(to: t.new["score"]),
                    Column("note").set(to: "it's new"))
            }
            try db.create(trigger: "player_ad", options: .ifNotExists, .after, .delete, on: "player") { t in
                t.delete(Table<Row>("history").filter(Column("playerId") == t.old[Column("id")]))
                t.insert(into: "history", columns: ["note"], from: Team.select(Column("score")).filter(key: 1))
            }
            try db.create(
                trigger: "player_bu", options: .temporary, .before, .update(of: "score", "teamId"), on: "player"
            ) { t in
                t.when(t.new["score"] < t.old["score"])
                t.raise("it can't \"decrease\"", when: t.new["score"] < 0)
                t.execute(literal: "INSERT INTO history (note) VALUES (\("100%; END"))")
                t.execute(sql: "SELECT 1")
            }
            #expect(
                log.take() == [
                    """
                    CREATE TRIGGER "player_ai" AFTER INSERT ON "player" FOR EACH ROW BEGIN \
                    UPDATE "team" SET "score" = "score" + "NEW"."score" WHERE "id" = "NEW"."teamId"; \
                    INSERT INTO "history" ("playerId", "score", "note") SELECT "NEW"."id", "NEW"."score", 'it''s new'; END
                    """,
                    """
                    CREATE TRIGGER IF NOT EXISTS "player_ad" AFTER DELETE ON "player" FOR EACH ROW BEGIN \
                    DELETE FROM "history" WHERE "playerId" = "OLD"."id"; \
                    INSERT INTO "history" ("note") SELECT "score" FROM "team" WHERE "id" = 1; END
                    """,
                    """
                    CREATE TEMPORARY TRIGGER "player_bu" BEFORE UPDATE OF "score", "teamId" ON "player" FOR EACH ROW \
                    WHEN "NEW"."score" < "OLD"."score" BEGIN \
                    SELECT RAISE(ABORT, 'it can''t "decrease"') WHERE "NEW"."score" < 0; \
                    INSERT INTO history (note) VALUES ('100%; END'); SELECT 1; END
                    """,
                ])
            try db.execute(sql: "INSERT INTO player VALUES (7, 2, 30)")
            #expect(try Int.fetchAll(db, sql: "SELECT score FROM team") == [0, 30])
            #expect(
                try Row.fetchAll(db, sql: "SELECT * FROM history") == [
                    ["playerId": 7, "score": 30, "note": "it's new"]
                ])
            expectError(.SQLITE_CONSTRAINT_TRIGGER, "it can't \"decrease\"") {
                try db.execute(sql: "UPDATE player SET score = -1")
            }
            try db.execute(sql: "UPDATE player SET score = 40; UPDATE player SET score = 3; DELETE FROM player")
            #expect(try String.fetchAll(db, sql: "SELECT note FROM history") == ["100%; END", "0"])
            try db.drop(trigger: "player_ai")
            #expect(try !db.triggerExists("player_ai"))
            expectError(.SQLITE_ERROR, "no such trigger: player_ai") { try db.drop(trigger: "player_ai") }
        }
    }

    @Test func triggersOfViews() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.create(view: "hero", asLiteral: "SELECT id, score FROM player WHERE score > 10")
            try db.create(trigger: "hero_ii", .insteadOf, .insert, on: "hero") { t in
                t.insert(
                    into: "player", Column("id").set(to: t.new["id"]), Column("score").set(to: t.new["score"] + 11))
            }
            try db.execute(sql: "INSERT INTO hero VALUES (1, 2)")
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM hero") == [["id": 1, "score": 13]])
        }
    }

    @Test func resolutions() throws {
        try inLoggedDatabase(schema) { db, log throws in
            try db.create(trigger: "a", .before, .insert, on: "player") { t in
                t.raise("skipped", .ignore, when: t.new["score"] == 1)
                t.raise("failed", .fail, when: t.new["score"] == 2)
                t.raise("undone", .rollback, when: t.new["score"] == 3)
            }
            #expect(
                log.take().first?.contains(
                    "SELECT RAISE(IGNORE) WHERE \"NEW\".\"score\" = 1; SELECT RAISE(FAIL, 'failed') WHERE \"NEW\".\"score\" = 2;"
                )
                    == true)
            try db.execute(sql: "INSERT INTO player VALUES (1, 1, 1), (2, 1, 0)")
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM player") == [2])
            expectError(.SQLITE_CONSTRAINT_TRIGGER, "failed") {
                try db.execute(sql: "INSERT INTO player VALUES (3, 1, 0), (4, 1, 2)")
            }
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM player") == [2, 3])
        }
    }

    @Test func errors() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            expectError(.SQLITE_MISUSE, "trigger t has no statements: add one at least") {
                try db.create(trigger: "t", .after, .insert, on: "player") { _ in }
            }
            expectError(.SQLITE_MISUSE, "definitions in the schema accept no arguments: use \\(value) in a literal") {
                try db.create(trigger: "t", .after, .insert, on: "player") { t in
                    t.execute(literal: SQL(sql: "DELETE FROM player WHERE id = ?", arguments: [1]))
                }
            }
            expectError(.SQLITE_ERROR, "no such table: main.missing") {
                try db.create(trigger: "t", .after, .insert, on: "missing") { $0.execute(sql: "SELECT 1") }
            }
            expectThrown(CallbackFailure("stop")) {
                try db.create(trigger: "t", .after, .insert, on: "player") { _ in throw CallbackFailure("stop") }
            }
            #expect(try db.triggers(on: "player").isEmpty)
        }
    }

    @Test func hostileNames() throws {
        try inLoggedDatabase { db, _ throws in
            try db.create(table: "a\"b") { t in
                t.column("x'y")
                t.column("new")
            }
            try db.create(trigger: "t\"r", .after, .update(of: "x'y"), on: "a\"b") { t in
                t.update(Table<Row>("a\"b").filter(Column("x'y") == t.new["x'y"]), Column("new").set(to: t.old["x'y"]))
            }
            try db.execute(sql: #"INSERT INTO "a""b" VALUES (1, 0); UPDATE "a""b" SET "x'y" = 2"#)
            #expect(try Row.fetchOne(db, sql: #"SELECT * FROM "a""b""#) == ["x'y": 2, "new": 1])
        }
    }
}
