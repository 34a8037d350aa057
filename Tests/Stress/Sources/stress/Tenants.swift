// Processes create, fill, copy, rename and delete the databases of tenants in one folder, and are killed: what was
// acknowledged is there, and what was under way has happened or has not.

import Foundation
import Rowan
import RowanTenants

extension Part {
    static let tenants = Part(
        name: "tenants", summary: "SIGKILL while processes share a folder of tenants: each verb happens or does not"
    ) { run in
        let folder = run.folder.path("tenants-\(run.seed)")
        let directory = try TenantProcess.directory(folder)
        try await directory.create(TenantProcess.shared)
        try await directory.close()
        var tenants: Tenants = [TenantProcess.shared: []]
        for cycle in 0..<10 where !run.isOver || cycle == 0 { try await killCycle(run, folder, &tenants) }
    }
}

/// The notes of each tenant.
private typealias Tenants = [String: Set<Int>]

private func killCycle(_ run: Run, _ folder: String, _ tenants: inout Tenants) async throws {
    let owners = Array(0..<run.number(1...3))
    let outputs = try await withThrowingTaskGroup(of: (Int, String).self) { group in
        for owner in owners {
            let seed = UInt64.random(in: 0...UInt64.max, using: &run.random)
            let (last, pause) = (run.number(1...80), UInt32(run.number(0...6_000)))
            let arguments = ["child-tenants", folder, "\(seed)", "\(owner)"]
            group.addTask {
                (owner, try await onThread { Result { try outputUntilKilled(arguments, last, pause) } }.get())
            }
        }
        return try await group.reduce(into: []) { $0.append($1) }
    }
    run.count("kills", owners.count)
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
    for (owner, output) in outputs {
        let pending = replay(output, &tenants, run)
        var after = tenants
        if let pending { apply(pending, &after) }
        let (actual, expected) = (part(of: found, owner), part(of: tenants, owner))
        run.expect(
            actual == expected || actual == part(of: after, owner),
            "after \"\(pending ?? "")\" of \(owner): \(actual), not \(expected)")
    }
    // An empty journal, of a kill before SQLite had written to it, is none. The next write removes it.
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { file in
        try !file.hasSuffix("-journal") || Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")).first ?? 0 != 0
    }
    run.expect(
        Set(files) == Set(found.keys.map { "\($0).sqlite" } + [".lock"]), "files are left: \(files.sorted())")
    tenants = found
}

/// Runs a process, kills it a moment after a number of lines, and returns all its lines.
private func outputUntilKilled(_ arguments: [String], _ last: Int, _ pause: UInt32) throws -> String {
    let (process, output) = try Children.start(arguments)
    var (text, isKilled, count) = ("", false, 0)
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
    return text
}

/// Applies the acknowledged verbs of a process, and returns the one that was under way.
private func replay(_ output: String, _ tenants: inout Tenants, _ run: Run) -> String? {
    var pending: String?
    for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) {
        if line == "end" {
            if let step = pending.take() { apply(step, &tenants) }
            run.count("verbs")
        } else if line == "refused" {
            pending = nil
            run.count("refused verbs")
        } else if line.hasPrefix("error") {
            run.fail("\(line) after \(pending ?? "nothing")")
        } else {
            pending = line
        }
    }
    return pending
}

/// What one process writes: its own tenants, and every third note of the shared one.
private func part(of tenants: Tenants, _ owner: Int) -> Tenants {
    var part = tenants.filter { $0.key.hasPrefix("\(owner)") }
    part[TenantProcess.shared] = tenants[TenantProcess.shared]?.filter { $0 % 3 == owner }
    return part
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

/// A process that is killed.
struct TenantProcess {
    /// The tenant to which all processes write.
    static let shared = "shared"

    private let directory: DatabaseDirectory
    private let owner: Int
    private var random: SplitMix64

    static func directory(_ folder: String) throws -> DatabaseDirectory {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("note") { db in
            try db.execute(sql: "CREATE TABLE note (number INTEGER PRIMARY KEY, payload BLOB)")
        }
        migrator.registerMigration("index") { db in try db.execute(sql: "CREATE INDEX note_payload ON note (payload)") }
        var configuration = Configuration()
        configuration.busyMode = .timeout(20)
        return try DatabaseDirectory(folder: folder, configuration: configuration, migrator: migrator, limit: 2)
    }

    static func run(folder: String, seed: UInt64, owner: Int) async throws {
        var process = TenantProcess(
            directory: try directory(folder), owner: owner, random: SplitMix64(seed: seed))
        // The limit applies if the parent has died.
        for _ in 0..<10_000 {
            do { try await process.step(folder) } catch let error as DatabaseDirectoryError where error.code == .inUse {
                say("refused")
            }
        }
    }

    private mutating func step(_ folder: String) async throws {
        let names = (0..<8).map { "\(owner)t\($0)" }
        let tenants = try await directory.tenants().filter { $0.hasPrefix("\(owner)") }
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
            let file = "\(folder)-export\(owner)"
            try? FileManager.default.removeItem(atPath: file)  // Left by a killed process.
            try await directory.export(used, to: file)
            say("copy \(used) \(free)")
            try await directory.import(free, from: file)
        case (4, _, _):
            say("migrate")
            let report = try await directory.migrateAll()
            for (_, error) in report.failures {
                // Another process has deleted it, or moves it.
                if let error = error as? DatabaseDirectoryError, [.missing, .inUse].contains(error.code) { continue }
                say("error \(error)")
            }
        case (_, let used?, _):
            let tenant = Int.random(in: 0..<4, using: &random) == 0 ? Self.shared : used
            let number = Int.random(in: 1...300_000_000, using: &random) * 3 + owner
            say("add \(tenant) \(number)")
            try await directory.write(tenant) { db in
                try db.execute(
                    sql: "INSERT INTO note VALUES (?, zeroblob(?))", arguments: [number, number % 10_000])
            }
        default: break
        }
        say("end")
    }
}
