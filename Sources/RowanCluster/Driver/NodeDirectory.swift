// The nodes and their leader, shared by the connections of a client.

import Foundation
import Rowan

/// The nodes that a client has found.
final class NodeDirectory: Sendable {
    private struct State {
        var leader: NodeAddress?
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

    /// A connection to the leader.
    ///
    /// - Parameter willWait: called with each connection that is tried, so that it can be cancelled.
    /// - Throws: ``DatabaseError`` if no leader is found before the deadline.
    func connectToLeader(
        until deadline: ContinuousClock.Instant, _ willWait: (NodeConnection?) throws -> Void
    ) throws -> NodeConnection {
        var reasons: [String] = []
        var pause = Duration.milliseconds(10)
        var patience = Self.firstPatience
        while true {
            reasons = []
            for address in candidates {
                do {
                    let limit = min(deadline, min(patience, options.connectTimeout).deadline)
                    if let connection = try connect(to: address, limit, willWait) { return connection }
                    reasons.append("\(address) knows no leader")
                } catch let error as WireError {
                    if error == .cancelled { throw DatabaseError.lost(error, "") }
                    reasons.append("\(address): \(error)")
                } catch let error as DatabaseError where error.resultCode != .SQLITE_INTERRUPT {
                    reasons.append("\(address): \(error.message ?? "it failed")")
                }
                guard ContinuousClock.now < deadline else { break }
            }
            try willWait(nil)
            guard ContinuousClock.now + pause < deadline else {
                throw DatabaseError(
                    resultCode: DatabaseError.notLeader,
                    message:
                        "no leader of the cluster was found in time (\(reasons.joined(separator: "; "))): check that a "
                        + "majority of the nodes is running")
            }
            Thread.sleep(forTimeInterval: (pause / .seconds(1)) * Double.random(in: 0.5...1))
            pause = min(pause * 2, .milliseconds(100))
            patience = min(patience * 2, Self.lastPatience)
        }
    }

    /// A connection to the leader that a node reports.
    ///
    /// - Returns: nil if the node reports none, or if the reported node isn't the leader.
    private func connect(
        to address: NodeAddress, _ limit: ContinuousClock.Instant, _ willWait: (NodeConnection?) throws -> Void
    ) throws -> NodeConnection? {
        var address = address
        // From a follower to the leader that it reports.
        for _ in 1...3 {
            let connection = try NodeConnection(
                address: address, deadline: limit, spinDuration: options.spinDuration)
            var isLeader = false
            defer { if !isLeader { connection.close() } }
            try willWait(connection)
            guard let leader = try Self.leader(according: connection, limit) else { return nil }
            if leader == address {
                isLeader = true
                state.withLock { $0.leader = address }
                return connection
            }
            address = leader
        }
        return nil
    }

    /// The leader that a node reports.
    static func leader(according connection: NodeConnection, _ deadline: ContinuousClock.Instant) throws -> NodeAddress?
    {
        var requests = RequestBuffer()
        requests.leader()
        try connection.send(requests, deadline: deadline)
        switch try connection.receive(deadline: deadline) {
        case .leader(_, let address): return address.isEmpty ? nil : try? NodeAddress(address)
        case .failure(let code, let message): throw DatabaseError.refused(code, message)
        default: throw WireError.malformed("it answered a question about the leader with something else")
        }
    }
}
