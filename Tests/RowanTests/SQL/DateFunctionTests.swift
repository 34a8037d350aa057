// The date functions of SQLite.

import Rowan
import Testing

private let noon = SQL("'2024-02-29 12:00:01'").sqlExpression

struct DateFunctionTests {
    private func check(
        _ expression: SQLExpression, _ sql: String, _ arguments: StatementArguments = [],
        gives value: (any DatabaseValueConvertible)?, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let text = expressionText(expression)
        #expect(text.sql == sql, sourceLocation: sourceLocation)
        #expect(text.arguments == arguments, sourceLocation: sourceLocation)
        #expect(try evaluated(expression) == value?.databaseValue ?? .null, sourceLocation: sourceLocation)
    }

    @Test func functions() throws {
        try check(date(noon), "DATE('2024-02-29 12:00:01')", gives: "2024-02-29")
        try check(
            date(noon, .day(-1), .startOfMonth), "DATE('2024-02-29 12:00:01', ?, ?)", ["-1 days", "start of month"],
            gives: "2024-02-01")
        try check(time(noon, .minute(90)), "TIME('2024-02-29 12:00:01', ?)", ["90 minutes"], gives: "13:30:01")
        try check(unixEpoch(noon), "UNIXEPOCH('2024-02-29 12:00:01')", gives: 1_709_208_001)
        try check(
            strftime("%Y, it's %j", noon, .year(1)), "STRFTIME('%Y, it''s %j', '2024-02-29 12:00:01', ?)", ["1 years"],
            gives: "2025, it's 060")
        try check(date(SQL("'no date'")), "DATE('no date')", gives: nil)
    }

    @Test func modifiers() throws {
        let number = SQL("1709208001").sqlExpression
        try check(date(number, .auto), "DATE(1709208001, ?)", ["auto"], gives: "2024-02-29")
        try check(dateTime(SQL("0.5"), .julianDay), "DATETIME(0.5, ?)", ["julianday"], gives: "-4713-11-25 00:00:00")
        #expect(expressionText(time(noon, .subsecond)).arguments == ["subsec"])
        try check(date(number, .unixEpoch, .utc), "DATE(1709208001, ?, ?)", ["unixepoch", "utc"], gives: "2024-02-29")
    }

    @Test func presentMoment() throws {
        #expect(expressionText(dateTime(.now, .day(-7))).sql == "DATETIME('now', ?)")
        try inLoggedDatabase { db, _ throws in
            let condition: SQL = "SELECT \(dateTime(.now)) > '2024-01-01' AND \(unixEpoch(.now)) > 1700000000"
            #expect(try SQLRequest<Bool>(literal: condition).fetchOne(db) == true)
        }
    }

    @Test func indexServes() throws {
        try inLoggedDatabase("CREATE TABLE t (d TEXT)") { db, _ throws in
            let month = strftime("%Y-%m", Column("d"))
            try db.create(index: "byMonth", on: "t", expressions: [month])
            let (sql, arguments) = try statementText(db, Table("t").all().filter(month == "2024-02"))
            let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments)
            #expect((plan.first?["detail"] as String?)?.contains("byMonth") == true)
        }
    }
}
