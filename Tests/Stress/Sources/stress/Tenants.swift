// A process creates, fills, copies, renames and deletes the databases of tenants and is killed: what was acknowledged is
// there, and what was under way has happened or has not.

import Foundation
import Rowan
import RowanTenants

extension Part {
    static let tenants = Part(
        name: "tenants", summary: "SIGKILL while tenants appear and disappear: each verb happens or does not"
    ) { run in
        let folder = run.folder.path("tenants-\(run.seed)")
        var tenants = Tenants()
        for cycle in 0..<10 where !run.isOver || cycle == 0 { try await killCycle(run, folder, &tenants) }
    }
}

/// The notes of each tenant.
private typealias Tenants = [String: Set<Int>]

private func killCycle(_ run: Run, _ folder: String, _ tenants: inout Tenants) async throws {
    let seed = UInt64.random(in: 0...UInt64.max, using: &run.random)
    let (process, output) = try Children.start(["child-tenants", folder, "\(seed)"])
    let (last, pause) = (run.number(1...80), UInt32(run.number(0...6_000)))
    var text = ""
    var (isKilled, count) = (false, 0)
    while true {
        let data = output.availableData
        guard !data.isEmpty else { break }
        text += String(decoding: data, as: UTF8.self)
        count += data.count { $0 == 10 }
        if !isKilled, count >= last {
            usleep(pause)
            kill(process.processIdentifier, SIGKILL)
            isKilled = true
        }
    }
    process.waitUntilExit()
    var pending: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        if line == "end" {
            if let step = pending.take() { apply(step, &tenants) }
            run.count("verbs")
        } else if line.hasPrefix("error") {
            run.fail("\(line) after \(pending ?? "nothing")")
        } else {
            pending = String(line)
        }
    }
    run.count("kills")
    let directory = try TenantProcess.directory(folder)
    var found = Tenants()
    let report = try await directory.forEach { tenant, pool in
        let integrity = try await pool.read { try $0.text("PRAGMA integrity_check") }
        guard integrity == "ok" else { throw CocoaError(.fileReadCorruptFile) }
    }
    for (tenant, error) in report.failures { run.fail("tenant \(tenant): \(error)") }
    for tenant in try await directory.tenants() {
        found[tenant] = try await directory.read(tenant) { db in
            try Int.fetchSet(db, sql: "SELECT number FROM note")
        }
    }
    try await directory.close()
    var after = tenants
    if let pending { apply(pending, &after) }
    run.expect(
        found == tenants || found == after,
        "after \"\(pending ?? "")\": \(found), neither \(tenants) nor \(after)")
    // An empty journal, of a kill before SQLite had written to it, is none. The next write removes it.
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { file in
        try !file.hasSuffix("-journal") || Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")).first ?? 0 != 0
    }
    run.expect(
        Set(files) == Set(found.keys.map { "\($0).sqlite" } + [".lock"]), "files are left: \(files.sorted())")
    tenants = found
}

private func apply(_ step: String, _ tenants: inout Tenants) {
    let words = step.split(separator: " ").map(String.init)
    switch words[0] {
    case "create": tenants[words[1]] = []
    case "add": tenants[words[1]]?.insert(Int(words[2])!)
    case "delete": tenants[words[1]] = nil
    case "rename": tenants[words[2]] = tenants.removeValue(forKey: words[1])
    case "copy": tenants[words[2]] = tenants[words[1]]
    default: break
    }
}

/// The process that is killed.
struct TenantProcess {
    private let directory: DatabaseDirectory
    private var random: SplitMix64

    static func directory(_ folder: String) throws -> DatabaseDirectory {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("note") { db in
            try db.execute(sql: "CREATE TABLE note (number INTEGER PRIMARY KEY, payload BLOB)")
        }
        migrator.registerMigration("index") { db in try db.execute(sql: "CREATE INDEX note_payload ON note (payload)") }
        return try DatabaseDirectory(folder: folder, migrator: migrator, limit: 2)
    }

    static func run(folder: String, seed: UInt64) async throws {
        var process = TenantProcess(directory: try directory(folder), random: SplitMix64(seed: seed))
        // The limit applies if the parent has died.
        for _ in 0..<10_000 { try await process.step(folder) }
    }

    private mutating func step(_ folder: String) async throws {
        let names = (0..<8).map { "t\($0)" }
        let tenants = try await directory.tenants()
        let free = names.filter { !tenants.contains($0) }.randomElement(using: &random)
        let used = tenants.randomElement(using: &random)
        switch (Int.random(in: 0..<10, using: &random), used, free) {
        case (0, _, let free?), (_, nil, let free?):
            say("create \(free)")
            try await directory.create(free)
        case (1, let used?, _):
            say("delete \(used)")
            try await directory.delete(used)
        case (2, let used?, let free?):
            say("rename \(used) \(free)")
            try await directory.rename(used, to: free)
        case (3, let used?, let free?):
            let file = "\(folder)-export"
            try? FileManager.default.removeItem(atPath: file)  // Left by a killed process.
            try await directory.export(used, to: file)
            say("copy \(used) \(free)")
            try await directory.import(free, from: file)
        case (4, _, _):
            say("migrate")
            try await directory.migrateAll()
        case (_, let used?, _):
            let number = Int.random(in: 1...1_000_000_000, using: &random)
            say("add \(used) \(number)")
            try await directory.write(used) { db in
                try db.execute(
                    sql: "INSERT INTO note VALUES (?, zeroblob(?))", arguments: [number, number % 10_000])
            }
        default: break
        }
        say("end")
    }
}
