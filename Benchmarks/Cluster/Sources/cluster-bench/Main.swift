// The workloads of a cluster, the same ones on a local file with durable commits, and those of the Go driver.
//
//     cluster-bench NODE [--small] [--enforce] [--rounds N] [--go PROGRAM] [--tls] [--output FILE]
//
// NODE is the path of rowan-node, PROGRAM that of the folder go, compiled. With --tls, nodes and clients that speak TLS are
// measured as well, which needs the program openssl. FILE is a list in JSON, such as results.json,
// whose cluster rows are replaced.

import Foundation
import Rowan
import RowanCluster
import RowanClusterTLS
import RowanRecords

@Record("player")
struct Player {
    var id: Int64?
    var name: String
    var score: Int
    var rating: Double
}

extension DatabaseWriter {
    func prepare() throws {
        try write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull()
                t.column("rating", .double).notNull()
            }
        }
    }
}

/// The measurements of an operation that ran many times.
struct Samples: Decodable {
    var nanoseconds: [Double] = []
    let rowsPerOperation: Int
    /// The time that the operations of several clients took together.
    var duration: Double?

    var meanPerRow: Double {
        (duration ?? nanoseconds.reduce(0, +)) / Double(nanoseconds.count * rowsPerOperation)
    }

    init(rowsPerOperation: Int) { self.rowsPerOperation = rowsPerOperation }

    mutating func measure(_ body: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        try body()
        nanoseconds.append((ContinuousClock.now - start) / .nanoseconds(1))
    }
}

@main
struct Bench {
    let isSmall: Bool

    @Sendable func player(_ number: Int) -> Player {
        Player(id: nil, name: "player \(number)", score: number, rating: Double(number) / 3)
    }

    func measure(_ database: some DatabaseWriter, _ library: String, _ measured: inout Measurements) throws {
        try database.prepare()
        var insert = Samples(rowsPerOperation: 1)
        for number in 0..<(isSmall ? 50 : 1_000) {
            var one = player(number)
            try insert.measure { try database.write { db in try one.insert(db) } }
        }
        var hundred = Samples(rowsPerOperation: 100)
        for _ in 0..<(isSmall ? 5 : 100) {
            let players = (0..<100).map(player)
            try hundred.measure { try database.write { db in try Player.insertAll(db, players) } }
        }
        let count = isSmall ? 2_000 : 200_000
        for start in stride(from: 0, to: count, by: 2_000) {
            let players = (start..<start + 2_000).map(player)
            try database.write { db in try Player.insertAll(db, players) }
        }
        var read = Samples(rowsPerOperation: 1)
        for number in 0..<(isSmall ? 100 : 10_000) {
            try read.measure {
                let key = Int64(number % 1_000 + 1)
                guard try database.read({ try Player.fetchOne($0, key: key) }) != nil else {
                    throw Failure(description: "player \(key) is missing")
                }
            }
        }
        var select = Samples(rowsPerOperation: 1)
        for number in 0..<(isSmall ? 100 : 10_000) {
            try select.measure {
                let key = Int64(number % 1_000 + 1)
                guard try database.unsafeRead({ try Player.fetchOne($0, key: key) }) != nil else {
                    throw Failure(description: "player \(key) is missing")
                }
            }
        }
        let all = try database.read { try Player.fetchCount($0) }
        var scan = Samples(rowsPerOperation: all)
        for _ in 0..<(isSmall ? 1 : 7) {
            try scan.measure {
                guard try database.read({ try Player.fetchAll($0) }).count == all else {
                    throw Failure(description: "rows are missing")
                }
            }
        }
        measured["cluster-insert", library].append(insert)
        measured["cluster-insert-100", library].append(hundred)
        measured["cluster-read", library].append(read)
        measured["cluster-select", library].append(select)
        measured["cluster-scan", library].append(scan)
    }

    /// The time from the crash of the leader to the next commit.
    func measureFailover(_ nodes: Nodes, _ cluster: DatabaseCluster, _ measured: inout Measurements) async throws {
        var samples = Samples(rowsPerOperation: 1)
        for number in 0..<(isSmall ? 1 : 10) {
            let status = try await cluster.status()
            guard let leader = status.leader, let index = nodes.addresses.firstIndex(of: leader.address) else {
                throw Failure(description: "there is no leader")
            }
            nodes.crash(index)
            let start = ContinuousClock.now
            try await cluster.write(retrying: 100) { db in
                try db.execute(
                    sql: "INSERT INTO player (name, score, rating) VALUES (?, 0, 0)", arguments: ["failover \(number)"])
            }
            samples.nanoseconds.append((ContinuousClock.now - start) / .nanoseconds(1))
            try nodes.start(index)
            try await Task.sleep(for: .milliseconds(500))
        }
        let count = try await cluster.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player WHERE name LIKE 'failover%'")
        }
        guard count == samples.nanoseconds.count else { throw Failure(description: "rows are missing or doubled") }
        measured["cluster-failover", "rowan"].append(samples)
    }

    // MARK: Many clients

    /// Runs an operation on several clients at once. Each has connections and a thread of its own.
    func measure(
        _ clients: [DatabaseCluster], _ count: Int, rowsPerOperation: Int,
        _ body: @escaping @Sendable (DatabaseCluster, Int) throws -> Void
    ) async throws -> Samples {
        // The first operation of a connection opens it.
        for (index, client) in clients.enumerated() { try body(client, index) }
        let start = ContinuousClock.now
        var samples = Samples(rowsPerOperation: rowsPerOperation)
        try await withThrowingTaskGroup(of: [Double].self) { group in
            for (index, client) in clients.enumerated() {
                group.addTask {
                    try await onThread {
                        var own = Samples(rowsPerOperation: rowsPerOperation)
                        for number in 0..<count { try own.measure { try body(client, index * count + number) } }
                        return own.nanoseconds
                    }
                }
            }
            for try await nanoseconds in group { samples.nanoseconds += nanoseconds }
        }
        samples.duration = (ContinuousClock.now - start) / .nanoseconds(1)
        return samples
    }

    func measureClients(_ count: Int, _ addresses: [String], _ measured: inout Measurements) async throws {
        var configuration = DatabaseCluster.defaultConfiguration
        configuration.busyMode = .timeout(60)
        let clients = try (0..<count).map { _ in
            try DatabaseCluster(addresses: addresses, database: "bench", configuration: configuration)
        }
        let inserts = try await measure(clients, isSmall ? 2 : 1_600 / count, rowsPerOperation: 1) { client, number in
            try client.write { db in
                var player = player(number)
                try player.insert(db)
            }
        }
        let hundreds = try await measure(clients, isSmall ? 1 : 320 / count, rowsPerOperation: 100) { client, number in
            try client.write { db in try Player.insertAll(db, (number..<number + 100).map(player)) }
        }
        let reads = try await measure(clients, isSmall ? 10 : 16_000 / count, rowsPerOperation: 1) { client, number in
            guard try client.read({ try Player.fetchOne($0, key: Int64(number % 1_000 + 1)) }) != nil else {
                throw Failure(description: "a player is missing")
            }
        }
        let selects = try await measure(clients, isSmall ? 10 : 16_000 / count, rowsPerOperation: 1) { client, number in
            guard try client.unsafeRead({ try Player.fetchOne($0, key: Int64(number % 1_000 + 1)) }) != nil else {
                throw Failure(description: "a player is missing")
            }
        }
        measured["cluster-select-\(count)-clients", "rowan"].append(selects)
        measured["cluster-insert-\(count)-clients", "rowan"].append(inserts)
        measured["cluster-insert-100-\(count)-clients", "rowan"].append(hundreds)
        measured["cluster-read-\(count)-clients", "rowan"].append(reads)
        for client in clients { try client.close() }
    }

    // MARK: Go

    /// Runs the workloads with the Go driver.
    func measureGo(_ program: String, _ addresses: [String], _ measured: inout Measurements) throws {
        struct Line: Decodable { let workload: String }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [isSmall ? "small" : "full"] + addresses
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let lines = output.fileHandleForReading.readDataToEndOfFile().split(separator: UInt8(ascii: "\n"))
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "\(program) failed") }
        for line in lines {
            let name = try JSONDecoder().decode(Line.self, from: line).workload
            measured[name, "go"].append(try JSONDecoder().decode(Samples.self, from: line))
        }
    }

    /// The same workloads with nodes and a client that speak TLS.
    func measureTLS(_ node: String, _ measured: inout Measurements) throws {
        let nodes = try Nodes(program: node, isSecure: true)
        guard let certificates = nodes.certificates else { return }
        var options = ClusterOptions()
        options.tls = try ClusterTLS(
            certificate: certificates.certificate, key: certificates.key, authority: certificates.authority)
        let cluster = try DatabaseCluster(addresses: nodes.addresses, database: "bench", options: options)
        try measure(cluster, "tls", &measured)
        try cluster.close()
    }

    /// Runs one round, with its own nodes and files.
    func run(_ node: String, go: String?, tls: Bool, _ measured: inout Measurements) async throws {
        if tls { try measureTLS(node, &measured) }
        let nodes = try Nodes(program: node)
        if let go { try measureGo(go, nodes.addresses, &measured) }
        let cluster = try DatabaseCluster(addresses: nodes.addresses, database: "bench")
        try measure(cluster, "rowan", &measured)
        for count in [8, 64] { try await measureClients(count, nodes.addresses, &measured) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("local-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The folder of a temporary run. The system deletes leftovers.
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        let local = try DatabasePool(
            path: folder.appendingPathComponent("local.sqlite").path, configuration: configuration)
        try measure(local, "local", &measured)
        try await measureFailover(nodes, cluster, &measured)
        try cluster.close()
        try local.close()
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        func value(of option: String) -> String? {
            arguments.firstIndex(of: option).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
        }
        guard arguments.count > 1 else {
            throw Failure(
                description:
                    "usage: cluster-bench NODE [--small] [--enforce] [--rounds N] [--go PROGRAM] [--tls] "
                    + "[--output FILE]")
        }
        let bench = Bench(isSmall: arguments.contains("--small"))
        var measured = Measurements()
        let rounds = value(of: "--rounds").flatMap { Int($0) } ?? (bench.isSmall ? 1 : 5)
        let tls = arguments.contains("--tls")
        for _ in 0..<rounds { try await bench.run(arguments[1], go: value(of: "--go"), tls: tls, &measured) }
        let rows = measured.rows()
        for row in rows { print(row) }
        if let file = value(of: "--output") { try rows.write(to: URL(fileURLWithPath: file)) }
        let misses = rows.compactMap(\.miss)
        for miss in misses { print(miss) }
        if arguments.contains("--enforce"), !misses.isEmpty { exit(1) }
    }
}

/// Runs the closure on a new thread.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
