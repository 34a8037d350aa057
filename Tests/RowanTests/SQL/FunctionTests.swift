import Rowan
import Testing

private let a = Column("a")
private let b = Column("b")

private let schema = "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (3, 'yy'), (3, NULL), (NULL, 'z')"

private func check(
    _ expression: SQLExpression, _ sql: String, _ arguments: StatementArguments = [],
    gives value: any DatabaseValueConvertible, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let text = expressionText(expression)
    #expect(text.sql == sql, sourceLocation: sourceLocation)
    #expect(text.arguments == arguments, sourceLocation: sourceLocation)
    let result = try inLoggedDatabase(schema) { db, _ in
        try Table("t").all().select(expression, as: DatabaseValue.self).fetchOne(db)
    }
    #expect(result == value.databaseValue, sourceLocation: sourceLocation)
}

struct FunctionTests {
    @Test func aggregates() throws {
        try check(count(.allColumns), "COUNT(*)", gives: 4)
        try check(count(a), #"COUNT("a")"#, gives: 3)
        try check(count(distinct: a), #"COUNT(DISTINCT "a")"#, gives: 2)
        try check(average(a), #"AVG("a")"#, gives: 7.0 / 3)
        try check(min(a), #"MIN("a")"#, gives: 1)
        try check(max(a), #"MAX("a")"#, gives: 3)
        try check(sum(a), #"SUM("a")"#, gives: 7)
        try check(total(a), #"TOTAL("a")"#, gives: 7.0)
        try check(sum(a * 2 + 1), #"SUM(("a" * ?) + ?)"#, [2, 1], gives: 17)
    }

    @Test func filteredAggregates() throws {
        try check(average(a, filter: b != nil), #"AVG("a") FILTER (WHERE "b" IS NOT NULL)"#, gives: 2.0)
        try check(min(a, filter: a > 1), #"MIN("a") FILTER (WHERE "a" > ?)"#, [1], gives: 3)
        try check(max(a, filter: a < 2), #"MAX("a") FILTER (WHERE "a" < ?)"#, [2], gives: 1)
        try check(sum(a, filter: b == nil), #"SUM("a") FILTER (WHERE "b" IS NULL)"#, gives: 3)
        try check(total(a, filter: a > 9), #"TOTAL("a") FILTER (WHERE "a" > ?)"#, [9], gives: 0.0)
    }

    @Test func scalars() throws {
        try check(abs(a - 4), #"ABS("a" - ?)"#, [4], gives: 3)
        try check(length(b), #"LENGTH("b")"#, gives: 1)
        try check(min(a, 2, b), #"MIN("a", ?, "b")"#, [2], gives: 1)
        try check(max(a, 2), #"MAX("a", ?)"#, [2], gives: 2)
        try check(a ?? 5, #"IFNULL("a", ?)"#, [5], gives: 1)
        try check(coalesce([a, b]), #"COALESCE("a", "b")"#, gives: 1)
        try check(coalesce([a]), #""a""#, gives: 1)
        try check(coalesce([]), "NULL", gives: DatabaseValue.null)
        try check(cast(a, as: .text), #"CAST("a" AS TEXT)"#, gives: "1")
        try check(cast(a + 1, as: .real), #"CAST("a" + ? AS REAL)"#, [1], gives: 2.0)
    }

    @Test func dates() throws {
        let date = SQL("'2024-02-29 13:14:15'").sqlExpression
        try check(dateTime(date), "DATETIME('2024-02-29 13:14:15')", gives: "2024-02-29 13:14:15")
        try check(
            dateTime(date, .day(1), .hour(-2)), "DATETIME('2024-02-29 13:14:15', ?, ?)", ["1 days", "-2 hours"],
            gives: "2024-03-01 11:14:15")
        let modifiers: [(SQLDateModifier, String)] = [
            (.second(1.5), "2024-02-29 13:14:16"), (.minute(1), "2024-02-29 13:15:15"),
            (.month(1), "2024-03-29 13:14:15"), (.year(1), "2025-03-01 13:14:15"),
            (.startOfDay, "2024-02-29 00:00:00"), (.startOfMonth, "2024-02-01 00:00:00"),
            (.startOfYear, "2024-01-01 00:00:00"), (.weekday(0), "2024-03-03 13:14:15"),
        ]
        for (modifier, result) in modifiers {
            #expect(try evaluated(dateTime(date, modifier)) == result.databaseValue)
        }
        #expect(try evaluated(dateTime(SQL("0").sqlExpression, .unixEpoch)) == "1970-01-01 00:00:00".databaseValue)
        #expect(try evaluated(julianDay(date, .startOfDay)) == (2_460_369.5).databaseValue)
        #expect(expressionText(julianDay(a, .localTime, .utc)).sql == #"JULIANDAY("a", ?, ?)"#)
    }

    @Test func namesOfResults() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let row = try Table("t").all()
                .select(max(a).forKey("best"), (min(a) + 1).forKey(#"a "quoted" name"#), as: Row.self).fetchOne(db)
            #expect(row == ["best": 3, #"a "quoted" name"#: 2])
            #expect(
                log.take() == [
                    #"SELECT MAX("a") AS "best", MIN("a") + ? AS "a ""quoted"" name" FROM "t""#
                ])
        }
    }
}
