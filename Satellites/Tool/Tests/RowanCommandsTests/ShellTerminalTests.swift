// The prompt in a terminal.

import Foundation
import Rowan
import Testing

@Suite struct ShellTerminalTests {
    private let tool = try! Tool()
    private static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        CREATE TABLE "odd table" (a);
        INSERT INTO player VALUES (1, 'Arthur', 500), (2, 'Barbara', 1000);
        """
    private static let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c"
    private static let banner = "d.sqlite, for reading only: .help lists the commands"

    /// A session that prints CSV, so that results are short.
    private func session(_ options: String..., environment: [String: String?] = [:]) throws -> Terminal {
        if !FileManager.default.fileExists(atPath: tool.path("d.sqlite")) { try tool.database(Self.schema) }
        let arguments = ["shell", tool.path("d.sqlite"), "-f", "csv"] + options
        let terminal = try Terminal(tool, arguments, environment: environment)
        terminal.expect(
            options.contains("--write") ? "d.sqlite: .help lists the commands\nrowan> " : "\(Self.banner)\nrowan> ")
        return terminal
    }

    /// Ends a session with Ctrl-D.
    private func end(_ terminal: Terminal, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        terminal.type("\u{4}")
        let end = terminal.finish()
        #expect(end.text == text + "^D" && end.code == 0, "\(end)", sourceLocation: sourceLocation)
    }

    @Test func results() throws {
        try tool.database(Self.schema)
        let terminal = try Terminal(tool, ["shell", tool.path("d.sqlite")])
        terminal.expect("\(Self.banner)\nrowan> ")
        terminal.type("SELECT name, NULL AS n, char(27) || '[2J' AS c FROM player;\r")
        terminal.expect(
            """
            \(Self.banner)
            rowan> SELECT name, NULL AS n, char(27) || '[2J' AS c FROM player;
            ┌─────────┬──────┬───────────┐
            │ name    │    n │ c         │
            ├─────────┼──────┼───────────┤
            │ Arthur  │ NULL │ \\u{1b}[2J │
            │ Barbara │ NULL │ \\u{1b}[2J │
            └─────────┴──────┴───────────┘
            rowan>\u{20}
            """)
        terminal.type(".quit\r")
        #expect(terminal.finish().code == 0)
    }

    @Test func rowsAreLimited() throws {
        let terminal = try session("-f", "box", "--limit", "2")
        terminal.type("SELECT id FROM player UNION SELECT 7;\r")
        terminal.expect(
            """
            \(Self.banner)
            rowan> SELECT id FROM player UNION SELECT 7;
            ┌────┐
            │ id │
            ├────┤
            │  1 │
            │  2 │
            └────┘
            the first 2 rows are shown: .limit 0 shows all of them
            rowan>\u{20}
            """)
        terminal.type(".limit 0\r.limit\rSELECT id FROM player UNION SELECT 7;\r")
        terminal.expect(containing: "│  7 │\n└────┘\nrowan>")
    }

    // MARK: Keys

    @Test func tabCompletes() throws {
        let terminal = try session()
        terminal.type("sel\t nam\t fr\t pl\t;\r")
        terminal.expect(
            """
            \(Self.banner)
            rowan> select name from player;
            name
            Arthur
            Barbara
            rowan>\u{20}
            """)
        terminal.type("SELECT * FROM od\t")
        terminal.expect(containing: "rowan> SELECT * FROM \"odd table\"")
        terminal.type("\u{15}.s\t \t")
        terminal.expect(containing: "rowan> .schema\nodd table  player\nrowan> .schema")
        terminal.type("pl\t\r")
        terminal.expect(containing: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);\nrowan>")
    }

    @Test func completionFollowsOtherPrograms() throws {
        let terminal = try session()
        terminal.type(".schema pl\t")
        terminal.expect("\(Self.banner)\nrowan> .schema player")
        let queue = try DatabaseQueue(path: tool.path("d.sqlite"))
        try queue.write { try $0.execute(sql: "CREATE TABLE news (a)") }
        try queue.close()
        terminal.type("\u{15}.schema n\t")
        terminal.expect("\(Self.banner)\nrowan> .schema news")
    }

    @Test func arrowsRecallTheHistory() throws {
        let first = try session()
        first.type("SELECT 1 AS a;\r")
        first.expect("\(Self.banner)\nrowan> SELECT 1 AS a;\na\n1\nrowan> ")
        first.type(" SELECT 'secret' AS a;\r")
        first.expect(containing: "secret\nrowan>")
        first.type("SELECT 2\r")
        first.expect(containing: "rowan> SELECT 2\n   ...>")
        first.type("AS b;\r")
        first.expect(containing: "   ...> AS b;\nb\n2\nrowan>")
        // Both lines are one entry.
        first.type("\u{1B}[A\r")
        first.expect(containing: "rowan> SELECT 2\nAS b;\nb\n2\nrowan>")
        first.type(".quit\r")
        #expect(first.finish().code == 0)

        let file = tool.path(".local/state/rowan/history")
        #expect(try tool.text(".local/state/rowan/history") == "SELECT 1 AS a;\nSELECT 2\\nAS b;\n.quit\n")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)

        let second = try session()
        second.type("\u{1B}[A\u{1B}[A\u{1B}[A\r")
        second.expect("\(Self.banner)\nrowan> SELECT 1 AS a;\na\n1\nrowan> ")
        // Ctrl-R.
        second.type("\u{12}AS b")
        second.expect(containing: "bck:AS b")
        second.type("\r\r")
        second.expect(containing: "b\n2\nrowan>")

        let none = try session("--no-history")
        none.type("\u{1B}[ASELECT 3 AS c;\r")
        none.expect("\(Self.banner)\nrowan> SELECT 3 AS c;\nc\n3\nrowan> ")
        none.type(".quit\r")
        #expect(none.finish().code == 0)
        #expect(try !tool.text(".local/state/rowan/history").contains("SELECT 3"))
    }

    @Test func historyThatCannotBeWritten() throws {
        try Data().write(to: tool.folder.appending(path: "file"))
        let terminal = try session(environment: ["XDG_STATE_HOME": tool.path("file")])
        terminal.type("SELECT 1 AS a;\r")
        terminal.expect("\(Self.banner)\nrowan> SELECT 1 AS a;\na\n1\nrowan> ")
        end(terminal, "\(Self.banner)\nrowan> SELECT 1 AS a;\na\n1\nrowan> ")
    }

    @Test(arguments: ["C", "C.UTF-8", ""]) func wideCharacters(locale: String) throws {
        let terminal = try session(environment: ["LC_ALL": locale])
        terminal.type("SELECT '李é😀' AS a;\u{8}\u{8}b;\r")
        terminal.expect("\(Self.banner)\nrowan> SELECT '李é😀' AS b;\nb\n李é😀\nrowan> ")
        // The wide character is deleted as one.
        terminal.type("SELECT '李x\u{8}\u{8}é' AS a;\r")
        terminal.expect("\(Self.banner)\nrowan> SELECT '李é😀' AS b;\nb\n李é😀\nrowan> SELECT 'é' AS a;\na\né\nrowan> ")
    }

    // MARK: Signals

    @Test func controlCDropsTheInput() throws {
        let terminal = try session()
        terminal.type("SELECT 'a\r")
        terminal.expect("\(Self.banner)\nrowan> SELECT 'a\n   ...> ")
        terminal.type("more")
        terminal.expect("\(Self.banner)\nrowan> SELECT 'a\n   ...> more")
        terminal.type("\u{3}")
        terminal.expect("\(Self.banner)\nrowan> SELECT 'a\n   ...> more^C\nrowan> ")
        terminal.type("SELECT 1 AS a;\r")
        let shown = "\(Self.banner)\nrowan> SELECT 'a\n   ...> more^C\nrowan> SELECT 1 AS a;\na\n1\nrowan> "
        terminal.expect(shown)
        end(terminal, shown)
    }

    @Test func controlCInterruptsAStatement() throws {
        let terminal = try session("--write")
        terminal.type("BEGIN; INSERT INTO player VALUES (3, 'Craig', 1); \(Self.endless); SELECT 'not run';\r")
        terminal.expect(containing: "1 row changed")
        terminal.type("\u{3}")
        // The transaction is still open.
        terminal.expect(containing: "rowan: interrupted\nrowan*>")
        terminal.type("SELECT count(*) AS n FROM player; COMMIT;\r")
        terminal.expect(containing: "n\n3\nrowan>")
        terminal.type(".quit\r")
        #expect(terminal.finish().code == 0)
        #expect(
            try tool.run("query", tool.path("d.sqlite"), "SELECT count(*) AS n FROM player", "-f", "csv")
                == .init("n\r\n3\r\n"))
    }

    @Test func controlCStopsPrinting() throws {
        let terminal = try session()
        terminal.type("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c;\r")
        terminal.expect(containing: "\n1000\n")
        terminal.type("\u{3}")
        terminal.expect(containing: "rowan: interrupted\nrowan>")
        terminal.type("SELECT 'still here' AS a;\r")
        terminal.expect(containing: "a\nstill here\nrowan>")
    }

    @Test func anOpenTransactionAtTheEnd() throws {
        let terminal = try session("--write")
        terminal.type("BEGIN;\rDELETE FROM player\r;\r")
        let shown = """
            d.sqlite: .help lists the commands
            rowan> BEGIN;
            rowan*> DELETE FROM player
                ...> ;
            2 rows changed
            rowan*>\u{20}
            """
        terminal.expect(shown)
        terminal.type("\u{4}")
        let end = terminal.finish()
        #expect(end.text == shown + "^D\nrowan: the open transaction was rolled back" && end.code == 0)
        #expect(
            try tool.run("query", tool.path("d.sqlite"), "SELECT count(*) AS n FROM player", "-f", "csv")
                == .init("n\r\n2\r\n"))
    }

    @Test(arguments: [SIGTERM, SIGQUIT, SIGHUP]) func signalsThatEndTheProgram(signal: Int32) throws {
        let terminal = try session()
        #expect(!terminal.isEchoing)
        terminal.send(signal)
        let end = terminal.finish()
        #expect(end.text == "\(Self.banner)\nrowan>\nrowan: ended by signal \(signal)" && end.code == 128 + signal)
        #expect(terminal.isEchoing)
    }

    @Test func signalsDuringAStatement() throws {
        let terminal = try session("--write")
        terminal.type("DELETE FROM player; \(Self.endless);\r")
        terminal.expect(containing: "2 rows changed")
        terminal.send(SIGTERM)
        let end = terminal.finish()
        #expect(end.text.hasSuffix("2 rows changed\nrowan: interrupted\nrowan: ended by signal 15") && end.code == 143)
        #expect(terminal.isEchoing)
    }

    @Test func anotherSizeOfTheTerminal() throws {
        let terminal = try session()
        terminal.type("SELECT 1 ")
        terminal.expect("\(Self.banner)\nrowan> SELECT 1 ")
        terminal.resize(columns: 100)
        terminal.type("AS a;\r")
        terminal.expect("\(Self.banner)\nrowan> SELECT 1 AS a;\na\n1\nrowan> ")
    }

    // MARK: Errors

    @Test func errorsContinueTheSession() throws {
        let terminal = try session()
        for line in ["SELECT missing;", "DELETE FROM player;", ".tabels"] {
            terminal.type(line + "\r")
            terminal.expect(ending: line + "\nrowan: ", "rowan> ")
        }
        terminal.expect(
            """
            \(Self.banner)
            rowan> SELECT missing;
            rowan: no such column: missing
            rowan> DELETE FROM player;
            rowan: the statement writes: start the shell with --write to allow it
            rowan> .tabels
            rowan: unknown command .tabels: did you mean .tables?
            rowan>\u{20}
            """)
    }
}
