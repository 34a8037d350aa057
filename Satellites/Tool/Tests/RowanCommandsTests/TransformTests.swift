// Changes of columns.

import Foundation
import Rowan
import Testing

@Suite struct TransformTests {
    private let tool = try! Tool()
    private static let schema = """
        CREATE TABLE team (id INTEGER PRIMARY KEY);
        CREATE TABLE player (
            id INTEGER PRIMARY KEY AUTOINCREMENT, -- a comment, with a comma
            "full name" VARCHAR(10, 2) DEFAULT 'a, (b' CHECK ("full name" <> ')'), score TEXT DEFAULT -1.5 NOT NULL ON CONFLICT FAIL,
            team INTEGER NOT NULL REFERENCES team (id) ON DELETE CASCADE, label TEXT AS (score || '!') /* , */,
            CONSTRAINT c CHECK (score <> 'x' OR (team, id) <> (1, 2)), UNIQUE ("full name", team));
        CREATE INDEX player_on_score ON player (score);
        CREATE TRIGGER t AFTER DELETE ON player BEGIN SELECT 1; END;
        INSERT INTO team VALUES (1);
        INSERT INTO player (id, "full name", score, team) VALUES (1, 'Arthur', '10', 1), (5, NULL, '2.5', 1);
        """

    private func definition(_ path: String, _ table: String = "player") throws -> String {
        try tool.run("query", path, "SELECT sql FROM sqlite_schema WHERE name = '\(table)'", "-f", "jsonl").output
    }

    @Test func types() throws {
        let path = try tool.database(Self.schema)
        #expect(
            try tool.run(
                "transform", path, "player", "--type", "score=REAL", "--type", "full name=TEXT", "--not-null",
                "full name",
                "--nullable", "SCORE", "--default", "score=1 + 2", "--default", "full name=", "--dry-run")
                == .init(
                    """
                    CREATE TABLE "player" (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        "full name" TEXT NOT NULL CHECK ("full name" <> ')'),
                        score REAL DEFAULT (1 + 2),
                        team INTEGER NOT NULL REFERENCES team(id) ON DELETE CASCADE,
                        label TEXT AS (score || '!'),
                        CONSTRAINT c CHECK (score <> 'x' OR (team, id) <> (1, 2)),
                        UNIQUE ("full name", team)
                    )

                    """))
        #expect(try tool.run("transform", path, "player", "--type", "score=REAL", "--nullable", "score") == .init(""))
        #expect(
            try tool.run("query", path, "SELECT id, score, typeof(score) AS t, label FROM player", "-f", "csv")
                == .init("id,score,t,label\r\n1,10.0,real,10.0!\r\n5,2.5,real,2.5!\r\n"))
        let schema = try tool.run("schema", path, "player").output
        #expect(schema.contains("player_on_score") && schema.contains("CREATE TRIGGER t"))
        // The counter of AUTOINCREMENT is kept.
        #expect(
            try tool.run(
                "query", path, "INSERT INTO player (\"full name\", team) VALUES ('Dan', 1) RETURNING id", "--write",
                "-f", "csv")
                == .init("id\r\n6\r\n"))
    }

    @Test func columnsAndKeys() throws {
        let path = try tool.database(
            "CREATE TABLE t (a INTEGER, b TEXT, c TEXT, PRIMARY KEY (a)); INSERT INTO t VALUES (1, 'x', 'y'), (2, 'z', 'w')"
        )
        #expect(try tool.run("transform", path, "t", "--drop", "c", "--order", "b", "--key", "b,a") == .init(""))
        #expect(
            try definition(path, "t").contains(#"CREATE TABLE \"t\" (b TEXT, a INTEGER, PRIMARY KEY (\"b\", \"a\"))"#))
        #expect(try tool.run("query", path, "SELECT * FROM t", "-f", "csv") == .init("b,a\r\nx,1\r\nz,2\r\n"))
        #expect(try tool.run("transform", path, "t", "--rename", "b=name") == .init(""))
        #expect(try tool.run("query", path, "SELECT name FROM t", "-f", "csv") == .init("name\r\nx\r\nz\r\n"))
        #expect(try tool.run("transform", path, "t", "--key", "a") == .init(""))
        #expect(try definition(path, "t").contains("a INTEGER PRIMARY KEY"))
    }

    @Test func strictTables() throws {
        let path = try tool.database(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, "full name" VARCHAR(10), price DOUBLE, x, day DATE NOT NULL, n INT);
            INSERT INTO t VALUES (1, 'Arthur', 1.5, x'00', '2026-01-01', 3);
            CREATE TABLE w (a TEXT PRIMARY KEY) WITHOUT ROWID, STRICT;
            """)
        #expect(
            try tool.run("transform", path, "t", "--strict")
                == .init(
                    "",
                    errors:
                        "rowan: a STRICT table doesn't allow types of t: pass --type 'full name=TEXT' --type price=REAL --type x=ANY --type day=ANY\n",
                    code: 3))
        let types = ["--type", "full name=TEXT", "--type", "price=REAL", "--type", "x=ANY", "--type", "day=TEXT"]
        let arguments = ["transform", path, "t", "--strict"] + types
        #expect(
            try tool.run(arguments + ["--dry-run"])
                == .init(
                    """
                    CREATE TABLE "t" (
                        id INTEGER PRIMARY KEY,
                        "full name" TEXT,
                        price REAL,
                        x ANY,
                        day TEXT NOT NULL,
                        n INT
                    ) STRICT

                    """))
        #expect(try tool.run("query", path, "UPDATE t SET n = 'many'", "--write").code == 0)
        let refused = try tool.run(arguments)
        #expect(refused.code == 3 && refused.errors.contains("cannot store TEXT value in INT column t.n"))
        #expect(try !definition(path, "t").contains("STRICT"))
        #expect(try tool.run("query", path, "UPDATE t SET n = 3", "--write").code == 0)
        #expect(try tool.run(arguments) == .init(""))
        #expect(try definition(path, "t").hasSuffix("STRICT\"}\n"))
        #expect(
            try tool.run("query", path, "SELECT * FROM t", "-f", "csv")
                == .init("id,full name,price,x,day,n\r\n1,Arthur,1.5,AA==,2026-01-01,3\r\n"))
        // Other changes keep it.
        #expect(try tool.run("transform", path, "t", "--drop", "x") == .init(""))
        #expect(try definition(path, "t").hasSuffix("STRICT\"}\n"))
        #expect(try tool.run("transform", path, "t", "--type", "n=DATE").errors.contains("pass --type n=ANY"))
        #expect(try tool.run("transform", path, "t", "--no-strict", "--type", "n=DATE") == .init(""))
        #expect(try !definition(path, "t").contains("STRICT"))
        #expect(try tool.run("transform", path, "w", "--dry-run").output.hasSuffix("\n) WITHOUT ROWID, STRICT\n"))
        #expect(try tool.run("transform", path, "t", "--rename", "n=m", "--strict").code == 2)
    }

    /// What is not changed keeps its meaning.
    @Test func otherColumnsAreKept() throws {
        let path = try tool.database(
            """
            CREATE TABLE [odd "t"] ([a b] TEXT, `c``d` DEFAULT x'0aFF', e DEFAULT 1e-5, f DEFAULT 1.5e+3, g DEFAULT 0x1F,
                h DEFAULT (1<<2|3), i DEFAULT 'it''s', j CHECK (j->>'$.a' IS NOT 1 AND j NOT IN (1,-2)), "k" INTEGER DEFAULT - 5, z);
            """)
        let values = "INSERT INTO \"odd \"\"t\"\"\" (z) VALUES (1) RETURNING *"
        let before = try tool.run("query", path, values, "--write", "-f", "jsonl")
        #expect(before.code == 0)
        #expect(try tool.run("transform", path, "odd \"t\"", "--type", "z=INTEGER") == .init(""))
        #expect(try tool.run("query", path, values, "--write", "-f", "jsonl") == before)
    }

    /// After an error, the table is as it was.
    @Test func refusals() throws {
        let path = try tool.database(Self.schema)
        let before = try definition(path)
        let null = try tool.run("transform", path, "player", "--not-null", "full name")
        #expect(null.code == 3 && null.errors.contains("NOT NULL constraint failed"))
        #expect(
            try tool.run("transform", path, "player", "--drop", "nobody")
                == .init(
                    "", errors: "rowan: player has no column nobody: there are id, full name, score, team, label\n",
                    code: 3))
        #expect(try tool.run("transform", path, "player", "--type", "score").code == 2)
        #expect(try tool.run("transform", path, "player", "--rename", "score=points", "--drop", "label").code == 2)
        #expect(try tool.run("transform", path, "player", "--type", "score=)").code == 3)
        #expect(try definition(path) == before)
    }
}
