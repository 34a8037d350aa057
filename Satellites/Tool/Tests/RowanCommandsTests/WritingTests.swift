// Commands that write files.

import Foundation
import Rowan
import Testing

@Suite struct WritingTests {
    private let tool = try! Tool()

    private func rows(_ path: String, _ sql: String) throws -> [String] {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration).read { db in
            try Row.fetchAll(db, sql: sql).map { $0.databaseValues.map(\.literal).joined(separator: " ") }
        }
    }

    // MARK: dump, backup

    @Test func dumpsAndBackups() throws {
        let schema =
            "CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x,y'), (2, NULL); CREATE VIEW v AS SELECT b FROM t"
        let path = try tool.database(schema)
        #expect(try tool.run("dump", path, "t") == .init("a,b\r\n1,\"x,y\"\r\n2,\r\n"))
        #expect(try tool.run("dump", path, "V", "--format", "jsonl") == .init("{\"b\":\"x,y\"}\n{\"b\":null}\n"))
        #expect(try tool.run("dump", path, "--format", "csv").code == 2)
        let script = try tool.run("dump", path)
        #expect(script.code == 0 && script.output.contains("INSERT INTO"))
        let restored = try tool.database(script.output, "restored.sqlite")
        #expect(try rows(restored, "SELECT * FROM t") == ["1 'x,y'", "2 NULL"])

        // Another connection has an open transaction.
        let writer = try DatabasePool(path: path)
        try writer.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (3, 'z')")
            #expect(try tool.run("backup", path, tool.path("copy.sqlite")) == .init(""))
        }
        #expect(try rows(tool.path("copy.sqlite"), "SELECT a FROM t") == ["1", "2"])
        let copy = tool.path("copy.sqlite")
        #expect(
            try tool.run("backup", path, copy)
                == .init("", errors: "rowan: \(copy) exists: pass another file, or --force to replace it\n", code: 3))
        #expect(try tool.run("backup", path, copy, "--force") == .init(""))
        #expect(try rows(copy, "SELECT a FROM t") == ["1", "2", "3"])
        let missing = try tool.run("backup", path, "\(tool.folder.path)/none/copy.sqlite")
        #expect(missing.code == 3 && !missing.errors.isEmpty)
        let files = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
        #expect(files.allSatisfy { !$0.contains("partial") }, "\(files)")
    }

    /// The log of a database that a backup replaces is not applied to the copy.
    @Test func replacedDatabasesWithALog() throws {
        let path = try tool.database("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let other = try DatabasePool(path: tool.path("open.sqlite"))
        try other.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (9), (9)") }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: tool.path("open.sqlite") + suffix, toPath: tool.path("old.sqlite") + suffix)
        }
        #expect(try tool.run("backup", path, tool.path("old.sqlite"), "--force") == .init(""))
        #expect(try rows(tool.path("old.sqlite"), "SELECT a FROM t") == ["1"])
    }

    // MARK: import

    @Test func importsOfFiles() throws {
        let path = tool.path("new.sqlite")
        let players = try tool.write("id,name,zip\n1,Arthur,01234\n2,Barbara,98765\n", "players.csv")
        #expect(try tool.run("import", path, "player", players) == .init("imported 2 rows into the new table player\n"))
        #expect(try rows(path, "SELECT * FROM player") == ["1 'Arthur' '01234'", "2 'Barbara' '98765'"])
        let more = try tool.write("{\"id\":3,\"name\":\"Craig\",\"zip\":\"5\"}\n", "more.jsonl")
        let tabs = try tool.write("zip\tid\tname\n7\t4\tDan\n", "more.tsv")
        #expect(try tool.run("import", path, "player", more, tabs) == .init("imported 2 rows into player\n"))
        #expect(try rows(path, "SELECT id, name, zip FROM player WHERE id > 2") == ["3 'Craig' '5'", "4 'Dan' '7'"])
        #expect(
            try tool.run("import", path, "player", "-", "--format", "jsonl", input: "{\"id\":5}")
                == .init("imported 1 row into player\n"))
        let values = try tool.write("6;NULL;x\n", "values.csv")
        #expect(
            try tool.run("import", path, "player", values, "--no-header", "--separator", ";", "--null", "NULL")
                == .init("imported 1 row into player\n"))
        #expect(try rows(path, "SELECT * FROM player WHERE id > 4") == ["5 NULL NULL", "6 NULL 'x'"])
    }

    @Test func upsertsAndDryRuns() throws {
        let path = tool.path("new.sqlite")
        let file = try tool.write("code,name\nfr,France\nit,Italie\n", "countries.csv")
        #expect(
            try tool.run("import", path, "country", file, "--key", "code", "--dry-run")
                == .init("would import 2 rows into the new table country\n"))
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try tool.run("import", path, "country", file, "--key", "code").code == 0)
        let second = try tool.write("code,name\nit,Italy\n", "more.csv")
        #expect(
            try tool.run("import", path, "country", second, "--key", "code", "--dry-run")
                == .init("would import 1 row into country\n"))
        #expect(try rows(path, "SELECT name FROM country") == ["'France'", "'Italie'"])
        #expect(try tool.run("import", path, "country", second, "--key", "code").code == 0)
        #expect(try rows(path, "SELECT name FROM country") == ["'France'", "'Italy'"])
    }

    /// After an error, nothing was changed: neither by the file, nor by those before it.
    @Test func importsThatFail() throws {
        let path = try tool.database("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL)")
        let good = try tool.write("a,b\n1,x\n", "good.csv")
        let bad = try tool.write("a,b\n2,\n", "bad.csv")
        #expect(
            try tool.run("import", path, "t", good, bad)
                == .init(
                    "", errors: "rowan: \(bad), line 2: NOT NULL constraint failed: t.b. Nothing was imported\n",
                    code: 3))
        #expect(try rows(path, "SELECT * FROM t") == [])
        #expect(
            try tool.run("import", path, "t", tool.path("missing.csv"))
                == .init(
                    "",
                    errors:
                        "rowan: \(tool.path("missing.csv")): can't read the file: No such file or directory. Nothing was imported\n",
                    code: 3))
        #expect(try tool.run("import", path, "t", "file.txt").code == 2)
        #expect(try tool.run("import", path, "t", good, "--separator", "ab").code == 2)
        // No database remains of a failed import.
        #expect(try tool.run("import", tool.path("none.sqlite"), "t", tool.path("missing.csv")).code == 3)
        #expect(!FileManager.default.fileExists(atPath: tool.path("none.sqlite")))
    }

    @Test func badRowsAreSetAside() throws {
        let path = try tool.database("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL)")
        let file = try tool.write(
            "a,b\r\n1,x\r\n2,\r\n3,\"two\r\nlines\"\r\n1,\"again,\r\nand again\"\r\n4\r\n5,y\r\n", "t.csv")
        #expect(
            try tool.run("import", path, "t", file, "--skip-bad", "bad.csv")
                == .init(
                    "imported 3 rows into t\n",
                    errors: """
                        \(file), line 3: NOT NULL constraint failed: t.b
                        \(file), line 6: UNIQUE constraint failed: t.a
                        \(file), line 8: the row has 1 value instead of 2
                        rowan: 3 bad rows are in bad.csv

                        """, code: 1))
        #expect(try tool.text("bad.csv") == "a,b\r\n2,\r\n1,\"again,\r\nand again\"\r\n4\r\n")
        #expect(try rows(path, "SELECT a FROM t") == ["1", "3", "5"])
        #expect(
            try tool.run("import", path, "t", file, "--skip-bad", "bad.csv")
                == .init("", errors: "rowan: bad.csv exists: pass a new file for --skip-bad\n", code: 3))
        // Nothing is imported if the bad rows can't be kept.
        let unwritable = try tool.run(
            "import", path, "t", tool.write("a,b\n40,x\n41,\n", "more.csv"), "--skip-bad", "none/bad.csv")
        #expect(unwritable.code == 3 && unwritable.errors.hasSuffix("Nothing was imported\n"), "\(unwritable)")
        #expect(try rows(path, "SELECT a FROM t") == ["1", "3", "5"])
        let lines = try tool.write("{\"a\":6,\"b\":\"z\"}\n\n{\"a\":6}\nx\n{\"a\":7,\"b\":\"\"}", "t.jsonl")
        let output = try tool.run("import", path, "t", lines, "--skip-bad", "bad.jsonl")
        #expect(output.code == 1 && output.output == "imported 2 rows into t\n")
        #expect(try tool.text("bad.jsonl") == "{\"a\":6}\nx\n")
        // What was set aside can be corrected and imported.
        let corrected = try tool.write(
            tool.text("bad.csv").replacing("4\r\n", with: "4,z\r\n").replacing("2,\r\n", with: "2,q\r\n").replacing(
                "1,\"", with: "8,\""), "good.csv")
        #expect(try tool.run("import", path, "t", corrected) == .init("imported 3 rows into t\n"))
    }

    /// Bad rows of several files are in one file, which must be one that can be imported.
    @Test func badRowsOfSeveralFiles() throws {
        let path = try tool.database("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL)")
        let one = try tool.write("a,b\n1,\n2,x\n3,", "one.csv")
        for (name, text) in [("two.csv", "b,a\ny,4\n"), ("two.tsv", "a\tb\n4\ty\n"), ("two.jsonl", "{\"a\":4}\n")] {
            let other = try tool.write(text, name)
            let output = try tool.run("import", path, "t", one, other, "--skip-bad", "bad.csv")
            #expect(output.code == 2 && output.output == "" && output.errors.contains("another format or header"))
        }
        #expect(!FileManager.default.fileExists(atPath: tool.path("bad.csv")))
        #expect(try rows(path, "SELECT * FROM t") == [])
        let same = try tool.write("a,b\r\n4,y\r\n5,\r\n", "same.csv")
        #expect(try tool.run("import", path, "t", one, same, "--skip-bad", "bad.csv").code == 1)
        #expect(try tool.text("bad.csv") == "a,b\n1,\n3,\n5,\r\n")
        #expect(try rows(path, "SELECT a FROM t") == ["2", "4"])
    }

    @Test func dryRunsWriteNoBadRows() throws {
        let path = try tool.database("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL)")
        let file = try tool.write("a,b\n1,\n2,x\n", "t.csv")
        #expect(
            try tool.run("import", path, "t", file, "--skip-bad", "bad.csv", "--dry-run")
                == .init(
                    "would import 1 row into t\n",
                    errors: "\(file), line 2: NOT NULL constraint failed: t.b\nrowan: 1 bad row\n", code: 1))
        #expect(!FileManager.default.fileExists(atPath: tool.path("bad.csv")))
    }

    /// An import of a dump is the same table.
    @Test func importsOfDumps() throws {
        let path = try tool.database(
            """
            CREATE TABLE t (i INTEGER, r REAL, x TEXT, b BLOB);
            INSERT INTO t VALUES (1, 0.1, 'a,"b"' || char(10), x'00ff'), (NULL, 1e300, '', x''), (-5, NULL, NULL, NULL), (9223372036854775807, 9e999, 'é😀', x'01');
            CREATE TABLE u (i INTEGER, r REAL, x TEXT, b BLOB); CREATE TABLE v (i INTEGER, r REAL, x TEXT, b BLOB);
            """)
        for (table, format) in [("u", "csv"), ("v", "jsonl")] {
            let dump = try tool.run("dump", path, "t", "--format", format)
            #expect(try tool.run("import", path, table, "-", "--format", format, input: dump.output).code == 0)
            #expect(try rows(path, "SELECT * FROM \(table)") == rows(path, "SELECT * FROM t"))
        }
    }

    // MARK: doctor

    @Test func aHealthyDatabase() throws {
        let path = try tool.database("CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
        #expect(try tool.run("doctor", path) == .init("nothing to do\n"))
    }

    @Test func findingsAndFixes() throws {
        let path = try tool.database(
            """
            CREATE TABLE team (id INTEGER PRIMARY KEY);
            CREATE TABLE player (id INTEGER PRIMARY KEY, team INTEGER REFERENCES team (id), name TEXT, score INTEGER);
            CREATE INDEX by_name ON player (name); CREATE INDEX by_name_score ON player (name, score);
            INSERT INTO player VALUES (1, NULL, 'a', 'many');
            ANALYZE;
            WITH n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO player SELECT i, NULL, 'n', i FROM n;
            CREATE VIEW broken AS SELECT missing FROM player;
            """)
        let output = try tool.run("doctor", path)
        #expect(output.code == 1 && output.errors == "")
        #expect(
            output.output == """
                warning: player.score is declared INTEGER, but 1 value is of the type text
                  → convert them, and make the table STRICT
                warning: player has no index on team, which refers to team: deleting a row there reads the whole table
                  → CREATE INDEX "player_on_team" ON "player" ("team")   (rowan doctor --fix)
                warning: the index by_name is redundant: by_name_score begins with the same columns
                  → DROP INDEX "by_name"   (rowan doctor --fix)
                warning: the view broken can't be read: no such column: missing
                  → drop it, or create what it needs
                warning: the statistics for the query planner are outdated: player (1 row then, 2000 now)
                  → ANALYZE   (rowan doctor --fix)

                """)
        let fixed = try tool.run("doctor", path, "--fix")
        #expect(fixed.code == 1)
        #expect(
            fixed.output == """
                warning: player.score is declared INTEGER, but 1 value is of the type text
                  → convert them, and make the table STRICT
                warning: the view broken can't be read: no such column: missing
                  → drop it, or create what it needs

                """)
        #expect(
            try rows(path, "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name") == [
                "'by_name_score'", "'player_on_team'",
            ])
    }

    @Test func damagedDatabases() throws {
        let path = try tool.database(
            """
            CREATE TABLE t (a INTEGER PRIMARY KEY, b); CREATE INDEX i ON t (b);
            WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO t SELECT i, 'value ' || i FROM n;
            PRAGMA writable_schema = ON;
            """)
        let queue = try DatabaseQueue(path: path)
        // The index misses a row.
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t (b) WHERE b <> ''x''' WHERE name = 'i';
                    """)
        }
        try queue.close()
        let partial = try DatabaseQueue(path: path)
        try partial.write { try $0.execute(sql: "INSERT INTO t VALUES (5000, 'x')") }
        try partial.writeWithoutTransaction { db in
            try db.execute(
                sql:
                    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t (b)' WHERE name = 'i'"
            )
        }
        try partial.close()
        let output = try tool.run("doctor", path)
        #expect(output.code == 1 && output.output.contains("REINDEX \"i\""), "\(output)")
        #expect(try tool.run("doctor", path, "--fix").code == 0)
        #expect(try tool.run("doctor", path) == .init("nothing to do\n"))

        // A page of zeros.
        var data = try Data(contentsOf: URL(filePath: path))
        data.replaceSubrange(4096..<8192, with: Data(count: 4096))
        try data.write(to: URL(filePath: path))
        let damaged = try tool.run("doctor", path)
        #expect(damaged.code == 1 && damaged.output.contains("restore a backup"), "\(damaged)")
        let refused = try tool.run("doctor", path, "--fix")
        #expect(refused.code == 3 && refused.errors == "rowan: \(path) is damaged, so nothing was fixed\n")
    }
}
