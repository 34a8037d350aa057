// rowan-node without another command: runs a node until a signal stops it.

import CStorage
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
        let state = owner.map { $0.isMember ? "member" : "joining" } ?? (options.startsNew ? "new" : "empty")
        Log.write(
            .info, "starting",
            [
                "id": "\(settings.id)", "address": settings.address.description, "data": folder.path, "state": state,
                "version": RowanNode.version, "dqlite": RowanNode.dqliteVersion,
            ])
        if owner == nil {
            if options.startsNew {
                try checkIsAlone()
            } else {
                guard try checkIsNew(unless: signals) else { return }
            }
        }
        let disk = DiskWatch(folder: settings.folder, reserve: settings.diskReserve)
        try disk.checkSpaceToStart()
        storage_end_on_failure()
        let report = NodeReport(settings, disk)
        let front = try Front(
            .init(
                address: settings.bind, idleTransactionLimit: settings.idleTransactionLimit, tls: settings.tls,
                disk: disk, counts: report.counts))
        let metrics: MetricsServer? =
            if let address = options.metrics { try MetricsServer(address: address, report) } else { nil }
        let node = try DqliteNode(settings, dialed: front.dialed)
        if owner == nil {
            owner = newOwner
            try folder.setOwner(newOwner)
        }
        try node.start()
        try front.start(dqlite: node.socketName)
        try metrics?.start()
        if owner?.isMember == true {
            try serve(disk, report, until: signals)
        } else if try join(unless: signals) {
            try folder.setOwner(.init(id: settings.id, address: settings.address.description, isMember: true))
            Log.write(.info, "joined", ["id": "\(settings.id)", "role": "\(options.role)"])
            try serve(disk, report, until: signals)
        }
        endAfter(seconds: 15)
        try node.stop()
        Log.write(.info, "stopped", ["id": "\(settings.id)"])
    }

    /// Runs the node until a signal arrives, and hands over if it leads.
    private func serve(_ disk: DiskWatch, _ report: NodeReport, until signals: EndSignals) throws(Failure) {
        let id = "\(settings.id)"
        report.hasJoined()
        Log.write(.info, "ready", ["id": id, "address": settings.address.description])
        writeLine("ready \(settings.address)", to: STDOUT_FILENO)
        let cluster = ClusterAdministration(addresses: [settings.address], transport: settings.tls)
        disk.run(cluster, settings.tls, until: signals)
        Log.write(.info, "stopping", ["id": id])
        endAfter(seconds: 15)
        do {
            if try cluster.handOver() { Log.write(.info, "handed-over", ["id": id]) }
        } catch {
            // It exits nevertheless: the others elect a leader when they miss it. A single node can't hand over.
            Log.write(.warning, "not-handed-over", ["id": id, "error": error.description])
        }
    }

    /// Checks, before the node starts a cluster, whether a node responds to which it could belong.
    ///
    /// - Throws: a `Failure` if there is such a node, whether it knows a leader or not.
    private func checkIsAlone() throws(Failure) {
        guard let peer = ClusterAdministration(addresses: options.join, transport: settings.tls).firstResponding()
        else { return }
        throw Failure(
            """
            the node \(peer) belongs to a cluster, and --start-new would start another one. If this node has lost its \
            folder, \(Self.replacement(settings.id))
            """)
    }

    /// What to do about a node without its folder.
    private static func replacement(_ id: UInt64) -> String {
        "remove it from its cluster with: rowan-node remove --id \(id). Then join with a new --id."
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
                folder is lost, \(Self.replacement(member.id))
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
        let cluster = ClusterAdministration(addresses: options.join, transport: settings.tls)
        var reported: String?
        while true {
            do throws(ClusterAdministrationError) {
                try body(cluster)
                return true
            } catch {
                guard error.isTransient else { throw Failure("can't join: \(error)") }
                if reported != error.description {
                    Log.write(.warning, "waiting", ["id": "\(settings.id)", "error": error.description])
                    reported = error.description
                }
            }
            if signals.wait(milliseconds: 200) { return false }
        }
    }

    private var newOwner: DataFolder.Owner {
        .init(id: settings.id, address: settings.address.description, isMember: options.startsNew)
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
            if !owner.isMember, options.join.isEmpty {
                throw Failure("\(folder.path) hasn't joined its cluster yet: pass --join")
            }
            return owner
        }
        if options.startsNew {
            guard id == 1 else { throw Failure("the first node of a cluster has the id 1: pass --id 1, or --join") }
        } else if DqliteNode.firstIDs.contains(id) {
            throw Failure(
                """
                \(folder.path) is empty, and an empty node \(id) can't join a cluster, only start one. For a new cluster, \
                pass --start-new. If this node has lost its folder, \(Self.replacement(id))
                """)
        } else if options.join.isEmpty {
            throw Failure("\(folder.path) is empty: pass --join to join a cluster")
        }
        return nil
    }
}
