// Scripts: their content, and the equality of restored databases.

import Foundation
import Rowan
import Testing

struct DumpScriptTests {
    @Test func text() throws {
        try withDatabase { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score REAL, half AS (score / 2));
                    INSERT INTO player VALUES (1, 'Arthur', 500), (2, 'O''Brien', 0.1);
                    CREATE TABLE plain (a);
                    INSERT INTO plain(rowid, a) VALUES (7, x'CAFE'), (9, NULL);
                    CREATE TABLE pair (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID;
                    INSERT INTO pair VALUES (1, 2), (3, 1);
                    CREATE UNIQUE INDEX plain_a ON plain(a);
                    CREATE VIEW v AS SELECT * FROM w;
                    CREATE VIEW w AS SELECT 1;
                    CREATE TRIGGER log AFTER INSERT ON player BEGIN INSERT INTO plain VALUES (new.id); END;
                    PRAGMA user_version = 3
                    """)
            #expect(
                try dumped { try db.dumpScript(to: $0) }
                    == """
                    SAVEPOINT rowan_script;
                    PRAGMA user_version=3;
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score REAL, half AS (score / 2));
                    CREATE TABLE plain (a);
                    CREATE TABLE pair (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID;
                    INSERT INTO "player"("id","name","score") VALUES
                    (1,'Arthur',500.0),
                    (2,'O''Brien',0.1);
                    INSERT INTO "plain"(rowid,"a") VALUES
                    (7,X'CAFE'),
                    (9,NULL);
                    INSERT INTO "pair" VALUES
                    (3,1),
                    (1,2);
                    CREATE UNIQUE INDEX plain_a ON plain(a);
                    CREATE VIEW v AS SELECT * FROM w;
                    CREATE VIEW w AS SELECT 1;
                    CREATE TRIGGER log AFTER INSERT ON player BEGIN INSERT INTO plain VALUES (new.id); END;
                    RELEASE rowan_script;

                    """)
        }
        try withDatabase { db throws in
            #expect(try dumped { try db.dumpScript(to: $0) } == "SAVEPOINT rowan_script;\nRELEASE rowan_script;\n")
        }
    }

    /// Restores a database in each way, and expects it to be equal to the original.
    private func checkRestoring(
        _ schema: String, _ configuration: Configuration = Configuration(), inTransaction: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation, then body: (Database) throws -> Void = { _ in }
    ) throws {
        try withDatabase(configuration) { db throws in
            try db.execute(sql: schema)
            try checkRestored(db, inTransaction: inTransaction, sourceLocation: sourceLocation, then: body)
        }
    }

    @Test func foreignKeys() throws {
        // A child before its parent, a cycle, and a key that is an index.
        try checkRestoring(
            """
            PRAGMA foreign_keys = OFF;
            CREATE TABLE child(id INTEGER PRIMARY KEY, p INTEGER REFERENCES parent(id), i TEXT REFERENCES indexed(name));
            CREATE TABLE parent(id INTEGER PRIMARY KEY, c INTEGER REFERENCES child(id));
            CREATE TABLE indexed(name TEXT);
            CREATE UNIQUE INDEX indexed_name ON indexed(name);
            INSERT INTO child VALUES (1, 1, 'a'), (2, 1, 'b');
            INSERT INTO parent VALUES (1, 2);
            INSERT INTO indexed VALUES ('a'), ('b');
            PRAGMA foreign_keys = ON
            """
        ) { restored throws in
            expectError(.SQLITE_CONSTRAINT) { try restored.execute(sql: "INSERT INTO child VALUES (3, 99, NULL)") }
        }
    }

    /// Rows without their parents, a missing parent table, a parent without a key.
    @Test(arguments: [
        "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(x REFERENCES a(id)); INSERT INTO b VALUES (1)",
        "CREATE TABLE b(x REFERENCES nowhere(id)); INSERT INTO b VALUES (1)",
        "CREATE TABLE a(x); CREATE TABLE b(x REFERENCES a(x)); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)",
    ])
    func violatedForeignKeys(schema: String) throws {
        try checkRestoring(
            "PRAGMA foreign_keys = OFF; \(schema); PRAGMA foreign_keys = ON", inTransaction: false
        ) { restored throws in
            #expect(try Int.fetchOne(restored, sql: "PRAGMA foreign_keys") == 1)
        }
    }

    @Test func virtualTables() throws {
        try checkRestoring(
            """
            CREATE TABLE article(id INTEGER PRIMARY KEY, title TEXT, body TEXT);
            INSERT INTO article VALUES (1, 'One', 'hello world'), (2, 'Two', 'goodbye');
            CREATE VIRTUAL TABLE search USING fts5(title, body, content='article', content_rowid='id');
            INSERT INTO search(search) VALUES ('rebuild');
            CREATE TRIGGER article_ai AFTER INSERT ON article BEGIN
                INSERT INTO search(rowid, title, body) VALUES (new.id, new.title, new.body);
            END;
            CREATE VIRTUAL TABLE "own ""five" USING fts5(a, tokenize='porter');
            INSERT INTO "own ""five"(rowid, a) VALUES (5, 'running'), (-3, 'jumped');
            CREATE VIRTUAL TABLE bare USING fts5(a, content='');
            INSERT INTO bare(rowid, a) VALUES (4, 'contentless');
            CREATE VIRTUAL TABLE four USING fts4(b);
            INSERT INTO four VALUES ('some text');
            CREATE VIRTUAL TABLE three USING fts3(c);
            INSERT INTO three VALUES ('old text');
            CREATE VIRTUAL TABLE words USING fts5vocab(search, row);
            CREATE VIEW found AS SELECT rowid FROM search WHERE search MATCH 'hello';
            """
        ) { db throws in
            func ints(_ sql: String) throws -> [Int] { try Int.fetchAll(db, sql: sql) }
            #expect(try ints("SELECT rowid FROM search WHERE search MATCH 'hello'") == [1])
            #expect(try ints("SELECT rowid FROM found") == [1])
            #expect(try ints("SELECT rowid FROM \"own \"\"five\" WHERE a MATCH 'run OR jump' ORDER BY 1") == [-3, 5])
            #expect(try ints("SELECT rowid FROM bare WHERE bare MATCH 'contentless'") == [4])
            #expect(try ints("SELECT docid FROM four WHERE four MATCH 'text'") == [1])
            #expect(try ints("SELECT docid FROM three WHERE three MATCH 'old'") == [1])
            #expect(try ints("SELECT count(*) FROM words") == [5])
            // The tables work, and their triggers fire.
            try db.execute(
                sql: """
                    INSERT INTO article VALUES (3, 'Three', 'hello again');
                    INSERT INTO "own ""five" VALUES ('runner runs');
                    INSERT INTO four VALUES ('more text');
                    INSERT INTO search(search) VALUES ('integrity-check');
                    INSERT INTO "own ""five"("own ""five") VALUES ('integrity-check');
                    INSERT INTO four(four) VALUES ('integrity-check')
                    """)
            #expect(try ints("SELECT rowid FROM search WHERE search MATCH 'hello' ORDER BY 1") == [1, 3])
            #expect(try ints("SELECT docid FROM four WHERE four MATCH 'text'") == [1, 2])
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test func sequencesAndStatistics() throws {
        try checkRestoring(
            """
            CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT, x);
            CREATE INDEX a_x ON a(x);
            INSERT INTO a VALUES (1, 'x'), (100, 'y');
            DELETE FROM a WHERE id = 100;
            CREATE TABLE empty(id INTEGER PRIMARY KEY AUTOINCREMENT);
            INSERT INTO sqlite_sequence VALUES ('empty', 1000);
            CREATE TABLE rowan_script(a);
            ANALYZE;
            PRAGMA application_id = -5
            """
        ) { db throws in
            #expect(
                try Row.fetchAll(db, sql: "SELECT * FROM sqlite_stat1") == [["tbl": "a", "idx": "a_x", "stat": "1 1"]])
            try db.execute(sql: "INSERT INTO a(x) VALUES ('z'); INSERT INTO empty DEFAULT VALUES")
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM a UNION ALL SELECT id FROM empty") == [1, 101, 1001])
            #expect(try Int.fetchOne(db, sql: "PRAGMA application_id") == -5)
        }
        // The table remains when the last AUTOINCREMENT table is dropped.
        try checkRestoring("CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE a")
    }

    @Test func unusualTables() throws {
        try checkRestoring(
            """
            CREATE TABLE rowids(rowid, oid); INSERT INTO rowids(_rowid_, rowid, oid) VALUES (-5, 1, 2), (7, 3, 4);
            CREATE TABLE alias(oid INTEGER PRIMARY KEY, a); INSERT INTO alias VALUES (-1, 'a'), (9, 'b');
            CREATE TABLE descending(id INTEGER PRIMARY KEY DESC); INSERT INTO descending VALUES (3), (1), (2);
            CREATE TABLE hidden(rowid TEXT, _rowid_ TEXT, oid TEXT); INSERT INTO hidden VALUES ('a', 'b', 'c');
            CREATE TABLE generated(a INT, b AS (a * 2) STORED, c AS (a || 'x') VIRTUAL, d TEXT DEFAULT 'y');
            INSERT INTO generated(a, d) VALUES (1, 'z'), (NULL, NULL);
            CREATE TABLE types(i INTEGER, r REAL, t TEXT, n NUMERIC, b BLOB, x);
            INSERT INTO types VALUES (1.5, 1, 1, '1', '1', '1'), ('a', 'b', x'01', x'02', 1.0, -0.0);
            CREATE TABLE checked(a INTEGER CHECK (a > 0), b TEXT COLLATE NOCASE UNIQUE NOT NULL) ;
            INSERT INTO checked VALUES (1, 'B'), (2, 'a');
            CREATE VIEW commented AS SELECT 1 AS a, '--' AS b /* -- */ -- the end
            ;
            CREATE INDEX partial ON types(lower(t)) WHERE i > 1;
            CREATE TRIGGER "instead; of" INSTEAD OF INSERT ON commented BEGIN SELECT ';'; END;
            CREATE TEMP TABLE types(a); INSERT INTO temp.types VALUES ('temporary');
            CREATE TEMP TRIGGER gone AFTER INSERT ON main.types BEGIN SELECT 1; END
            """
        ) { db throws in
            #expect(try !db.tableExists("types", in: "temp"))
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
        }
    }

    /// A statement has at most 2,000 terms, so none can contain all columns and the rowid.
    @Test(arguments: [1_999, 2_000]) func asManyColumnsAsPossible(count: Int) throws {
        let columns = (1..<count).map { "c\($0)" }.joined(separator: ", ")
        try withDatabase { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE wide (a TEXT NOT NULL UNIQUE, \(columns));
                    INSERT INTO wide (rowid, a, c1) VALUES
                        (-7, 'a', 1), (-6, 'b', 2), (1, 'c', 3), (2, 'd', NULL), (9, 'e', 5),
                        (9223372036854775807, 'f', x'00')
                    """)
            let script = try dumped { try db.dumpScript(to: $0) }
            let restored = try DatabaseQueue()
            try restored.write { try $0.execute(sql: script) }
            let sql = "SELECT rowid, a, c1, c\(count - 1) FROM wide ORDER BY rowid"
            #expect(try restored.read { try Row.fetchAll($0, sql: sql) } == Row.fetchAll(db, sql: sql))
            #expect(try restored.read { copy in try dumped { try copy.dumpScript(to: $0) } } == script)
        }
    }

    @Test func strictTables() throws {
        guard isSQLite(3_037_000) else { return }
        try checkRestoring(
            """
            CREATE TABLE s(i INTEGER, r REAL, t TEXT, b BLOB, a ANY) STRICT;
            INSERT INTO s VALUES (1, 2, '3', x'04', 5), (NULL, -0.5, '', x'', '000123')
            """)
    }

    /// A database in UTF-16: its texts are restored exactly.
    @Test(arguments: ["UTF-16le", "UTF-16be"])
    func encodings(encoding: String) throws {
        try checkRestoring(
            """
            PRAGMA encoding = '\(encoding)';
            CREATE TABLE t("é" TEXT);
            INSERT INTO t VALUES ('héllo 👩‍👩‍👧'), ('a' || char(0) || 'b'), (''), ('''')
            """
        ) { db throws in
            #expect(try String.fetchOne(db, sql: "PRAGMA encoding") == encoding)
        }
    }

    @Test func attachedDatabases() throws {
        try withDatabase { db throws in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS "other one";
                    CREATE TABLE t(a); INSERT INTO t VALUES ('main');
                    CREATE TABLE "other one".t(a); INSERT INTO "other one".t VALUES ('attached');
                    CREATE INDEX "other one".i ON t(a); PRAGMA "other one".user_version = 5
                    """)
            let script = try dumped { try db.dumpScript(schema: "other one", to: $0) }
            try withDatabase { restored throws in
                try restored.execute(sql: script)
                #expect(try String.fetchAll(restored, sql: "SELECT a FROM t") == ["attached"])
                #expect(try Int.fetchOne(restored, sql: "PRAGMA user_version") == 5)
                #expect(try restored.indexes(on: "t").map(\.name) == ["i"])
            }
            expectError(.SQLITE_ERROR) { try db.dumpScript(schema: "nowhere", to: TextSink()) }
        }
    }

    /// Each double is restored, even if SQLite misreads its shortest digits.
    @Test func reals() throws {
        var random = SeededGenerator(0x4EA1)
        var doubles: [Double] = [
            0, -0.0, 0.1, -0.1, 1.0 / 3, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 2.2250738585072014e-308,
            1.7976931348623157e308, .infinity,
            -.infinity, 1e15, 999_999_999_999_999, 1e16, 0x1p53 + 2, 1e22, 1e23, 0x1p63, 123456789.1234,
        ]
        for _ in 0..<3_000 {
            doubles.append(random.double())
            doubles.append(Double.random(in: -1e6...1e6, using: &random))
        }
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE t(a)")
            for double in doubles { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [double]) }
            let script = try dumped { try db.dumpScript(to: $0) }
            try withDatabase { restored throws in
                try restored.execute(sql: script)
                let values = try Double.fetchAll(restored, sql: "SELECT a FROM t ORDER BY rowid")
                let wrong = zip(doubles, values).filter { $0.bitPattern != $1.bitPattern }
                #expect(values.count == doubles.count)
                #expect(wrong.isEmpty, "seed \(random.seed)")
            }
        }
    }

    /// A script that fails leaves the connection usable.
    @Test(arguments: ConnectionKind.allCases)
    func restoringTwice(kind: ConnectionKind) throws {
        try withTable(kind) { writer throws in
            let script = try dumped { try writer.dumpScript(to: $0) }
            expectError(.SQLITE_ERROR, "table t already exists") { try writer.write { try $0.execute(sql: script) } }
            #expect(try writer.values() == [1, 2])
            let folder = try TemporaryFolder()
            let other = try kind.make(in: folder)
            try other.writeWithoutTransaction { try $0.execute(sql: script) }
            #expect(try other.values() == [1, 2])
            withExtendedLifetime(folder) {}
        }
    }
}
