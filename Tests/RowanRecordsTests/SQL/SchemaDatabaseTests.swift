// The schema that #sql checks against, and SQLite's findings for a text.

@testable import Rowan
@testable import RowanSQLExpansion
import RowanSQLText
import Testing

@Suite("The schema of #sql")
struct SchemaDatabaseTests {
    private let schema = """
        -- rowan: function distance/2
        -- rowan: aggregate median
        -- rowan: window running/1
        -- rowan: collation german
        -- rowan: tokenizer latinascii
        -- rowan: table vectors (embedding, distance)
        -- rowan: record Spot place
        CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT NOT NULL, latitude REAL);
        CREATE INDEX place_far ON place(distance(latitude, 0));
        CREATE TABLE town ("the name" TEXT COLLATE german);
        CREATE VIRTUAL TABLE note USING fts5(text, tokenize = 'latinascii');
        CREATE VIRTUAL TABLE vectors USING vec0(embedding float[4]);
        CREATE VIEW north AS SELECT * FROM place WHERE latitude > 0;
        CREATE TRIGGER after AFTER INSERT ON place BEGIN DELETE FROM town; END;
        """

    /// SQLite's finding, and the text from its location on.
    private func finding(_ sql: String) throws -> (String, String, String?)? {
        let database = try SchemaDatabase(schema)
        let bytes = Array(sql.utf8)
        return database.check(bytes).finding.map {
            ($0.message, String(decoding: bytes[$0.offset...].prefix(10), as: UTF8.self), $0.suggestion)
        }
    }

    @Test(
        "Valid statements",
        arguments: [
            "SELECT id, distance(latitude, ?) FROM place ORDER BY title COLLATE german",
            "SELECT median(latitude), running(latitude) OVER (ORDER BY id) FROM north",
            "SELECT rank FROM note WHERE note MATCH ?",
            "SELECT distance FROM vectors WHERE embedding MATCH 1",
            "SELECT swiftLowercaseString(title) FROM place ORDER BY title COLLATE swiftLocalizedCompare",
            "INSERT INTO place VALUES (1, 'a', 2) ON CONFLICT DO NOTHING RETURNING id",
            "/* a */ SELECT 1; -- b\n SELECT 2;\n", "WITH t AS (SELECT 1 AS a) SELECT a FROM t",
            "PRAGMA user_version", "EXPLAIN QUERY PLAN SELECT * FROM place",
        ])
    func valid(_ sql: String) throws {
        #expect(try finding(sql) == nil)
    }

    @Test("Connections have the functions and collations that #sql accepts")
    func builtins() throws {
        #expect(DatabaseFunction.builtin.map(\.name).sorted() == BuiltInFunction.allCases.map(\.rawValue).sorted())
        #expect(DatabaseCollation.builtin.map(\.name).sorted() == BuiltInCollation.allCases.map(\.rawValue).sorted())
        let database = try SchemaDatabase("")
        // With their numbers of arguments.
        for function in DatabaseFunction.builtin {
            let arguments = Array(repeating: "'a'", count: max(function.id.argumentCount, 0)).joined(separator: ", ")
            #expect(database.check(Array("SELECT \(function.name)(\(arguments))".utf8)).finding == nil)
        }
    }

    @Test("Errors and their locations")
    func errors() throws {
        let cases: [(sql: String, message: String, place: String, suggestion: String?)] = [
            ("SELECT titel FROM place", "no such column: titel", "titel FROM", "title"),
            ("SELECT 'titel', p.titel FROM place p", "no such column: p.titel", "titel FROM", "title"),
            ("SELECT title FROM plcae", "no such table: plcae", "plcae", "place"),
            ("SELECT title -- plcae\nFROM main.plcae", "no such table: main.plcae", "plcae", "place"),
            ("SELECT 1; SELECT xyz FROM place", "no such column: xyz", "xyz FROM p", nil),
            ("SELECT 1;\n\n SELECT FROM place", "near \"FROM\": syntax error", "FROM place", nil),
            ("SELECT title FORM place", "near \"place\": syntax error", "place", nil),
            ("INSERT INTO place (titel) VALUES (1)", "table place has no column named titel", "titel) VAL", "title"),
            ("SELECT dist(1) FROM place", "no such function: dist", "dist(1) FR", nil),
            (
                "SELECT distance(1) FROM place", "wrong number of arguments to function distance()", "distance(1",
                nil
            ),
            ("SELECT a.id FROM place, place b", "no such column: a.id", "id FROM pl", nil),
            ("SELECT id FROM place, place b", "ambiguous column name: id", "id FROM pl", nil),
            ("SELECT 1 FROM place ORDER BY title COLLATE french", "no such collation sequence: french", "french", nil),
            ("SELECT \"text\" FROM place", "no such column: text", "\"text\" FRO", nil),
            ("SELECT 1 WHERE (", "incomplete input", "", nil),
            ("INSERT INTO place VALUES (1)", "table place has 3 columns but 1 values were supplied", "INSERT INT", nil),
            ("SELECT `the nam` FROM town", "no such column: the nam", "`the nam` ", "the name"),
            ("SELECT unheard FROM place", "no such column: unheard", "unheard FR", nil),
        ]
        for expected in cases {
            let found = try #require(try finding(expected.sql), "\(expected.sql)")
            // Later versions of SQLite add quotes and hints to the message.
            let message = found.0.replacing("\"text\"", with: "text")
            #expect(message.hasPrefix(expected.message), "\(expected.sql)")
            #expect(found.1 == expected.place, "\(expected.sql)")
            #expect(found.2 == expected.suggestion, "\(expected.sql)")
        }
    }

    @Test("Statements are counted")
    func counts() throws {
        let database = try SchemaDatabase(schema)
        let found = database.check(Array("SELECT ? + ?; -- ?\nSELECT '?', ?".utf8))
        #expect(found.finding == nil && found.statements == 2)
        #expect(database.check(Array(" -- nothing".utf8)).statements == 0)
        #expect(database.recordTables == ["Spot": "place"])
    }

    @Test("A schema with an error")
    func badSchemas() {
        func error(_ schema: String) -> SchemaError? {
            do throws(SchemaError) {
                _ = try SchemaDatabase(schema)
                return nil
            } catch { return error }
        }
        #expect(
            error("CREATE TABLE a (b);\n\nCREATE TABL c;")
                == SchemaError("near \"TABL\": syntax error", line: 3))
        #expect(
            error("CREATE TABLE a (b);\nCREATE INDEX c\n  ON a(f(b));") == SchemaError("no such function: f", line: 2))
        #expect(
            error("CREATE VIRTUAL TABLE a USING vec0(b)") == SchemaError("no such module: vec0", line: 1))
        for line in [
            "-- rowan: functoin a", "-- rowan: function a/b", "-- rowan: function /1", "-- rowan: function a b",
            "-- rowan: function a/128", "-- rowan: table a", "-- rowan: record A", "-- rowan:", "-- rowan: collation",
            "-- rowan: table a(b); CREATE TABLE c(d)",
        ] {
            let found = error("\n\(line)")
            #expect(found?.message.hasPrefix("'\(line)' declares nothing: write ") == true)
            #expect(found?.line == 2)
        }
        #expect(error("-- rowan: table a(b,")?.message == "incomplete input")
        // The line of the statement, not of the comments before it.
        #expect(
            error("CREATE TABLE a (b);\n-- c\n/* d\n*/ CREATE VIRTUAL TABLE e USING f;")
                == SchemaError("no such module: f", line: 4))
        for schema in ["\n\0", "CREATE TABLE a (b);\n/* \0 */", "CREATE TABLE a (b);\n-- rowan: collation a\0"] {
            #expect(
                error(schema) == SchemaError("SQL has no NUL characters: remove this one", line: 2))
        }
    }

    @Test("Unterminated statements and statements that open files are errors")
    func dangerousStatements() {
        for (sql, message) in [
            ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c", "interrupted"),
            ("ATTACH '/tmp/rowan-none.sqlite' AS o", "not authorized"),
            ("INSERT INTO a VALUES (zeroblob(900000000))", "string or blob too big"),
            (
                "INSERT INTO a WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT zeroblob(900000) FROM c",
                "database or disk is full"
            ),
        ] {
            let error = #expect(throws: SchemaError.self) { try SchemaDatabase("CREATE TABLE a (b);\n\(sql);") }
            #expect(error == SchemaError(message, line: 2))
        }
    }

    @Test("A large schema with many comments and declarations")
    func largeSchema() throws {
        let lines = (1...20_000).map { "-- comment \($0)\n" + ($0 % 10 == 0 ? "-- rowan: function f\($0)/1\n" : "") }
        let database = try SchemaDatabase(lines.joined() + "CREATE TABLE a (b);")
        #expect(database.check(Array("SELECT f20000(b), f10(b) FROM a".utf8)).finding == nil)
    }

    @Test("Statements that SQLite can't run: declared tables and SQLite's own tables")
    func skippedStatements() throws {
        for (declared, created) in [
            ("vectors", "vectors"), ("Vectors", "\"vectors\""), ("\"vec tors\"", "IF NOT EXISTS main.[Vec Tors]"),
            ("`a\"b`", "\"a\"\"b\""),
        ] {
            let schema = "-- rowan: table \(declared) (a)\n-- b\nCREATE /* c */ VIRTUAL TABLE \(created) USING vec0(a);"
            let database = try SchemaDatabase(schema)
            let name = declared.hasPrefix("`") || declared.hasPrefix("\"") ? declared : "\"\(declared)\""
            #expect(database.check(Array("SELECT a FROM \(name)".utf8)).finding == nil)
        }
        let dump = "CREATE TABLE a (b INTEGER PRIMARY KEY AUTOINCREMENT);\nCREATE TABLE sqlite_sequence(name,seq);"
        #expect(try SchemaDatabase(dump).check(Array("SELECT seq FROM sqlite_sequence".utf8)).finding == nil)
    }

    @Test("Declarations are outside statements")
    func placesOfDeclarations() throws {
        func functions(_ schema: String) throws -> Bool {
            try SchemaDatabase(schema).check(Array("SELECT f(1)".utf8)).finding == nil
        }
        let table = "CREATE TABLE a (b);\n"
        #expect(try functions("\(table)-- rowan: function f"))
        #expect(try functions("/* a */\r\n-- b\r\n-- rowan: function f\r\n\(table)"))
        #expect(
            try functions("\(table)CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;\n-- rowan: function f"))
        for schema in [
            "\(table)CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1;\n-- rowan: function f\nEND;",
            "\(table)CREATE VIEW v AS SELECT '\n-- rowan: function f\n';", "/*\n-- rowan: function f\n*/",
            "CREATE TABLE a (\n-- rowan: function f\nb);", "CREATE TABLE a (b); -- rowan: function f",
        ] {
            #expect(try !functions(schema), "\(schema)")
        }
    }

    @Test("Tokens")
    func tokens() {
        let sql = "a.b?1?:c@d$e x'00' X 'f''?' \"g\"-- h\n-/* ? */- 1.5e3 ?and [i]]:#"
        let found = sqlTokens(Array(sql.utf8))
        func texts(_ kind: SQLToken.Kind) -> [String] { found.filter { $0.kind == kind }.map(\.text) }
        #expect(texts(.word) == ["a", "b", "X", "g", "and", "i"])
        #expect(texts(.parameter) == ["?1", "?", ":c", "@d$e", "?"])
        #expect(texts(.text) == ["x'00'", "'f''?'"])
        #expect(texts(.comment) == ["-- h", "/* ? */"])
        #expect(texts(.other) == [".", "-", "-", "1.5e3", "]", ":", "#"])
        for text in ["'a", "\"a", "[a", "/* a", "/*", "-- a", "?", "$", "'", "\""] {
            #expect(sqlTokens(Array(text.utf8)).map(\.range) == [0..<text.utf8.count])
        }
    }

    @Test("A schema with Windows line endings, a byte order mark, a trigger, and non-ASCII names")
    func unusualSchemas() throws {
        let schema =
            "\u{FEFF}-- rowan: function f/1\r\nCREATE TABLE \"größe\" (\"maß\" TEXT);\r\n"
            + "CREATE TRIGGER t AFTER INSERT ON \"größe\"\r\nBEGIN\r\n  DELETE FROM \"größe\"; SELECT 1;\r\nEND;\r\n-- end"
        let database = try SchemaDatabase(schema)
        #expect(database.check(Array("SELECT f(maß) FROM größe".utf8)).finding == nil)
        let sql = "SELECT 'ä', maß1 FROM größe"
        let finding = try #require(database.check(Array(sql.utf8)).finding)
        #expect(finding.message == "no such column: maß1")
        #expect(String(decoding: Array(sql.utf8)[finding.offset...], as: UTF8.self) == "maß1 FROM größe")
        #expect(finding.suggestion == "maß")
        #expect(try SchemaDatabase("").check(Array("SELECT 1".utf8)).finding == nil)
    }

    @Test("Words and their locations")
    func words() {
        let sql = "SELECT a.b, \"c\"\"d\" -- e\n, 'f' /* g */, [h], `i` FROM 12x, é1"
        let found = sqlWords(Array(sql.utf8))
        #expect(found.map(\.text) == ["SELECT", "a", "b", "c\"d", "h", "i", "FROM", "é1"])
        #expect(found.map(\.followsPoint) == [false, false, true, false, false, false, false, false])
        let bytes = Array(sql.utf8)
        #expect(
            found.map { String(decoding: bytes[$0.range], as: UTF8.self) }
                == ["SELECT", "a", "b", "\"c\"\"d\"", "[h]", "`i`", "FROM", "é1"])
        #expect(sqlWords(Array("a 'b".utf8)).map(\.text) == ["a"])
        #expect(sqlWords(Array("a /* b".utf8)).map(\.text) == ["a"])
    }

    @Test("Similar names")
    func resemblance() {
        #expect("titel".nearest(in: ["table", "TITLE", "till"]) == "TITLE")
        // Two transpositions, or one insertion.
        #expect("abcd".nearest(in: ["badc", "abcde"]) == "abcde")
        #expect("abc".nearest(in: ["axbd", "", "xyz"]) == nil)
        // A single letter resembles nothing, and names with thousands of letters are not compared.
        #expect("a".nearest(in: ["b"]) == nil)
        #expect(String(repeating: "a", count: 101).nearest(in: [String(repeating: "a", count: 100)]) == nil)
    }
}
