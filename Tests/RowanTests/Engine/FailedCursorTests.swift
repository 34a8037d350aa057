// A failed cursor has not read all its rows, so it never reports the end.

import Rowan
import Testing

@Suite struct FailedCursorTests {
    /// The second row fails.
    private let overflow = "SELECT 1 AS x UNION ALL SELECT abs(-9223372036854775808)"

    @Test func aStepThatFails() throws {
        try DatabaseQueue().read { db in
            let cursor = try Int.fetchCursor(db, sql: overflow)
            #expect(try cursor.next() == 1)
            let first = expectError(.SQLITE_ERROR, "integer overflow") { try cursor.next() }
            let second = expectError(.SQLITE_ERROR, "integer overflow") { try cursor.next() }
            #expect(first?.description == second?.description)
            #expect(second?.sql == overflow)
        }
    }

    @Test func theFirstStepFails() throws {
        try DatabaseQueue().read { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT abs(-9223372036854775808)")
            for _ in 1...2 { expectError(.SQLITE_ERROR, "integer overflow") { try cursor.next() } }
        }
    }

    @Test func argumentsAreMissing() throws {
        try DatabaseQueue().read { db in
            let cursor = try Row.fetchCursor(db.makeStatement(sql: "SELECT ?"))
            for _ in 1...2 { expectError(.SQLITE_MISUSE) { try cursor.next() } }
        }
    }

    @Test func anAdapterFails() throws {
        try DatabaseQueue().read { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT 1 AS x", adapter: ColumnMapping(["y": "z"]))
            for _ in 1...2 { expectError(.SQLITE_MISUSE) { try cursor.next() } }
        }
    }

    /// A decoding error does not end the cursor: the next element is that of the next row.
    @Test func anElementThatDoesNotDecode() throws {
        try DatabaseQueue().read { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT NULL UNION ALL SELECT 3")
            #expect(try cursor.next() == 1)
            expectDecodingError("could not decode Int from database value NULL") { try cursor.next() }
            #expect(try cursor.next() == 3)
            #expect(try cursor.next() == nil)
            #expect(try cursor.next() == nil)
        }
    }

    @Test func aCombinatorFailsAgain() throws {
        try DatabaseQueue().read { db in
            let cursor = try Int.fetchCursor(db, sql: overflow)
            let doubled = cursor.map { $0 * 2 }
            #expect(try doubled.next() == 2)
            for _ in 1...2 { expectError(.SQLITE_ERROR, "integer overflow") { try doubled.next() } }
        }
    }

    private static let rolledBack =
        "the cursor can't continue because its transaction was rolled back: fetch again"

    private struct Refusal: Error {}

    /// A rollback resets an interrupted cursor that would prevent it.
    @Test(arguments: 1...2) func theTransactionIsRolledBack(times: Int) throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
            var cursors: [DatabaseValueCursor<Int>] = []
            for _ in 1...times { #expect(throws: Refusal.self) { try rollBack(queue, db, &cursors) } }
            for cursor in cursors {
                for _ in 1...2 { expectError(.SQLITE_MISUSE, Self.rolledBack) { try cursor.next() } }
            }
        }
    }

    private func rollBack(_ queue: DatabaseQueue, _ db: Database, _ cursors: inout [DatabaseValueCursor<Int>]) throws {
        try db.inSavepoint {
            try db.execute(sql: "INSERT INTO t VALUES (3)")
            let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
            _ = try cursor.next()
            cursors.append(cursor)
            queue.interrupt()
            throw Refusal()
        }
    }

    @Test func anotherAccessIsNoRollback() throws {
        let queue = try DatabaseQueue()
        let kept = Kept()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
            kept.cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
            _ = try kept.cursor?.next()
        }
        try queue.write { db in
            var cursors: [DatabaseValueCursor<Int>] = []
            #expect(throws: Refusal.self) { try rollBack(queue, db, &cursors) }
            let error = expectError(.SQLITE_MISUSE) { try kept.cursor?.next() }
            #expect(error?.message?.contains("outside the access") == true)
        }
        kept.cursor = nil
    }

    private final class Kept: @unchecked Sendable {
        // Only one access at a time uses it.
        var cursor: DatabaseValueCursor<Int>?
    }
}
