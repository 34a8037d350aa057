// Typed columns: their SQL, the values that they read, and their use in requests. Tests/DoesNotCompile covers the code
// that they reject.

import Foundation
import Rowan
import Testing

private struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
    enum Columns {
        static let id = TypedColumn<Int64>("id")
        static let name = TypedColumn<String>(CodingKeys.name)
        static let score = TypedColumn<Int>("score")
        static let bonus = TypedColumn<Int?>("bonus")
        static let team = TypedColumn<String?>("team")
    }

    var id: Int64
    var name: String
    var score: Int
    var bonus: Int?
    var team: String?
}

private typealias Columns = Player.Columns

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL, bonus INTEGER, team TEXT);
    INSERT INTO player VALUES (1, 'Arthur', 10, NULL, 'Reds'), (2, 'barbara', 20, 5, NULL), (3, 'Craig', 30, 30, 'Reds');
    """

/// Expects the SQL of a condition, its arguments, and the ids of the matching players.
private func check(
    _ condition: SQLExpression, _ sql: String, _ arguments: StatementArguments = [], holdsFor ids: [Int64],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let text = expressionText(condition)
    #expect(text.sql == sql, sourceLocation: sourceLocation)
    #expect(text.arguments == arguments, sourceLocation: sourceLocation)
    try inLoggedDatabase(schema) { db, _ throws in
        let request = Player.filter(condition).order(Columns.id).select(Columns.id, as: Int64.self)
        #expect(try request.fetchAll(db) == ids, sourceLocation: sourceLocation)
    }
}

struct TypedColumnTests {
    @Test func comparisons() throws {
        let (score, bonus, team) = (Columns.score, Columns.bonus, Columns.team)
        try check(score == 20, #""score" = ?"#, [20], holdsFor: [2])
        try check(score != 20, #""score" <> ?"#, [20], holdsFor: [1, 3])
        try check(team == nil, #""team" IS NULL"#, holdsFor: [2])
        try check(team != nil, #""team" IS NOT NULL"#, holdsFor: [1, 3])
        try check(team == "Reds", #""team" = ?"#, ["Reds"], holdsFor: [1, 3])
        try check(team === "Reds", #""team" IS ?"#, ["Reds"], holdsFor: [1, 3])
        try check(team !== "Reds", #""team" IS NOT ?"#, ["Reds"], holdsFor: [2])
        try check(score < 20, #""score" < ?"#, [20], holdsFor: [1])
        try check(score <= 20, #""score" <= ?"#, [20], holdsFor: [1, 2])
        try check(score > 20, #""score" > ?"#, [20], holdsFor: [3])
        try check(bonus >= 5, #""bonus" >= ?"#, [5], holdsFor: [2, 3])
        let limit: Int? = nil
        try check(bonus == limit, #""bonus" IS NULL"#, holdsFor: [1])
    }

    @Test func arithmetic() throws {
        let score = Columns.score
        try check(score + 5 > 25, #"("score" + ?) > ?"#, [5, 25], holdsFor: [3])
        try check(score * 2 - 1 == 39, #"(("score" * ?) - ?) = ?"#, [2, 1, 39], holdsFor: [2])
        try check(100 - score / 3 < 95, #"(? - ("score" / ?)) < ?"#, [100, 3, 95], holdsFor: [2, 3])
        try check(-score < score - 50, #"(-"score") < ("score" - ?)"#, [50], holdsFor: [3])
        try check(score + score == 2 * score, #"("score" + "score") = (? * "score")"#, [2], holdsFor: [1, 2, 3])
        try check(abs(score - 20) < 5, #"ABS("score" - ?) < ?"#, [20, 5], holdsFor: [2])
        try check(score % 20 == 0, #"("score" % ?) = ?"#, [20, 0], holdsFor: [2])
        try check(
            7 % score == score % score + 7, #"(? % "score") = (("score" % "score") + ?)"#, [7, 7], holdsFor: [1, 2, 3])
    }

    @Test func arithmeticOfOptionals() throws {
        let bonus = Columns.bonus
        try check(bonus + 1 == nil, #"("bonus" + ?) IS NULL"#, [1], holdsFor: [1])
        try check(bonus * 2 - 1 > 9, #"(("bonus" * ?) - ?) > ?"#, [2, 1, 9], holdsFor: [3])
        try check((bonus + bonus) % 4 == 2, #"(("bonus" + "bonus") % ?) = ?"#, [4, 2], holdsFor: [2])
        try check(abs(-bonus) >= 5, #"ABS(-"bonus") >= ?"#, [5], holdsFor: [2, 3])
        try inLoggedDatabase(schema) { db, _ throws in
            let rounded = Player.select(round(TypedColumn<Double?>("bonus") / 3, digits: 1), as: Double?.self)
            #expect(try rounded.fetchAll(db) == [nil, 1.7, 10])
        }
    }

    @Test func arithmeticOfValuesThatMayBeNull() throws {
        let (score, bonus) = (Columns.score, Columns.bonus)
        try check(score * bonus > 100, #"("score" * "bonus") > ?"#, [100], holdsFor: [3])
        try check(bonus * score == nil, #"("bonus" * "score") IS NULL"#, holdsFor: [1])
        try check(score + bonus == 25, #"("score" + "bonus") = ?"#, [25], holdsFor: [2])
        try check(bonus + score == 60, #"("bonus" + "score") = ?"#, [60], holdsFor: [3])
        try check(score - bonus > 0, #"("score" - "bonus") > ?"#, [0], holdsFor: [2])
        try check(bonus - score < 0, #"("bonus" - "score") < ?"#, [0], holdsFor: [2])
        try check(score / bonus == 4, #"("score" / "bonus") = ?"#, [4], holdsFor: [2])
        try check(bonus / score == 1, #"("bonus" / "score") = ?"#, [1], holdsFor: [3])
        try check(score % bonus == 0, #"("score" % "bonus") = ?"#, [0], holdsFor: [2, 3])
        try check(bonus % score == 5, #"("bonus" % "score") = ?"#, [5], holdsFor: [2])
        let results: [TypedExpression<Int?>] = [score * bonus, bonus * score]
        try inLoggedDatabase(schema) { db, _ throws in
            #expect(try Player.select(results[0], as: Int?.self).fetchAll(db) == [nil, 100, 900])
        }
    }

    @Test func aggregatesWithFilters() throws {
        let (score, bonus) = (Columns.score, Columns.bonus)
        let isFirst = TypedColumn<Bool>("id")
        func check<Value: DatabaseValueConvertible & Equatable>(
            _ aggregate: TypedExpression<Value>, _ sql: String, is value: Value,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            try inLoggedDatabase(schema) { db, log throws in
                let fetched = try Player.select(aggregate, as: Value.self).fetchOne(db)
                #expect(fetched == value, sourceLocation: sourceLocation)
                #expect(
                    expressionText(aggregate.sqlExpression).sql == "\(sql) FILTER (WHERE \"score\" > ?)",
                    sourceLocation: sourceLocation)
            }
        }
        try check(count(bonus, filter: score > 10), #"COUNT("bonus")"#, is: 2)
        try check(count(distinct: score, filter: score > 10), #"COUNT(DISTINCT "score")"#, is: 2)
        try check(min(score, filter: score > 10), #"MIN("score")"#, is: 20)
        try check(max(bonus, filter: score > 10), #"MAX("bonus")"#, is: 30)
        try check(sum(score, filter: score > 10), #"SUM("score")"#, is: 50)
        try check(total(score, filter: score > 10), #"TOTAL("score")"#, is: 50)
        try check(average(score, filter: score > 10), #"AVG("score")"#, is: 25)
        let filtered: [SQLExpression] = [
            count(bonus, filter: isFirst).sqlExpression, count(distinct: bonus, filter: isFirst).sqlExpression,
            min(bonus, filter: isFirst).sqlExpression, max(bonus, filter: isFirst).sqlExpression,
            sum(bonus, filter: isFirst).sqlExpression, total(bonus, filter: isFirst).sqlExpression,
            average(bonus, filter: isFirst).sqlExpression, count(.allColumns, filter: isFirst),
        ]
        for aggregate in filtered { #expect(expressionText(aggregate).sql.hasSuffix(#") FILTER (WHERE "id")"#)) }
    }

    @Test func functionsOfTexts() throws {
        let (name, team) = (Columns.name, Columns.team)
        try check(length(name) == 5, #"LENGTH("name") = ?"#, [5], holdsFor: [3])
        try check(length(team) == nil, #"LENGTH("team") IS NULL"#, holdsFor: [2])
        try check(name.hasPrefix("Ar"), #""name" GLOB ?"#, ["Ar*"], holdsFor: [1])
        try check(team.contains("ed"), #"INSTR("team", ?) > 0"#, ["ed"], holdsFor: [1, 3])
        try check(name.lowercased == "arthur", #"swiftLowercaseString("name") = ?"#, ["arthur"], holdsFor: [1])
        try check(team.uppercased == "REDS", #"swiftUppercaseString("team") = ?"#, ["REDS"], holdsFor: [1, 3])
        try inLoggedDatabase(schema) { db, _ throws in
            let suffixed = Player.filter { $0.name.hasSuffix("ur") || $0.team.hasSuffix("x") }
            #expect(try suffixed.select(Columns.id, as: Int64.self).fetchAll(db) == [1])
            let rounded = Player.select(round(TypedColumn<Double>("score") / 3, digits: 1), as: Double.self)
            #expect(try rounded.fetchAll(db) == [3.3, 6.7, 10])
        }
    }

    private struct Task: TableRecord {
        enum Columns {
            static let id = TypedColumn<Int>("id")
            static let isDone = TypedColumn<Bool>("isDone")
            static let isUrgent = TypedColumn<Bool?>("isUrgent")
        }
    }

    @Test func conditionsThatAreColumns() throws {
        let schema = """
            CREATE TABLE task (id INTEGER PRIMARY KEY, isDone INTEGER, isUrgent INTEGER);
            INSERT INTO task VALUES (1, 1, 0), (2, 0, 1), (3, 1, NULL);
            """
        try inLoggedDatabase(schema) { db, log throws in
            func ids(_ request: QueryInterfaceRequest<Task>, _ sql: String) throws -> [Int] {
                let request = request.select(Task.Columns.id, as: Int.self)
                #expect(try request.sql(db).sql == #"SELECT "id" FROM "task" WHERE \#(sql)"#)
                return try request.fetchAll(db)
            }
            #expect(try ids(Task.filter { $0.isDone }, #""isDone""#) == [1, 3])
            #expect(try ids(Task.all().filter { $0.isUrgent }, #""isUrgent""#) == [2])
            #expect(try ids(Task.filter { $0.isUrgent }, #""isUrgent""#) == [2])
            #expect(try ids(Table<Task>("task").filter { $0.isDone }, #""isDone""#) == [1, 3])
            #expect(try ids(Task.filter { !$0.isDone }, #"NOT "isDone""#) == [2])
            #expect(try ids(Task.filter { !$0.isUrgent }, #"NOT "isUrgent""#) == [1])
            #expect(try ids(Task.filter { $0.isDone && $0.isDone }, #""isDone" AND "isDone""#) == [1, 3])
            #expect(try ids(Task.filter { $0.isUrgent ?? true }, #"IFNULL("isUrgent", ?)"#) == [2, 3])
            #expect(try ids(Task.filter { $0.isDone && $0.isUrgent }, #""isDone" AND "isUrgent""#) == [])
            #expect(try ids(Task.filter { $0.isUrgent || $0.isDone }, #""isUrgent" OR "isDone""#) == [1, 2, 3])
            #expect(try ids(Task.filter { $0.isUrgent || $0.isUrgent }, #""isUrgent" OR "isUrgent""#) == [2])
            #expect(try ids(Task.filter { $0.isDone || $0.id == 2 }, #""isDone" OR ("id" = ?)"#) == [1, 2, 3])
        }
    }

    @Test func comparisonsOfExpressions() throws {
        let (score, bonus) = (Columns.score, Columns.bonus)
        try check(score == score, #""score" = "score""#, holdsFor: [1, 2, 3])
        try check(score == bonus, #""score" = "bonus""#, holdsFor: [3])
        try check(bonus == score, #""bonus" = "score""#, holdsFor: [3])
        try check(bonus !== bonus, #""bonus" IS NOT "bonus""#, holdsFor: [])
        try check(bonus < score, #""bonus" < "score""#, holdsFor: [2])
        try check(score > (bonus ?? 15), #""score" > IFNULL("bonus", ?)"#, [15], holdsFor: [2])
        try check(
            score > 10 && !(bonus == 30), #"("score" > ?) AND ("bonus" <> ?)"#, [10, 30], holdsFor: [2])
        try check(score == Column("bonus"), #""score" = "bonus""#, holdsFor: [3])
        try check(score.untyped & 4 == 4, #"("score" & ?) = ?"#, [4, 4], holdsFor: [2, 3])
    }

    @Test func listsAndRanges() throws {
        try check([10, 30].contains(Columns.score), #""score" IN (?, ?)"#, [10, 30], holdsFor: [1, 3])
        try check(![5].contains(Columns.bonus), #""bonus" <> ?"#, [5], holdsFor: [3])
        try check((10...20).contains(Columns.score), #""score" BETWEEN ? AND ?"#, [10, 20], holdsFor: [1, 2])
        try check(
            (10..<20).contains(Columns.score), #"("score" >= ?) AND ("score" < ?)"#, [10, 20], holdsFor: [1])
        try check((20...).contains(Columns.score), #""score" >= ?"#, [20], holdsFor: [2, 3])
        try check((...20).contains(Columns.score), #""score" <= ?"#, [20], holdsFor: [1, 2])
        try check((..<20).contains(Columns.score), #""score" < ?"#, [20], holdsFor: [1])
        try check((0...9).contains(Columns.bonus), #""bonus" BETWEEN ? AND ?"#, [0, 9], holdsFor: [2])
    }

    @Test func texts() throws {
        try check(Columns.name.like("a%"), #""name" LIKE ?"#, ["a%"], holdsFor: [1])
        try check(Columns.team.like("R!_%", escape: "!"), #""team" LIKE ? ESCAPE ?"#, ["R!_%", "!"], holdsFor: [])
        try check(Columns.name.glob("[A-Z]*"), #""name" GLOB ?"#, ["[A-Z]*"], holdsFor: [1, 3])
        try check(
            Columns.name.collating(.nocase) == "BARBARA", #""name" = ? COLLATE NOCASE"#, ["BARBARA"], holdsFor: [2])
        try check(
            Columns.team.collating(.nocase) == "REDS", #""team" = ? COLLATE NOCASE"#, ["REDS"], holdsFor: [1, 3])
        try check(
            Columns.name.collating(.caseInsensitiveCompare) == "BARBARA",
            #""name" = ? COLLATE "swiftCaseInsensitiveCompare""#, ["BARBARA"], holdsFor: [2])
        try check(
            Columns.team.collating(.caseInsensitiveCompare) == "REDS",
            #""team" = ? COLLATE "swiftCaseInsensitiveCompare""#, ["REDS"], holdsFor: [1, 3])
    }

    @Test func requests() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let best = try Player.filter { $0.team != nil && $0.score > 10 }
                .order { [$0.score.desc, $0.name, $0.bonus.ascNullsLast] }.fetchAll(db)
            #expect(best.map(\.name) == ["Craig"])
            #expect(
                log.take() == [
                    #"SELECT * FROM "player" WHERE ("team" IS NOT NULL) AND ("score" > ?) "#
                        + #"ORDER BY "score" DESC, "name", "bonus" ASC NULLS LAST"#
                ])
            let rows = try Player.select { [$0.team, max($0.score).forKey("best"), count($0.bonus).forKey("count")] }
                .group(\.team).having { max($0.score) > 25 }.asRequest(of: Row.self).fetchAll(db)
            #expect(rows == [["team": "Reds", "best": 30, "count": 1]])
            let value = try Player.select({ average($0.score) }, as: Double.self).fetchOne(db)
            #expect(value == 20)
            #expect(try Player.select({ sum($0.bonus) }, as: Int.self).fetchOne(db) == 35)
            #expect(try Player.select({ total($0.bonus) }, as: Double.self).fetchOne(db) == 35)
            #expect(try Player.select({ min($0.name) }, as: String.self).fetchOne(db) == "Arthur")
            #expect(try Player.select({ count(distinct: $0.team) }, as: Int.self).fetchOne(db) == 1)
        }
    }

    @Test func rows() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT *, 'x' AS wrong FROM player"))
            let score = row[Columns.score]
            let bonus = row[Columns.bonus]
            #expect(score + 1 == 11)
            #expect(bonus == nil)
            #expect(try row.decode(Columns.name) == "Arthur")
            #expect(throws: RowDecodingError.self) { try row.decode(TypedColumn<Date>("wrong")) }
            #expect(throws: RowDecodingError.self) { try row.decode(TypedColumn<Int>("missing")) }
        }
    }

    @Test func containers() throws {
        struct Pair: EncodableRecord {
            func encode(to container: inout PersistenceContainer) {
                container[Columns.score] = 1
                container[Columns.bonus] = nil
                container[Columns.team] = "Blues"
            }
        }
        let dictionary = try Pair().databaseDictionary
        #expect(dictionary == ["score": 1.databaseValue, "bonus": .null, "team": "Blues".databaseValue])
    }

    @Test func updates() throws {
        try inLoggedDatabase(schema) { db, log throws in
            try Player.updateAll(db) {
                [$0.score += 1, $0.bonus.set(to: $0.score), $0.team.set(to: nil), $0.name.set(to: "it's")]
            }
            #expect(
                log.take() == [
                    #"UPDATE "player" SET "score" = "score" + ?, "bonus" = "score", "team" = NULL, "name" = ?"#
                ])
            #expect(try Player.fetchOne(db, key: 3) == Player(id: 3, name: "it's", score: 31, bonus: 30, team: nil))
            try Player.updateAll(db) { [$0.score *= $0.score, $0.bonus.set(to: 2)] }
            try Player.updateAll(db) { [$0.score -= 1] }
            try Player.updateAll(db) { [$0.score /= 10] }
            #expect(try Player.select(Columns.score, as: Int.self).fetchAll(db) == [12, 44, 96])
            try Player.filter(key: 1).updateAll(db) { $0.bonus.set(to: nil) }
            try Player.updateAll(db) { $0.bonus += 3 }
            #expect(try Player.select(Columns.bonus, as: Int?.self).fetchAll(db) == [nil, 5, 5])
        }
    }

    @Test func aliases() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let player = TableAlias<Player>(name: "p")
            let better = Player.filter { $0.score > player.score }
            let request = Player.aliased(player).filter(!better.exists())
            #expect(try request.fetchAll(db).map(\.name) == ["Craig"])
        }
    }

    @Test func hostileNames() throws {
        let column = TypedColumn<Int>(#"select "a" 🐟"#)
        #expect(expressionText(column == 1).sql == #""select ""a"" 🐟" = ?"#)
        #expect(expressionText(column.forKey("x").sqlSelection.expression).sql == #""select ""a"" 🐟""#)
        #expect(expressionText(column.detached > 1).sql == #""select ""a"" 🐟" > ?"#)
    }
}

extension SQLSelection {
    fileprivate var expression: SQLExpression {
        switch node {
        case .expression(let expression), .named(let expression, _): expression
        case .literal, .allColumns, .symbol: .null
        }
    }
}
