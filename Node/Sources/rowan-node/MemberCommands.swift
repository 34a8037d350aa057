// rowan-node status and rowan-node remove: the members of a running cluster.

import Glibc
@_spi(Node) import RowanCluster

struct StatusCommand {
    let cluster: ClusterAdministration
    /// Whether a cluster that doesn't tolerate another failure is an error.
    let isCheck: Bool

    init(_ words: some Sequence<String>) throws(Failure) {
        let arguments = try Arguments(words, options: Arguments.tlsOptions.union(["cluster"]), flags: ["check"])
        cluster = try arguments.cluster()
        isCheck = arguments.has("check")
    }

    /// - Throws: a `Failure` if the cluster has no leader, or does not pass the check.
    func run() throws(Failure) {
        do throws(ClusterAdministrationError) {
            let (members, leader) = try cluster.members(within: .seconds(5))
            let nodes = members.sorted { $0.id < $1.id }.map {
                (member: $0, condition: cluster.condition(of: $0.address))
            }
            for (member, condition) in nodes {
                let role = member.role.map { "\($0)" } ?? "unknown"
                var words = ["\(member.id)", member.address, role]
                if member.id == leader.id { words.append("leader") }
                if !condition.isReachable { words.append("unreachable") }
                if condition.diskSpace?.isShort == true { words.append("short-of-disk") }
                writeLine(words.joined(separator: " "), to: STDOUT_FILENO)
            }
            let tolerates = ClusterAdministration.toleratesFailure(of: nodes.map { ($0.member.role, $0.condition) })
            guard isCheck, !tolerates else { return }
            throw ClusterAdministrationError(
                "the cluster does not tolerate another failure: start the voters that don't respond, make space on their "
                    + "disks, or add voters")
        } catch {
            throw Failure(isCheck ? "the check has failed: \(error)" : "can't get the members: \(error)")
        }
    }
}

struct RemoveCommand {
    let cluster: ClusterAdministration
    let id: UInt64

    init(_ words: some Sequence<String>) throws(Failure) {
        let arguments = try Arguments(words, options: Arguments.tlsOptions.union(["cluster", "id"]))
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
    /// - Throws: a `Failure` if `--cluster` is missing or wrong, or a certificate can't be read.
    func cluster() throws(Failure) -> ClusterAdministration {
        let addresses = try addresses("cluster")
        guard !addresses.isEmpty else { throw .usage("--cluster is missing") }
        return ClusterAdministration(addresses: addresses, transport: try tls())
    }
}
