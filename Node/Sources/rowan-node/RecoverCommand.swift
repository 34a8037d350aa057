// rowan-node recover: makes a node the only member of its cluster after the loss of a majority.

import Glibc
import RowanCluster

struct RecoverCommand {
    let settings: DqliteNode.Settings

    init(_ words: some Sequence<String>) throws(Failure) {
        settings = try DqliteNode.Settings(
            Arguments(words, options: ["id", "address", "data"], flags: ["trusted-network"]))
    }

    /// - Throws: a `Failure` if the folder contains no node, or a running one.
    func run() throws(Failure) {
        let folder = try DataFolder(settings.folder)
        guard let owner = try folder.owner() else { throw Failure("there is no node in \(folder.path)") }
        guard owner.id == settings.id else {
            throw Failure("\(folder.path) belongs to the node \(owner.id): pass --id \(owner.id)")
        }
        try DqliteNode(settings).recover(settings)
        try folder.setOwner(.init(id: settings.id, address: settings.address.description, isMember: true))
        writeLine("The node \(settings.id) is the only member of its cluster. Start it.", to: STDOUT_FILENO)
    }
}
