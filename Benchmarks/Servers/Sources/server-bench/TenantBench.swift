// Measures one database per tenant: the first use of a closed one among 10,000, and the uses of an open one.

import Foundation
import Rowan
import RowanTenants

struct TenantBench {
    let isSmall: Bool

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tenants-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var migrator = DatabaseMigrator()
        for number in 0..<20 {
            migrator.registerMigration("\(number)") { db in
                try db.execute(sql: "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, name TEXT, value REAL)")
            }
        }
        let count = isSmall ? 200 : 10_000
        let directory = try DatabaseDirectory(folder: folder, migrator: migrator, limit: 100)
        try await directory.create("0")
        for number in 1..<count {
            try FileManager.default.copyItem(atPath: "\(folder)/0.sqlite", toPath: "\(folder)/\(number).sqlite")
        }
        // WAL files from then on, as those of a server that has run before.
        try await directory.migrateAll()
        var order = Array(0..<count)
        order.shuffle()
        var times: [Double] = []
        for number in order {
            let start = DispatchTime.now().uptimeNanoseconds
            _ = try await directory.read("\(number)") { try Int.fetchOne($0, sql: "SELECT count(*) FROM t0") }
            times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
        }
        times.sort()
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let memory = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") }?.split(separator: " ")
            .compactMap { Int($0) }.first
        print(
            String(
                format: "{\"row\": \"tenants-cold\", \"tenants\": %d, \"ms\": %.2f, \"p99OfAll\": %.2f, "
                    + "\"files\": %d, \"residentMB\": %d, \"atMost\": 2}",
                count, times[count / 2], times[count * 99 / 100], files, (memory ?? 0) / 1_024))
        try await hot(directory)
        try await directory.close()
    }

    private func hot(_ directory: DatabaseDirectory) async throws {
        // Which core runs which thread changes the time by a half, so this compares the time of the processor.
        let (runs, count) = isSmall ? (3, 100) : (601, 500)
        let times = try await directory.withPool("0") { pool in
            var times: (plain: [Double], tenants: [Double]) = ([], [])
            for _ in 0..<runs {
                times.plain.append(try await time(count) { try await pool.read { try Self.read($0) } })
                times.tenants.append(try await time(count) { try await directory.read("0") { try Self.read($0) } })
            }
            return times
        }
        let (plain, tenants) = (times.plain.sorted()[runs / 2], times.tenants.sorted()[runs / 2])
        print(
            String(
                format: "{\"row\": \"tenants-hot\", \"ns\": %.0f, \"pool\": %.0f, \"ratio\": %.3f, \"atMost\": 1.1}",
                tenants, plain, tenants / plain))
    }

    private static func read(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM t0 WHERE id = 1") ?? 0
    }

    /// Nanoseconds of the processor for each call.
    private func time(_ count: Int, _ body: () async throws -> Int) async throws -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
        }
        let start = now()
        for _ in 0..<count { _ = try await body() }
        return (now() - start) / Double(count)
    }
}
