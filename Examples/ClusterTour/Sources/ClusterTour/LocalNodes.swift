// Three nodes on this machine, each a process of rowan-node. In earnest, each of them has a machine of its own.

import Foundation

/// The nodes of the tour, with their data in a temporary folder.
actor LocalNodes {
    private let program: URL
    private let folder: URL
    private let host: String
    private var running: [UInt64: Process] = [:]

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter program: the path of rowan-node.
    init(program: String) {
        self.program = URL(fileURLWithPath: program)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ClusterTour-\(UUID().uuidString)")
        // All of 127.0.0.0/8 is this machine: two tours at the same time don't meet.
        host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254))"
    }

    nonisolated let ids: [UInt64] = [1, 2, 3]

    func address(of id: UInt64) -> String { "\(host):\(9000 + id)" }

    var addresses: [String] { ids.map(address) }

    /// The path of a file that is deleted with the data of the nodes.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Starts a node, or starts it again, and waits until it is a member of the cluster.
    ///
    /// - Throws: ``Failure`` if it ends instead.
    func start(_ id: UInt64) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = [
            "--id", "\(id)", "--address", address(of: id), "--data", path("node\(id)"), "--end-with-input",
        ]
        // It ends with its input, and so with this program, however that ends.
        process.standardInput = Pipe()
        // The first node starts the cluster, and the others join it. A node that starts again is a member already.
        if id != ids[0] { process.arguments? += ["--join", address(of: ids[0])] }
        process.standardOutput = output
        try process.run()
        running[id] = process
        var text = ""
        while !text.contains("\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure(description: "the node \(id) has ended: see its error above") }
            text += String(decoding: more, as: UTF8.self)
        }
    }

    /// Ends a node as a crash would.
    func kill(_ id: UInt64) {
        guard let process = running.removeValue(forKey: id) else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Ends all nodes, the one that leads after it has handed over, and deletes their data.
    func stop() {
        for process in running.values { process.terminate() }
        for process in running.values { process.waitUntilExit() }
        running = [:]
        // The system deletes what is left of its temporary files.
        try? FileManager.default.removeItem(at: folder)
    }
}
