// The test cluster: its nodes, its leaders and its network.

import Foundation
import Rowan
import Testing

@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing))
struct TestClusterConcurrencyTests {
    /// Inserts into a database of a node, without the driver.
    private func insert(_ number: Int, _ cluster: TestCluster, _ node: Int) throws -> Int {
        let deadline = ContinuousClock.now + .seconds(10)
        let connection = try NodeConnection(address: cluster.addresses[node], deadline: deadline)
        defer { connection.close() }
        func ask(_ request: (inout RequestBuffer) throws -> Void) throws -> Response {
            var requests = RequestBuffer()
            try request(&requests)
            try connection.send(requests, deadline: deadline)
            let response = try connection.receive(deadline: deadline)
            if case .failure(let refusal) = response { throw NodeProcess.Failure(description: refusal.message) }
            return response
        }
        guard case .database(let db) = try ask({ try $0.open(name: "numbers") }) else { return -1 }
        _ = try ask { try $0.execSQL(db: db, sql: "CREATE TABLE IF NOT EXISTS number (n INTEGER PRIMARY KEY)") }
        _ = try ask { try $0.execSQL(db: db, sql: "INSERT INTO number VALUES (?)", values: [number.databaseValue]) }
        // The number of changed rows.
        guard case .result(let counts) = try ask({ try $0.execSQL(db: db, sql: "UPDATE number SET n = n") }) else {
            return -1
        }
        return counts.changes
    }

    @Test func sharedClusterHasALeader() throws {
        let cluster = try TestCluster.shared
        let leader = try cluster.leader()
        #expect(cluster.isAlive(leader))
        #expect(try cluster.followers().count == 2)
    }

    @Test func databaseNamesDiffer() {
        #expect(TestCluster.newDatabaseName("a") != TestCluster.newDatabaseName("a"))
    }

    @Test func anotherNodeLeadsAfterTheLeaderIsKilled() throws {
        let cluster = try TestCluster()
        let first = try cluster.leader()
        #expect(try insert(1, cluster, first) == 1)
        cluster.kill(first)
        #expect(!cluster.isAlive(first))
        let second = try cluster.leader()
        #expect(second != first)
        #expect(try insert(2, cluster, second) == 2)
        try cluster.restart(first)
        #expect(cluster.isAlive(first))
    }

    @Test func allNodesRestartWithTheirData() throws {
        let cluster = try TestCluster()
        #expect(try insert(1, cluster, try cluster.leader()) == 1)
        for index in 0..<3 { cluster.kill(index) }
        for index in 0..<3 { try cluster.restart(index) }
        #expect(try insert(2, cluster, try cluster.leader()) == 2)
    }

    @Test func aLeaderHandsOverWhenItIsTerminated() throws {
        let cluster = try TestCluster()
        let first = try cluster.leader()
        try cluster.terminate(first)
        // The handover is immediate, without an election timeout.
        let other = (first + 1) % 3
        let second = try #require(cluster.leader(accordingTo: other))
        #expect(second != first)
    }

    @Test func anotherNodeLeadsWhileTheLeaderIsPaused() throws {
        let cluster = try TestCluster()
        let first = try cluster.leader()
        cluster.pause(first)
        let others = (0..<3).filter { $0 != first }
        let second = try waitFor {
            cluster.leader(accordingTo: others[0])
        } until: {
            $0 != nil && $0 != first
        }
        #expect(try insert(1, cluster, try #require(second)) == 1)
        cluster.resume(first)
        _ = try waitFor {
            cluster.leader(accordingTo: first)
        } until: {
            $0 == second
        }
    }

    @Test func aNodeThatIsCutOffLosesItsLead() throws {
        let cluster = try TestCluster(hasRelays: true)
        let network = try #require(cluster.network)
        let first = try cluster.leader()
        #expect(try insert(1, cluster, first) == 1)
        network.set(.cut, around: first)
        let others = (0..<3).filter { $0 != first }
        let second = try waitFor {
            cluster.leader(accordingTo: others[0])
        } until: {
            $0 != nil && $0 != first
        }
        #expect(try insert(2, cluster, try #require(second)) == 2)
        network.heal()
        let last = try cluster.leader()
        #expect(try insert(3, cluster, last) == 3)
    }

    @Test func connectionsOfClientsCanBeCutFrozenAndDelayed() throws {
        let cluster = try TestCluster(hasRelays: true)
        let network = try #require(cluster.network)
        let leader = try cluster.leader()
        network.set(.cut, fromClientsTo: leader)
        #expect(throws: (any Error).self) { try insert(1, cluster, leader) }
        network.heal()
        // The relay may still reset new connections while it ends the cut.
        _ = try waitFor({ try? insert(1, cluster, leader) }, until: { $0 != nil })
        network.set(.frozen, fromClientsTo: leader)
        let connection = try NodeConnection(address: cluster.addresses[leader], deadline: .now + .seconds(5))
        defer { connection.close() }
        var requests = RequestBuffer()
        requests.leader()
        try connection.send(requests, deadline: .now + .seconds(5))
        #expect(throws: WireError.timedOut) { try connection.receive(deadline: .now + .milliseconds(50)) }
        network.set(.delayed(.milliseconds(5)), fromClientsTo: leader)
        guard case .leader = try connection.receive(deadline: .now + .seconds(10)) else {
            Issue.record("the node has answered something else")
            return
        }
    }

    /// Retries until the condition holds.
    private func waitFor<Value>(_ value: () -> Value, until condition: (Value) -> Bool) throws -> Value {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            let value = value()
            if condition(value) { return value }
            usleep(10_000)
        }
        throw NodeProcess.Failure(description: "it has not happened in half a minute")
    }
}
