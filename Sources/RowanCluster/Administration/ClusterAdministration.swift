// The members of a cluster: listing, adding and removing them, and handing over leadership. For the program that runs
// nodes.

/// The members of a cluster.
///
/// Each method searches for the leader among the given nodes and those that they report, until the time has elapsed.
@_spi(Node)
public struct ClusterAdministration: Sendable {
    /// A member of a cluster.
    public struct Member: Hashable, Sendable {
        /// The number assigned by its operator.
        public let id: UInt64
        /// The address at which clients and the other members reach it.
        public let address: String
        /// The role; nil for a role unknown to this version.
        public let role: NodeRole?
    }

    let addresses: [NodeAddress]
    let transport: (any ClusterTransport)?

    /// The maximum time for a node to respond to a query.
    static let answer = Duration.seconds(1)

    /// The maximum time for a leader to change the members. A node uses freed memory if a connection ends while the
    /// node changes the members for it, so this is longer than a leader takes in the worst case.
    static let change = Duration.seconds(60)

    /// - Parameters:
    ///   - addresses: some nodes of the cluster.
    ///   - transport: secures the connections.
    public init(addresses: [NodeAddress], transport: (any ClusterTransport)? = nil) {
        (self.addresses, self.transport) = (addresses, transport)
    }

    /// The options of a client of the same nodes.
    var options: ClusterOptions {
        var options = ClusterOptions()
        options.transport = transport
        return options
    }
}

@_spi(Node)
extension ClusterAdministration {
    /// The leader.
    ///
    /// - Throws: ``ClusterAdministrationError`` if none is found in time.
    public func leader(within time: Duration) throws(ClusterAdministrationError) -> Member {
        try withLeader(within: time) { leader throws(ClusterAdministrationError) in leader.member }
    }

    /// The members and their leader.
    ///
    /// - Throws: ``ClusterAdministrationError`` if no leader is found in time.
    public func members(within time: Duration) throws(ClusterAdministrationError) -> (members: [Member], leader: Member)
    {
        try withLeader(within: time) { leader throws(ClusterAdministrationError) in
            (try leader.members(), leader.member)
        }
    }

    /// Whether a cluster keeps working if one more voter fails: the others that are healthy are still a majority.
    public static func toleratesFailure(of nodes: some Sequence<(role: NodeRole?, condition: NodeCondition)>) -> Bool {
        let voters = nodes.filter { $0.role == .voter }
        return voters.count(where: \.condition.isHealthy) - 1 > voters.count / 2
    }

    /// The address of the first node that responds, whether it knows a leader or not.
    ///
    /// - Returns: nil if none responds.
    public func firstResponding() -> NodeAddress? {
        addresses.first { condition(of: $0.description).isReachable }
    }

    /// Makes a node a member with a role. Does nothing if the node is already a member.
    ///
    /// - Throws: ``ClusterAdministrationError`` if another member has the id or the address, or if the leader can't
    ///   change the members in time.
    public func add(
        id: UInt64, address: NodeAddress, role: NodeRole, within time: Duration
    ) throws(ClusterAdministrationError) {
        try withLeader(within: time) { leader throws(ClusterAdministrationError) in
            let address = address.description
            let members = try leader.members()
            if let member = members.first(where: { $0.id == id }) {
                guard member.address == address else {
                    throw ClusterAdministrationError(
                        "the member \(id) of the cluster has the address \(member.address): choose another id")
                }
                if member.role == role { return }
            } else if let member = members.first(where: { $0.address == address }) {
                throw ClusterAdministrationError(
                    "the address \(address) is that of the member \(member.id): remove that one from the cluster first"
                )
            } else {
                try leader.change { try $0.add(id: id, address: address) }
                if role == .spare { return }
            }
            try leader.change { $0.assign(id: id, role: role) }
        }
    }

    /// Removes a member. Does nothing if the node isn't a member.
    ///
    /// - Throws: ``ClusterAdministrationError`` if it leads and no other node can, or if the leader can't change the
    ///   members in time.
    public func remove(id: UInt64, within time: Duration) throws(ClusterAdministrationError) {
        try withLeader(within: time) { leader throws(ClusterAdministrationError) in
            let members = try leader.members()
            guard members.contains(where: { $0.id == id }) else { return }
            guard leader.member.id == id else { return try leader.change { $0.remove(id: id) } }
            try transfer(from: leader, of: members, needsSpace: false)
            throw ClusterAdministrationError("the member \(id) still leads", isTransient: true)
        }
    }

    /// Makes another voter the leader if the first of the nodes leads. It tries once.
    ///
    /// - Parameter needsSpace: whether only a voter whose disk has space may lead.
    /// - Returns: whether the node was the leader.
    /// - Throws: ``ClusterAdministrationError`` if it doesn't respond, or if no other voter can take over.
    @discardableResult
    public func handOver(needsSpace: Bool = false) throws(ClusterAdministrationError) -> Bool {
        guard let address = addresses.first, let leader = try leader(from: address, maximumNodeCount: 1) else {
            return false
        }
        try transfer(from: leader, of: try leader.members(), needsSpace: needsSpace)
        return true
    }
}

/// The error of a method of ``ClusterAdministration``.
@_spi(Node)
public struct ClusterAdministrationError: Error, CustomStringConvertible {
    /// What happened and what to do.
    public let description: String
    /// Whether a later retry may succeed.
    public let isTransient: Bool

    /// - Parameters:
    ///   - description: what happened and what to do.
    ///   - isTransient: whether a later retry may succeed.
    public init(_ description: String, isTransient: Bool = false) {
        self.description = description
        self.isTransient = isTransient
    }
}
