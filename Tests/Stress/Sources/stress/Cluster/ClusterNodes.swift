// Three processes of rowan-node, with a relay for each pair and direction, to which the cluster parts cause faults.

import Foundation
@_spi(Node) import RowanCluster

/// The nodes of a cluster. Its methods can be called on any thread; only one at a time starts and stops nodes.
final class ClusterNodes: Sendable {
    static let count = 3
    /// The path of the program, or nil if it doesn't exist.
    static let program: String? = ProcessInfo.processInfo.environment["ROWAN_NODE"].flatMap {
        FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil
    }
    .flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }

    let addresses: [String]
    let machines: [Machine]
    private let folder: TemporaryFolder
    private let host: String
    private let processes = Locked<[Int: NodeProcess]>([:])
    /// Indexed by the connecting node and the target.
    private let relays: [[LinkRelay?]]
    /// Unexpected exits of processes.
    private let deaths = Locked<[String]>([])
    private let interrupted = Locked(0)
    private let withoutDisk = Locked(0)

    /// Starts the nodes.
    ///
    /// - Throws: `StressFailure` if they can't be started.
    init(folder: TemporaryFolder) throws {
        guard let program = Self.program else { throw StressFailure("ROWAN_NODE is not the path of a program") }
        _ = program
        self.folder = folder
        machines = try (1...Self.count).map { try Machine(path: folder.path("machine\($0)")) }
        let host = try Self.freeHost()
        self.host = host
        addresses = (0..<Self.count).map { "\(host):\(9001 + $0)" }
        relays = try (0..<Self.count).map { from in
            try (0..<Self.count).map { to in
                from == to
                    ? nil : try LinkRelay(host: host, port: Self.port(from, to), target: UInt16(9001 + to))
            }
        }
        for index in 0..<Self.count { try start(index) }
    }

    deinit { stop() }

    private static func freeHost() throws -> String {
        for _ in 0..<100 {
            let host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254))"
            if let socket = try? LinkRelay.listener(host, 9001) {
                close(socket)
                return host
            }
        }
        throw StressFailure("no loopback address is free")
    }

    private static func port(_ from: Int, _ to: Int) -> UInt16 { UInt16(9201 + from * count + to) }

    /// Starts a node, and waits until it is a member and accepts connections.
    ///
    /// - Throws: `StressFailure` with the node's log.
    func start(_ index: Int) throws {
        let others = (0..<Self.count).filter { $0 != index }
        var arguments = [
            "--id", "\(index + 1)", "--address", addresses[index], "--data", folder.path("node\(index + 1)"),
            "--latency", "20", "--end-with-input", "--dial",
            others.map { "\(addresses[$0])=\(host):\(Self.port(index, $0))" }.joined(separator: ","),
        ]
        arguments += index == 0 ? ["--start-new"] : ["--join", addresses[..<index].joined(separator: ",")]
        let process = try NodeProcess(
            arguments, log: folder.path("node\(index + 1).log"), environment: machines[index].environment())
        processes.with { $0[index] = process }
    }

    /// Kills a node, like a crash.
    func kill(_ index: Int) {
        noteDeath(of: index)
        processes.with { $0.removeValue(forKey: index) }?.kill()
    }

    func pause(_ index: Int) { processes.current[index]?.send(SIGSTOP) }
    func resume(_ index: Int) { processes.current[index]?.send(SIGCONT) }

    /// Sets the state of the connections between two nodes.
    func set(_ state: LinkRelay.State, between first: Int, and second: Int) {
        for relay in [relays[first][second], relays[second][first]] { relay?.set(state) }
    }

    /// Sets the state of the connections of a node.
    func set(_ state: LinkRelay.State, around node: Int) {
        for other in 0..<Self.count where other != node { set(state, between: node, and: other) }
    }

    /// Opens all connections, empties the disks and restarts all nodes. The clocks stay as they are.
    ///
    /// - Throws: `StressFailure` if a node does not start.
    func heal() throws {
        for relay in relays.joined() { relay?.set(.open) }
        for machine in machines { try machine.setFull(false) }
        for index in 0..<Self.count {
            resume(index)
            noteDeath(of: index)
            if processes.current[index] == nil { try start(index) }
        }
    }

    /// Kills all nodes and discards them.
    func stop() {
        for index in 0..<Self.count { kill(index) }
        for relay in relays.joined() { relay?.stop() }
    }

    /// The index of the leader, or nil if there is none in time.
    func leader() -> Int? {
        // Without a leader, the caller chooses another fault.
        guard let nodes = try? addresses.map(NodeAddress.init),
            let member = try? ClusterAdministration(addresses: nodes).leader(within: .seconds(3))
        else { return nil }
        return Int(member.id) - 1
    }

    /// Makes a leader hand over.
    ///
    /// - Returns: whether it has.
    func handOver(_ index: Int) -> Bool {
        // A leader that is about to lose the others refuses, which counts as another fault.
        (try? ClusterAdministration(addresses: [NodeAddress(addresses[index])]).handOver()) ?? false
    }

    /// The nodes that exited by themselves, with the end of their logs.
    func takeDeaths() -> [String] {
        for index in 0..<Self.count { noteDeath(of: index) }
        return deaths.with { deaths in
            defer { deaths = [] }
            return deaths
        }
    }

    /// The number of leaders that crashed because they stepped down while sending rows: a bug in dqlite that no client
    /// can avoid.
    func takeInterruptedLeaders() -> Int {
        interrupted.with { count in
            defer { count = 0 }
            return count
        }
    }

    /// The number of nodes that ended because they could not write.
    func takeNodesWithoutDisk() -> Int {
        withoutDisk.with { count in
            defer { count = 0 }
            return count
        }
    }

    private func noteDeath(of index: Int) {
        guard let process = processes.current[index], let end = process.end else { return }
        processes.with { _ = $0.removeValue(forKey: index) }
        // A node without a log is ignored.
        let all = (try? String(contentsOfFile: folder.path("node\(index + 1).log"), encoding: .utf8)) ?? ""
        // Since its last start.
        let log = all.range(of: "event=starting", options: .backwards).map { all[$0.lowerBound...] } ?? all[...]
        if log.contains("event=storage-failed") { return withoutDisk.with { $0 += 1 } }
        guard !log.contains("gateway__resume: Assertion") else { return interrupted.with { $0 += 1 } }
        deaths.with { $0.append("node \(index + 1) has ended by itself: \(end): \(log.suffix(600))") }
    }
}

struct StressFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A process of rowan-node, which exits with this process. The process object is thread-safe, and only used under the
/// owner's lock or by these methods.
final class NodeProcess: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ arguments: [String], log: String, environment: [String: String]) throws {
        if !FileManager.default.fileExists(atPath: log) {
            _ = FileManager.default.createFile(atPath: log, contents: nil)
        }
        guard let program = ClusterNodes.program, let errors = FileHandle(forWritingAtPath: log) else {
            throw StressFailure("can't write \(log)")
        }
        errors.seekToEndOfFile()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try output.fileHandleForWriting.close()
        try waitUntilReady(log)
    }

    private func waitUntilReady(_ log: String) throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while Date() < deadline {
            var entry = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 100) > 0 else { continue }
            guard !output.fileHandleForReading.availableData.isEmpty else { break }
            return
        }
        kill()
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        throw StressFailure("a node is not ready: \(text.suffix(600))")
    }

    func send(_ signal: CInt) {
        if process.isRunning { Foundation.kill(process.processIdentifier, signal) }
    }

    func kill() {
        send(SIGKILL)
        process.waitUntilExit()
    }

    /// The way in which it has exited, or nil if it is running.
    var end: String? {
        guard !process.isRunning else { return nil }
        return "\(process.terminationReason == .exit ? "status" : "signal") \(process.terminationStatus)"
    }
}
