// The replication of all databases of a directory by one Litestream.
//
// Litestream watches the folder for files that appear and disappear. It keeps a lock on each database, so it is asked
// to close one that is deleted or renamed.

import Foundation
public import Logging
import Rowan
public import RowanTenants
public import ServiceLifecycle
import Synchronization

extension LitestreamReplica {
    /// The replication of all databases of a directory to this replica.
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.replicatedByLitestream = true
    /// let tenants = try DatabaseDirectory(folder: "/data/tenants", configuration: configuration, migrator: migrator)
    /// try await replica.restoreMissing(to: tenants)
    ///
    /// let replication = replica.replication(of: tenants, logger: logger)
    /// try await ServiceGroup(services: [replication, tenants, server], logger: logger).run()
    /// ```
    ///
    /// Nothing runs before ``LitestreamTenants/run()``.
    ///
    /// - Parameters:
    ///   - directory: The directory, whose configuration must have `replicatedByLitestream`.
    ///   - shutdownTimeout: How long a graceful shutdown waits for the replica to confirm the last changes.
    ///   - logger: Receives the lines that Litestream logs, with their levels.
    public func replication(
        of directory: DatabaseDirectory, shutdownTimeout: Duration = .seconds(30),
        logger: Logger = Logger(label: "litestream")
    ) -> LitestreamTenants {
        LitestreamTenants(replica: self, directory: directory, shutdownTimeout: shutdownTimeout, logger: logger)
    }
}

/// The replication of all databases of a `DatabaseDirectory`, as a service with one Litestream process.
///
/// ```swift
/// let replication = replica.replication(of: tenants, logger: logger)
/// try await ServiceGroup(services: [replication, tenants, server], logger: logger).run()
/// ```
///
/// Tenants may be created, renamed and deleted while it runs, and other processes may create and use them. Only the
/// process that replicates can rename and delete tenants: for others, they are in use.
///
/// Each tenant has a replica of its own below the URL, ``LitestreamReplica/tenant(_:)``, which stays when the tenant is
/// deleted or renamed. Its new name gets a new replica; a new tenant with an old name continues the replica of that
/// name, where a restore at a date finds the old one.
///
/// A service group stops its services in reverse order: list the replication before the directory.
public final class LitestreamTenants: Service, Sendable {
    let replica: LitestreamReplica
    let directory: DatabaseDirectory
    let daemon: LitestreamDaemon
    /// The catalog, while `run()` runs.
    let catalog = Mutex<TenantCatalog?>(nil)
    /// How often the names of the tenants are read.
    let interval: Duration

    init(
        replica: LitestreamReplica, directory: DatabaseDirectory, shutdownTimeout: Duration, logger: Logger,
        interval: Duration = .seconds(1)
    ) {
        self.replica = replica
        self.directory = directory
        self.interval = interval
        daemon = LitestreamDaemon(
            replica: replica, mode: .supervised, shutdownTimeout: shutdownTimeout, logger: logger)
    }

    /// Replicates until the graceful shutdown of the service group, or until the task is cancelled.
    ///
    /// ```swift
    /// try await ServiceGroup(services: [replication, tenants, server], logger: logger).run()
    /// ```
    ///
    /// Litestream is restarted and stopped as by ``LitestreamReplication/run()``, and the last changes of all tenants
    /// are confirmed at a graceful shutdown.
    ///
    /// - Throws: ``LitestreamError`` for the reasons of ``LitestreamReplication/run()``, and of the kind
    ///   ``LitestreamError/Kind/invalidSetting`` if the directory has another configuration or replication.
    public func run() async throws {
        guard directory.configuration.replicatedByLitestream else {
            throw LitestreamError(
                .invalidSetting,
                "the directory \(directory.path) is not configured for Litestream: set "
                    + "`configuration.replicatedByLitestream = true` when you create it")
        }
        guard directory.attach(self) else {
            throw LitestreamError(.invalidSetting, "the directory \(directory.path) is already replicated")
        }
        defer { directory.detachReplicator() }
        let catalog = try TenantCatalog(folder: directory.path)
        self.catalog.withLock { $0 = catalog }
        let result = await Result { try await run(catalog) }
        self.catalog.withLock { $0 = nil }
        try await catalog.close()
        try result.get()
    }

    private func run(_ catalog: TenantCatalog) async throws {
        let source = ConfigurationFile.Source.tenants(
            folder: directory.path, catalog: catalog.path, catalogURL: TenantCatalog.url(of: replica))
        try await daemon.run(source, named: directory.path) {
            try await self.goOnAfterSnapshots(catalog)
        } watching: {
            try await self.watch(catalog)
        } confirming: { timeout in
            try await self.sync(timeout: timeout)
            return [:]
        }
    }

    /// Sends everything committed to all tenants before this call to the replica, and returns when the replica has
    /// confirmed it.
    ///
    /// A call costs a process and a request to the storage for each tenant, four at a time.
    ///
    /// - Parameter timeout: The maximum total time to wait.
    /// - Throws: The errors of ``LitestreamReplication/sync(timeout:)``.
    public func sync(timeout: Duration = .seconds(30)) async throws {
        let deadline = ContinuousClock.now + timeout
        let catalog = try await startedCatalog(until: deadline)
        let names = try await directory.tenants()
        let results = await names.mapConcurrently(4) { name in
            await Result { try await self.syncExisting(name, until: deadline) }
        }
        for result in results { _ = try result.get() }
        try await catalog.update(present: Set(try await directory.tenants()), replicated: Set(names))
        _ = try await daemon.sync(catalog.path, timeout: ContinuousClock.now.duration(to: deadline))
    }

    /// Sends everything committed to one tenant before this call to the replica, and returns when the replica has
    /// confirmed it.
    ///
    /// ```swift
    /// try await tenants.write("acme") { db in try order.insert(db) }
    /// try await replication.sync("acme")
    /// ```
    ///
    /// - Parameters:
    ///   - tenant: The tenant.
    ///   - timeout: The maximum total time to wait.
    /// - Throws: The errors of ``LitestreamReplication/sync(timeout:)``; a `DatabaseDirectoryError` of the code `name`.
    public func sync(_ tenant: String, timeout: Duration = .seconds(30)) async throws {
        _ = try await daemon.sync(directory.file(of: tenant), timeout: timeout)
    }

    /// The catalog, once `run()` has opened it.
    private func startedCatalog(until deadline: ContinuousClock.Instant) async throws -> TenantCatalog {
        while true {
            if let catalog = catalog.withLock(\.self) { return catalog }
            guard ContinuousClock.now + .milliseconds(100) < deadline, !daemon.state.withLock(\.hasEnded) else {
                throw LitestreamError(
                    .notRunning, "run() does not run: add the replication to the services of a ServiceGroup")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func syncExisting(_ tenant: String, until deadline: ContinuousClock.Instant) async throws {
        do { try await sync(tenant, timeout: ContinuousClock.now.duration(to: deadline)) } catch {
            // A tenant that was deleted or renamed meanwhile is confirmed by then.
            guard try !directory.contains(tenant) else { throw error }
        }
    }

    /// Whether Litestream runs and replicates all tenants, and how far the replica may be behind for any of them.
    ///
    /// ```swift
    /// let status = try await replication.status()
    /// guard status.isRunning, status.lag ?? .zero < .seconds(60) else { return .serviceUnavailable }
    /// ```
    ///
    /// - Throws: ``LitestreamError`` if the program is missing or its response can't be read, and a
    ///   `DatabaseDirectoryError`. If Litestream does not run, no error is thrown.
    public func status() async throws -> LitestreamStatus {
        try await daemon.status(of: try await directory.tenants().map { try directory.file(of: $0) })
    }
}

// MARK: Files that move

extension LitestreamTenants: TenantReplicator {
    private static let releaseTimeout = Duration.seconds(5)

    package func release(_ file: String) async -> String? {
        do {
            // Litestream's own last sync leaves out a database that it has just noticed.
            _ = try await daemon.sync(file, timeout: Self.releaseTimeout)
        } catch {
            daemon.logger.warning("the replica may lack the last changes of \(file), which is closed: \(error)")
        }
        do {
            let seconds = "\(Self.releaseTimeout.components.seconds)"
            try await daemon.command(["stop", "-timeout", seconds], file)
            return nil
        } catch let error as LitestreamError where error.kind == .notRunning {
            return nil
        } catch {
            return "\(error)"
        }
    }

    package func resume(_ file: String) async {
        // The task of the caller may be cancelled.
        let result = await Task { await Result { try await daemon.command(["start"], file) } }.value
        if case .failure(let error) = result {
            daemon.logger.error("Litestream does not replicate \(file) again: \(error)")
        }
    }
}
