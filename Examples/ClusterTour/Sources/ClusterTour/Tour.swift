// The tour: three nodes, writes, a leader that is killed in between, and the remaining entries.

import Foundation
import RowanCluster
import RowanRecords

struct Tour {
    let nodes: LocalNodes
    /// The number of entries to write.
    let count: Int
    let say: @Sendable (String) -> Void

    /// The results of the tour, for its test.
    struct Result {
        var killed: UInt64
        var leaderAfterwards: UInt64?
        /// The duration of the slowest write, which is the one during the failover.
        var failover: Duration
        var tally: Ledger.Tally
        /// The last value of the observation.
        var observed: Int?
        var copied: Int?
    }

    /// Runs the tour, and stops the nodes, even after an error.
    func run() async throws -> Result {
        do {
            let result = try await steps()
            await nodes.stop()
            say("All nodes have ended.")
            return result
        } catch {
            await nodes.stop()
            throw error
        }
    }

    private func steps() async throws -> Result {
        for id in nodes.ids {
            try await nodes.start(id)
            say("Node \(id) is ready at \(await nodes.address(of: id))")
        }
        let cluster = try DatabaseCluster(addresses: await nodes.addresses, database: "tour")
        try migrator.migrate(cluster)
        say("\nThe cluster:\n\(describe(try await cluster.status()))")

        let observation = try await observe()
        let (killed, failover) = try await writeWhileTheLeaderIsKilled(cluster)
        let observed = try await observation.value

        let tally = try await cluster.read { [count] db in try Ledger.tally(count, db) }
        say("\(tally.count) entries, \(tally.lost) of them lost, \(tally.doubled) doubled.")
        say("Another client has observed \(observed ?? 0) entries.\n")
        let status = try await cluster.status()
        say("Without node \(killed):\n\(describe(status))")

        try await nodes.start(killed)
        say("\nNode \(killed) has started again:\n\(describe(try await cluster.status()))")

        let copied = try await copy(cluster)
        say("\nThe copy in a local file has \(copied ?? 0) entries.")
        try cluster.close()
        return Result(
            killed: killed, leaderAfterwards: status.leader?.id, failover: failover, tally: tally, observed: observed,
            copied: copied)
    }

    /// Writes all entries. Halfway through, the leader receives SIGKILL.
    private func writeWhileTheLeaderIsKilled(_ cluster: DatabaseCluster) async throws -> (UInt64, Duration) {
        guard let leader = try await cluster.status().leader else {
            throw LocalNodes.Failure(description: "the cluster has no leader")
        }
        let ledger = Ledger(cluster: cluster)
        let clock = ContinuousClock()
        var slowest = Duration.zero
        var killing: Task<Void, Never>?
        for number in 1...count {
            if number == count / 2 {
                killing = Task { await nodes.kill(leader.id) }
                say("\nNode \(leader.id), which leads, is killed while entry \(number) of \(count) is written.")
            }
            let duration = try await clock.measure { try await ledger.add(number) }
            slowest = max(slowest, duration)
        }
        await killing?.value
        say(
            "The slowest write took \(slowest.formatted(.units(allowed: [.milliseconds]))): the others elected a leader."
        )
        return (leader.id, slowest)
    }

    /// Counts the entries as another client, which polls for commits, until all are there.
    private func observe() async throws -> Task<Int?, any Error> {
        let client = try DatabaseCluster(addresses: await nodes.addresses, database: "tour")
        return Task { [count] in
            let observation = ValueObservation.tracking { db in try Entry.fetchCount(db) }
            var last: Int?
            for try await value in observation.values(in: client) {
                last = value
                if value >= count { break }
            }
            try client.close()
            return last
        }
    }

    /// Copies the database to a file, which SQLite opens.
    private func copy(_ cluster: DatabaseCluster) async throws -> Int? {
        let path = await nodes.path("copy.sqlite")
        try await cluster.dump(to: path)
        let copy = try DatabaseQueue(path: path)
        let count = try await copy.read { db in try Entry.fetchCount(db) }
        try copy.close()
        return count
    }

    private func describe(_ status: ClusterStatus) -> String {
        let lines = status.nodes.map { node in
            "  \(node.id) \(node.address) \(node.role.map { "\($0)" } ?? "unknown role")"
                + "\(node.isLeader ? ", leads" : "")\(node.isReachable ? "" : ", does not answer")"
        }
        let outlook = status.toleratesFailure ? "one more may fail" : "none may fail now"
        return lines.joined(separator: "\n") + "\n  \(outlook)"
    }
}
