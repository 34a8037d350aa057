// A leader that fails after BEGIN, before the transaction is of use: no transaction stays open on a node, and the next
// attempt begins anew.

import Rowan
import Testing

@testable import RowanCluster

@Suite(.timeLimit(.minutes(2))) struct InterruptedBeginTests {
    /// The leader changes after BEGIN IMMEDIATE, and another client holds the lock of the next one for a while.
    @Test func theLeaderChangesAfterBegin() throws {
        let node = RecordingNode()
        let (scripted, cluster) = try node.client()
        defer { scripted.stop() }
        try cluster.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        node.clearLog()
        node.answer("BEGIN IMMEDIATE", nil, RecordingNode.refusal(5, "database is locked"))
        node.refuse("PRAGMA schema_version", 10_250, "not leader")
        try cluster.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(
            node.statements == [
                "BEGIN IMMEDIATE", "BEGIN IMMEDIATE", "BEGIN IMMEDIATE", TicketTable.checkedClaim,
                "INSERT INTO t VALUES (2)", "COMMIT TRANSACTION",
            ])
    }

    /// A first statement whose failure has ended the transaction: what follows does not commit alone.
    @Test(arguments: ["INSERT INTO t VALUES (1)", "CREATE TABLE u (a)"])
    func theFirstStatementEndsTheTransaction(_ next: String) throws {
        let node = RecordingNode()
        let (scripted, cluster) = try node.client()
        defer { scripted.stop() }
        cluster.unsafeReentrantWrite { db in
            func code(_ body: () throws -> Void) -> ResultCode? {
                do { try body() } catch { return (error as? DatabaseError)?.resultCode ?? .SQLITE_INTERNAL }
                return nil
            }
            #expect(code { try db.beginTransaction(.deferred) } == nil)
            // SQLite rolls back after this failure, so that another BEGIN succeeds.
            node.refuse("SELECT a", 7, "out of memory")
            node.clearLog()
            #expect(code { _ = try Int.fetchAll(db, sql: "SELECT a FROM t") } != nil)
            #expect(code { try db.execute(sql: next) } == .SQLITE_ABORT)
            #expect(code { try db.commit() } == .SQLITE_ABORT)
        }
        #expect(!node.log.contains(next) && !node.log.contains { $0.hasPrefix("COMMIT") })
    }

    /// A leader that changes before the first statement has run: the next one begins anew.
    @Test(arguments: ["SELECT a FROM t", "INSERT INTO t VALUES (1)"])
    func theLeaderChangesAtTheFirstStatement(_ sql: String) throws {
        let node = RecordingNode()
        let (scripted, cluster) = try node.client()
        defer { scripted.stop() }
        try cluster.write { try $0.execute(sql: "INSERT INTO t VALUES (0)") }
        node.clearLog()
        node.refuse(sql, 10_250, "not leader")
        try cluster.write { try $0.execute(sql: sql) }
        #expect(node.log.count { $0 == sql } == 2)
        #expect(node.log.count { $0 == "BEGIN IMMEDIATE" } == 2)
    }
}
