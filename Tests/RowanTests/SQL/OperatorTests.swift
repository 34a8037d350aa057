// Each operator: its SQL, its arguments and its result.

import Rowan
import Testing

private let a = Column("a")
private let b = Column("b")

/// Expects the SQL and the arguments of an expression.
private func check(
    _ expression: any SQLExpressible, _ sql: String, _ arguments: StatementArguments = [],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let text = expressionText(expression.sqlExpression)
    #expect(text.sql == sql, sourceLocation: sourceLocation)
    #expect(text.arguments == arguments, sourceLocation: sourceLocation)
}

/// The values of an expression for the rows of a small table.
private func values(_ expression: any SQLExpressible) throws -> [DatabaseValue] {
    try inLoggedDatabase("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2), (5, 5), (NULL, 3), (7, NULL)") { db, _ in
        try Table("t").all().select(expression.sqlExpression, as: DatabaseValue.self).fetchAll(db)
    }
}

private func truth(_ expression: any SQLExpressible) throws -> [Bool?] {
    try values(expression).map { $0.isNull ? nil : Bool.fromDatabaseValue($0) }
}

struct OperatorTests {
    @Test func equality() throws {
        check(a == 1, #""a" = ?"#, [1])
        check(a == b, #""a" = "b""#)
        check(1 == a, #"? = "a""#, [1])
        check(a != "x", #""a" <> ?"#, ["x"])
        check(a == nil, #""a" IS NULL"#)
        check(a != nil, #""a" IS NOT NULL"#)
        check(a == (nil as Int?), #""a" IS NULL"#)
        check(a == DatabaseValue.null, #""a" IS NULL"#)
        check(!(a == 1), #""a" <> ?"#, [1])
        check(!(a != (nil as Int?)), #""a" IS NULL"#)
        #expect(try truth(a == 5) == [false, true, nil, false])
        #expect(try truth(a == b) == [false, true, nil, nil])
        #expect(try truth(a != nil) == [true, true, false, true])
    }

    @Test func identity() throws {
        check(a === b, #""a" IS "b""#)
        check(a === 1, #""a" IS ?"#, [1])
        check(a === nil, #""a" IS NULL"#)
        check(a !== b, #""a" IS NOT "b""#)
        check(1 === a, #"? IS "a""#, [1])
        check((nil as Int?) !== a, #"NULL IS NOT "a""#)
        check(!(a === b), #""a" IS NOT "b""#)
        #expect(try truth(a === b) == [false, true, false, false])
        #expect(try truth(a !== 1) == [false, true, true, true])
    }

    @Test func comparison() throws {
        check(a < 1, #""a" < ?"#, [1])
        check(a <= b, #""a" <= "b""#)
        check(a > 1.5, #""a" > ?"#, [1.5])
        check(a >= "x", #""a" >= ?"#, ["x"])
        check(1 < a, #"? < "a""#, [1])
        check(1 <= a, #"? <= "a""#, [1])
        check(1 > a, #"? > "a""#, [1])
        check(1 >= a, #"? >= "a""#, [1])
        check(!(a < 1), #"NOT ("a" < ?)"#, [1])
        #expect(try truth(a < b) == [true, false, nil, nil])
        #expect(try truth(a >= 5) == [false, true, nil, true])
    }

    @Test func arithmetic() throws {
        check(a + 1, #""a" + ?"#, [1])
        check(a - b, #""a" - "b""#)
        check(a * 2, #""a" * ?"#, [2])
        check(a / 2, #""a" / ?"#, [2])
        check(1 + a, #"? + "a""#, [1])
        check(10 - a, #"? - "a""#, [10])
        check(2 * a, #"? * "a""#, [2])
        check(10 / a, #"? / "a""#, [10])
        check(-a, #"-"a""#)
        check(-(a + 1), #"-("a" + ?)"#, [1])
        // Sums of floating-point numbers depend on their order.
        check(a + b + 1, #"("a" + "b") + ?"#, [1])
        check(a + (b + 1), #""a" + ("b" + ?)"#, [1])
        check(a * b * 2, #"("a" * "b") * ?"#, [2])
        check(a & b & 1, #""a" & "b" & ?"#, [1])
        check(a | (b | 1), #""a" | "b" | ?"#, [1])
        check(a - b - 1, #"("a" - "b") - ?"#, [1])
        check(a - (b - 1), #""a" - ("b" - ?)"#, [1])
        check((a + b) * 2, #"("a" + "b") * ?"#, [2])
        check(a * 2 + b * 3, #"("a" * ?) + ("b" * ?)"#, [2, 3])
        #expect(try values(a * 10 + b) == [12.databaseValue, 55.databaseValue, .null, .null])
        #expect(try values(-a - 1) == [(-2).databaseValue, (-6).databaseValue, .null, (-8).databaseValue])
    }

    @Test func bits() throws {
        check(a & 1, #""a" & ?"#, [1])
        check(a | 1, #""a" | ?"#, [1])
        check(a << 1, #""a" << ?"#, [1])
        check(a >> b, #""a" >> "b""#)
        check(1 & a, #"? & "a""#, [1])
        check(1 | a, #"? | "a""#, [1])
        check(1 << a, #"? << "a""#, [1])
        check(1 >> a, #"? >> "a""#, [1])
        check(~a, #"~"a""#)
        #expect(try values(a & 4 | 1).first == 1.databaseValue)
        #expect(try values(~a).first == (-2).databaseValue)
        #expect(try values(a << 3).first == 8.databaseValue)
    }

    @Test func logic() throws {
        check(a == 1 && b == 2, #"("a" = ?) AND ("b" = ?)"#, [1, 2])
        check(a == 1 || b == 2, #"("a" = ?) OR ("b" = ?)"#, [1, 2])
        check(a && b && true, #""a" AND "b" AND ?"#, [true])
        check((a || b) && true, #"("a" OR "b") AND ?"#, [true])
        check(true && a, #"? AND "a""#, [true])
        check(false || a, #"? OR "a""#, [false])
        check(!a, #"NOT "a""#)
        check(!(!a), #"NOT (NOT "a")"#)
        check(!(a && b), #"NOT ("a" AND "b")"#)
        #expect(try truth(a == 1 || b == 3) == [true, false, true, nil])
        #expect(try truth(!(a > 4)) == [true, false, nil, false])
    }

    @Test func containment() throws {
        check([1, 2].contains(a), #""a" IN (?, ?)"#, [1, 2])
        check(Set([1]).contains(a), #""a" = ?"#, [1])
        check(![1].contains(a), #""a" <> ?"#, [1])
        check([b + 1].contains(a), #""a" = ("b" + ?)"#, [1])
        check([DatabaseValue.null].contains(a), #""a" IN (NULL)"#)
        check(([] as [Int]).contains(a), "?", [0])
        check(!([] as [Int]).contains(a), "?", [1])
        #expect(try truth([1].contains(a)) == [true, false, nil, false])
        check(![1, 2].contains(a), #""a" NOT IN (?, ?)"#, [1, 2])
        check([b, a].contains(a + 1), #"("a" + ?) IN ("b", "a")"#, [1])
        check([a + 1, b].contains(a), #""a" IN ("a" + ?, "b")"#, [1])
        let mixed: [any SQLExpressible] = [1, "x", b]
        check(mixed.contains(a), #""a" IN (?, ?, "b")"#, [1, "x"])
        #expect(try truth([1, 5].contains(a)) == [true, true, nil, false])
        #expect(try truth([].contains(a) as SQLExpression).compactMap { $0 } == [false, false, false, false])
        #expect(try truth(!([] as [Int]).contains(a)) == [true, true, true, true])
    }

    @Test func ranges() throws {
        check((1...5).contains(a), #""a" BETWEEN ? AND ?"#, [1, 5])
        check(!(1...5).contains(a), #""a" NOT BETWEEN ? AND ?"#, [1, 5])
        check((1..<5).contains(a), #"("a" >= ?) AND ("a" < ?)"#, [1, 5])
        check(("a"..."z").contains(a), #""a" BETWEEN ? AND ?"#, ["a", "z"])
        check((1...5).contains(a + b), #"("a" + "b") BETWEEN ? AND ?"#, [1, 5])
        check((1...).contains(a), #""a" >= ?"#, [1])
        check((...5).contains(a), #""a" <= ?"#, [5])
        check((..<2.5).contains(a), #""a" < ?"#, [2.5])
        check(!("m"...).contains(a), #"NOT ("a" >= ?)"#, ["m"])
        #expect(try truth((1...5).contains(a)) == [true, true, nil, false])
        #expect(try truth((1..<5).contains(a)) == [true, false, nil, false])
    }

    @Test func patternsAndCollations() throws {
        check(a.like("%x%"), #""a" LIKE ?"#, ["%x%"])
        check(a.like("%x$%", escape: "$"), #""a" LIKE ? ESCAPE ?"#, ["%x$%", "$"])
        check(!a.like("%x%"), #""a" NOT LIKE ?"#, ["%x%"])
        check(a.like(b), #""a" LIKE "b""#)
        check(a.collating(.nocase) == "x", #""a" = ? COLLATE NOCASE"#, ["x"])
        check(a.collating(.nocase) < b.collating(.rtrim), #"("a" COLLATE NOCASE) < ("b" COLLATE RTRIM)"#)
        check(a.collating(.nocase) == b + "x", #""a" = ("b" + ?) COLLATE NOCASE"#, ["x"])
        check((a == "x").collating(.nocase) == true, #"("a" = ? COLLATE NOCASE) = ?"#, ["x", 1])
        check(a.collating(.rtrim), #""a" COLLATE RTRIM"#)
        check(a.collating(.init(rawValue: #"my "own""#)), #""a" COLLATE "my ""own""""#)
        #expect(try evaluated(SQL("'Arthur'").like("ART%")) == true.databaseValue)
        #expect(try evaluated(SQL("'50%'").like("50$%", escape: "$")) == true.databaseValue)
        #expect(try evaluated(SQL("'a'").collating(.nocase) == "A") == true.databaseValue)
    }

    @Test func concatenationAndJoining() throws {
        let terms: [any SQLSpecificExpressible] = [a, b, SQL("c")]
        check(terms.joined(operator: .concat), #""a" || "b" || (c)"#)
        check([a, b].joined(operator: .add), #""a" + "b""#)
        check([a].joined(operator: .and), #""a""#)
        check([a == 1, b == 2].joined(operator: .or), #"("a" = ?) OR ("b" = ?)"#, [1, 2])
        check([a == 1 && b == 2, b > 3].joined(operator: .and), #"("a" = ?) AND ("b" = ?) AND ("b" > ?)"#, [1, 2, 3])
        check([a == 1 && b == 2, b > 3].joined(operator: .or), #"(("a" = ?) AND ("b" = ?)) OR ("b" > ?)"#, [1, 2, 3])
        check(a == 1 && (b == 2 && b > 3), #"("a" = ?) AND ("b" = ?) AND ("b" > ?)"#, [1, 2, 3])
        check(a == 1 || (b == 2 && b > 3), #"("a" = ?) OR (("b" = ?) AND ("b" > ?))"#, [1, 2, 3])
        check([a + 1, b].joined(operator: .add), #"("a" + ?) + "b""#, [1])
        let empty: [SQLExpression] = []
        #expect(try evaluated(empty.joined(operator: .and)) == true.databaseValue)
        #expect(try evaluated(empty.joined(operator: .or)) == false.databaseValue)
        #expect(try evaluated(empty.joined(operator: .add)) == 0.databaseValue)
        #expect(try evaluated(empty.joined(operator: .multiply)) == 1.databaseValue)
        #expect(try evaluated(empty.joined(operator: .concat)) == "".databaseValue)
        #expect(try evaluated(empty.joined(operator: .bitwiseAnd)) == (-1).databaseValue)
        #expect(try evaluated(empty.joined(operator: .bitwiseOr)) == 0.databaseValue)
    }

    @Test func assignments() throws {
        let cases: [(ColumnAssignment, String)] = [
            (a += 1, #""a" = "a" + 1"#), (a -= 1, #""a" = "a" - 1"#), (a *= 2, #""a" = "a" * 2"#),
            (a /= 2, #""a" = "a" / 2"#),
            (a &= 1, #""a" = "a" & 1"#), (a |= 8, #""a" = "a" | 8"#), (a <<= 1, #""a" = "a" << 1"#),
            (a >>= 1, #""a" = "a" >> 1"#), (a.set(to: b), #""a" = "b""#), (a.set(to: nil), #""a" = NULL"#),
            (a.set(to: "x"), #""a" = 'x'"#), (a += b, #""a" = "a" + "b""#),
            (a.set(to: b * 2 + 1), #""a" = ("b" * 2) + 1"#),
        ]
        try inLoggedDatabase("CREATE TABLE t (a, b); INSERT INTO t VALUES (8, 2)") { db, log throws in
            for (assignment, sql) in cases {
                try Table("t").all().updateAll(db, [assignment])
                #expect(log.takeExpanded() == [#"UPDATE "t" SET \#(sql)"#])
            }
            #expect(try Table("t").all().updateAll(db, [a.noOverwrite]) == 0)
        }
    }
}

struct EqualityOfTermsTests {
    /// A Bool is an expression, too: comparing two terms must not become a Bool where SQL is expected.
    @Test func comparedTermsAreSQLWhereSQLIsExpected() throws {
        let one: any SQLExpressible = a == b
        #expect(expressionText(one.sqlExpression).sql == #""a" = "b""#)
        let two: any SQLExpressible = a + 1 == b + 1
        #expect(expressionText(two.sqlExpression).sql == #"("a" + ?) = ("b" + ?)"#)
        let three: any SQLExpressible = SQL("x") == SQL("y")
        #expect(expressionText(three.sqlExpression).sql == "(x) = (y)")
        let four: any SQLExpressible = a != b
        #expect(expressionText(four.sqlExpression).sql == #""a" <> "b""#)
        try inLoggedDatabase { db, log throws in
            try db.create(table: "t") { t in
                t.column("a")
                t.column("b").check { $0 == a }
                t.check(a == b)
            }
            #expect(log.take() == [#"CREATE TABLE "t" ("a", "b" CHECK ("b" = "a"), CHECK ("a" = "b"))"#])
            let request = Table("t").all().group(a).having(max(a) == min(b))
            #expect(try statementText(db, request).sql == #"SELECT * FROM "t" GROUP BY "a" HAVING MAX("a") = MIN("b")"#)
        }
    }

    /// A string literal compared with SQL is a value; SQLite compares two literals.
    @Test func literalsOfSQL() {
        let (x, y, name) = (SQL("x"), SQL("y"), "n")
        let inferred = (x == y, x != y, x == "s", "s" == x, x != "s", "s" != x)
        let expected: [any SQLExpressible] = [
            x == y, x != y, x == "s", "s" == x, x != "s", "s" != x, x == name, name == x, x != name, name != x,
            x == "s" || y != "t", x == "s" && "t" == y,
        ]
        let values: [any SQLExpressible] = [
            inferred.0, inferred.1, inferred.2, inferred.3, inferred.4, inferred.5,
        ]
        let texts = [
            "(x) = (y)", "(x) <> (y)", "(x) = ?", "? = (x)", "(x) <> ?", "? <> (x)", "(x) = ?", "? = (x)", "(x) <> ?",
            "? <> (x)", "((x) = ?) OR ((y) <> ?)", "((x) = ?) AND (? = (y))",
        ]
        #expect(expected.map { expressionText($0.sqlExpression).sql } == texts)
        #expect(values.map { expressionText($0.sqlExpression).sql } == Array(texts[..<6]))
        #expect(expressionText((x == "s").sqlExpression).arguments == ["s"])
        let isSame: Bool = x == SQL("x")
        let isOther: Bool = x != y
        #expect(isSame && isOther)
        #expect(Set([x, y, SQL("x")]).count == 2)
        #expect([x, y] == [SQL("x"), SQL("y")])
    }

    @Test func theyCompareAsValuesToo() {
        let isSameColumn: Bool = a == Column("a")
        let isOtherColumn: Bool = a != b
        let isSameExpression: Bool = a + 1 == a + 1
        #expect(isSameColumn && isOtherColumn && isSameExpression)
        #expect(Set([a, b, Column("a")]).count == 2)
        #expect([a, b] == [Column("a"), Column("b")])
    }
}
