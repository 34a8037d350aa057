// Backups are made and proven while others write. A drill of a whole backup passes. Then the file is damaged or edited:
// if the drill still passes, the backup has exactly the rows that it had.

import Foundation
import Logging
import Rowan
import RowanDrills

extension Part {
    static let drills = Part(
        name: "drills", summary: "restore drills during writes pass, and find each change of a row in a backup"
    ) { run in
        let pool = try DatabasePool(path: run.folder.path("drills-\(run.seed).sqlite"))
        try await pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b);
                    CREATE TABLE child (k TEXT, n, parent INTEGER REFERENCES parent, PRIMARY KEY (k, n)) WITHOUT ROWID;
                    CREATE INDEX child_parent ON child (parent) WHERE n IS NOT NULL;
                    CREATE VIRTUAL TABLE document USING fts5(body)
                    """)
        }
        let backups = BackupFolder(run.folder.path("backups-\(run.seed)"))
        let drill = RestoreDrill(
            of: backups, database: pool, logger: Logger(label: "drill") { _ in SwiftLogNoOpLogHandler() })
        for round in 0..<6 where !run.isOver || round == 0 {
            let path = try await whole(run, pool, backups, drill)
            let copy = "\(path)-copy"
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            for _ in 0..<4 {
                let change = try change(path, run)
                let kind: RestoreDrillError.Kind?
                do {
                    try await drill.drill()
                    kind = nil
                } catch let error as RestoreDrillError { kind = error.kind }
                run.count(kind.map { "drills that found it: \($0)" } ?? "harmless changes")
                if kind == nil {
                    try run.expect(dump(path) == dump(copy), "the drill did not notice: \(change)")
                }
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.copyItem(atPath: copy, toPath: path)
            }
            for file in try FileManager.default.contentsOfDirectory(atPath: backups.path) {
                try FileManager.default.removeItem(atPath: "\(backups.path)/\(file)")
            }
        }
        try pool.close()
    }
}

/// Makes a backup during writes, proves it, and returns its path.
private func whole(
    _ run: Run, _ pool: DatabasePool, _ backups: BackupFolder, _ drill: RestoreDrill
) async throws
    -> String
{
    let seeds = (0..<2).map { _ in UInt64.random(in: 0...UInt64.max, using: &run.random) }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        for seed in seeds {
            group.addTask {
                var random = SplitMix64(seed: seed)
                while !Task.isCancelled { try await write(pool, &random) }
            }
        }
        defer { group.cancelAll() }
        try await Task.sleep(for: .milliseconds(run.number(0...50)))
        let path = try await backups.add(pool)
        let report = try await drill.drill()
        run.expect(report.isCompared, "the backup was not compared")
        run.count("passed drills")
        return path
    }
}

@Sendable private func write(_ pool: DatabasePool, _ random: inout SplitMix64) async throws {
    let (id, number) = (Int.random(in: 1...200, using: &random), Int.random(in: 0...3, using: &random))
    let payload = Data((0..<Int.random(in: 0...3_000, using: &random)).map { UInt8(truncatingIfNeeded: $0 &* id) })
    do {
        try await pool.write { db in
            try db.execute(sql: "REPLACE INTO parent VALUES (?, ?, ?)", arguments: [id, "name \(id)", payload])
            try db.execute(
                sql: "REPLACE INTO child VALUES (?, ?, ?)", arguments: ["k\(id)", number == 0 ? 0.5 : Double(id), id])
            try db.execute(sql: "INSERT INTO document VALUES (?)", arguments: ["words of \(id)"])
            if number == 1 { try db.execute(sql: "DELETE FROM child WHERE parent < ?", arguments: [id / 2]) }
        }
    } catch is CancellationError {}
}

/// Changes a backup, and says how.
private func change(_ path: String, _ run: Run) throws -> String {
    switch run.number(0...2) {
    case 0:
        let statement = run.pick([
            "UPDATE parent SET a = upper(a) WHERE id = (SELECT max(id) FROM parent)",
            "UPDATE child SET n = CAST(n AS INTEGER) WHERE n = CAST(n AS INTEGER)",
            "DELETE FROM child WHERE k = (SELECT min(k) FROM child)",
            "UPDATE parent SET b = CAST(b AS TEXT) WHERE length(b) < 100",
            "INSERT INTO document VALUES ('more')", "DROP INDEX child_parent",
        ])
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: statement) }
        try queue.close()
        return statement
    case 1:
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = Int(try file.seekToEnd())
        var places: [Int] = []
        for _ in 0..<run.number(1...8) {
            let place = run.number(0...size - 1)
            try file.seek(toOffset: UInt64(place))
            try file.write(contentsOf: Data([UInt8(run.number(0...255))]))
            places.append(place)
        }
        try file.close()
        return "bytes at \(places)"
    default:
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        let end = run.number(0...size - 1)
        guard truncate(path, end) == 0 else { throw CocoaError(.fileWriteUnknown) }
        return "cut after \(end) of \(size) bytes"
    }
}

/// All definitions and rows of a file, as SQL.
private func dump(_ path: String) throws -> String {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }  // It was only read.
    let script = Script()
    try queue.read { db in try db.dumpScript(to: script) }
    return script.text
}

private final class Script: TextOutputStream {
    private(set) var text = ""
    func write(_ string: String) { text += string }
}
