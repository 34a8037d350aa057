// Two pools and a second process move money between accounts: each read sees the same sum at any time.

import Foundation
import Rowan

extension Part {
    static let isolation = Part(
        name: "isolation", summary: "two pools and two processes: each read sees one state", weight: 1.2
    ) { run in
        run.note("transfers")
        let path = run.folder.path("bank.sqlite")
        try Bank.create(path)
        let seconds = min(3, max(0.5, run.deadline.timeIntervalSinceNow))
        let (process, output) = try Children.start([
            "child-transfers", path, "\(UInt64.random(in: 0...UInt64.max, using: &run.random))", "\(seconds)",
        ])
        let seeds = (0..<6).map { _ in UInt64.random(in: 0...UInt64.max, using: &run.random) }
        let end = Date(timeIntervalSinceNow: seconds)
        let pools = [try Bank.pool(path), try Bank.pool(path)]
        let found = await Bank.run(pools, seeds, until: end)
        let text = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        run.expect(process.terminationStatus == 0, "the second process: \(text)")
        run.count("reads", found.reads)
        run.count("transfers", found.writes + (Int(text.split(separator: "\n").last ?? "") ?? 0))
        for problem in found.problems { run.fail(problem) }
        try checkEnd(run, pools[0])
    }
}

private func checkEnd(_ run: Run, _ pool: DatabasePool) throws {
    try pool.read { db in
        let (sum, integrity) = (try Bank.sum(db), try db.text("PRAGMA integrity_check"))
        run.expect(sum == Bank.total && integrity == "ok", "at the end: the sum \(sum), integrity_check \(integrity)")
    }
}

enum Bank {
    static let accounts = 200
    static let total = accounts * 1_000

    struct Report: Sendable {
        var reads = 0
        var writes = 0
        var problems: [String] = []

        mutating func add(_ other: Report) {
            reads += other.reads
            writes += other.writes
            problems += other.problems
        }
    }

    static func pool(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        return try DatabasePool(path: path, configuration: configuration)
    }

    static func create(_ path: String) throws {
        try pool(path).write { db in
            try db.execute(sql: "CREATE TABLE account(id INTEGER PRIMARY KEY, balance INTEGER)")
            for id in 0..<accounts { try db.execute(sql: "INSERT INTO account VALUES (?, 1000)", arguments: [id]) }
        }
    }

    /// The sum in two statements, which see the same state.
    static func sum(_ db: Database) throws -> Int {
        let half = accounts / 2
        return try db.int("SELECT sum(balance) FROM account WHERE id < \(half)")
            + db.int("SELECT sum(balance) FROM account WHERE id >= \(half)")
    }

    static func transfer(_ db: Database, _ random: inout SplitMix64) throws {
        let (from, to) = (Int.random(in: 0..<accounts, using: &random), Int.random(in: 0..<accounts, using: &random))
        let amount = Int.random(in: 1...100, using: &random)
        try db.execute(sql: "UPDATE account SET balance = balance - ? WHERE id = ?", arguments: [amount, from])
        try db.execute(sql: "UPDATE account SET balance = balance + ? WHERE id = ?", arguments: [amount, to])
    }

    /// Two threads write and the others read, in both pools.
    static func run(_ pools: [DatabasePool], _ seeds: [UInt64], until end: Date) async -> Report {
        await withTaskGroup(of: Report.self) { group in
            for (index, seed) in seeds.enumerated() {
                let pool = pools[index % 2]
                group.addTask {
                    await onThread { index < 2 ? write(pool, seed, until: end) : read(pool, seed, until: end) }
                }
            }
            return await group.reduce(into: Report()) { $0.add($1) }
        }
    }

    static func write(_ pool: DatabasePool, _ seed: UInt64, until end: Date) -> Report {
        var random = SplitMix64(seed: seed)
        var report = Report()
        while Date() < end, report.problems.isEmpty {
            do {
                try pool.write { db in
                    try transfer(db, &random)
                    // Some of them are rolled back.
                    if Int.random(in: 0..<10, using: &random) == 0 { throw Change() }
                    if try sum(db) != total { report.problems.append("a write sees the sum \(try sum(db))") }
                }
                report.writes += 1
            } catch is Change {
            } catch { report.problems.append("a write: \(error)") }
        }
        return report
    }

    private struct Change: Error {}

    static func read(_ pool: DatabasePool, _ seed: UInt64, until end: Date) -> Report {
        var report = Report()
        while Date() < end, report.problems.isEmpty {
            do {
                let found = try pool.read { db in
                    let first = try sum(db)
                    let last = try db.int("SELECT max(id * 0 + balance) FROM account")
                    return (first, try sum(db), last == (try db.int("SELECT max(balance) FROM account")))
                }
                report.reads += 1
                if found.0 != total || found.1 != total || !found.2 {
                    report.problems.append("a read sees the sums \(found.0) and \(found.1)")
                }
            } catch { report.problems.append("a read: \(error)") }
        }
        return report
    }

    /// The second process.
    static func transfer(path: String, seed: UInt64, seconds: Double) throws {
        let report = write(try pool(path), seed, until: Date(timeIntervalSinceNow: seconds))
        if let problem = report.problems.first {
            say(problem)
            exit(1)
        }
        say(report.writes)
    }
}
