// The replication of one database: a service that runs Litestream, or one beside a Litestream that something else runs.

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
    ///   - mode: Who runs Litestream: ``LitestreamReplication/run()`` by default.
    ///   - shutdownTimeout: How long a graceful shutdown waits for the replica to confirm the last changes.
    ///   - logger: Gets the lines that Litestream logs, with their levels.
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
/// A service group ends its services in the opposite order: list the replication before the services that write.
public final class LitestreamReplication: Service, Sendable {
    /// Who runs Litestream.
    public enum Mode: Sendable, Hashable {
        /// ``LitestreamReplication/run()`` starts it, starts it again when it dies, and ends it.
        case supervised
        /// Another program, such as systemd. The configuration of Litestream enables its control socket, at this path.
        case external(socket: String)

        /// Another program, with the socket where Litestream puts it by default.
        public static let external = Mode.external(socket: "/var/run/litestream.sock")
    }

    let replica: LitestreamReplica
    let path: String
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
    /// If Litestream dies, it is started again: after half a second, then after twice the time, up to thirty seconds. If
    /// this process dies, even of SIGKILL, Litestream sends the last changes and ends, too.
    ///
    /// Where Litestream has not replicated the database before, `run()` first asks the replica for its newest transactions.
    /// If a machine was lost just after it had sent a snapshot, it brings the replica into order, which sends a copy of the
    /// database.
    ///
    /// At the graceful shutdown, `run()` waits until the replica has confirmed all commits, for at most the shutdown
    /// timeout, and ends Litestream. If the task is cancelled, it ends Litestream without waiting for a confirmation.
    ///
    /// - Throws: ``LitestreamError``: if the program is missing, or ends at its first start because of its settings,
    ///   if the replica can't be asked, or if the replica has not confirmed the last changes at the shutdown.
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
