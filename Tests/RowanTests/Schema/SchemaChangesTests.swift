import Rowan
import Testing

struct SchemaChangesTests {
    @Test func alterations() throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)") { db, log throws in
            try db.alter(table: "player") { t in
                t.add(column: "url", .text)
                t.add(column: "score", .integer).notNull().defaults(to: 0).indexed()
                t.addColumn(sql: "a TEXT")
                t.addColumn(literal: "b TEXT DEFAULT \("it's")")
                t.rename(column: "url", to: "home page")
                t.drop(column: "a")
            }
            #expect(
                log.take() == [
                    #"ALTER TABLE "player" ADD COLUMN "url" TEXT"#,
                    #"ALTER TABLE "player" ADD COLUMN "score" INTEGER NOT NULL DEFAULT 0"#,
                    #"CREATE INDEX "player_on_score" ON "player"("score")"#,
                    #"ALTER TABLE "player" ADD COLUMN a TEXT"#,
                    #"ALTER TABLE "player" ADD COLUMN b TEXT DEFAULT 'it''s'"#,
                    #"ALTER TABLE "player" RENAME COLUMN "url" TO "home page""#,
                    #"ALTER TABLE "player" DROP COLUMN "a""#,
                ])
            #expect(try db.columns(in: "player").map(\.name) == ["id", "name", "home page", "score", "b"])
        }
    }

    @Test func renamesAndDrops() throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY)") { db, log throws in
            try db.rename(table: "player", to: "person")
            #expect(try !db.tableExists("player"))
            #expect(try db.tableExists("person"))
            try db.drop(table: "person")
            #expect(try !db.tableExists("person"))
            #expect(log.take() == [#"ALTER TABLE "player" RENAME TO "person""#, #"DROP TABLE "person""#])
            #expect(databaseError { try db.drop(table: "person") }?.message == "no such table: person")
        }
    }

    @Test func indexes() throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, team TEXT, score)") {
            db, log throws in
            try db.create(index: "byName", on: "player", columns: ["name"])
            try db.create(index: "byTeam", on: "player", columns: ["team", "score"], options: [.unique, .ifNotExists])
            try db.create(
                index: "partial", on: "player", columns: ["name"],
                condition: Column("score") > 10 && Column("team") != nil)
            try db.create(
                index: "e", on: "player", expressions: [Column("name").collating(.nocase), abs(Column("score"))])
            try db.create(indexOn: "player", columns: ["team", "name"], options: .unique)
            try db.drop(index: "byName")
            try db.drop(indexOn: "player", columns: ["team", "name"])
            #expect(
                log.take() == [
                    #"CREATE INDEX "byName" ON "player"("name")"#,
                    #"CREATE UNIQUE INDEX IF NOT EXISTS "byTeam" ON "player"("team", "score")"#,
                    #"CREATE INDEX "partial" ON "player"("name") WHERE ("score" > 10) AND ("team" IS NOT NULL)"#,
                    #"CREATE INDEX "e" ON "player"("name" COLLATE NOCASE, ABS("score"))"#,
                    #"CREATE UNIQUE INDEX "index_player_on_team_name" ON "player"("team", "name")"#,
                    #"DROP INDEX "byName""#, #"DROP INDEX "index_player_on_team_name""#,
                ])
        }
    }

    /// The index on some columns is found, whatever its name.
    @Test func anIndexIsDroppedByItsColumns() throws {
        try inLoggedDatabase { db, log throws in
            try db.create(table: "t") { t in
                t.column("a", .integer).indexed()
                t.column("b", .integer)
            }
            try db.create(indexOn: "t", columns: ["b"])
            try db.create(index: "other", on: "t", columns: ["b", "a"])
            _ = log.take()
            try db.drop(indexOn: "t", columns: ["A"])
            try db.drop(indexOn: "t", columns: ["b", "a"])
            try db.drop(indexOn: "t", columns: ["b"])
            #expect(
                log.take() == [
                    #"DROP INDEX "t_on_a""#, #"DROP INDEX "other""#,
                    #"DROP INDEX "index_t_on_b""#,
                ])
            try db.drop(indexOn: "t", columns: ["a", "b"])
            #expect(log.take() == [])
            expectError(.SQLITE_ERROR) { try db.drop(indexOn: "nope", columns: ["a"]) }
            try db.create(index: "one", on: "t", columns: ["a"])
            try db.create(index: "two", on: "t", columns: ["a"], options: .unique)
            let message = "table t has 2 indexes on a (two, one): drop one by its name"
            expectError(.SQLITE_ERROR, message) { try db.drop(indexOn: "t", columns: ["a"]) }
            #expect(try db.indexes(on: "t").count == 2)
            try db.create(table: "u") { t in t.column("a").unique() }
            let error = databaseError { try db.drop(indexOn: "u", columns: ["a"]) }
            #expect(error?.message == "index associated with UNIQUE or PRIMARY KEY constraint cannot be dropped")
        }
    }
}
