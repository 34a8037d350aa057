// A leader that neither responds nor closes its connections, while the others elect another one. Waiting for a response
// may take longer than any test.

import Foundation
import Testing

@testable import Rowan
@testable import RowanCluster

@Suite(
    .enabled(if: TestCluster.isAvailable, TestCluster.missing), .serialized, .timeLimit(.minutes(2)))
struct ClusterSilenceTests {
    private func client(_ cluster: FaultyCluster) throws -> DatabaseCluster {
        try cluster.client {
            $0.requestTimeout = .seconds(3_600)
            $0.failoverTimeout = .seconds(60)
        }
    }

    @Test func aSilentLeader() async throws {
        let cluster = try FaultyCluster()
        let client = try client(cluster)
        try client.createEntries()
        try client.insert(1)
        #expect(try client.entries() == [1])
        let leader = try cluster.nodes.leader()
        cluster.nodes.pause(leader)
        defer { cluster.nodes.resume(leader) }
        let entries = Task { try await client.read { try Int.fetchAll($0, sql: "SELECT n FROM entry ORDER BY n") } }
        try client.insertPersistently(2)
        #expect([[1], [1, 2]].contains(try await entries.value))
        #expect(try client.entries() == [1, 2])
    }

    /// The outcome of the commit is found with the next leader.
    @Test func aLeaderThatIsSilentDuringACommit() throws {
        let cluster = try FaultyCluster()
        let client = try client(cluster)
        try client.createEntries()
        let leader = try cluster.nodes.leader()
        let error = #expect(throws: DatabaseError.self) {
            try client.write { db in
                try db.insert(1)
                cluster.nodes.pause(leader)
            }
        }
        #expect(
            error?.message == "the leader of the cluster has changed during the commit. Nothing was changed. "
                + "Run the transaction again")
        cluster.nodes.resume(leader)
        try client.insertPersistently(2)
        #expect(try client.entries() == [2])
    }

    /// Rows have begun to arrive.
    @Test func aLeaderThatIsSilentBetweenRows() throws {
        let cluster = try FaultyCluster()
        let client = try client(cluster)
        try client.write { try $0.execute(sql: "CREATE TABLE entry (n INTEGER NOT NULL, b BLOB)") }
        // More than the network holds.
        for _ in 0..<10 {
            try client.write { db in
                for number in 0..<50 {
                    try db.execute(sql: "INSERT INTO entry VALUES (?, zeroblob(50000))", arguments: [number])
                }
            }
        }
        let leader = try cluster.nodes.leader()
        defer { cluster.nodes.resume(leader) }
        let error = #expect(throws: DatabaseError.self) {
            try client.read { db in
                let rows = try Row.fetchCursor(db, sql: "SELECT n, b FROM entry")
                _ = try rows.next()
                cluster.nodes.pause(leader)
                while try rows.next() != nil {}
            }
        }
        #expect(error?.isLeaderChange == true)
        #expect(try client.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") } == 500)
    }

    /// The other nodes follow a leader that runs a long statement until they have missed it for 15 seconds.
    @Test func aLongStatement() throws {
        let cluster = try FaultyCluster(latency: 1_000, options: ["--statement-limit", "60"])
        let client = try client(cluster)
        try client.createEntries()
        let leader = try cluster.nodes.leader()
        let clock = ContinuousClock()
        var count = 1_000_000
        // Longer than the client waits before it asks the others.
        while true {
            var last = 0
            let time = try clock.measure {
                last =
                    try client.read { db in
                        try Int.fetchOne(
                            db,
                            sql: """
                                WITH number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
                                SELECT max(n) FROM number
                                """, arguments: [count])
                    } ?? 0
            }
            #expect(last == count)
            if time > .seconds(2) { break }
            count *= 2
        }
        #expect(try cluster.nodes.leader() == leader)
    }
}
