// The nodes and their leader, shared by the connections of a client.

import RowanPlatform
import Rowan

/// The nodes that a client has found.
final class NodeDirectory: Sendable {
    private struct State {
        var leader: NodeAddress?
        /// The last leader that was found, even if it is gone.
        var lastLeader: NodeAddress?
        /// The nodes that the cluster has reported.
        var members: [NodeAddress] = []
    }

    /// The addresses of the program.
    let addresses: [NodeAddress]
    let options: ClusterOptions
    private let state = Mutex(State())

    init(_ addresses: [NodeAddress], _ options: ClusterOptions) {
        self.addresses = addresses
        self.options = options
    }

    /// The initial time to wait for a node. It doubles until the leader is found, so that an unresponsive node hardly
    /// delays the others, and a slow network is waited for.
    private static let firstPatience = Duration.milliseconds(100)
    private static let lastPatience = Duration.seconds(60)

    /// All known nodes, starting with the probable leader.
    private var candidates: [NodeAddress] {
        let (leader, members) = state.withLock { ($0.leader, $0.members) }
        var seen: Set<NodeAddress> = []
        return ([leader].compactMap(\.self) + addresses + members).filter { seen.insert($0).inserted }
    }

    /// The nodes that vote.
    var voters: [NodeAddress] { state.withLock { $0.members } }

    func setMembers(_ members: [NodeAddress]) { state.withLock { $0.members = members } }

    /// Called after the leader was not found at its address.
    func forgetLeader(_ address: NodeAddress) {
        state.withLock { if $0.leader == address { $0.leader = nil } }
    }

    private func setLeader(_ address: NodeAddress) {
        let previous = state.withLock { state in
            defer { (state.leader, state.lastLeader) = (address, address) }
            return state.lastLeader
        }
        if let previous, previous != address { options.eventHandler?(.leaderChange(from: previous, to: address)) }
    }

    /// A connection to the leader.
    ///
    /// - Parameter willWait: called with each connection that is tried, so that it can be cancelled, and with nil before
    ///   a pause.
    /// - Throws: `ClusterFailure.noLeader` if no leader is found before the deadline; the error of `willWait`.
    func connectToLeader(
        until deadline: ContinuousClock.Instant, _ willWait: (NodeConnection?) throws -> Void = { _ in }
    ) throws -> NodeConnection {
        var reasons: [NodeAddress: String] = [:]
        var pause = Duration.milliseconds(10)
        var patience = Self.firstPatience
        while true {
            let candidates = candidates
            for address in candidates {
                do {
                    if let connection = try connect(to: address, patience, deadline, willWait) { return connection }
                    reasons[address] = "\(address) knows no leader"
                } catch WireError.cancelled {
                    throw WireError.cancelled
                } catch WireError.timedOut where reasons[address] != nil && ContinuousClock.now >= deadline {
                    // An attempt that the end of the search cuts short says less than the one before.
                } catch {
                    guard let failure = ClusterFailure(error) else { throw error }
                    reasons[address] = "\(address): \(failure)"
                }
                guard ContinuousClock.now < deadline else { break }
            }
            try willWait(nil)
            guard ContinuousClock.now + pause < deadline else {
                options.eventHandler?(.failedSearch)
                throw ClusterFailure.noLeader(candidates.compactMap { reasons[$0] })
            }
            pauseThread(for: pause * Double.random(in: 0.5...1))
            pause = min(pause * 2, .milliseconds(100))
            patience = min(patience * 2, Self.lastPatience)
        }
    }

    private func connect(
        to address: NodeAddress, _ patience: Duration, _ deadline: ContinuousClock.Instant,
        _ willWait: (NodeConnection?) throws -> Void
    ) throws -> NodeConnection? {
        try withoutActuallyEscaping(willWait) { willWait in
            let search = LeaderSearch(
                patience: min(patience, options.connectTimeout), connector: options.connector, deadline: deadline,
                spinDuration: options.spinDuration, willWait: willWait)
            guard let leader = try search.leader(from: address) else { return nil }
            setLeader(leader.address)
            return leader.connection
        }
    }

    /// The maximum time to wait for a node that is asked about a successor.
    private static let successorPatience = Duration.milliseconds(200)

    /// The leader that the other nodes follow while the leader of a session is silent: it may have failed, and it may
    /// just be running a long statement.
    ///
    /// - Returns: nil if no other node reports another leader.
    func successor(of leader: NodeAddress) -> NodeAddress? {
        for address in candidates where address != leader {
            // A node that does not respond either reports no successor.
            guard let reported = try? reportedLeader(by: address), reported != leader else { continue }
            // The report may be older than the silent leader. The reported node knows.
            let search = LeaderSearch(
                patience: Self.successorPatience, connector: options.connector, maximumNodeCount: 1)
            guard let found = try? search.leader(from: reported) else { continue }
            found.connection.close()
            return reported
        }
        return nil
    }

    private func reportedLeader(by address: NodeAddress) throws -> NodeAddress? {
        let deadline = Self.successorPatience.deadline
        let connection = try NodeConnection(address: address, deadline: deadline, through: options.connector)
        defer { connection.close() }
        let report = try connection.ask(.leader, deadline: deadline)
        return report.address.isEmpty ? nil : try report.nodeAddress
    }
}
