// The replication of one database: a service that runs Litestream, or that uses a Litestream run by another program.

import Foundation
public import Logging
public import ServiceLifecycle

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
    ///   - logger: Receives the lines that Litestream logs: warnings and errors with their levels, others as `debug`.
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

    package let path: String
    let daemon: LitestreamDaemon
    package var replica: LitestreamReplica { daemon.replica }

    init(replica: LitestreamReplica, path: String, mode: Mode, shutdownTimeout: Duration, logger: Logger) {
        self.path = path
        daemon = LitestreamDaemon(replica: replica, mode: mode, shutdownTimeout: shutdownTimeout, logger: logger)
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
        try await daemon.run(.database(path), named: path) {
            try await self.replica.goOnAfterSnapshots(of: self.path, self.daemon.logger)
        } confirming: { timeout in
            ["transaction": "\(try await self.sync(timeout: timeout))"]
        }
    }
}
