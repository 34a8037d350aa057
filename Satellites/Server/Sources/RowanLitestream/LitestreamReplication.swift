// The replication of one database: a service that runs Litestream, or that uses a Litestream run by another program.

import Foundation
public import Logging
public import ServiceLifecycle
import Subprocess
import Synchronization

extension LitestreamReplica {
    /// The replication of a database to this replica.
    ///
    /// ```swift
    /// let replication = replica.replication(of: "/data/places.sqlite", logger: logger)
    /// try await ServiceGroup(services: [replication, server], logger: logger).run()
    /// ```
    ///
    /// Nothing runs before ``LitestreamReplication/run()``.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - mode: How Litestream is run; by default, by ``LitestreamReplication/run()``.
    ///   - shutdownTimeout: How long a graceful shutdown waits for the replica to confirm the last changes.
    ///   - logger: Receives the lines that Litestream logs, with their levels.
    public func replication(
        of path: String, mode: LitestreamReplication.Mode = .supervised, shutdownTimeout: Duration = .seconds(10),
        logger: Logger = Logger(label: "litestream")
    ) -> LitestreamReplication {
        LitestreamReplication(
            replica: self, path: URL(fileURLWithPath: path).path, mode: mode, shutdownTimeout: shutdownTimeout,
            logger: logger)
    }
}

/// The replication of a database, as a service.
///
/// ```swift
/// let replication = replica.replication(of: path, logger: logger)
///
/// // The service runs Litestream until the shutdown, syncs, and ends Litestream.
/// let group = ServiceGroup(services: [replication, server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
///
/// // Elsewhere: what was committed before this call is on the replica after it.
/// try await replication.sync()
/// ```
///
/// A service group stops its services in reverse order: list the replication before the services that write.
public final class LitestreamReplication: Service, Sendable {
    /// How Litestream is run.
    public enum Mode: Sendable, Hashable {
        /// By ``LitestreamReplication/run()``, which starts it, restarts it if it dies, and stops it.
        case supervised
        /// By another program, such as systemd. Litestream's configuration enables its control socket at this path.
        case external(socket: String)

        /// By another program, with Litestream's default socket.
        public static let external = Mode.external(socket: "/var/run/litestream.sock")
    }

    package let replica: LitestreamReplica
    package let path: String
    let mode: Mode
    let shutdownTimeout: Duration
    let logger: Logger
    let state = Mutex(State())

    struct State {
        /// The files of the Litestream that runs, or will run again.
        var file: ConfigurationFile?
        var hasEnded = false
        var starts = 0
        var process: Int32?
    }

    init(replica: LitestreamReplica, path: String, mode: Mode, shutdownTimeout: Duration, logger: Logger) {
        self.replica = replica
        self.path = path
        self.mode = mode
        self.shutdownTimeout = shutdownTimeout
        self.logger = logger
    }

    /// Replicates until the graceful shutdown of the service group, or until the task is cancelled.
    ///
    /// ```swift
    /// try await ServiceGroup(services: [replication, server], logger: logger).run()
    /// ```
    ///
    /// If Litestream dies, it is restarted: after half a second, then after twice the time, up to thirty seconds. If
    /// this process dies, even of SIGKILL, Litestream sends the last changes and also exits.
    ///
    /// Where Litestream has not replicated the database before, `run()` first queries the replica for its newest
    /// transactions. If a machine was lost just after it had sent a snapshot, it repairs the replica, which sends a
    /// copy of the database.
    ///
    /// On graceful shutdown, `run()` waits until the replica has confirmed all commits, for at most the shutdown
    /// timeout, and stops Litestream. If the task is cancelled, it stops Litestream without waiting for a confirmation.
    ///
    /// - Throws: ``LitestreamError`` if the program is missing or exits at its first start because of its settings, if
    ///   the replica can't be queried, or if the replica has not confirmed the last changes at shutdown.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            if mode == .supervised {
                let file = try start()
                group.addTask { try await self.supervise(file) }
            }
            group.addTask { try await gracefulShutdown() }
            defer { didEnd() }
            do {
                try await group.next()
            } catch is CancellationError {
                return try await end(&group)
            }
            logger.info("waiting for the replica to confirm the last changes")
            let result = await Result { try await self.sync(timeout: self.shutdownTimeout) }
            try await end(&group)
            switch result {
            case .success(let transaction):
                logger.info("the replica has all changes", metadata: ["transaction": "\(transaction)"])
            case .failure(let error):
                logger.error("the replica may lack the last changes: \(error)")
                throw error
            }
        }
    }

    private func start() throws -> ConfigurationFile {
        // Before anything starts.
        _ = try replica.program.resolvedPath()
        let file = try ConfigurationFile(replica: replica, database: path, shutdownTimeout: shutdownTimeout)
        let isFirst = state.withLock { state in
            guard state.file == nil else { return false }
            state = State(file: file)
            return true
        }
        guard isFirst else {
            file.remove()
            throw LitestreamError(.invalidSetting, "run() already replicates \(path): call it once at a time")
        }
        return file
    }

    private func end(_ group: inout ThrowingTaskGroup<Void, any Error>) async throws {
        group.cancelAll()
        while let result = await group.nextResult() {
            if case .failure(let error) = result, !(error is CancellationError) { throw error }
        }
    }

    private func didEnd() {
        let file = state.withLock { state in
            defer { state = State(hasEnded: true) }
            return state.file
        }
        file?.remove()
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
