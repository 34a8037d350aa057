// The workloads of a cluster, and the same ones on a local file whose commits wait for the disk.
//
//     cluster-bench NODE [--small] [--output FILE]     NODE is the path of rowan-node; FILE is a list of JSON, as results.json

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

struct Measured: Codable {
    var workload: String
    var library: String
    var nsPerRow: Double
    var medianNsPerRow: Double
    var medianLatencyNs: Double?
    var p99LatencyNs: Double?
    var runs: Int
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

/// The figures of one operation that ran many times.
struct Samples {
    var nanoseconds: [Double] = []
    let rowsPerOperation: Int

    mutating func measure(_ body: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        try body()
        nanoseconds.append((ContinuousClock.now - start) / .nanoseconds(1))
    }

    func measured(_ workload: String, _ library: String) -> Measured {
        let sorted = nanoseconds.sorted()
        let mean = nanoseconds.reduce(0, +) / Double(nanoseconds.count * rowsPerOperation)
        let median = sorted[sorted.count / 2]
        return Measured(
            workload: workload, library: library, nsPerRow: mean, medianNsPerRow: median / Double(rowsPerOperation),
            medianLatencyNs: median, p99LatencyNs: sorted[min(sorted.count * 99 / 100, sorted.count - 1)],
            runs: nanoseconds.count)
    }
}

@main
struct Bench {
    let isSmall: Bool

    func player(_ number: Int) -> Player {
        Player(id: nil, name: "player \(number)", score: number, rating: Double(number) / 3)
    }

    func measure(_ database: some DatabaseWriter, _ library: String) throws -> [Measured] {
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
        return [
            insert.measured("cluster-insert", library), hundred.measured("cluster-insert-100", library),
            read.measured("cluster-read", library), scan.measured("cluster-scan", library),
        ]
    }

    /// The time from the crash of the leader to the next commit.
    func measureFailover(_ nodes: Nodes, _ cluster: DatabaseCluster) async throws -> Measured {
        var samples = Samples(rowsPerOperation: 1)
        for number in 0..<(isSmall ? 1 : 15) {
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
        return samples.measured("cluster-failover", "rowan")
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else {
            throw Failure(description: "usage: cluster-bench NODE [--small] [--output FILE]")
        }
        let bench = Bench(isSmall: arguments.contains("--small"))
        let nodes = try Nodes(program: arguments[1])
        let cluster = try DatabaseCluster(addresses: nodes.addresses, database: "bench")
        var results = try bench.measure(cluster, "rowan")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("local-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        let local = try DatabasePool(
            path: folder.appendingPathComponent("local.sqlite").path, configuration: configuration)
        results += try bench.measure(local, "local-file")
        results.append(try await bench.measureFailover(nodes, cluster))
        for result in results {
            let rate = 1e9 / result.nsPerRow
            print(
                result.workload.padding(toLength: 20, withPad: " ", startingAt: 0),
                result.library.padding(toLength: 12, withPad: " ", startingAt: 0),
                String(
                    format: "%12.0f rows/s   p50 %10.1f us   p99 %10.1f us", rate, (result.medianLatencyNs ?? 0) / 1e3,
                    (result.p99LatencyNs ?? 0) / 1e3))
        }
        guard let index = arguments.firstIndex(of: "--output"), index + 1 < arguments.count else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(results).write(to: URL(fileURLWithPath: arguments[index + 1]))
        try cluster.close()
        try local.close()
    }
}
