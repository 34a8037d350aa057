// SQL literals: their interpolations, and the resulting text and arguments.

import Rowan
import Testing

private struct Player: Codable, Equatable, FetchableRecord, TableRecord {
    var id: Int64
    var name: String
    var score: Int?

    static func deleteAllWithoutScore(_ db: Database) throws {
        try db.execute(literal: "DELETE FROM \(self) WHERE \(CodingKeys.score) IS NULL")
    }
    static func named(id: Int64) -> SQLRequest<Player> {
        """
        SELECT \(columnsOf: self) FROM \(self) WHERE \(CodingKeys.id) = \(id)
        """
    }
    static func listed(ids: [Int64]) -> SQLRequest<Player> {
        "SELECT \(columnsOf: self) FROM \(self) WHERE \(CodingKeys.id) IN \(ids)"
    }
    static func maximumScore() -> SQLRequest<Int> {
        "SELECT MAX(\(CodingKeys.score)) FROM \(self)"
    }
    static func bestPlayers() -> SQLRequest<Player> {
        "SELECT \(columnsOf: self) FROM \(self) WHERE \(CodingKeys.score) = (\(maximumScore()))"
    }
}

private struct AltPlayer: TableRecord {
    static let databaseTableName = "player"
    static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name")] }
}

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    INSERT INTO player VALUES (1, 'Arthur', 100), (2, 'O''Brien', 200), (3, 'Craig', NULL)
    """

struct InterpolationTests {
    private func check(
        _ literal: SQL, _ sql: String, _ arguments: StatementArguments = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let built = try literal.build(db)
            #expect(built.sql == sql, sourceLocation: sourceLocation)
            #expect(built.arguments == arguments, sourceLocation: sourceLocation)
            #expect(throws: Never.self, sourceLocation: sourceLocation) {
                _ = try db.makeStatement(literal: literal)
            }
        }
    }

    @Test func tables() throws {
        try check("SELECT * FROM \(Player.self)", #"SELECT * FROM "player""#)
        let player = Player(id: 1, name: "", score: nil)
        try check("SELECT * FROM \(tableOf: player)", #"SELECT * FROM "player""#)
        let type: any TableRecord.Type = Player.self
        try check("SELECT * FROM \(type)", #"SELECT * FROM "player""#)
        let table = Table("player")
        try check("SELECT * FROM \(table)", #"SELECT * FROM "player""#)
        try check("SELECT * FROM \(identifier: "player")", #"SELECT * FROM "player""#)
    }

    @Test func columns() throws {
        try check("SELECT \(columnsOf: Player.self) FROM player", #"SELECT "player".* FROM player"#)
        try check("SELECT \(columnsOf: Player.self, tableAlias: "p") FROM player p", #"SELECT "p".* FROM player p"#)
        try check(
            "SELECT \(columnsOf: AltPlayer.self) FROM player", #"SELECT "player"."id", "player"."name" FROM player"#)
        try check("SELECT \(AllColumns()) FROM player", "SELECT * FROM player")
        try check("SELECT \(Column("name")) FROM player", #"SELECT "name" FROM player"#)
    }

    @Test func valuesAndExpressions() throws {
        let bonus = 100
        let name: String? = nil
        try check(
            "SELECT \(Column("score") + bonus) AS points FROM player", #"SELECT ("score" + ?) AS points FROM player"#,
            [100])
        try check("SELECT (score + \(bonus)) FROM player", "SELECT (score + ?) FROM player", [100])
        try check("SELECT \(name), \(true), \(1.5)", "SELECT NULL, ?, ?", [true, 1.5])
        let any: any SQLExpressible = "x"
        try check("SELECT \(any)", "SELECT ?", ["x"])
        try check("SELECT \(max(Column("id")).forKey("m")) FROM player", #"SELECT MAX("id") AS "m" FROM player"#)
    }

    @Test func sequences() throws {
        try check("SELECT 1 WHERE 1 IN \([1, 2, 3])", "SELECT 1 WHERE 1 IN (?,?,?)", [1, 2, 3])
        try check("SELECT 1 WHERE 1 NOT IN \([] as [Int])", "SELECT 1 WHERE 1 NOT IN (SELECT NULL WHERE NULL)")
        try check("SELECT 1 WHERE 1 IN \([1, "x"] as [any SQLExpressible])", "SELECT 1 WHERE 1 IN (?,?)", [1, "x"])
    }

    @Test func orderingsAndCollations() throws {
        try check("SELECT * FROM player ORDER BY \(Column("name").desc)", #"SELECT * FROM player ORDER BY "name" DESC"#)
        try check(
            "SELECT * FROM player ORDER BY name COLLATE \(.nocase)", "SELECT * FROM player ORDER BY name COLLATE NOCASE"
        )
    }

    @Test func subqueriesAndTables() throws {
        let request: SQLRequest<Int> = "SELECT MAX(score) FROM player WHERE id > \(0)"
        try check(
            "SELECT * FROM player WHERE score = (\(request))",
            "SELECT * FROM player WHERE score = (SELECT MAX(score) FROM player WHERE id > ?)", [0])
        let query = Player.select(max(Column("score")))
        try check(
            "SELECT * FROM player WHERE score = (\(query))",
            #"SELECT * FROM player WHERE score = (SELECT MAX("score") FROM "player")"#)
        let cte = CommonTableExpression<Void>(named: "name", literal: "SELECT \("O'Brien")")
        try check(
            "WITH \(definitionFor: cte) SELECT * FROM \(cte)", #"WITH "name" AS (SELECT ?) SELECT * FROM "name""#,
            ["O'Brien"])
    }

    @Test func literalsAndPlainSQL() throws {
        let condition: SQL = "name = \("O'Brien")"
        try check(
            "SELECT * FROM player WHERE \(literal: condition)", "SELECT * FROM player WHERE name = ?", ["O'Brien"])
        try check("SELECT * FROM player WHERE \(condition)", "SELECT * FROM player WHERE name = ?", ["O'Brien"])
        try check("SELECT * FROM \(sql: "player")", "SELECT * FROM player")
        try check(
            "SELECT * FROM player WHERE \(sql: "name = ?", arguments: ["x"])", "SELECT * FROM player WHERE name = ?",
            ["x"])
        try check(
            "SELECT * FROM player WHERE \(sql: "name = :name", arguments: ["name": "x"]) OR id = \(1)",
            "SELECT * FROM player WHERE name = :name OR id = ?", [1] + ["name": "x"] as StatementArguments)
    }

    @Test func stepByStep() throws {
        var query: SQL = "UPDATE player "
        query += "SET name = \("x") "
        query.append(literal: "WHERE id = \(1)")
        query.append(sql: " OR id = ?", arguments: [2])
        try check(query, "UPDATE player SET name = ? WHERE id = ? OR id = ?", ["x", 1, 2])
        let components: [SQL] = ["UPDATE player", "SET name = \("x")", "WHERE id = \(1)"]
        try check(components.joined(separator: " "), "UPDATE player SET name = ? WHERE id = ?", ["x", 1])
        let parts: [SQL] = ["SELECT ", "\(1)"]
        try check(parts.joined(), "SELECT ?", [1])
        try check("SELECT \(1)" + ", \(2)", "SELECT ?, ?", [1, 2])
        try check(SQL(sql: "SELECT ?", arguments: [1]), "SELECT ?", [1])
        #expect(SQL("").isEmpty)
        #expect(!SQL(" ").isEmpty)
    }

    @Test func questionMarksInTextAreText() throws {
        try inLoggedDatabase { db, _ throws in
            let request: SQLRequest<String> = "SELECT '?' || \("a?b") || '??'"
            #expect(try request.fetchOne(db) == "?a?b??")
        }
    }

    @Test func recordsSpeakTheirTable() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.named(id: 2).fetchOne(db)?.name == "O'Brien")
            #expect(try Player.listed(ids: [1, 3]).fetchAll(db).count == 2)
            #expect(try Player.maximumScore().fetchOne(db) == 200)
            #expect(try Player.bestPlayers().fetchAll(db).map(\.id) == [2])
            try Player.deleteAllWithoutScore(db)
            #expect(try Player.fetchCount(db) == 2)
            let name = "O'Brien"
            try db.execute(literal: "UPDATE player SET name = \(name) WHERE id = \(1)")
            #expect(try String.fetchAll(db, sql: "SELECT name FROM player") == [name, name])
            #expect(log.take().contains(#"DELETE FROM "player" WHERE "score" IS NULL"#))
        }
    }

    @Test func functionsOnColumns() throws {
        func upper(_ value: some SQLSpecificExpressible) -> SQLExpression { SQL("UPPER(\(value))").sqlExpression }
        try inLoggedDatabase(schema) { db, _ throws in
            let request = Player.filter(upper(Column("name")) == "ARTHUR").order(upper(Column("name")).desc)
            #expect(
                try statementText(db, request).sql
                    == #"SELECT * FROM "player" WHERE (UPPER("name")) = ? ORDER BY UPPER("name") DESC"#)
            #expect(try request.fetchAll(db).map(\.id) == [1])
            let reversed = Player.order { _ in [SQL("score * \(2)").sqlExpression.desc, Column("name")] }.reversed()
            #expect(
                try statementText(db, reversed).sql == #"SELECT * FROM "player" ORDER BY score * ? ASC, "name" DESC"#)
            let selection: SQL = "IFNULL(name, \("x")) AS displayName"
            let row = try Player.select([selection, Column("score")], as: Row.self).fetchOne(db)
            #expect(row == ["displayName": "Arthur", "score": 100])
        }
    }
}
