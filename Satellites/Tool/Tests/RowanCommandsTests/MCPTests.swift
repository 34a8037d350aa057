// A server of the Model Context Protocol, as a process.

import Foundation
import Rowan
import Testing

@Suite struct MCPTests {
    private let tool = try! Tool()

    /// The responses to requests.
    private func responses(_ lines: [String], _ path: String) throws -> [[String: Any]] {
        let output = try tool.run("mcp", path, input: lines.joined(separator: "\n") + "\n")
        #expect(output.code == 0 && output.errors == "")
        return try output.output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private func database() throws -> String {
        try tool.database(
            """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score REAL); CREATE INDEX player_on_name ON player (name);
            INSERT INTO player VALUES (1, 'Arthur', 1.5), (2, 'Barbara', NULL); CREATE VIEW best AS SELECT name FROM player;
            """)
    }

    /// The text of the result of a tool, and whether it is an error.
    private func call(_ name: String, _ arguments: String, _ path: String) throws -> (text: String, isError: Bool) {
        let request =
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(name)","arguments":\#(arguments)}}"#
        let result = try #require(try responses([request], path).first?["result"] as? [String: Any])
        let content = try #require(result["content"] as? [[String: Any]])
        return (content.first?["text"] as? String ?? "", result["isError"] as? Bool ?? true)
    }

    /// The errors advise an assistant, not a program.
    @Test func sentencesOfErrors() throws {
        let path = try database()
        for (sql, message) in [
            ("SELECT 1; SELECT 2", "there are several statements: pass one at a time"),
            ("SELECT :a", "missing statement argument: a: pass them in parameters"),
            (
                "SELECT hex(zeroblob(400000)) FROM player, player, player, player, player",
                "the statement returned more than 10485760 bytes: read less"
            ),
        ] {
            let result = try call("query", #"{"sql":"\#(sql)"}"#, path)
            #expect(result.isError && result.text == message, "\(result)")
        }
    }

    @Test func handshake() throws {
        let path = try database()
        let found = try responses(
            [
                #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}"#,
                #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                #"{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
                #"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#, #"{"jsonrpc":"2.0","id":9,"result":{}}"#,
                #"{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}"#,
            ], path)
        #expect(found.count == 4)
        #expect(found[0]["id"] as? String == "a")
        #expect((found[0]["result"] as? [String: Any])?["protocolVersion"] as? String == "2025-03-26")
        #expect((found[1]["result"] as? [String: Any])?.isEmpty == true)
        let tools = (found[2]["result"] as? [String: Any])?["tools"] as? [[String: Any]]
        #expect(tools?.compactMap { $0["name"] as? String } == ["list_tables", "describe_table", "query", "explain"])
        #expect(tools?.allSatisfy { ($0["inputSchema"] as? [String: Any])?["type"] as? String == "object" } == true)
        #expect((found[3]["result"] as? [String: Any])?["protocolVersion"] as? String == "2025-06-18")
    }

    @Test func tools() throws {
        let path = try database()
        #expect(try call("list_tables", "{}", path) == ("player (id, name, score)\nbest (name)", false))
        #expect(
            try call("describe_table", #"{"table":"PLAYER"}"#, path)
                == (
                    """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score REAL);
                    CREATE INDEX player_on_name ON player (name);
                    -- 2 rows
                    """, false
                ))
        #expect(
            try call("query", #"{"sql":"SELECT * FROM player WHERE id >= :id","parameters":{"id":1}}"#, path)
                == (
                    """
                    [{"id":1,"name":"Arthur","score":1.5},
                    {"id":2,"name":"Barbara","score":null}]
                    """, false
                ))
        #expect(
            try call(
                "query",
                #"{"sql":"SELECT typeof(:a) AS a, typeof(:b) AS b, typeof(:c) AS c, typeof(:d) AS d","parameters":{"a":1,"b":1.5,"c":"1","d":null}}"#,
                path) == (#"[{"a":"integer","b":"real","c":"text","d":"null"}]"#, false))
        #expect(
            try call("explain", #"{"sql":"SELECT * FROM player WHERE name = 'a'"}"#, path)
                == ("SEARCH player USING INDEX player_on_name (name=?)", false))
    }

    @Test func asManyRowsAsPossible() throws {
        let sql = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n"
        let result = try call("query", #"{"sql":"\#(sql)"}"#, database())
        #expect(!result.isError && result.text.split(separator: "\n").count == 1000)
    }

    /// What an assistant must not do, and what it can correct.
    @Test(arguments: [
        ("query", #"{"sql":"DELETE FROM player"}"#, "the statement returns no rows: use a SELECT"),
        ("query", #"{"sql":"DELETE FROM player RETURNING *"}"#, "attempt to write a readonly database"),
        ("query", #"{"sql":"ATTACH 'x.sqlite' AS x"}"#, "untrusted SQL can't attach a database, or run VACUUM"),
        ("query", #"{"sql":"SELECT load_extension('x')"}"#, "untrusted SQL can't call the function load_extension()"),
        (
            "query", #"{"sql":"WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001) SELECT i FROM n"}"#,
            "the statement returned more than 1000 rows: add a LIMIT"
        ),
        ("query", #"{"sql":"SELECT nothing_here FROM player"}"#, "no such column: nothing_here"),
        ("query", #"{"sql":"SELECT nmae FROM player"}"#, "no such column: nmae: did you mean \"name\"?"),
        ("query", #"{}"#, "the argument sql is missing, or not a text"),
        (
            "query", #"{"sql":"SELECT :a","parameters":{"a":[1]}}"#,
            "the parameter a is not a text, a number, a Boolean or null"
        ),
        ("describe_table", #"{"table":"nobody"}"#, "there is no table nobody: there are best, player"),
    ])
    func refusals(_ name: String, _ arguments: String, _ message: String) throws {
        let path = try database()
        #expect(try call(name, arguments, path) == (message, true))
        #expect(!FileManager.default.fileExists(atPath: tool.path("x.sqlite")))
        #expect(try tool.run("query", path, "SELECT count(*) AS n FROM player", "-f", "csv").output == "n\r\n2\r\n")
    }

    @Test func malformedMessages() throws {
        let path = try database()
        let found = try responses(
            [
                "nonsense", "[]", #"{"jsonrpc":"2.0","id":1}"#, #"{"jsonrpc":"2.0","id":2,"method":"resources/list"}"#,
                #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"drop_table"}}"#,
                #"{"jsonrpc":"2.0","id":4,"method":"tools/call"}"#, #"{"jsonrpc":"2.0","id":5,"method":"ping"}"#,
            ], path)
        #expect(
            found.map { ($0["error"] as? [String: Any])?["code"] as? Int } == [
                -32700, -32600, -32600, -32601, -32602, -32602, nil,
            ])
        #expect(try tool.run("mcp", tool.path("missing.sqlite")).code == 3)
    }
}

@Suite(.timeLimit(.minutes(2))) struct TailTests {
    private let tool = try! Tool()

    /// Another process writes.
    @Test(arguments: [false, true], ["DELETE", "WAL"]) func changes(json: Bool, mode: String) throws {
        let path = try tool.database(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = \(mode)") }
        let process = Process()
        process.executableURL = Tool.program
        process.arguments = ["tail", path, "T"] + (json ? ["--json"] : [])
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        defer { process.terminate() }
        #expect(
            String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self) == "waiting for changes of t\n")
        func next() -> String {
            var text = ""
            while !text.hasSuffix("\n") {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { break }
                text += String(decoding: data, as: UTF8.self)
            }
            return text
        }
        for (sql, plain, object) in [
            ("INSERT INTO t VALUES (3, 'z')", "+ id=3  a=z\n", #"{"change":"insert","row":{"a":"z","id":3}}"#),
            (
                "UPDATE t SET a = char(27) WHERE id = 1", "~ id=1  a=x→\\u{1b}\n",
                #"{"change":"update","old":{"a":"x","id":1},"row":{"a":"\u001b","id":1}}"#
            ),
            ("DELETE FROM t WHERE id = 2", "- id=2  a=y\n", #"{"change":"delete","row":{"a":"y","id":2}}"#),
        ] {
            try queue.write { try $0.execute(sql: sql) }
            #expect(next() == (json ? object + "\n" : plain))
        }
    }

    /// A key that is not NULL identifies a row.
    @Test(arguments: [
        ("a PRIMARY KEY, b", "", "+ a=NULL  b=4\n- a=NULL  b=1\n~ a=NULL  b=2→5\n"),
        ("a, rowid", "", "+ a=NULL  rowid=4\n- a=NULL  rowid=1\n~ a=NULL  rowid=2→5\n"),
        (
            "rowid, _rowid_, oid", "(rowid, _rowid_)",
            "- rowid=NULL  _rowid_=1  oid=NULL\n- rowid=NULL  _rowid_=2  oid=NULL\n"
                + "+ rowid=NULL  _rowid_=4  oid=NULL\n+ rowid=NULL  _rowid_=5  oid=NULL\n"
        ),
    ])
    func keysWithNull(columns: String, list: String, expected: String) throws {
        let path = try tool.database(
            "CREATE TABLE t (\(columns)); INSERT INTO t \(list) VALUES (NULL, 1), (NULL, 2), (NULL, 3)")
        let second =
            columns.contains("_rowid_") ? "_rowid_" : columns.split(separator: ", ").last.map(String.init) ?? ""
        let process = Process()
        process.executableURL = Tool.program
        process.arguments = ["tail", path, "t"]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        defer { process.terminate() }
        #expect(
            String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self) == "waiting for changes of t\n")
        // What is missing ends the test, too.
        DispatchQueue.global().asyncAfter(deadline: .now() + 30) { process.terminate() }
        let sql = """
            INSERT INTO t \(list) VALUES (NULL, 4); UPDATE t SET \(second) = 5 WHERE \(second) = 2; DELETE FROM t WHERE \(second) = 1
            """
        #expect(try tool.run("query", path, sql, "--write") == .init(""))
        var text = ""
        while text.utf8.count < expected.utf8.count {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
        #expect(text.split(separator: "\n").sorted() == expected.split(separator: "\n").sorted())
    }

    @Test func tablesThatAreNone() throws {
        let path = try tool.database("CREATE VIEW v AS SELECT 1 AS a")
        #expect(try tool.run("tail", path, "v") == .init("", errors: "rowan: v is a view: pass a table\n", code: 3))
        #expect(try tool.run("tail", path, "w").code == 3)
    }
}
