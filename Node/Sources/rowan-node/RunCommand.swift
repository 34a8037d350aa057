// rowan-node without another command: runs a node until a signal ends it.

import Glibc

struct RunCommand {
    let options: NodeOptions

    init(_ words: some Sequence<String>) throws(Failure) { options = try NodeOptions(words) }

    /// - Throws: a `Failure` if the node can't start, join its cluster, or stop.
    func run() throws(Failure) {
        let signals = EndSignals()
        if options.endsWithInput { endWithInput() }
        let folder = try DataFolder(options.settings.folder)
        let owner = try checkedOwner(of: folder)
        let node = try DqliteNode(options.settings)
        if owner == nil { try folder.setOwner(newOwner) }
        try node.start()
        writeLine("ready \(options.settings.address)", to: STDOUT_FILENO)
        signals.wait()
        endAfter(seconds: 15)
        try node.stop()
    }

    private var newOwner: DataFolder.Owner {
        .init(id: options.settings.id, address: options.settings.address.description, isMember: options.join.isEmpty)
    }

    /// Whose folder it is, or nil if it is new.
    ///
    /// - Throws: a `Failure` if it is another node's, or the options don't say how a new node gets its cluster.
    private func checkedOwner(of folder: DataFolder) throws(Failure) -> DataFolder.Owner? {
        let (id, address) = (options.settings.id, options.settings.address.description)
        let owner = try folder.owner()
        if let owner {
            guard owner.id == id else {
                throw Failure("\(folder.path) belongs to the node \(owner.id): pass --id \(owner.id).")
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
            guard owner == nil else { throw Failure("\(folder.path) hasn't joined its cluster yet: pass --join.") }
            guard id == 1 else {
                throw Failure("the first node of a cluster has the id 1. Pass --id 1, or --join to join a cluster.")
            }
        } else if DqliteNode.firstIDs.contains(id) {
            throw Failure("a node with the id \(id) starts a cluster of its own. Pass another --id to join one.")
        }
        return owner
    }
}
