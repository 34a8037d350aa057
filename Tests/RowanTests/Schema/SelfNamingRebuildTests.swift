import Rowan
import Testing

/// Definitions that contain their own table's name, which can't be replaced.
struct SelfNamingRebuildTests {
    @Test(arguments: ["", " WITHOUT ROWID", " STRICT"])
    func checksThatNameTheTable(_ options: String) throws {
        let sql = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER CHECK ("player".score > 0))\(options);
            CREATE TABLE award (id INTEGER PRIMARY KEY, playerId INTEGER NOT NULL REFERENCES player(id) ON DELETE CASCADE);
            CREATE INDEX byScore ON player(score);
            CREATE VIEW scores AS SELECT score FROM player;
            CREATE TABLE log (text);
            CREATE TRIGGER player_ad AFTER DELETE ON player BEGIN INSERT INTO log VALUES (old.id); END;
            INSERT INTO player VALUES (1, 10), (7, 20);
            INSERT INTO award VALUES (1, 7);
            """
        let (queue, _) = try loggedQueue(sql)
        try queue.inDatabase { db throws in
            try db.rebuild(table: "player", copying: ["score": "player.score * 2"]) { t in
                t.primaryKey("id", .integer)
                t.column("score", .integer).notNull().check(sql: "Player.score > 0")
                t.column("level", .text).notNull().defaults(to: "new")
            }
            #expect(
                try Row.fetchAll(db, sql: "SELECT * FROM player") == [
                    ["id": 1, "score": 20, "level": "new"], ["id": 7, "score": 40, "level": "new"],
                ])
            expectError(.SQLITE_CONSTRAINT_CHECK) { try db.execute(sql: "UPDATE player SET score = -1") }
            #expect(try !db.tableExists("player", in: "temp"))
            #expect(
                try db.schemaObjects(in: "main").map(\.name).sorted() == [
                    "award", "byScore", "log", "player", "player_ad", "scores",
                ])
            try db.execute(sql: "DELETE FROM player WHERE id = 7")
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM award") == [])
            #expect(try Int.fetchAll(db, sql: "SELECT score FROM scores") == [20])
            #expect(try Int.fetchAll(db, sql: "SELECT CAST(text AS INTEGER) FROM log") == [7])
            #expect(try db.integrityCheck() == [])
        }
    }

    @Test func rowidsAndCountersAreKept() throws {
        let sql = """
            CREATE TABLE hidden (name TEXT); INSERT INTO hidden (rowid, name) VALUES (5, 'a'), (9, 'b');
            CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT); INSERT INTO counted VALUES (3, 'a');
            INSERT INTO counted VALUES (8, 'b'); DELETE FROM counted WHERE id = 8;
            """
        let (queue, _) = try loggedQueue(sql)
        try queue.inDatabase { db throws in
            try db.rebuild(table: "hidden") { t in
                t.column("name", .text)
                t.check(sql: "hidden.name <> ''")
            }
            #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM hidden") == [5, 9])
            try db.rebuild(table: "counted") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).check(sql: "counted.name <> ''")
            }
            try db.execute(sql: "INSERT INTO counted (name) VALUES ('c')")
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM counted") == [3, 9])
        }
    }

    @Test func failuresChangeNothing() throws {
        let (queue, _) = try loggedQueue("CREATE TABLE t (a); INSERT INTO t VALUES (-1)")
        try queue.inDatabase { db throws in
            expectError(.SQLITE_CONSTRAINT_CHECK) {
                try db.rebuild(table: "t") { t in t.column("a", .integer).check(sql: "t.a > 0") }
            }
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM main.t") == [-1])
            #expect(try !db.tableExists("t", in: "temp"))
        }
    }

    /// The temporary copy of the rows has no rowid counter.
    @Test func noTemporaryCounter() throws {
        let (queue, _) = try loggedQueue(
            """
            CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
            INSERT INTO counted VALUES (3, 'a'), (8, 'b'); DELETE FROM counted WHERE id = 8
            """)
        try queue.inDatabase { db throws in
            try db.rebuild(table: "counted") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).check(sql: "counted.name <> ''")
            }
            #expect(try String.fetchAll(db, sql: "SELECT name FROM temp.sqlite_master") == [])
            try db.execute(sql: "INSERT INTO counted (name) VALUES ('c')")
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM counted") == [3, 9])
            // The word in SQL text, and in a quoted name.
            try db.rebuild(table: "counted", copying: ["autoincrement": "name"]) { t in
                t.column(sql: "id INTEGER PRIMARY KEY AutoIncrement /* counted.id */")
                t.column("autoincrement", .text).check(sql: "counted.id > 0")
            }
            #expect(try String.fetchAll(db, sql: "SELECT name FROM temp.sqlite_master") == [])
            #expect(try String.fetchAll(db, sql: "SELECT \"autoincrement\" FROM counted") == ["a", "c"])
            try db.execute(sql: "DELETE FROM counted; INSERT INTO counted DEFAULT VALUES")
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM counted") == [10])
        }
    }
}
