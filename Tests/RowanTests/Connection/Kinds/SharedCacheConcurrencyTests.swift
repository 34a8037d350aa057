// In-memory databases with the same name share a cache, whose locks don't call SQLite's busy handler.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct SharedCacheConcurrencyTests {
    private func queues(_ busyMode: Database.BusyMode) throws -> (DatabaseQueue, DatabaseQueue) {
        var configuration = Configuration()
        configuration.busyMode = busyMode
        let name = "shared-\(UUID().uuidString)"
        let first = try DatabaseQueue(named: name, configuration: configuration)
        try first.write { db in
            try db.execute(
                sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1); CREATE TABLE b(bytes); INSERT INTO b VALUES (x'01')")
        }
        return (first, try DatabaseQueue(named: name, configuration: configuration))
    }

    /// Calls the closure each time the queue's connection has paused for a lock, with the number of pauses before.
    private func onWait(_ queue: DatabaseQueue, _ body: @escaping @Sendable (CInt) -> Void) throws {
        try queue.writeWithoutTransaction { db in
            // Called after the handler of the busy mode.
            _ = try db.connection.openHooks().onBusy { count in
                body(count)
                return true
            }
        }
    }

    /// Statements of one queue while a transaction of the other queue holds the locks of the table and the schema.
    private static let statements = [
        "SELECT * FROM t", "INSERT INTO t VALUES (2)", "BEGIN IMMEDIATE", "CREATE TABLE u(x)",
    ]

    @Test(arguments: statements)
    func waits(_ sql: String) async throws {
        try await expectWait { db in
            try db.execute(sql: sql)
            if db.isInsideTransaction { try db.rollback() }
        }
    }

    @Test func blobsWait() async throws {
        try await expectWait { db in
            try db.withBlob(table: "b", column: "bytes", rowID: 1) { #expect($0.count == 3) }
        }
    }

    /// Runs the body in a queue whose locks another queue holds.
    private func expectWait(_ body: @escaping @Sendable (Database) throws -> Void) async throws {
        let (first, second) = try queues(.timeout(60))
        let (isLocked, isWaiting) = (Gate(), Gate())
        let pauses = Log<CInt>()
        try onWait(second) { count in
            pauses.append(count)
            isWaiting.open()
        }
        async let write: Void = onThread {
            try first.write { db in
                try db.execute(sql: "UPDATE t SET x = 9; UPDATE b SET bytes = x'010203'; CREATE TABLE other(x)")
                isLocked.open()
                isWaiting.wait()
            }
        }
        await isLocked.opened()
        async let other: Void = onThread {
            // Also without a wait, so that the first transaction finishes.
            defer { isWaiting.open() }
            try second.writeWithoutTransaction(body)
        }
        _ = try await (write, other)
        #expect(pauses.elements.first == 0)
        try await second.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT x FROM t") == 9) }
    }

    @Test(arguments: statements)
    func timesOut(_ sql: String) throws {
        for mode in [Database.BusyMode.immediateError, .timeout(0.02), .callback { $0 < 3 }] {
            let (first, second) = try queues(mode)
            try first.write { db in
                try db.execute(sql: "UPDATE t SET x = 9; CREATE TABLE other(x)")
                let error = expectError(.SQLITE_LOCKED) {
                    try second.writeWithoutTransaction { db in try db.execute(sql: sql) }
                }
                #expect(error?.extendedResultCode == .SQLITE_LOCKED_SHAREDCACHE)
            }
        }
    }

    @Test func theCallbackIsAsked() throws {
        let counts = Log<Int>()
        let (first, second) = try queues(
            .callback { count in
                counts.append(count)
                return count < 3
            })
        try first.write { db in
            try db.execute(sql: "UPDATE t SET x = 9")
            expectError(.SQLITE_LOCKED_SHAREDCACHE) {
                try second.writeWithoutTransaction { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
            }
        }
        #expect(counts.elements == [0, 1, 2, 3])
    }

    @Test func cancellation() async throws {
        let (first, second) = try queues(.timeout(600))
        let (isLocked, isWaiting, isDone) = (Gate(), Gate(), Gate())
        try onWait(second) { _ in isWaiting.open() }
        async let write: Void = onThread {
            try first.write { db in
                try db.execute(sql: "UPDATE t SET x = 9")
                isLocked.open()
                isDone.wait()
            }
        }
        await isLocked.opened()
        let task = Task {
            // Also without a wait.
            defer { isWaiting.open() }
            try await second.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        await isWaiting.opened()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        isDone.open()
        try await write
        try await second.read { db throws in #expect(try Int.fetchAll(db, sql: "SELECT x FROM t") == [9]) }
    }
}
