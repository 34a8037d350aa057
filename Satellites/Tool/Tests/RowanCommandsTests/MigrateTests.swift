// Migrations in SQL files.

import Foundation
import Rowan
import RowanCommands
import Testing

@Suite struct MigrateTests {
    let tool = try! Tool()

    private func migration(_ name: String, _ sql: String) throws {
        try FileManager.default.createDirectory(
            at: tool.folder.appending(path: "migrations"), withIntermediateDirectories: true)
        _ = try tool.write(sql, "migrations/\(name).sql")
    }

    private func makeTwo() throws {
        try migration("1-teams", "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);")
        try migration(
            "2-players",
            "CREATE TABLE player (id INTEGER PRIMARY KEY, team INTEGER REFERENCES team (id) ON DELETE CASCADE);")
    }

    @Test func upAndStatus() throws {
        try makeTwo()
        #expect(try tool.run("migrate", "up", "d.sqlite", "--to", "1-teams") == .init("applied 1-teams\n"))
        #expect(try tool.run("migrate", "status", "d.sqlite") == .init("applied  1-teams\npending  2-players\n"))
        _ = try tool.write("", "schema.sql")
        #expect(try tool.run("migrate", "up", "d.sqlite", "--backup", "b.sqlite") == .init("applied 2-players\n"))
        #expect(try tool.text("schema.sql").contains("CREATE TABLE player"))
        #expect(try tool.run("migrate", "up", "d.sqlite") == .init("nothing to do\n"))
        #expect(try tool.run("migrate", "status", "b.sqlite") == .init("applied  1-teams\npending  2-players\n"))
        #expect(
            try tool.run("migrate", "up", "d.sqlite", "--to", "none")
                == .init(
                    "",
                    errors:
                        "rowan: no migration \"none\" is registered: migrate up to one of the migrator's migrations\n",
                    code: 3))
        #expect(
            try tool.run("migrate", "status", "d.sqlite", "-m", "nowhere")
                == .init(
                    "", errors: "rowan: there is no folder nowhere: pass the one with the migrations as --migrations\n",
                    code: 3))
    }

    /// A migration that fails changes nothing.
    @Test func migrationsThatFail() throws {
        try makeTwo()
        try migration("3-bad", "CREATE TABLE more (a); INSERT INTO nowhere VALUES (1);")
        let output = try tool.run("migrate", "up", "d.sqlite")
        #expect(
            output
                == .init(
                    "applied 1-teams\napplied 2-players\n",
                    errors:
                        "rowan: d.sqlite: SQLite error 1: no such table: nowhere - while executing `INSERT INTO nowhere "
                        + "VALUES (1)`: migration \"3-bad\" failed: check that its migration has run\n", code: 3))
        #expect(
            try tool.run("migrate", "status", "d.sqlite")
                == .init("applied  1-teams\napplied  2-players\npending  3-bad\n"))
        #expect(try tool.run("migrate", "check", "d.sqlite").code == 3)
        #expect(try !tool.run("schema", "d.sqlite").output.contains("more"))
    }

    /// A database that a migration could not fill is not left behind.
    @Test func newDatabasesOfMigrationsThatFail() throws {
        try migration("1-bad", "CREATE TABLE more (a); INSERT INTO nowhere VALUES (1);")
        #expect(try tool.run("migrate", "up", "new.sqlite").code == 3)
        #expect(!FileManager.default.fileExists(atPath: tool.path("new.sqlite")))
        try migration("0-good", "CREATE TABLE good (a);")
        let output = try tool.run("migrate", "up", "new.sqlite")
        #expect(output.code == 3 && output.output == "applied 0-good\n" && output.errors.contains("nowhere"))
        #expect(try tool.run("migrate", "status", "new.sqlite") == .init("applied  0-good\npending  1-bad\n"))
    }

    /// Ctrl-C ends a migration, but not those before it.
    @Test func interruptedMigrations() throws {
        try migration("1-good", "CREATE TABLE good (a);")
        try migration(
            "2-endless",
            "CREATE TABLE t AS WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS m FROM n;")
        let process = Process()
        process.executableURL = Tool.program
        process.arguments = ["migrate", "up", "d.sqlite"]
        process.currentDirectoryURL = tool.folder
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        defer { process.terminate() }
        // The first migration has been committed.
        while try tool.run("query", "d.sqlite", "SELECT * FROM good").code != 0 { usleep(10_000) }
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "applied 1-good\n")
        #expect(
            String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
                == "rowan: interrupted: the migrations above remain applied\n")
        #expect(process.terminationStatus == 130)
    }

    /// The names of new migrations are in the order in which they were made.
    @Test func migrationsOfTheSameSecond() throws {
        var paths: [String] = []
        for name in ["z", "y", "y", "a", "a"] {
            let output = try tool.run("migrate", "create", name)
            #expect(output.code == 0, "\(output)")
            paths.append(output.output)
        }
        #expect(paths == paths.sorted() && Set(paths).count == 5)
        try migration("29991231235959-late", "")
        #expect(try tool.run("migrate", "create", "b") == .init("migrations/29991231235960-b.sql\n"))
    }

    /// A plan changes no other file.
    @Test func plansDoNotAttach() throws {
        let other = try tool.database("CREATE TABLE o (a)", "other.sqlite")
        try tool.database("CREATE TABLE t (a)")
        try migration("1-attach", "ATTACH '\(other)' AS other; INSERT INTO other.o VALUES (1);")
        for command in ["plan", "check"] {
            let output = try tool.run("migrate", command, "d.sqlite")
            #expect(output.code == 3 && output.errors.contains("a plan can't attach databases"), "\(output)")
        }
        #expect(try tool.run("query", other, "SELECT count(*) AS n FROM o", "-f", "csv") == .init("n\r\n0\r\n"))
    }

    @Test func editedAndUnknownMigrations() throws {
        try makeTwo()
        #expect(try tool.run("migrate", "up", "d.sqlite").code == 0)
        try migration("1-teams", "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT); -- A comment")
        try FileManager.default.removeItem(atPath: tool.path("migrations/2-players.sql"))
        try migration("3-more", "CREATE TABLE more (a);")
        #expect(
            try tool.run("migrate", "status", "d.sqlite")
                == .init("edited   1-teams\npending  3-more\nunknown  2-players\n", code: 1))
        let edited =
            "rowan: the migration 1-teams was edited after it has run: restore its text, or accept it with rowan migrate repair "
            + "--accept 1-teams\n"
        for command in ["up", "plan", "check"] {
            #expect(try tool.run("migrate", command, "d.sqlite") == .init("", errors: edited, code: 3))
        }
        #expect(
            try tool.run("migrate", "repair", "d.sqlite", "--accept", "3-more")
                == .init("", errors: "rowan: the migration 3-more is not edited: see rowan migrate status\n", code: 3))
        #expect(try tool.run("migrate", "repair", "d.sqlite").code == 2)
        #expect(
            try tool.run("migrate", "repair", "d.sqlite", "--accept", "1-teams", "--forget", "2-players")
                == .init("accepted 1-teams\nforgot 2-players\n"))
        #expect(try tool.run("migrate", "up", "d.sqlite") == .init("applied 3-more\n"))
        #expect(try tool.run("migrate", "status", "d.sqlite") == .init("applied  1-teams\napplied  3-more\n"))
    }

    @Test func plans() throws {
        try makeTwo()
        #expect(try tool.run("migrate", "up", "d.sqlite").code == 0)
        #expect(try tool.run("migrate", "plan", "d.sqlite") == .init("nothing to do\n"))
        #expect(
            try tool.run(
                "query", "d.sqlite", "INSERT INTO team VALUES (1, 'a'), (2, 'b'); INSERT INTO player VALUES (1, 1)",
                "--write"
            ).code == 0)
        try migration("3-names", "ALTER TABLE team ADD COLUMN short TEXT;\nDELETE FROM team WHERE id = 2;")
        #expect(
            try tool.run("migrate", "plan", "d.sqlite")
                == .init(
                    """
                    -- 3-names
                    ALTER TABLE team ADD COLUMN short TEXT;
                    DELETE FROM team WHERE id = 2;
                    -- Changes of the schema:
                    --   changes table team: CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, short TEXT)
                    ┌────────┬─────────────┬────────────┐
                    │ table  │ rows before │ rows after │
                    ├────────┼─────────────┼────────────┤
                    │ player │           1 │          1 │
                    │ team   │           2 │          1 │
                    └────────┴─────────────┴────────────┘

                    """))
        #expect(try tool.run("migrate", "check", "d.sqlite") == .init("1 pending\n"))
        // The database has not changed.
        #expect(try tool.run("query", "d.sqlite", "SELECT count(*) AS n FROM team", "-f", "csv") == .init("n\r\n2\r\n"))
    }

    /// The copy of a rebuilt table leaves rows out.
    @Test func silentLosses() throws {
        try makeTwo()
        #expect(try tool.run("migrate", "up", "d.sqlite").code == 0)
        #expect(
            try tool.run(
                "query", "d.sqlite", "INSERT INTO team VALUES (1, 'a'), (2, NULL); INSERT INTO player VALUES (1, 1)",
                "--write"
            ).code == 0)
        try migration(
            "3-names",
            """
            CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO new SELECT * FROM team WHERE name IS NOT NULL;
            DROP TABLE team; ALTER TABLE new RENAME TO team;
            """)
        #expect(
            try tool.run("migrate", "check", "d.sqlite")
                == .init("team loses 1 of 2 rows, and no statement deletes them\n", code: 1))
    }

    @Test func baselines() throws {
        try makeTwo()
        let path = try tool.database("CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT)", "old.sqlite")
        #expect(
            try tool.run("migrate", "baseline", path) == .init("table player is missing\n", code: 1))
        #expect(try tool.run("migrate", "status", path) == .init("pending  1-teams\npending  2-players\n"))
        let whole = try tool.database(
            "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE player (id INTEGER PRIMARY KEY, team INTEGER REFERENCES team (id) ON DELETE CASCADE)",
            "whole.sqlite")
        #expect(try tool.run("migrate", "baseline", whole) == .init("2 recorded as applied\n"))
        #expect(try tool.run("migrate", "status", whole) == .init("applied  1-teams\napplied  2-players\n"))
        #expect(try tool.run("migrate", "up", whole) == .init("nothing to do\n"))
        // An edit is noticed.
        try migration("1-teams", "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT); --")
        #expect(try tool.run("migrate", "status", whole).code == 1)
    }

    @Test func newFiles() throws {
        let output = try tool.run("migrate", "create", "Add Teams & players!")
        let path = output.output.trimmingCharacters(in: .newlines)
        #expect(
            output.code == 0 && path.wholeMatch(of: /migrations\/\d{14}-add-teams-players\.sql/) != nil, "\(output)")
        #expect(try tool.text(path) == "-- Add Teams & players!\n")
        #expect(try tool.run("migrate", "create", "!").code == 2)
    }

    @Test func drafts() throws {
        try migration(
            "1-first",
            """
            CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE old (a); CREATE INDEX old_a ON old (a);
            CREATE TABLE city (id INTEGER PRIMARY KEY, a TEXT); CREATE VIEW v AS SELECT 1 AS one;
            """)
        let path = try tool.database(
            """
            CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, short TEXT NOT NULL DEFAULT '');
            CREATE TABLE city (id INTEGER PRIMARY KEY, a INTEGER); CREATE VIEW v AS SELECT 2 AS two;
            CREATE TABLE player (id INTEGER PRIMARY KEY); CREATE INDEX team_name ON team (name);
            """, "wanted.sqlite")
        let output = try tool.run("migrate", "create", "next", "--from-diff", path)
        #expect(output.code == 0, "\(output)")
        let text = try tool.text(output.output.trimmingCharacters(in: .newlines))
        #expect(
            text == """
                -- next
                ALTER TABLE "team" ADD COLUMN "short" TEXT NOT NULL DEFAULT '';
                -- Deletes the rows of old.
                DROP TABLE "old";
                -- The table city has changed: the column a has the type INTEGER instead of the type TEXT
                -- Make a new table, copy the rows, drop the old one, and rename the new one, whose definition is:
                --   CREATE TABLE city (id INTEGER PRIMARY KEY, a INTEGER)
                DROP VIEW "v";
                CREATE VIEW v AS SELECT 2 AS two;
                CREATE TABLE player (id INTEGER PRIMARY KEY);
                CREATE INDEX team_name ON team (name);

                """)
        #expect(try tool.run("migrate", "up", "d.sqlite").code == 0)
        #expect(
            try tool.run("schema", "d.sqlite", "--diff", path).output.contains(
                "table city: the column a has the type TEXT instead of the type INTEGER"))
    }
}

extension MigrateTests {
    /// A draft contains no statement that a stranger's file hides in a definition or in a type.
    @Test func draftsFromHostileFiles() throws {
        try migration("1-first", "CREATE TABLE t (a)")
        func draft(_ sql: String) throws -> (text: String?, errors: String) {
            let path = try tool.database(sql, "\(UUID()).sqlite")
            let output = try tool.run("migrate", "create", "draft", "--from-diff", path)
            guard output.code == 0 else { return (nil, output.errors) }
            let file = output.output.trimmingCharacters(in: .newlines)
            let text = try tool.text(file)
            try FileManager.default.removeItem(atPath: tool.path(file))
            return (text, output.errors)
        }
        let type = "INT; ATTACH 'EVIL.SQLITE' AS Y; CREATE TABLE Y.Z(A); --"
        #expect(
            try draft("CREATE TABLE t (a, b \"\(type)\", c DECIMAL(10, 2))").text == """
                -- draft
                ALTER TABLE "t" ADD COLUMN "b" "\(type)";
                ALTER TABLE "t" ADD COLUMN "c" DECIMAL(10, 2);

                """)
        #expect(!FileManager.default.fileExists(atPath: tool.path("EVIL.SQLITE")))

        let hidden = try draft(
            """
            CREATE TABLE t (a); CREATE INDEX i ON t (a); PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = sql || '; DELETE FROM victim' WHERE name = 'i'
            """)
        #expect(hidden.text == nil && hidden.errors.contains("is followed by other SQL"), "\(hidden)")
        #expect(
            try draft("CREATE TABLE t (a); CREATE VIEW v AS SELECT 1 AS one -- and").text
                == "-- draft\nCREATE VIEW v AS SELECT 1 AS one -- and\n;\n")
        #expect(
            try draft("CREATE TABLE t (a, b DEFAULT (random()))").text?.hasSuffix(
                "--   CREATE TABLE t (a, b DEFAULT (random()))\n") == true)
    }

    /// Migrations in Swift have the same commands.
    @Test func migrationsOfAProgram() async throws {
        let path = try tool.database("CREATE TABLE note (id INTEGER PRIMARY KEY)")
        var migrator = DatabaseMigrator()
        migrator.registerMigration("first") { try $0.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)") }
        #expect(await MigrationCommands.execute(migrator, ["migrate", "up", path]) == 0)
        #expect(try tool.run("schema", path, "team") == .init("CREATE TABLE team (id INTEGER PRIMARY KEY);\n"))
        migrator.registerMigration("second") { try $0.execute(sql: "DROP TABLE nothing") }
        #expect(await MigrationCommands.execute(migrator, ["migrate", "status", path]) == 0)
        #expect(await MigrationCommands.execute(migrator, ["migrate", "check", path]) == 3)
        #expect(await MigrationCommands.execute(migrator, ["migrate", "nonsense", path]) == 2)
        // Another program has migrated further.
        #expect(await MigrationCommands.execute(DatabaseMigrator(), ["migrate", "status", path]) == 1)
    }
}
