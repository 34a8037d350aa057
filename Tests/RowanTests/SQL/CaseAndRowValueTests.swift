// CASE, row values, patterns: their SQL and their results.

import Foundation
import Rowan
import Testing

private let (a, b) = (Column("a"), Column("b"))

private func check(
    _ expression: some SQLSpecificExpressible, _ sql: String, _ arguments: StatementArguments = [],
    gives values: [Int?], sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let text = expressionText(expression)
    #expect(text.sql == sql, sourceLocation: sourceLocation)
    #expect(text.arguments == arguments, sourceLocation: sourceLocation)
    try inLoggedDatabase("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2), (5, 5), (NULL, 3), (7, NULL)") {
        db, _ throws in
        let request = Table("t").all().select(expression, as: Int?.self)
        #expect(try request.fetchAll(db) == values, sourceLocation: sourceLocation)
    }
}

struct CaseTests {
    @Test func conditions() throws {
        try check(
            CaseExpression().when(a > 4, then: 1).when(b == 3, then: b * 2),
            #"CASE WHEN "a" > ? THEN ? WHEN "b" = ? THEN "b" * ? END"#,
            [4, 1, 3, 2], gives: [nil, 1, 6, 1])
        try check(
            CaseExpression().when(a > 4, then: 1).otherwise(0), #"CASE WHEN "a" > ? THEN ? ELSE ? END"#, [4, 1, 0],
            gives: [0, 1, 0, 1])
        try check(
            CaseExpression().when(a > 4, then: nil).otherwise(nil), #"CASE WHEN "a" > ? THEN NULL ELSE NULL END"#, [4],
            gives: [nil, nil, nil, nil])
    }

    @Test func values() throws {
        try check(
            CaseExpression(a).when(1, then: 10).when(b, then: 20).otherwise(a),
            #"CASE "a" WHEN ? THEN ? WHEN "b" THEN ? ELSE "a" END"#,
            [1, 10, 20], gives: [10, 20, nil, 7])
        try check(
            CaseExpression(a + 1).when(2, then: 1), #"CASE ("a" + ?) WHEN ? THEN ? END"#, [1, 2, 1],
            gives: [1, nil, nil, nil])
    }

    @Test func noBranch() throws {
        try check(CaseExpression(), "NULL", gives: [nil, nil, nil, nil])
        try check(CaseExpression(a).otherwise(b), #""b""#, gives: [2, 5, 3, nil])
    }

    @Test func nesting() throws {
        let inner = CaseExpression().when(a == nil, then: 1).otherwise(2)
        try check(
            CaseExpression(inner).when(1, then: inner),
            #"CASE CASE WHEN "a" IS NULL THEN ? ELSE ? END WHEN ? THEN CASE WHEN "a" IS NULL THEN ? ELSE ? END END"#,
            [1, 2, 1, 1, 2], gives: [nil, nil, 1, nil])
        try check(inner + 1, #"CASE WHEN "a" IS NULL THEN ? ELSE ? END + ?"#, [1, 2, 1], gives: [3, 3, 2, 3])
        try check(
            !inner, #"NOT CASE WHEN "a" IS NULL THEN ? ELSE ? END"#, [1, 2], gives: [0, 0, 0, 0])
        try check(
            inner == CaseExpression(a).when(1, then: 2),
            #"CASE WHEN "a" IS NULL THEN ? ELSE ? END = CASE "a" WHEN ? THEN ? END"#,
            [1, 2, 1, 2], gives: [1, nil, nil, nil])
    }

    @Test func inUpdatesAndOrders() throws {
        try inLoggedDatabase("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y')") { db, log throws in
            let b = Column("b")
            let kind = CaseExpression(b).when("x", then: 2).when("'; DROP TABLE t; --", then: 3).otherwise(1)
            try Table("t").all().updateAll(db, [a.set(to: kind)])
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [2, 1])
            #expect(try Table("t").all().order(kind).select(b, as: String.self).fetchAll(db) == ["y", "x"])
        }
    }

    @Test func primaryKeyInBranches() throws {
        try inLoggedDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)") {
            db, log throws in
            let key = SQLExpression(.symbol(.primaryKey(isIn: [2.sqlExpression])))
            let request = Table("t").all().select(CaseExpression().when(key, then: key).otherwise(key), as: Bool.self)
            #expect(try request.fetchAll(db) == [false, true])
            #expect(log.take() == [#"SELECT CASE WHEN "id" = ? THEN "id" = ? ELSE "id" = ? END FROM "t""#])
        }
    }
}

struct RowValueTests {
    @Test func comparisons() throws {
        let (ab, values) = (rowValue(a, b), rowValue(5, 5))
        try check(ab == values, #"("a", "b") = (?, ?)"#, [5, 5], gives: [0, 1, 0, 0])
        try check(ab != values, #"("a", "b") <> (?, ?)"#, [5, 5], gives: [1, 0, 1, 1])
        try check(ab < values, #"("a", "b") < (?, ?)"#, [5, 5], gives: [1, 0, nil, 0])
        try check(ab <= values, #"("a", "b") <= (?, ?)"#, [5, 5], gives: [1, 1, nil, 0])
        try check(ab > values, #"("a", "b") > (?, ?)"#, [5, 5], gives: [0, 0, nil, 1])
        try check(ab >= values, #"("a", "b") >= (?, ?)"#, [5, 5], gives: [0, 1, nil, 1])
        try check(
            !(ab < rowValue(a + 1, 0, b)), #"NOT (("a", "b") < ("a" + ?, ?, "b"))"#, [1, 0],
            failsWith: "row value misused")
        let null = rowValue(DatabaseValue.null, 3)
        try check(ab.isNotDistinct(from: null), #"("a", "b") IS (NULL, ?)"#, [3], gives: [0, 0, 1, 0])
        try check(ab.isDistinct(from: null), #"("a", "b") IS NOT (NULL, ?)"#, [3], gives: [1, 1, 0, 1])
    }

    @Test func lists() throws {
        try check(
            [rowValue(1, 2), rowValue(b, 5)].contains(rowValue(a, b)), #"("a", "b") IN (VALUES (?, ?), ("b", ?))"#,
            [1, 2, 5], gives: [1, 1, 0, nil])
        try check(
            ![rowValue(1, 2)].contains(rowValue(a, b)), #"("a", "b") NOT IN (VALUES (?, ?))"#, [1, 2],
            gives: [0, 1, 1, 1])
        try check([RowValue]().contains(rowValue(a, b)), "?", [0], gives: [0, 0, 0, 0])
        try check(
            Table("t").all().select([a, SQL("2").sqlExpression]).contains(rowValue(a, b)),
            #"("a", "b") IN (SELECT "a", 2 FROM "t")"#, gives: [1, 0, 0, nil])
    }

    @Test func longLists() throws {
        try inLoggedDatabase("CREATE TABLE t (a INTEGER, b TEXT)") { db, log throws in
            try db.execute(sql: #"INSERT INTO t VALUES (7, 'it''s "7"'), (8, 'x'), (NULL, 'y')"#)
            _ = log.take()
            let rows = (0..<40_000).map { rowValue($0, #"it's "\#($0)""#) }
            let request = Table("t").all().filter(rows.contains(rowValue(a, b))).select(a, as: Int.self)
            #expect(try request.fetchAll(db) == [7])
            #expect(
                log.take() == [
                    #"SELECT "a" FROM "t" WHERE ("a", "b") IN "#
                        + "(SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?))"
                ])
        }
    }

    @Test func misuse() throws {
        try check(rowValue(1, 2).sqlExpression, "(?, ?)", [1, 2], failsWith: "row value misused")
    }
}

struct PatternTests {
    @Test func glob() throws {
        try check(a.glob("[1-5]"), #""a" GLOB ?"#, ["[1-5]"], gives: [1, 1, nil, 0])
        try check(!a.glob(b), #"NOT ("a" GLOB "b")"#, gives: [1, 0, nil, nil])
    }

    @Test func distinction() throws {
        try check(a.isDistinct(from: b), #""a" IS NOT "b""#, gives: [1, 0, 1, 1])
        try check(a.isDistinct(from: nil), #""a" IS NOT NULL"#, gives: [1, 1, 0, 1])
        try check(a.isNotDistinct(from: 1), #""a" IS ?"#, [1], gives: [1, 0, 0, 0])
        try check(!a.isNotDistinct(from: 1), #""a" IS NOT ?"#, [1], gives: [0, 1, 1, 1])
    }

    @Test func regularExpressions() throws {
        try check(a.regexp("5|7"), #""a" REGEXP ?"#, ["5|7"], failsWith: "no such function: REGEXP")
        try inLoggedDatabase("CREATE TABLE t (a); INSERT INTO t VALUES ('x1'), ('y'), (NULL)") { db, _ throws in
            db.add(
                function: DatabaseFunction("regexp", argumentCount: 2, pure: true) { values in
                    guard let pattern = String.fromDatabaseValue(values[0]),
                        let text = String.fromDatabaseValue(values[1])
                    else { return nil }
                    return try text.contains(Regex(pattern))
                })
            let request = Table("t").all().filter(a.regexp("[0-9]"))
            #expect(try request.fetchAll(db).map { $0["a"] as String } == ["x1"])
            #expect(throws: DatabaseError.self) { try Table("t").all().filter(a.regexp("[")).fetchAll(db) }
        }
    }
}

private func check(
    _ expression: SQLExpression, _ sql: String, _ arguments: StatementArguments = [], failsWith message: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let text = expressionText(expression)
    #expect(text.sql == sql, sourceLocation: sourceLocation)
    #expect(text.arguments == arguments, sourceLocation: sourceLocation)
    try inLoggedDatabase("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)") { db, _ throws in
        _ = expectError(.SQLITE_ERROR, message, sourceLocation: sourceLocation) {
            try Table("t").all().select(expression, as: DatabaseValue.self).fetchAll(db)
        }
    }
}
