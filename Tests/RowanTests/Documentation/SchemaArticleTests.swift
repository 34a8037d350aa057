import Rowan
import Testing

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
}

private struct Team: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
}

struct SchemaArticleTests {
    @Test func article() throws {
        let (queue, log) = try loggedQueue()
        try queue.inDatabase { db throws in
            try tables(db)
            try objects(db)
            try changes(db)
            try questions(db)
        }
        try Article("Schema").check(ran: log.take())
    }

    private func tables(_ db: Database) throws {
        // CREATE TABLE "team" ("id" INTEGER PRIMARY KEY AUTOINCREMENT,
        //   "name" TEXT NOT NULL UNIQUE, "score" INTEGER NOT NULL DEFAULT 0)
        try db.create(table: "team") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull().unique()
            t.column("score", .integer).notNull().defaults(to: 0)
        }

        // CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT,
        //   "teamId" INTEGER NOT NULL REFERENCES "team"("id") ON DELETE CASCADE,
        //   "name" TEXT NOT NULL, "score" INTEGER CHECK ("score" >= 0))
        // CREATE INDEX "player_on_teamId" ON "player"("teamId")
        try db.create(table: "player") { t in
            t.autoIncrementedPrimaryKey("id")
            t.belongsTo("team", onDelete: .cascade).notNull()
            t.column("name", .text).notNull()
            t.column("score", .integer).check { $0 >= 0 }
        }

        // CREATE TABLE "match" ("homeId" INTEGER NOT NULL REFERENCES "team"("id"),
        //   "awayId" INTEGER NOT NULL REFERENCES "team"("id"), "date" DATE NOT NULL,
        //   PRIMARY KEY ("homeId", "awayId", "date"))
        try db.create(table: "match") { t in
            t.primaryKey {
                t.belongsTo("home", inTable: "team")
                t.belongsTo("away", inTable: "team")
                t.column("date", .date)
            }
        }
    }

    private func objects(_ db: Database) throws {
        // CREATE UNIQUE INDEX "index_player_on_teamId_name" ON "player"("teamId", "name")
        try db.create(indexOn: "player", columns: ["teamId", "name"], options: .unique)
        // CREATE INDEX "best" ON "player"("name" COLLATE NOCASE) WHERE "score" > 1000
        try db.create(
            index: "best", on: "player", expressions: [Column("name").collating(.nocase)],
            condition: Column("score") > 1000)

        // CREATE VIEW "hero" AS SELECT * FROM "player" WHERE "score" > 1000
        try db.create(view: "hero", as: Player.filter(Column("score") > 1000))

        // CREATE TRIGGER "player_ai" AFTER INSERT ON "player" FOR EACH ROW
        //   BEGIN UPDATE "team" SET "score" = "score" + "NEW"."score" WHERE "id" = "NEW"."teamId"; END
        try db.create(trigger: "player_ai", .after, .insert, on: "player") { t in
            t.update(Team.filter(Column("id") == t.new["teamId"]), Column("score") += t.new["score"])
        }
        // CREATE TRIGGER "player_bu" BEFORE UPDATE OF "score" ON "player" FOR EACH ROW
        //   WHEN "NEW"."score" < "OLD"."score" BEGIN SELECT RAISE(ABORT, 'a score can''t decrease'); END
        try db.create(trigger: "player_bu", .before, .update(of: "score"), on: "player") { t in
            t.when(t.new["score"] < t.old["score"])
            t.raise("a score can't decrease")
        }
        try db.execute(sql: "INSERT INTO team (name) VALUES ('Reds'); INSERT INTO player VALUES (7, 1, 'A', 30)")
        #expect(try Int.fetchOne(db, sql: "SELECT score FROM team") == 30)
        expectError(.SQLITE_CONSTRAINT_TRIGGER) { try db.execute(sql: "UPDATE player SET score = 0") }
    }

    private func changes(_ db: Database) throws {
        // ALTER TABLE "player" ADD COLUMN "nickname" TEXT
        // ALTER TABLE "player" RENAME COLUMN "nickname" TO "alias"
        // ALTER TABLE "player" DROP COLUMN "alias"
        try db.alter(table: "player") { t in
            t.add(column: "nickname", .text)
            t.rename(column: "nickname", to: "alias")
            t.drop(column: "alias")
        }

        try db.rebuild(table: "player", copying: ["score": "IFNULL(score, 0)"]) { t in
            t.autoIncrementedPrimaryKey("id")
            t.belongsTo("team", onDelete: .cascade).notNull()
            t.column("name", .text).notNull()
            t.column("score", .integer).notNull()
        }
    }

    private func questions(_ db: Database) throws {
        let columns = try db.columns(in: "player").map(\.name)
        let key = try db.primaryKey("player").columns
        let indexes = try db.indexes(on: "player").map(\.name)
        let foreignKeys = try db.foreignKeys(on: "player").map(\.destinationTable)
        let tables = try db.tables(in: "main").map(\.name)
        let triggers = try db.triggers(on: "player").map(\.name)
        #expect(columns == ["id", "teamId", "name", "score"] && key == ["id"] && foreignKeys == ["team"])
        #expect(indexes.sorted() == ["best", "index_player_on_teamId_name", "player_on_teamId"])
        #expect(tables.sorted() == ["match", "player", "team"] && triggers.sorted() == ["player_ai", "player_bu"])

        try db.checkForeignKeys()
        try db.checkForeignKeys(in: "player")
        let problems = try db.integrityCheck()
        #expect(problems == [])

        let mismatches = try db.checkSchema(of: Team.self, Player.self)
        for mismatch in mismatches { print(mismatch) }
        #expect(mismatches.map(\.kind) == [.unstoredColumn, .unstoredColumn])
        #expect(mismatches.map(\.column) == ["teamId", "score"])
    }
}
