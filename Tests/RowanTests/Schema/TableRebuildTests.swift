import Foundation
import Rowan
import Testing

private let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY);
    CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, score, teamId REFERENCES team(id),
        captainId REFERENCES player(id));
    CREATE TABLE award (id INTEGER PRIMARY KEY, playerId INTEGER NOT NULL REFERENCES player(id) ON DELETE CASCADE);
    CREATE INDEX byName ON player(name) WHERE name IS NOT NULL;
    CREATE INDEX byTeam ON player(teamId);
    CREATE TABLE log (text);
    CREATE TRIGGER player_ad AFTER DELETE ON player BEGIN INSERT INTO log VALUES ('deleted ' || old.name); END;
    CREATE TRIGGER award_ai AFTER INSERT ON award BEGIN INSERT INTO log SELECT name FROM player WHERE id = new.playerId; END;
    CREATE VIEW names AS SELECT name FROM player;
    INSERT INTO team VALUES (1);
    INSERT INTO player VALUES (1, 'A', '10', 1, NULL), (2, 'B', NULL, NULL, 1), (9, 'Z', 3.5, 1, 2);
    DELETE FROM player WHERE id = 9;
    DELETE FROM log;
    INSERT INTO award VALUES (1, 2);
    """

private func define(_ t: TableDefinition) {
    t.autoIncrementedPrimaryKey("id")
    t.column("score", .integer).notNull().defaults(to: 7)
    t.column("name", .text).notNull().unique()
    t.column("level", .text).notNull().defaults(to: "new")
    t.belongsTo("team")
    t.belongsTo("captain", inTable: "player", indexed: false)
}

struct TableRebuildTests {
    @Test func strictTables() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(
                sql: "CREATE TABLE t (a INTEGER) STRICT; CREATE TABLE u (a INTEGER); INSERT INTO u VALUES ('x')")
            func isStrict(_ table: String) throws -> Bool {
                try Bool.fetchOne(db, sql: "SELECT strict FROM pragma_table_list(?)", arguments: [table]) ?? false
            }
            let body = { (t: TableDefinition) in _ = t.column("a", .integer) }
            try db.rebuild(table: "t", body: body)
            #expect(try isStrict("t"))
            try db.rebuild(table: "t", strict: false, body: body)
            #expect(try !isStrict("t"))
            try db.rebuild(table: "t", strict: true, body: body)
            #expect(try isStrict("t"))
            let error = #expect(throws: DatabaseError.self) { try db.rebuild(table: "u", strict: true, body: body) }
            #expect(error?.message?.contains("cannot store TEXT value in INTEGER column u.a") == true)
            #expect(try !isStrict("u"))
            try db.rebuild(table: "u", strict: true, copying: ["a": "NULL"], body: body)
            #expect(try isStrict("u"))
        }
    }

    @Test func everythingIsKept() throws {
        let (queue, _) = try loggedQueue(schema)
        try queue.inDatabase { db throws in
            let before = try db.schemaObjects(in: "main").filter { $0.name != "player" }.map(\.sql)
            try db.rebuild(table: "Player", copying: ["score": "IFNULL(score, \(0))"], body: define)
            #expect(
                try Row.fetchAll(db, sql: "SELECT * FROM player") == [
                    ["id": 1, "score": 10, "name": "A", "level": "new", "teamId": 1, "captainId": nil],
                    ["id": 2, "score": 0, "name": "B", "level": "new", "teamId": nil, "captainId": 1],
                ])
            #expect(
                try Set(before).subtracting(db.schemaObjects(in: "main").map(\.sql)) == [])
            #expect(try db.indexes(on: "player").map(\.name).contains("player_on_teamId"))
            #expect(try db.foreignKeys(on: "player").map(\.destinationTable).sorted() == ["player", "team"])
            #expect(try Int.fetchAll(db, sql: "SELECT playerId FROM award") == [2])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM names ORDER BY name") == ["A", "B"])
            #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
            #expect(try Bool.fetchOne(db, sql: "PRAGMA legacy_alter_table") == false)
            #expect(try db.integrityCheck() == [])
            // The counter, the triggers and the foreign key actions still work.
            try db.execute(sql: "INSERT INTO player (name) VALUES ('C'); INSERT INTO award VALUES (2, 1)")
            #expect(try Int.fetchOne(db, sql: "SELECT id FROM player WHERE name = 'C'") == 10)
            try db.execute(sql: "DELETE FROM player WHERE name = 'B'")
            #expect(try Int.fetchAll(db, sql: "SELECT playerId FROM award") == [1])
            #expect(try String.fetchAll(db, sql: "SELECT text FROM log") == ["B", "A", "deleted B"])
        }
    }

    @Test(arguments: ConnectionKind.allCases) func inMigrations(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: schema) }
        migrator.registerMigration("2") { db in
            try db.rebuild(table: "player", copying: ["score": "IFNULL(score, 0)"], body: define)
        }
        try migrator.migrate(writer)
        #expect(try writer.int("SELECT COUNT(*) FROM player") == 2)
        #expect(try writer.int("SELECT COUNT(*) FROM award") == 1)
        try expectForeignKeysEnforced(writer)
        withExtendedLifetime(folder) {}
    }

    /// After any failure, the table is unchanged.
    @Test func failures() throws {
        let (queue, _) = try loggedQueue(schema)
        func state(_ db: Database) throws -> [Row] {
            try Row.fetchAll(db, sql: "SELECT name, sql FROM sqlite_master")
                + Row.fetchAll(db, sql: "SELECT *, NULL FROM player")
        }
        try queue.inDatabase { db throws in
            let before = try state(db)
            // A row violates the new definition.
            let message = """
                table player can't be rebuilt: a row violates its new definition (NOT NULL constraint failed: \
                player.score). Copy another value to the column, or change the row before
                """
            expectError(.SQLITE_CONSTRAINT_NOTNULL, message) {
                try db.rebuild(table: "player", copying: ["score": "NULL"], body: define)
            }
            let error = #expect(throws: DatabaseError.self) {
                try db.rebuild(table: "player", copying: ["score": "NULL"], body: define)
            }
            #expect(error?.constraint?.table == "player" && error?.constraint?.columns == ["score"])
            // An index requires a column that no longer exists.
            expectError(.SQLITE_ERROR) { try db.rebuild(table: "player") { $0.autoIncrementedPrimaryKey("id") } }
            // A foreign key is violated.
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) {
                try db.rebuild(table: "player", copying: ["teamId": "77", "score": "1"], body: define)
            }
            // The parent key of another table changes.
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) {
                try db.rebuild(
                    table: "player", copying: ["id": "id + 100", "captainId": "NULL", "score": "1"], body: define)
            }
            expectError(
                .SQLITE_MISUSE,
                "table player can't be rebuilt: its new definition has no column other to copy a value to"
            ) { try db.rebuild(table: "player", copying: ["other": "1", "score": "1"], body: define) }
            expectError(
                .SQLITE_MISUSE,
                "table player can't be rebuilt: column double is generated in its new definition; don't copy a value to it"
            ) {
                try db.rebuild(table: "player", copying: ["double": "1", "score": "1"]) { t in
                    define(t)
                    t.column("double", .integer).generatedAs(sql: "score * 2")
                }
            }
            expectError(.SQLITE_ERROR, "no such table: main.missing") { try db.rebuild(table: "missing", body: define) }
            expectThrown(CallbackFailure("stop")) {
                try db.rebuild(table: "player") { _ in throw CallbackFailure("stop") }
            }
            #expect(try state(db) == before)
            #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
            #expect(try Bool.fetchOne(db, sql: "PRAGMA legacy_alter_table") == false)
        }
        expectError(.SQLITE_MISUSE) { try queue.write { try $0.rebuild(table: "player", body: define) } }
    }

    @Test func viewsThatDoNotFit() throws {
        let (queue, _) = try loggedQueue("CREATE TABLE t (a, b); CREATE VIEW v AS SELECT b FROM t")
        try queue.inDatabase { db throws in
            expectError(
                .SQLITE_ERROR,
                """
                table t can't be rebuilt: the view v does not fit its new definition; \
                drop the view before and create it afterwards
                """
            ) { try db.rebuild(table: "t") { $0.column("a") } }
            try db.drop(view: "v")
            try db.rebuild(table: "t") { $0.column("a") }
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
        }
    }

    @Test func rowidsAndOptions() throws {
        let (queue, _) = try loggedQueue(
            """
            CREATE TABLE t (a TEXT) STRICT; INSERT INTO t (rowid, a) VALUES (5, 'x'), (9, 'y');
            CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO w VALUES ('b', 1), ('a', 2);
            CREATE TABLE g (a INTEGER, b AS (a * 2)); INSERT INTO g VALUES (4);
            CREATE TABLE new_t (x);
            """)
        try queue.inDatabase { db throws in
            try db.rebuild(table: "t") { t in
                t.column("b", .integer)
                t.column("a", .text)
            }
            #expect(
                try Row.fetchAll(db, sql: "SELECT rowid, * FROM t") == [
                    ["rowid": 5, "b": nil, "a": "x"], ["rowid": 9, "b": nil, "a": "y"],
                ])
            expectError(.SQLITE_CONSTRAINT_DATATYPE) { try db.execute(sql: "INSERT INTO t (b) VALUES ('no')") }
            try db.rebuild(table: "w") { t in
                t.primaryKey("k", .text)
                t.column("v", .text)
            }
            #expect(try !db.primaryKey("w").tableHasRowID)
            #expect(try String.fetchAll(db, sql: "SELECT v FROM w") == ["2", "1"])
            try db.rebuild(table: "g") { t in
                t.column("b", .integer).generatedAs(sql: "a * 3")
                t.column("a", .integer)
            }
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM g") == [["b": 12, "a": 4]])
        }
    }

    /// The rowid is a column before, after, or both, under another name.
    @Test func rowidsOfColumns() throws {
        let (queue, _) = try loggedQueue(
            """
            CREATE TABLE hidden (body TEXT); INSERT INTO hidden (rowid, body) VALUES (10, 'ten'), (20, 'twenty');
            CREATE TABLE odd (rowid TEXT); INSERT INTO odd (_rowid_, rowid) VALUES (10, 'ten'), (20, 'twenty');
            CREATE TABLE named (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO named VALUES (10, 'ten'), (20, 'twenty');
            CREATE TABLE other (id TEXT, body TEXT); INSERT INTO other VALUES ('3', 'three'), ('4', 'four');
            """)
        try queue.inDatabase { db throws in
            func expectIDs(
                _ table: String, _ columns: String, _ expected: [[Int64]] = [[10, 10], [20, 20]],
                location: SourceLocation = #_sourceLocation, body: (TableDefinition) -> Void
            ) throws {
                try db.rebuild(table: table, body: body)
                let ids = try Row.fetchAll(db, sql: "SELECT \(columns) FROM \(table) ORDER BY 1").map { row in
                    Array(row.databaseValues).map { Int64.fromDatabaseValue($0) ?? -1 }
                }
                #expect(ids == expected, sourceLocation: location)
            }
            try expectIDs("hidden", "id, rowid") { t in
                t.primaryKey("id", .integer)
                t.column("body")
            }
            try expectIDs("hidden", "key, rowid") { t in
                t.primaryKey("key", .integer)
                t.column("body")
            }
            try expectIDs("hidden", "rowid, oid") { $0.column("body") }
            try expectIDs("odd", "id, _rowid_") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("rowid", .text)
            }
            try expectIDs("odd", "oid, _rowid_") { $0.column("rowid", .text) }
            // The column keeps its values, and the rows keep their rowids.
            try expectIDs("named", "id, rowid") { t in
                t.column("id", .integer)
                t.column("body")
            }
            // A column with the name of the new key determines it.
            try expectIDs("other", "id, rowid", [[3, 3], [4, 4]]) { t in
                t.primaryKey("id", .integer)
                t.column("body")
            }
            try db.rebuild(table: "other", copying: ["key": "id * 10"]) { t in
                t.primaryKey("key", .integer)
                t.column("body")
            }
            #expect(try Int64.fetchAll(db, sql: "SELECT rowid FROM other ORDER BY 1") == [30, 40])
        }
    }

    @Test(arguments: ["fts4", "fts5"]) func fullTextContent(_ module: String) throws {
        let (queue, _) = try loggedQueue(
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO note VALUES (10, 'ten'), (20, 'twenty');
            CREATE TABLE other (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO other VALUES (1, 'one');
            """)
        try queue.inDatabase { db throws in
            if module == "fts4" {
                try db.create(virtualTable: "note_ft", using: FTS4()) {
                    $0.synchronize(withTable: "note"); $0.column("body")
                }
            } else {
                try db.create(virtualTable: "note_ft", using: FTS5()) {
                    $0.synchronize(withTable: "note"); $0.column("body")
                }
            }
            try db.execute(sql: "CREATE VIRTUAL TABLE [other_ft] USING \(module)(body, content=\"other\")")
            func matches(_ word: String) throws -> [Int64] {
                try Int64.fetchAll(db, sql: "SELECT rowid FROM note_ft WHERE note_ft MATCH ?", arguments: [word])
            }
            try db.rebuild(table: "note", copying: ["body": "replace(body, 'te', 'x') || ' new'"]) { t in
                t.primaryKey("id", .integer)
                t.column("body", .text)
            }
            #expect(try matches("ten") == [])
            #expect(try matches("xn") == [10])
            #expect(try matches("new") == [10, 20])
            try db.execute(sql: "UPDATE note SET body = 'changed' WHERE id = 10; DELETE FROM note WHERE id = 20")
            #expect(try matches("new") == [])
            #expect(try matches("changed") == [10])
            try db.execute(sql: "INSERT INTO note_ft(note_ft) VALUES ('integrity-check')")
            if module == "fts5" {
                let error = expectError(.SQLITE_ERROR) {
                    try db.rebuild(table: "note", copying: ["key": "id"]) { t in
                        t.primaryKey("key", .integer)
                        t.column("body", .text)
                    }
                }
                #expect(error?.message?.contains("the full-text table note_ft does not fit") == true)
            }
            // The full-text index of another table is left alone, because it has never been built.
            #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM other_ft WHERE other_ft MATCH 'one'") == [])
        }
    }

    /// Temporary objects with the names used by the steps don't replace the table.
    @Test func temporaryObjects() throws {
        let (queue, _) = try loggedQueue(
            """
            CREATE TABLE p (id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO p VALUES (10, 'a'); DELETE FROM p;
            INSERT INTO p VALUES (3, 'b'); CREATE INDEX px ON p(x);
            CREATE TEMPORARY TABLE new_p (foo INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO new_p VALUES (7);
            CREATE TABLE log (t); CREATE TEMPORARY TRIGGER pt AFTER DELETE ON p BEGIN INSERT INTO log VALUES (old.x); END;
            CREATE TABLE unrelated (a REFERENCES missing(id));
            """)
        try queue.inDatabase { db throws in
            try db.rebuild(table: "p") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("x", .text).notNull()
            }
            #expect(
                try db.schemaObjects(in: "main").filter { $0.tableName == "p" }.map(\.name).sorted() == ["p", "px"])
            #expect(try Int.fetchAll(db, sql: "SELECT foo FROM temp.new_p") == [7])
            try db.execute(sql: "INSERT INTO p (x) VALUES ('c'); DELETE FROM p WHERE x = 'b'")
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM p") == [11])
            #expect(try String.fetchAll(db, sql: "SELECT t FROM log") == ["b"])
            try db.execute(sql: "CREATE TEMPORARY TABLE p (y)")
            expectError(
                .SQLITE_MISUSE,
                "table p can't be rebuilt: a temporary table or view has the same name; drop it before"
            ) { try db.rebuild(table: "p") { $0.column("x") } }
        }
    }

    @Test func otherObjects() throws {
        let (queue, _) = try loggedQueue(
            """
            CREATE VIEW v AS SELECT 1; CREATE VIRTUAL TABLE f USING fts5(a);
            CREATE TABLE r (rowid TEXT, x); INSERT INTO r (_rowid_, rowid, x) VALUES (10, 'a', 1), (20, 'b', 2);
            CREATE TABLE key (a, b, PRIMARY KEY (a, b));
            CREATE TABLE child (a, b, FOREIGN KEY (a, b) REFERENCES key);
            """)
        try queue.inDatabase { db throws in
            for name in ["v", "f"] {
                expectError(
                    .SQLITE_MISUSE,
                    "table \(name) can't be rebuilt: it is a view or a virtual table; create it anew"
                ) { try db.rebuild(table: name) { $0.column("a") } }
            }
            try db.rebuild(table: "r") { t in
                t.column("rowid", .text)
                t.column("x", .text)
            }
            #expect(try Int.fetchAll(db, sql: "SELECT _rowid_ FROM r") == [10, 20])
            // The child's foreign key no longer refers to a key.
            let error = databaseError { try db.rebuild(table: "key") { $0.primaryKey("a", .text) } }
            #expect(error?.message?.contains("foreign key mismatch") == true)
        }
    }

    @Test func withoutForeignKeys() throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let (queue, _) = try loggedQueue(schema, configuration: configuration)
        try queue.write { db in
            try db.rebuild(table: "player", copying: ["score": "IFNULL(score, 0)"], body: define)
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") == 2)
        }
    }
}
