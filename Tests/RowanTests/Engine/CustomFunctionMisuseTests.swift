// Functions and collations that are not what SQLite expects, and errors that are none.

import Foundation
import Rowan
import Testing

struct CustomFunctionMisuseTests {
    struct Thrown: DatabaseAggregate {
        // Set by the test that runs it, alone.
        nonisolated(unsafe) static var error = DatabaseError()
        nonisolated(unsafe) static var failsInStep = false
        mutating func step(_ dbValues: [DatabaseValue]) throws { if Self.failsInStep { throw Self.error } }
        func finalize() throws -> (any DatabaseValueConvertible)? { throw Self.error }
    }

    /// Success codes are not errors: SQLite would interpret them literally.
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
            // A group that is left before its end.
            let cursor = try Row.fetchCursor(db, sql: "SELECT x FROM t UNION ALL SELECT f(x) FROM t")
            _ = try cursor.next()
        }
        #expect(!Token.living.elements.isEmpty)
        #expect(Token.living.elements.reduce(0, +) == 0)
    }

    private func expectExit(
        _ part: String, _ result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains(part), "\(text)", sourceLocation: sourceLocation)
    }

    @Test func definitionsThatSQLiteRefuses() async {
        expectExit(
            "has 300 bytes: use at most 255",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = DatabaseFunction(String(repeating: "f", count: 300)) { _ in nil }
            })
        expectExit(
            "contains a NUL character",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = DatabaseFunction("f\0g") { _ in nil }
            })
        expectExit(
            "contains a NUL character",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = DatabaseCollation("f\0g") { _, _ in .orderedSame }
            })
        expectExit(
            "the argumentCount of the function f is -2",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = DatabaseFunction("f", argumentCount: -2) { _ in nil }
            })
        expectExit(
            "has 20000 arguments",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let function = DatabaseFunction("f", argumentCount: 20_000) { _ in nil }
                try withDatabase { $0.add(function: function) }
            })
    }

    @Test func changesWhileStatementsRun() async {
        expectExit(
            "could not replace function f",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try withDatabase { db in
                    let function = DatabaseFunction("f", argumentCount: 0) { _ in 1 }
                    db.add(function: function)
                    let cursor = try Row.fetchCursor(db, sql: "SELECT 1")
                    _ = try cursor.next()
                    db.add(function: function)
                }
            })
        expectExit(
            "could not remove collation c",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try withDatabase { db in
                    let collation = DatabaseCollation("c") { _, _ in .orderedSame }
                    db.add(collation: collation)
                    let cursor = try Row.fetchCursor(db, sql: "SELECT 1")
                    _ = try cursor.next()
                    db.remove(collation: collation)
                }
            })
    }

    /// New definitions disturb nobody.
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
