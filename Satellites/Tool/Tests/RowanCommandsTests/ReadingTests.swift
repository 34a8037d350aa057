// Commands that look at a database.

import Foundation
import Rowan
import Testing

@Suite struct ReadingTests {
    private let tool = try! Tool()
    private static let schema = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE player (id INTEGER PRIMARY KEY, team INTEGER REFERENCES team (id), name TEXT, score INTEGER, photo BLOB);
        CREATE INDEX player_on_team ON player (team);
        CREATE VIEW best AS SELECT * FROM player WHERE score > 500;
        INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
        INSERT INTO player VALUES (1, 1, 'Arthur', 500, x'0102'), (2, 1, 'Barbara', 1000, NULL), (3, 2, '李', NULL, NULL);
        """

    // MARK: schema

    @Test func schema() throws {
        let path = try tool.database(Self.schema)
        let all = try tool.run("schema", path)
        #expect(all.code == 0 && all.errors == "")
        #expect(
            all.output.split(separator: "\n").map { $0.prefix(25) } == [
                "CREATE TABLE team (id INT", "CREATE TABLE player (id I", "CREATE INDEX player_on_te",
                "CREATE VIEW best AS SELEC",
            ])
        #expect(
            try tool.run("schema", path, "TEAM")
                == .init("CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"))
        #expect(
            try tool.run("schema", path, "nobody")
                == .init("", errors: "rowan: there is no table nobody: there are best, player, team\n", code: 3))
    }

    @Test func schemaDifferences() throws {
        let path = try tool.database(Self.schema)
        let same = try tool.database(Self.schema, "same.sqlite")
        #expect(try tool.run("schema", path, "--diff", same) == .init(""))
        let other = try tool.database(
            "CREATE TABLE team (id INTEGER PRIMARY KEY); CREATE TABLE more (a)", "other.sqlite")
        #expect(
            try tool.run("schema", path, "--diff", other)
                == .init(
                    """
                    table team: the column name is not expected
                    table more is missing
                    table player is not expected
                    index player_on_team is not expected
                    view best is not expected

                    """, code: 1))
    }

    // MARK: diagram

    @Test func diagrams() throws {
        let path = try tool.database(
            Self.schema + """
                CREATE TABLE "odd ""name" ("a b" VARCHAR(10), id INTEGER NOT NULL UNIQUE REFERENCES player (id), x REFERENCES missing (id));
                """)
        #expect(
            try tool.run("diagram", path)
                == .init(
                    """
                    erDiagram
                        "team" {
                            INTEGER id PK
                            TEXT name
                        }
                        "player" {
                            INTEGER id PK
                            INTEGER team FK
                            TEXT name
                            INTEGER score
                            BLOB photo
                        }
                        "odd 'name" {
                            VARCHAR_10_ a_b "a b"
                            INTEGER id FK
                            ANY x FK
                        }
                        "player" }o--o| "team" : "team"
                        "odd 'name" |o--|| "player" : "id"

                    """))
        #expect(try tool.run("diagram", path, "team").output.split(separator: "\n").count == 5)
    }

    // MARK: query

    @Test func queryInABox() throws {
        let path = try tool.database(Self.schema)
        #expect(
            try tool.run("query", path, "SELECT id, name, score, photo FROM player")
                == .init(
                    """
                    ┌────┬─────────┬───────┬─────────┐
                    │ id │ name    │ score │ photo   │
                    ├────┼─────────┼───────┼─────────┤
                    │  1 │ Arthur  │   500 │ x'0102' │
                    │  2 │ Barbara │  1000 │ NULL    │
                    │  3 │ 李      │  NULL │ NULL    │
                    └────┴─────────┴───────┴─────────┘

                    """))
    }

    @Test(arguments: [
        ("json", "[{\"id\":1,\"name\":\"Arthur\"}]\n"), ("jsonl", "{\"id\":1,\"name\":\"Arthur\"}\n"),
        ("csv", "id,name\r\n1,Arthur\r\n"), ("tsv", "id\tname\r\n1\tArthur\r\n"),
        ("markdown", "|  id | name   |\n| --: | ------ |\n|   1 | Arthur |\n"), ("line", "  id = 1\nname = Arthur\n"),
    ])
    func formats(_ format: String, _ expected: String) throws {
        let path = try tool.database(Self.schema)
        let output = try tool.run("query", path, "SELECT id, name FROM player LIMIT 1", "--format", format)
        #expect(output.output.replacing("[{", with: "[{").replacing("\n}]", with: "}]") == expected && output.code == 0)
    }

    @Test func queriesWithArguments() throws {
        let path = try tool.database(Self.schema)
        let sql = "SELECT typeof(:a) AS a, typeof(:b) AS b, typeof(:c) AS c, typeof(:d) AS d, :e AS e"
        #expect(
            try tool.run(
                "query", path, sql, "-p", "a=5", "-p", "b=1.5", "-p", "c=05", "-p", "d=null", "-p", "e=x=y", "-f", "csv"
            )
                == .init("a,b,c,d,e\r\ninteger,real,text,null,x=y\r\n"))
        #expect(
            try tool.run("query", path, "SELECT ? AS a, ? AS b", "-p", "7", "-p", "a b", "-f", "csv")
                == .init("a,b\r\n7,a b\r\n"))
        let missing = try tool.run("query", path, "SELECT :a")
        #expect(missing.code == 3 && missing.output == "" && missing.errors.contains("a"))
        #expect(
            try tool.run("query", path, "-", "-f", "csv", input: "SELECT 1 AS a; SELECT 2 AS b")
                == .init("a\r\n1\r\nb\r\n2\r\n"))
    }

    @Test func numbersAreArguments() throws {
        let path = try tool.database("")
        for (text, type) in [
            ("1.50", "real 1.5"), ("1e3", "real 1000.0"), (".5", "real 0.5"), ("+5", "integer 5"),
            ("1.5e3", "real 1500.0"),
            ("-.5E-1", "real -0.05"), ("0.5", "real 0.5"), ("-0", "integer 0"), ("5.", "real 5.0"),
            ("9223372036854775807", "integer 9223372036854775807"),
            ("9223372036854775808", "real 9.22337203685478e+18"),
            ("01234", "text 01234"), ("00.5", "text 00.5"), (".", "text ."), ("1e", "text 1e"), ("0x10", "text 0x10"),
            ("inf", "text inf"), ("nan", "text nan"), ("1 ", "text 1 "), ("1,5", "text 1,5"), ("", "text "),
        ] {
            let output = try tool.run(
                "query", path, "SELECT typeof(:x) || ' ' || :x AS v", "-p", "x=\(text)", "-f", "line")
            #expect(output == .init("v = \(type)\n"), "\(text)")
        }
    }

    /// Values that would move the cursor of a terminal, or change the direction of text.
    @Test func valuesAreShownOnOneLine() throws {
        let path = try tool.database("CREATE TABLE t (a)")
        let output = try tool.run(
            "query", path, "SELECT 'x' || char(27) || '[2J' || char(10) || char(8238) || 'y' AS a")
        #expect(output.output.contains("│ x\\u{1b}[2J\\n\\u{202e}y │"))
    }

    @Test func queriesDoNotWrite() throws {
        let path = try tool.database(Self.schema)
        #expect(
            try tool.run("query", path, "DELETE FROM player")
                == .init(
                    "", errors: "rowan: the SQL writes, and nothing was changed: pass --write to allow it\n", code: 3))
        #expect(try tool.run("query", path, "DELETE FROM player WHERE id = 1", "--write") == .init(""))
        #expect(try tool.run("query", path, "SELECT count(*) AS n FROM player", "-f", "csv") == .init("n\r\n2\r\n"))
        let failed = try tool.run("query", path, "DELETE FROM player; SELECT missing", "--write")
        #expect(failed.code == 3 && failed.errors.contains("no such column: missing"))
        #expect(try tool.run("query", path, "SELECT count(*) AS n FROM player", "-f", "csv") == .init("n\r\n2\r\n"))
    }

    // MARK: explain, profile, usage

    @Test func plans() throws {
        let path = try tool.database(Self.schema)
        let output = try tool.run(
            "explain", path, "SELECT * FROM player JOIN team ON team.id = player.team ORDER BY player.name")
        #expect(
            output
                == .init(
                    """
                    ├─ SCAN player  ← reads the whole table
                    ├─ SEARCH team USING INTEGER PRIMARY KEY (rowid=?)
                    └─ USE TEMP B-TREE FOR ORDER BY  ← sorts for ORDER BY

                    """))
        #expect(
            try tool.run("explain", path, "SELECT * FROM player WHERE team = :team")
                == .init("└─ SEARCH player USING INDEX player_on_team (team=?)\n"))
    }

    @Test func profiles() throws {
        let path = try tool.database(
            """
            CREATE TABLE t (n INTEGER, s TEXT);
            WITH i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 48) INSERT INTO t SELECT i, 'x' FROM i;
            INSERT INTO t VALUES ('late', NULL), (NULL, 'y');
            """)
        #expect(
            try tool.run("profile", path, "t")
                == .init(
                    """
                    50 rows

                    n INTEGER
                      types     integer 48, null 1, text 1
                      distinct  49
                      range     1 … late
                      histogram ████████████████████████

                    s TEXT
                      types     text 49, null 1
                      distinct  2
                      range     x … y
                      frequent  x (48)

                    """))
        #expect(
            try tool.run("profile", path, "t", "z")
                == .init("", errors: "rowan: t has no column z: there are n, s\n", code: 3))
    }

    @Test func profilesOfExtremeNumbers() throws {
        let path = try tool.database(
            "CREATE TABLE t (n INTEGER, r REAL); INSERT INTO t VALUES (-9223372036854775808, 9e999), (9223372036854775807, -9e999)"
        )
        let output = try tool.run("profile", path, "t")
        #expect(output.code == 0 && output.output.contains("histogram █······················█"), "\(output)")
        #expect(output.output.contains("range     -inf … inf\n"))
        let single = try tool.database("CREATE TABLE t (a); INSERT INTO t VALUES (1)", "one.sqlite")
        #expect(try tool.run("profile", single, "t").output.hasPrefix("1 row\n"))
    }

    @Test func usage() throws {
        let path = try tool.database(Self.schema)
        let output = try tool.run("usage", path, "-f", "csv")
        let lines = output.output.split(separator: "\r\n").map {
            $0.split(separator: ",").prefix(3).joined(separator: " ")
        }
        #expect(
            lines.sorted()
                == [
                    "name kind table", "player table player", "player_on_team index player",
                    "sqlite_schema schema \"\"",
                    "team table team",
                ].sorted())
    }

    // MARK: Files

    @Test func filesThatAreNoDatabases() throws {
        let text = try tool.write(
            "This is not a database, but a text that is long enough to be a header of one.".padding(
                toLength: 4096, withPad: " ", startingAt: 0), "text.txt")
        for command in [["schema", text], ["query", text, "SELECT 1 FROM sqlite_schema"], ["doctor", text]] {
            #expect(
                try tool.run(command)
                    == .init(
                        "",
                        errors:
                            "rowan: \(text) is not a SQLite database, or it is encrypted: decrypt it with the program that has its key\n",
                        code: 3))
        }
        #expect(
            try tool.run("schema", tool.path("missing.sqlite"))
                == .init("", errors: "rowan: there is no file \(tool.path("missing.sqlite"))\n", code: 3))
        #expect(!FileManager.default.fileExists(atPath: tool.path("missing.sqlite")))
        #expect(
            try tool.run("schema", tool.folder.path)
                == .init("", errors: "rowan: \(tool.folder.path) is a folder: pass the file of a database\n", code: 3))
    }

    @Test func wrongArguments() throws {
        for arguments in [
            ["schema"], ["nonsense"], ["query", "a"], ["query", "a", "b", "--format", "xml"],
            ["query", "a", "b", "--limit", "-1"],
        ] {
            let output = try tool.run(arguments)
            #expect(output.code == 2 && output.output == "" && !output.errors.isEmpty, "\(arguments)")
        }
        let help = try tool.run("--help")
        #expect(help.code == 0 && help.errors == "" && help.output.contains("SUBCOMMANDS"))
    }

    /// The site shows these files.
    @Test func helpFilesAreThoseOfTheProgram() throws {
        struct Dump: Decodable {
            struct Command: Decodable {
                var commandName: String
                var subcommands: [Command]?
            }
            var command: Command
        }
        let tool = try Tool()
        let dump = try JSONDecoder().decode(Dump.self, from: Data(tool.run("--experimental-dump-help").output.utf8))
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Help")
        let commands = (dump.command.subcommands ?? []).filter { $0.commandName != "help" }
        for command in commands {
            let names =
                [[command.commandName]] + (command.subcommands ?? []).map { [command.commandName, $0.commandName] }
            let help = try names.map { try tool.run(["help"] + $0, environment: ["COLUMNS": "100"]).output }
            let file = try String(contentsOf: folder.appending(path: command.commandName + ".txt"), encoding: .utf8)
            #expect(
                file == help.joined(separator: "\n"), "the help has changed: run Satellites/Tool/Help/write PROGRAM")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".txt") }
        #expect(files.sorted() == commands.map { $0.commandName + ".txt" }.sorted())
    }
}
