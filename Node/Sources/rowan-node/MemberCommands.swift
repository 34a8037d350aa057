// rowan-node status and rowan-node remove: the members of a running cluster.

import Glibc
@_spi(Node) import RowanCluster

struct StatusCommand {
    let cluster: ClusterAdministration

    init(_ words: some Sequence<String>) throws(Failure) {
        cluster = try Arguments(words, options: ["cluster"]).cluster()
    }

    /// - Throws: a `Failure` if the cluster has no leader.
    func run() throws(Failure) {
        do throws(ClusterAdministrationError) {
            let (members, leader) = try cluster.members(within: .seconds(5))
            for member in members.sorted(by: { $0.id < $1.id }) {
                let role = member.role.map { "\($0)" } ?? "unknown"
                let words = ["\(member.id)", member.address, role] + (member.id == leader.id ? ["leader"] : [])
                writeLine(words.joined(separator: " "), to: STDOUT_FILENO)
            }
        } catch {
            throw Failure("can't get the members: \(error)")
        }
    }
}

struct RemoveCommand {
    let cluster: ClusterAdministration
    let id: UInt64

    init(_ words: some Sequence<String>) throws(Failure) {
        let arguments = try Arguments(words, options: ["cluster", "id"])
        cluster = try arguments.cluster()
        guard let id = try arguments.number("id", in: 1...UInt64.max) else { throw .usage("--id is missing") }
        self.id = id
    }

    /// - Throws: a `Failure` if the cluster has no leader or can't remove the node.
    func run() throws(Failure) {
        do throws(ClusterAdministrationError) {
            try cluster.remove(id: id, within: .seconds(30))
        } catch {
            throw Failure("can't remove the node \(id): \(error)")
        }
        writeLine("The node \(id) is not a member of the cluster any more. Stop it, and delete its folder.", to: 1)
    }
}

extension Arguments {
    /// - Throws: a `Failure` if `--cluster` is missing or wrong.
    fileprivate func cluster() throws(Failure) -> ClusterAdministration {
        let addresses = try addresses("cluster")
        guard !addresses.isEmpty else { throw .usage("--cluster is missing") }
        return ClusterAdministration(addresses: addresses)
    }
}
