// How administration finds the leader and communicates with it.

import Rowan

/// A connection to the leader.
struct LeaderConnection: ~Copyable {
    private let leader: Leader
    var member: ClusterAdministration.Member {
        .init(id: leader.id, address: leader.address.description, role: .voter)
    }

    init(_ leader: Leader) { self.leader = leader }

    deinit { leader.connection.close() }

    /// - Throws: ``ClusterAdministrationError`` if it doesn't respond.
    func members() throws(ClusterAdministrationError) -> [ClusterAdministration.Member] {
        try ask(.members, within: ClusterAdministration.answer)
            .map { .init(id: $0.id, address: $0.address, role: $0.role) }
    }

    /// Changes the members or the leader.
    ///
    /// - Throws: ``ClusterAdministrationError`` if the leader refuses or doesn't respond.
    func change(_ request: @escaping (inout RequestBuffer) throws -> Void) throws(ClusterAdministrationError) {
        try ask(.change(request), within: ClusterAdministration.change)
    }

    private func ask<Value>(
        _ request: Request<Value>, within time: Duration
    ) throws(ClusterAdministrationError) -> Value {
        do { return try leader.connection.ask(request, deadline: time.deadline) } catch { throw .init(of: error) }
    }
}

extension ClusterAdministration {
    /// Calls a closure with the leader. Retries after transient failures until the time has elapsed.
    ///
    /// - Throws: the closure's ``ClusterAdministrationError``, or one that explains why there is no leader.
    func withLeader<Result>(
        within time: Duration, _ body: (borrowing LeaderConnection) throws(ClusterAdministrationError) -> Result
    ) throws(ClusterAdministrationError) -> Result {
        let deadline = time.deadline
        var last = ClusterAdministrationError("no address of a node was given")
        repeat {
            for address in addresses {
                do throws(ClusterAdministrationError) {
                    guard let leader = try leader(from: address) else {
                        throw ClusterAdministrationError("the node \(address) knows no leader", isTransient: true)
                    }
                    return try body(leader)
                } catch {
                    guard error.isTransient else { throw error }
                    last = error
                }
                if ContinuousClock.now >= deadline { throw last }
            }
            pauseThread(for: .milliseconds(50))
        } while ContinuousClock.now < deadline
        throw last
    }

    /// Makes one of the other voters the leader: one whose disk has space, if there is one.
    ///
    /// - Parameter needsSpace: whether only such a voter may lead.
    /// - Throws: ``ClusterAdministrationError`` if none takes over.
    func transfer(
        from leader: borrowing LeaderConnection, of members: [Member], needsSpace: Bool
    ) throws(ClusterAdministrationError) {
        let id = leader.member.id
        let others = members.filter { $0.role == .voter && $0.id != id }
        guard !others.isEmpty else {
            throw ClusterAdministrationError("there is no other voter that could lead: add one first")
        }
        // A leader waits for the voter to which it hands over, even if that voter is down.
        let reachable = others.map { ($0, condition(of: $0.address)) }.filter { $0.1.isReachable }
        guard !reachable.isEmpty else {
            throw ClusterAdministrationError("the other voters don't answer", isTransient: true)
        }
        let withSpace = reachable.filter { $0.1.diskSpace?.isShort != true }
        let candidates = needsSpace ? withSpace : withSpace + reachable.filter { $0.1.diskSpace?.isShort == true }
        var last = ClusterAdministrationError("the disks of the other voters have no space either")
        for (voter, _) in candidates {
            do throws(ClusterAdministrationError) {
                return try leader.change { $0.transfer(id: voter.id) }
            } catch {
                last = error
            }
        }
        throw last
    }

    /// The leader that a node reports.
    ///
    /// - Returns: nil if it reports none.
    /// - Throws: ``ClusterAdministrationError`` if a node doesn't respond.
    func leader(
        from address: NodeAddress, maximumNodeCount: Int = 3
    ) throws(ClusterAdministrationError) -> LeaderConnection? {
        let search = LeaderSearch(
            patience: Self.answer, connector: NodeConnector(transport: transport), maximumNodeCount: maximumNodeCount)
        let leader: Leader?
        do { leader = try search.leader(from: address) } catch { throw .init(of: error) }
        guard let leader else { return nil }
        return LeaderConnection(leader)
    }
}

extension ClusterAdministrationError {
    /// A node that doesn't respond may do so later. Another change may be in progress, another node may lead, or a node
    /// may not keep up: a refusal is temporary as well.
    fileprivate init(of error: any Error) {
        let refusal = (error as? NodeRefusal).map { "the leader refused: \($0.message) (\($0.code))" }
        self.init(refusal ?? "\(error)", isTransient: true)
    }
}
