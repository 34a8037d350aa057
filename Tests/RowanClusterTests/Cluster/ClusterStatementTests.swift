// Statements that behave on a cluster as on a file: schema queries, counters, waits for the lock.

import Foundation
import Rowan
import Synchronization
import Testing

@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing), .timeLimit(.minutes(2)))
struct ClusterStatementTests {
    private func new(_ name: String = #function) throws -> (DatabaseCluster, other: DatabaseCluster) {
        let cluster = try DatabaseCluster.new(name)
        try cluster.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, n INTEGER)")
            try db.execute(sql: "INSERT INTO t VALUES (1, 'a', 10), (2, 'b', 20), (3, NULL, 30)")
        }
        return (cluster, try cluster.another())
    }

    /// Schema queries in SQL see the commits of other clients and of the client's other connections.
    @Test func questionsAboutTheSchema() throws {
        let (cluster, other) = try new()
        for (index, writer) in [cluster, other].enumerated() {
            #expect(try cluster.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 3)
            try writer.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b\(index); CREATE TABLE u\(index)(x)") }
            for sql in ["PRAGMA table_info(t)", "SELECT * FROM pragma_table_info('t')"] {
                #expect(try cluster.read { try Row.fetchAll($0, sql: sql).count } == 4 + index)
            }
            #expect(try cluster.read { try Row.fetchAll($0, sql: "PRAGMA table_info(u\(index))").count } == 1)
            let expected = ["t", "u0", "u1"].prefix(2 + index)
            try cluster.read { db throws in
                #expect(try String.fetchAll(db, sql: "SELECT name FROM sqlite_master") == Array(expected))
            }
            try cluster.unsafeRead { db throws in
                #expect(try String.fetchAll(db, sql: "SELECT name FROM sqlite_master") == Array(expected))
            }
        }
    }

    /// Outside a transaction, the schema may change again before a statement is retried.
    @Test func theSchemaKeepsMoving() async throws {
        let (cluster, other) = try new()
        let isOver = Mutex(false)
        defer { isOver.withLock { $0 = true } }
        let changes = Task {
            while !isOver.withLock({ $0 }) {
                for change in ["ADD COLUMN extra", "DROP COLUMN extra"] {
                    try await other.write { try $0.execute(sql: "ALTER TABLE t \(change)") }
                }
            }
        }
        try await cluster.writeWithoutTransaction { db in
            for n in 4...40 {
                try db.execute(sql: "INSERT INTO t (id) VALUES (?)", arguments: [n])
                #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == n)
                let sql = "UPDATE t SET n = 1 WHERE id = ? RETURNING id"
                #expect(try Int.fetchAll(db, sql: sql, arguments: [n]) == [n])
            }
        }
        isOver.withLock { $0 = true }
        try await changes.value
    }

    /// SQLite counts the changes that a failed statement keeps.
    @Test func countersAfterAFailure() throws {
        let queue = try DatabaseQueue()
        func counters(_ writer: any DatabaseWriter) throws -> [[Int64]] {
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE k (id INTEGER PRIMARY KEY, x UNIQUE)")
                return try [
                    "INSERT INTO k (x) VALUES (1), (2)", "INSERT INTO k (x) VALUES (2)",
                    "INSERT OR FAIL INTO k (x) VALUES (3), (1), (4)", "UPDATE k SET x = 9", "DELETE FROM k",
                ]
                .map { sql in
                    do { try db.execute(sql: sql) } catch let error as DatabaseError {
                        #expect(error.resultCode == .SQLITE_CONSTRAINT)
                    }
                    return [db.lastInsertedRowID, Int64(db.changesCount)]
                }
            }
        }
        #expect(try counters(DatabaseCluster.new()) == counters(queue))
    }

    /// Only ASCII letters are case-insensitive in names of savepoints.
    @Test(arguments: [("é", "É"), ("ß", "SS"), ("k", "\u{212A}"), ("e\u{301}", "é"), ("a", "A")])
    func namesOfSavepoints(_ name: String, _ other: String) throws {
        func run(_ writer: any DatabaseWriter) throws -> [String] {
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE k (x)")
                var results: [String] = []
                for sql in [
                    "SAVEPOINT \"\(name)\"", "INSERT INTO k VALUES (1)", "RELEASE \"\(other)\"",
                    "INSERT INTO k VALUES (2)",
                    "ROLLBACK", "SAVEPOINT \"\(name)\"", "INSERT INTO k VALUES (3)", "SAVEPOINT \"\(other)\"",
                    "INSERT INTO k VALUES (4)", "ROLLBACK TO \"\(name)\"", "INSERT INTO k VALUES (5)",
                    "RELEASE \"\(name)\"", "COMMIT",
                ] {
                    do { try db.execute(sql: sql) } catch { results.append("\(sql): \(error)") }
                    results.append("\(db.isInsideTransaction) \(try Int.fetchAll(db, sql: "SELECT x FROM k"))")
                }
                return results
            }
        }
        #expect(try run(DatabaseCluster.new("namesOfSavepoints(")) == run(DatabaseQueue()))
    }

    /// A statement that fails without changes does not count the changes of the statement before it again.
    @Test func totalChanges() throws {
        func total(_ writer: any DatabaseWriter) throws -> Int {
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE k (x UNIQUE)")
                let start = db.totalChangesCount
                try db.execute(sql: "INSERT INTO k VALUES (1), (2), (3)")
                for sql in ["SELECT abs(-9223372036854775808)", "INSERT INTO k VALUES (4), (1)"] {
                    do { _ = try Row.fetchAll(db, sql: sql) } catch is DatabaseError {}
                    _ = try Int.fetchOne(db, sql: "SELECT 1")
                }
                return db.totalChangesCount - start
            }
        }
        #expect(try total(DatabaseCluster.new("totalChanges(")) == total(DatabaseQueue()))
    }

    @Test func vacuumBehindALongComment() throws {
        let (cluster, _) = try new()
        let comment = "/*" + String(repeating: "x", count: 300) + "*/ "
        try cluster.writeWithoutTransaction { db throws in
            for sql in ["VACUUM", "VACUUM INTO '/tmp/x'"] {
                let error = #expect(throws: DatabaseError.self) { try db.execute(sql: comment + sql) }
                #expect(error?.resultCode == .SQLITE_MISUSE)
            }
        }
    }

    @Test(arguments: [TimeInterval.infinity, 1e300])
    func aWaitForTheLockWithoutAnEnd(_ seconds: TimeInterval) async throws {
        let (cluster, other) = try new("aWait\(seconds.isFinite)(")
        var configuration = DatabaseCluster.defaultConfiguration
        configuration.busyMode = .timeout(seconds)
        let patient = try DatabaseCluster(
            addresses: TestCluster.shared.addresses.map(\.description), database: cluster.path,
            configuration: configuration)
        let (isHeld, mayEnd) = (Signal(), Signal())
        Thread.detachNewThread {
            try? other.write { db in
                try db.execute(sql: "DELETE FROM t")
                isHeld.send()
                mayEnd.block()
            }
        }
        await isHeld.wait()
        let write = Task { try await patient.write { try $0.execute(sql: "INSERT INTO t (n) VALUES (1)") } }
        try await Task.sleep(for: .milliseconds(100))
        mayEnd.send()
        try await write.value
        #expect(try await cluster.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
    }
}
