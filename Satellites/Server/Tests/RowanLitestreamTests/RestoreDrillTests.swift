// Drills of a replica.

import Foundation
import Logging
import MetricsTestKit
import Rowan
import RowanLitestream
import Synchronization
import Testing

@testable import RowanDrills

@Suite(.litestream)
struct RestoreDrillTests {
    private static let name = "one/places.sqlite"

    private func options(_ site: Site) -> RestoreDrill.Options {
        var options = RestoreDrill.Options()
        options.folder = site.path("copies")
        options.metricsFactory = TestMetrics()
        return options
    }

    private func copies(_ site: Site) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: site.path("copies"))
    }

    @Test func aReplicaIsProvenDuringWrites() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        let drill = RestoreDrill(of: replication, database: pool, options: options(site)) { db in
            guard try Int.fetchOne(db, sql: "SELECT count(*) > 0 FROM number") == 1 else { throw CancellationError() }
        }
        try await site.replicating(replication) {
            try pool.add(1...100)
            try await replication.sync()
            let newest = Mutex(100)
            let writes = Task {
                var number = 100
                while !Task.isCancelled {
                    number += 1
                    try await pool.write { [number] in
                        try $0.execute(
                            sql: "INSERT INTO number VALUES (?); DELETE FROM number WHERE n <= ? - 50",
                            arguments: [number, number])
                    }
                    newest.withLock { [number] in $0 = number }
                }
            }
            for _ in 0..<3 {
                let before = newest.withLock(\.self)
                try await eventually("there are writes") { newest.withLock(\.self) > before + 10 }
                let report = try await drill.drill()
                #expect(report.isCompared)
                #expect(report.rows["number"] == 50)
                #expect(report.age < .seconds(60))
            }
            writes.cancel()
            do { try await writes.value } catch is CancellationError {}
        }
        #expect(try copies(site).isEmpty)
    }

    @Test func litestreamDoesNotRun() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        var options = options(site)
        options.maximumAge = .milliseconds(700)
        let drill = RestoreDrill(
            of: site.replication(of: Self.name), database: pool, options: options, logger: site.log.logger)
        let error = await #expect(throws: RestoreDrillError.self) { try await drill.drill() }
        #expect(error?.kind == .unreadable)
        #expect(error?.message.hasPrefix("no copy could be made: run() does not run") == true)
        #expect(site.log.entries.map(\.level) == [.error])
        try pool.add(1...1)
    }

    /// The path of the replication is a symbolic link, which has moved since the database was opened.
    @Test func aLinkThatHasMoved() async throws {
        let site = try Site()
        let (pool, other) = (try site.open(Self.name), try site.open("two/places.sqlite"))
        let link = site.path("current.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: site.path("two/places.sqlite"))
        let drill = RestoreDrill(of: site.replication(of: "current.sqlite"), database: pool, options: options(site))
        let error = await #expect(throws: RestoreDrillError.self) { try await drill.drill() }
        #expect(error?.kind == .differs)
        let path = try await pool.read { try String.fetchOne($0, sql: "SELECT file FROM pragma_database_list") } ?? ""
        #expect(path.hasSuffix(Self.name))
        #expect(
            error?.message
                == "the database writes \(path), and Litestream replicates another file at \(link): start both again")
        // Only Litestream is missing for the other one.
        var options = options(site)
        options.maximumAge = .milliseconds(700)
        let fitting = RestoreDrill(of: site.replication(of: "current.sqlite"), database: other, options: options)
        let missing = await #expect(throws: RestoreDrillError.self) { try await fitting.drill() }
        #expect(missing?.kind == .unreadable)
    }

    @Test func aReplicaThatIsBehind() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        try await site.replicating(replication) {
            let newest = try await replication.sync()
            let source = ReplicaSource(replication: replication, database: pool, writeTimeout: .seconds(60))
            #expect(try await source.wait(for: newest, .zero) < .seconds(60))
            let error = await #expect(throws: RestoreDrillError.self) {
                try await source.wait(for: newest + 1, .milliseconds(50))
            }
            #expect(error?.kind == .tooOld)
            let message = "seconds, the replica has transaction \(newest), but the database was at \(newest + 1)"
            #expect(error?.message.hasSuffix(message) == true)
        }
    }

    @Test func aReplicaThatLostChanges() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        try await site.replicating(replication) {
            try pool.add(1...10)
            try await replication.sync()
            try pool.add(11...20)
            try await replication.sync()
            // A later snapshot would have the lost changes.
            try await eventually("there is a snapshot") {
                (try? FileManager.default.contentsOfDirectory(atPath: site.path("replica/ltx/9")))?.isEmpty == false
            }
            // All but the newest change.
            let folder = site.path("replica/ltx/0")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(files.count > 1)
            for file in files.dropLast() { try FileManager.default.removeItem(atPath: "\(folder)/\(file)") }
            for level in 1...9 { try? FileManager.default.removeItem(atPath: site.path("replica/ltx/\(level)")) }
            let drill = RestoreDrill(of: replication, database: pool, options: options(site))
            let error = await #expect(throws: RestoreDrillError.self) { try await drill.drill() }
            #expect(error?.kind == .unreadable)
        }
        #expect(try copies(site).isEmpty)
    }

    /// Litestream is frozen, so writes wait for the hold only.
    @Test func writesDoNotWaitForAFrozenLitestream() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        try await site.replicating(replication) {
            try await replication.sync()
            let process = try #require(try await replication.status().processIdentifier)
            kill(process, SIGSTOP)
            defer { kill(process, SIGCONT) }
            let source = ReplicaSource(
                replication: replication, database: pool, writeTimeout: .seconds(60), maximumHold: .milliseconds(200))
            let error = await #expect(throws: RestoreDrillError.self) {
                try await source.restore(to: site.path("copy.sqlite"), maximumAge: nil)
            }
            #expect(error?.message == "Litestream has not read the newest commits in 0.2 seconds")
            try pool.add(1...1)
        }
    }

    /// A drill doesn't wait for ever for a write that does not end.
    @Test func aWriteThatDoesNotEnd() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        var options = options(site)
        let metrics = TestMetrics()
        options.metricsFactory = metrics
        options.writeTimeout = .milliseconds(50)
        let drill = RestoreDrill(of: replication, database: pool, options: options)
        let (isWriting, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let write = Thread { [pool] in
            // The drill fails if there is no write.
            try? pool.write { _ in
                isWriting.signal()
                mayEnd.wait()
            }
        }
        write.start()
        isWriting.wait()
        let error = await #expect(throws: RestoreDrillError.self) { try await drill.drill() }
        mayEnd.signal()
        #expect(error?.kind == .unreadable)
        #expect(
            error?.message
                == "the drill could not begin, because a write was running for 0.05 seconds: end it, or raise "
                + "`writeTimeout`")
        #expect(try metrics.expectCounter("rowan.drill.failures").values == [1])
        try pool.add(1...1)
    }

    @Test func aCancelledDrillIsNoFailure() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        let log = RecordingLog()
        try await site.replicating(replication) {
            try await replication.sync()
            // So that the drill does not end before.
            let process = try #require(try await replication.status().processIdentifier)
            kill(process, SIGSTOP)
            defer { kill(process, SIGCONT) }
            let drill = RestoreDrill(of: replication, database: pool, options: options(site), logger: log.logger)
            let task = Task { try await drill.drill() }
            try await eventually("the drill begins") { (try? copies(site))?.isEmpty == false }
            try await Task.sleep(for: .milliseconds(100))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try pool.add(1...1)
        }
        #expect(log.entries.isEmpty)
        #expect(try copies(site).isEmpty)
    }

    @Test func aClosedDatabase() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        try await site.replicating(replication) {
            try await replication.sync()
            try pool.close()
            let drill = RestoreDrill(of: replication, database: pool, options: options(site))
            let error = await #expect(throws: RestoreDrillError.self) { try await drill.drill() }
            #expect(error?.message.hasPrefix("no copy could be made: SQLite error 21") == true)
        }
    }
}
