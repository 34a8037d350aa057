import Rowan
import Testing

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, team TEXT, score INTEGER NOT NULL);
    INSERT INTO player VALUES (1, 'Reds', 10), (2, 'Reds', 20), (3, 'Blues', 10), (4, NULL, 30)
    """

struct CountTests {
    private let players = Table("player").all()

    private func check<T>(
        _ request: QueryInterfaceRequest<T>, _ sql: String, _ count: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try request.fetchCount(db) == count, sourceLocation: sourceLocation)
            #expect(log.take() == [sql], sourceLocation: sourceLocation)
        }
    }

    @Test func plainRequests() throws {
        try check(players, #"SELECT COUNT(*) FROM "player""#, 4)
        try check(players.filter(Column("score") > 10), #"SELECT COUNT(*) FROM "player" WHERE "score" > ?"#, 2)
        try check(players.order(Column("score")).withStableOrder(), #"SELECT COUNT(*) FROM "player""#, 4)
        try check(players.select(Column("id"), Column("team")), #"SELECT COUNT(*) FROM "player""#, 4)
        try check(players.select(.allColumns(excluding: ["id"])), #"SELECT COUNT(*) FROM "player""#, 4)
    }

    @Test func distinctRequests() throws {
        try check(players.select(Column("score")).distinct(), #"SELECT COUNT(DISTINCT "score") FROM "player""#, 3)
        // NULL is also a row, but COUNT(DISTINCT) does not count it.
        try check(
            players.select(Column("team")).distinct(),
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "team" FROM "player")"#, 3)
        try check(
            players.select(Column("team"), Column("score")).distinct(),
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "team", "score" FROM "player")"#, 4)
        try check(players.distinct(), #"SELECT COUNT(*) FROM (SELECT DISTINCT * FROM "player")"#, 4)
    }

    @Test func requestsThatNeedASubquery() throws {
        try check(players.limit(3), #"SELECT COUNT(*) FROM (SELECT * FROM "player" LIMIT 3)"#, 3)
        try check(players.limit(9, offset: 3), #"SELECT COUNT(*) FROM (SELECT * FROM "player" LIMIT 9 OFFSET 3)"#, 1)
        try check(
            players.group(Column("team")), #"SELECT COUNT(*) FROM (SELECT * FROM "player" GROUP BY "team")"#, 3)
        try check(players.select(max(Column("score"))), #"SELECT COUNT(*) FROM (SELECT MAX("score") FROM "player")"#, 1)
        try check(
            players.select(literal: "MAX(score)"), #"SELECT COUNT(*) FROM (SELECT MAX(score) FROM "player")"#, 1)
        try check(
            players.groupByPrimaryKey(), #"SELECT COUNT(*) FROM (SELECT * FROM "player" GROUP BY "id")"#, 4)
    }

    @Test func isEmpty() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try !players.isEmpty(db))
            #expect(try players.filter(Column("score") > 99).isEmpty(db))
            #expect(try players.limit(0).isEmpty(db))
            #expect(
                log.take() == [
                    #"SELECT EXISTS (SELECT * FROM "player")"#,
                    #"SELECT EXISTS (SELECT * FROM "player" WHERE "score" > ?)"#,
                    #"SELECT EXISTS (SELECT * FROM "player" LIMIT 0)"#,
                ])
        }
    }

    @Test func otherRequests() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let request: SQLRequest<Row> = "SELECT * FROM player WHERE score = \(10)"
            #expect(try request.fetchCount(db) == 2)
            #expect(try AnyFetchRequest(players.limit(2)).fetchCount(db) == 2)
            #expect(try players.adapted { _ in EmptyRowAdapter() }.fetchCount(db) == 4)
        }
    }
}
