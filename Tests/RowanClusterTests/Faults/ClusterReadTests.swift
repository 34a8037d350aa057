// Reads while the network is cut, and while other clients change the schema.

import Foundation
import Rowan
import Testing

@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing), .serialized, .timeLimit(.minutes(1)))
struct ClusterReadTests {
    @Test func confirmedReadsOfALostLeaderAreRefused() throws {
        let cluster = try FaultyCluster(hasRelays: true)
        let network = try #require(cluster.nodes.network)
        let leader = try cluster.nodes.leader()
        let others = try cluster.nodes.followers()
        let reader = try cluster.client(only: leader) {
            $0.consistency = .confirmed
            $0.failoverTimeout = .seconds(1)
        }
        try reader.createEntries()
        try reader.insert(1)
        #expect(try reader.entries() == [1])
        network.set(.cut, around: leader)
        // From here on, the old leader may still believe that it leads.
        let stop = Mutex(false)
        let written = Mutex(1)
        let done = Signal()
        Thread.detachNewThread {
            while !stop.withLock({ $0 }) {
                let known = written.withLock { $0 }
                do {
                    let entries = try reader.entries()
                    #expect(entries.count >= known, "a confirmed read is stale")
                } catch let error as DatabaseError {
                    #expect(error.isLeaderChange, "\(error)")
                } catch {
                    Issue.record(error)
                }
            }
            done.send()
        }
        let writer = try cluster.client(only: others[0])
        for number in 2...5 {
            try writer.insertPersistently(number)
            written.withLock { $0 = number }
        }
        stop.withLock { $0 = true }
        done.block()
        network.heal()
        _ = try cluster.nodes.leader()
        // A connection continues to work after a rejected read.
        #expect(try reader.persistentEntries() == [1, 2, 3, 4, 5])
    }

    @Test func aReadThatNobodyConfirmsEndsItsTransaction() throws {
        let cluster = try FaultyCluster(hasRelays: true)
        let network = try #require(cluster.nodes.network)
        let leader = try cluster.nodes.leader()
        let reader = try cluster.client(only: leader) { $0.consistency = .confirmed }
        try reader.createEntries()
        #expect(try reader.entries() == [])
        // The nodes reach each other, so the leader stays the same; only this client can't reach the others.
        for other in 0..<3 where other != leader { network.set(.cut, fromClientsTo: other) }
        for _ in 1...2 {
            let error = #expect(throws: DatabaseError.self) { try reader.entries() }
            #expect(error?.isLeaderChange == true)
        }
        network.heal()
        #expect(try reader.entries() == [])
    }

    /// Elections may occur meanwhile.
    @Test func aPausedFollowerDoesNotDelayConfirmations() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client {
            $0.consistency = .confirmed
            $0.connectTimeout = .seconds(100)
        }
        try client.createEntries()
        #expect(try client.entries() == [])
        cluster.nodes.pause(try cluster.nodes.followers()[0])
        for number in 1...3 {
            try client.insertPersistently(number)
            #expect(try client.persistentEntries().count == number)
        }
    }

    /// The leader has handed over, and the third node does not respond: two responses suffice to know that the read
    /// can't be confirmed.
    @Test func aPausedFollowerDoesNotDelayRefusals() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client {
            $0.consistency = .confirmed
            $0.connectTimeout = .seconds(100)
        }
        try client.createEntries()
        #expect(try client.entries() == [])
        let followers = try cluster.nodes.followers()
        let error = #expect(throws: DatabaseError.self) {
            try client.read { db in
                _ = try Int.fetchAll(db, sql: "SELECT n FROM entry")
                cluster.nodes.pause(followers[0])
                try cluster.transferLeader(to: followers[1])
                while try cluster.nodes.leader() != followers[1] { usleep(10_000) }
            }
        }
        #expect(error?.isLeaderChange == true, "\(error as Any)")
    }

    /// Every kind of access confirms its reads.
    @Test func noMajorityConfirms() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client {
            $0.consistency = .confirmed
            $0.failoverTimeout = .milliseconds(1_500)
        }
        try client.createEntries()
        #expect(try client.entries() == [])
        for index in try cluster.nodes.followers() { cluster.nodes.pause(index) }
        let sql = "SELECT n FROM entry"
        let accesses: [() throws -> Void] = [
            { _ = try client.read { try Int.fetchAll($0, sql: sql) } },
            { _ = try client.unsafeRead { try Int.fetchAll($0, sql: sql) } },
            { _ = try client.unsafeRead { try Int.fetchCursor($0, sql: sql).next() } },
            { _ = try client.write { try Int.fetchAll($0, sql: sql) } },
            { _ = try client.writeWithoutTransaction { try Int.fetchAll($0, sql: sql) } },
            { _ = try client.unsafeRead { try $0.tableExists("entry") } },
            { _ = try client.unsafeRead { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") } },
        ]
        for access in accesses {
            let error = #expect(throws: DatabaseError.self) { try access() }
            #expect(error?.isLeaderChange == true, "\(error as Any)")
        }
    }

    /// The client contacts an unresponsive node first.
    @Test func aPausedNodeDoesNotHideTheLeader() throws {
        let cluster = try FaultyCluster()
        try cluster.client().createEntries()
        let paused = try cluster.nodes.followers()[0]
        cluster.nodes.pause(paused)
        let addresses = [cluster.nodes.addresses[paused]] + cluster.nodes.addresses
        var options = ClusterOptions()
        options.connectTimeout = .seconds(100)
        options.failoverTimeout = .seconds(10)
        let client = try DatabaseCluster(
            addresses: addresses.map(\.description), database: "faults", options: options)
        try client.insert(1)
        #expect(try client.entries() == [1])
    }

    @Test func anotherClientChangesTheSchemaMeanwhile() async throws {
        let cluster = try FaultyCluster()
        let (client, other) = (try cluster.client(), try cluster.client())
        try await client.write { db in
            try db.execute(sql: "CREATE TABLE t (a INTEGER, b TEXT, c INTEGER)")
            try db.execute(sql: "INSERT INTO t VALUES (1, 'b', 3)")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...20 {
                    try await other.write { try $0.execute(sql: "ALTER TABLE t DROP COLUMN b") }
                    try await other.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b TEXT DEFAULT 'b'") }
                    try await other.write { try $0.execute(sql: "CREATE INDEX i\(number) ON t (c)") }
                }
            }
            for _ in 1...2 {
                group.addTask {
                    for _ in 1...60 {
                        try await client.read { db in
                            let row = try Row.fetchOne(db, sql: "SELECT * FROM t")
                            #expect(row?["a"] == 1)
                            #expect(row?["c"] == 3)
                            #expect(row?.hasColumn("b") != true || row?["b"] == "b")
                        }
                    }
                }
            }
            group.addTask {
                for _ in 1...40 {
                    try await client.write { try $0.execute(sql: "UPDATE t SET a = a, c = c") }
                }
            }
            try await group.waitForAll()
        }
        let names = try await client.read { try $0.columns(in: "t").map(\.name) }
        #expect(names == ["a", "c", "b"])
        #expect(try await client.read { try $0.indexes(on: "t").count } == 20)
    }
}
