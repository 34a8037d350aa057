// Confirms the leader with a majority of the nodes: a response that names the leader of a read proves that nothing
// newer had been committed elsewhere when the read began.

import RowanPlatform
import Rowan

/// Queries the nodes for the leader. One connection uses it.
final class LeaderConfirmation {
    private let directory: NodeDirectory
    private var connections: [NodeAddress: NodeConnection] = [:]
    /// The nodes that vote, and when they were queried.
    private var voters: (addresses: [NodeAddress], date: ContinuousClock.Instant)?

    /// The nodes that have not responded in time, and until when the others are queried first.
    private var suspects: [NodeAddress: ContinuousClock.Instant] = [:]

    /// The maximum time to wait for one node while others may have responded.
    private static let slice = Duration.milliseconds(2)
    /// The time after which the nodes that did not respond last time are queried, too.
    private static let patience = Duration.milliseconds(100)
    private static let suspicion = Duration.seconds(1)
    /// The time after which nodes that do not confirm are queried again.
    private static let pause = Duration.milliseconds(10)
    /// Members change rarely, and by hand.
    private static let memberLifetime = Duration.seconds(2)

    init(_ directory: NodeDirectory) { self.directory = directory }

    deinit { for connection in connections.values { connection.close() } }

    /// - Parameter check: called while waiting; throws to stop the wait.
    /// - Throws: `ClusterFailure.unconfirmed` if no majority confirms this leader; the error of the check; the failure of
    ///   a request to the leader.
    func confirm(_ leader: NodeAddress, _ check: () throws -> Void) throws {
        let voters = try knownVoters(leader)
        // A node that has lost its data, and contact with the others, may have founded a cluster of its own.
        let outsiders = directory.addresses.filter { !voters.contains($0) }
        let all = outsiders + voters
        let (needed, neededOfAll) = (voters.count / 2 + 1, all.count / 2 + 1)
        let deadline = directory.options.connectTimeout.deadline
        let now = ContinuousClock.now
        suspects = suspects.filter { $0.value > now }
        // The leader's own response also counts: it may have changed by now.
        var known = try confirmations(
            of: leader, voters.filter { suspects[$0] == nil }, later: voters.filter { suspects[$0] != nil }, needed,
            deadline, check)
        if known.count >= needed, known.count < neededOfAll {
            let others = all.filter { !known.contains($0) }
            known.formUnion(
                try confirmations(of: leader, others, later: [], neededOfAll - known.count, deadline, check))
        }
        if known.count >= needed, known.count >= neededOfAll { return }
        throw unconfirmed(known.count)
    }

    private func unconfirmed(_ count: Int) -> ClusterFailure {
        defer { voters = nil }
        return .unconfirmed(count: count, nodeCount: Set(directory.addresses + (voters?.addresses ?? [])).count)
    }

    /// The nodes that confirm the leader. Once there are enough, or can't be enough any more, unresponsive
    /// nodes are not waited for.
    ///
    /// A node that knows no leader, or another one, may not have heard of this one yet: it is queried again, instead of
    /// waiting only for a node that may be gone.
    ///
    /// - Parameter later: the nodes that are queried only if the others don't suffice, or not soon.
    private func confirmations(
        of leader: NodeAddress, _ voters: [NodeAddress], later: [NodeAddress], _ needed: Int,
        _ deadline: ContinuousClock.Instant, _ check: () throws -> Void
    ) throws -> Set<NodeAddress> {
        var pending: [NodeConnection] = []
        // Their responses would be mistaken for those to the next query.
        defer {
            for connection in pending {
                drop(connection)
                suspect(connection.address)
            }
        }
        func ask(_ nodes: [NodeAddress]) {
            for address in nodes {
                if let connection = self.ask(address, deadline) { pending.append(connection) } else { suspect(address) }
            }
        }
        ask(voters)
        var later = later
        let isLate = Self.patience.deadline
        var known: Set<NodeAddress> = []
        while true {
            try check()
            if known.count + pending.count < needed || ContinuousClock.now > isLate {
                ask(later)
                later = []
            }
            // The nodes that know no leader, and those that know another one.
            var (undecided, others): ([NodeAddress], [NodeAddress]) = ([], [])
            var isDeposed = false
            pending = pending.filter { connection in
                let report: String
                do {
                    report = try connection.receive(.leader, deadline: min(deadline, Self.slice.deadline)).address
                } catch WireError.timedOut {
                    return true
                } catch {
                    drop(connection)
                    return false
                }
                switch report {
                case leader.description: known.insert(connection.address)
                case _ where connection.address == leader: isDeposed = true
                case "": undecided.append(connection.address)
                default: others.append(connection.address)
                }
                return false
            }
            if isDeposed { throw unconfirmed(known.count) }
            let possible = known.count + pending.count + undecided.count + later.count
            guard known.count < needed, possible >= needed, ContinuousClock.now < deadline else { return known }
            guard !(undecided + others).isEmpty else { continue }
            pauseThread(for: Self.pause)
            ask(undecided + others)
        }
    }

    private func suspect(_ address: NodeAddress) { suspects[address] = Self.suspicion.deadline }

    /// Sends the query; nil if the node can't be reached.
    private func ask(_ address: NodeAddress, _ deadline: ContinuousClock.Instant) -> NodeConnection? {
        for isLast in [false, true] {
            do {
                let connection =
                    try connections[address]
                    ?? NodeConnection(
                        address: address, deadline: min(deadline, Duration.milliseconds(500).deadline),
                        through: directory.options.connector)
                connections[address] = connection
                try connection.send(.leader, deadline: deadline)
                return connection
            } catch {
                // An idle connection may have ended, so a new one is tried once.
                let wasKnown = connections[address] != nil
                if let connection = connections[address] { drop(connection) }
                if isLast || !wasKnown { return nil }
            }
        }
        return nil
    }

    private func drop(_ connection: NodeConnection) {
        connection.close()
        connections[connection.address] = nil
    }

    private func knownVoters(_ leader: NodeAddress) throws -> [NodeAddress] {
        if let voters, ContinuousClock.now - voters.date < Self.memberLifetime { return voters.addresses }
        let deadline = directory.options.connectTimeout.deadline
        let connection = try NodeConnection(address: leader, deadline: deadline, through: directory.options.connector)
        defer { connection.close() }
        let members = try connection.ask(.members, deadline: deadline)
        let addresses = try members.filter { $0.role == .voter }
            .map { try ReportedLeader(id: $0.id, address: $0.address).nodeAddress }
        directory.setMembers(addresses)
        voters = (addresses, .now)
        return addresses
    }
}
