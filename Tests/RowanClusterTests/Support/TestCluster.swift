// Clusters for tests: three processes of rowan-node, each cluster on its own loopback address, with its data in a
// temporary folder.

import Foundation
import Rowan
import Testing

@testable @_spi(Node) import RowanCluster

/// A cluster of rowan-node processes.
///
/// Most tests share ``shared``, in which each test opens its own database (``newDatabaseName(_:)``). A test that kills,
/// pauses or disconnects nodes starts its own cluster.
///
/// Its methods can be called on any thread.
final class TestCluster: Sendable {
    let count: Int
    /// The addresses by which clients reach the nodes: those of the relays, if there are any.
    let addresses: [NodeAddress]
    let network: TestNetwork?

    let folder: URL
    private let layout: Layout
    private let latency: Int
    private let options: [String]
    private let nodes: Mutex<[NodeProcess?]>

    /// Starts a cluster.
    ///
    /// - Parameters:
    ///   - count: the number of nodes, all of them voters.
    ///   - latency: the nodes' assumed network latency, in milliseconds: the election timeout is fifteen times as long.
    ///   - options: additional options of all nodes.
    ///   - hasRelays: whether relays between all nodes and clients can cut, freeze and delay connections: see
    ///     ``network``.
    /// - Throws: `NodeProcess.Failure` if the nodes can't be started.
    init(count: Int = 3, latency: Int = 20, options: [String] = [], hasRelays: Bool = false) throws {
        guard Self.program != nil else { throw NodeProcess.Failure(description: Self.missing.rawValue) }
        self.count = count
        self.latency = latency
        self.options = options
        Self.sweep()
        layout = try Layout(count: count, hasRelays: hasRelays)
        addresses = try (0..<count).map(layout.advertised)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "\(Self.prefix)\(getpid())-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        network = hasRelays ? try TestNetwork(layout) : nil
        nodes = Mutex(Array(repeating: nil, count: count))
        do {
            for index in 0..<count { try start(index) }
        } catch {
            stopAll()
            throw error
        }
    }

    deinit { stopAll() }

    // MARK: Nodes

    /// Starts or restarts a node, and waits until it accepts connections and is a member.
    ///
    /// - Throws: `NodeProcess.Failure` with the node's log, if it fails.
    func start(_ index: Int) throws {
        let program = try #require(Self.program, Self.missing)
        let log = folder.appendingPathComponent("node\(index + 1).log").path
        var arguments = [
            "--id", "\(index + 1)", "--address", "\(try layout.advertised(index))", "--bind",
            "\(try layout.bound(index))",
            "--data", folder.appendingPathComponent("node\(index + 1)").path, "--latency", "\(latency)",
        ]
        arguments +=
            index == 0 ? ["--start-new"] : ["--join", addresses[..<index].map(\.description).joined(separator: ",")]
        arguments += options
        if layout.hasRelays { arguments += ["--dial", try layout.detours(of: index)] }
        let process = try NodeProcess(program, arguments: arguments, log: log)
        do {
            try process.waitUntilReady()
        } catch {
            let logged = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            throw NodeProcess.Failure(description: "node \(index): \(error). It has logged: \(logged)")
        }
        nodes.withLock { $0[index] = process }
    }

    /// Kills a node, like a crash.
    func kill(_ index: Int) { take(index)?.kill() }

    /// Makes a node hand over and exit.
    ///
    /// - Throws: `NodeProcess.Failure` if it exits with an error.
    func terminate(_ index: Int) throws { try take(index)?.terminate() }

    /// Pauses a node; its connections stay open.
    func pause(_ index: Int) { nodes.withLock { $0[index]?.pause() } }

    func resume(_ index: Int) { nodes.withLock { $0[index]?.send(SIGCONT) } }

    /// Starts a node again after `kill`, `terminate`, or a crash.
    ///
    /// - Throws: as `start`.
    func restart(_ index: Int) throws {
        kill(index)
        try start(index)
    }

    /// Whether a node is running or paused.
    func isAlive(_ index: Int) -> Bool { nodes.withLock { $0[index]?.isAlive ?? false } }

    /// Kills all nodes and deletes their data.
    func stopAll() {
        for index in 0..<count { kill(index) }
        network?.stop()
        // Leftovers are deleted by another run.
        try? FileManager.default.removeItem(at: folder)
    }

    /// The text that a node has written to standard error.
    func log(of index: Int) -> String {
        // A node that hasn't started has no log.
        (try? String(contentsOf: folder.appendingPathComponent("node\(index + 1).log"), encoding: .utf8)) ?? ""
    }

    private func take(_ index: Int) -> NodeProcess? {
        nodes.withLock { nodes in
            defer { nodes[index] = nil }
            return nodes[index]
        }
    }

    // MARK: Leader

    /// The index of the node that leads and that a majority follows. Waits for an election.
    ///
    /// The nodes are contacted without relays.
    ///
    /// - Throws: `NodeProcess.Failure` if there is no leader within half a minute.
    func leader() throws -> Int {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            let votes = (0..<count).compactMap { isAlive($0) ? leader(accordingTo: $0) : nil }
            if let leader = votes.first(where: { vote in
                leader(accordingTo: vote) == vote && votes.count(where: { $0 == vote }) > count / 2
            }) {
                return leader
            }
            usleep(10_000)
        }
        throw NodeProcess.Failure(description: "the cluster has no leader in half a minute")
    }

    /// The indexes of the other nodes.
    ///
    /// - Throws: as ``leader()``.
    func followers() throws -> [Int] {
        let leader = try leader()
        return (0..<count).filter { $0 != leader }
    }

    /// The leader according to one node, or nil if it knows none or doesn't respond.
    func leader(accordingTo index: Int) -> Int? {
        let deadline = ContinuousClock.now + .milliseconds(500)
        // A node that doesn't respond knows no leader.
        guard let address = try? layout.bound(index),
            let connection = try? NodeConnection(address: address, deadline: deadline)
        else { return nil }
        defer { connection.close() }
        var requests = RequestBuffer()
        requests.leader()
        guard (try? connection.send(requests, deadline: deadline)) != nil,
            case .leader(let leader)? = try? connection.receive(deadline: deadline), !leader.address.isEmpty
        else { return nil }
        return Int(leader.id) - 1
    }
}

// MARK: - Shared by this process

extension TestCluster {
    /// The cluster shared by the tests of this process. It is started on first use.
    ///
    /// - Throws: the error of its start.
    static var shared: TestCluster {
        get throws { try sharedResult.get() }
    }

    private static let sharedResult = Result {
        let cluster = try TestCluster()
        // Constants are not released at exit, so the data would not be deleted.
        atexit {
            try? TestCluster.shared.stopAll()
        }
        return cluster
    }

    /// Whether rowan-node is built: suites are `.enabled(if: TestCluster.isAvailable, TestCluster.missing)`.
    static var isAvailable: Bool { program != nil }

    static let missing: Comment = "rowan-node isn't built: run Scripts/node"

    /// The path of the program: `ROWAN_NODE`, or the path in the build folder.
    static let program: String? = {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let candidates =
            ProcessInfo.processInfo.environment["ROWAN_NODE"].map { [$0] }
            ?? [".build/debug/rowan-node", "Node/.build/debug/rowan-node", ".build/release-all/release/rowan-node"]
            .map { root.appendingPathComponent($0).path }
        return candidates.first(where: FileManager.default.isExecutableFile)
    }()

    /// A database name that no other test uses.
    static func newDatabaseName(_ topic: String = "test") -> String {
        "\(topic)-\(databases.withLock { $0 += 1; return $0 })"
    }

    private static let databases = Mutex(0)

    private static let prefix = "rowan-cluster-"

    /// Deletes the data of crashed processes.
    private static func sweep() {
        let temporary = FileManager.default.temporaryDirectory
        for name in (try? FileManager.default.contentsOfDirectory(atPath: temporary.path)) ?? [] {
            guard name.hasPrefix(prefix), let process = pid_t(name.dropFirst(prefix.count).prefix(while: \.isNumber)),
                Foundation.kill(process, 0) != 0, errno == ESRCH
            else { continue }
            // Another process may also be deleting it.
            try? FileManager.default.removeItem(at: temporary.appendingPathComponent(name))
        }
    }
}

/// The addresses of a cluster. Each cluster has its own host in the loopback network.
struct Layout {
    let count: Int
    let hasRelays: Bool
    private let host: String

    /// - Throws: `NodeProcess.Failure` if no host is free.
    init(count: Int, hasRelays: Bool) throws {
        self.count = count
        self.hasRelays = hasRelays
        for _ in 0..<100 {
            let host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254))"
            if let listener = try? Listener(NodeAddress("\(host):9001")) {
                listener.close()
                self.host = host
                return
            }
        }
        throw NodeProcess.Failure(description: "no loopback address is free")
    }

    /// The address on which a node listens.
    func bound(_ index: Int) throws -> NodeAddress { try NodeAddress("\(host):\(9001 + index)") }

    /// The address of a node that the cluster publishes.
    func advertised(_ index: Int) throws -> NodeAddress {
        hasRelays ? try NodeAddress("\(host):\(9101 + index)") : try bound(index)
    }

    /// The relay from one node to another.
    func relay(from: Int, to: Int) throws -> NodeAddress { try NodeAddress("\(host):\(9201 + from * count + to)") }

    /// The value of `--dial`: the addresses by which a node reaches the others.
    func detours(of index: Int) throws -> String {
        try (0..<count).filter { $0 != index }
            .map { "\(try advertised($0))=\(try relay(from: index, to: $0))" }.joined(separator: ",")
    }
}
