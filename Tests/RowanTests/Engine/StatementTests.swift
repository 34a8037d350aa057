// Prepared statements: arguments, the cache, reuse, errors.

import Foundation
import Rowan
import Testing

@Suite
struct StatementTests {
    private func values(_ sql: String, _ arguments: StatementArguments) throws -> [Int?] {
        try withDatabase { db in
            let row = try #require(try Row.fetchOne(db, sql: sql, arguments: arguments))
            return row.map { Int.fromDatabaseValue($0.1) }
        }
    }

    @Test func arguments() throws {
        try #expect(values("SELECT ?, ?", [1, 2]) == [1, 2])
        try #expect(values("SELECT ?, ?", [1, nil]) == [1, nil])
        try #expect(values("SELECT :a, @b, $c", ["a": 1, "b": 2, "c": 3]) == [1, 2, 3])
        try #expect(values("SELECT :a, :b, :a", ["a": 1, "b": 2]) == [1, 2, 1])
        try #expect(values("SELECT :a, :b", [1, 2]) == [1, 2])
        try #expect(values("SELECT ?2, ?1", [1, 2]) == [2, 1])
        try #expect(values("SELECT ?, :b, ?", [1, 3] + ["b": 2]) == [1, 2, 3])
        try #expect(values("SELECT :a, ?", [2] &+ ["a": 1]) == [1, 2])
    }

    @Test func combinedArguments() throws {
        var arguments: StatementArguments = [1]
        arguments += ["a": 2]
        let replaced = arguments.append(contentsOf: ["a": 3, "b": 4])
        #expect(replaced == ["a": 2.databaseValue])
        #expect(arguments.description == "[1, \"a\": 3, \"b\": 4]")
        #expect((["a": 1] &+ ["a": 2] as StatementArguments) == ["a": 2])
        #expect(StatementArguments([1, Thread()] as [Any]) == nil)
        #expect(StatementArguments(["a", 1] as [Any]) == ["a", 1])
        #expect(StatementArguments(["a": 1] as [AnyHashable: Any]) == ["a": 1])
        #expect(StatementArguments([1, 2, 3]) == [1, 2, 3])
        #expect(StatementArguments(["x", nil]) == ["x", nil])
        #expect(StatementArguments().isEmpty)
    }

    /// One statement with dictionaries that have their names in different orders, sometimes with too few or too many
    /// names.
    @Test func namedArgumentsOfOneStatement() throws {
        var random = SeededGenerator(seed: 7)
        try withDatabase { db in
            let names = ["a", "b", "name", "überschrift", "a name of many bytes"].map { $0.replacing(" ", with: "_") }
            let list = names.map { ":\($0)" }.joined(separator: ", ")
            let statement = try db.makeStatement(sql: "SELECT json_array(\(list))")
            let twice = try db.makeStatement(sql: "SELECT :a || @a || $b")
            for round in 0..<300 {
                var named: [String: (any DatabaseValueConvertible)?] = [:]
                // The capacity also affects the order.
                if round.isMultiple(of: 3) { named.reserveCapacity(1 << (round % 8)) }
                let missing = round % 5 == 4 ? names.randomElement(using: &random) : nil
                for name in names.shuffled(using: &random) where name != missing {
                    named[name] = "\(name)\(round)"
                }
                if round % 7 == 6 { named["other"] = 0 }
                if let missing {
                    let (arguments, row) = try (statement.arguments, String.fetchOne(statement))
                    expectError(.SQLITE_MISUSE, "missing statement argument: \(missing)") {
                        try statement.setArguments(StatementArguments(named))
                    }
                    #expect(statement.arguments == arguments)
                    try #expect(String.fetchOne(statement) == row)
                } else {
                    let values = names.map { "\"\($0)\(round)\"" }.joined(separator: ",")
                    try #expect(String.fetchOne(statement, arguments: StatementArguments(named)) == "[\(values)]")
                    // Only some of the names have changed.
                    let (x, y) = ("x\(round)", "y")
                    try #expect(String.fetchOne(twice, arguments: ["a": x, "b": y]) == x + x + y)
                }
            }
        }
    }

    @Test func wrongArguments() throws {
        try withDatabase { db in
            let cases: [(String, StatementArguments, String)] = [
                ("SELECT ?", [], "wrong number of statement arguments: 0"),
                ("SELECT ?", [1, 2], "wrong number of statement arguments: 2"),
                ("SELECT 1", [1], "wrong number of statement arguments: 1"),
                ("SELECT ?, ?", [1], "wrong number of statement arguments: 1"),
                ("SELECT :a, :b", ["a": 1], "missing statement argument: b"),
                ("SELECT :a", ["A": 1], "missing statement argument: a"),
                ("SELECT :a, :b, ?", [], "missing statement arguments: a, b"),
                ("SELECT :a, :b, ?", ["a": 1, "b": 2], "wrong number of statement arguments: 0"),
                ("SELECT :a, :b", [1], "missing statement argument: b"),
            ]
            for (sql, arguments, message) in cases {
                let error = expectError(.SQLITE_MISUSE, message) {
                    try Row.fetchAll(db, sql: sql, arguments: arguments)
                }
                #expect(error?.sql == sql)
                expectError(.SQLITE_MISUSE, message) { try db.execute(sql: sql, arguments: arguments) }
                let statement = try db.makeStatement(sql: sql)
                expectError(.SQLITE_MISUSE, message) { try statement.setArguments(arguments) }
                expectError(.SQLITE_MISUSE) { try statement.validateArguments(arguments) }
            }
            let statement = try db.makeStatement(sql: "SELECT ?")
            expectError(.SQLITE_MISUSE) { try Row.fetchAll(statement) }
            statement.setUncheckedArguments([1, 2])
            try #expect(Int.fetchOne(statement) == 1)
            statement.setUncheckedArguments([])
            try #expect(DatabaseValue.fetchOne(statement) == .null)
        }
    }

    @Test func aStatementIsReused() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x UNIQUE)")
            let insert = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            for value in 1...3 { try insert.execute(arguments: [value]) }
            #expect(insert.arguments == [3])
            // Also after an error.
            expectError(.SQLITE_CONSTRAINT_UNIQUE) { try insert.execute() }
            try insert.execute(arguments: [4])
            try #expect(db.values() == [1, 2, 3, 4])
            #expect(!insert.isReadonly)
            #expect(insert.columnCount == 0)
            let select = try db.makeStatement(sql: "SELECT x, x + 1 AS y FROM t WHERE x > ?")
            #expect(select.isReadonly)
            #expect(select.columnNames == ["x", "y"])
            #expect(select.index(ofColumn: "Y") == 1)
            #expect(select.description == "SELECT x, x + 1 AS y FROM t WHERE x > ?")
            try #expect(Int.fetchAll(select, arguments: [2]) == [3, 4])
            try #expect(Int.fetchAll(select) == [3, 4])
            try #expect(Int.fetchAll(select, arguments: [3]) == [4])
            try #expect(Int.fetchSet(select, arguments: [2]) == [3, 4])
        }
    }

    @Test func aStatementSeesANewSchema() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)")
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            try #expect(Row.fetchAll(statement) == [["x": 1]])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN y DEFAULT 2")
            try #expect(Row.fetchAll(statement) == [["x": 1, "y": 2]])
            #expect(statement.columnNames == ["x", "y"])
            try db.execute(sql: "DROP TABLE t")
            expectError(.SQLITE_ERROR, "no such table: t") { try Row.fetchAll(statement) }
        }
    }

    @Test func theCache() throws {
        try withDatabase { db in
            let sql = "SELECT 1 UNION ALL SELECT 2"
            let first = try db.cachedStatement(sql: sql)
            try #expect(db.cachedStatement(sql: sql) === first)
            // A busy statement is not shared: cursors with the same text are independent.
            let one = try Int.fetchCursor(db, sql: sql)
            let other = try Int.fetchCursor(db, sql: sql)
            try #expect(one.next() == 1)
            try #expect(other.next() == 1)
            try #expect(Int.fetchAll(db, sql: sql) == [1, 2])
            try #expect(one.next() == 2)
            try #expect(other.next() == 2)
            #expect(one.statement !== other.statement)
            try #expect(one.next() == nil)
            try #expect(db.cachedStatement(sql: sql) === first)
            db.releaseMemory()
            try #expect(db.cachedStatement(sql: sql) !== first)
        }
    }

    @Test func manyStatements() throws {
        try withDatabase { db in
            for index in 0..<1_000 { try #expect(Int.fetchOne(db, sql: "SELECT \(index)") == index) }
            for index in 0..<1_000 { try #expect(Int.fetchOne(db, sql: "SELECT \(index)") == index) }
        }
    }

    @Test func aStatementInUse() throws {
        try withDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT 1 UNION ALL SELECT 2")
            var cursor: DatabaseValueCursor<Int>? = try Int.fetchCursor(statement)
            _ = try cursor?.next()
            expectError(.SQLITE_MISUSE) { try Int.fetchCursor(statement) }
            expectError(.SQLITE_MISUSE) { try statement.execute() }
            withExtendedLifetime(cursor) {}
            cursor = nil
            try #expect(Int.fetchAll(statement) == [1, 2])
            // A finished or failed cursor releases it.
            let ended = try Int.fetchCursor(statement)
            while try ended.next() != nil {}
            try #expect(Int.fetchAll(statement) == [1, 2])
        }
    }

    @Test func returning() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let sql = "INSERT INTO t VALUES (1), (2), (3) RETURNING x * 10"
            try #expect(Int.fetchAll(db, sql: sql) == [10, 20, 30])
            // All rows are inserted, although not all are fetched.
            try #expect(Int.fetchOne(db, sql: sql) == 10)
            try db.execute(sql: sql)
            try #expect(db.values().count == 9)
            let deleted = try Int.fetchSet(db, sql: "DELETE FROM t RETURNING x")
            #expect(deleted == [1, 2, 3])
        }
    }

    @Test func errors() throws {
        try withDatabase { db in
            let error = expectError(.SQLITE_ERROR, "near \"SELEC\": syntax error") {
                try Row.fetchOne(db, sql: "SELEC 1")
            }
            #expect(error?.sql == "SELEC 1")
            #expect(error?.description == "SQLite error 1: near \"SELEC\": syntax error - while executing `SELEC 1`")
            let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT abs(-9223372036854775808)")
            try #expect(cursor.next() == 1)
            for _ in 1...2 { expectError(.SQLITE_ERROR, "integer overflow") { try cursor.next() } }
        }
    }

    /// An error shows the arguments of the failed execution, not those of a previous one.
    @Test func anErrorShowsTheArgumentsOfItsExecution() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x CHECK (x > 0))")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            let refused = [DatabaseValue(storage: .int64(-1))]
            let runs: [(Statement) throws -> Void] = [
                { try $0.run(binding: refused, order: nil) },
                { try $0.run(binding: [.null] + refused, order: [1]) },
                { try $0.run(binding: [refused], then: []) },
                { try $0.run(binding: [], then: refused) },
            ]
            for run in runs {
                try statement.execute(arguments: [1])
                let error = expectError(.SQLITE_CONSTRAINT) { try run(statement) }
                #expect(error?.arguments == [-1])
                #expect(statement.arguments == [])
            }
        }
    }
}
