// Whether a node responds, and what it says about itself.

/// The condition of a node, as seen from this process.
@_spi(Node)
public struct NodeCondition: Sendable {
    /// Whether dqlite responds in time.
    public let isReachable: Bool
    /// The space on its disk; nil if it doesn't say.
    public let diskSpace: DiskSpace?

    /// The leader that it reports; nil if it reports none.
    public let leader: (id: UInt64, address: String)?

    /// Whether it responds, and its disk is not short of space.
    public var isHealthy: Bool { isReachable && diskSpace?.isShort != true }

    init(isReachable: Bool, diskSpace: DiskSpace?) {
        (self.isReachable, self.diskSpace, leader) = (isReachable, diskSpace, nil)
    }

    /// Asks a node.
    public init(of address: String, within time: Duration, through transport: (any ClusterTransport)? = nil) {
        self.init(of: address, until: time.deadline, through: NodeConnector(transport: transport))
    }

    init(of address: String, until deadline: ContinuousClock.Instant, through connector: NodeConnector) {
        do {
            let connection = try NodeConnection(address: NodeAddress(address), deadline: deadline, through: connector)
            defer { connection.close() }
            let report = try connection.ask(.leader, deadline: deadline)
            leader = report.address.isEmpty ? nil : (report.id, report.address)
            isReachable = true
            // Only rowan-node knows this request.
            do { diskSpace = try connection.ask(.diskSpace, deadline: deadline) } catch { diskSpace = nil }
        } catch {
            // The reason for not responding doesn't matter.
            (isReachable, diskSpace, leader) = (false, nil, nil)
        }
    }
}

@_spi(Node)
extension ClusterAdministration {
    /// Asks a node, for at most a second.
    public func condition(of address: String) -> NodeCondition {
        NodeCondition(of: address, within: Self.answer, through: transport)
    }
}
