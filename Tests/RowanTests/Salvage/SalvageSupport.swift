// Files to damage, and what is recovered of them.

import Foundation
import Rowan
import RowanSalvage
import Testing

/// A database file of a test.
struct DamageableFile {
    let folder: TemporaryFolder
    let path: String

    /// Creates a file.
    ///
    /// - Parameter pragmas: what is set before the first table is created.
    init(pragmas: String = "", _ fill: (Database) throws -> Void) throws {
        folder = try TemporaryFolder()
        path = folder.path("damaged.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = OFF; \(pragmas)")
            try fill(db)
        }
        try queue.close()
    }

    var bytes: [UInt8] {
        get throws { try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) }
    }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    /// Changes the bytes of the file.
    func damage(_ change: (inout [UInt8]) throws -> Void) throws {
        var bytes = try self.bytes
        try change(&bytes)
        try write(bytes)
    }

    /// The root page of a table or an index.
    func root(_ name: String) throws -> Int {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }  // A test that fails here says why elsewhere.
        let root = try queue.read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [name])
        }
        return try #require(root)
    }

    /// Recovers the file, and reads the new one.
    @discardableResult
    func salvage<Result>(
        configuration: Configuration = Configuration(), freePages: Bool = false,
        _ read: (Database) throws -> Result
    ) throws -> (report: SalvageReport, result: Result) {
        let destination = folder.path("recovered-\(UUID().uuidString).sqlite")
        let before = try bytes
        let report = try Database.salvage(
            path, into: destination, configuration: configuration, freePages: freePages)
        #expect(try bytes == before)
        let queue = try DatabaseQueue(path: destination, configuration: configuration)
        let result = try queue.writeWithoutTransaction { db in
            // Rows that violate a CHECK are recovered.
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            // SQLite 3.44 also checks virtual tables, whose content may be damaged.
            let virtualCount = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'")
            let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            #expect(problems == ["ok"] || virtualCount != 0 && isSQLite(3_044_000))
            return try read(db)
        }
        try queue.close()
        return (report, result)
    }
}

/// Rows of long and short texts, on many pages.
func fillPlayers(_ db: Database, count: Int = 1_000) throws {
    try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, note TEXT)")
    for id in 1...count {
        let note = String(repeating: "n\(id) ", count: id % 97 == 0 ? 3_000 : id % 20)
        try db.execute(sql: "INSERT INTO player VALUES (?, ?, ?)", arguments: [id, "name \(id)", note])
    }
}

/// Expects that the rows of `player` are rows that ``fillPlayers(_:count:)`` has made.
func expectTruePlayers(_ db: Database, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for row in try Row.fetchAll(db, sql: "SELECT * FROM player") {
        let id: Int = row["id"]
        let note = String(repeating: "n\(id) ", count: id % 97 == 0 ? 3_000 : id % 20)
        #expect(row["name"] == "name \(id)" && row["note"] == note, sourceLocation: sourceLocation)
    }
}

extension SalvageReport {
    /// The numbers of each table.
    var rowCounts: [String] {
        tables.map { "\($0.name): \($0.rowCount), \($0.lostRowCount) lost, \($0.damagedPageCount) unreadable pages" }
    }
}
