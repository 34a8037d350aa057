// How long writers and readers pause when the leader fails. `--cases` is the number of failures, of all kinds together.

import Foundation
import Rowan
import RowanCluster

extension Part {
    static let clusterPauses = Part(
        name: "cluster-pauses", summary: "how long writers and readers pause when the leader of a cluster fails"
    ) { run in
        guard run.hasNode("cluster-pauses") else { return }
        let nodes = try ClusterNodes(folder: run.folder)
        defer { nodes.stop() }
        // With the default options, as users have them.
        let client = try DatabaseCluster(addresses: nodes.addresses, database: "pauses")
        try await client.write { try $0.execute(sql: "CREATE TABLE counter (n INTEGER NOT NULL)") }
        try await client.write { try $0.execute(sql: "INSERT INTO counter VALUES (0)") }
        var options = ClusterOptions()
        // A leader without a majority answers no confirmed read.
        options.consistency = .confirmed
        let reader = try DatabaseCluster(addresses: nodes.addresses, database: "pauses", options: options)
        let writes = Repetition { try client.write { try $0.execute(sql: "UPDATE counter SET n = n + 1") } }
        let reads = Repetition { _ = try reader.read { try Int.fetchOne($0, sql: "SELECT n FROM counter") } }
        defer {
            writes.end()
            reads.end()
        }
        var pauses: [LeaderFailure: (writes: [Duration], reads: [Duration])] = [:]
        while !run.isOver {
            for failure in LeaderFailure.allCases where !run.isOver {
                guard let leader = await onThread({ nodes.leader() }) else { continue }
                run.note("seed \(run.seed): \(failure)")
                let start = ContinuousClock.now
                failure.cause(nodes, leader)
                guard let write = await writes.pause(since: start), let read = await reads.pause(since: start) else {
                    run.fail("\(failure.rawValue): no access succeeds within \(Repetition.limit)")
                    return
                }
                pauses[failure, default: ([], [])].writes.append(write)
                pauses[failure, default: ([], [])].reads.append(read)
                run.didCase()
                try await onThread { Result { try nodes.heal() } }.get()
                // The node joins again, and has what was written.
                try await Task.sleep(for: .milliseconds(500))
                let healed = ContinuousClock.now
                _ = (await writes.pause(since: healed), await reads.pause(since: healed))
            }
        }
        for failure in LeaderFailure.allCases {
            guard let (writes, reads) = pauses[failure] else { continue }
            check("\(failure.rawValue), writes", writes, run)
            check("\(failure.rawValue), reads", reads, run)
            run.count(failure.rawValue, writes.count)
        }
    }

    private static func check(_ name: String, _ pauses: [Duration], _ run: Run) {
        let sorted = pauses.sorted()
        func at(_ part: Double) -> Duration { sorted[Int(Double(sorted.count - 1) * part)] }
        func text(_ part: Double) -> String { String(format: "%.2f s", at(part) / .seconds(1)) }
        say(
            "cluster-pauses, \(name): \(sorted.count) failures; median \(text(0.5)), 99 % \(text(0.99)), "
                + "longest \(text(1))")
        // Fewer say little about one in a hundred.
        if sorted.count >= 100 { run.expect(at(0.99) < .seconds(3), "\(name): 99 % \(text(0.99))") }
    }
}

/// A failure of a leader.
private enum LeaderFailure: String, CaseIterable {
    /// The system closes its connections.
    case kill = "leaders killed"
    /// It answers nobody, and no connection ends: a stopped process, a machine without power, a cut cable.
    case stop = "leaders stopped"
    /// The other nodes are out of reach, but clients reach it.
    case cut = "leaders cut off from their peers"
    /// As before, but without an error for the nodes.
    case freeze = "leaders frozen off from their peers"

    func cause(_ nodes: ClusterNodes, _ leader: Int) {
        switch self {
        case .kill: nodes.kill(leader)
        case .stop: nodes.pause(leader)
        case .cut: nodes.set(.cut, around: leader)
        case .freeze: nodes.set(.frozen, around: leader)
        }
    }
}

/// Repeats an access on a thread of its own, and knows when one succeeded.
private final class Repetition: Sendable {
    /// After this time, the cluster does not recover.
    static let limit = Duration.seconds(60)

    private struct State {
        var isOver = false
        /// The last access that succeeded.
        var success: (start: ContinuousClock.Instant, end: ContinuousClock.Instant)?
    }

    private let state = Locked(State())

    init(_ access: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [state] in
            while !state.current.isOver {
                let start = ContinuousClock.now
                // Failures are repeated at once, as by a program that retries.
                if (try? access()) != nil { state.with { $0.success = (start, .now) } }
                usleep(2_000)
            }
        }
    }

    func end() { state.with { $0.isOver = true } }

    /// The time until an access succeeded that began after a failure; nil if none does.
    func pause(since failure: ContinuousClock.Instant) async -> Duration? {
        while failure.duration(to: .now) < Self.limit {
            if let success = state.current.success, success.start >= failure {
                return failure.duration(to: success.end)
            }
            // A cancelled wait looks again.
            try? await Task.sleep(for: .milliseconds(2))
        }
        return nil
    }
}
