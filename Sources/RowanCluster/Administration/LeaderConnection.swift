// How administration finds the leader and communicates with it.

import Foundation

/// A connection to the leader.
struct LeaderConnection: ~Copyable {
    let member: ClusterAdministration.Member
    let connection: NodeConnection

    deinit { connection.close() }

    /// - Throws: ``ClusterAdministrationError`` if it doesn't respond.
    func members() throws(ClusterAdministrationError) -> [ClusterAdministration.Member] {
        let response = try connection.ask(within: ClusterAdministration.answer) { $0.cluster() }
        guard case .nodes(let nodes) = response else { throw .unexpected(response) }
        return nodes.map { .init(id: $0.id, address: $0.address, role: $0.role) }
    }

    /// Changes the members or the leader.
    ///
    /// - Throws: ``ClusterAdministrationError`` if the leader refuses or doesn't respond.
    func change(_ request: (inout RequestBuffer) throws -> Void) throws(ClusterAdministrationError) {
        let response = try connection.ask(within: ClusterAdministration.change, request)
        guard case .empty = response else { throw .unexpected(response) }
    }

    /// Makes one of the other voters the leader.
    ///
    /// - Throws: ``ClusterAdministrationError`` if none takes over.
    func transferToOthers(of members: [ClusterAdministration.Member]) throws(ClusterAdministrationError) {
        var last = ClusterAdministrationError("there is no other voter that could lead: add one first")
        for voter in members where voter.role == .voter && voter.id != member.id {
            // A leader waits for the voter to which it hands over, even if that voter is down.
            guard voter.answers() else {
                last = ClusterAdministrationError("the other voters don't answer", isTransient: true)
                continue
            }
            do throws(ClusterAdministrationError) {
                return try change { $0.transfer(id: voter.id) }
            } catch {
                last = error
            }
        }
        throw last
    }
}

extension ClusterAdministration.Member {
    /// Whether it accepts connections and responds.
    fileprivate func answers() -> Bool {
        guard let address = try? NodeAddress(address) else { return false }
        let deadline = ContinuousClock.now + ClusterAdministration.answer
        // The reason for not responding doesn't matter.
        guard let connection = try? NodeConnection(address: address, deadline: deadline) else { return false }
        defer { connection.close() }
        return (try? connection.ask(within: ClusterAdministration.answer) { $0.leader() }) != nil
    }
}

extension ClusterAdministration {
    /// Calls a closure with the leader. Retries after transient failures until the time has elapsed.
    ///
    /// - Throws: the closure's ``ClusterAdministrationError``, or one that explains why there is no leader.
    func withLeader<Result>(
        within time: Duration, _ body: (borrowing LeaderConnection) throws(ClusterAdministrationError) -> Result
    ) throws(ClusterAdministrationError) -> Result {
        let deadline = ContinuousClock.now + time
        var last = ClusterAdministrationError("no address of a node was given")
        repeat {
            for address in addresses {
                do throws(ClusterAdministrationError) {
                    return try body(try leader(from: address))
                } catch {
                    guard error.isTransient else { throw error }
                    last = error
                }
                if ContinuousClock.now >= deadline { throw last }
            }
            Thread.sleep(forTimeInterval: 0.05)
        } while ContinuousClock.now < deadline
        throw last
    }

    /// The leader that a node reports.
    ///
    /// - Throws: ``ClusterAdministrationError`` if it has no leader, or if a node doesn't respond.
    private func leader(from address: NodeAddress) throws(ClusterAdministrationError) -> LeaderConnection {
        var address = address
        // A node that has just lost an election names another one, which confirms it or reports a newer leader.
        for _ in 0..<3 {
            switch try ask(address) {
            case .leads(let leader): return leader
            case .follows(let next): address = next
            }
        }
        throw ClusterAdministrationError("the nodes don't agree on a leader", isTransient: true)
    }

    /// A node if it leads.
    ///
    /// - Throws: ``ClusterAdministrationError`` if it has no leader or doesn't respond.
    func leader(at address: NodeAddress) throws(ClusterAdministrationError) -> LeaderConnection? {
        switch try ask(address) {
        case .leads(let leader): leader
        case .follows: nil
        }
    }

    /// A node's response about the leader.
    private enum Answer: ~Copyable {
        case leads(LeaderConnection)
        case follows(NodeAddress)
    }

    private func ask(_ address: NodeAddress) throws(ClusterAdministrationError) -> Answer {
        let connection = try Self.connect(to: address)
        do throws(ClusterAdministrationError) {
            let response = try connection.ask(within: Self.answer) { $0.leader() }
            guard case .leader(let id, let text) = response else { throw .unexpected(response) }
            guard !text.isEmpty else {
                throw ClusterAdministrationError("the node \(address) has no leader", isTransient: true)
            }
            if text == address.description {
                return .leads(.init(member: .init(id: id, address: text, role: .voter), connection: connection))
            }
            connection.close()
            guard let next = try? NodeAddress(text) else {
                throw ClusterAdministrationError("the leader's address is '\(text)'")
            }
            return .follows(next)
        } catch {
            connection.close()
            throw error
        }
    }

    private static func connect(to address: NodeAddress) throws(ClusterAdministrationError) -> NodeConnection {
        do throws(WireError) {
            return try NodeConnection(address: address, deadline: .now + Self.answer)
        } catch {
            throw ClusterAdministrationError("\(error)", isTransient: true)
        }
    }
}

extension NodeConnection {
    /// Sends a request and waits for its response.
    ///
    /// - Throws: a transient ``ClusterAdministrationError``.
    fileprivate func ask(
        within time: Duration, _ request: (inout RequestBuffer) throws -> Void
    ) throws(ClusterAdministrationError) -> Response {
        do {
            var requests = RequestBuffer()
            try request(&requests)
            let deadline = ContinuousClock.now + time
            try send(requests, deadline: deadline)
            return try receive(deadline: deadline)
        } catch {
            throw .init("\(error).", isTransient: true)
        }
    }
}

extension ClusterAdministrationError {
    /// A response that is a failure or belongs to another request.
    fileprivate static func unexpected(_ response: Response) -> Self {
        guard case .failure(let code, let message) = response else { return .init("a node answered \(response).") }
        // Another change is in progress, another node leads, or a node doesn't keep up: all of these are temporary.
        return .init("the leader refused: \(message) (\(code)).", isTransient: true)
    }
}
