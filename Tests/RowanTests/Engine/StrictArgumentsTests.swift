// Named arguments without a parameter: ignored, unless the configuration is strict.

import Foundation
import Rowan
import Testing

@Suite struct StrictArgumentsTests {
    private func values(_ db: Database) throws -> [Int] { try Int.fetchAll(db, sql: "SELECT x FROM t") }

    @Test func unusedNamesAreIgnored() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let arguments: StatementArguments = ["a": 1, "y": 2, "z": nil]
            try db.execute(sql: "INSERT INTO t VALUES (:a)", arguments: arguments)
            try db.execute(sql: "INSERT INTO t VALUES (:a); INSERT INTO t VALUES (:y)", arguments: arguments)
            #expect(try values(db) == [1, 1, 2])
            #expect(try Int.fetchOne(db, sql: "SELECT :y", arguments: arguments) == 2)
            #expect(try Int.fetchOne(db, sql: "SELECT 7", arguments: arguments) == 7)
            let statement = try db.makeStatement(sql: "SELECT :y, ?")
            try statement.setArguments([5] + arguments)
            #expect(try Row.fetchOne(statement).map { Array($0.databaseValues) } == [2.databaseValue, 5.databaseValue])
            try statement.validateArguments([5] + arguments)
            let request = SQLRequest<Int>(sql: "SELECT :a + :y", arguments: arguments)
            #expect(try request.fetchOne(db) == 3)
            let statements = try db.allStatements(sql: "SELECT :a; SELECT :y", arguments: arguments)
            var found: [Int?] = []
            while let statement = try statements.next() { found.append(try Int.fetchOne(statement)) }
            #expect(found == [1, 2])
        }
    }

    /// The option does not affect positional arguments.
    @Test func positionalArgumentsStayCounted() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 2") {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [1, 2] + ["z": 1])
            }
            expectError(.SQLITE_MISUSE, "missing statement argument: a") {
                try db.execute(sql: "INSERT INTO t VALUES (:a)", arguments: ["z": 1])
            }
            expectError(.SQLITE_MISUSE, "1 unused statement argument(s)") {
                try db.execute(
                    sql: "INSERT INTO t VALUES (?); INSERT INTO t VALUES (:a)", arguments: [1, 2] + ["a": 1, "z": 3])
            }
            #expect(try values(db) == [1, 1])
        }
    }

    @Test func strictArguments() throws {
        var configuration = Configuration()
        configuration.strictArguments = true
        try DatabaseQueue(configuration: configuration).write { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            expectError(.SQLITE_MISUSE, "unknown statement argument: z") {
                try db.execute(sql: "INSERT INTO t VALUES (:a)", arguments: ["a": 1, "z": 2])
            }
            expectError(.SQLITE_MISUSE, "unknown statement arguments: y, z") {
                try Int.fetchAll(db, sql: "SELECT :a", arguments: ["a": 1, "y": 2, "z": 2])
            }
            expectError(.SQLITE_MISUSE, "unknown statement argument: z") {
                try db.makeStatement(sql: "SELECT 1").validateArguments(["z": 2])
            }
            #expect(try values(db).isEmpty)
            expectError(.SQLITE_MISUSE, "1 unused statement argument(s): z") {
                try db.execute(
                    sql: "INSERT INTO t VALUES (:a); INSERT INTO t VALUES (:a)", arguments: ["a": 1, "z": 2])
            }
            #expect(try values(db) == [1, 1])
            try db.execute(
                sql: "INSERT INTO t VALUES (:a); INSERT INTO t VALUES (:b)", arguments: ["a": 3, "b": 4])
            #expect(try values(db) == [1, 1, 3, 4])
        }
    }
}
