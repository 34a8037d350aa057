// Derived tables and common tables of a record type: they keep its key and its associations.

import Rowan
import Testing

struct DerivedTableTests {
    private struct Team: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let players = hasMany(Player.self)
        static let city = belongsTo(City.self)
        var id: Int
        var cityId: Int?
        var name: String
    }
    private struct City: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int
        var name: String
    }
    private struct Player: Codable, FetchableRecord, PersistableRecord, Equatable, Identifiable {
        static let team = belongsTo(Team.self)
        static let city = hasOne(City.self, through: team, using: Team.city)
        enum Columns {
            static let id = Column("id")
            static let teamId = Column("teamId")
            static let score = Column("score")
        }
        var id: Int
        var teamId: Int?
        var score: Int
    }
    private struct PlayerInfo: Decodable, FetchableRecord, Equatable {
        var player: Player
        var team: Team?
    }
    private struct TeamInfo: Decodable, FetchableRecord, Equatable {
        var team: Team
        var players: [Player]
    }

    private func withPlayers(_ body: (Database, _ log: () -> [String]) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE team(id INTEGER PRIMARY KEY, cityId INTEGER REFERENCES city, name TEXT);
                    CREATE TABLE player(id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, score INTEGER);
                    INSERT INTO city VALUES (7, 'Rome');
                    INSERT INTO team VALUES (1, 7, 'Reds'), (2, NULL, 'Blues');
                    INSERT INTO player VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, NULL, 5);
                    """)
            _ = try Player.including(optional: Player.city).including(optional: Player.team).fetchAll(db)
            var statements: [String] = []
            db.trace { statements.append($0.expandedDescription) }
            try body(db) {
                defer { statements = [] }
                return statements
            }
        }
    }

    private var best: QueryInterfaceRequest<Player> {
        Player.order(\.score.desc).limit(3).asDerivedTable(named: "best")
    }

    @Test func keys() throws {
        try withPlayers { db, log throws in
            #expect(try best.filter(key: 2).fetchOne(db)?.score == 20)
            #expect(try best.filter(key: 4).fetchOne(db) == nil)
            #expect(try best.filter(ids: [1, 3, 4]).orderByPrimaryKey().fetchAll(db).map(\.id) == [1, 3])
            #expect(try best.selectPrimaryKey(as: Int.self).fetchSet(db) == [1, 2, 3])
            #expect(try best.filter(key: ["id": 3]).fetchCount(db) == 1)
            #expect(try best.withStableOrder().fetchAll(db).map(\.id) == [1, 2, 3])
            let query = #"(SELECT * FROM "player" ORDER BY "score" DESC LIMIT 3) AS "best""#
            #expect(log()[0] == #"SELECT * FROM \#(query) WHERE "id" = 2 LIMIT 1"#)
        }
    }

    @Test func associations() throws {
        try withPlayers { db, log throws in
            let infos = try best.including(optional: Player.team).order(\.id)
                .asRequest(of: Row.self).fetchAll(db)
            #expect(infos.map { $0["id"] as Int } == [1, 2, 3])
            #expect(infos.map { $0.scopes["team"]?["name"] as String? } == ["Reds", "Reds", "Blues"])
            #expect(
                log() == [
                    #"SELECT "best".*, "team".* FROM (SELECT * FROM "player" ORDER BY "score" DESC LIMIT 3) AS "best" "#
                        + #"LEFT JOIN "team" ON "team"."id" = "best"."teamId" ORDER BY "best"."id""#
                ])
            #expect(try best.joining(required: Player.team.filter(Column("name") == "Reds")).fetchCount(db) == 2)
            let cities = try best.annotated(withRequired: Player.city.select(Column("name").forKey("city")))
                .order(\.id).asRequest(of: Row.self).fetchAll(db)
            #expect(cities.map { $0["city"] as String } == ["Rome", "Rome"])
        }
    }

    @Test func prefetchedRowsAndAggregates() throws {
        try withPlayers { db, _ throws in
            let teams = Team.filter(Column("name") != "Greens").asDerivedTable(named: "some")
            let infos = try teams.including(all: Team.players.order(\.id)).order(Column("id"))
                .asRequest(of: Row.self).fetchAll(db)
            #expect(infos.map { $0["name"] as String } == ["Reds", "Blues"])
            #expect(infos.map { $0.prefetchedRows["players"]?.map { $0["id"] as Int } } == [[1, 2], [3]])
            let counted = try teams.annotated(with: Team.players.count, Team.players.max(Column("score")))
                .order(Column("id")).asRequest(of: Row.self).fetchAll(db)
            #expect(counted.map { [$0["playerCount"] as Int, $0["maxPlayerScore"] as Int] } == [[2, 20], [1, 30]])
            #expect(try teams.having(Team.players.count > 1).fetchAll(db).map(\.name) == ["Reds"])
            #expect(try teams.having(Team.players.isEmpty).fetchCount(db) == 0)
        }
    }

    @Test func compounds() throws {
        try withPlayers { db, _ throws in
            let some = Player.filter { $0.score > 25 }.union(Player.filter { $0.score < 8 }).asDerivedTable(
                named: "some")
            #expect(try some.including(required: Player.team).fetchAll(db).map(\.id) == [3])
            #expect(try some.filter(id: 4).fetchCount(db) == 1)
            #expect(try some.filter { $0.score > 6 }.fetchCount(db) == 1)
        }
    }

    @Test func commonTables() throws {
        try withPlayers { db, log throws in
            let table = CommonTableExpression<Player>(named: "best", request: Player.order(\.score.desc).limit(2))
            let request = table.all().with(table)
            #expect(try request.including(required: Player.team).order(\.id).fetchAll(db).map(\.id) == [2, 3])
            #expect(try request.filter(id: 3).fetchOne(db)?.score == 30)
            #expect(try request.filter { $0.score > 20 }.fetchCount(db) == 1)
            #expect(log().last?.hasSuffix(#"SELECT COUNT(*) FROM "best" WHERE "score" > 20"#) == true)
        }
    }

    /// A derived table may repeat a key, but pages and groups of rows need a unique one.
    @Test func repeatedKeys() throws {
        try withPlayers { db, _ throws in
            let twice = Player.all().unionAll(Player.all()).asDerivedTable(named: "twice")
            #expect(try twice.filter(key: 1).fetchCount(db) == 2)
            #expect(try twice.filter(key: 1).fetchAll(db).count == 2)
            #expect(try twice.withStableOrder().fetchAll(db).map(\.id) == [1, 1, 2, 2, 3, 3, 4, 4])
            #expect(throws: RequestError.self) { try twice.order(Column("score")).page(size: 2).fetch(db) }
            let teams = Team.all().unionAll(Team.all()).asDerivedTable(named: "teams")
            let counted = try teams.annotated(with: Team.players.count).order(Column("id"))
                .asRequest(of: Row.self).fetchAll(db)
            #expect(counted.map { $0["playerCount"] as Int } == [2, 2, 1, 1])
        }
    }

    /// A table's hidden rowid is not among a query's columns.
    @Test func hiddenKeys() throws {
        struct Item: Codable, FetchableRecord, PersistableRecord { var name: String }
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE item(name TEXT); INSERT INTO item VALUES ('b'), ('a')")
            let items = Item.all().asDerivedTable(named: "items")
            #expect(throws: RequestError.self) { try items.filter(key: 1).fetchAll(db) }
            #expect(try items.withStableOrder().fetchAll(db).map(\.name) == ["a", "b"])
        }
    }

    /// A column that the request does not select.
    @Test func missingColumns() throws {
        try withPlayers { db, _ throws in
            let ids = Player.select(\.id).asDerivedTable(named: "ids")
            expectError(.SQLITE_ERROR, "no such column: ids.teamId") {
                try ids.including(required: Player.team).fetchAll(db)
            }
        }
    }

    // MARK: Selections of joined requests

    @Test func aSelectionReplacesThoseOfAllJoinedRequests() throws {
        try withPlayers { db, log throws in
            let joined = Player.all().join(Team.all()) { player, team in player["teamId"] == team["id"] }
            let names = joined.select({ _, team in [team["name"]] }, as: String.self).distinct()
            #expect(try names.fetchSet(db) == ["Reds", "Blues"])
            #expect(try names.fetchCount(db) == 2)
            #expect(try names.fetchAll(db).count == 2)
            #expect(
                log()[0]
                    == #"SELECT DISTINCT "team"."name" FROM "player" JOIN "team" ON "player"."teamId" = "team"."id""#)
            let plain = joined.asRequest(of: Row.self).select(Column("score"))
            #expect(try plain.fetchAll(db).map { Array($0.columnNames) } == Array(repeating: ["score"], count: 3))
            // Compounds ordered by the selected name.
            let compound = names.union(City.select(Column("name"), as: String.self)).order(Column("name").desc)
            #expect(try compound.fetchAll(db) == ["Rome", "Reds", "Blues"])
            let reversed = City.select(Column("name"), as: String.self).union(names).order(Column("name"))
            #expect(try reversed.fetchAll(db) == ["Blues", "Reds", "Rome"])
        }
    }

    /// The columns of included associations are kept, as documented.
    @Test func aSelectionKeepsIncludedAssociations() throws {
        try withPlayers { db, log throws in
            _ = try Player.including(required: Player.team).select(\.id).asRequest(of: Row.self).fetchAll(db)
            #expect(
                log() == [
                    #"SELECT "player"."id", "team".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId""#
                ])
        }
    }

    @Test func recursiveTablesOfJoins() throws {
        try withPlayers { db, _ throws in
            try db.execute(
                sql: """
                    CREATE TABLE node(id INTEGER PRIMARY KEY, parentId INTEGER);
                    INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2), (4, NULL);
                    """)
            let node = Table("node")
            let tree = CommonTableExpression<Row>(
                recursive: true, named: "tree", columns: ["id"],
                request: node.filter(Column("id") == 1).select(Column("id"), as: Row.self)
                    .unionAll(
                        node.all().join(Table("tree").all()) { node, tree in node["parentId"] == tree["id"] }
                            .select({ node, _ in [node["id"]] }, as: Row.self)))
            let ids = try tree.all().with(tree).asRequest(of: Int.self).fetchAll(db)
            #expect(ids == [1, 2, 3])
        }
    }

    // MARK: Tuples

    @Test func tuples() throws {
        try withPlayers { db, _ throws in
            let request = Player.select({ [$0.teamId, max($0.score)] }, as: (Int?, Int).self)
                .group(Column("teamId")).order(Column("teamId"))
            let all: [(Int?, Int)] = try request.fetchAll(db)
            #expect(all.map(\.0) == [nil, 1, 2] && all.map(\.1) == [5, 20, 30])
            let first = try #require(try request.fetchOne(db))
            #expect(first == (nil, 5))
            let cursor = try request.fetchCursor(db)
            #expect(try cursor.next()?.1 == 5)
            #expect(try cursor.next()?.0 == 1)
            let triple = try Player.select({ [$0.id, $0.score, $0.id + 0.5] }, as: (Int, String, Double).self)
                .filter(key: 3).fetchOne(db)
            #expect(triple?.0 == 3 && triple?.1 == "30" && triple?.2 == 3.5)
            let joined = try Player.all().join(Team.all()) { player, team in player["teamId"] == team["id"] }
                .select({ player, team in [team["name"], player["id"]] }, as: (String, Int).self)
                .filter(key: 3).fetchAll(db)
            #expect(joined.count == 1 && joined[0] == ("Blues", 3))
            #expect(try Player.filter(key: 99).select({ [$0.id, $0.score] }, as: (Int, Int).self).fetchOne(db) == nil)
            // NULL for a non-optional value and missing columns are errors.
            expectDecodingError { try request.asRequest(of: (Int, Int).self).fetchAll(db) }
            expectDecodingError { try request.asRequest(of: (Int?, Int, Int).self).fetchAll(db) }
        }
    }

    private func expectDecodingError<T>(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
    ) {
        do {
            _ = try body()
            Issue.record("no error", sourceLocation: sourceLocation)
        } catch {
            #expect(error is RowDecodingError, sourceLocation: sourceLocation)
        }
    }

    // MARK: Functions that return rows

    @Test func tableFunctionsAreRequests() throws {
        try withPlayers { db, log throws in
            let numbers = try TableFunction.jsonEach(#"[1, "a", 3]"#).filter { $0.type == "integer" }
                .select({ $0.value }, as: Int.self).fetchAll(db)
            #expect(numbers == [1, 3])
            let sorted = try TableFunction.jsonEach("[3, 1, 2]").order(\.value).fetchAll(db)
            #expect(sorted.map(\.value) == [1.databaseValue, 2.databaseValue, 3.databaseValue])
            #expect(sorted.map(\.key) == [1.databaseValue, 2.databaseValue, 0.databaseValue])
            #expect(sorted.map(\.fullkey) == ["$[1]", "$[2]", "$[0]"])
            let keys = try TableFunction("json_each", #"{"a": 1}"#).select(Column("key"), as: String.self).fetchAll(db)
            #expect(keys == ["a"])
            #expect(try TableFunction.jsonTree(#"{"a": [1, 2]}"#).fetchCount(db) == 4)
            #expect(try TableFunction("json_each", "[1]").fetchOne(db)?["value"] as Int? == 1)
            #expect(
                log().prefix(2) == [
                    #"SELECT "value" FROM json_each('[1, "a", 3]') WHERE "type" = 'integer'"#,
                    #"SELECT * FROM json_each('[3, 1, 2]') ORDER BY "value""#,
                ])
        }
    }
}
