// rowan-node without another command: runs a node until a signal stops it.

import Glibc
@_spi(Node) import RowanCluster

struct RunCommand {
    let options: NodeOptions

    private var settings: DqliteNode.Settings { options.settings }

    init(_ words: some Sequence<String>) throws(Failure) { options = try NodeOptions(words) }

    /// - Throws: a `Failure` if the node can't start, join its cluster, or stop.
    func run() throws(Failure) {
        let signals = EndSignals()
        if options.endsWithInput { endWithInput() }
        let folder = try DataFolder(settings.folder)
        var owner = try checkedOwner(of: folder)
        if owner == nil, !options.join.isEmpty {
            guard try checkIsNew(unless: signals) else { return }
        }
        let node = try DqliteNode(settings)
        if owner == nil {
            owner = newOwner
            try folder.setOwner(newOwner)
        }
        try node.start()
        if owner?.isMember == true {
            try serve(until: signals)
        } else if try join(unless: signals) {
            try folder.setOwner(.init(id: settings.id, address: settings.address.description, isMember: true))
            try serve(until: signals)
        }
        endAfter(seconds: 15)
        try node.stop()
    }

    /// Runs the node until a signal arrives, and hands over if it leads.
    private func serve(until signals: EndSignals) throws(Failure) {
        writeLine("ready \(settings.address)", to: STDOUT_FILENO)
        signals.wait()
        endAfter(seconds: 15)
        let cluster = ClusterAdministration(addresses: [settings.address])
        do {
            try cluster.handOver()
        } catch {
            // It exits nevertheless: the others elect a leader when they miss it. A single node can't hand over.
        }
    }

    /// Checks, before the node takes part, whether the cluster has a member with the id: without its folder, a member
    /// would vote again, against its earlier vote.
    ///
    /// - Returns: false if a signal has interrupted the wait.
    /// - Throws: a `Failure` if there is such a member.
    private func checkIsNew(unless signals: EndSignals) throws(Failure) -> Bool {
        try asking(unless: signals) { cluster throws(ClusterAdministrationError) in
            let (members, _) = try cluster.members(within: .seconds(2))
            guard let member = members.first(where: { $0.id == settings.id }) else { return }
            throw ClusterAdministrationError(
                """
                the cluster has a member \(member.id) already, at \(member.address), and this folder is not its own. If its \
                folder is lost, remove it with: rowan-node remove --id \(member.id). Then pass a new --id.
                """)
        }
    }

    /// Becomes a member of the cluster with its role.
    ///
    /// - Returns: whether it has become one; false if a signal has interrupted it.
    /// - Throws: a `Failure` if the cluster has another node with the id or the address.
    private func join(unless signals: EndSignals) throws(Failure) -> Bool {
        try asking(unless: signals) { cluster throws(ClusterAdministrationError) in
            try cluster.add(id: settings.id, address: settings.address, role: options.role, within: .seconds(2))
        }
    }

    /// Retries until it succeeds: the cluster may be starting, or have no leader.
    private func asking(
        unless signals: EndSignals, _ body: (ClusterAdministration) throws(ClusterAdministrationError) -> Void
    ) throws(Failure) -> Bool {
        let cluster = ClusterAdministration(addresses: options.join)
        var reported: String?
        while true {
            do throws(ClusterAdministrationError) {
                try body(cluster)
                return true
            } catch {
                guard error.isTransient else { throw Failure("can't join: \(error)") }
                if reported != error.description {
                    writeLine("rowan-node: it can't join yet, and tries again: \(error)", to: STDERR_FILENO)
                    reported = error.description
                }
            }
            if signals.wait(milliseconds: 200) { return false }
        }
    }

    private var newOwner: DataFolder.Owner {
        .init(id: settings.id, address: settings.address.description, isMember: options.join.isEmpty)
    }

    /// The node to which the folder belongs, or nil if it is new.
    ///
    /// - Throws: a `Failure` if it belongs to another node, or if the options don't specify the cluster of a new node.
    private func checkedOwner(of folder: DataFolder) throws(Failure) -> DataFolder.Owner? {
        let (id, address) = (settings.id, settings.address.description)
        let owner = try folder.owner()
        if let owner {
            guard owner.id == id else {
                throw Failure("\(folder.path) belongs to the node \(owner.id): pass --id \(owner.id)")
            }
            guard owner.address == address else {
                throw Failure(
                    """
                    the cluster knows the node \(id) by the address \(owner.address): pass it as --address. A node with \
                    another address needs a new id and an empty folder.
                    """)
            }
            if owner.isMember { return owner }
        }
        if options.join.isEmpty {
            guard owner == nil else { throw Failure("\(folder.path) hasn't joined its cluster yet: pass --join") }
            guard id == 1 else {
                throw Failure("the first node of a cluster has the id 1: pass --id 1, or --join to join a cluster")
            }
        } else if DqliteNode.firstIDs.contains(id) {
            throw Failure("a node with the id \(id) starts a cluster of its own: pass another --id to join one")
        }
        return owner
    }
}
