// Regions: their algebra, and the regions read by statements.

@testable import Rowan
import Testing

@Suite
struct DatabaseRegionTests {
    // MARK: Algebra

    /// A naive region: the cells of two small tables. One extra row and column represent all others.
    private struct Cells {
        static let tables = ["a", "b"]
        static let columns = ["x", "y", "other"]
        static let rows: [Int64] = [1, 2, 3, -1]

        var region: DatabaseRegion
        var cells: Set<String>

        /// Part of a table: all or some of the columns and rows.
        static func random(_ generator: inout SeededGenerator) -> Cells {
            let table = tables.randomElement(using: &generator)!
            let columns =
                Bool.random(using: &generator)
                ? nil : Set(Self.columns.dropLast().filter { _ in Bool.random(using: &generator) } + ["x"])
            let rows =
                Bool.random(using: &generator)
                ? nil : Set(Self.rows.dropLast().filter { _ in Bool.random(using: &generator) })
            return Cells(
                region: DatabaseRegion(.init(schema: "main", name: table), columns: columns, rowIDs: rows),
                cells: Set(
                    (columns ?? Set(Self.columns)).flatMap { column in
                        (rows ?? Set(Self.rows)).map { "\(table) \(column) \($0)" }
                    }))
        }
    }

    /// Unions of random parts. The union contains both regions, and may contain more.
    private func randomRegion(_ generator: inout SeededGenerator) -> (region: DatabaseRegion, cells: Set<String>) {
        if Int.random(in: 0..<12, using: &generator) == 0 {
            return (
                DatabaseRegion.fullDatabase,
                Set(
                    Cells.tables.flatMap { table in
                        Cells.columns.flatMap { column in Cells.rows.map { "\(table) \(column) \($0)" } }
                    })
            )
        }
        var (region, cells) = (DatabaseRegion(), Set<String>())
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let part = Cells.random(&generator)
            region.formUnion(part.region)
            cells.formUnion(part.cells)
        }
        return (region, cells)
    }

    @Test func algebra() {
        var generator = SeededGenerator(11)
        for _ in 0..<2_000 {
            let (a, b, c) = (randomRegion(&generator), randomRegion(&generator), randomRegion(&generator))
            let seed: Comment = "ROWAN_SEED=\(generator.seed)"
            let union = a.region.union(b.region)
            #expect(union == b.region.union(a.region), seed)
            #expect(union.hashValue == b.region.union(a.region).hashValue, seed)
            #expect(union.union(c.region) == a.region.union(b.region.union(c.region)), seed)
            #expect(a.region.union(a.region) == a.region, seed)
            #expect(a.region.union(DatabaseRegion()) == a.region, seed)
            #expect(union.union(a.region) == union, seed)
            #expect(a.region.intersects(b.region) == b.region.intersects(a.region), seed)
            #expect(a.region.intersects(a.region) == !a.region.isEmpty, seed)
            // No common cell is missed, in regions and in their unions.
            if !a.cells.isDisjoint(with: b.cells) { #expect(a.region.intersects(b.region), seed) }
            if !a.cells.union(b.cells).isDisjoint(with: c.cells) { #expect(union.intersects(c.region), seed) }
            if a.region.intersects(c.region) { #expect(union.intersects(c.region), seed) }
        }
    }

    /// Two parts intersect if and only if they have a cell in common.
    @Test func intersections() {
        var generator = SeededGenerator(12)
        for _ in 0..<2_000 {
            let (a, b) = (Cells.random(&generator), Cells.random(&generator))
            #expect(
                a.region.intersects(b.region) == !a.cells.isDisjoint(with: b.cells),
                "\(a.region) and \(b.region): ROWAN_SEED=\(generator.seed)")
        }
    }

    @Test func emptyAndFullRegions() {
        let table = DatabaseRegion(.init(schema: "main", name: "t"))
        #expect(DatabaseRegion().isEmpty)
        #expect(!DatabaseRegion().isFullDatabase)
        #expect(DatabaseRegion().description == "empty")
        #expect(DatabaseRegion.fullDatabase.isFullDatabase)
        #expect(DatabaseRegion.fullDatabase.description == "full database")
        #expect(DatabaseRegion.fullDatabase.union(table) == .fullDatabase)
        #expect(table.union(.fullDatabase) == .fullDatabase)
        #expect(DatabaseRegion.fullDatabase.intersects(table))
        #expect(!DatabaseRegion.fullDatabase.intersects(DatabaseRegion()))
        #expect(!DatabaseRegion().intersects(.fullDatabase))
        #expect(DatabaseRegion(.init(schema: "main", name: "t"), rowIDs: []).isEmpty)
    }

    /// SQLite ignores the case of ASCII letters in names.
    @Test func cases() {
        func region(_ table: String, _ columns: Set<String>? = nil) -> DatabaseRegion {
            DatabaseRegion(.init(schema: "main", name: table), columns: columns)
        }
        #expect(region("Player", ["Name"]) == region("PLAYER", ["NAME"]))
        #expect(region("Player", ["Name"]).hashValue == region("PLAYER", ["NAME"]).hashValue)
        #expect(region("É") != region("é"))
        #expect(region("a", ["É"]) != region("a", ["é"]))
        #expect(!region("a", ["É"]).isModified(byEventsOfKind: .update(tableName: "A", columnNames: ["é"])))
        #expect(region("a", ["x"]).isModified(byEventsOfKind: .update(tableName: "A", columnNames: ["X"])))
        #expect(region("a", ["x"]).isModified(byEventsOfKind: .delete(tableName: "A")))
        #expect(!region("a", ["x"]).isModified(byEventsOfKind: .insert(tableName: "b")))
    }

    // MARK: Statements

    private static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, teamId REFERENCES team(id));
        CREATE TABLE team (id INTEGER PRIMARY KEY, Name TEXT);
        CREATE TABLE pair (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE sum (a, b, c AS (a + b));
        CREATE VIEW best AS SELECT name, score FROM player WHERE score > 10;
        CREATE VIEW bestNames AS SELECT name FROM best;
        CREATE VIRTUAL TABLE doc USING fts5(title, body);
        CREATE TABLE "t(a),b" ("x,y" , "z""[1]");
        ATTACH ':memory:' AS "other db";
        CREATE TABLE "other db".player (id INTEGER PRIMARY KEY, nick);
        CREATE TEMP TABLE scratch (x);
        """

    @Test(arguments: [
        ("SELECT name FROM player", "player(name)"),
        ("SELECT * FROM player", "player(id,name,score,teamId)"),
        ("select NAME from PLAYER where SCORE > 1 order by ID", "player(id,name,score)"),
        ("SELECT COUNT(*) FROM player", "player(*)"),
        ("SELECT 1 FROM player", "player(*)"),
        ("SELECT COUNT(name) FROM player", "player(name)"),
        ("SELECT EXISTS (SELECT 1 FROM player)", "player(*)"),
        (
            "SELECT player.name, team.name FROM player JOIN team ON team.id = player.teamId",
            "player(name,teamId),team(Name,id)"
        ),
        ("SELECT player.name FROM player LEFT JOIN team ON 1", "player(name),team(*)"),
        ("SELECT p.id FROM player p, player q WHERE q.score = p.id", "player(id,score)"),
        ("WITH c AS (SELECT name FROM player) SELECT * FROM c", "player(name)"),
        ("WITH c AS (SELECT name FROM player) SELECT COUNT(*) FROM c", "player(name)"),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n", "empty"),
        ("SELECT name FROM player UNION SELECT name FROM team", "player(name),team(Name)"),
        ("SELECT (SELECT COUNT(*) FROM team) FROM player", "player(*),team(*)"),
        ("SELECT v FROM pair WHERE k = 1", "pair(k,v)"),
        ("SELECT \"x,y\" FROM \"t(a),b\"", "t(a),b(x,y)"),
        ("SELECT x FROM scratch", "temp.scratch(x)"),
        ("SELECT nick FROM \"other db\".player", "other db.player(nick)"),
        ("SELECT 1", "empty"),
        ("INSERT INTO team SELECT id, name FROM player", "player(id,name,teamId)"),
        ("UPDATE player SET name = 'x' WHERE id = 1", "player(id)"),
        ("BEGIN", "empty"),
        ("EXPLAIN SELECT name FROM player", "empty"),
        ("SELECT title FROM doc", "doc(title)"),
    ])
    func statements(_ sql: String, _ expected: String) throws {
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let region = try db.makeStatement(sql: sql).databaseRegion
            #expect(region.description == expected)
        }
    }

    /// A region contains everything that its query depends on: a change to it modifies the region.
    @Test(arguments: [
        ("SELECT * FROM best", "UPDATE player SET score = 11", true),
        ("SELECT * FROM bestNames", "UPDATE player SET score = 11", true),
        ("SELECT COUNT(*) FROM bestNames", "DELETE FROM player", true),
        ("SELECT COUNT(*) FROM best", "UPDATE player SET score = 1", true),
        ("SELECT * FROM best", "UPDATE player SET teamId = NULL", false),
        ("SELECT * FROM best", "DROP VIEW best", true),
        ("SELECT * FROM bestNames", "DROP VIEW best; CREATE VIEW best AS SELECT id AS name FROM team", true),
        ("SELECT c FROM sum", "UPDATE sum SET a = 2", true),
        ("SELECT b FROM sum", "UPDATE sum SET a = 2", false),
        ("SELECT name FROM player", "UPDATE player SET id = id + 10", false),
        ("SELECT name FROM player WHERE rowid = 1", "UPDATE player SET id = id + 10", true),
        ("SELECT name FROM team", "UPDATE TEAM SET NAME = 'x'", true),
        ("SELECT nick FROM \"other db\".player", "DELETE FROM main.player", false),
        ("SELECT nick FROM \"other db\".player", "DELETE FROM \"other db\".player", true),
        ("SELECT x FROM scratch", "DELETE FROM scratch", true),
        ("SELECT \"x,y\" FROM \"t(a),b\"", "UPDATE \"T(A),B\" SET \"X,Y\" = 2", true),
        ("SELECT \"x,y\" FROM \"t(a),b\"", "UPDATE \"t(a),b\" SET \"z\"\"[1]\" = 2", false),
        ("SELECT name FROM sqlite_master", "CREATE TABLE new(x)", true),
        ("SELECT * FROM pragma_table_info('player')", "UPDATE player SET id = id + 10", false),
        ("SELECT name FROM player", "ALTER TABLE player ADD COLUMN x DEFAULT 1", true),
        ("SELECT name FROM player", "ALTER TABLE player RENAME COLUMN score TO points", true),
        ("SELECT name FROM player", "DROP TABLE player", true),
        ("SELECT score FROM player", "DELETE FROM team", false),
    ])
    func dependencies(_ query: String, _ sql: String, _ isNoticed: Bool) throws {
        try withDatabase { db in
            try db.execute(
                sql: Self.schema + """
                    INSERT INTO player VALUES (1, 'Arthur', 20, NULL), (2, 'Barbara', 5, NULL);
                    INSERT INTO team VALUES (1, 'Reds');
                    INSERT INTO sum(a, b) VALUES (1, 1);
                    INSERT INTO "t(a),b" VALUES (1, 1);
                    INSERT INTO "other db".player VALUES (1, 'Art');
                    INSERT INTO scratch VALUES (1);
                    """)
            let notices = try db.notices(query, sql)
            #expect(notices == isNoticed)
        }
    }

    /// The region of a statement follows schema changes.
    @Test func changedSchemas() throws {
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let statement = try db.makeStatement(sql: "SELECT * FROM best")
            #expect(!statement.databaseRegion.description.contains("team"))
            try db.execute(sql: "DROP VIEW best; CREATE VIEW best AS SELECT name, id AS score FROM team")
            let region = statement.databaseRegion
            #expect(region.description.contains("team(Name,id)"), "\(region)")
            #expect(!region.description.contains("player"), "\(region)")
            try db.execute(sql: "CREATE TEMP TABLE team (id, name)")
            #expect(try db.makeStatement(sql: "SELECT name FROM team").databaseRegion.description == "temp.team(name)")
        }
    }

    // MARK: Recordings

    /// A later statement may have the address of a released one.
    @Test func releasedStatements() throws {
        try withDatabase { db in
            try db.execute(sql: (0..<20).map { "CREATE TABLE t\($0)(x);" }.joined())
            let (_, region) = try db.recordingRegion {
                for index in 0..<20 { try db.makeStatement(sql: "SELECT x FROM t\(index)").execute() }
            }
            let expected = (0..<20).map { "t\($0)(x)" }.sorted().joined(separator: ",")
            #expect(region.description == expected)
        }
    }

    @Test func nestedRecordings() throws {
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let (inner, outer) = try db.recordingRegion {
                _ = try Int.fetchAll(db, sql: "SELECT id FROM team")
                let (_, inner) = try db.recordingRegion { try Int.fetchAll(db, sql: "SELECT id FROM player") }
                try db.registerAccess(to: Table("pair"))
                _ = try db.columns(in: "sum")
                return inner
            }
            #expect(inner.description == "player(id)")
            // Whether the column exists is determined by the schema.
            #expect(
                outer.description
                    == "pair(*),player(id),sqlite_master(*),team(id),other db.sqlite_master(*),temp.sqlite_temp_master(*)"
            )
            try db.registerAccess(to: Table("unrecorded"))
        }
    }
}
