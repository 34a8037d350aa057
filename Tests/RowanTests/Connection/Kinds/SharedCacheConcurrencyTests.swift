// In-memory databases with the same name share a cache, whose locks don't call SQLite's busy handler.

import Foundation
import Rowan
import Testing

struct SharedCacheConcurrencyTests {
    private func queues(_ busyMode: Database.BusyMode) throws -> (DatabaseQueue, DatabaseQueue) {
        var configuration = Configuration()
        configuration.busyMode = busyMode
        let name = "shared-\(UUID().uuidString)"
        let first = try DatabaseQueue(named: name, configuration: configuration)
        try first.write { db in try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        return (first, try DatabaseQueue(named: name, configuration: configuration))
    }

    /// Statements of one queue while a transaction of the other queue holds the locks of the table and the schema.
    private static let statements = [
        "SELECT * FROM t", "INSERT INTO t VALUES (2)", "BEGIN IMMEDIATE", "CREATE TABLE u(x)",
    ]

    @Test(arguments: statements)
    func waits(_ sql: String) async throws {
        let (first, second) = try queues(.timeout(60))
        let (isLocked, isWaiting) = (Gate(), Gate())
        async let write: Void = onThread {
            try first.write { db in
                try db.execute(sql: "UPDATE t SET x = 9; CREATE TABLE other(x)")
                isLocked.open()
                isWaiting.wait()
            }
        }
        await isLocked.opened()
        async let other: Void = onThread {
            try second.writeWithoutTransaction { db in
                // The gate opens while the statement waits, or just before.
                startThread {
                    usleep(50_000)
                    isWaiting.open()
                }
                try db.execute(sql: sql)
                if db.isInsideTransaction { try db.rollback() }
            }
        }
        _ = try await (write, other)
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
        let (isLocked, isDone) = (Gate(), Gate())
        async let write: Void = onThread {
            try first.write { db in
                try db.execute(sql: "UPDATE t SET x = 9")
                isLocked.open()
                isDone.wait()
            }
        }
        await isLocked.opened()
        let task = Task { try await second.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") } }
        usleep(20_000)
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        isDone.open()
        try await write
    }
}
