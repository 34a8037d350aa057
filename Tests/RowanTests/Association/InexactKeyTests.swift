// Prefetched rows whose keys equal several keys of the origin, by a conversion or a collation.

import Foundation
import Rowan
import Testing

private struct Team: TableRecord {
    static let players = hasMany(Player.self)
    static let awards = hasMany(Award.self, through: players, using: Player.hasMany(Award.self))
}

private struct Player: TableRecord {}
private struct Award: TableRecord {}

struct InexactKeyTests {
    /// Expects that the prefetched players of all teams are those of a join, which SQLite itself matches.
    private func check(
        _ db: Database, sourceLocation: SourceLocation = #_sourceLocation, _ comment: Comment? = nil
    ) throws -> [[Int]] {
        func ids(_ request: QueryInterfaceRequest<Team>) throws -> [[Int]] {
            try Row.fetchAll(db, request.order(sql: "team.rowid")).map { row in
                row.prefetchedRows["players"]!.map { $0["id"] }
            }
        }
        let whole = try ids(Team.including(all: Team.players.order(sql: "id")))
        let byKeys = try ids(Team.filter(sql: "1").including(all: Team.players.order(sql: "id")))
        var joined = Array(repeating: [Int](), count: whole.count)
        let pairs = try Row.fetchAll(
            db,
            Team.joining(required: Team.players)
                .select(sql: "team.rowid AS number, player.id AS id").order(sql: "player.id"))
        for pair in pairs { joined[pair["number"] - 1].append(pair["id"]) }
        #expect(whole == joined, comment, sourceLocation: sourceLocation)
        #expect(byKeys == joined, comment, sourceLocation: sourceLocation)
        return joined
    }

    private func players(_ schema: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [[Int]] {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in db.add(collation: .folding) }
        return try inLoggedDatabase(schema, configuration: configuration) { db, _ throws in
            try check(db, sourceLocation: sourceLocation)
        }
    }

    @Test func letterCase() throws {
        for constraint in ["", "NOT NULL"] {
            let schema = """
                CREATE TABLE team (name TEXT COLLATE NOCASE);
                CREATE TABLE player (id INTEGER PRIMARY KEY, teamName TEXT \(constraint) REFERENCES team(name));
                INSERT INTO team VALUES ('a'), ('A'), ('b'), ('c');
                INSERT INTO player VALUES (1, 'a'), (2, 'A'), (3, 'B'), (4, 'd');
                """
            #expect(try players(schema) == [[1, 2], [1, 2], [3], []])
        }
    }

    @Test func numbersAndTheirTexts() throws {
        let schema = """
            CREATE TABLE team (code UNIQUE);
            CREATE TABLE player (id INTEGER PRIMARY KEY, teamCode INTEGER NOT NULL REFERENCES team(code));
            INSERT INTO team VALUES (1), ('1'), ('1.0'), (2), ('x');
            INSERT INTO player VALUES (1, 1), (2, 2), (3, 'x');
            """
        #expect(try players(schema) == [[1], [1], [1], [2], [3]])
    }

    @Test func collationsOfTheProgram() throws {
        let schema = """
            CREATE TABLE team (name TEXT COLLATE folding);
            CREATE TABLE player (id INTEGER PRIMARY KEY, teamName TEXT NOT NULL REFERENCES team(name));
            INSERT INTO team VALUES ('été'), ('ETE'), ('hiver'), ('nuit');
            INSERT INTO player VALUES (1, 'été'), (2, 'ete'), (3, 'HIVER'), (4, 'jour');
            """
        #expect(try players(schema) == [[1, 2], [1, 2], [3], []])
    }

    @Test func composites() throws {
        let schema = """
            CREATE TABLE team (tenantId INTEGER, code TEXT COLLATE NOCASE);
            CREATE TABLE player (id INTEGER PRIMARY KEY, tenantId INTEGER NOT NULL, teamCode TEXT NOT NULL,
                FOREIGN KEY (tenantId, teamCode) REFERENCES team(tenantId, code));
            INSERT INTO team VALUES (1, 'a'), (1, 'A'), (2, 'a');
            INSERT INTO player VALUES (1, 1, 'a'), (2, 1, 'A'), (3, 2, 'A');
            """
        #expect(try players(schema) == [[1, 2], [1, 2], [3]])
    }

    @Test func pivots() throws {
        let schema = """
            CREATE TABLE team (name TEXT COLLATE NOCASE);
            CREATE TABLE player (id INTEGER PRIMARY KEY, teamName TEXT NOT NULL REFERENCES team(name));
            CREATE TABLE award (id INTEGER PRIMARY KEY, playerId INTEGER NOT NULL REFERENCES player(id));
            INSERT INTO team VALUES ('a'), ('A'), ('b');
            INSERT INTO player VALUES (1, 'a'), (2, 'A'), (3, 'B');
            INSERT INTO award VALUES (10, 1), (20, 2), (30, 2), (40, 3);
            """
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try inLoggedDatabase(schema, configuration: configuration) { db, _ throws in
            let rows = try Row.fetchAll(db, Team.including(all: Team.awards.order(sql: "id")).order(sql: "team.rowid"))
            let ids = rows.map { row in row.prefetchedRows["awards"]!.map { $0["id"] as Int } }
            #expect(ids == [[10, 20, 30], [10, 20, 30], [40]])
        }
    }

    /// Keys that can only equal themselves need no additional statement.
    @Test func statements() throws {
        let schema = """
            CREATE TABLE team (name TEXT COLLATE NOCASE);
            CREATE TABLE player (id INTEGER PRIMARY KEY, teamName TEXT NOT NULL REFERENCES team(name));
            INSERT INTO team VALUES ('Reds'), ('Blues'), ('Greens');
            INSERT INTO player VALUES (1, 'reds'), (2, 'BLUES');
            """
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try inLoggedDatabase(schema, configuration: configuration) { db, log throws in
            _ = log.takeExpanded()
            _ = try Row.fetchAll(db, Team.including(all: Team.players))
            #expect(log.takeExpanded().filter { $0.hasPrefix("SELECT") }.count == 2)
            try db.execute(sql: "INSERT INTO team VALUES ('REDS')")
            _ = log.takeExpanded()
            _ = try Row.fetchAll(db, Team.including(all: Team.players))
            // One for each of the two keys that may equal a player's key.
            #expect(log.takeExpanded().filter { $0.hasPrefix("SELECT") }.count == 4)
        }
    }

    /// Random keys in columns of all types and collations.
    @Test func randomKeys() throws {
        var generator = SeededGenerator(20_261_124)
        let keys = ["1", "2", "'1'", "'2.0'", "2.5", "'a'", "'A'", "'a '", "'é'", "'É'", "x'61'", "NULL"]
        let collations = ["BINARY", "NOCASE", "RTRIM", "folding"]
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            db.add(collation: .folding)
            // With automatic indexes, SQLite 3.40 doesn't match 'a' with 'a ' in a join, despite RTRIM.
            try db.execute(sql: "PRAGMA automatic_index = 0")
        }
        for round in 0..<60 {
            // Other types may compare differently in a join than in a list, which has no type.
            let types = [
                ("TEXT", "TEXT"), ("", ""), ("TEXT", ""), ("TEXT", "INTEGER"), ("", "INTEGER"), ("INTEGER", "INTEGER"),
                ("", "NUMERIC"), ("INTEGER", "REAL"), ("TEXT", "REAL"),
            ].randomElement(using: &generator)!
            func collation() -> String { "COLLATE \(collations.randomElement(using: &generator)!)" }
            func values(_ count: Int) -> String {
                (1...count).map { "(\($0), \(keys.randomElement(using: &generator)!))" }.joined(separator: ", ")
            }
            let schema = """
                CREATE TABLE team (id INTEGER PRIMARY KEY, code \(types.0) \(collation()));
                CREATE TABLE player (id INTEGER PRIMARY KEY, teamCode \(types.1) \(collation()) REFERENCES team(code));
                INSERT INTO team VALUES \(values(8));
                INSERT INTO player VALUES \(values(12));
                """
            try inLoggedDatabase(schema, configuration: configuration) { db, _ throws in
                _ = try check(db, "round \(round): \(schema)")
            }
        }
    }
}

extension DatabaseCollation {
    /// Compares texts without case and accents.
    fileprivate static let folding = DatabaseCollation("folding") { a, b in
        a.compare(b, options: [.caseInsensitive, .diacriticInsensitive])
    }
}
