// A process writes and is killed: acknowledged transactions are there, and each transaction is all or nothing. A killed
// process loses nothing that it has passed to the system, even with synchronous NORMAL.

import Foundation
import Rowan

extension Part {
    static let kill = Part(
        name: "kill", summary: "SIGKILL cycles: acknowledged rows survive, transactions are whole", weight: 1.5
    ) { run in
        for synchronous in ["FULL", "NORMAL"] {
            for kind in Kind.allCases {
                let path = run.folder.path("\(kind)-\(synchronous).sqlite")
                for cycle in 0..<3 {
                    if run.isOver, run.counts["cycles"] != nil { return }
                    run.note("\(kind) \(synchronous), cycle \(cycle)")
                    try killCycle(run, path, kind, synchronous)
                }
            }
        }
    }
}

private func killCycle(_ run: Run, _ path: String, _ kind: Kind, _ synchronous: String) throws {
    let seed = UInt64.random(in: 0...UInt64.max, using: &run.random)
    let (process, output) = try Children.start(["child-writer", path, kind.rawValue, synchronous, "\(seed)"])
    // Acknowledgements arrive until the process is killed, at any time after some of them.
    let killer = run.number(1...60)
    let pause = UInt32(run.number(0...3_000))
    var text = ""
    var isKilled = false
    var count = 0
    while true {
        let data = output.availableData
        guard !data.isEmpty else { break }
        text += String(decoding: data, as: UTF8.self)
        count += data.count { $0 == 10 }
        if !isKilled, count >= killer {
            usleep(pause)
            kill(process.processIdentifier, SIGKILL)
            isKilled = true
        }
    }
    process.waitUntilExit()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    run.expect(isKilled, "the writer ended by itself: \(lines.last ?? "")")
    let acknowledged = Int(lines.last(where: { Int($0) != nil }) ?? "0") ?? 0
    run.count("cycles")
    run.count("acknowledged transactions", lines.count)
    try check(run, path, kind, acknowledged, "\(kind) \(synchronous)")
}

private func check(_ run: Run, _ path: String, _ kind: Kind, _ acknowledged: Int, _ what: String) throws {
    let writer = try kind.open(path)
    try writer.read { db in
        let integrity = try db.text("PRAGMA integrity_check")
        run.expect(integrity == "ok", "\(what): integrity_check: \(integrity)")
        let last = try db.int("SELECT ifnull(max(id), 0) FROM batch")
        run.expect(
            last >= acknowledged, "\(what): transaction \(acknowledged) was acknowledged, the last one is \(last)")
        let count = try db.int("SELECT count(*) FROM batch")
        run.expect(count == last, "\(what): \(count) transactions of \(last)")
        // Each transaction stores its number of rows and their sum.
        let torn = try db.int(
            """
            SELECT count(*) FROM batch b
            WHERE b.count <> (SELECT count(*) FROM item WHERE batch = b.id)
            OR b.sum <> (SELECT total(value) FROM item WHERE batch = b.id)
            OR EXISTS (SELECT 1 FROM item WHERE batch = b.id AND length(payload) <> abs(value) % 5000)
            """)
        run.expect(torn == 0, "\(what): \(torn) transactions are torn")
        let strays = try db.int("SELECT count(*) FROM item WHERE batch NOT IN (SELECT id FROM batch)")
        run.expect(strays == 0, "\(what): \(strays) rows without a transaction")
    }
    // The file is still writable.
    try writer.write { try $0.execute(sql: "UPDATE item SET value = value WHERE batch = 1") }
    try writer.close()
}

/// The process that is killed.
struct Writer {
    let path: String
    let kind: Kind
    let synchronous: String

    func run(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var configuration = Configuration()
        let mode = synchronous
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = \(mode)") }
        let writer = try kind.open(path, configuration)
        var number = try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS batch(id INTEGER PRIMARY KEY, count INTEGER, sum REAL);
                    CREATE TABLE IF NOT EXISTS item(batch INTEGER, value INTEGER, payload BLOB);
                    CREATE INDEX IF NOT EXISTS item_batch ON item(batch);
                    """)
            return try db.int("SELECT ifnull(max(id), 0) FROM batch")
        }
        // Runs until it is killed; the limit applies if the parent has died.
        for _ in 0..<200_000 {
            number += 1
            let values = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                Int.random(in: -1_000_000...1_000_000, using: &random)
            }
            try writer.write { db in
                for value in values {
                    try db.execute(
                        sql: "INSERT INTO item VALUES (?, ?, zeroblob(?))",
                        arguments: [number, value, abs(value) % 5_000])
                }
                // Updates the written rows, so that the file does not only grow.
                try db.execute(sql: "UPDATE item SET payload = payload WHERE batch = ?", arguments: [number / 2])
                try db.execute(
                    sql: "INSERT INTO batch VALUES (?, ?, ?)",
                    arguments: [number, values.count, Double(values.reduce(0, +))])
            }
            acknowledge(number)
        }
    }

    private func acknowledge(_ number: Int) {
        let line = Array("\(number)\n".utf8)
        // Unbuffered, so that the parent receives all lines.
        let count = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
        if count < 0 { exit(0) }
    }
}
