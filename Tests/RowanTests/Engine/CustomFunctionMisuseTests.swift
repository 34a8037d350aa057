// Functions and collations that violate SQLite's expectations, and errors with success codes.

import Foundation
import Rowan
import Testing

struct CustomFunctionMisuseTests {
    struct Thrown: DatabaseAggregate {
        // Only set by the test that uses it.
        nonisolated(unsafe) static var error = DatabaseError()
        nonisolated(unsafe) static var failsInStep = false
        mutating func step(_ dbValues: [DatabaseValue]) throws { if Self.failsInStep { throw Self.error } }
        func finalize() throws -> (any DatabaseValueConvertible)? { throw Self.error }
    }

    /// Success codes aren't errors: SQLite would interpret them literally.
    @Test func codesThatAreNoErrors() throws {
        try withDatabase { db in
            for code: CInt in [0, 100, 101, 256, 512, 100 | 256, 101 | 256] {
                let thrown = DatabaseError(resultCode: ResultCode(rawValue: code), message: "refused")
                db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in throw thrown })
                expectError(.SQLITE_ERROR, "refused") { try Row.fetchAll(db, sql: "SELECT f()") }
                expectError(.SQLITE_ERROR, "refused") { try db.execute(sql: "SELECT f()") }
                db.add(function: DatabaseFunction("g", argumentCount: 1, aggregate: Thrown.self))
                Thrown.error = thrown
                for failsInStep in [false, true] {
                    Thrown.failsInStep = failsInStep
                    expectError(.SQLITE_ERROR, "refused") { try Row.fetchAll(db, sql: "SELECT g(1)") }
                }
            }
            try #expect(Int.fetchOne(db, sql: "SELECT 1") == 1)
        }
    }

    @Test func messagesOfErrors() throws {
        struct Failure: Error, CustomStringConvertible { var description: String }
        try withDatabase { db in
            for message in ["", "%s %n", "a\0b", String(repeating: "é", count: 100_000)] {
                db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in throw Failure(description: message) })
                let error = expectError(.SQLITE_ERROR) { try Row.fetchAll(db, sql: "SELECT f()") }
                #expect(error?.message == String(message.prefix { $0 != "\0" }))
            }
        }
    }

    final class Token: Sendable {
        static let living = Log<Int>()
        init() { Self.living.append(1) }
        deinit { Self.living.append(-1) }
    }

    struct Leaky: DatabaseAggregate {
        struct Failure: Error {}
        let token = Token()
        var count = 0
        mutating func step(_ dbValues: [DatabaseValue]) throws {
            count += 1
            if dbValues[0] == 3.databaseValue { throw Failure() }
        }
        func finalize() throws -> (any DatabaseValueConvertible)? { throw Failure() }
    }

    /// However an aggregate ends, its state is released.
    @Test func statesOfAggregatesAreReleased() throws {
        try withDatabase { db in
            db.add(function: DatabaseFunction("f", argumentCount: 1, aggregate: Leaky.self))
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2), (3), (4)")
            for sql in [
                "SELECT f(x) FROM t", "SELECT f(x) FROM t WHERE x < 3", "SELECT f(x) FROM t WHERE 0",
                "SELECT f(x) FROM t GROUP BY x", "SELECT f(x), f(x + 1), f(1) FROM t WHERE x <> 3",
            ] {
                expectError(.SQLITE_ERROR) { try Row.fetchAll(db, sql: sql) }
            }
            // A group abandoned before its end.
            let cursor = try Row.fetchCursor(db, sql: "SELECT x FROM t UNION ALL SELECT f(x) FROM t")
            _ = try cursor.next()
        }
        #expect(!Token.living.elements.isEmpty)
        #expect(Token.living.elements.reduce(0, +) == 0)
    }

    /// The methods that define functions can't throw, so the statements that use the definition do.
    @Test func definitionsThatSQLiteRefuses() throws {
        try withDatabase { db in
            let long = String(repeating: "f", count: 300)
            let refused: [(DatabaseFunction, sql: String, reason: String)] = [
                (DatabaseFunction(long) { _ in 1 }, "SELECT \(long)()", "its name has 300 bytes; use at most 255"),
                (
                    DatabaseFunction("nul\0g") { _ in 1 }, "SELECT NUL()",
                    "its name contains a NUL character; remove it"
                ),
                (
                    DatabaseFunction("negative", argumentCount: -2) { _ in 1 }, "SELECT negative(1)",
                    "its argumentCount is -2; pass a positive number, zero, or nil for any number of arguments"
                ),
                (
                    DatabaseFunction("many", argumentCount: 20_000) { _ in 1 }, "SELECT many()",
                    "its argumentCount is 20000, more than SQLite accepts; pass nil, for any number of arguments"
                ),
            ]
            for (function, sql, reason) in refused {
                db.add(function: function)
                let name = function.name.prefix { $0 != "\0" }.prefix(40)
                expectError(
                    .SQLITE_MISUSE,
                    "the function \(name)\(function.name.count > 40 ? "…" : "") could not be added: \(reason)"
                ) { try Row.fetchAll(db, sql: sql) }
            }
            // Other statements and functions are not affected.
            try #expect(Int.fetchOne(db, sql: "SELECT abs(-1)") == 1)
            expectError(.SQLITE_ERROR, "no such function: other") { try Row.fetchAll(db, sql: "SELECT other()") }
            // A valid definition replaces the rejected one.
            db.add(function: DatabaseFunction("many", argumentCount: 0) { _ in 7 })
            try #expect(Int.fetchOne(db, sql: "SELECT many()") == 7)
        }
        try withDatabase { db in
            db.add(collation: DatabaseCollation("nul\0c") { _, _ in .orderedSame })
            expectError(
                .SQLITE_MISUSE,
                "the collation nul could not be added: its name contains a NUL character; remove it"
            ) { try Row.fetchAll(db, sql: "SELECT 'a' = 'b' COLLATE nul") }
            try #expect(Int.fetchOne(db, sql: "SELECT 'a' = 'A' COLLATE nocase") == 1)
        }
    }

    /// SQLite replaces no definition while a statement is running. Statements that would use the previous one fail
    /// until then.
    @Test func functionsReplacedWhileStatementsRun() throws {
        try withDatabase { db in
            let reason =
                "could not be replaced while a statement was running on this connection: release cursors, or make the "
                + "change in Configuration.prepareDatabase"
            func function(_ value: Int) -> DatabaseFunction { DatabaseFunction("f", argumentCount: 0) { _ in value } }
            db.add(function: function(1))
            let cached = try db.cachedStatement(sql: "SELECT f()")
            try #expect(Int.fetchOne(cached) == 1)
            do {
                let cursor = try Row.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
                _ = try cursor.next()
                db.add(function: function(2))
                for _ in 1...2 {
                    expectError(.SQLITE_BUSY, "the function f \(reason)") { try Int.fetchOne(db, sql: "SELECT f()") }
                    expectError(.SQLITE_BUSY) {
                        try Int.fetchOne(db.cachedStatement(sql: "SELECT f()"))
                    }
                    try #expect(Int.fetchOne(db, sql: "SELECT 3") == 3)
                }
                #expect(try cursor.next() != nil)
            }
            // The definition takes effect as soon as SQLite accepts it.
            try #expect(Int.fetchOne(db, sql: "SELECT f()") == 2)
            do {
                let cursor = try Row.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
                _ = try cursor.next()
                db.remove(function: function(0))
                expectError(
                    .SQLITE_BUSY, "the function f \(reason.replacing("replaced", with: "removed"))"
                ) { try Int.fetchOne(db, sql: "SELECT f()") }
                #expect(try cursor.next() != nil)
            }
            expectError(.SQLITE_ERROR, "no such function: f") { try Int.fetchOne(db, sql: "SELECT f()") }
        }
    }

    @Test func collationsReplacedWhileStatementsRun() throws {
        try withDatabase { db in
            func collation(_ result: ComparisonResult) -> DatabaseCollation {
                DatabaseCollation("c") { _, _ in result }
            }
            try db.execute(sql: "SELECT 1")
            db.add(collation: collation(.orderedSame))
            try #expect(Int.fetchOne(db, sql: "SELECT 'a' = 'b' COLLATE c") == 1)
            for isRemoval in [false, true] {
                do {
                    let cursor = try Row.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
                    _ = try cursor.next()
                    isRemoval
                        ? db.remove(collation: collation(.orderedSame))
                        : db.add(collation: collation(.orderedAscending))
                    // SQLite does not report which statements use a collation.
                    expectError(
                        .SQLITE_BUSY,
                        "the collation c could not be \(isRemoval ? "removed" : "replaced") while a statement was running "
                            + "on this connection: release cursors, or make the change in Configuration.prepareDatabase"
                    ) { try Int.fetchOne(db, sql: "SELECT 'a' = 'b' COLLATE c") }
                    #expect(try cursor.next() != nil)
                }
                guard isRemoval else {
                    try #expect(Int.fetchOne(db, sql: "SELECT 'a' = 'b' COLLATE c") == 0)
                    continue
                }
                expectError(.SQLITE_ERROR, "no such collation sequence: c") {
                    try Int.fetchOne(db, sql: "SELECT 'a' = 'b' COLLATE c")
                }
            }
        }
    }

    /// New definitions don't affect running statements.
    @Test func additionsWhileStatementsRun() throws {
        try withDatabase { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
            _ = try cursor.next()
            db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in 1 })
            db.add(collation: DatabaseCollation("c") { _, _ in .orderedSame })
            #expect(try Int.fetchOne(db, sql: "SELECT f() ORDER BY 'a' COLLATE c") == 1)
            #expect(try cursor.next() != nil)
        }
    }
}
