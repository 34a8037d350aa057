import Rowan
import Testing

struct IntrospectionTests {
    @Test func existence() throws {
        try inLoggedDatabase(
            """
            CREATE TABLE player (id INTEGER PRIMARY KEY);
            CREATE VIEW best AS SELECT * FROM player;
            CREATE TRIGGER watch AFTER INSERT ON player BEGIN SELECT 1; END;
            CREATE TEMP TABLE scratch (a)
            """
        ) { db, _ throws in
            #expect(try db.tableExists("player"))
            #expect(try db.tableExists("PLAYER"))
            #expect(try db.tableExists("player", in: "main"))
            #expect(try !db.tableExists("player", in: "temp"))
            #expect(try db.tableExists("scratch", in: "temp"))
            #expect(try db.tableExists("scratch"))
            #expect(try !db.tableExists("best"))
            #expect(try db.viewExists("Best"))
            #expect(try !db.viewExists("player"))
            #expect(try db.triggerExists("watch"))
            #expect(try !db.triggerExists("other"))
            #expect(try !db.tableExists("nowhere"))
            #expect(databaseError { try db.tableExists("player", in: "nowhere") }?.message == "no such schema: nowhere")
            #expect(Database.isSQLiteInternalTable("sqlite_sequence"))
            #expect(!Database.isSQLiteInternalTable("player"))
            #expect(Database.isGRDBInternalTable("grdb_migrations"))
            #expect(!Database.isGRDBInternalTable("player"))
            #expect(!Database.isGRDBInternalTable("sqlite_sequence"))
        }
    }

    @Test func primaryKeys() throws {
        let cases: [(String, [String], rowIDColumn: String?, isRowID: Bool)] = [
            ("(id INTEGER PRIMARY KEY)", ["id"], "id", true),
            ("(Id integer primary key AUTOINCREMENT)", ["Id"], "Id", true),
            ("(id TEXT PRIMARY KEY)", ["id"], nil, false),
            ("(id INT PRIMARY KEY)", ["id"], nil, false),
            ("(id INTEGER PRIMARY KEY DESC)", ["id"], nil, false),
            ("(id INTEGER PRIMARY KEY) WITHOUT ROWID", ["id"], nil, false),
            ("(a, b)", ["rowid"], nil, true),
            ("(a, b, c, PRIMARY KEY (c, a))", ["c", "a"], nil, false),
        ]
        for (definition, columns, rowIDColumn, isRowID) in cases {
            try inLoggedDatabase("CREATE TABLE t \(definition)") { db, _ throws in
                let key = try db.primaryKey("T")
                #expect(key.columns == columns, "\(definition)")
                #expect(key.rowIDColumn == rowIDColumn, "\(definition)")
                #expect(key.isRowID == isRowID, "\(definition)")
            }
        }
    }

    @Test func missingTables() throws {
        try inLoggedDatabase { db, _ throws in
            let errors = [
                databaseError { try db.primaryKey("nowhere") }, databaseError { try db.columns(in: "nowhere") },
                databaseError { try db.indexes(on: "nowhere") }, databaseError { try db.foreignKeys(on: "nowhere") },
            ]
            for error in errors {
                #expect(error?.resultCode == .SQLITE_ERROR)
                #expect(error?.message == "no such table: nowhere")
            }
            #expect(databaseError { try db.columns(in: "t", in: "main") }?.message == "no such table: main.t")
        }
    }

    @Test func columns() throws {
        try inLoggedDatabase(
            """
            CREATE TABLE t (a TEXT NOT NULL DEFAULT 'x', b integer, c, d AS (b + 1), e AS (b * 2) STORED, PRIMARY KEY (c, a))
            """
        ) { db, _ throws in
            let columns = try db.columns(in: "t")
            #expect(columns.map(\.name) == ["a", "b", "c", "d", "e"])
            #expect(columns.map(\.type) == ["TEXT", "INTEGER", "", "", ""])
            #expect(columns.map(\.isNotNull) == [true, false, false, false, false])
            #expect(columns.map(\.defaultValueSQL) == ["'x'", nil, nil, nil, nil])
            #expect(columns.map(\.primaryKeyIndex) == [2, 0, 1, 0, 0])
        }
    }

    @Test func indexes() throws {
        try inLoggedDatabase(
            """
            CREATE TABLE t (a TEXT PRIMARY KEY, b UNIQUE, c, d);
            CREATE UNIQUE INDEX cd ON t (d, c);
            CREATE INDEX c ON t (c);
            CREATE UNIQUE INDEX partial ON t (c) WHERE d = 1;
            CREATE INDEX expression ON t (c, LOWER(d))
            """
        ) { db, _ throws in
            let indexes = Dictionary(uniqueKeysWithValues: try db.indexes(on: "t").map { ($0.name, $0) })
            #expect(indexes["cd"]?.columns == ["d", "c"])
            #expect(indexes["cd"]?.isUnique == true)
            #expect(indexes["cd"]?.origin == .createIndex)
            #expect(indexes["c"]?.isUnique == false)
            #expect(indexes["sqlite_autoindex_t_1"]?.origin == .primaryKeyConstraint)
            #expect(indexes["sqlite_autoindex_t_2"]?.origin == .uniqueConstraint)
            // Its columns are unknown.
            #expect(indexes["expression"] == nil)
            #expect(try db.table("t", hasUniqueKey: ["a"]))
            #expect(try db.table("t", hasUniqueKey: ["B"]))
            #expect(try db.table("t", hasUniqueKey: ["c", "d"]))
            #expect(try !db.table("t", hasUniqueKey: ["c"]))
            #expect(try !db.table("t", hasUniqueKey: ["d"]))
            #expect(try db.table("t", hasUniqueKey: ["rowid"]))
            // Columns that include a unique key are also unique.
            #expect(try db.table("t", hasUniqueKey: ["d", "a"]))
            #expect(try db.table("t", hasUniqueKey: ["d", "rowid"]))
            try db.execute(sql: "CREATE VIEW v AS SELECT * FROM t")
            #expect(try !db.table("v", hasUniqueKey: ["a"]))
            #expect(try !db.table("nope", hasUniqueKey: ["a"]))
        }
    }

    @Test func keysWithMoreColumnsThanAUniqueKey() throws {
        struct Item: TableRecord {}
        try inLoggedDatabase("CREATE TABLE item (a PRIMARY KEY, b); INSERT INTO item VALUES (1, 2), (3, 4)") {
            db, log throws in
            #expect(try Item.exists(db, key: ["a": 1, "b": 2]))
            #expect(try !Item.exists(db, key: ["a": 1, "b": 4]))
            #expect(try Item.exists(db, key: ["rowid": 2]))
            #expect(try !Item.exists(db, key: ["rowid": 2, "b": 2]))
            #expect(try Item.deleteAll(db, keys: [["a": 1, "b": 4], ["a": 3, "b": 4]]) == 1)
            #expect(databaseError { try Item.exists(db, key: ["b": 2]) }?.resultCode == .SQLITE_MISUSE)
        }
    }

    @Test func foreignKeys() throws {
        try inLoggedDatabase(
            """
            CREATE TABLE parent (x, y, z UNIQUE, PRIMARY KEY (x, y));
            CREATE TABLE child (a, b, c REFERENCES parent (z), FOREIGN KEY (a, b) REFERENCES parent);
            CREATE TABLE lonely (a)
            """
        ) { db, _ throws in
            let keys = try db.foreignKeys(on: "child").sorted { $0.originColumns.count < $1.originColumns.count }
            #expect(keys.map(\.destinationTable) == ["parent", "parent"])
            #expect(keys.map(\.originColumns) == [["c"], ["a", "b"]])
            #expect(keys.map(\.destinationColumns) == [["z"], ["x", "y"]])
            #expect(keys[1].mapping.map { $0.origin + $0.destination } == ["ax", "by"])
            #expect(Set(keys.map(\.id)).count == 2)
            #expect(try db.foreignKeys(on: "lonely").isEmpty)
        }
    }

    @Test func changesAreSeenAtOnce() throws {
        try inLoggedDatabase("CREATE TABLE t (a)") { db, _ throws in
            #expect(try db.columns(in: "t").count == 1)
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
            #expect(try db.columns(in: "t").count == 2)
            #expect(try db.indexes(on: "t").isEmpty)
            try db.execute(sql: "CREATE INDEX i ON t (a)")
            #expect(try db.indexes(on: "t").count == 1)
            try db.execute(sql: "DROP TABLE t")
            #expect(try !db.tableExists("t"))
            try db.execute(sql: "CREATE TEMP TABLE t (z INTEGER PRIMARY KEY)")
            #expect(try db.primaryKey("t").columns == ["z"])
            try db.execute(sql: "CREATE TABLE main.t (y INTEGER PRIMARY KEY)")
            #expect(try db.primaryKey("t").columns == ["z"])
            #expect(try db.primaryKey("t", in: "main").columns == ["y"])
        }
    }

    @Test func answersAreCached() throws {
        try inLoggedDatabase("CREATE TABLE t (a PRIMARY KEY)") { db, _ throws in
            func ask() throws {
                _ = try db.primaryKey("t")
                _ = try db.columns(in: "t")
                _ = try db.indexes(on: "t")
                _ = try db.foreignKeys(on: "t")
                _ = try db.tableExists("t")
            }
            try ask()
            #expect(try db.steps(ask) == 0)
            db.clearSchemaCache()
            #expect(try db.steps(ask) > 0)
        }
    }

    @Test func attachedDatabases() throws {
        let (queue, _) = try loggedQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.t (a INTEGER PRIMARY KEY, b UNIQUE)")
            #expect(try db.tableExists("t"))
            #expect(try db.tableExists("t", in: "OTHER"))
            #expect(try !db.tableExists("t", in: "main"))
            #expect(try db.primaryKey("t").columns == ["a"])
            #expect(try db.indexes(on: "t", in: "other").map(\.columns) == [["b"]])
        }
    }
}
