// The nodes of a cluster, and copies of its databases.

import Foundation
import Rowan

/// The nodes of a cluster, as reported by its leader: see ``DatabaseCluster/status()``.
///
/// Article: <doc:PastOneMachine>.
public struct ClusterStatus: Sendable, Hashable {
    /// The role of a node.
    public enum Role: String, Sendable, Hashable {
        /// It has all commits and votes: a majority of the voters has each commit.
        case voter
        /// It receives all commits but does not vote.
        case standby
        /// It has no data.
        case spare
    }

    /// A node of a cluster.
    public struct Node: Sendable, Hashable {
        /// The number of the node: its `--id`.
        public let id: UInt64
        /// The address at which clients and other nodes reach it, as `host:port`.
        public let address: String
        /// The role of the node; nil for a role unknown to this version.
        public let role: Role?
        /// Whether the node leads.
        public let isLeader: Bool
        /// Whether the node responds to this client within ``ClusterOptions/connectTimeout``.
        public let isReachable: Bool
    }

    /// All nodes, ordered by number.
    public let nodes: [Node]

    /// The node that leads.
    public var leader: Node? { nodes.first(where: \.isLeader) }

    /// Whether the cluster keeps working if one more voter fails: the others are still a majority.
    public var toleratesFailure: Bool {
        let voters = nodes.filter { $0.role == .voter }
        return voters.count(where: \.isReachable) - 1 > voters.count / 2
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
            let leader = try directory.connectToLeader(until: directory.options.failoverTimeout.deadline) { _ in }
            defer { leader.close() }
            let members: [Response.Node]
            do {
                members = try ClusterMembers.read(leader, directory.options.requestTimeout.deadline)
            } catch let error as WireError { throw DatabaseError.lost(error, "Ask again") }
            let nodes = members.map { member in
                ClusterStatus.Node(
                    id: member.id, address: member.address, role: member.role.map(ClusterStatus.Role.init),
                    isLeader: member.address == leader.address.description,
                    isReachable: Self.answers(member.address, directory.options))
            }
            return ClusterStatus(nodes: nodes.sorted { $0.id < $1.id })
        }
    }

    private static func answers(_ address: String, _ options: ClusterOptions) -> Bool {
        do {
            let deadline = options.connectTimeout.deadline
            let connection = try NodeConnection(address: NodeAddress(address), deadline: deadline)
            defer { connection.close() }
            _ = try NodeDirectory.leader(according: connection, deadline)
            return true
        } catch { return false }
    }

    /// Copies the database into a local SQLite file: a backup of its last committed state.
    ///
    /// ```swift
    /// try await cluster.dump(to: "/backups/app.sqlite")
    /// let copy = try DatabaseQueue(path: "/backups/app.sqlite")
    /// ```
    ///
    /// Meanwhile, the whole database is in memory, on the leader as well. The copy also contains the table
    /// `rowan_client`, in which transactions store their tickets.
    ///
    /// - Parameter path: the path of the copy. The file must not exist.
    /// - Throws: SQLITE_CANTOPEN if the file exists or can't be written; a ``Rowan/DatabaseError`` whose
    ///   `isLeaderChange` is true if no leader responds in time.
    public func dump(to path: String) async throws {
        let (directory, name) = (directory, self.path)
        try await offThread {
            guard !FileManager.default.fileExists(atPath: path) else {
                throw DatabaseError(
                    resultCode: .SQLITE_CANTOPEN,
                    message: "there is a file already: choose another path, or remove it - \(path)")
            }
            let files = try Self.files(of: name, directory)
            do {
                for file in files where !file.contents.isEmpty {
                    let suffix = file.name.hasSuffix("-wal") ? "-wal" : ""
                    do { try file.contents.write(to: URL(fileURLWithPath: path + suffix)) } catch {
                        throw DatabaseError(
                            resultCode: .SQLITE_CANTOPEN,
                            message: "the file can't be written: \(error.localizedDescription) - \(path)")
                    }
                }
                // The last connection moves the log into the file.
                let queue = try DatabaseQueue(path: path)
                try queue.writeWithoutTransaction { db in
                    try db.checkpoint(.truncate)
                    _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
                }
                try queue.close()
            } catch {
                // The remaining files are not a database.
                for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
                throw error
            }
        }
    }

    private static func files(
        of database: String, _ directory: NodeDirectory
    ) throws -> [(name: String, contents: Data)] {
        let leader = try directory.connectToLeader(until: directory.options.failoverTimeout.deadline) { _ in }
        defer { leader.close() }
        do {
            var requests = RequestBuffer()
            try requests.dump(name: ClusterSession.nameOnNodes(of: database))
            let deadline = directory.options.requestTimeout.deadline
            try leader.send(requests, deadline: deadline)
            switch try leader.receive(deadline: deadline) {
            case .files(let files): return files
            case .failure(let code, let message): throw DatabaseError.refused(code, message)
            default: throw WireError.malformed("it answered with something else than files")
            }
        } catch let error as WireError { throw DatabaseError.lost(error, "Copy again") }
    }
}

extension ClusterStatus.Role {
    fileprivate init(_ role: NodeRole) {
        self =
            switch role {
            case .voter: .voter
            case .standby: .standby
            case .spare: .spare
            }
    }
}
