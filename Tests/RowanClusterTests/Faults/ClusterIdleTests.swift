// Transactions whose client sends nothing for too long: the leader ends them.

import Foundation
import Testing

@testable import Rowan
@testable import RowanCluster

@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: TestCluster.isAvailable, TestCluster.missing))
struct ClusterIdleTests {
    private static let sentence = """
        the node has rolled back the transaction, because its client sent nothing for a second: make it shorter, or start \
        the nodes with a longer --idle-transaction-limit
        """

    /// - Parameter commits: whether the first thing that the program does afterwards is to commit.
    @Test(arguments: [false, true])
    func anIdleTransactionEnds(_ commits: Bool) throws {
        let cluster = try FaultyCluster(options: ["--idle-transaction-limit", "1"])
        let (client, other) = (try cluster.client(), try cluster.client())
        try client.createEntries()
        let error = #expect(throws: DatabaseError.self) {
            try client.write { db in
                try db.insert(1)
                while true {
                    // The other one waits for the lock.
                    do { try other.insert(2) } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                        continue
                    }
                    break
                }
                if !commits { try db.insert(3) }
            }
        }
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
        #expect(error?.message == Self.sentence)
        #expect(try other.entries() == [2])
        // The next transaction has a new connection.
        try client.insert(4)
        #expect(try client.entries() == [2, 4])
    }

    @Test func anIdleReadEnds() throws {
        let cluster = try FaultyCluster(options: ["--idle-transaction-limit", "1"])
        let client = try cluster.client()
        try client.createEntries()
        let error = #expect(throws: DatabaseError.self) {
            try client.writeWithoutTransaction { db in
                try db.inTransaction(.deferred) {
                    _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM entry")
                    Thread.sleep(forTimeInterval: 3)
                    try db.insert(1)
                    return .commit
                }
            }
        }
        #expect(error?.message == Self.sentence)
        #expect(try client.entries() == [])
    }
}
