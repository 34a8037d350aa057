// The program in tests: nodes in temporary folders, and commands that exit by themselves.

import Foundation
import Testing

/// A folder for a test's nodes, and a loopback address for them. The nodes exit when it is released.
final class NodeHome {
    let folder: URL
    private let host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254))"
    private var nodes: [Int: Program] = [:]

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rowan-node-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        for node in nodes.values { node.send(SIGKILL) }
        // Leftovers are in the folder of temporary files.
        try? FileManager.default.removeItem(at: folder)
    }

    func address(_ id: Int) -> String { "\(host):\(9000 + id)" }

    func path(_ id: Int) -> String { folder.appendingPathComponent("node\(id)").path }

    /// The options of a node. The first one starts the cluster, and all others join it.
    func options(_ id: Int, join: Int? = 1) -> [String] {
        let options = ["--id", "\(id)", "--address", address(id), "--data", path(id), "--end-with-input"]
        if id == 1 { return options + ["--start-new"] }
        guard let join else { return options }
        return options + ["--join", address(join)]
    }

    /// A node that has been started.
    func node(_ id: Int) -> Program? { nodes[id] }

    /// Starts a node, and waits until it is ready.
    @discardableResult
    func start(_ id: Int, _ more: String...) throws -> Program { try start(id, options(id) + more) }

    @discardableResult
    func start(_ id: Int, options more: [String]) throws -> Program { try start(id, options(id) + more) }

    /// Starts a node that joins any of some members.
    @discardableResult
    func start(_ id: Int, joining members: String) throws -> Program {
        try start(id, options(id, join: nil) + ["--join", members])
    }

    /// Starts a node with a limit of the shell: see `ulimit`.
    @discardableResult
    func start(_ id: Int, limit: String) throws -> Program {
        let shell = URL(fileURLWithPath: "/bin/sh")
        let arguments = ["-c", "ulimit \(limit); exec \"$@\"", "sh", Program.url.path] + options(id)
        return try start(id, Program(arguments, executable: shell))
    }

    private func start(_ id: Int, _ options: [String]) throws -> Program { try start(id, Program(options)) }

    private func start(_ id: Int, _ node: Program) throws -> Program {
        nodes[id] = node
        // A node that isn't ready has exited and printed the reason.
        let line = node.line()
        if line != "ready \(address(id))" { Issue.record("node \(id): \(line ?? "") \(node.errors())") }
        return node
    }

    /// The lines of `rowan-node status` for some nodes.
    func status(_ ids: Int...) throws -> [String] {
        let result = try Program(["status", "--cluster", ids.map(address).joined(separator: ",")]).end()
        #expect(result.code == 0, "\(result.errors)")
        return result.output.split(separator: "\n").map(String.init)
    }

    /// The id of the leader.
    func leader(_ ids: Int...) throws -> Int? {
        let result = try Program(["status", "--cluster", ids.map(address).joined(separator: ",")]).end()
        return result.output.split(separator: "\n").map { $0.split(separator: " ") }.first { $0.contains("leader") }
            .flatMap { Int($0[0]) }
    }
}

/// A port that is free on all interfaces. The system doesn't soon assign it to another program.
func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            bind(descriptor, pointer, size) == 0 ? getsockname(descriptor, pointer, &size) : -1
        }
    }
    try #require(code == 0)
    return UInt16(bigEndian: address.sin_port)
}

/// A process of rowan-node.
final class Program {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let standardError = Pipe()

    /// - Parameter executable: a program that runs rowan-node, such as a shell.
    init(_ arguments: [String], executable: URL = Program.url) throws {
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = standardError
        try process.run()
    }

    /// Next to the test bundle, in the build folder.
    static let url = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("rowan-node")

    /// The next line of its output, without the line ending; nil at the end.
    func line() -> String? { line(of: output) }

    private func line(of pipe: Pipe) -> String? {
        var bytes = Data()
        while true {
            let byte = pipe.fileHandleForReading.readData(ofLength: 1)
            if byte.isEmpty { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            if byte == Data([10]) { return String(decoding: bytes, as: UTF8.self) }
            bytes += byte
        }
    }

    /// Whether the next line of its standard error contains a text.
    func logs(_ text: String) -> Bool { line(of: standardError)?.contains(text) == true }

    var identifier: Int32 { process.processIdentifier }

    func send(_ signal: Int32) { if process.isRunning { kill(process.processIdentifier, signal) } }

    /// Sends a signal, and waits until it exits.
    ///
    /// - Returns: the exit code, or the number of the signal that terminated it.
    @discardableResult
    func end(by signal: Int32) -> Int32 {
        send(signal)
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Waits until it exits.
    func end() -> (code: Int32, output: String, errors: String) {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errors = errors()
        process.waitUntilExit()
        return (process.terminationStatus, text, errors)
    }

    /// Closes its standard input, and waits until it exits.
    func endByInput() -> Int32 {
        // Must stay open until here.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Its output to standard error, until it exits.
    func errors() -> String {
        String(decoding: standardError.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
