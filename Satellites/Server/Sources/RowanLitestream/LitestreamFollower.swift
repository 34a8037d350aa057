// A copy of the database on another machine, which follows the replica: for reads that scale and may be seconds old.

import Foundation
public import Logging
public import Rowan
public import ServiceLifecycle
import Subprocess
import Synchronization

#if canImport(System)
import System
#else
import SystemPackage
#endif

extension LitestreamReplica {
    /// A copy that follows this replica, for reads on another machine.
    ///
    /// ```swift
    /// let follower = replica.follower(at: "/data/places-copy.sqlite", logger: logger)
    /// async let running: Void = follower.run()
    /// let pool = try await follower.openPool()
    /// let places = try await pool.read { db in try Place.fetchAll(db) }
    /// ```
    ///
    /// Nothing runs before ``LitestreamFollower/run()``.
    ///
    /// - Parameters:
    ///   - path: The path of the copy, which belongs to the follower: it is restored at each start.
    ///   - interval: The interval at which the follower polls the replica for changes.
    ///   - logger: Receives the lines that Litestream logs.
    public func follower(
        at path: String, interval: Duration = .seconds(1), logger: Logger = Logger(label: "litestream")
    ) -> LitestreamFollower {
        LitestreamFollower(replica: self, path: URL(fileURLWithPath: path).path, interval: interval, logger: logger)
    }
}

/// A copy of a database that follows a replica (`litestream restore -f`), for reads.
///
/// ```swift
/// let follower = replica.follower(at: path, logger: logger)
/// let group = ServiceGroup(services: [follower, server], logger: logger)
/// ```
///
/// Reads see whole commits, delayed by the ``LitestreamReplica/syncInterval`` of the writing server and the interval of
/// the follower. Limitations of Litestream 0.5.17:
///
/// - Each start restores the whole database: Litestream can't continue with an existing copy.
/// - The part of a database above two gigabytes may be outdated: SQLite maps no more into memory, and pages in its
///   cache don't reflect what Litestream writes.
/// - Observations of other processes miss commits that change neither the schema nor the number of pages. Fetch at
///   intervals instead.
/// - A follower that was disconnected from the replica for longer than ``LitestreamReplica/detailedRetention`` may stop
///   advancing without an error (Litestream's issue 1515). Restart the service.
///
/// Source: <https://litestream.io/reference/restore/>
public final class LitestreamFollower: Service, Sendable {
    private let replica: LitestreamReplica
    private let path: String
    private let interval: Duration
    private let logger: Logger
    private let isReady = Mutex(false)

    init(replica: LitestreamReplica, path: String, interval: Duration, logger: Logger) {
        self.replica = replica
        self.path = path
        self.interval = interval
        self.logger = logger
    }

    /// The configuration of connections that read the copy.
    ///
    /// They reject writes, wait while Litestream applies changes, and read through mapped memory: a page cache would
    /// miss what Litestream writes.
    public static var configuration: Rowan.Configuration {
        var configuration = Rowan.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        // SQLite limits it to its build-time maximum: two gigabytes.
        configuration.mmapSize = 0x7fff_0000
        return configuration
    }

    /// Waits until the copy exists and opens it.
    ///
    /// ```swift
    /// let pool = try await follower.openPool()
    /// ```
    ///
    /// - Parameter timeout: The maximum time to wait for ``run()`` to restore the database.
    /// - Throws: ``LitestreamError/Kind/notRunning`` after the timeout, ``LitestreamError/Kind/invalidSetting`` if
    ///   SQLite is built without memory mapping, and database errors.
    public func openPool(timeout: Duration = .seconds(300)) async throws -> DatabasePool {
        let deadline = ContinuousClock.now + timeout
        while !isReady.withLock({ $0 }) {
            guard ContinuousClock.now < deadline else {
                throw LitestreamError(
                    .notRunning, "there is no copy at \(path) yet: run the follower, and see what Litestream logs")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        let pool = try DatabasePool(path: path, configuration: Self.configuration)
        let mapped = try await pool.read { db in try Int.fetchOne(db, sql: "PRAGMA mmap_size") }
        guard mapped ?? 0 > 0 else {
            throw LitestreamError(
                .invalidSetting, "this SQLite is built without memory mapping, which reads of a followed copy need")
        }
        return pool
    }

    /// Restores the copy and follows the replica until the graceful shutdown or until the task is cancelled.
    ///
    /// ```swift
    /// try await ServiceGroup(services: [follower, server], logger: logger).run()
    /// ```
    ///
    /// - Throws: ``LitestreamError/Kind/databaseExists`` if there is a database at the path that no follower has
    ///   restored; ``LitestreamError/Kind/commandFailed`` if Litestream exits. Connections are then outdated: restart
    ///   the program.
    public func run() async throws {
        try removeCopy()
        let file = try ConfigurationFile(replica: replica, database: path)
        defer {
            file.remove()
            isReady.withLock { $0 = false }
        }
        try await cancelWhenGracefulShutdown {
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await self.follow(file) }
                    group.addTask { try await self.prepare() }
                    while try await group.next() != nil {}
                }
            } catch is CancellationError {}
        }
    }

    /// Removes the copy of an earlier start.
    private func removeCopy() throws {
        let manager = FileManager.default
        guard manager.fileExists(atPath: path) else { return }
        guard manager.fileExists(atPath: path + "-txid") else {
            throw LitestreamError(
                .databaseExists, "\(path) is not a copy that Litestream follows: choose another path for the copy")
        }
        for suffix in ["", "-wal", "-shm", "-journal", "-txid"] where manager.fileExists(atPath: path + suffix) {
            try manager.removeItem(atPath: path + suffix)
        }
    }

    /// Runs Litestream, which exits only because of an error or a cancellation.
    private func follow(_ file: ConfigurationFile) async throws {
        var last = ""
        let milliseconds = max(1, interval.milliseconds)
        let status = try await Subprocess.run(
            .path("/bin/sh"),
            arguments: [
                "-c", Self.script, "sh", try replica.program.resolvedPath(), "restore", "-config", file.path, "-f",
                "-follow-interval", "\(milliseconds)ms", "-o", path, path,
            ],
            environment: .inherit.updating(litestream: file.environment), platformOptions: .ownGroup,
            input: .inputWriter, output: .sequence, error: .combinedWithOutput
        ) { execution in
            for try await line in execution.standardOutput.strings(bufferingPolicy: .unbounded) where !line.isEmpty {
                last = line
                LogLine(line).log(to: logger)
            }
            try await execution.standardInputWriter.finish()
        }.terminationStatus
        try Task.checkCancellation()
        throw LitestreamError(.commandFailed, "litestream restore -f has ended (\(status)): \(last)")
    }

    // `restore` has no `exec`, so the shell waits for both Litestream and this process to exit.
    private static let script = """
        exec 3<&0
        "$@" 3<&- & child=$!
        (cat <&3 >/dev/null 2>&1; kill $child 2>/dev/null) >/dev/null 2>&1 &
        trap 'kill $child' TERM
        wait $child
        code=$?
        wait $child 2>/dev/null
        exit $code
        """

    /// Takes the copy out of WAL mode as soon as it exists: connections in WAL mode hold a lock while they are open,
    /// and Litestream would wait for them indefinitely.
    private func prepare() async throws {
        while !FileManager.default.fileExists(atPath: path + "-txid") { try await Task.sleep(for: .milliseconds(20)) }
        while true {
            do {
                let queue = try DatabaseQueue(path: path)
                try await queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = DELETE") }
                try queue.close()
                break
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // Litestream is applying changes.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        isReady.withLock { $0 = true }
    }
}
