// Rollbacks during an interruption, a cursor and a function.

import RowanSQLite
import Foundation
import Testing

@testable import Rowan

@Suite(.tags(.runsOnClusters))
struct TransactionRollbackTests {
    /// Rows inserted in pairs: half a pair means that a savepoint was not completely rolled back.
    @Test(arguments: ConnectionKind.allCases)
    func aSavepointRollsBackWhileACursorIsInterrupted(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.write { db in
                try db.insert(3)
                var kept: DatabaseValueCursor<Int>?
                expectRefusal {
                    try db.inSavepoint {
                        try db.insert(200)
                        let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
                        _ = try cursor.next()
                        kept = cursor
                        writer.interrupt()
                        throw Refusal()
                    }
                }
                // Its statement was reset and does not start again. A cluster needs no reset to roll back.
                if let kept { expectError(kind == .cluster ? .SQLITE_INTERRUPT : .SQLITE_MISUSE) { try kept.next() } }
                try db.insert(100)
            }
            try #expect(writer.values() == [1, 2, 3, 100])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aTransactionRollsBackWhileACursorIsInterrupted(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            var kept: [DatabaseValueCursor<Int>] = []
            expectRefusal {
                try writer.write { db in
                    try db.insert(3)
                    let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
                    _ = try cursor.next()
                    kept.append(cursor)
                    writer.interrupt()
                    throw Refusal()
                }
            }
            try #expect(writer.values() == [1, 2])
            try writer.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.insert(3)
                let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
                _ = try cursor.next()
                writer.interrupt()
                try db.rollback()
                #expect(!db.isInsideTransaction)
                expectError(kind == .cluster ? .SQLITE_INTERRUPT : .SQLITE_MISUSE) { try cursor.next() }
                try db.insert(4)
            }
            try #expect(writer.values() == [1, 2, 4])
        }
    }

    /// Each boundary in a script of transactions is interrupted, with and without a cursor on a row.
    @Test(arguments: ConnectionKind.allCases, [false, true])
    func interruptionsAtEachBoundary(_ kind: ConnectionKind, _ hasCursor: Bool) throws {
        for boundary in 0..<8 {
            try withTable(kind) { writer in
                var step = 0
                var cursors: [DatabaseValueCursor<Int>] = []
                func pause(_ db: Database) throws {
                    defer { step += 1 }
                    guard step == boundary else { return }
                    if hasCursor {
                        let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
                        _ = try cursor.next()
                        cursors.append(cursor)
                    }
                    writer.interrupt()
                }
                let result = Result {
                    try writer.write { db in
                        try pause(db)
                        try db.insert(10)
                        try pause(db)
                        try? db.inSavepoint {
                            try pause(db)
                            try db.insert(20)
                            try pause(db)
                            try db.insert(20)
                            try pause(db)
                            return .commit
                        }
                        try pause(db)
                        try db.insert(10)
                        try pause(db)
                    }
                }
                cursors = []
                let values = try writer.values().dropFirst(2)
                let pairs = Dictionary(grouping: values) { $0 }.mapValues(\.count)
                switch result {
                case .success: #expect(pairs[10] == 2, "\(boundary): \(values)")
                case .failure: #expect(pairs.isEmpty, "\(boundary): \(values)")
                }
                #expect(pairs[20] ?? 0 != 1, "\(boundary): \(values)")
                try writer.write { try $0.insert(30) }
                try #expect(writer.values().last == 30)
            }
        }
    }

    /// A statement is not reset during its step: it would run forever.
    @Test(.disabled(if: ClusterUnderTest.isActive, "a cluster has no functions in Swift"))
    func anInterruptedSavepointInAFunction() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2), (3); CREATE TABLE log(x)")
            let kept = Kept(db)
            db.add(
                function: DatabaseFunction("f", argumentCount: 1) { values in
                    let db = kept.value!
                    try? db.inSavepoint {
                        try db.execute(sql: "INSERT INTO log VALUES (1)")
                        sqlite3_interrupt(db.sqliteConnection)
                        throw Refusal()
                    }
                    return values[0]
                })
            defer { kept.value = nil }
            expectError(.SQLITE_ABORT) {
                try db.inTransaction {
                    expectError(.SQLITE_INTERRUPT) { try Int.fetchAll(db, sql: "SELECT f(x) FROM t") }
                    return .commit
                }
            }
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM log")
            #expect(count == 0)
        }
    }
}

/// An object kept by a function or a test. Only one access at a time uses it.
private final class Kept<T>: @unchecked Sendable {
    var value: T?
    init(_ value: T? = nil) { self.value = value }
}
