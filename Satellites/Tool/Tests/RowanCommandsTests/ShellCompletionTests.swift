// What Tab offers, and where statements end.

import Foundation
import Rowan
import RowanSQLite
import Testing

@testable import RowanShell

@Suite struct ShellCompletionTests {
    private static let names = ShellNames(
        tables: [
            .init(name: "player", columns: ["id", "name", "odd name", "order"]),
            .init(name: "team", columns: ["id", "city"]), .init(name: "Odd table", columns: ["a"]),
            .init(schema: "temp", name: "draft", columns: ["note"]),
        ],
        functions: ["nullif", "ntile", "trim"], pragmas: ["foreign_keys", "foreign_key_list", "user_version"],
        keywords: ["SELECT", "SET", "FROM", "NATURAL", "NOT", "ORDER", "TABLE", "TRIGGER"])
    private static let completer = Completer(names: names) { typed in
        ["a b.sql", "abc/"].filter { $0.hasPrefix(typed) }
    }

    /// The cursor is at |.
    @Test(arguments: [
        // Keywords and functions, in the case of what was typed.
        ("se|", "se", ["select", "set"]), ("SE|", "SE", ["SELECT", "SET"]), ("Se|", "Se", ["select", "set"]),
        ("SELECT NU|", "NU", ["NULLIF("]), ("SELECT nt|", "nt", ["ntile("]), ("|", "", []),
        ("SELECT 1; sel|", "sel", ["select"]), ("SELECT zzz|", "zzz", []),
        // Tables.
        ("SELECT * FROM |", "", ["player", "team", "\"Odd table\"", "temp"]), ("SELECT * FROM pl|", "pl", ["player"]),
        ("SELECT * FROM player, t|", "t", ["team", "temp"]), ("SELECT * FROM player JOIN TE|", "TE", ["team", "temp"]),
        ("INSERT INTO o|", "o", ["\"Odd table\""]), ("UPDATE \"od|", "\"od", ["\"Odd table\""]),
        ("DROP TABLE IF EXISTS pl|", "pl", ["player"]), ("SELECT * FROM temp.|", "", ["draft"]),
        ("SELECT * FROM main.t|", "t", ["team"]), ("SELECT * FROM\n  pl|", "pl", ["player"]),
        // Columns, first those of the named tables.
        ("SELECT n| FROM player", "n", ["name", "nullif(", "ntile(", "natural", "not", "note"]),
        ("SELECT | FROM team", "", ["id", "city"]),
        ("SELECT o| FROM player", "o", ["\"odd name\"", "\"order\"", "\"Odd table\"", "order"]),
        ("SELECT * FROM player WHERE \"o|", "\"o", ["\"odd name\"", "\"order\"", "\"Odd table\""]),
        ("SELECT cit|", "cit", ["city"]), ("UPDATE team SET c|", "c", ["city"]),
        ("INSERT INTO team (|", "", ["id", "city"]),
        ("SELECT 1 FROM team; SELECT | FROM player", "", ["id", "name", "\"odd name\"", "\"order\""]),
        ("SELECT | FROM team; SELECT 1 FROM player", "", ["id", "city"]),
        // Qualified columns.
        ("SELECT player.|", "", []), ("SELECT player.| FROM player", "", ["id", "name", "\"odd name\"", "\"order\""]),
        ("SELECT p.n| FROM player AS p JOIN team t", "n", ["name"]),
        ("SELECT * FROM player p JOIN team t ON t.c|", "c", ["city"]),
        ("SELECT \"Odd table\".| FROM \"Odd table\"", "", ["a"]),
        // Pragmas.
        ("PRAGMA f|", "f", ["foreign_keys", "foreign_key_list"]), ("PRAGMA US|", "US", ["USER_VERSION"]),
        ("PRAGMA main.us|", "us", ["user_version"]),
        // Nothing in texts, comments, numbers and arguments.
        ("SELECT 'se|", "", []), ("SELECT 1 -- se|", "", []), ("/* se|", "", []), ("SELECT :se|", "", []),
        ("SELECT 1|", "", []),
        ("SELECT 'it''s' FROM pl|", "pl", ["player"]),
        // Commands.
        (".sch|", ".sch", [".schema"]), (".t|", ".t", [".tables", ".timer"]), ("  .sch|", ".sch", [".schema"]),
        (".schema p|", "p", ["player"]), (".schema |", "", ["Odd table", "draft", "player", "team"]),
        (".mode js|", "js", ["json", "jsonl"]), (".timer o|", "o", ["on", "off"]),
        (".profile player n|", "n", ["name"]), (".profile te|", "te", ["team"]),
        (".explain SELECT * FROM te|", "te", ["team", "temp"]), (".read a|", "a", ["a b.sql", "abc/"]),
        (".output a b|", "a b", ["a b.sql"]), (".param n|", "", []), (".nothing n|", "", []),
    ])
    func completions(_ text: String, _ typed: String, _ expected: [String]) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        let completion = Self.completer.complete(parts[0], after: parts[1])
        #expect(completion.candidates == expected)
        if !expected.isEmpty { #expect(completion.typed == typed) }
    }

    @Test(
        arguments: [
            ("sel", ["select"], "select"), ("se", ["select", "set"], nil), ("s", ["select", "set"], "se"),
            ("od", ["\"Odd table\""], "\"Odd table\""), ("od", ["\"Odd table\"", "odds"], nil),
            ("TE", ["team", "temp"], nil),
            ("pl", [], nil), ("PLAYER", ["player"], "player"), ("player", ["player"], nil),
        ] as [(String, [String], String?)])
    func insertions(_ typed: String, _ candidates: [String], _ insertion: String?) {
        #expect(Completion(typed: typed, candidates: candidates).insertion == insertion)
    }

    @Test func lists() {
        let completion = Completion(candidates: ["one", "李", "three", "four\n"])
        #expect(
            completion.list(width: 20)
                == "one  three\n李   four\\n\n".replacing("one  ", with: "one     ").replacing("李   ", with: "李      "))
        #expect(completion.list(width: 5) == "one\n李\nthree\nfour\\n\n")
        #expect(Completion(candidates: (0..<203).map { "\($0)" }).list(width: 80).hasSuffix("and 3 more\n"))
    }

    /// The names of a database, read again after a change.
    @Test func namesOfADatabase() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql:
                    "CREATE TABLE t (a, b AS (a + 1)); CREATE VIEW bad AS SELECT * FROM missing; CREATE TEMP TABLE u (c)"
            )
            let cache = NamesCache()
            let names = cache.current(db)
            #expect(
                names.tables == [
                    .init(name: "bad"), .init(name: "t", columns: ["a", "b"]),
                    .init(schema: "temp", name: "u", columns: ["c"]),
                ])
            #expect(names.functions.contains("group_concat") && !names.functions.contains("->"))
            #expect(names.pragmas.contains("user_version") && names.keywords.contains("SELECT"))
            try db.execute(sql: "DROP VIEW bad; ALTER TABLE t ADD COLUMN d")
            #expect(cache.current(db).tables.map(\.columns) == [["a", "b", "d"], ["c"]])
        }
    }

    // MARK: Statements

    @Test(arguments: [
        "SELECT 1;", "SELECT 1", "SELECT 1 -- ;", "SELECT ';", "SELECT ';';", "SELECT 'it''s;'';';", "SELECT \"a;",
        "SELECT [a;];",
        "SELECT [a;", "SELECT `a;`;", "/* ; */ SELECT 1;", "/*/ SELECT 1;", "/**/SELECT 1;", "SELECT 1;;",
        "SELECT 1 /* ; */",
        "CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT 1;", "CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT 1; END;",
        "CREATE TEMP TRIGGER a AFTER INSERT ON t BEGIN SELECT CASE 1 WHEN 1 THEN 1 END; END;",
        "create temporary trigger a; end",
        "EXPLAIN CREATE TRIGGER a BEGIN SELECT 1;", "EXPLAIN QUERY PLAN CREATE TRIGGER a BEGIN SELECT 1; END;",
        "CREATE TABLE trigger_a (a);", "CREATE TRIGGER a BEGIN SELECT 1; END -- x\n;", "SELECT 1; -- done",
        "SELECT end;",
        "CREATE TRIGGER a BEGIN SELECT ' END;'; END;", "CREATE UNIQUE INDEX a ON b (c);", "SELECT 1;\nSELECT 2",
        "SELECT $a;",
    ])
    func statementsEndAsInSQLite(_ sql: String) {
        var splitter = StatementSplitter()
        for line in sql.split(separator: "\n") { _ = splitter.add(String(line), number: 1) }
        #expect(splitter.isBlank == (sqlite3_complete(sql) != 0))
    }

    @Test(arguments: ["", " ", ";", "-- a;", "/* ; */", "; ;"]) func blankLines(_ line: String) {
        var splitter = StatementSplitter()
        #expect(splitter.add(line, number: 1) == [] && splitter.isBlank && splitter.rest == nil)
    }

    @Test func statementsOfLines() {
        var splitter = StatementSplitter()
        #expect(splitter.add("/* a;", number: 1) == [] && !splitter.isBlank)
        #expect(
            splitter.add("*/ SELECT 1; WITH a AS (SELECT :x)", number: 2) == [
                .init(sql: "SELECT 1;", line: 2, verb: "SELECT")
            ])
        #expect(splitter.rest?.line == 2 && splitter.rest?.sql == "WITH a AS (SELECT :x)\n")
        #expect(
            splitter.add("INSERT INTO b SELECT ?2; ; -- c", number: 3)
                == [
                    .init(
                        sql: "WITH a AS (SELECT :x)\nINSERT INTO b SELECT ?2;", line: 2, verb: "INSERT",
                        variables: [":x", "?2"])
                ])
        #expect(splitter.isBlank && splitter.rest == nil)
        #expect(
            splitter.add("delete from a;SELECT 'x", number: 4) == [
                .init(sql: "delete from a;", line: 4, verb: "DELETE")
            ])
        #expect(splitter.add("';", number: 5) == [.init(sql: "SELECT 'x\n';", line: 4, verb: "SELECT")])
    }

    /// A long statement takes linear time.
    @Test func longStatements() {
        var splitter = StatementSplitter()
        let start = ContinuousClock.now
        for number in 1...50_000 { #expect(splitter.add("'a;b', /* ; */ \"c;\",", number: number) == []) }
        #expect(splitter.add(";", number: 50_001).count == 1)
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
