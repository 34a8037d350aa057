// Scripts of the prompt, and its history.

import Foundation
import Rowan
import Testing

@testable import RowanShell

@Suite struct ShellTests {
    private let tool = try! Tool()
    private static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        CREATE VIEW best AS SELECT * FROM player WHERE score > 500;
        INSERT INTO player VALUES (1, 'Arthur', 500), (2, 'Barbara', 1000);
        """

    private func run(_ script: String, _ options: String...) throws -> Tool.Output {
        if !FileManager.default.fileExists(atPath: tool.path("d.sqlite")) { try tool.database(Self.schema) }
        return try tool.run(["shell", "d.sqlite", "-f", "csv"] + options, input: script)
    }

    @Test func statements() throws {
        #expect(
            try run("SELECT id,\n  name FROM player; SELECT 1 AS a\n; -- the end")
                == .init("id,name\r\n1,Arthur\r\n2,Barbara\r\na\r\n1\r\n"))
        #expect(try run("SELECT 1 AS a") == .init("a\r\n1\r\n"))
        #expect(try run("") == .init(""))
        #expect(try run("SELECT 1 AS a;\r\n.mode json\r\nSELECT 1 AS a;\r\n") == .init("a\r\n1\r\n[{\"a\":1}]\n"))
    }

    @Test func changes() throws {
        let script = """
            INSERT INTO player VALUES (3, 'Craig', 1), (4, 'David', 2);
            UPDATE player SET score = 0 WHERE id = 3;
            WITH a AS (SELECT 9 AS id) DELETE FROM player WHERE id IN (SELECT id FROM a);
            CREATE TABLE more (a);
            DELETE FROM player WHERE id > 2 RETURNING id;
            """
        #expect(
            try run(script, "--write")
                == .init("id\r\n3\r\n4\r\n", errors: "2 rows changed\n1 row changed\n0 rows changed\n2 rows changed\n"))
        #expect(
            try run("SELECT 1 AS a;\n\nSELECT 2 AS b; DELETE FROM player;\nSELECT 3")
                == .init(
                    "a\r\n1\r\nb\r\n2\r\n",
                    errors: "rowan: line 3: the statement writes: start the shell with --write to allow it\n", code: 3))
        #expect(!FileManager.default.fileExists(atPath: tool.path("e.sqlite")))
        #expect(
            try tool.run("shell", "e.sqlite", "--write", input: "SELECT 1")
                == .init("", errors: "rowan: there is no file e.sqlite\n", code: 3))
    }

    @Test func errors() throws {
        #expect(
            try run("SELECT 1 AS a;\n/* a\n */ SELECT 2 AS b,\n missing;\nSELECT 3 AS c")
                == .init("a\r\n1\r\n", errors: "rowan: line 3: no such column: missing\n", code: 3))
        #expect(try run("SELECT 'a") == .init("", errors: "rowan: line 1: unrecognized token: \"'a\\n\"\n", code: 3))
        #expect(
            try run("\n.nothing\nSELECT 1")
                == .init("", errors: "rowan: line 2: unknown command .nothing: .help lists the commands\n", code: 3))
        let text = try tool.write(String(repeating: "no database ", count: 400), "text.txt")
        #expect(
            try tool.run("shell", text, input: "SELECT 1")
                == .init(
                    "",
                    errors:
                        "rowan: \(text) is not a SQLite database, or it is encrypted: decrypt it with the program that has its key\n",
                    code: 3))
    }

    @Test func lockedDatabases() throws {
        let path = try tool.database(Self.schema)
        let queue = try DatabaseQueue(path: path)
        var output: Tool.Output?
        try queue.inTransaction(.exclusive) { _ in
            output = try tool.run("shell", path, input: "SELECT 1")
            return .rollback
        }
        #expect(
            output
                == .init(
                    "", errors: "rowan: \(path) is locked by another program: try again when it has finished\n", code: 3
                ))
    }

    @Test func transactions() throws {
        #expect(
            try run("BEGIN;\nDELETE FROM player;\nROLLBACK;\nBEGIN; DELETE FROM player WHERE id = 1; COMMIT", "--write")
                .code == 0)
        #expect(try run("SELECT id FROM player") == .init("id\r\n2\r\n"))
        #expect(
            try run("BEGIN;\nDELETE FROM player;\n", "--write")
                == .init(
                    "",
                    errors:
                        "1 row changed\nrowan: the script ends in a transaction, which was rolled back: add COMMIT\n",
                    code: 3))
        #expect(
            try run("BEGIN;\nDELETE FROM player;\nSELECT missing", "--write")
                == .init(
                    "",
                    errors:
                        "1 row changed\nrowan: the open transaction was rolled back\nrowan: line 3: no such column: missing\n",
                    code: 3))
        #expect(
            try run("BEGIN;\nINSERT OR ROLLBACK INTO player VALUES (2, 'x', 0)", "--write")
                == .init(
                    "",
                    errors: "rowan: line 2: UNIQUE constraint failed: player.id; the transaction was rolled back\n",
                    code: 3))
        #expect(try run("SELECT id FROM player") == .init("id\r\n2\r\n"))
    }

    @Test func parameters() throws {
        #expect(
            try run(
                ".param name=Barbara\n.param n=5\n.param e=\n.param z=null\n.param\nSELECT id, :n + 1 AS n, :e AS e, :z AS z FROM player WHERE name = :name"
            )
                == .init("e=\nn=5\nname=Barbara\nz=null\nid,n,e,z\r\n2,6,\"\",\r\n"))
        #expect(
            try run(".param n=5\n.param n\nSELECT :n")
                == .init("", errors: "rowan: line 3: :n has no value: set it with .param n=VALUE\n", code: 3))
        #expect(
            try run("SELECT ?")
                == .init("", errors: "rowan: line 1: ? has no value: name it, as in :name, for .param\n", code: 3))
        #expect(
            try run(".param x")
                == .init("", errors: "rowan: line 1: there is no value of :x: set it with .param NAME=VALUE\n", code: 3)
        )
    }

    @Test func commandsThatDescribe() throws {
        #expect(try run(".tables\n.tables p%") == .init("best\nplayer\nplayer\n"))
        #expect(
            try run(".schema PLAYER\n.schema \"best\"")
                == .init(
                    """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                    CREATE VIEW best AS SELECT * FROM player WHERE score > 500;

                    """))
        #expect(
            try run(".schema nobody")
                == .init("", errors: "rowan: line 1: there is no table nobody: there are best, player\n", code: 3))
        #expect(
            try run(".explain SELECT * FROM player ORDER BY name;")
                == .init(
                    "├─ SCAN player  ← reads the whole table\n└─ USE TEMP B-TREE FOR ORDER BY  ← sorts for ORDER BY\n"))
        #expect(
            try run(".profile player name").output
                == "2 rows\n\nname TEXT\n  types     text 2\n  distinct  2\n  range     Arthur … Barbara\n")
        #expect(
            try run(".mode\n.mode line\n.mode\n.limit\n.timer\n.timer on\n.timer")
                == .init("csv\nline\n1000\noff\non\n"))
        let help = try run(".help").output
        for command in DotCommand.all {
            #expect(help.contains("\n.\(command.name) ") || help.hasPrefix(".\(command.name) "))
        }
        #expect(try run(".timer on\nSELECT 1 AS a").errors.wholeMatch(of: /took [0-9.]+ (µs|ms|s)\n/) != nil)
        #expect(try run(".quit\nSELECT 1") == .init(""))
        #expect(try run(".exit\nSELECT 1") == .init(""))
    }

    @Test(arguments: [
        (".mode xml", "unknown format xml: use box, json, jsonl, csv, tsv, markdown, line"),
        (".limit -1", ".limit needs a number of rows: .limit 50"), (".timer maybe", ".timer needs on or off"),
        (".read", ".read needs a file: .read FILE"), (".output", ".output needs the name of a new file, or -"),
        (".explain", ".explain needs a query: .explain SELECT …"),
        (".profile", ".profile needs a table: .profile TABLE"),
        (".read .", "can't read .: Is a directory"),
        (".read none.sql", "can't read none.sql: No such file or directory"),
        (".shcema", "unknown command .shcema: did you mean .schema?"),
        (".output d.sqlite", "d.sqlite exists: choose another name, or delete it"),
        (".output none/x", "can't write none/x: No such file or directory"),
    ])
    func wrongCommands(_ line: String, _ message: String) throws {
        #expect(try run(line) == .init("", errors: "rowan: line 1: \(message)\n", code: 3))
    }

    @Test func output() throws {
        #expect(
            try run(".output a b.csv\nSELECT 1 AS a;\n.tables p%\n.output -\nSELECT 2 AS b;")
                == .init("b\r\n2\r\n"))
        #expect(try tool.text("a b.csv") == "a\r\n1\r\nplayer\n")
        #expect(
            try run(".output \"a b.csv\"")
                == .init("", errors: "rowan: line 1: a b.csv exists: choose another name, or delete it\n", code: 3))
        #expect(try run(".output /dev/null\nSELECT 1") == .init(""))
        #if os(Linux)
        #expect(
            try run(".output /dev/full\nSELECT 1")
                == .init("", errors: "rowan: line 2: can't write /dev/full: No space left on device\n", code: 3))
        #endif
    }

    @Test func files() throws {
        _ = try tool.write("SELECT 1 AS a;\n.mode tsv\nSELECT 2 AS b, 3 AS c", "one.sql")
        _ = try tool.write("\nSELECT 1 AS a;\nSELECT missing;", "two.sql")
        _ = try tool.write(".read three.sql", "three.sql")
        #expect(try run(".read one.sql\nSELECT 4 AS d") == .init("a\r\n1\r\nb\tc\r\n2\t3\r\nd\r\n4\r\n"))
        #expect(
            try run("\n.read two.sql\nSELECT 4 AS d")
                == .init("a\r\n1\r\n", errors: "rowan: line 2: two.sql, line 3: no such column: missing\n", code: 3))
        #expect(
            try run(".read three.sql")
                == .init("", errors: "rowan: line 1: three.sql, line 1: three.sql reads itself\n", code: 3))
    }

    // MARK: Signals

    /// Starts a script whose input stays open, waits for its first error, and sends a signal.
    private func interrupted(_ script: String, by signal: Int32) throws -> Tool.Output {
        let process = Process()
        process.executableURL = Tool.program
        process.arguments = ["shell", try tool.database(Self.schema), "--write"]
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (stdin, stdout, stderr)
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(script.utf8))
        let first = stderr.fileHandleForReading.availableData
        kill(process.processIdentifier, signal)
        let rest = stderr.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Tool.Output(
            String(decoding: stdout.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
            errors: String(decoding: first + rest, as: UTF8.self), code: process.terminationStatus)
    }

    @Test func signalsWhileAScriptWaits() throws {
        #expect(
            try interrupted("BEGIN;\nDELETE FROM player;\n", by: SIGINT)
                == .init(
                    "",
                    errors: "2 rows changed\nrowan: the open transaction was rolled back\nrowan: line 2: interrupted\n",
                    code: 130))
        #expect(try run("SELECT count(*) AS n FROM player") == .init("n\r\n2\r\n"))
    }

    @Test func signalsDuringAStatementOfAScript() throws {
        let script = """
            DELETE FROM player;
            WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c; SELECT 1;

            """
        #expect(
            try interrupted(script, by: SIGTERM)
                == .init("", errors: "2 rows changed\nrowan: line 2: interrupted\n", code: 143))
    }

    // MARK: History

    @Test func history() throws {
        let file = try #require(HistoryFile(environment: ["XDG_STATE_HOME": tool.path("state")]))
        #expect(file.load() == [])
        for entry in ["a", "a", "b\nc", "d\\n", "a"] { file.add(entry) }
        #expect(file.load() == ["a", "b\nc", "d\\n", "a"])
        #expect(try tool.text("state/rowan/history") == "a\nb\\nc\nd\\\\n\na\n")
        for number in 0..<1002 { file.add("\(number)") }
        #expect(file.load() == (2..<1002).map { "\($0)" })
        #expect(try tool.text("state/rowan/history") == (2..<1002).map { "\($0)\n" }.joined())
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func historyOfSeveralSessions() async throws {
        let file = try #require(HistoryFile(environment: ["HOME": tool.folder.path]))
        #expect(file.path == tool.path(".local/state/rowan/history"))
        await withTaskGroup { group in
            for number in 0..<8 { group.addTask { for entry in 0..<100 { file.add("\(number).\(entry)") } } }
        }
        #expect(Set(file.load()).count == 800)
        #expect(
            HistoryFile(environment: ["HOME": "/h", "XDG_STATE_HOME": "relative"])?.path
                == "/h/.local/state/rowan/history")
        #expect(HistoryFile(environment: [:]) == nil)
    }

    /// The tool's own process has no terminal: nothing is kept.
    @Test func scriptsHaveNoHistory() throws {
        _ = try tool.database(Self.schema)
        let terminal = try Terminal(tool, ["shell", tool.path("d.sqlite")])
        terminal.expect("d.sqlite, for reading only: .help lists the commands\nrowan> ")
        #expect(!FileManager.default.fileExists(atPath: tool.path(".local/state/rowan/history")))
    }

    @Test func textsThatAreNotUTF8() throws {
        try tool.database(Self.schema)
        let script = Data("SELECT 1 AS a;\nINSERT INTO player (name) VALUES ('".utf8) + [0xE9] + Data("');\n".utf8)
        #expect(
            try tool.shell("$rowan shell d.sqlite --write -f csv", input: script)
                == .init("a\r\n1\r\n", errors: "rowan: line 2: the text is not valid UTF-8: convert it\n", code: 3))
        #expect(
            try tool.shell("$rowan query d.sqlite - --write", input: script)
                == .init("", errors: "rowan: line 2: the text is not valid UTF-8: convert it\n", code: 3))
        try script.write(to: tool.folder.appending(path: "script.sql"))
        #expect(
            try run(".read script.sql\n")
                == .init(
                    "a\r\n1\r\n",
                    errors: "rowan: line 1: script.sql, line 2: the text is not valid UTF-8: convert it\n", code: 3))
        #expect(try run("SELECT count(*) AS n FROM player") == .init("n\r\n2\r\n"))
    }

    /// SQLite accepts a comment without an end, which would swallow the statements after it.
    @Test(arguments: [
        ("SELECT 1 AS a;\n/* forgotten\nDELETE FROM player;\n", "a\r\n1\r\n", 2),
        ("SELECT 1 AS a\n/* one */ /* forgotten\n;", "", 2), ("/*/\n", "", 1),
    ])
    func commentsWithoutEnd(_ script: String, _ output: String, _ line: Int) throws {
        #expect(
            try run(script)
                == .init(output, errors: "rowan: line \(line): the comment has no end: add */\n", code: 3))
        #expect(
            try tool.run("query", "d.sqlite", "-", input: script)
                == .init("", errors: "rowan: line \(line): the comment has no end: add */\n", code: 3))
    }

    @Test func commentsAtTheEnd() throws {
        #expect(try run("SELECT 1 AS a;\n/* a\n*/ -- b") == .init("a\r\n1\r\n"))
        let comments = "SELECT '/* a' AS a -- /* b\n/* c */"
        #expect(try run(comments) == .init("a\r\n/* a\r\n"))
        #expect(try tool.run("query", "d.sqlite", "-", "-f", "csv", input: comments) == .init("a\r\n/* a\r\n"))
    }

    /// A shell for reading only writes no copy either.
    @Test func vacuums() throws {
        let message = "rowan: line 1: the statement writes: start the shell with --write to allow it\n"
        #expect(try run("VACUUM INTO 'copy.sqlite'") == .init("", errors: message, code: 3))
        #expect(!FileManager.default.fileExists(atPath: tool.path("copy.sqlite")))
        #expect(try run("/* a */ VACUUM main INTO 'copy.sqlite'", "--write") == .init(""))
        #expect(FileManager.default.fileExists(atPath: tool.path("copy.sqlite")))
    }

    @Test func sentencesOfErrors() throws {
        #expect(
            try run(".explain SELECT 1; SELECT 2")
                == .init("", errors: "rowan: line 1: there are several statements: pass one at a time\n", code: 3))
        #expect(
            try run("ATTACH 'none/x' AS x", "--write")
                == .init("", errors: "rowan: line 1: can't open none/x, which the SQL names\n", code: 3))
    }
}
