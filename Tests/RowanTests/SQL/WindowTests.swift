// Window functions, filters and orders of aggregates: their SQL, and their results by row.

import Foundation
import Rowan
import Testing

private let (id, team, score) = (Column("id"), Column("team"), Column("score"))

private let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, team TEXT, score INTEGER);
    INSERT INTO t VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 20), (4, 'b', 40), (5, 'b', NULL);
    """

/// Expects the SQL of an expression, its arguments, and its values in the rows by id.
private func check<Value: DatabaseValueConvertible & Equatable>(
    _ expression: SQLExpression, _ sql: String, _ arguments: StatementArguments = [], gives values: [Value?],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let text = expressionText(expression)
    #expect(text.sql == sql, sourceLocation: sourceLocation)
    #expect(text.arguments == arguments, sourceLocation: sourceLocation)
    try inLoggedDatabase(schema) { db, _ throws in
        let request = Table("t").all().order(id).select(expression, as: Value?.self)
        #expect(try request.fetchAll(db) == values, sourceLocation: sourceLocation)
    }
}

private func checkError(
    _ expression: SQLExpression, _ message: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try inLoggedDatabase(schema) { db, _ throws in
        _ = expectError(.SQLITE_ERROR, message, sourceLocation: sourceLocation) {
            try Table("t").all().select(expression, as: DatabaseValue.self).fetchAll(db)
        }
    }
}

struct WindowTests {
    @Test func numbers() throws {
        let w = Window(orderBy: [score])
        try check(
            rowNumber().over(orderBy: [id.desc]), #"ROW_NUMBER() OVER (ORDER BY "id" DESC)"#, gives: [5, 4, 3, 2, 1])
        try check(rowNumber().over(), "ROW_NUMBER() OVER ()", gives: [1, 2, 3, 4, 5])
        try check(rank().over(w), #"RANK() OVER (ORDER BY "score")"#, gives: [2, 3, 3, 5, 1])
        try check(denseRank().over(w), #"DENSE_RANK() OVER (ORDER BY "score")"#, gives: [2, 3, 3, 4, 1])
        try check(percentRank().over(w), #"PERCENT_RANK() OVER (ORDER BY "score")"#, gives: [0.25, 0.5, 0.5, 1, 0])
        try check(cumeDist().over(w), #"CUME_DIST() OVER (ORDER BY "score")"#, gives: [0.4, 0.8, 0.8, 1, 0.2])
        try check(ntile(2).over(orderBy: [id]), #"NTILE(?) OVER (ORDER BY "id")"#, [2], gives: [1, 1, 1, 2, 2])
    }

    @Test func neighbours() throws {
        let w = Window(partitionBy: [team], orderBy: [id])
        let sql = #"OVER (PARTITION BY "team" ORDER BY "id")"#
        try check(lag(score).over(w), #"LAG("score") \#(sql)"#, gives: [nil, 10, nil, 20, 40])
        try check(lag(score, offset: 2).over(w), #"LAG("score", ?) \#(sql)"#, [2], gives: [nil, nil, nil, nil, 20])
        try check(
            lead(score, default: -1).over(w), #"LEAD("score", ?, ?) \#(sql)"#, [1, -1], gives: [20, -1, 40, nil, -1])
        try check(firstValue(id).over(w), #"FIRST_VALUE("id") \#(sql)"#, gives: [1, 1, 3, 3, 3])
        try check(lastValue(id).over(w), #"LAST_VALUE("id") \#(sql)"#, gives: [1, 2, 3, 4, 5])
        try check(nthValue(id, 2).over(w), #"NTH_VALUE("id", ?) \#(sql)"#, [2], gives: [nil, 2, nil, 4, 4])
        try check(
            score - lag(score).over(w), #""score" - LAG("score") \#(sql)"#, gives: [nil, 10, nil, 20, nil])
    }

    @Test func aggregates() throws {
        try check(
            sum(score).over(partitionBy: [team]), #"SUM("score") OVER (PARTITION BY "team")"#,
            gives: [30, 30, 60, 60, 60])
        try check(
            count(.allColumns).filter(score > 10).over(orderBy: [id]),
            #"COUNT(*) FILTER (WHERE "score" > ?) OVER (ORDER BY "id")"#, [10], gives: [0, 1, 2, 3, 3])
        try check(
            sum(score).over(partitionBy: [team, SQL("score % 2"), 1], orderBy: [id.desc, score.ascNullsLast]),
            #"SUM("score") OVER (PARTITION BY "team", score % 2, ? ORDER BY "id" DESC, "score" ASC NULLS LAST)"#, [1],
            gives: [30, 20, 60, 40, nil])
    }

    @Test func frames() throws {
        func check(
            _ frame: Window.Frame, _ sql: String, _ arguments: StatementArguments = [], gives values: [Int?],
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            try RowanTests.check(
                sum(id).over(orderBy: [id], frame: frame), #"SUM("id") OVER (ORDER BY "id" \#(sql))"#, arguments,
                gives: values, sourceLocation: sourceLocation)
        }
        try check(
            .rows(from: .unboundedPreceding), "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
            gives: [1, 3, 6, 10, 15])
        try check(
            .rows(from: .preceding(1), to: .following(1)), "ROWS BETWEEN ? PRECEDING AND ? FOLLOWING", [1, 1],
            gives: [3, 6, 9, 12, 9])
        try check(
            .range(from: .preceding(1.5), to: .unboundedFollowing), "RANGE BETWEEN ? PRECEDING AND UNBOUNDED FOLLOWING",
            [1.5], gives: [15, 15, 14, 12, 9])
        try check(
            .groups(from: .currentRow, to: .following(SQL("1 + 1"))),
            "GROUPS BETWEEN CURRENT ROW AND (1 + 1) FOLLOWING",
            gives: [6, 9, 12, 9, 5])
        let all = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE"
        for (exclusion, text, values) in [
            (Window.Exclusion.noOthers, "NO OTHERS", [15, 15, 15, 15, 15]),
            (.currentRow, "CURRENT ROW", [14, 13, 12, 11, 10]), (.group, "GROUP", [14, 13, 12, 11, 10]),
            (.ties, "TIES", [15, 15, 15, 15, 15]),
        ] {
            try check(
                .rows(from: .unboundedPreceding, to: .unboundedFollowing, excluding: exclusion), "\(all) \(text)",
                gives: values)
        }
    }

    @Test func namedWindows() throws {
        #expect(expressionText(rank().over("w")).sql == #"RANK() OVER "w""#)
        #expect(expressionText(rank().over(#"a "w""#)).sql == #"RANK() OVER "a ""w""""#)
        #expect(
            expressionText(rank().over(Window("w", orderBy: [id]))).sql == #"RANK() OVER ("w" ORDER BY "id")"#)
        #expect(
            expressionText(rank().over(Window("w", frame: .rows(from: .currentRow)))).sql
                == #"RANK() OVER ("w" ROWS BETWEEN CURRENT ROW AND CURRENT ROW)"#)
        var renderer = Renderer()
        let definition = WindowDefinition(name: "order", window: Window(partitionBy: [team], orderBy: [id]))
        renderer.write(definition)
        #expect(renderer.text == #""order" AS (PARTITION BY "team" ORDER BY "id")"#)
        try checkError(rank().over("w"), #"no such window: "w""#)
        try inLoggedDatabase(schema) { db, _ throws in
            let literal: SQL =
                "SELECT \(rank().over("w")) FROM t WINDOW \(sql: renderer.text.replacing("order", with: "w"))"
            #expect(try SQLRequest<Int>(literal: literal).fetchAll(db) == [1, 2, 1, 2, 3])
        }
    }

    @Test func primaryKeyInWindows() throws {
        let expression = rowNumber().over(orderBy: [SQLOrdering(.symbol(.primaryKey(.descending)))])
        try inLoggedDatabase(schema) { db, log throws in
            let numbers = try Table("t").all().order(id).select(expression, as: Int.self).fetchAll(db)
            #expect(numbers == [5, 4, 3, 2, 1])
            #expect(log.take() == [#"SELECT ROW_NUMBER() OVER (ORDER BY "id" DESC) FROM "t" ORDER BY "id""#])
        }
    }

    @Test func errors() throws {
        try checkError(abs(score).over(), "ABS() may not be used as a window function")
        try checkError((score + 1).over(), #"near "(": syntax error"#)
        try checkError(rank(), "misuse of window function RANK()")
        try checkError(abs(score).filter(id > 1), "FILTER may not be used with non-aggregate ABS()")
        try checkError(score.sqlExpression.filter(id > 1), #"near "(": syntax error"#)
        try checkError(
            sum(id).over(orderBy: [id], frame: .rows(from: .preceding(-1))),
            "frame starting offset must be a non-negative integer")
    }
}

struct AggregateTests {
    @Test func filters() throws {
        try check(
            sum(score).filter(team == "a"), #"SUM("score") FILTER (WHERE "team" = ?)"#, ["a"], gives: [30])
        try check(
            sum(score, filter: team == "b").filter(score > 20),
            #"SUM("score") FILTER (WHERE ("team" = ?) AND ("score" > ?))"#, ["b", 20], gives: [40])
        try check(count(score).filter(SQL("0")), #"COUNT("score") FILTER (WHERE 0)"#, gives: [0])
    }

    @Test func concatenation() throws {
        try check(groupConcat(id), #"GROUP_CONCAT("id")"#, gives: ["1,2,3,4,5"])
        try check(
            groupConcat(id, separator: "'; ", filter: team == "a"),
            #"GROUP_CONCAT("id", ?) FILTER (WHERE "team" = ?)"#, ["'; ", "a"], gives: ["1'; 2"])
        try check(
            groupConcat(id, filter: id < 0), #"GROUP_CONCAT("id") FILTER (WHERE "id" < ?)"#, [0], gives: [String?.none])
    }

    @Test func orders() throws {
        let ordered = groupConcat(id, separator: "-", orderBy: [score.desc, id], filter: score != nil)
        #expect(
            expressionText(ordered).sql
                == #"GROUP_CONCAT("id", ? ORDER BY "score" DESC, "id") FILTER (WHERE "score" IS NOT NULL)"#)
        #expect(
            expressionText(Database.jsonGroupArray(id).ordered(by: id.desc)).sql
                == #"JSON_GROUP_ARRAY("id" ORDER BY "id" DESC)"#)
        try inLoggedDatabase(schema) { db, _ throws in
            let request = Table("t").all().select(ordered, as: String.self)
            let version = try #require(try String.fetchOne(db, sql: "SELECT sqlite_version()"))
            if version.compare("3.44.0", options: .numeric) == .orderedAscending {
                expectError(
                    .SQLITE_ERROR,
                    "ORDER BY in the call of an aggregate function (GROUP_CONCAT) requires SQLite 3.44.0 or later: "
                        + "this program uses SQLite \(version)"
                ) { try request.fetchOne(db) }
                let literal: SQL = "SELECT \(ordered) FROM t"
                expectError(.SQLITE_ERROR) { try SQLRequest<String>(literal: literal).fetchOne(db) }
            } else {
                #expect(try request.fetchOne(db) == "4-2-3-1")
            }
        }
    }

    @Test func orderWithoutCall() throws {
        try checkError(score.sqlExpression.ordered(by: id), #"near "ORDER": syntax error"#)
    }

    @Test func requiredVersion() throws {
        try Database.requireSQLite(3_044_000, running: 3_044_000, for: "it")
        expectError(.SQLITE_ERROR, "it requires SQLite 3.44.0 or later: this program uses SQLite 3.43.2") {
            try Database.requireSQLite(3_044_000, running: 3_043_002, for: "it")
        }
    }
}
