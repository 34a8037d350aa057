import Rowan
import Testing

private struct Player: Codable, Hashable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var name: String
    var team: String?
    var score: Int

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let team = Column(CodingKeys.team)
        static let score = Column(CodingKeys.score)
    }
}

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, team TEXT, score INTEGER);
    INSERT INTO player VALUES (1, 'Arthur', 'Reds', 100), (2, 'Barbara', 'Blues', 1000), (3, 'Craig', 'Reds', 500),
        (4, 'David', NULL, 0)
    """

/// The SQL, the arguments, and the fetched ids of a request.
private func check(
    _ request: QueryInterfaceRequest<Player>, _ sql: String, _ arguments: StatementArguments = [], ids: [Int64]? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try inLoggedDatabase(schema) { db, _ throws in
        let text = try statementText(db, request)
        #expect(text.sql == sql, sourceLocation: sourceLocation)
        #expect(text.arguments == arguments, sourceLocation: sourceLocation)
        if let ids { #expect(try request.fetchAll(db).map(\.id) == ids, sourceLocation: sourceLocation) }
    }
}

struct QueryRequestTests {
    @Test func allAndNone() throws {
        try check(Player.all(), #"SELECT * FROM "player""#, ids: [1, 2, 3, 4])
        try check(Player.none(), #"SELECT * FROM "player" WHERE ?"#, [0], ids: [])
        try check(Player.all().none().all(), #"SELECT * FROM "player" WHERE ?"#, [0], ids: [])
    }

    @Test func filters() throws {
        let sql = #"SELECT * FROM "player" WHERE "score" >= ?"#
        try check(Player.filter { $0.score >= 500 }, sql, [500], ids: [2, 3])
        try check(Player.filter(Column("score") >= 500), sql, [500], ids: [2, 3])
        try check(Player.filter(Player.Columns.score >= 500), sql, [500], ids: [2, 3])
        try check(
            Player.filter(sql: "score >= ?", arguments: [500]), #"SELECT * FROM "player" WHERE score >= ?"#, [500],
            ids: [2, 3])
        try check(
            Player.filter(sql: "score >= :n", arguments: ["n": 500]), #"SELECT * FROM "player" WHERE score >= :n"#,
            ["n": 500], ids: [2, 3])
        try check(
            Player.filter(literal: "score >= \(500)"), #"SELECT * FROM "player" WHERE score >= ?"#, [500], ids: [2, 3])
        try check(
            Player.filter { $0.team == "Reds" }.filter { $0.score > 100 }.filter(sql: "name <> 'x' OR 0"),
            #"SELECT * FROM "player" WHERE ("team" = ?) AND ("score" > ?) AND (name <> 'x' OR 0)"#, ["Reds", 100],
            ids: [3])
        try check(Player.filter { $0.team == nil }, #"SELECT * FROM "player" WHERE "team" IS NULL"#, ids: [4])
    }

    @Test func orders() throws {
        try check(Player.order(\.score.desc), #"SELECT * FROM "player" ORDER BY "score" DESC"#, ids: [2, 3, 1, 4])
        try check(Player.order { $0.score }, #"SELECT * FROM "player" ORDER BY "score""#, ids: [4, 1, 3, 2])
        try check(
            Player.order { [$0.team.ascNullsLast, $0.score.desc] },
            #"SELECT * FROM "player" ORDER BY "team" ASC NULLS LAST, "score" DESC"#, ids: [2, 3, 1, 4])
        try check(
            Player.order(Column("team").descNullsFirst, Column("name").asc),
            #"SELECT * FROM "player" ORDER BY "team" DESC NULLS FIRST, "name" ASC"#, ids: [4, 1, 3, 2])
        try check(Player.order([Column("id").desc]), #"SELECT * FROM "player" ORDER BY "id" DESC"#, ids: [4, 3, 2, 1])
        try check(
            Player.order(sql: "score * ?", arguments: [-1]), #"SELECT * FROM "player" ORDER BY score * ?"#, [-1],
            ids: [2, 3, 1, 4])
        try check(Player.order(literal: "score * \(-1)"), #"SELECT * FROM "player" ORDER BY score * ?"#, [-1])
        try check(Player.order(\.name).order(\.score), #"SELECT * FROM "player" ORDER BY "score""#)
        try check(Player.order(\.name).unordered(), #"SELECT * FROM "player""#)
        try check(
            Player.order { $0.name.collating(.nocase).desc },
            #"SELECT * FROM "player" ORDER BY "name" COLLATE NOCASE DESC"#)
        try check(Player.orderByPrimaryKey(), #"SELECT * FROM "player" ORDER BY "id""#)
    }

    @Test func reversedOrders() throws {
        try check(
            Player.order(\.score).reversed(), #"SELECT * FROM "player" ORDER BY "score" DESC"#, ids: [2, 3, 1, 4])
        try check(
            Player.order { [$0.team.ascNullsLast, $0.name.desc, $0.id.asc, $0.score.descNullsFirst] }.reversed(),
            #"SELECT * FROM "player" ORDER BY "team" DESC NULLS FIRST, "name" ASC, "id" DESC, "score" ASC NULLS LAST"#)
        try check(Player.order(\.score).reversed().reversed(), #"SELECT * FROM "player" ORDER BY "score""#)
        try check(Player.order(\.score).reversed().order(\.name), #"SELECT * FROM "player" ORDER BY "name""#)
        try check(Player.all().reversed(), #"SELECT * FROM "player""#)
        try check(Player.order(\.name).orderByPrimaryKey().reversed(), #"SELECT * FROM "player" ORDER BY "id" DESC"#)
    }

    /// Leaving such an order unchanged would return the wrong rows.
    @Test func ordersInSQLAreNotReversed() throws {
        let team = Player.hasMany(Player.self, using: ForeignKey(["id"], to: ["id"]))
        try inLoggedDatabase(schema) { db, log throws in
            let requests: [QueryInterfaceRequest<Player>] = [
                Player.order(sql: "score").reversed(),
                Player.order(literal: "score").reversed(),
                Player.order(Column("name"), SQL("score")).reversed(),
                Player.all().orderWhenConnected { _ in [Column("name"), SQL("score")] }.reversed(),
                Player.order(sql: "score").withStableOrder().reversed(),
                Player.joining(optional: team.order(sql: "score")).reversed(),
                Player.including(optional: team.last(by: [SQL("score")])),
                Player.filter { _ in Player.order(sql: "score").reversed().select(\.id).contains(Column("id")) },
            ]
            _ = log.take()
            for request in requests {
                let error = #expect(throws: RequestError.self) { try Row.fetchAll(db, request) }
                #expect(
                    error?.description
                        == "an order in SQL can't be reversed: write the reverse order, or order by columns and "
                        + "expressions")
            }
            #expect(!log.take().contains { $0.contains("ORDER BY") })
            let ids = try Player.order(sql: "score DESC").reversed().reversed().fetchAll(db).map(\.id)
            #expect(ids == [2, 3, 1, 4])
            try #expect(Player.order(SQL("score").desc).reversed().fetchAll(db).map(\.id) == [4, 1, 3, 2])
        }
    }

    @Test func stableOrders() throws {
        try check(
            Player.order(\.team).withStableOrder(), #"SELECT * FROM "player" ORDER BY "team", "id""#, ids: [4, 2, 1, 3])
        try check(Player.all().withStableOrder(), #"SELECT * FROM "player" ORDER BY "id""#)
        try inLoggedDatabase("CREATE TABLE pair (a, b, PRIMARY KEY (b, a)); CREATE TABLE bare (a)") { db, _ throws in
            let pairs = Table("pair").all().order(Column("a").desc).withStableOrder()
            #expect(try statementText(db, pairs).sql == #"SELECT * FROM "pair" ORDER BY "a" DESC, "b", "a""#)
            let bare = Table("bare").all().withStableOrder()
            #expect(try statementText(db, bare).sql == #"SELECT * FROM "bare" ORDER BY "rowid""#)
        }
    }

    @Test func limits() throws {
        try check(Player.limit(2), #"SELECT * FROM "player" LIMIT 2"#, ids: [1, 2])
        try check(Player.limit(2, offset: 1), #"SELECT * FROM "player" LIMIT 2 OFFSET 1"#, ids: [2, 3])
        try check(Player.limit(2).limit(3), #"SELECT * FROM "player" LIMIT 3"#)
        for number in [0, 1, 9, 10, 19, 99, 100, 999, 1_000, 1_001, 9_999, 10_000, 123_456, Int.max, -1, -25] {
            try check(
                Player.limit(number, offset: number), #"SELECT * FROM "player" LIMIT \#(number) OFFSET \#(number)"#)
        }
        try inLoggedDatabase(schema) { db, _ throws in
            #expect(
                try statementText(db, Player.limit(5), forSingleResult: true).sql == #"SELECT * FROM "player" LIMIT 5"#)
            #expect(
                try statementText(db, Player.all(), forSingleResult: true).sql == #"SELECT * FROM "player" LIMIT 1"#)
            let byKey = try statementText(db, Player.filter(key: 1), forSingleResult: true).sql
            #expect(byKey == #"SELECT * FROM "player" WHERE "id" = ?"#)
        }
    }

    @Test func selections() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.select(\.name, as: String.self).fetchAll(db).first == "Arthur")
            #expect(try Player.select({ max($0.score) }, as: Int.self).fetchOne(db) == 1000)
            let row = try Player.select({ [min($0.score), max($0.score)] }, as: Row.self).fetchOne(db)
            #expect(row.map { Array($0.databaseValues) } == [0.databaseValue, 1000.databaseValue])
            #expect(try Player.select(Column("id"), as: Int64.self).fetchSet(db) == [1, 2, 3, 4])
            #expect(try Player.select([Column("id")], as: Int64.self).fetchAll(db).count == 4)
            #expect(try Player.select(sql: "id + ?", arguments: [10], as: Int.self).fetchOne(db) == 11)
            #expect(try Player.select(literal: "id + \(10)", as: Int.self).fetchOne(db) == 11)
            #expect(try Player.selectPrimaryKey(as: Int64.self).fetchAll(db) == [1, 2, 3, 4])
            #expect(try Player.selectID().fetchAll(db) == [1, 2, 3, 4])
            #expect(try Player.select { [$0.id, $0.name, $0.team, $0.score] }.fetchOne(db)?.name == "Arthur")
            #expect(try Player.filter { $0.id == 1 }.select(\.name).asRequest(of: String.self).fetchOne(db) == "Arthur")
            #expect(
                log.take() == [
                    #"SELECT "name" FROM "player""#, #"SELECT MAX("score") FROM "player""#,
                    #"SELECT MIN("score"), MAX("score") FROM "player""#, #"SELECT "id" FROM "player""#,
                    #"SELECT "id" FROM "player""#, #"SELECT id + ? FROM "player" LIMIT 1"#,
                    #"SELECT id + ? FROM "player" LIMIT 1"#, #"SELECT "id" FROM "player""#,
                    #"SELECT "id" FROM "player""#,
                    #"SELECT "id", "name", "team", "score" FROM "player" LIMIT 1"#,
                    #"SELECT "name" FROM "player" WHERE "id" = ?"#,
                ])
        }
    }

    @Test func annotations() throws {
        try check(
            Player.annotated(with: (Column("score") * 2).forKey("double")),
            #"SELECT *, "score" * ? AS "double" FROM "player""#, [2])
        try check(
            Player.select(\.id).annotated { [$0.name, $0.score] }, #"SELECT "id", "name", "score" FROM "player""#)
        try check(Player.annotated { $0.score + 1 }, #"SELECT *, "score" + ? FROM "player""#, [1])
    }

    @Test func groupsAndDistinct() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let best = try Player.all().group(\.team).having { max($0.score) >= 500 }
                .select({ [$0.team, max($0.score).forKey("best")] }, as: Row.self).order(Column("team")).fetchAll(db)
            #expect(best == [["team": "Blues", "best": 1000], ["team": "Reds", "best": 500]])
            #expect(
                log.take() == [
                    """
                    SELECT "team", MAX("score") AS "best" FROM "player" GROUP BY "team" HAVING MAX("score") >= ? ORDER BY "team"
                    """
                ])
            let teams = Player.select(\.team, as: String?.self).distinct()
            #expect(try teams.fetchCount(db) == 3)
            #expect(try Set(teams.fetchAll(db)) == ["Reds", "Blues", nil])
        }
        try check(Player.all().distinct(), #"SELECT DISTINCT * FROM "player""#, ids: [1, 2, 3, 4])
        try check(
            Player.all().group(sql: "score % ?", arguments: [2]).having(sql: "COUNT(*) > ?", arguments: [9]),
            #"SELECT * FROM "player" GROUP BY score % ? HAVING COUNT(*) > ?"#, [2, 9], ids: [])
        try check(
            Player.all().group(literal: "score % \(2)").having(literal: "COUNT(*) > \(9)").having(
                count(Column("id")) > 1),
            #"SELECT * FROM "player" GROUP BY score % ? HAVING (COUNT(*) > ?) AND (COUNT("id") > ?)"#, [2, 9, 1])
        try check(Player.all().group { [$0.team, $0.name] }, #"SELECT * FROM "player" GROUP BY "team", "name""#)
        try check(Player.all().groupByPrimaryKey(), #"SELECT * FROM "player" GROUP BY "id""#)
    }

    @Test func clausesThatWaitForAConnection() throws {
        try check(
            Player.all().filterWhenConnected { _ in Column("score") > 1 }, #"SELECT * FROM "player" WHERE "score" > ?"#,
            [1])
        try check(
            Player.all().orderWhenConnected { db in try db.primaryKey("player").columns.map { Column($0).desc } },
            #"SELECT * FROM "player" ORDER BY "id" DESC"#, ids: [4, 3, 2, 1])
        try check(
            Player.all().selectWhenConnected { db in try db.columns(in: "player").map { Column($0.name) } },
            #"SELECT "id", "name", "team", "score" FROM "player""#, ids: [1, 2, 3, 4])
        try check(
            Player.all().groupWhenConnected { _ in [Column("team")] }.havingWhenConnected { _ in count(Column("id")) > 1
            },
            #"SELECT * FROM "player" GROUP BY "team" HAVING COUNT("id") > ?"#, [1])
        try check(Player.all().annotatedWhenConnected { _ in [Column("rowid")] }, #"SELECT *, "rowid" FROM "player""#)
        try inLoggedDatabase(schema) { db, _ throws in
            let request = Player.all().filterWhenConnected { _ in throw CallbackFailure("connected") }
            #expect(throws: CallbackFailure("connected")) { try request.fetchAll(db) }
            #expect(throws: CallbackFailure("connected")) { try request.fetchCount(db) }
            #expect(throws: CallbackFailure("connected")) { try request.deleteAll(db) }
        }
    }

    /// A request by a unique key needs no limit.
    @Test func singleRows() throws {
        let schema = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, team TEXT, score INTEGER);
            CREATE UNIQUE INDEX team_score ON player(team, score);
            CREATE UNIQUE INDEX score ON player(score) WHERE team IS NULL;
            INSERT INTO player VALUES (1, 'Arthur', 'Reds', 100), (2, 'Barbara', NULL, 1), (3, 'Craig', NULL, 2)
            """
        try inLoggedDatabase(schema) { db, log throws in
            func sql(_ request: QueryInterfaceRequest<Player>, _ id: Int64?) throws -> String? {
                #expect(try request.fetchOne(db)?.id == id)
                return log.takeExpanded().last?.replacing(#"SELECT * FROM "player" WHERE "#, with: "")
            }
            _ = log.take()
            #expect(try sql(Player.filter { $0.id == 2 }, 2) == #""id" = 2"#)
            #expect(try sql(Player.filter(3 == Column("ID")), 3) == #"3 = "ID""#)
            #expect(try sql(Player.filter { $0.name == "Craig" }.order(\.id), 3) == #""name" = 'Craig' ORDER BY "id""#)
            #expect(
                try sql(Player.filter { $0.score == 100 && $0.team == "Reds" && $0.id > 0 }, 1)
                    == #"("score" = 100) AND ("team" = 'Reds') AND ("id" > 0)"#)
            #expect(try sql(Player.filter(Column.rowID == 4), nil) == #""rowid" = 4"#)
            // These values don't identify a single row.
            #expect(try sql(Player.filter { $0.team == nil }, 2) == #""team" IS NULL LIMIT 1"#)
            #expect(try sql(Player.filter { $0.team == "Reds" }, 1) == #""team" = 'Reds' LIMIT 1"#)
            #expect(try sql(Player.filter { $0.score == 2 }, 3) == #""score" = 2 LIMIT 1"#)
            #expect(try sql(Player.filter { $0.id != 1 }, 2) == #""id" <> 1 LIMIT 1"#)
            #expect(
                try sql(Player.filter { $0.id == 3 || $0.score == 100 }, 1)
                    == #"("id" = 3) OR ("score" = 100) LIMIT 1"#)
            #expect(try sql(Player.filter { $0.id == $0.score }, nil) == #""id" = "score" LIMIT 1"#)
            #expect(try sql(Player.filter(sql: "id = 3"), 3) == "id = 3 LIMIT 1")
            try db.execute(sql: "DROP INDEX team_score")
            _ = log.take()
            #expect(
                try sql(Player.filter { $0.score == 100 && $0.team == "Reds" }, 1)
                    == #"("score" = 100) AND ("team" = 'Reds') LIMIT 1"#)
        }
    }

    @Test func keysWithoutFetching() throws {
        try check(Player.filter(key: 1), #"SELECT * FROM "player" WHERE "id" = ?"#, [1], ids: [1])
        try check(Player.filter(id: 1), #"SELECT * FROM "player" WHERE "id" = ?"#, [1], ids: [1])
        try check(Player.filter(keys: [1, 2]), #"SELECT * FROM "player" WHERE "id" IN (?, ?)"#, [1, 2], ids: [1, 2])
        try check(Player.filter(ids: []), #"SELECT * FROM "player" WHERE ?"#, [0], ids: [])
        try check(Player.filter(key: nil as Int?), #"SELECT * FROM "player" WHERE ?"#, [0], ids: [])
        try check(
            Player.filter { $0.score > 1 }.filter(key: ["id": 2]),
            #"SELECT * FROM "player" WHERE ("score" > ?) AND ("id" = ?)"#, [1, 2], ids: [2])
    }
}
