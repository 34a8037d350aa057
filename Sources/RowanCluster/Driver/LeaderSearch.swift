// Finds the leader: a node reports it, and the reported node confirms it or reports a newer one.

/// A connection to the leader.
struct Leader {
    let connection: NodeConnection
    let id: UInt64
    var address: NodeAddress { connection.address }
}

/// Searches for the leader, starting with one node.
struct LeaderSearch {
    /// The maximum time to wait for each node.
    let patience: Duration
    let connector: NodeConnector
    /// When to give up.
    var deadline: ContinuousClock.Instant?
    var spinDuration = Duration.zero
    /// The maximum number of nodes to contact: a node that has just lost an election reports another one.
    var maximumNodeCount = 3
    /// Called with each connection before it is used, so that another thread can cancel it.
    var willWait: (NodeConnection) throws -> Void = { _ in }

    /// - Returns: nil if the nodes report no leader, or don't agree on one.
    /// - Throws: a `WireError` or `NodeRefusal` of the last node; the error of `willWait`.
    func leader(from first: NodeAddress) throws -> Leader? {
        var address = first
        for _ in 0..<maximumNodeCount {
            let limit = deadline.map { min($0, patience.deadline) } ?? patience.deadline
            let connection = try NodeConnection(
                address: address, deadline: limit, through: connector, spinDuration: spinDuration)
            var isLeader = false
            defer { if !isLeader { connection.close() } }
            try willWait(connection)
            let report = try connection.ask(.leader, deadline: limit)
            guard !report.address.isEmpty else { return nil }
            let reported = try report.nodeAddress
            if reported == address {
                isLeader = true
                return Leader(connection: connection, id: report.id)
            }
            address = reported
        }
        return nil
    }
}

extension ReportedLeader {
    /// - Throws: `WireError.malformed` if it isn't an address.
    var nodeAddress: NodeAddress {
        get throws(WireError) {
            do { return try NodeAddress(address) } catch { throw .malformed("the leader's address is '\(address)'") }
        }
    }
}
