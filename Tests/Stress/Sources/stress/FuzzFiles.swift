// Files with changed bytes: opening, reading and writing them throws, but never stops the process.

import Foundation
import Rowan

extension Part {
    static let fuzzFiles = Part(name: "fuzz-files", summary: "database files with flipped bits and missing pages") {
        run in
        let (file, log) = try originalOfFuzz(run)
        for _ in 0..<40 where !run.isOver || run.counts["files"] == nil {
            let path = run.folder.path("fuzz-\(run.counts["files"] ?? 0).sqlite")
            var (damagedFile, damagedLog) = (file, log)
            let harmsLog = run.chance(30)
            if harmsLog { damage(&damagedLog, run) } else { damage(&damagedFile, run) }
            try damagedFile.write(to: URL(fileURLWithPath: path))
            if harmsLog || run.chance(50) { try damagedLog.write(to: URL(fileURLWithPath: path + "-wal")) }
            let kind = run.pick(Kind.allCases)
            run.note("\(kind), seed \(run.seed), file \(run.counts["files"] ?? 0)")
            run.count("files")
            use(run, kind, path)
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
    }
}

/// A file, and its write-ahead log with changes that are not in the file yet.
func originalOfFuzz(_ run: Run) throws -> (Data, Data) {
    let path = run.folder.path("original.sqlite")
    let pool = try DatabasePool(path: path)
    try pool.write { db in
        try db.execute(
            sql: """
                CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT NOT NULL, score REAL, info BLOB);
                CREATE INDEX player_name ON player(name);
                CREATE TABLE pair(a INTEGER, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
                CREATE TABLE child(id INTEGER PRIMARY KEY, player_id INTEGER REFERENCES player(id) ON DELETE CASCADE);
                CREATE VIEW best AS SELECT * FROM player WHERE score > 10;
                CREATE TRIGGER added AFTER INSERT ON player BEGIN INSERT INTO pair VALUES (new.id, new.name); END;
                """)
        for number in 0..<200 {
            try db.execute(
                sql: "INSERT INTO player(name, score, info) VALUES (?, ?, zeroblob(?))",
                arguments: ["name \(number % 40)", Double(number) / 3, number * 20])
        }
    }
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try pool.write { try $0.execute(sql: "UPDATE player SET score = score + 1; INSERT INTO child VALUES (1, 1)") }
    return try (Data(contentsOf: URL(fileURLWithPath: path)), Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
}

func damage(_ data: inout Data, _ run: Run) {
    for _ in 0..<run.pick([1, 1, 2, 5, 50]) where !data.isEmpty {
        // Prefers the header and the first pages, which contain the schema.
        let limit = run.chance(50) ? min(data.count, 8_192) : data.count
        let place = run.number(0...limit - 1)
        switch run.number(0...6) {
        case 0, 1: data[place] ^= 1 << UInt8(run.number(0...7))
        case 2, 3: data[place] = UInt8(run.number(0...255))
        case 4:
            data.replaceSubrange(place..<min(place + 64, data.count), with: Data(count: min(64, data.count - place)))
        case 5: data = data.prefix(run.chance(50) ? place : place / 4_096 * 4_096)
        default:
            // One page overwrites another one.
            let pages = data.count / 4_096
            guard pages > 1 else { continue }
            let (from, to) = (run.number(0...pages - 1) * 4_096, run.number(0...pages - 1) * 4_096)
            data.replaceSubrange(to..<to + 4_096, with: Data(data[from..<from + 4_096]))
        }
    }
}

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64?
    var name: String
    var score: Double?
    var info: Data?
}

private func use(_ run: Run, _ kind: Kind, _ path: String) {
    func attempt(_ body: () throws -> Void) {
        run.count("accesses")
        do { try body() } catch { run.count("errors") }
    }
    attempt {
        let writer = try kind.open(path)
        // Loops in a damaged file are interrupted.
        let watchdog = Watchdog(writer)
        defer { watchdog.stop() }
        attempt { try writer.read { _ = try Row.fetchAll($0, sql: "SELECT * FROM player, pair LIMIT 1000") } }
        attempt { try writer.read { _ = try Player.order(Column("name")).limit(50).fetchAll($0) } }
        attempt { try writer.read { _ = try Player.fetchOne($0, key: 7) } }
        attempt { try writer.read { _ = try $0.text("PRAGMA integrity_check(10)") } }
        attempt {
            try writer.read { db in
                for table in ["player", "pair", "child", "best"] {
                    _ = try? db.columns(in: table)
                    _ = try? db.primaryKey(table)
                    _ = try? db.indexes(on: table)
                    _ = try? db.foreignKeys(on: table)
                }
            }
        }
        attempt { try writer.write { try Player(name: "new").insert($0) } }
        attempt { try writer.write { _ = try Player.filter(Column("score") > 20).deleteAll($0) } }
        attempt { try writer.write { try $0.execute(sql: "UPDATE player SET name = name || 'x'") } }
        attempt { try writer.write { try $0.execute(sql: "DROP TABLE IF EXISTS child; CREATE TABLE other(x)") } }
        attempt { try writer.vacuum() }
        attempt { try writer.backup(to: DatabaseQueue()) }
        attempt { try writer.close() }
    }
}

/// Interrupts a connection repeatedly after a while.
final class Watchdog: Sendable {
    private let isStopped = Locked(false)

    init(_ writer: any DatabaseWriter, after seconds: Double = 2) {
        let isStopped = isStopped
        Thread.detachNewThread {
            let end = Date(timeIntervalSinceNow: seconds)
            while !isStopped.current {
                if Date() >= end { writer.interrupt() }
                usleep(20_000)
            }
        }
    }

    func stop() { isStopped.with { $0 = true } }
}
