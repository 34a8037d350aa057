// Keys that SQLite considers equal though their values differ, or different though Swift considers them equal.

import Foundation
import Rowan
import Testing

private struct Team: TableRecord {
    static let players = hasMany(Player.self)
}

private struct Player: TableRecord {
    static let team = belongsTo(Team.self)
    static let awards = hasMany(Award.self)
}

private struct Award: TableRecord {}

struct KeyEqualityTests {
    /// The prefetched players of all teams, and those of a join, which SQLite itself matches.
    private func players(_ schema: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [[Int]] {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        return try inLoggedDatabase(schema, configuration: configuration) { db, _ throws in
            func ids(_ request: QueryInterfaceRequest<Team>) throws -> [[Int]] {
                try Row.fetchAll(db, request.order(sql: "team.rowid")).map { row in
                    row.prefetchedRows["players"]!.map { $0["id"] }
                }
            }
            let whole = try ids(Team.including(all: Team.players.order(sql: "id")))
            let byKeys = try ids(Team.filter(sql: "1").including(all: Team.players.order(sql: "id")))
            #expect(whole == byKeys, sourceLocation: sourceLocation)
            let joined = try Row.fetchAll(
                db, Team.including(required: Team.players).select(sql: "team.rowid AS number").order(sql: "team.rowid"))
            let pairs = joined.map { row in ["\(row["number"] as Int)", "\(row.scopes["player"]!["id"] as Int)"] }
            let expected = whole.enumerated().flatMap { number, ids in ids.map { ["\(number + 1)", "\($0)"] } }
            #expect(Set(pairs) == Set(expected), sourceLocation: sourceLocation)
            return whole
        }
    }

    @Test func partsOfOneType() throws {
        let schema = """
            CREATE TABLE team (tenantId INTEGER, code TEXT COLLATE NOCASE, PRIMARY KEY (tenantId, code));
            CREATE TABLE player (id INTEGER PRIMARY KEY, tenantId INTEGER NOT NULL, teamCode TEXT NOT NULL COLLATE NOCASE,
                FOREIGN KEY (tenantId, teamCode) REFERENCES team(tenantId, code));
            INSERT INTO team VALUES (1, 'Reds'), (2, 'Reds');
            INSERT INTO player VALUES (1, 1, 'reds'), (2, 2, 'REDS'), (3, 1, 'Reds');
            """
        #expect(try players(schema) == [[1, 3], [2]])
    }

    @Test(arguments: ["REAL", "TEXT", "INTEGER", "NUMERIC", "BLOB", ""], ["", "NOT NULL"])
    func numbersOfAnyAffinity(_ affinity: String, _ constraint: String) throws {
        let schema = """
            CREATE TABLE team (id INTEGER PRIMARY KEY);
            CREATE TABLE player (id INTEGER PRIMARY KEY, teamId \(affinity) \(constraint) REFERENCES team(id));
            INSERT INTO team VALUES (1), (2), (3);
            INSERT INTO player VALUES (1, 1), (2, \(affinity == "TEXT" ? "2" : "2.0")), (3, 1), (4, 9), (5, 2.5);
            """
        #expect(try players(schema) == [[1, 3], [2], []])
    }

    @Test func charactersOfSeveralBytes() throws {
        for constraint in ["", "NOT NULL"] {
            let schema = """
                CREATE TABLE team (name TEXT PRIMARY KEY);
                CREATE TABLE player (id INTEGER PRIMARY KEY, teamName TEXT \(constraint) REFERENCES team(name));
                INSERT INTO team VALUES ('\u{E9}'), ('e\u{301}');
                INSERT INTO player VALUES (1, '\u{E9}'), (2, 'e\u{301}'), (3, '\u{E9}');
                """
            #expect(try players(schema) == [[1, 3], [2]])
        }
    }

    @Test func spacesAtTheEnd() throws {
        let schema = """
            CREATE TABLE team (name TEXT PRIMARY KEY COLLATE RTRIM);
            CREATE TABLE player (id INTEGER PRIMARY KEY, teamName TEXT NOT NULL COLLATE RTRIM REFERENCES team(name));
            INSERT INTO team VALUES ('a'), ('b ');
            INSERT INTO player VALUES (1, 'a  '), (2, 'b');
            """
        #expect(try players(schema) == [[1], [2]])
    }

    /// A list of a thousand values compares like a shorter one.
    @Test func affinityOfLongLists() throws {
        try inLoggedDatabase("CREATE TABLE t (x TEXT); INSERT INTO t VALUES ('1'), ('2000')") { db, _ throws in
            for count in [10, 999, 1_000, 1_500] {
                let list = Array(1...count)
                #expect(try Table("t").filter(list.contains(Column("x"))).fetchCount(db) == 1)
                #expect(try Table("t").filter(!list.contains(Column("x"))).fetchCount(db) == 1)
            }
        }
    }

    // MARK: Prefetching

    private static let schema = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER NOT NULL REFERENCES team(id), score INTEGER);
        CREATE TABLE award (id INTEGER PRIMARY KEY, playerId INTEGER NOT NULL REFERENCES player(id));
        INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
        INSERT INTO player VALUES (1, 2, 10), (2, 1, 20), (3, 2, 30), (4, 2, 40);
        INSERT INTO award VALUES (1, 1), (2, 1), (3, 3);
        """

    /// The key of prefetched rows is a column hidden from rows and adapters.
    @Test func adaptedRequest() throws {
        try inLoggedDatabase(Self.schema) { db, _ throws in
            let request = Team.select(Column("name")).including(all: Team.players)
                .adapted { _ in ScopeAdapter(["all": SuffixRowAdapter(fromIndex: 0)]) }
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0["name"] as String } == ["Reds", "Blues"])
            #expect(rows.map { $0.prefetchedRows["players"]?.map { $0["id"] as Int } } == [[2], [1, 3, 4]])
        }
    }

    @Test func commonTables() throws {
        try inLoggedDatabase(Self.schema) { db, _ throws in
            // It has the name of a table, but other columns.
            let best = CommonTableExpression<Team>(
                named: "team", literal: "SELECT name, id FROM main.team WHERE id = 2")
            let request = best.all().with(best).including(all: Team.players)
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0["name"] as String } == ["Blues"])
            #expect(rows.map { $0.prefetchedRows["players"]?.map { $0["id"] as Int } } == [[1, 3, 4]])
            let other = CommonTableExpression<Team>(named: "best", literal: "SELECT name, id FROM team")
            let players = Team.hasMany(Player.self, using: ForeignKey(["teamId"], to: ["id"]))
            let others = try Row.fetchAll(db, other.all().with(other).including(all: players))
            #expect(others.map { $0.prefetchedRows["players"]?.count } == [1, 3])
        }
    }

    /// A foreign key to a missing table only affects associations that use it.
    @Test func anotherForeignKeyIsBroken() throws {
        let schema = """
            CREATE TABLE team (id INTEGER PRIMARY KEY);
            CREATE TABLE player (id INTEGER PRIMARY KEY, x INTEGER REFERENCES gone, teamId INTEGER NOT NULL REFERENCES team);
            INSERT INTO team VALUES (1);
            INSERT INTO player VALUES (1, NULL, 1);
            """
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try inLoggedDatabase(schema, configuration: configuration) { db, _ throws in
            let rows = try Row.fetchAll(db, Team.including(all: Team.players))
            #expect(rows.map { $0.prefetchedRows["players"]?.count } == [1])
        }
    }

    // MARK: Aggregates

    /// An association's inclusions don't affect its aggregates.
    @Test(arguments: ["", "CREATE INDEX i ON player(teamId); CREATE INDEX j ON award(playerId)"])
    func aggregatesOfIncludingAssociations(_ indexes: String) throws {
        try inLoggedDatabase(Self.schema + indexes) { db, _ throws in
            let players = Team.players.including(optional: Player.awards).including(all: Player.awards)
            let request = Team.select(Column("id")).annotated(
                with: players.count, players.sum(Column("score")).forKey("sum"))
            #expect(
                try Row.fetchAll(db, request).map(\.description)
                    == ["[id:1 playerCount:1 sum:20]", "[id:2 playerCount:3 sum:80]"])
        }
    }

    /// An aggregate that refers to an outer row gives the same result with and without an index.
    @Test(arguments: ["", "CREATE INDEX i ON player(teamId)"])
    func aggregatesOfOuterRows(_ indexes: String) throws {
        try inLoggedDatabase(Self.schema + indexes) { db, _ throws in
            let team = TableAlias<Team>()
            let players = Team.players.filter(Column("score") > team[Column("id")] * 10)
            let request = Team.aliased(team).select(Column("id")).annotated(with: players.count)
            #expect(
                try Row.fetchAll(db, request).map(\.description) == ["[id:1 playerCount:1]", "[id:2 playerCount:2]"])
        }
    }

    @Test(arguments: ["", "CREATE INDEX i ON player(teamId)"])
    func aggregatesInWrites(_ indexes: String) throws {
        struct Team: Codable, PersistableRecord, FetchableRecord {
            var id: Int
            var name: String
            static let players = hasMany(Player.self)
        }
        let schema = Self.schema.replacingOccurrences(of: "name TEXT", with: "name TEXT, n INTEGER") + indexes
        try inLoggedDatabase(schema.replacingOccurrences(of: "INTO team", with: "INTO team (id, name)")) {
            db, log throws in
            try Team.updateAll(db, [Column("n").set(to: Team.players.count)])
            #expect(
                log.takeExpanded().last
                    == #"UPDATE "team" SET "n" = (SELECT COUNT(*) FROM "player" WHERE "teamId" = "team"."id")"#)
            #expect(try Int.fetchAll(db, sql: "SELECT n FROM team ORDER BY id") == [1, 3])
            let selection = [Column("id").sqlSelection, Team.players.count.sqlExpression.forKey("playerCount")]
            let updated = try Team.all().updateAndFetchStatement(db, [Column("n").set(to: 0)], selection: selection)
            #expect(
                try Row.fetchAll(updated).map(\.description) == ["[id:1 playerCount:1]", "[id:2 playerCount:3]"])
            let blues = Team(id: 2, name: "Sky")
            let row = try blues.updateAndFetch(db, selection: selection) { try Row.fetchOne($0) }
            #expect(row?.description == "[id:2 playerCount:3]")
            let inserted = try Team(id: 3, name: "New").insertAndFetch(db, selection: selection) {
                try Row.fetchOne($0)
            }
            #expect(inserted?.description == "[id:3 playerCount:0]")
        }
    }

    /// Two statements with the same text have separate arguments.
    @Test func statementsOfTheirOwn() throws {
        try inLoggedDatabase(Self.schema) { db, _ throws in
            try db.execute(sql: "DELETE FROM award")
            func deletion(_ id: Int) throws -> Statement {
                try Player.filter(Column("id") == id).deleteAndFetchStatement(db, selection: [Column("id")])
            }
            let (one, two) = (try deletion(1), try deletion(2))
            #expect(try Int.fetchAll(one) == [1])
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM player") == [2, 3, 4])
            #expect(try Int.fetchAll(two) == [2])
        }
    }

    /// A column named rowid that is not the rowid.
    @Test func aColumnNamedRowID() throws {
        try inLoggedDatabase("CREATE TABLE t (rowid TEXT); INSERT INTO t VALUES ('a'), ('a'), ('b')") { db, _ throws in
            #expect(try Table("t").filter(Column("rowid") == "a").limit(1).deleteAll(db) == 1)
            #expect(try String.fetchAll(db, sql: "SELECT rowid FROM t ORDER BY 1") == ["a", "b"])
        }
    }
}
