// Measures instruments and test databases. Prints a JSON object for each row: its name, the best time in nanoseconds
// per operation, and the ratio to the row with which it is compared.

import Foundation
import Logging
import RowanLogging
import RowanMetrics
import RowanRecords
import RowanTracing

@testable import RowanTestKit

@Record("place") struct Place: Equatable {
    var id: Int64
    var name: String
    var latitude: Double
    var longitude: Double
}

/// The nanoseconds per operation: the best of the runs. Compared rows alternate.
func race(runs: Int, _ bodies: [() throws -> Void]) throws -> [Double] {
    var best = [Double](repeating: .infinity, count: bodies.count)
    for _ in 0..<runs {
        for (index, body) in bodies.enumerated() {
            let start = DispatchTime.now().uptimeNanoseconds
            try body()
            best[index] = min(best[index], Double(DispatchTime.now().uptimeNanoseconds - start))
        }
    }
    return best
}

@main
struct ServerBench {
    static func main() async throws {
        let isSmall = CommandLine.arguments.contains("--small")
        if CommandLine.arguments.contains("--jobs") { return try await JobBench(isSmall: isSmall).run() }
        if CommandLine.arguments.contains("--tenants") { return try await TenantBench(isSmall: isSmall).run() }
        try measureInstruments(count: isSmall ? 2_000 : 100_000, runs: isSmall ? 3 : 15)
        try measureTestDatabases(count: isSmall ? 5 : 200)
        try await TenantBench(isSmall: isSmall).run()
        try await JobBench(isSmall: isSmall).run()
    }

    private static func row(_ name: String, _ nanoseconds: Double, ratio: Double? = nil, atMost: Double? = nil) {
        let ratio = ratio.map { String(format: ", \"ratio\": %.3f", $0) } ?? ""
        let limit = atMost.map { ", \"atMost\": \($0)" } ?? ""
        print("{\"row\": \"\(name)\", \"ns\": \(Int(nanoseconds))\(ratio)\(limit)}")
    }

    /// Point reads in one access, as in the benchmark point-read, and in separate accesses.
    private static func measureInstruments(count: Int, runs: Int) throws {
        var quiet = Logger(label: "bench")
        quiet.logLevel = .critical
        // Neither a metrics system nor a tracer is bootstrapped, to measure the cost of inactive adapters.
        let off: [any DatabaseInstrument] = [LogInstrument(quiet), MetricsInstrument(), TracingInstrument()]
        let queues = try [[], off, [Listener()]].map { instruments in
            var configuration = Configuration()
            configuration.instruments = instruments
            let queue = try DatabaseQueue(configuration: configuration)
            try queue.write { db in
                try db.create(table: "place") { t in
                    t.primaryKey("id", .integer)
                    t.column("name", .text)
                    t.column("latitude", .double)
                    t.column("longitude", .double)
                }
                try Place.insertAll(
                    db, (0..<Int64(10_000)).map { Place(id: $0, name: "Place \($0)", latitude: 1, longitude: 2) })
            }
            return queue
        }
        let keys = (0..<count).map { Int64($0 * 7919 % 10_000) }
        let together = try race(
            runs: runs,
            queues.map { queue in
                { try queue.read { db in for key in keys { _ = try Place.fetchOne(db, key: key) } } }
            })
        let apart = try race(
            runs: runs,
            queues.map { queue in
                { for key in keys { _ = try queue.read { db in try Place.fetchOne(db, key: key) } } }
            })
        for (name, times) in [("", together), ("-access", apart)] {
            let times = times.map { $0 / Double(count) }
            row("instrument-none\(name)", times[0])
            row("instrument-all\(name)", times[1], ratio: times[1] / times[0], atMost: name.isEmpty ? 1.05 : nil)
            row("instrument-heard\(name)", times[2], ratio: times[2] / times[0])
        }
    }

    /// Receives all events, and ignores them.
    private struct Listener: DatabaseInstrument {
        final class Access: AccessInstrument {}
        func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)? { Access() }
    }

    /// A fresh database from 100 migrations, which have run only once.
    private static func measureTestDatabases(count: Int) throws {
        var migrator = DatabaseMigrator()
        for number in 0..<100 {
            migrator.registerMigration("\(number)") { db in
                try db.create(table: "t\(number)") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text).notNull().indexed()
                }
            }
        }
        for kind in [TestDatabase.Kind.queue, .pool, .memory] {
            let trait = DatabaseTrait.database(migrator, kind)
            _ = try trait.template.bytes()
            let best = try race(
                runs: count,
                [
                    {
                        let database = try TestDatabase(kind, trait.template.bytes(), trait.configuration)
                        database.remove()
                    }
                ])
            row("test-database-\(kind)", best[0], ratio: best[0] / 1_000_000, atMost: 1)
        }
    }
}
