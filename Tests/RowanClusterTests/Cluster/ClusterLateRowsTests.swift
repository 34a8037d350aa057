// Queries that fail after their first rows have arrived: the error is thrown to the reader of the rows.

import Foundation
import Rowan
import Testing

@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing), .timeLimit(.minutes(2)))
struct ClusterLateRowsTests {
    /// Fails after more rows than fit in one part of a response.
    private let failing = "SELECT id, json_extract(x, '$.a') FROM j ORDER BY id"

    private func new(_ name: String = #function) throws -> DatabaseCluster {
        let cluster = try DatabaseCluster.new(name)
        try cluster.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (x INTEGER);
                    CREATE TABLE j (id INTEGER PRIMARY KEY, x TEXT);
                    WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000)
                    INSERT INTO j SELECT x, iif(x = 2500, 'bad', '{"a":"0123456789"}') FROM c;
                    """)
        }
        return cluster
    }

    private func expectFailure(_ body: () throws -> Void) {
        let error = #expect(throws: DatabaseError.self) { try body() }
        #expect(error?.message == "malformed JSON")
    }

    private func values(_ cluster: DatabaseCluster) throws -> [Int] {
        try cluster.read { try Int.fetchAll($0, sql: "SELECT x FROM t ORDER BY x") }
    }

    /// The read's own transaction ends: later statements are committed and block no other client.
    @Test func outsideATransaction() throws {
        let cluster = try new()
        try cluster.writeWithoutTransaction { db in
            expectFailure { _ = try Row.fetchAll(db, sql: failing) }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            // The failing rows are never read.
            _ = try Row.fetchOne(db, sql: failing)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        try cluster.unsafeRead { db throws in
            expectFailure { _ = try Row.fetchAll(db, sql: failing) }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 2)
        }
        try cluster.another().write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        for _ in 1...3 { #expect(try values(cluster) == [1, 2, 3]) }
    }

    @Test func inATransaction() throws {
        let cluster = try new()
        try cluster.write { db in
            _ = try Row.fetchOne(db, sql: failing)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            expectFailure { _ = try Row.fetchAll(db, sql: failing) }
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            _ = try Row.fetchOne(db, sql: failing)
        }
        #expect(try values(cluster) == [1, 2])
        try cluster.read { db in
            _ = try Row.fetchOne(db, sql: failing)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 2)
        }
    }

    @Test func ofAnOpenCursor() throws {
        let cluster = try new()
        try cluster.write { db in
            let cursor = try Row.fetchCursor(db, sql: failing)
            _ = try cursor.next()
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            var count = 1
            expectFailure { while try cursor.next() != nil { count += 1 } }
            // A node does not send the part in which a row fails.
            #expect((2_000...2_499).contains(count))
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        #expect(try values(cluster) == [1, 2])
    }

    /// The transaction ends with the connection. It was interrupted: the leader has not changed.
    @Test func interruptedWhileTheyArrive() throws {
        let cluster = try new()
        let sql = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5000000) SELECT x FROM c"
        let result = Result {
            try cluster.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                let reading = Signal()
                Thread.detachNewThread {
                    reading.block()
                    usleep(50_000)
                    cluster.interrupt()
                }
                do {
                    let cursor = try Int.fetchCursor(db, sql: sql)
                    _ = try cursor.next()
                    reading.send()
                    while try cursor.next() != nil {}
                    Issue.record("the rows were not interrupted")
                } catch let error as DatabaseError { #expect(error.resultCode == .SQLITE_INTERRUPT) }
            }
        }
        // Unless the interruption hits between two rows that have already arrived.
        if case .failure(let error) = result {
            #expect((error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT, "\(error)")
        }
    }
}
