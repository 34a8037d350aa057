// The Litestream process: supervised, logged, without secrets in its arguments, and never orphaned.

import Foundation
import Logging
import Rowan
import RowanLitestream
import ServiceLifecycle
import Testing

@Suite(.litestream)
struct ReplicationTests {
    private static let name = "one/places.sqlite"

    private func isAlive(_ process: Int32) -> Bool { kill(process, 0) == 0 }

    @Test func statusWhileItRuns() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        var status = try await replication.status()
        #expect(!status.isRunning && status.lastSync == nil && status.lag == nil && status.processIdentifier == nil)
        var process: Int32 = 0
        try await site.replicating(replication) {
            try pool.add(1...10)
            let first = try await replication.sync()
            try pool.add(11...20)
            let second = try await replication.sync()
            #expect(second > first)
            status = try await replication.status()
            process = try #require(status.processIdentifier)
            #expect(isAlive(process))
        }
        #expect(status.isRunning)
        #expect(status.version?.isEmpty == false)
        #expect(status.restarts == 0)
        // In seconds, because it has just synced.
        #expect(try #require(status.lag) < .seconds(60))
        #expect(!isAlive(process))
        #expect(try await !replication.status().isRunning)
        #expect(site.log.entries.contains { $0.level == .debug && $0.message == "replicating to" })
    }

    @Test func startsAgain() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        try await site.replicating(replication) {
            try await replication.sync()
            for count in 1...2 {
                let process = try #require(try await replication.status().processIdentifier)
                kill(process, SIGKILL)
                try await eventually("Litestream is not started again") {
                    try await replication.status().restarts == count
                }
                try pool.add(count...count)
                try await replication.sync()
            }
        }
        #expect(site.log.entries.filter { $0.level == .error && $0.message.contains("has ended") }.count == 2)
        try await site.replica.restore(to: site.path("two.sqlite"))
        #expect(try numbers(at: site.path("two.sqlite")) == [1, 2])
    }

    /// A secret is only in the environment of the process.
    @Test func secrets() async throws {
        let secret = "correct-horse-battery"
        let site = try Site(environment: ["LITESTREAM_SECRET_ACCESS_KEY": secret])
        _ = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        try await site.replicating(replication) {
            try await replication.sync()
            let process = try #require(try await replication.status().processIdentifier)
            func content(_ file: String) throws -> String {
                String(decoding: try Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/\(file)")), as: UTF8.self)
            }
            let arguments = try content("cmdline").split(separator: "\0").map(String.init)
            #expect(arguments.contains("replicate"))
            #expect(!arguments.joined(separator: " ").contains(secret))
            // The URL may contain a password.
            #expect(!arguments.joined(separator: " ").contains("file://"))
            let file = try String(contentsOfFile: try #require(arguments.last), encoding: .utf8)
            #expect(!file.contains(secret) && !file.contains("file://"))
            let environment = try content("environ").split(separator: "\0")
            #expect(environment.contains { $0 == "LITESTREAM_SECRET_ACCESS_KEY=\(secret)" })
        }
        #expect(!site.log.entries.contains { "\($0)".contains(secret) })
    }

    /// The files of the process are deleted when it exits.
    @Test func removesItsFiles() async throws {
        let site = try Site()
        _ = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        var file = ""
        try await site.replicating(replication) {
            try await replication.sync()
            let process = try #require(try await replication.status().processIdentifier)
            let arguments = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/cmdline"))
            file = String(decoding: arguments, as: UTF8.self).split(separator: "\0").last.map(String.init) ?? ""
            #expect(FileManager.default.fileExists(atPath: file))
        }
        #expect(!FileManager.default.fileExists(atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path))
    }

    @Test func gracefulShutdownConfirmsTheLastChanges() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        // Only the shutdown syncs.
        var replica = site.replica
        replica.syncInterval = .seconds(3600)
        let replication = replica.replication(of: site.path(Self.name), logger: site.log.logger)
        let group = ServiceGroup(services: [replication], logger: site.log.logger)
        async let running: Void = group.run()
        try await replication.sync()
        let process = try #require(try await replication.status().processIdentifier)
        try pool.add(1...100)
        await group.triggerGracefulShutdown()
        try await running
        #expect(!isAlive(process))
        try await replica.restore(to: site.path("two.sqlite"))
        #expect(try numbers(at: site.path("two.sqlite")) == Array(1...100))
        // It can run again.
        try await site.replicating(replication) {
            try await eventually("It does not run again") { try await replication.status().isRunning }
            try await replication.sync()
        }
    }

    /// Without the storage, the shutdown finishes in time, and reports what is not confirmed.
    @Test func shutdownWithoutTheStorage() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        let replication = site.replication(of: Self.name, shutdownTimeout: .seconds(2))
        let group = ServiceGroup(services: [replication], logger: site.log.logger)
        let running = Task { try await group.run() }
        try await replication.sync()
        let process = try #require(try await replication.status().processIdentifier)
        try FileManager.default.removeItem(atPath: site.path("replica"))
        try Data().write(to: URL(fileURLWithPath: site.path("replica")))
        try pool.add(1...100)
        let error = await #expect(throws: LitestreamError.self) { try await replication.sync(timeout: .seconds(1)) }
        #expect(error?.kind == .notAcknowledged)
        await group.triggerGracefulShutdown()
        let end = await #expect(throws: LitestreamError.self) { try await running.value }
        #expect(end?.kind == .notAcknowledged)
        #expect(!isAlive(process))
    }

    @Test func syncWithoutLitestream() async throws {
        let site = try Site()
        _ = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        let error = await #expect(throws: LitestreamError.self) {
            try await replication.sync(timeout: .milliseconds(300))
        }
        #expect(error?.kind == .notRunning)
        #expect(error?.message.contains("ServiceGroup") == true)
    }

    /// A configuration that Litestream can't use ends the service immediately, with Litestream's reason.
    @Test func unusableURL() async throws {
        let site = try Site()
        _ = try site.open(Self.name)
        func error(_ url: String) async throws -> LitestreamError? {
            let replica = LitestreamReplica(url, program: try Litestream.program())
            return await #expect(throws: LitestreamError.self) {
                try await replica.replication(of: site.path(Self.name), logger: site.log.logger).run()
            }
        }
        let noBucket = try await error("s3://")
        #expect(noBucket?.kind == .commandFailed)
        #expect(noBucket?.message.contains("bucket required") == true)
        // Litestream would interpret these as paths.
        for url in ["carrier-pigeon://roof", "/backup/places", ""] {
            let unknown = try await error(url)
            #expect(unknown?.kind == .invalidSetting)
            #expect(unknown?.message.contains("s3://") == true)
        }
    }

    /// Litestream would silently create and replicate `one/places`.
    @Test(arguments: ["one/places?1.sqlite", "one/places%31.sqlite", "one/places#1.sqlite"])
    func unusablePath(_ name: String) async throws {
        let site = try Site()
        _ = try site.open(name)
        let error = await #expect(throws: LitestreamError.self) { try await site.replication(of: name).run() }
        #expect(error?.kind == .invalidSetting)
        #expect(error?.message.contains("rename it") == true)
    }

    @Test func runsOnceAtATime() async throws {
        let site = try Site()
        _ = try site.open(Self.name)
        let replication = site.replication(of: Self.name)
        try await site.replicating(replication) {
            try await replication.sync()
            let error = await #expect(throws: LitestreamError.self) { try await replication.run() }
            #expect(error?.kind == .invalidSetting)
            // The first one continues.
            try await replication.sync()
        }
    }

    /// If the replicating process is killed, Litestream sends the rest and exits.
    @Test func neverOutlivesItsParent() async throws {
        let site = try Site()
        let folder = site.folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
            let path = "\(folder)/one.sqlite"
            let pool = try DatabasePool(path: path, configuration: Site.configuration)
            try await pool.write { try $0.execute(sql: "CREATE TABLE number (n INTEGER PRIMARY KEY)") }
            var replica = LitestreamReplica("file://\(folder)/replica", program: try Litestream.program())
            replica.syncInterval = .seconds(3600)
            let replication = replica.replication(of: path)
            let task = Task { try await replication.run() }
            try await replication.sync()
            let process = try #require(try await replication.status().processIdentifier)
            try Data("\(process)".utf8).write(to: URL(fileURLWithPath: "\(folder)/process"))
            try pool.add(1...100)
            kill(getpid(), SIGKILL)
            try await task.value
        }
        let process = try #require(Int32(try String(contentsOfFile: site.path("process"), encoding: .utf8)))
        try await eventually("Litestream \(process) is an orphan") { !isAlive(process) }
        try await site.replica.restore(to: site.path("two.sqlite"))
        #expect(try numbers(at: site.path("two.sqlite")) == Array(1...100))
    }

    /// A Litestream run by another program.
    @Test func external() async throws {
        let site = try Site()
        let pool = try site.open(Self.name)
        let socket = site.path("s")
        try Data(
            """
            socket: {enabled: true, path: \(socket)}
            dbs: [{path: \(site.path(Self.name)), replica: {url: \(site.replica.url), sync-interval: 1h}}]
            """.utf8
        ).write(to: URL(fileURLWithPath: site.path("c.yml")))
        let litestream = Process()
        litestream.executableURL = URL(fileURLWithPath: try #require(Litestream.path))
        litestream.arguments = ["replicate", "-config", site.path("c.yml")]
        litestream.standardOutput = FileHandle.nullDevice
        try litestream.run()
        defer {
            litestream.terminate()
            litestream.waitUntilExit()
        }
        let replication = site.replica.replication(
            of: site.path(Self.name), mode: .external(socket: socket), logger: site.log.logger)
        try pool.add(1...10)
        try await replication.sync()
        #expect(try await replication.status().processIdentifier == litestream.processIdentifier)

        let group = ServiceGroup(services: [replication], logger: site.log.logger)
        async let running: Void = group.run()
        try pool.add(11...20)
        await group.triggerGracefulShutdown()
        try await running
        // The other program still runs it.
        #expect(litestream.isRunning)
        try await site.replica.restore(to: site.path("two.sqlite"))
        #expect(try numbers(at: site.path("two.sqlite")) == Array(1...20))
    }
}
