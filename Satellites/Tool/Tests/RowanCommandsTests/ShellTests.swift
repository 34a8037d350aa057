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
    private static let endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c;"

    @Test func firstTry() throws {
        let path = try tool.database(Self.schema)
        let terminal = try Terminal(tool, "shell", path)
        terminal.expect("\(path), for reading only: .help lists the commands\nrowan> ")
        terminal.type("SELECT 1 AS a;\r")
        terminal.expect(
            """
            \(path), for reading only: .help lists the commands
            rowan> SELECT 1 AS a;
            ┌───┐
            │ a │
            ├───┤
            │ 1 │
            └───┘
            rowan> 
            """)
        terminal.type("\u{4}")
        let end = terminal.finish()
        #expect(end.code == 0)
        #expect(end.text == "x")
    }
}
