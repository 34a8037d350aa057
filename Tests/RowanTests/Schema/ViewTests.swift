import Rowan
import Testing

private struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
    var id: Int64
    var name: String
    var score: Int
}

struct ViewTests {
    private static let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)"

    @Test func views() throws {
        try inLoggedDatabase(Self.schema) { db, log throws in
            try Player(id: 1, name: "O'Brien", score: 10).insert(db)
            try Player(id: 2, name: "B", score: 2000).insert(db)
            _ = log.take()
            try db.create(view: "hero", as: Player.filter(Column("score") > 1000))
            try db.create(view: "irish", as: SQLRequest<Player>("SELECT * FROM player WHERE name = \("O'Brien")"))
            try db.create(
                view: "name", options: [.ifNotExists], columns: ["a", "b\"c"],
                asLiteral: "SELECT name, \(12.5) FROM player ORDER BY id")
            try db.create(view: "t", options: [.temporary, .ifNotExists], as: Player.select(Column("id")))
            #expect(
                log.take() == [
                    #"CREATE VIEW "hero" AS SELECT * FROM "player" WHERE "score" > 1000"#,
                    #"CREATE VIEW "irish" AS SELECT * FROM player WHERE name = 'O''Brien'"#,
                    #"CREATE VIEW IF NOT EXISTS "name" ("a", "b""c") AS SELECT name, 12.5 FROM player ORDER BY id"#,
                    #"CREATE TEMPORARY VIEW IF NOT EXISTS "t" AS SELECT "id" FROM "player""#,
                ])
            #expect(try Table<Player>("hero").fetchAll(db).map(\.id) == [2])
            #expect(try Table<Player>("irish").fetchAll(db).map(\.id) == [1])
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM name") == ["a": "O'Brien", "b\"c": 12.5])
            #expect(try db.viewExists("t"))
            #expect(try db.views().map(\.name) == ["t", "hero", "irish", "name"])
            try db.drop(view: "hero")
            #expect(try !db.viewExists("hero"))
            expectError(.SQLITE_ERROR, "no such view: hero") { try db.drop(view: "hero") }
        }
    }

    /// The resolver replaces everything that depends on the schema: the columns and the primary key.
    @Test func requestsThatNeedTheSchema() throws {
        try inLoggedDatabase(Self.schema) { db, log throws in
            try Player(id: 3, name: "C", score: 1).insert(db)
            _ = log.take()
            try db.create(view: "v", as: Player.select(.allColumns(excluding: ["name"])).filter(key: 3))
            #expect(log.take() == [#"CREATE VIEW "v" AS SELECT "id", "score" FROM "player" WHERE "id" = 3"#])
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM v") == [["id": 3, "score": 1]])
        }
    }

    @Test func errors() throws {
        try inLoggedDatabase(Self.schema) { db, _ throws in
            expectError(
                .SQLITE_MISUSE, "definitions in the schema accept no arguments: use \\(value) in a literal"
            ) {
                try db.create(
                    view: "v", as: SQLRequest<Row>(sql: "SELECT * FROM player WHERE id = ?", arguments: [1]))
            }
            try db.create(view: "v", asLiteral: "SELECT 1")
            expectError(.SQLITE_ERROR) { try db.create(view: "v", asLiteral: "SELECT 2") }
            try db.create(view: "v", options: .ifNotExists, asLiteral: "SELECT 2")
            #expect(try Int.fetchOne(db, sql: "SELECT * FROM v") == 1)
        }
    }

    @Test func formsWithBooleans() throws {
        try inLoggedDatabase { db, log throws in
            try db.create(table: "t", ifNotExists: true) { $0.column("a") }
            try db.create(table: "u", temporary: true) { $0.column("a") }
            try db.create(table: "v", withoutRowID: true) { $0.primaryKey("a", .text) }
            try db.create(index: "i", on: "t", columns: ["a"], unique: true, ifNotExists: true)
            try db.create(index: "j", on: "t", columns: ["a"], unique: true, condition: Column("a") != nil)
            #expect(
                log.take() == [
                    #"CREATE TABLE IF NOT EXISTS "t" ("a")"#, #"CREATE TEMPORARY TABLE "u" ("a")"#,
                    #"CREATE TABLE "v" ("a" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID"#,
                    #"CREATE UNIQUE INDEX IF NOT EXISTS "i" ON "t"("a")"#,
                    #"CREATE UNIQUE INDEX "j" ON "t"("a") WHERE "a" IS NOT NULL"#,
                ])
        }
    }
}
