// Three nodes on this machine, each a process of rowan-node. In production, each has its own machine.

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
        // All of 127.0.0.0/8 is this machine, so two simultaneous tours don't interfere.
        host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254))"
    }

    nonisolated let ids: [UInt64] = [1, 2, 3]

    func address(of id: UInt64) -> String { "\(host):\(9000 + id)" }

    var addresses: [String] { ids.map(address) }

    /// The path of a file that is deleted with the nodes' data.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Starts or restarts a node, and waits until it is a member of the cluster.
    ///
    /// - Throws: ``Failure`` if it exits instead.
    func start(_ id: UInt64) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = [
            "--id", "\(id)", "--address", address(of: id), "--data", path("node\(id)"), "--end-with-input",
        ]
        // The node exits when its input ends, and so when this program exits in any way.
        process.standardInput = Pipe()
        // The first node starts the cluster, and the others join it. A restarted node is already a member.
        process.arguments? += id == ids[0] ? ["--start-new"] : ["--join", address(of: ids[0])]
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

    /// Kills a node, like a crash.
    func kill(_ id: UInt64) {
        guard let process = running.removeValue(forKey: id) else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Stops all nodes, after the leader has handed over, and deletes their data.
    func stop() {
        for process in running.values { process.terminate() }
        for process in running.values { process.waitUntilExit() }
        running = [:]
        // The system deletes leftover temporary files.
        try? FileManager.default.removeItem(at: folder)
    }
}
