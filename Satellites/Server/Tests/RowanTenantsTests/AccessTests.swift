// Opening, closing and waiting.

import Foundation
import MetricsTestKit
import Rowan
import Synchronization
import Testing

@testable import RowanTenants

@Suite struct AccessTests {
    @Test func aTenantIsOpenedAndMigratedAtItsFirstUse() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory()
            try await directory.create("acme")
            try #expect(test.files == ["acme.sqlite"])
            try await directory.addNote("a", to: "acme")
            try await #expect(directory.notes("acme") == ["a"])
            try await directory.close()
            try #expect(test.files == ["acme.sqlite"])

            var migrator = test.migrator
            migrator.registerMigration("more") { db in try db.execute(sql: "INSERT INTO note VALUES ('migrated')") }
            let later = try test.directory(migrator: migrator)
            try await #expect(later.notes("acme") == ["a", "migrated"])
            try await later.close()
        }
    }

    @Test func aMissingTenant() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory()
            await expectError(
                .missing, "the tenant \"acme\" has no database: create it, or pass `createsMissing: true`"
            ) { try await directory.notes("acme") }
            try #expect(test.files == [])
            try #expect(!directory.contains("acme"))
            let creating = try test.directory(createsMissing: true)
            try await #expect(creating.notes("acme") == [])
            try #expect(test.files.first == "acme.sqlite")
        }
    }

    /// A hundred callers open the database once; a hundred others get the error of one opening.
    @Test func concurrentFirstUses() async throws {
        try await TenantTest.run { test in
            let opened = Atomic<Int>(0)
            var migrator = test.migrator
            migrator.registerMigration("slow") { _ in Thread.sleep(forTimeInterval: 0.05) }
            // The directory whose openings fail, once all wait for the first one.
            let failing = Mutex<DatabaseDirectory?>(nil)
            var configuration = Configuration()
            configuration.label = "counted"
            configuration.maximumReaderCount = 1
            configuration.prepareDatabase { _ in
                opened.add(1, ordering: .relaxed)
                guard let directory = failing.withLock({ $0 }) else { return }
                while directory.waitingCount < 100 { Thread.sleep(forTimeInterval: 0.001) }
                throw DatabaseError(message: "on purpose")
            }
            let directory = try test.directory(migrator: migrator, configuration: configuration)
            try await directory.create("acme")
            opened.store(0, ordering: .relaxed)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 { group.addTask { try await directory.addNote("\(number)", to: "acme") } }
                try await group.waitForAll()
            }
            try await #expect(Set(directory.notes("acme")).count == 100)
            // The writer and a reader.
            #expect(opened.load(ordering: .relaxed) == 2)
            try await directory.close()

            let broken = try test.directory(migrator: migrator, configuration: configuration)
            failing.withLock { $0 = broken }
            opened.store(0, ordering: .relaxed)
            let errors = await withTaskGroup(of: String.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        do { return try await broken.notes("acme").joined() } catch {
                            return (error as? DatabaseError)?.message ?? "\(error)"
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors == Array(repeating: "on purpose", count: 100))
            #expect(opened.load(ordering: .relaxed) == 1)
            failing.withLock { $0 = nil }
            try await #expect(broken.notes("acme").count == 100)
        }
    }

    @Test func theLeastRecentlyUsedIsClosed() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(limit: 2)
            for name in ["a", "b", "c"] { try await directory.create(name) }
            try await directory.addNote("1", to: "a")
            try await directory.addNote("2", to: "b")
            try await directory.addNote("3", to: "a")
            try await directory.addNote("4", to: "c")
            #expect(directory.isOpen("a") && !directory.isOpen("b") && directory.isOpen("c"))
            // A closed database has no other files.
            try #expect(test.files.filter { $0.hasPrefix("b") } == ["b.sqlite"])
            try await #expect(directory.notes("b") == ["2"])
            #expect(!directory.isOpen("a"))
        }
    }

    /// With one place, those that wait get it in turn, and an access that is running keeps its database.
    @Test func waitingForAPlace() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(limit: 1, createsMissing: true, waitTimeout: .seconds(300))
            let isUsed = AsyncStream<Void>.makeStream()
            let mayEnd = AsyncStream<Void>.makeStream()
            let using = Task {
                try await directory.withPool("used") { pool in
                    isUsed.continuation.finish()
                    for await _ in mayEnd.stream {}
                    return try await pool.read { try Int.fetchOne($0, sql: "SELECT 1") }
                }
            }
            for await _ in isUsed.stream {}
            let others = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<200 {
                        group.addTask { try await directory.addNote("\(number)", to: "tenant\(number % 20)") }
                    }
                    try await group.waitForAll()
                }
            }
            try await Task.sleep(for: .milliseconds(50))
            #expect(directory.isOpen("used"))
            mayEnd.continuation.finish()
            try await #expect(using.value == 1)
            try await others.value
            for number in 0..<20 { try await #expect(directory.notes("tenant\(number)").count == 10) }
            #expect(directory.openCount == 1)
        }
    }

    @Test func aWaitEndsWithItsTaskOrItsTime() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(limit: 1, createsMissing: true, waitTimeout: .milliseconds(100))
            try await directory.withPool("a") { _ in
                await expectError(
                    .limit,
                    "all 1 databases that may be open were in use for 0.1 seconds: raise `limit`, or use them for a "
                        + "shorter time"
                ) { try await directory.notes("b") }
                await expectError(.inUse, "the database of \"a\" was in use for 0.1 seconds") {
                    try await directory.delete("a")
                }
                // What waited for it is given up, too.
                try await directory.addNote("kept", to: "a")
            }
            let patient = try test.directory(limit: 1)
            try await patient.withPool("a") { _ in
                let task = Task { try await patient.notes("b") }
                try await Task.sleep(for: .milliseconds(20))
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            try await #expect(patient.notes("a") == ["kept"])
        }
    }

    @Test func observationsEndBeforeTheirDatabase() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(limit: 1, createsMissing: true)
            let observation = ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM note")!
            }
            var counts: [Int] = []
            for try await count in try await directory.values(of: observation, in: "a") {
                counts.append(count)
                if count == 0 {
                    try await directory.addNote("1", to: "a")
                } else {
                    try await directory.addNote("1", to: "b")
                }
            }
            #expect(counts == [0, 1])
            #expect(!directory.isOpen("a"))
        }
    }

    @Test func closing() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(createsMissing: true)
            for number in 0..<5 { try await directory.addNote("x", to: "\(number)") }
            try await directory.close()
            #expect(directory.openCount == 0)
            try #expect(test.files == (0..<5).map { "\($0).sqlite" })
            await expectError(.closed, "the directory of databases is closed") { try await directory.notes("1") }
            await expectError(.closed, "the directory of databases is closed") { try await directory.delete("1") }
            await expectError(.closed, "the directory of databases is closed") {
                for try await _ in try await directory.values(
                    of: ValueObservation.tracking { try Row.fetchAll($0, sql: "SELECT 1").count }, in: "1")
                {}
            }
            try await directory.close()
        }
    }

    /// File descriptors stay bounded, and are all returned.
    @Test func manyTenants() async throws {
        try await TenantTest.run { test in
            var configuration = Configuration()
            configuration.maximumReaderCount = 1
            let metrics = TestMetrics()
            let directory = try DatabaseDirectory(
                folder: test.folder, configuration: configuration, migrator: test.migrator, limit: 8,
                createsMissing: true, waitTimeout: .seconds(300), metricsFactory: metrics)
            func descriptors() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                    .filter {
                        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
                            .hasPrefix(directory.path) == true
                    }.count
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<300 { group.addTask { try await directory.addNote("x", to: "tenant-\(number)") } }
                var highest = 0
                while try await group.next() != nil { highest = max(highest, try descriptors()) }
                // Three for each writer, two for a reader, and the files of a database that is being made.
                #expect(highest <= 8 * 9)
            }
            try await #expect(directory.tenants().count == 300)
            let gauge = try metrics.expectGauge("rowan.tenants.open", [])
            #expect(try #require(gauge.lastValue) <= 8)
            #expect(try metrics.expectTimer("rowan.tenants.opening", []).values.count >= 300)
            try await directory.close()
            try #expect(descriptors() == 0)
        }
    }
}

extension DatabaseDirectory {
    func isOpen(_ tenant: String) -> Bool {
        guard let name = try? TenantName(tenant) else { return false }
        return openNames.contains(name)
    }
}
