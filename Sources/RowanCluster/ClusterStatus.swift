// The nodes of a cluster.

import RowanPlatform
import Rowan

/// The nodes of a cluster, as reported by its leader: see ``DatabaseCluster/status()``.
///
/// Article: <doc:PastOneMachine>.
public struct ClusterStatus: Sendable, Hashable {
    /// A node of a cluster.
    public struct Node: Sendable, Hashable {
        /// The number of the node: its `--id`.
        public let id: UInt64
        /// The address at which clients and other nodes reach it, as `host:port`.
        public let address: String
        /// The role of the node; nil for a role unknown to this version.
        public let role: NodeRole?
        /// Whether the node leads.
        public let isLeader: Bool
        /// Whether the node responds to this client within ``ClusterOptions/connectTimeout``, and all nodes before it
        /// within ``ClusterOptions/failoverTimeout``.
        public let isReachable: Bool
        /// The space on the disk of the node; nil if it does not respond.
        public let diskSpace: DiskSpace?
    }

    /// All nodes, ordered by number.
    public let nodes: [Node]

    /// The node that leads.
    public var leader: Node? { nodes.first(where: \.isLeader) }

    /// Whether the cluster keeps working if one more voter fails: the others that respond, and whose disks have space,
    /// are still a majority.
    public var toleratesFailure: Bool {
        ClusterAdministration.toleratesFailure(
            of: nodes.map { ($0.role, NodeCondition(isReachable: $0.isReachable, diskSpace: $0.diskSpace)) })
    }
}

extension DatabaseCluster {
    /// The nodes, as reported by the leader. Also checks whether each of them responds.
    ///
    /// ```swift
    /// let status = try await cluster.status()
    /// print(status.leader?.address ?? "no leader", status.toleratesFailure)
    /// // Prints 10.0.0.1:9001 true
    /// ```
    ///
    /// - Throws: a ``Rowan/DatabaseError`` whose `isLeaderChange` is true if no leader is found within
    ///   ``ClusterOptions/failoverTimeout``.
    public func status() async throws -> ClusterStatus {
        let directory = directory
        return try await offThread {
            let (leader, members) = try Self.ask(.members, directory, "Ask again")
            // Each node has its time, but a list of nodes has no limit.
            let end = directory.options.failoverTimeout.deadline
            let nodes = members.map { member in
                let condition = NodeCondition(
                    of: member.address, until: min(directory.options.connectTimeout.deadline, end),
                    through: directory.options.connector)
                return ClusterStatus.Node(
                    id: member.id, address: member.address, role: member.role,
                    isLeader: member.address == leader.description, isReachable: condition.isReachable,
                    diskSpace: condition.diskSpace)
            }
            return ClusterStatus(nodes: nodes.sorted { $0.id < $1.id })
        }
    }

    /// Asks the leader.
    static func ask<Value>(
        _ request: Request<Value>, _ directory: NodeDirectory, _ advice: String
    ) throws -> (leader: NodeAddress, Value) {
        do {
            let leader = try directory.connectToLeader(until: directory.options.failoverTimeout.deadline)
            defer { leader.close() }
            return (leader.address, try leader.ask(request, deadline: directory.options.requestTimeout.deadline))
        } catch { throw known(error, advice) }
    }
}
