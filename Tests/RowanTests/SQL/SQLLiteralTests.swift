// SQL literals: values are bound, names are quoted, and the arguments are in text order.

import Foundation
import Rowan
import Testing

@Suite
struct SQLLiteralTests {
    enum CodingKeys: String, CodingKey { case name, firstName = "first name" }
    enum Columns { static let score = Column("score") }

    private func check(
        _ literal: SQL, _ sql: String, _ arguments: StatementArguments = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withDatabase { db in
            let built = try literal.build(db)
            #expect(built.sql == sql, sourceLocation: sourceLocation)
            #expect(built.arguments == arguments, sourceLocation: sourceLocation)
        }
    }

    @Test func values() throws {
        try check(
            "UPDATE player SET name = \("O'Brien") WHERE id = \(42)", "UPDATE player SET name = ? WHERE id = ?",
            ["O'Brien", 42])
        try check("SELECT \(1.5), \(true), \(Data([1]))", "SELECT ?, ?, ?", [1.5, true, Data([1])])
        try check("SELECT \(nil as Int?), \(3 as Int?)", "SELECT NULL, ?", [3])
        let erased: (any SQLExpressible)? = "x"
        try check("SELECT \(erased)", "SELECT ?", ["x"])
        try check("SELECT '?', \(1)", "SELECT '?', ?", [1])
        try check("plain", "plain")
    }

    @Test func names() throws {
        try check("SELECT \(Column("name")) FROM t", "SELECT \"name\" FROM t")
        try check("SELECT \(Columns.score)", "SELECT \"score\"")
        try check("SELECT \(CodingKeys.name), \(CodingKeys.firstName)", "SELECT \"name\", \"first name\"")
        try check("SELECT \(identifier: "a\"b")", "SELECT \"a\"\"b\"")
        try check("SELECT \(sql: "a + ?", arguments: [1])", "SELECT a + ?", [1])
        try check("ORDER BY x COLLATE \(.nocase)", "ORDER BY x COLLATE NOCASE")
        try check("ORDER BY \(Column("name").desc)", "ORDER BY \"name\" DESC")
    }

    @Test func expressions() throws {
        try check("SELECT \(Columns.score + 100) AS points", "SELECT (\"score\" + ?) AS points", [100])
        try check(
            "WHERE \(Columns.score > 10 && Columns.score < 20)", "WHERE ((\"score\" > ?) AND (\"score\" < ?))",
            [10, 20])
    }

    @Test func sequences() throws {
        try check("WHERE id IN \([1, 2, 3])", "WHERE id IN (?,?,?)", [1, 2, 3])
        try check("WHERE id IN \(Set([7]))", "WHERE id IN (?)", [7])
        let mixed: [any SQLExpressible] = [1, "a", Column("x")]
        try check("WHERE id IN \(mixed)", "WHERE id IN (?,?,\"x\")", [1, "a"])
        try withDatabase { db in
            let none: [Int] = []
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)")
            func count(_ literal: SQL) throws -> Int { try Int.fetchAll(db, SQLRequest<Int>(literal: literal)).count }
            try #expect(count("SELECT x FROM t WHERE x IN \(none)") == 0)
            try #expect(count("SELECT x FROM t WHERE x NOT IN \(none)") == 2)
            try #expect(count("SELECT x FROM t WHERE x NOT IN \([1])") == 1)
        }
    }

    @Test func literalsOfLiterals() throws {
        let condition: SQL = "name = \("O'Brien")"
        try check(
            "WHERE \(literal: condition) AND \(condition)", "WHERE name = ? AND name = ?", ["O'Brien", "O'Brien"])
        var query: SQL = "UPDATE player "
        query += "SET name = \("a") "
        query.append(literal: "WHERE id = \(1)")
        query.append(sql: " AND x = ?", arguments: [2])
        try check(query, "UPDATE player SET name = ? WHERE id = ? AND x = ?", ["a", 1, 2])
        try check(["a = \(1)", "b = \(2)"].joined(separator: " AND "), "a = ? AND b = ?", [1, 2])
        try check([SQL]().joined(separator: ", "), "")
        try check("a \(1)" + " b \(2)" as SQL, "a ? b ?", [1, 2])
        #expect(SQL("").isEmpty && !SQL("a").isEmpty)
        #expect(("a \(1)" as SQL) == "a \(1)")
        #expect(("a \(1)" as SQL) != "a \(2)")
    }

    @Test func subqueries() throws {
        let maximum: SQLRequest<Int> = "SELECT MAX(score) FROM player WHERE team = \("Reds")"
        try check(
            "SELECT * FROM player WHERE score = (\(maximum)) AND id > \(1)",
            "SELECT * FROM player WHERE score = (SELECT MAX(score) FROM player WHERE team = ?) AND id > ?", ["Reds", 1])
    }

    @Test func execution() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name)")
            let injection = "'); DROP TABLE player; --"
            try db.execute(literal: "INSERT INTO player(name) VALUES (\(injection))")
            try db.execute(
                literal: "INSERT INTO player(name) VALUES (\("a")); INSERT INTO player(name) VALUES (\("b"))")
            try #expect(String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id") == [injection, "a", "b"])
            let request: SQLRequest<String> = "SELECT name FROM player WHERE id IN \([2, 3]) ORDER BY id"
            try #expect(request.fetchAll(db) == ["a", "b"])
            try #expect(request.fetchOne(db) == "a")
            try #expect(request.fetchCount(db) == 2)
            try #expect(request.fetchSet(db) == ["a", "b"])
            let statement = try db.makeStatement(literal: "SELECT name FROM player WHERE id = \(2)")
            try #expect(String.fetchOne(statement) == "a")
            try #expect(String.fetchOne(statement, arguments: [3]) == "b")
            let cached = try db.cachedStatement(literal: "SELECT name FROM player WHERE id = \(3)")
            try #expect(String.fetchOne(cached) == "b")
            let statements = try db.allStatements(literal: "SELECT \(1); SELECT \(2)")
            var values: [Int?] = []
            while let next = try statements.next() { values.append(try Int.fetchOne(next)) }
            #expect(values == [1, 2])
        }
    }
}
