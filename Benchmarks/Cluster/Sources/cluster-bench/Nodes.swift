// Three nodes on this machine.

import Foundation

/// Three processes of rowan-node.
final class Nodes {
    private let program: String
    private let folder: URL
    private let host = "127.0.\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
    private var processes: [Process?] = [nil, nil, nil]

    var addresses: [String] { (1...3).map { "\(host):900\($0)" } }

    init(program: String) throws {
        self.program = program
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("cluster-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for index in 0..<3 { try start(index) }
    }

    deinit {
        for process in processes.compactMap(\.self) { kill(process.processIdentifier, SIGKILL) }
        // The folder of a temporary run. The system deletes leftovers.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts a node, and waits until it is a member.
    func start(_ index: Int) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "--id", "\(index + 1)", "--address", addresses[index], "--data",
            folder.appendingPathComponent("\(index + 1)").path, "--latency", "20",
        ]
        process.arguments? += index == 0 ? ["--start-new"] : ["--join", addresses[0]]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        processes[index] = process
        var text = ""
        while !text.contains("ready") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(description: "node \(index + 1) does not start") }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    /// Kills a node, like a crash.
    func crash(_ index: Int) {
        guard let process = processes[index] else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        processes[index] = nil
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
}
