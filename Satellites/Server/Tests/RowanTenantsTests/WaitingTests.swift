// Who waits for what, and what ends a wait.

import Foundation
import Rowan
import Synchronization
import Testing

@testable import RowanTenants

/// A use of a database that a test begins and ends.
private final class HeldUse: Sendable {
    private let release = AsyncStream<Void>.makeStream()
    private let task: Mutex<Task<Void, any Error>?> = Mutex(nil)

    /// Begins, and returns once the database is in use.
    init(_ directory: DatabaseDirectory, _ tenant: String) async throws {
        let (started, didStart) = AsyncStream<Void>.makeStream()
        let stream = release.stream
        let use = Task {
            defer { didStart.finish() }
            try await directory.withPool(tenant) { _ in
                didStart.finish()
                for await _ in stream {}
            }
        }
        task.withLock { $0 = use }
        for await _ in started {}
    }

    func end() async throws {
        release.continuation.finish()
        try await task.withLock(\.self)?.value
    }
}

@Suite struct WaitingTests {
    private func eventually(_ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition() {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Work on all tenants creates none, also where accesses do.
    @Test func workOnAllTenantsBringsNoneBack() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(createsMissing: true)
            for name in ["a", "b", "c"] { try await directory.create(name) }
            let visited = Mutex<[String]>([])
            let report = try await directory.forEach { tenant, _ in
                visited.withLock { $0.append(tenant) }
                if tenant == "a" { try await directory.delete("c") }
            }
            #expect(visited.withLock(\.self) == ["a", "b"])
            #expect(report.completed == 3 && report.failures.isEmpty)
            try #expect(!directory.contains("c"))
            // An access does, also if it joins an opening of other work.
            try await #expect(directory.notes("c") == [])
        }
    }

    @Test func anErrorOfTheBodyIsInTheReport() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory()
            try await directory.create("a")
            let report = try await directory.forEach { _, _ in try await directory.notes("missing") }
            #expect(report.failures.map(\.tenant) == ["a"])
            #expect((report.failures.first?.error as? DatabaseDirectoryError)?.code == .missing)
        }
    }

    @Test func afterAFailedCloseNothingBegins() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(createsMissing: true, waitTimeout: .milliseconds(50))
            let use = try await HeldUse(directory, "a")
            await expectError(.inUse, "the database of \"a\" was in use for 0.05 seconds") {
                try await directory.close()
            }
            await expectError(.closed, "the directory of databases is closed") { try await directory.notes("a") }
            // The last use closes the database.
            try await use.end()
            try await eventually { directory.openCount == 0 }
            try #expect(test.files == ["a.sqlite"])
        }
    }

    /// All that wait for a database get it when it is opened for one of them, also those behind others.
    @Test func oneOpeningServesAllThatWait() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(limit: 2, createsMissing: true, waitTimeout: .seconds(300))
            let (x, y) = (try await HeldUse(directory, "x"), try await HeldUse(directory, "y"))
            let first = Task { try await HeldUse(directory, "b") }
            try await eventually { directory.waitingCount == 1 }
            let other = Task { try await directory.notes("c") }
            try await eventually { directory.waitingCount == 2 }
            let second = Task { try await directory.notes("b") }
            try await eventually { directory.waitingCount == 3 }
            try await y.end()
            // "b" stays in use, and "c" has no place; yet the second access to "b" ends.
            let held = try await first.value
            try await #expect(second.value == [])
            #expect(directory.waitingCount == 1)
            try await held.end()
            try await #expect(other.value == [])
            try await x.end()
        }
    }

    /// The time of an exclusive use that passes during an opening is not forgotten.
    @Test func aTimeThatPassesDuringAnOpening() async throws {
        try await TenantTest.run { test in
            let isSlow = Mutex(false)
            let mayOpen = DispatchSemaphore(value: 0)
            var configuration = Configuration()
            configuration.maximumReaderCount = 1
            configuration.prepareDatabase { _ in
                if isSlow.withLock({ value in
                    defer { value = false }; return value
                }) {
                    mayOpen.wait()
                }
            }
            let directory = try test.directory(waitTimeout: .milliseconds(50), configuration: configuration)
            try await directory.create("a")
            isSlow.withLock { $0 = true }
            let use = Task { try await HeldUse(directory, "a") }
            try await eventually { !isSlow.withLock(\.self) }
            let deletion = Task { try await directory.delete("a") }
            try await eventually { directory.waitingCount == 2 }
            // The time of both has passed.
            try await Task.sleep(for: .milliseconds(200))
            mayOpen.signal()
            let held = try await use.value
            await expectError(.inUse, "the database of \"a\" was in use for 0.05 seconds") { try await deletion.value }
            try await #expect(directory.notes("a") == [])
            try await held.end()
            try await directory.delete("a")
            try #expect(test.files == [])
        }
    }

    /// A time of zero also ends, and an access that needs no wait does not notice it.
    @Test func noTime() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(limit: 1, createsMissing: true, waitTimeout: .zero)
            try await #expect(directory.notes("a") == [])
            let use = try await HeldUse(directory, "a")
            for _ in 0..<50 {
                await expectError(
                    .limit,
                    "all 1 databases that may be open were in use for 0.0 seconds: raise `limit`, or use them for a shorter time"
                ) { try await directory.notes("b") }
            }
            #expect(directory.waitingCount == 0)
            try await use.end()
        }
    }

    @Test func connectionsForTheSQLOfStrangers() async throws {
        try await TenantTest.run { test in
            var configuration = Configuration()
            configuration.trust = .untrustedSQL(SQLLimits())
            let directory = try DatabaseDirectory(
                folder: test.folder, configuration: configuration, limit: 10, createsMissing: true)
            try await directory.write("a") { try $0.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1)") }
            try await directory.create("b")
            try await directory.rename("b", to: "c")
            let copy = test.folder + "/copy"
            try await directory.export("a", to: copy)
            try await directory.import("d", from: copy)
            try await #expect(directory.read("d") { try Int.fetchOne($0, sql: "SELECT x FROM t") } == 1)
            try await directory.delete("a")
            await #expect(throws: DatabaseError.self) {
                try await directory.write("d") { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            }
        }
    }
}
