// The workloads of a cluster, and the same ones on a local file with durable commits.
//
//     cluster-bench NODE [--small] [--enforce] [--output FILE]
//
// NODE is the path of rowan-node. FILE is a list in JSON, such as results.json, whose cluster rows are replaced.

import Foundation
import Rowan
import RowanCluster
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
struct Samples {
    var nanoseconds: [Double] = []
    let rowsPerOperation: Int

    var meanPerRow: Double { nanoseconds.reduce(0, +) / Double(nanoseconds.count * rowsPerOperation) }

    mutating func measure(_ body: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        try body()
        nanoseconds.append((ContinuousClock.now - start) / .nanoseconds(1))
    }
}

@main
struct Bench {
    let isSmall: Bool

    func player(_ number: Int) -> Player {
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

    /// Runs one round, with its own nodes and files.
    func run(_ node: String, _ measured: inout Measurements) async throws {
        let nodes = try Nodes(program: node)
        let cluster = try DatabaseCluster(addresses: nodes.addresses, database: "bench")
        try measure(cluster, "rowan", &measured)
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
        guard arguments.count > 1 else {
            throw Failure(description: "usage: cluster-bench NODE [--small] [--enforce] [--output FILE]")
        }
        let bench = Bench(isSmall: arguments.contains("--small"))
        var measured = Measurements()
        for _ in 0..<(bench.isSmall ? 1 : 5) { try await bench.run(arguments[1], &measured) }
        let rows = measured.rows()
        for row in rows { print(row) }
        if let index = arguments.firstIndex(of: "--output"), index + 1 < arguments.count {
            try rows.write(to: URL(fileURLWithPath: arguments[index + 1]))
        }
        let misses = rows.compactMap(\.miss)
        for miss in misses { print(miss) }
        if arguments.contains("--enforce"), !misses.isEmpty { exit(1) }
    }
}
