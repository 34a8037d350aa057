// The program of the part `litestream`: it writes continuously, replicates, and confirms some of its writes.

import Foundation
import Logging
import Rowan
import RowanLitestream

/// A server that writes until its machine dies.
struct LitestreamWriter {
    /// The machine's folder.
    let path: String
    let url: String
    /// The pause between two confirmations, in milliseconds.
    let pauses: ClosedRange<Int>

    static func replica(_ url: String) -> LitestreamReplica {
        guard let path = ProcessInfo.processInfo.environment["STRESS_LITESTREAM"] else { return LitestreamReplica(url) }
        return LitestreamReplica(url, program: .at(path))
    }

    func run(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var configuration = Configuration()
        configuration.replicatedByLitestream = true
        let pool = try DatabasePool(path: path, configuration: configuration)
        let first = try await pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS entry(n INTEGER PRIMARY KEY, at INTEGER, parts INTEGER);
                    CREATE TABLE IF NOT EXISTS part(n INTEGER, number INTEGER, payload BLOB);
                    CREATE INDEX IF NOT EXISTS part_n ON part(n);
                    """)
            return try db.int("SELECT ifnull(max(n), 0) FROM entry") + 1
        }
        let logger = Logger(label: "litestream") { _ in SwiftLogNoOpLogHandler() }
        let replication = Self.replica(url).replication(of: path, logger: logger)
        let running = Task { try await replication.run() }
        try await replication.sync()
        tell("synced", first - 1)
        tell("litestream", Int(try await replication.status().processIdentifier ?? 0))
        let last = Locked(first - 1)
        let syncs = Task { [seed, pauses] in
            var random = SplitMix64(seed: ~seed)
            while true {
                try await Task.sleep(for: .milliseconds(Int.random(in: pauses, using: &random)))
                let number = last.current
                do {
                    try await replication.sync(timeout: .seconds(10))
                    tell("synced", number)
                } catch let error as LitestreamError {
                    // Litestream may also have been killed.
                    tell("unsynced \(error.kind)", number)
                }
            }
        }
        // Runs until it is killed; the limit applies if the parent has died.
        for number in first..<first + 200_000 {
            let parts = Int.random(in: 1...5, using: &random)
            try await pool.write { db in
                try db.execute(sql: "INSERT INTO entry VALUES (?, ?, ?)", arguments: [number, Self.now, parts])
                for part in 0..<parts {
                    try db.execute(
                        sql: "INSERT INTO part VALUES (?, ?, zeroblob(?))", arguments: [number, part, number * 7 % 900])
                }
                // Changes pages in the middle of the file, too.
                try db.execute(sql: "UPDATE part SET payload = payload WHERE n = ?", arguments: [number / 2])
            }
            last.with { $0 = number }
            tell("committed", number)
            usleep(UInt32.random(in: 100...1_500, using: &random))
        }
        syncs.cancel()
        running.cancel()
    }

    /// In microseconds.
    static var now: Int { Int(Date().timeIntervalSince1970 * 1_000_000) }

    private func tell(_ what: String, _ number: Int) {
        let line = Array("\(what) \(number) \(Self.now)\n".utf8)
        // Unbuffered, so that the parent receives all lines.
        let count = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
        if count < 0 { exit(0) }
    }
}
