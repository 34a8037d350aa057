import Rowan
import Testing

private struct Team: Codable, Equatable, FetchableRecord, TableRecord {
    var id: Int64
    var name: String
    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
    }
}

private struct Player: Codable, Equatable, FetchableRecord, TableRecord {
    var id: Int64
    var name: String
    var teamId: Int64?
    var coachId: Int64?
    var score: Int
    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let teamId = Column(CodingKeys.teamId)
        static let coachId = Column(CodingKeys.coachId)
        static let score = Column(CodingKeys.score)
    }
}

private let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, teamId INTEGER, coachId INTEGER, score INTEGER);
    INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
    INSERT INTO player VALUES (1, 'Arthur', 1, NULL, 10), (2, 'Barbara', 1, 1, 30), (3, 'Craig', NULL, 1, 20)
    """

struct SubqueryTests {
    @Test func contains() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let ids = Player.select(\.teamId).filter { $0.teamId != nil }
            let teams = Team.filter { ids.contains($0.id) }
            #expect(
                try statementText(db, teams).sql == """
                    SELECT * FROM "team" WHERE "id" IN (SELECT "teamId" FROM "player" WHERE "teamId" IS NOT NULL)
                    """)
            #expect(try teams.fetchAll(db).map(\.name) == ["Reds"])
            #expect(try Team.filter { !ids.contains($0.id) }.fetchAll(db).map(\.name) == ["Blues"])
            let names: SQLRequest<String> = "SELECT name FROM team WHERE id = \(2)"
            #expect(try Team.filter { names.contains($0.name) }.fetchOne(db)?.id == 2)
        }
    }

    @Test func comparisonWithASubquery() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let best = Player.filter { $0.score == Player.select({ max($0.score) }) }
            #expect(
                try statementText(db, best).sql == """
                    SELECT * FROM "player" WHERE "score" = (SELECT MAX("score") FROM "player")
                    """)
            #expect(try best.fetchAll(db).map(\.name) == ["Barbara"])
            let count: SQLRequest<Int> = "SELECT COUNT(*) FROM player"
            #expect(try Player.select(count.sqlSubquery.forKey("n"), as: Int.self).fetchOne(db) == 3)
        }
    }

    @Test func exists() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let teamAlias = TableAlias<Team>()
            let player = Player.filter { $0.teamId == teamAlias.id }
            let teams = Team.aliased(teamAlias).filter(player.exists())
            #expect(
                try statementText(db, teams).sql == """
                    SELECT * FROM "team" WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")
                    """)
            #expect(try teams.fetchAll(db).map(\.name) == ["Reds"])
            let empty = Team.aliased(teamAlias).filter(!player.exists())
            #expect(try statementText(db, empty).sql.contains("NOT EXISTS"))
            #expect(try empty.fetchAll(db).map(\.name) == ["Blues"])
            #expect(try empty.fetchCount(db) == 1)
            #expect(try empty.deleteAll(db) == 1)
        }
    }

    @Test func oneTableTwice() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let coachAlias = TableAlias<Player>(name: "coach")
            let coached = Player.filter { $0.coachId == coachAlias.id }
            let coaches = Player.aliased(coachAlias).filter(coached.exists())
            #expect(
                try statementText(db, coaches).sql == """
                    SELECT "coach".* FROM "player" "coach" \
                    WHERE EXISTS (SELECT * FROM "player" WHERE "coachId" = "coach"."id")
                    """)
            #expect(try coaches.fetchAll(db).map(\.name) == ["Arthur"])
            let literal: SQLRequest<Player> = "SELECT * FROM player WHERE coachId = \(coachAlias.id)"
            #expect(try Player.aliased(coachAlias).filter(literal.exists()).fetchAll(db).map(\.name) == ["Arthur"])
            #expect(try Player.aliased(coachAlias).filter(coachAlias[Column("score")] == 10).fetchCount(db) == 1)
            #expect(try coaches.updateAll(db, Column("score") += 1) == 1)
            #expect(try coaches.deleteAll(db) == 1)
        }
    }

    @Test func commonTables() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let best = CommonTableExpression<Int64>(
                named: "best", request: Player.select(\.id).order(\.score.desc).limit(2))
            let request = Player.with(best).filter { best.contains($0.id) }.order(\.id)
            #expect(try request.fetchAll(db).map(\.name) == ["Barbara", "Craig"])
            #expect(
                log.take() == [
                    """
                    WITH "best" AS (SELECT "id" FROM "player" ORDER BY "score" DESC LIMIT 2) \
                    SELECT * FROM "player" WHERE "id" IN "best" ORDER BY "id"
                    """
                ])
            #expect(try request.fetchCount(db) == 2)
            #expect(try request.updateAll(db, Column("score").set(to: 0)) == 2)
            #expect(try Player.with(best).filter { best.contains($0.id) }.limit(1).deleteAll(db) == 1)
        }
    }

    @Test func recursiveCommonTables() throws {
        try inLoggedDatabase { db, log throws in
            let counter = CommonTableExpression<Row>(
                recursive: true, named: "counter", columns: ["x"],
                literal: "VALUES(\(1)) UNION ALL SELECT x + 1 FROM counter WHERE x < \(5)")
            let request = counter.all().with(counter).select(Column("x"), as: Int.self)
            #expect(try request.fetchAll(db) == [1, 2, 3, 4, 5])
            #expect(
                log.take() == [
                    """
                    WITH RECURSIVE "counter"("x") AS (VALUES(?) UNION ALL SELECT x + 1 FROM counter WHERE x < ?) \
                    SELECT "x" FROM "counter"
                    """
                ])
            #expect(counter.tableName == "counter")
            let sql = CommonTableExpression<Int>(named: "t", columns: ["a"], sql: "SELECT ?", arguments: [7])
            #expect(try sql.all().with(sql).fetchAll(db) == [7])
        }
    }

    @Test func sqlRequests() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let id = 2
            let request: SQLRequest<Player> = "SELECT * FROM player WHERE id = \(id)"
            #expect(try request.fetchOne(db)?.name == "Barbara")
            #expect(
                try SQLRequest<Player>(sql: "SELECT * FROM player WHERE id > ?", arguments: [1]).fetchAll(db).count == 2
            )
            #expect(try SQLRequest<Int>(sql: "SELECT score FROM player", cached: true).fetchSet(db) == [10, 20, 30])
            let adapted = SQLRequest<Row>(sql: "SELECT 1 AS a, 2 AS b", adapter: SuffixRowAdapter(fromIndex: 1))
            #expect(try adapted.fetchOne(db) == ["b": 2])
            let cursor = try request.fetchCursor(db)
            #expect(try cursor.next()?.id == 2)
            #expect(log.take().first == "SELECT * FROM player WHERE id = ?")
        }
    }

    @Test func adaptedRequests() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let request = Player.select(Column("id"), Column("name"), as: Row.self).filter(Column("id") == 1)
            let adapted = request.adapted { _ in ColumnMapping(["title": "name"]) }
            #expect(try adapted.fetchOne(db) == ["title": "Arthur"])
            let twice = adapted.adapted { _ in RenameColumnAdapter { $0 + "2" } }
            #expect(try twice.fetchAll(db) == [["title2": "Arthur"]])
            let scoped = request.adapted { _ in ScopeAdapter(["player": RangeRowAdapter(0..<1)]) }
            #expect(try scoped.fetchOne(db)?.scopes["player"] == ["id": 1])
            #expect(throws: DatabaseError.self) {
                try request.adapted { _ in ColumnMapping(["title": "nowhere"]) }.fetchOne(db)
            }
        }
    }

    @Test func requestsOfAnyKind() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let sql: SQLRequest<Player> = "SELECT * FROM player"
            for request in [
                AnyFetchRequest(Player.all()), AnyFetchRequest(sql),
                AnyFetchRequest(Player.all().adapted { _ in SuffixRowAdapter(fromIndex: 0) }),
            ] {
                #expect(try request.fetchAll(db).count == 3)
                #expect(try request.fetchOne(db)?.id == 1)
                #expect(try request.fetchCount(db) == 3)
                #expect(try request.asRequest(of: Row.self).fetchOne(db)?["name"] == "Arthur")
                #expect(try Team.filter(request.exists()).fetchCount(db) == 2)
            }
        }
    }
}
