// Dumps of SQL, requests, tables and content, from all kinds of connections.

import Foundation
import Rowan
import Testing

struct DumpQueryTests {
    private static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        INSERT INTO player VALUES (2, 'Barbara', 1000), (1, 'Arthur', 500);
        CREATE TABLE team (id TEXT PRIMARY KEY, color TEXT) WITHOUT ROWID;
        INSERT INTO team VALUES ('b', 'Blue'), ('a', 'Red');
        """

    struct Player: Codable, FetchableRecord, PersistableRecord, TableRecord {
        var id: Int64
        var name: String
        var score: Int
    }

    @Test(arguments: ConnectionKind.allCases)
    func allConnections(kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try await writer.write { try $0.execute(sql: Self.schema) }
        let players = "1|Arthur|500\n2|Barbara|1000\n"
        #expect(try dumped { try writer.dumpSQL("SELECT * FROM player ORDER BY id", to: $0) } == players)
        #expect(try dumped { try writer.dumpRequest(Player.all(), to: $0) } == players)
        #expect(try dumped { try writer.dumpTables(["player"], to: $0) } == players)
        let schema = """
            sqlite_master
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
            CREATE TABLE team (id TEXT PRIMARY KEY, color TEXT) WITHOUT ROWID;

            """
        #expect(try dumped { try writer.dumpSchema(to: $0) } == schema)
        let content = schema + "\nplayer\n\(players)\nteam\na|Red\nb|Blue\n"
        #expect(try dumped { try writer.dumpContent(to: $0) } == content)
        // Inside an access of the same thread, and in asynchronous accesses.
        #expect(try dumped { sink in try writer.write { _ in try writer.dumpContent(to: sink) } } == content)
        let asynchronous = try await writer.read { db in try dumped { try db.dumpContent(to: $0) } }
        #expect(asynchronous == content)
        let written = try await writer.write { db throws in
            try db.execute(sql: "DELETE FROM player WHERE id = 2")
            return try dumped { try db.dumpContent(format: .quote(), to: $0) }
        }
        #expect(written == schema + "\nplayer\n1,'Arthur',500\n\nteam\n'a','Red'\n'b','Blue'\n")
        withExtendedLifetime(folder) {}
    }

    @Test func tableHeaders() throws {
        try withDatabase { db throws in
            try db.execute(sql: Self.schema + "CREATE TABLE empty(a)")
            func text(_ tables: [String], _ header: DumpTableHeaderOptions = .automatic) throws -> String {
                try dumped { try db.dumpTables(tables, tableHeader: header, to: $0) }
            }
            #expect(try text(["team"]) == "a|Red\nb|Blue\n")
            #expect(try text(["team"], .always) == "team\na|Red\nb|Blue\n")
            #expect(try text(["team", "empty", "Team"]) == "team\na|Red\nb|Blue\n\nempty\n\nTeam\na|Red\nb|Blue\n")
            #expect(try text([]) == "")
            #expect(try text(["empty"]) == "")
            #expect(
                try dumped { try db.dumpTables(["empty", "team"], format: .json(), to: $0) }
                    == "empty\n[]\n\nteam\n[{\"id\":\"a\",\"color\":\"Red\"},\n{\"id\":\"b\",\"color\":\"Blue\"}]\n")
            #expect(
                try dumped { try db.dumpTables(["team", "empty"], format: .line(), to: $0) }
                    == "team\n   id = a\ncolor = Red\n\n   id = b\ncolor = Blue\n\nempty\n")
            expectError(.SQLITE_ERROR, "no such table: nowhere") { try text(["nowhere"]) }
            #expect(try text(["sqlite_master"]).hasPrefix("table|player|player|2|CREATE TABLE player"))
        }
    }

    @Test func stableOrderOfViews() throws {
        try withDatabase { db throws in
            try db.execute(
                sql: Self.schema + """
                    CREATE VIEW byName AS SELECT name, score FROM player ORDER BY name DESC;
                    CREATE VIEW twice AS SELECT 1 AS a, id FROM player UNION ALL SELECT 0, id FROM player
                    """)
            #expect(try dumped { try db.dumpTables(["byName"], to: $0) } == "Barbara|1000\nArthur|500\n")
            #expect(
                try dumped { try db.dumpTables(["byName", "twice"], stableOrder: true, to: $0) }
                    == "byName\nArthur|500\nBarbara|1000\n\ntwice\n0|1\n0|2\n1|1\n1|2\n")
        }
    }

    @Test func severalStatements() throws {
        try withDatabase { db throws in
            let text = try dumped {
                try db.dumpSQL(
                    "CREATE TABLE t(a); INSERT INTO t VALUES (\(1)), (2); SELECT a FROM t; SELECT \(3)",
                    format: .json(), to: $0)
            }
            #expect(text == "[{\"a\":1},\n{\"a\":2}]\n[{\"?\":3}]\n")
            #expect(try dumped { try db.dumpSQL("-- nothing", to: $0) } == "")
            let sink = TextSink()
            expectError(.SQLITE_ERROR, "no such table: nowhere") {
                try db.dumpSQL("SELECT 1; SELECT * FROM nowhere", to: sink)
            }
            #expect(sink.text == "1\n")
        }
    }

    @Test func readsDoNotWrite() throws {
        try withTable(.memoryQueue) { writer throws in
            expectError(.SQLITE_READONLY) { try writer.dumpSQL("DELETE FROM t", to: TextSink()) }
            #expect(try writer.values() == [1, 2])
        }
    }

    @Test func contentWithoutInternalTables() throws {
        try withDatabase { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT, t TEXT UNIQUE);
                    CREATE INDEX a_t ON a(t);
                    INSERT INTO a(t) VALUES ('x');
                    CREATE VIRTUAL TABLE f USING fts5(body);
                    INSERT INTO f VALUES ('hello');
                    CREATE VIEW v AS SELECT t FROM a;
                    CREATE TEMP TABLE scratch(a);
                    CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
                    CREATE TRIGGER a_log AFTER INSERT ON a BEGIN SELECT 1; END;
                    ANALYZE
                    """)
            #expect(
                try dumped { try db.dumpContent(to: $0) }
                    == """
                    sqlite_master
                    CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT, t TEXT UNIQUE);
                    CREATE INDEX a_t ON a(t);
                    CREATE TRIGGER a_log AFTER INSERT ON a BEGIN SELECT 1; END;
                    CREATE VIRTUAL TABLE f USING fts5(body);
                    CREATE VIEW v AS SELECT t FROM a;

                    a
                    1|x

                    f
                    hello

                    """)
        }
        try withDatabase { db throws in #expect(try dumped { try db.dumpContent(to: $0) } == "sqlite_master\n") }
    }

    @Test func hostileNames() throws {
        try withDatabase { db throws in
            let names = ["select", "a\"b", "a'b", "é 👩‍👩‍👧", "a;--", "rowid", "x.y", "[z]", " "]
            for name in names {
                let quoted = name.quotedDatabaseIdentifier
                try db.execute(sql: "CREATE TABLE \(quoted)(\(quoted)); INSERT INTO \(quoted) VALUES (1)")
            }
            let text = try dumped { try db.dumpTables(names, to: $0) }
            #expect(text == names.map { "\($0)\n1\n" }.joined(separator: "\n"))
            let content = try dumped { try db.dumpContent(to: $0) }
            #expect(names.allSatisfy { content.contains("\n\n\($0)\n1\n") })
        }
    }

    // MARK: Associations

    @Test func prefetchedAssociations() throws {
        try Library.run { db, _ throws in
            func text(_ request: QueryInterfaceRequest<Library.Author>) throws -> String {
                try dumped { try db.dumpRequest(request, to: $0) }
            }
            let authors = Library.Author.filter(keys: [1, 2, 4])
            #expect(
                try text(authors.including(all: Library.Author.books))
                    == """
                    1|Melville|US
                    2|Hugo|FR
                    4|Nobody|

                    books
                    1|1|Moby-Dick|1851|10
                    2|1|Omoo|1847|20
                    3|2|Hernani|1830|30

                    """)
            let nested = Library.Author.books.including(all: Library.Book.awards)
            #expect(
                try text(authors.including(all: nested.forKey("works")))
                    == """
                    1|Melville|US
                    2|Hugo|FR
                    4|Nobody|

                    works
                    1|1|Moby-Dick|1851|10
                    2|1|Omoo|1847|20
                    3|2|Hernani|1830|30

                    awards
                    1|1|Gold|3
                    2|1|Silver|2
                    3|3|Gold|5

                    """)
            // Without rows, there is nothing to prefetch.
            #expect(try text(Library.Author.none().including(all: nested)) == "")
            #expect(
                try text(Library.Author.filter(key: 4).including(all: nested)) == "4|Nobody|\n\nbooks\n")
            let books = Library.Book.including(required: Library.Book.author.including(all: Library.Author.passports))
            #expect(
                try dumped { try db.dumpRequest(books.filter(key: 1), to: $0) }
                    == "1|1|Moby-Dick|1851|10|1|Melville|US\n\nauthor.passports\n1|FR|2\n1|US|1\n")
        }
    }

    /// Columns that are only needed for prefetched rows are not printed.
    @Test func hiddenColumns() throws {
        try Library.run { db, _ throws in
            let request = Library.Author.select(Library.Author.Columns.name).filter(key: 1)
                .including(all: Library.Author.books.select(Library.Book.Columns.title))
            #expect(try dumped { try db.dumpRequest(request, to: $0) } == "Melville\n\nbooks\nMoby-Dick\nOmoo\n")
            #expect(
                try dumped { try db.dumpRequest(request, format: .csv(lineEnding: .lf), to: $0) }
                    == "name\nMelville\n\nbooks\ntitle\nMoby-Dick\nOmoo\n")
        }
    }

    @Test func joinedAssociations() throws {
        try Library.run { db, _ throws in
            let request = Library.Book.including(required: Library.Book.author).filter(key: 1)
            #expect(
                try dumped { try db.dumpRequest(request, format: .list(header: true), to: $0) }
                    == "id|authorId|title|year|price|id|name|countryCode\n1|1|Moby-Dick|1851|10|1|Melville|US\n")
        }
    }

    /// The standard output isn't captured, but printing must not fail.
    @Test func standardOutput() throws {
        try withDatabase { try $0.dumpSQL("SELECT 'dumped to the standard output'") }
    }
}
