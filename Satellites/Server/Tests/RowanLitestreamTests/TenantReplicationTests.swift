// One Litestream for all tenants: those that are written, created, renamed and deleted while it runs, and restores.

import Foundation
import Logging
import Rowan
import RowanTenants
import ServiceLifecycle
import Testing

@testable import RowanLitestream

@Suite(.litestream)
struct TenantReplicationTests {
    private func migrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("number") { db in
            try db.execute(sql: "CREATE TABLE number (n INTEGER PRIMARY KEY)")
        }
        return migrator
    }

    private func directory(_ site: Site, _ name: String = "tenants", limit: Int = 2) throws -> DatabaseDirectory {
        try DatabaseDirectory(
            folder: site.path(name), configuration: Site.configuration, migrator: migrator(), limit: limit)
    }

    private func replication(_ site: Site, of directory: DatabaseDirectory) -> LitestreamTenants {
        LitestreamTenants(
            replica: site.replica, directory: directory, shutdownTimeout: .seconds(30), logger: site.log.logger,
            interval: .milliseconds(20))
    }

    private func add(_ numbers: ClosedRange<Int>, to tenant: String, of directory: DatabaseDirectory) async throws {
        try await directory.write(tenant) { db in
            for n in numbers { try db.execute(sql: "INSERT INTO number VALUES (?)", arguments: [n]) }
        }
    }

    private func numbers(of tenant: String, in directory: DatabaseDirectory) async throws -> [Int] {
        try await directory.read(tenant) { db in
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
            return try Int.fetchAll(db, sql: "SELECT n FROM number ORDER BY n")
        }
    }

    /// More tenants than may be open are written, created, renamed and deleted, and Litestream is killed. Each restored
    /// database is that of the tenant.
    @Test func tenantsThatChange() async throws {
        let site = try Site()
        let tenants = try directory(site)
        for name in ["acme", "Böse/..", "gone", "old"] { try await tenants.create(name) }
        let replication = replication(site, of: tenants)
        try await site.replicating(replication) {
            try await replication.sync()
            for (index, name) in ["acme", "Böse/..", "gone", "old"].enumerated() {
                try await add(1...(10 + index), to: name, of: tenants)
            }
            try await tenants.create("new")
            try await add(1...20, to: "new", of: tenants)
            try await tenants.rename("old", to: "renamed")
            try await add(100...101, to: "renamed", of: tenants)
            try await tenants.delete("gone")
            try await replication.sync()

            let process = try #require(try await replication.status().processIdentifier)
            kill(process, SIGKILL)
            try await add(30...31, to: "acme", of: tenants)
            try await eventually("Litestream is not started again") {
                try await replication.status().restarts == 1
            }
            // A name that the replica knows from another database.
            try await tenants.create("old")
            try await add(7...8, to: "old", of: tenants)
            try await replication.sync()
            let status = try await replication.status()
            #expect(status.isRunning && status.lastSync != nil)
        }
        let expected = ["Böse/..", "acme", "new", "old", "renamed"]
        try await #expect(site.replica.tenants() == expected.sorted())
        let restored = try directory(site, "restored")
        let outcomes = try await site.replica.restoreMissing(to: restored, integrityCheck: .full)
        #expect(outcomes == Dictionary(uniqueKeysWithValues: expected.map { ($0, .restored) }))
        for name in expected {
            let before = try await numbers(of: name, in: tenants)
            try await #expect(numbers(of: name, in: restored) == before, "\(name)")
            #expect(!before.isEmpty)
        }
        // What exists stays.
        try await #expect(
            site.replica.restoreMissing(to: restored).values.allSatisfy { $0 == .databaseExists })
    }

    /// A new machine continues the replica of another one.
    @Test func goingOnElsewhere() async throws {
        let site = try Site()
        let first = try directory(site)
        try await first.create("acme")
        try await site.replicating(replication(site, of: first)) { [self] in
            try await add(1...3, to: "acme", of: first)
            try await first.create("gone")
        }
        let sending = replication(site, of: first)
        try await site.replicating(sending) { try await sending.sync() }
        let second = try directory(site, "second")
        try await site.replica.restoreMissing(to: second)
        let next = replication(site, of: second)
        try await site.replicating(next) {
            try await add(4...5, to: "acme", of: second)
            try await second.delete("gone")
            try await next.sync()
        }
        let third = try directory(site, "third")
        try await site.replica.restoreMissing(to: third)
        try await #expect(third.tenants() == ["acme"])
        try await #expect(numbers(of: "acme", in: third) == [1, 2, 3, 4, 5])
    }

    /// A tenant is restored, by its name alone, as it was before its deletion.
    @Test func deletedTenant() async throws {
        let site = try Site()
        let tenants = try directory(site)
        try await tenants.create("a%b")
        let replication = replication(site, of: tenants)
        try await site.replicating(replication) {
            try await add(1...3, to: "a%b", of: tenants)
            // The deletion sends what is missing.
            try await eventually("Litestream does not notice the tenant") {
                try await replication.status().isRunning
            }
            try await tenants.delete("a%b")
            try await replication.sync()
            try await #expect(site.replica.tenants() == [])
            let copy = site.path("copy")
            try await site.replica.tenant("a%b").restore(to: copy)
            try await tenants.import("a%b", from: copy)
            try await #expect(numbers(of: "a%b", in: tenants) == [1, 2, 3])
        }
    }

    /// Litestream's files don't appear as tenants, and don't outlive one.
    @Test func files() async throws {
        let site = try Site()
        let tenants = try directory(site)
        try await tenants.create("a")
        try await tenants.create("b")
        let replication = replication(site, of: tenants)
        func files() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: tenants.path).sorted()
        }
        try await site.replicating(replication) {
            try await replication.sync()
            try #expect(files().contains(".a.sqlite-litestream"))
            try await #expect(tenants.tenants() == ["a", "b"])
            try await tenants.delete("a")
            try #expect(!files().contains { $0.contains("a.sqlite") })
        }
        try await tenants.close()
        try #expect(files().contains(".b.sqlite-litestream"))
        let later = try directory(site)
        try await later.rename("b", to: "c")
        try #expect(!files().contains { $0.contains("b.sqlite") })
        try await #expect(later.tenants() == ["c"])
    }

    /// What fails after Litestream has let go of a database has Litestream take it again.
    @Test func failedRename() async throws {
        let site = try Site()
        let tenants = try directory(site)
        for name in ["a", "b"] { try await tenants.create(name) }
        let replication = replication(site, of: tenants)
        try await site.replicating(replication) {
            try await replication.sync()
            await #expect(throws: DatabaseDirectoryError.self) { try await tenants.rename("a", to: "b") }
            try await add(1...2, to: "a", of: tenants)
            try await replication.sync("a")
        }
        try await site.replica.tenant("a").restore(to: site.path("copy"))
        #expect(try RowanLitestreamTests.numbers(at: site.path("copy")) == [1, 2])
    }

    @Test func gracefulShutdownConfirmsTheLastChanges() async throws {
        let site = try Site()
        var replica = site.replica
        // Only the shutdown syncs.
        replica.syncInterval = .seconds(3600)
        let tenants = try directory(site)
        for index in 0..<5 { try await tenants.create("t\(index)") }
        let replication = replica.replication(of: tenants, logger: site.log.logger)
        let group = ServiceGroup(services: [replication, tenants], logger: site.log.logger)
        async let running: Void = group.run()
        try await replication.sync()
        for index in 0..<5 { try await add(1...(index + 1), to: "t\(index)", of: tenants) }
        await group.triggerGracefulShutdown()
        try await running
        let restored = try directory(site, "restored")
        try await replica.restoreMissing(to: restored)
        for index in 0..<5 {
            try await #expect(numbers(of: "t\(index)", in: restored) == Array(1...(index + 1)))
        }
    }

    @Test func asInTheArticle() async throws {
        let site = try Site()
        let (replica, folder, migrator, logger) = (site.replica, site.path("tenants"), migrator(), site.log.logger)
        do {
            let tenants = try directory(site, "before")
            try await tenants.create("acme")
            let replication = replication(site, of: tenants)
            try await site.replicating(replication) { try await replication.sync() }
        }
        var configuration = Configuration()
        configuration.replicatedByLitestream = true
        let tenants = try DatabaseDirectory(folder: folder, configuration: configuration, migrator: migrator)
        // The first start, or a new machine: all tenants of the replica.
        try await replica.restoreMissing(to: tenants)
        let replication = replica.replication(of: tenants, logger: logger)
        let group = ServiceGroup(services: [replication, tenants], logger: logger)
        async let running: Void = group.run()
        try await replication.sync()
        let path = site.path("acme-before.sqlite")
        let date = Date()
        try await replica.tenant("acme").restore(to: path, at: date)
        try await tenants.import("acme-before", from: path)
        try await #expect(tenants.tenants() == ["acme", "acme-before"])
        await group.triggerGracefulShutdown()
        try await running
    }

    @Test func settings() async throws {
        let site = try Site()
        let other = try DatabaseDirectory(folder: site.path("other"))
        let error = await #expect(throws: LitestreamError.self) {
            try await site.replica.replication(of: other).run()
        }
        #expect(error?.kind == .invalidSetting)
        #expect(error?.message.contains("replicatedByLitestream") == true)

        let tenants = try directory(site)
        let replication = replication(site, of: tenants)
        let early = await #expect(throws: LitestreamError.self) {
            try await replication.sync(timeout: .milliseconds(300))
        }
        #expect(early?.kind == .notRunning)
        // No tenants are no error.
        try await site.replicating(replication) {
            try await eventually("Litestream does not run") { try await replication.status().processIdentifier != nil }
            try await replication.sync()
            let second = await #expect(throws: LitestreamError.self) {
                try await site.replica.replication(of: tenants).run()
            }
            #expect(second?.kind == .invalidSetting)
        }
        try await #expect(site.replica.tenants() == [])
        let empty = LitestreamReplica("file://\(site.path("none"))", program: try Litestream.program())
        try await #expect(empty.restoreMissing(to: tenants) == [:])
    }
}

/// What needs no Litestream.
struct TenantCatalogTests {
    @Test(arguments: [
        ("s3://bucket/places", "s3://bucket/places/x"), ("s3://bucket/places/", "s3://bucket/places/x"),
        ("s3://bucket?endpoint=e/f", "s3://bucket/x?endpoint=e/f"), ("file:///a", "file:///a/x"),
    ])
    func urls(_ url: String, _ expected: String) { #expect(LitestreamReplica(url).appending("x") == expected) }

    @Test func urlOfATenant() throws {
        #expect(try LitestreamReplica("s3://b/p").tenant("Acme").url == "s3://b/p/=41cme.sqlite")
    }

    /// A tenant stays listed until the replica has those that it may have become.
    @Test func leavingTenants() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("catalog-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let catalog = try TenantCatalog(folder: folder.path)
        func listed() throws -> [String] { try TenantCatalog.tenants(at: catalog.path) }
        try await catalog.update(present: ["a", "b"], replicated: [])
        try #expect(listed() == ["a", "b"])
        // `a` has become `c`.
        try await catalog.update(present: ["b", "c"], replicated: ["b"])
        try #expect(listed() == ["a", "b", "c"])
        // A new tenant does not keep it listed.
        try await catalog.update(present: ["b", "c", "d"], replicated: ["b", "c"])
        try #expect(listed() == ["b", "c", "d"])
        await #expect(!catalog.isOutdated(["b", "c", "d"]))
        // The awaited tenant disappears.
        try await catalog.update(present: ["b", "e"], replicated: ["b"])
        try await catalog.update(present: ["b"], replicated: ["b"])
        try #expect(listed() == ["b"])
        try await catalog.close()
    }

    @Test func checks() {
        var check = TenantCheck()
        #expect(check.isPending(["a"]))
        #expect(check.next(present: ["a"], listed: ["a"]) == .wait)
        #expect(!check.isPending(["a"]) && check.isPending(["a", "b"]))
        for _ in 0..<TenantCheck.patience { #expect(check.next(present: ["a", "b"], listed: ["a"]) == .wait) }
        #expect(check.next(present: ["a", "b", "c"], listed: ["a"]) == .restart(["b"]))
        for _ in 0..<TenantCheck.patience {
            #expect(check.next(present: ["a", "b", "c"], listed: ["a", "c"]) == .wait)
        }
        #expect(check.next(present: ["a", "b", "c"], listed: ["a", "c"]) == .report(["b"]))
        #expect(check.next(present: ["a", "b", "c"], listed: ["a", "c"]) == .wait)
        #expect(!check.isPending(["a", "b", "c"]))
    }
}
