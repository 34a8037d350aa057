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

    /// The actions of foreign keys are not default values.
    @Test func defaultsAndForeignKeys() throws {
        let path = try tool.database(
            """
            CREATE TABLE p (id INTEGER PRIMARY KEY);
            CREATE TABLE c (id INTEGER PRIMARY KEY, pid INTEGER REFERENCES p (id) ON DELETE SET DEFAULT ON UPDATE CASCADE NOT NULL,
                q INTEGER REFERENCES p (id) ON UPDATE SET DEFAULT DEFAULT 7 CONSTRAINT n NOT NULL);
            """)
        func dryRun(_ options: String...) throws -> [Substring] {
            let output = try tool.run(["transform", path, "c", "--dry-run"] + options)
            #expect(output.code == 0, "\(output)")
            return Array(output.output.split(separator: "\n").dropFirst(2).prefix(2))
        }
        let (pid, q) = (
            "REFERENCES p(id) ON DELETE SET DEFAULT ON UPDATE CASCADE NOT NULL",
            "REFERENCES p(id) ON UPDATE SET DEFAULT"
        )
        #expect(
            try dryRun("--default", "pid=1", "--default", "q=")
                == ["    pid INTEGER DEFAULT (1) \(pid),", "    q INTEGER \(q) CONSTRAINT n NOT NULL"])
        #expect(
            try dryRun("--default", "pid=", "--nullable", "q")
                == ["    pid INTEGER \(pid),", "    q INTEGER \(q) DEFAULT 7"])
        #expect(try tool.run("transform", path, "c", "--default", "pid=1") == .init(""))
        #expect(try tool.run("doctor", path, "--quick").code == 1)
        #expect(
            try tool.run(
                "query", path, "SELECT on_delete FROM pragma_foreign_key_list('c') WHERE \"from\" = 'pid'", "-f", "csv"
            )
            .output == "on_delete\r\nSET DEFAULT\r\n")
    }

    /// Nothing of the old key remains.
    @Test func conflictClausesOfKeys() throws {
        let path = try tool.database(
            """
            CREATE TABLE t (a TEXT NOT NULL PRIMARY KEY ON CONFLICT REPLACE, b INTEGER);
            CREATE TABLE u (a INTEGER CONSTRAINT k PRIMARY KEY DESC ON CONFLICT IGNORE, b INTEGER);
            CREATE TABLE v (a INTEGER NOT NULL PRIMARY KEY ON CONFLICT ABORT AUTOINCREMENT, b INTEGER);
            """)
        for (table, column) in [("t", "a TEXT NOT NULL"), ("u", "a INTEGER"), ("v", "a INTEGER NOT NULL")] {
            #expect(
                try tool.run("transform", path, table, "--key", "b", "--dry-run")
                    == .init("CREATE TABLE \"\(table)\" (\n    \(column),\n    b INTEGER PRIMARY KEY\n)\n"))
        }
    }

    /// SQLite chooses a value for NULL in the key that is the rowid.
    @Test func keysWithNull() throws {
        let path = try tool.database(
            """
            CREATE TABLE t (a INTEGER, b); INSERT INTO t VALUES (NULL, 'x'), (5, 'y');
            CREATE TABLE u (a INT PRIMARY KEY, b); INSERT INTO u VALUES (NULL, 'x'), (5, 'y');
            """)
        let message = "has no integer in a, which would be its key: set one in each row\n"
        for (table, option) in [("t", ["--key", "a"]), ("u", ["--type", "a=INTEGER"])] {
            #expect(
                try tool.run(["transform", path, table] + option)
                    == .init("", errors: "rowan: a row of \(table) \(message)", code: 3))
            #expect(
                try tool.run("query", path, "SELECT a, b FROM \(table) ORDER BY b", "-f", "csv")
                    == .init("a,b\r\n,x\r\n5,y\r\n"))
            #expect(try tool.run("query", path, "UPDATE \(table) SET a = 3 WHERE a IS NULL", "--write") == .init(""))
            #expect(try tool.run(["transform", path, table] + option) == .init(""))
            #expect(
                try tool.run("query", path, "SELECT rowid AS r, b FROM \(table)", "-f", "csv")
                    == .init("r,b\r\n3,x\r\n5,y\r\n"))
        }
    }

    @Test func renames() throws {
        let path = try tool.database(
            "CREATE TABLE t (a INTEGER, b TEXT CHECK (length(a) > 0)); CREATE VIEW v AS SELECT a FROM t")
        let before = try definition(path, "t")
        #expect(
            try tool.run("transform", path, "t", "--rename", "a=z", "--rename", "nope=y")
                == .init("", errors: "rowan: t has no column nope: there are z, b\n", code: 3))
        #expect(try definition(path, "t") == before)
        #expect(
            try tool.run("transform", path, "t", "--rename", "a=z", "--rename", "b=c d", "--dry-run")
                == .init("CREATE TABLE \"t\" (\n    \"z\" INTEGER,\n    \"c d\" TEXT CHECK (length(\"z\") > 0)\n)\n"))
        #expect(try definition(path, "t") == before)
        #expect(try tool.run("transform", path, "t", "--rename", "a=z", "--rename", "b=c d") == .init(""))
        #expect(try tool.run("query", path, "SELECT z, \"c d\" FROM t", "-f", "csv").code == 0)
        #expect(try tool.run("query", path, "SELECT * FROM v", "-f", "csv").code == 0)
    }

    @Test func definitionsThatAreNotValid() throws {
        let path = try tool.database("CREATE TABLE t (a INTEGER)")
        let output = try tool.run("transform", path, "t", "--default", "a=1) oops (", "--dry-run")
        #expect(
            output
                == .init(
                    "", errors: "rowan: the new definition of t is not valid: near \"oops\": syntax error\n", code: 3))
    }

    @Test func generatedColumnsAndOperators() throws {
        let path = try tool.database(
            """
            CREATE TABLE t (a INTEGER DEFAULT (- -1), v INTEGER AS (a - -a) VIRTUAL, w AS (a->>'$') VIRTUAL, x AS (a<-1 or a>=+1 or a!=.5 or a<<1<>2), b);
            INSERT INTO t (b) VALUES (1);
            """)
        let before = try tool.run("query", path, "SELECT * FROM t", "-f", "csv")
        #expect(before.output == "a,v,w,x,b\r\n1,2,1,1,1\r\n")
        #expect(try tool.run("transform", path, "t", "--type", "b=INTEGER") == .init(""))
        #expect(
            try tool.run("query", path, "INSERT INTO t (b) VALUES (1) RETURNING *", "-f", "csv", "--write") == before)
        let virtual = try tool.database("CREATE VIRTUAL TABLE f USING fts5(a)", "f.sqlite")
        #expect(try tool.run("transform", virtual, "f", "--type", "a=TEXT").errors.contains("view or a virtual table"))
    }
}
