// The members of a cluster: who they are, who leads, who comes and who goes. For the program that runs nodes.

/// The members of a cluster.
///
/// Each method looks for the leader among the given nodes, and those that they know, until the time is over.
@_spi(Node)
public struct ClusterAdministration: Sendable {
    /// A member of a cluster.
    public struct Member: Hashable, Sendable {
        /// The number that its operator has given it.
        public let id: UInt64
        /// Where clients and the other members reach it.
        public let address: String
        /// `nil` for a role that this version does not know.
        public let role: NodeRole?
    }

    let addresses: [NodeAddress]

    /// How long a node may take to answer a question.
    static let answer = Duration.seconds(1)

    /// How long a leader may take for a change of the members. A node uses freed memory if a connection ends while it
    /// changes the members for it: so this is longer than what a leader takes at worst.
    static let change = Duration.seconds(60)

    /// - Parameter addresses: some nodes of the cluster.
    public init(addresses: [NodeAddress]) { self.addresses = addresses }
}

@_spi(Node)
extension ClusterAdministration {
    /// The leader.
    ///
    /// - Throws: ``ClusterAdministrationError`` if there is none in time.
    public func leader(within time: Duration) throws(ClusterAdministrationError) -> Member {
        try withLeader(within: time) { leader throws(ClusterAdministrationError) in leader.member }
    }

    /// The members, and which of them leads.
    ///
    /// - Throws: ``ClusterAdministrationError`` if there is no leader in time.
    public func members(within time: Duration) throws(ClusterAdministrationError) -> (members: [Member], leader: Member)
    {
        try withLeader(within: time) { leader throws(ClusterAdministrationError) in
            (try leader.members(), leader.member)
        }
    }

    /// Makes a node a member with a role. It does nothing if the node is one.
    ///
    /// - Throws: ``ClusterAdministrationError`` if another member has the id or the address, or the leader can't change the
    ///   members in time.
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

    /// Removes a member. It does nothing if the node is none.
    ///
    /// - Throws: ``ClusterAdministrationError`` if it leads and nobody else can, or the leader can't change the members in
    ///   time.
    public func remove(id: UInt64, within time: Duration) throws(ClusterAdministrationError) {
        try withLeader(within: time) { leader throws(ClusterAdministrationError) in
            let members = try leader.members()
            guard members.contains(where: { $0.id == id }) else { return }
            guard leader.member.id == id else { return try leader.change { $0.remove(id: id) } }
            try leader.transferToOthers(of: members)
            throw ClusterAdministrationError("the member \(id) still leads", isTransient: true)
        }
    }

    /// Makes another voter the leader, if the first of the nodes leads. It tries once.
    ///
    /// - Returns: whether it has led.
    /// - Throws: ``ClusterAdministrationError`` if it doesn't answer, or no other voter can take over.
    @discardableResult
    public func handOver() throws(ClusterAdministrationError) -> Bool {
        guard let address = addresses.first, let leader = try leader(at: address) else { return false }
        try leader.transferToOthers(of: try leader.members())
        return true
    }
}

/// Why a method of ``ClusterAdministration`` has failed.
public struct ClusterAdministrationError: Error, CustomStringConvertible {
    /// What happened, and what to do.
    public let description: String
    /// Trying again later may succeed.
    public let isTransient: Bool

    /// - Parameter description: what happened, and what to do.
    public init(_ description: String, isTransient: Bool = false) {
        self.description = description
        self.isTransient = isTransient
    }
}
