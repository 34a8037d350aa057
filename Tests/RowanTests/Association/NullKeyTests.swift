// A TEXT PRIMARY KEY may be NULL in several rows. Such rows are counted, updated and deleted like others.

import Rowan
import Testing

private struct Team: TableRecord {
    static let players = hasMany(Player.self)
    static let trophies = hasMany(Trophy.self, through: players, using: Player.trophies)
}
private struct Player: TableRecord {
    enum Columns {
        static let name = Column("name")
        static let score = Column("score")
    }
    static let team = belongsTo(Team.self)
    static let trophies = hasMany(Trophy.self, using: ForeignKey(["playerNumber"], to: ["number"]))
}
private struct Trophy: TableRecord {}

private let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE player (name TEXT PRIMARY KEY, teamId INTEGER REFERENCES team(id), score INTEGER, number INTEGER);
    CREATE TABLE trophy (playerNumber INTEGER);
    INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
    INSERT INTO player VALUES (NULL, 1, 10, 1), (NULL, 1, 20, 2), ('Ann', 1, 30, 3), (NULL, 2, 40, 4), ('Bob', NULL, 50, 5);
    INSERT INTO trophy VALUES (1), (1), (2), (4)
    """

@Suite struct NullKeyTests {
    private let reds = Player.joining(required: Player.team.filter(Column("name") == "Reds"))

    private func scores(_ db: Database) throws -> [Int] {
        try Int.fetchAll(db, sql: "SELECT score FROM player ORDER BY number")
    }

    @Test func joinedRowsAreCounted() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            #expect(try reds.fetchCount(db) == 3)
            #expect(try !reds.isEmpty(db))
            let distinct = Player.select(Column("number")).distinct().joining(required: Player.trophies)
            #expect(try distinct.fetchCount(db) == 3)
        }
    }

    /// SQLite puts NULLs in the same group, so rows whose key may be NULL are grouped by rowid.
    @Test func groupsByPrimaryKey() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let groups = Player.all().groupByPrimaryKey()
            #expect(try groups.fetchCount(db) == 5)
            #expect(try Row.fetchAll(db, groups).count == 5)
            #expect(log.takeExpanded().last == #"SELECT * FROM "player" GROUP BY "rowid""#)
            #expect(try groups.having(max(Column("score")) < 50).deleteAll(db) == 4)
            #expect(try scores(db) == [50])
        }
        try inLoggedDatabase(schema) { db, _ throws in
            let some = CommonTableExpression<Player>(named: "player", literal: "SELECT name, score FROM main.player")
            #expect(try some.all().with(some).groupByPrimaryKey().fetchCount(db) == 3)
        }
        let other = """
            CREATE TABLE a (a, b, PRIMARY KEY (a, b)); INSERT INTO a VALUES (NULL, 1), (NULL, 1), (1, 1);
            CREATE TABLE b (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID; INSERT INTO b VALUES (1, 1), (1, 2);
            CREATE TABLE c (a NOT NULL, b NOT NULL, PRIMARY KEY (a, b)); INSERT INTO c VALUES (1, 1), (1, 2);
            CREATE TABLE d (id INTEGER PRIMARY KEY); INSERT INTO d VALUES (1), (2);
            CREATE TABLE e (rowid, oid, _rowid_, k TEXT PRIMARY KEY); INSERT INTO e VALUES (1, 1, 1, 'a');
            CREATE TABLE f (x); INSERT INTO f VALUES (1), (1);
            """
        try inLoggedDatabase(other) { db, log throws in
            let keys = [
                ("a", #""rowid""#, 3), ("b", #""a", "b""#, 2), ("c", #""a", "b""#, 2), ("d", #""id""#, 2),
                ("e", #""k""#, 1), ("f", #""rowid""#, 2),
            ]
            for (table, key, count) in keys {
                #expect(try Row.fetchAll(db, Table(table).all().groupByPrimaryKey()).count == count)
                #expect(log.takeExpanded().last == #"SELECT * FROM "\#(table)" GROUP BY \#(key)"#)
                #expect(try Table(table).all().groupByPrimaryKey().deleteAll(db) == count)
            }
        }
    }

    @Test func joinedRowsAreUpdatedAndDeleted() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            #expect(try reds.updateAll(db, Column("score") += 1) == 3)
            #expect(try scores(db) == [11, 21, 31, 40, 50])
            #expect(try reds.filter { $0.score > 11 }.deleteAll(db) == 2)
            #expect(try scores(db) == [11, 40, 50])
            #expect(try Player.joining(required: Player.trophies).order(\.score).limit(1).deleteAll(db) == 1)
            #expect(try scores(db) == [40, 50])
        }
    }

    @Test func associatedRowsAreCounted() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let withTrophies = Team.players.joining(required: Player.trophies)
            let counts = Team.select(Column("id")).annotated(with: withTrophies.count.forKey("n")).order(Column("id"))
            #expect(try Row.fetchAll(db, counts) == [["id": 1, "n": 2], ["id": 2, "n": 1]])
            let sums = Team.select(Column("id")).annotated(with: withTrophies.sum(Column("score")).forKey("n"))
                .order(Column("id"))
            #expect(try Row.fetchAll(db, sums) == [["id": 1, "n": 30], ["id": 2, "n": 40]])
            let having = Team.having(withTrophies.isEmpty == false)
            #expect(try having.fetchCount(db) == 2)
            let trophies = Team.select(Column("id")).annotated(with: Team.trophies.count.forKey("n")).order(
                Column("id"))
            #expect(try Row.fetchAll(db, trophies) == [["id": 1, "n": 3], ["id": 2, "n": 1]])
        }
    }

    @Test func theFirstPrefetchedRowsMayHaveNoKey() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let some = Team.including(all: Team.players.order(Column("score").desc).limit(2)).order(Column("id"))
            #expect(
                try Row.fetchAll(db, some).map { $0.prefetchedRows["players"]?.map { $0["score"] as Int } }
                    == [[30, 20], [40]])
        }
    }
}
