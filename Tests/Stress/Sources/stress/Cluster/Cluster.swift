// Faults of a cluster while clients write and read: killed or paused nodes, a cut network, handovers, full disks, wrong
// clocks, stopped clients, and schema changes.

import Foundation
import Rowan
import RowanCluster

extension Part {
    static let cluster = Part(
        name: "cluster", summary: "nodes of a cluster are killed, stopped and cut off while clients write and read",
        weight: 2
    ) { run in
        guard run.hasNode("cluster") else { return }
        let nodes = try ClusterNodes(folder: run.folder)
        defer { nodes.stop() }
        let bank = ClusterBank()
        let main = try client(nodes)
        try await main.write(ClusterBank.create)
        // In a longer round, the database would become too large.
        let end = min(run.deadline, Date(timeIntervalSinceNow: 60))
        let seed = run.random.next()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                let writer = try client(nodes)
                group.addTask { await bank.write(writer, "\(number)", seed &+ UInt64(number), until: end) }
            }
            for _ in 0..<2 {
                let reader = try client(nodes) { $0.consistency = .confirmed }
                group.addTask { await bank.read(reader, until: end) }
            }
            for offset in [-8, 8] {
                let child = try ClusterClient(nodes, run, clockOffset: Int64(offset) * 86_400, until: end)
                let seed = run.random.next()
                group.addTask { try await child.run(bank, seed, until: end) }
            }
            let other = try client(nodes)
            group.addTask { await bank.changeSchema(other, seed &+ 10, until: end) }
            var faults = ClusterFaults(nodes: nodes, random: SplitMix64(seed: seed &+ 20))
            while Date() < end {
                let fault = faults.next()
                run.note("seed \(run.seed): \(fault)")
                let isDone = await onThread { [faults] in Result { try faults.cause(fault) } }
                if try isDone.get() { run.count(fault.rawValue) }
                run.didCase()
                try await Task.sleep(for: .milliseconds(faults.pause()))
            }
            try await group.waitForAll()
        }
        noteEnds(of: nodes, run)
        try nodes.heal()
        run.expect(nodes.leader() != nil, "no leader after all faults")
        try await bank.check(
            client(nodes) {
                $0.consistency = .confirmed
                $0.failoverTimeout = .seconds(30)
            })
        noteEnds(of: nodes, run)
        bank.report(to: run)
    }

    /// Counts nodes that exited by themselves. dqlite 1.11 sometimes crashes when connections end or leaders change at
    /// a bad time; this part only checks whether data is lost. In cluster-fuzz, which has no such faults, it is a
    /// failure.
    private static func noteEnds(of nodes: ClusterNodes, _ run: Run) {
        for death in nodes.takeDeaths() {
            say("cluster, seed \(run.seed): \(death)")
            run.count("nodes that crashed")
        }
        if case let count = nodes.takeInterruptedLeaders(), count > 0 {
            run.count("leaders that ended in the middle of rows", count)
        }
        if case let count = nodes.takeNodesWithoutDisk(), count > 0 { run.count("nodes that could not write", count) }
    }

    static func client(
        _ nodes: ClusterNodes, _ change: (inout ClusterOptions) -> Void = { _ in }
    ) throws -> DatabaseCluster {
        try client(nodes.addresses, change)
    }

    static func client(
        _ addresses: [String], _ change: (inout ClusterOptions) -> Void = { _ in }
    ) throws -> DatabaseCluster {
        var options = ClusterOptions()
        options.connectTimeout = .milliseconds(500)
        options.requestTimeout = .seconds(2)
        options.failoverTimeout = .seconds(4)
        options.transactionTimeout = .seconds(5)
        change(&options)
        return try DatabaseCluster(addresses: addresses, database: "bank", options: options)
    }
}

extension Run {
    /// Whether the node program exists; otherwise the part reports that it is skipped.
    func hasNode(_ name: String) -> Bool {
        guard ClusterNodes.program == nil else { return true }
        say("\(name): SKIPPED: ROWAN_NODE is not the path of rowan-node: build the package Node")
        // Otherwise another round would start and report the same.
        didCase(casesLeft ?? 0)
        while !isOver { usleep(10_000) }
        return false
    }
}

/// The faults of a cluster.
enum ClusterFault: String, CaseIterable {
    case killLeader = "leaders killed"
    case killFollower = "followers killed"
    case killAll = "clusters killed"
    case pauseLeader = "leaders stopped"
    case pauseFollower = "followers stopped"
    case pauseAll = "clusters stopped"
    case cutLeader = "leaders cut off"
    case cutFollower = "followers cut off"
    case cutPair = "pairs cut"
    case freezeLeader = "leaders frozen"
    case handOver = "leaders handed over"
    case regainLeader = "leaders stopped that lead again"
    case fillLeader = "disks of leaders filled"
    case fillFollower = "disks of followers filled"
    case changeClock = "clocks changed"
}

/// Chooses and causes faults.
struct ClusterFaults: Sendable {
    let nodes: ClusterNodes
    var random: SplitMix64

    private static let weighted: [ClusterFault] =
        ClusterFault.allCases + [.killLeader, .killLeader, .killLeader, .cutLeader, .pauseLeader, .handOver]

    mutating func next() -> ClusterFault { Self.weighted.randomElement(using: &random)! }

    /// The milliseconds until the next fault.
    mutating func pause() -> Int { Int.random(in: 20...600, using: &random) }

    /// Causes a fault, and ends it after a while.
    ///
    /// - Returns: whether there was a leader.
    func cause(_ fault: ClusterFault) throws -> Bool {
        var random = random
        guard let leader = nodes.leader() else { return false }
        let follower = (leader + Int.random(in: 1...2, using: &random)) % 3
        let time = UInt32.random(in: 50...2_500, using: &random) * 1_000
        switch fault {
        case .killLeader, .killFollower:
            nodes.kill(fault == .killLeader ? leader : follower)
            usleep(time / 4)
        case .killAll:
            for index in 0..<ClusterNodes.count { nodes.kill(index) }
        case .pauseLeader, .pauseFollower:
            nodes.pause(fault == .pauseLeader ? leader : follower)
            usleep(time)
        case .pauseAll:
            for index in 0..<ClusterNodes.count { nodes.pause(index) }
            usleep(2 * time)
        case .cutLeader, .cutFollower:
            nodes.set(.cut, around: fault == .cutLeader ? leader : follower)
            usleep(time)
        case .cutPair:
            nodes.set(.cut, between: leader, and: follower)
            usleep(time)
        case .freezeLeader:
            nodes.set(.frozen, around: leader)
            usleep(time)
        case .handOver: return nodes.handOver(leader)
        case .regainLeader:
            nodes.pause(leader)
            // The others elect another leader, and the requests that it has received wait.
            usleep(1_000_000)
            nodes.resume(leader)
            var attempts = 0
            while let current = nodes.leader(), current != leader, attempts < 10 {
                _ = nodes.handOver(current)
                attempts += 1
            }
            return nodes.leader() == leader
        case .fillLeader, .fillFollower:
            try nodes.machines[fault == .fillLeader ? leader : follower].setFull(true)
            usleep(2 * time)
        case .changeClock:
            let days = Int64.random(in: -30...30, using: &random)
            try nodes.machines[Int.random(in: 0..<ClusterNodes.count, using: &random)].setClockOffset(86_400 * days)
            return true
        }
        try nodes.heal()
        return true
    }
}
