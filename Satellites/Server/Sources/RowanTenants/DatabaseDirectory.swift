// One database per tenant.

import Dispatch
public import Logging
public import Metrics
public import Rowan
public import ServiceLifecycle
import Synchronization

/// A folder with one database per tenant, each opened and migrated when it is first used.
///
/// ```swift
/// let tenants = try DatabaseDirectory(folder: "/data/tenants", migrator: migrator, limit: 200)
/// try await tenants.create("acme")
/// let invoices = try await tenants.read("acme") { db in try Invoice.fetchAll(db) }
/// ```
///
/// At most ``limit`` databases are open. When another one is needed, the least recently used is closed, after its value
/// observations have ended; one that is in use stays open, and others wait. Concurrent callers open a database once.
///
/// The name of a tenant is any text of up to 200 bytes. The folder has a file for each, `acme.sqlite`; other bytes than
/// lowercase letters, digits, `-` and `_` are escaped in its name, and count three times, so that no name leaves the
/// folder. Several processes may share the folder.
///
/// As a service of swift-service-lifecycle, it closes the databases when the program shuts down: list it before the
/// services that use it.
public final class DatabaseDirectory: Service {
    /// The maximum number of open databases.
    public let limit: Int
    /// The path of the folder.
    public var path: String { folder.path }

    let folder: TenantFolder
    private let cache: TenantCache
    private let createsMissing: Bool
    private let logger: Logger
    private let metrics: DirectoryMetrics
    private let replicator = Mutex<(any TenantReplicator)?>(nil)

    /// Creates a directory, and its folder unless it exists. Removes what processes have left that were killed.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder, which belongs to the directory.
    ///   - configuration: the configuration of all databases. Its label, which instruments report, is `tenants` by
    ///     default.
    ///   - migrator: the migrations of all databases; nil if there are none.
    ///   - limit: the maximum number of open databases. Each needs three file descriptors, and two more for each
    ///     concurrent read.
    ///   - createsMissing: whether the first use creates the database of a tenant. By default it is an error.
    ///   - waitTimeout: how long an access waits for a place, or for a database that is deleted or renamed.
    ///   - logger: logs the errors of closing.
    ///   - metricsFactory: the metrics system; nil for that of the program.
    /// - Throws: a ``DatabaseDirectoryError`` of the code `folder`.
    public init(
        folder: String, configuration: Configuration = Configuration(), migrator: DatabaseMigrator? = nil,
        limit: Int = 100, createsMissing: Bool = false, waitTimeout: Duration = .seconds(30),
        logger: Logger = Logger(label: "Rowan"), metricsFactory: (any MetricsFactory)? = nil
    ) throws {
        var configuration = configuration
        configuration.label = configuration.label ?? "tenants"
        self.folder = try TenantFolder(folder, configuration, migrator)
        self.limit = max(limit, 1)
        cache = TenantCache(limit: limit, waitTimeout: waitTimeout)
        (self.createsMissing, self.logger) = (createsMissing, logger)
        metrics = DirectoryMetrics(metricsFactory)
    }

    // MARK: Accesses

    /// Reads the database of a tenant, in a transaction.
    ///
    /// - Throws: a ``DatabaseDirectoryError``: `missing`, `name`, `limit` or `closed`; the errors of opening and
    ///   migrating; the error of the closure; a `CancellationError`.
    @inlinable
    public func read<T: Sendable>(_ tenant: String, _ value: @Sendable (Database) throws -> T) async throws -> T {
        let use = try await begin(tenant)
        defer { end(use) }
        return try await use.pool.read(value)
    }

    /// Writes to the database of a tenant, in a transaction.
    ///
    /// - Throws: the same as ``read(_:_:)``.
    @inlinable
    public func write<T: Sendable>(_ tenant: String, _ updates: @Sendable (Database) throws -> T) async throws -> T {
        let use = try await begin(tenant)
        defer { end(use) }
        return try await use.pool.write(updates)
    }

    /// Uses the database of a tenant. It stays open until the closure returns.
    ///
    /// ```swift
    /// try await tenants.withPool("acme") { pool in
    ///     for try await count in observation.values(in: pool) { … }
    /// }
    /// ```
    ///
    /// Don't use the database of another tenant meanwhile: if all places are used by accesses that wait for another
    /// one, they end with an error after a while.
    ///
    /// - Throws: the same as ``read(_:_:)``.
    @inlinable
    public func withPool<T: Sendable>(_ tenant: String, _ body: (DatabasePool) async throws -> T) async throws -> T {
        let use = try await begin(tenant)
        defer { end(use) }
        return try await body(use.pool)
    }

    /// The values of an observation of a tenant, which begin with the current one.
    ///
    /// ```swift
    /// for try await count in try await tenants.values(of: ValueObservation.tracking(Invoice.fetchCount), in: "acme") {
    ///     print(count)
    /// }
    /// ```
    ///
    /// An observation isn't a use: the sequence ends, without an error, when the database is closed for another one,
    /// deleted or renamed. Use ``withPool(_:_:)`` to keep it open.
    ///
    /// - Throws: the same as ``read(_:_:)``.
    public func values<Reducer: ValueReducer>(
        of observation: ValueObservation<Reducer>, in tenant: String
    ) async throws -> sending TenantValues<Reducer.Value> where Reducer.Value: Sendable {
        let use = try await begin(tenant)
        defer { end(use) }
        // It starts here, while the pool is certainly open.
        return TenantValues(iterator: observation.values(in: use.pool).makeAsyncIterator())
    }

    /// A use of a database.
    @usableFromInline
    struct Use: Sendable {
        @usableFromInline let pool: DatabasePool
        let name: TenantName
    }

    @usableFromInline
    func begin(_ tenant: String) async throws -> Use { try await begin(TenantName(tenant), .access) }

    func begin(_ name: TenantName, _ use: TenantCache.Use) async throws -> Use {
        if let pool = cache.take(name, use) { return Use(pool: pool, name: name) }
        // Only an exclusive use gets no pool.
        return Use(pool: try await cache.wait(for: name, use, run)!, name: name)
    }

    @usableFromInline
    func end(_ use: Use) { run(cache.release(use.name)) }

    /// Waits until no access uses a database, closes it, and keeps it from being opened.
    func exclusively<T: Sendable>(_ name: TenantName, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        if cache.isClosed { throw DatabaseDirectoryError.isClosed }
        return try await closing(name) { try await self.blocking(body) }
    }

    private func closing<T: Sendable>(_ name: TenantName, _ body: () async throws -> T) async throws -> T {
        let pool = try await cache.wait(for: name, .exclusive, run)
        defer {
            run(cache.didClose(name, hadPool: pool != nil))
            metrics.set(cache.openCount)
        }
        if let pool { try await blocking { try Self.close(pool) } }
        return try await body()
    }

    /// Waits until no access uses a database, closes it here and in the replicator, and removes its file from its place.
    func removing(_ name: TenantName, _ body: @escaping @Sendable () throws -> Void) async throws {
        if cache.isClosed { throw DatabaseDirectoryError.isClosed }
        try await closing(name) {
            guard let replicator = replicator.withLock({ $0 }) else { return try await blocking(body) }
            let file = folder.file(name)
            let problem = await replicator.release(file)
            do { try await blocking(body) } catch {
                await replicator.resume(file)
                if let problem, (error as? DatabaseDirectoryError)?.code == .inUse {
                    throw DatabaseDirectoryError(
                        .inUse,
                        "the database of \"\(name.tenant)\" is being replicated, and is not released: \(problem)")
                }
                throw error
            }
        }
    }

    /// Sets what replicates the databases of the folder in this process.
    ///
    /// - Returns: false if they are already replicated.
    package func attach(_ new: any TenantReplicator) -> Bool {
        replicator.withLock { replicator in
            guard replicator == nil else { return false }
            replicator = new
            return true
        }
    }

    package func detachReplicator() { replicator.withLock { $0 = nil } }

    /// The configuration of all databases.
    package var configuration: Configuration { folder.configuration }

    /// The path of the database of a tenant.
    package func file(of tenant: String) throws -> String { try Self.file(of: tenant, in: path) }

    /// The path of the database of a tenant in a folder.
    package static func file(of tenant: String, in folder: String) throws -> String {
        TenantFolder.file(try TenantName(tenant), in: folder)
    }

    private func run(_ actions: [TenantCache.Action]) {
        for action in actions {
            switch action {
            case .resume(let continuation, let result): continuation.resume(with: result)
            case .open(let name, let isForAccess): open(name, isForAccess: isForAccess)
            case .close(let name, let pool): close(name, pool)
            }
        }
    }

    private func open(_ name: TenantName, isForAccess: Bool) {
        Self.queue.async { [self] in
            let start = ContinuousClock.now
            let result = Result { try folder.pool(of: name, createsMissing: createsMissing && isForAccess) }
            if case .success = result { metrics.didOpen(start.duration(to: .now)) }
            run(cache.didOpen(name, result))
            metrics.set(cache.openCount)
        }
    }

    private func close(_ name: TenantName, _ pool: DatabasePool) {
        Self.queue.async { [self] in
            do { try Self.close(pool) } catch {
                // Its connections close with the last reference.
                logger.error("a database can't be closed: \(error)", metadata: ["tenant": "\(name.tenant)"])
            }
            run(cache.didClose(name, hadPool: true))
            metrics.set(cache.openCount)
        }
    }

    private static func close(_ pool: DatabasePool) throws {
        try pool.endObservations()
        try pool.close()
    }

    /// The number of databases that are open, or are being opened or closed.
    public var openCount: Int { cache.openCount }

    var openNames: [TenantName] { cache.names }

    var waitingCount: Int { cache.waitingCount }

    // MARK: Closing

    /// Closes all databases, after their accesses have ended. Later accesses throw a ``DatabaseDirectoryError``.
    ///
    /// - Throws: a ``DatabaseDirectoryError`` of the code `inUse` for the first database that is still in use after
    ///   `waitTimeout`; the others are closed.
    public func close() async throws {
        run(cache.refuse())
        let errors = await withTaskGroup(of: (any Error)?.self) { group in
            for name in cache.names {
                group.addTask {
                    do { try await self.closing(name) {} } catch { return error }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        if let error = errors.lazy.compactMap({ $0 }).first { throw error }
    }

    /// Waits for the graceful shutdown, or the cancellation of the task, and closes the databases.
    ///
    /// - Throws: the errors of ``close()``.
    public func run() async throws {
        // A cancellation is also a shutdown.
        try? await gracefulShutdown()
        // A cancelled task also closes its databases.
        let closing = Task { try await close() }
        try await closing.value
    }

    // MARK: Blocking

    private static let queue = DispatchQueue(label: "Rowan.tenants", attributes: .concurrent)

    /// Runs what blocks on another thread than those of tasks.
    func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}

/// The values of an observation that has started, for one loop.
public struct TenantValues<Element: Sendable>: AsyncSequence {
    /// The type of the iterator.
    public typealias AsyncIterator = AsyncValueObservation<Element>.Iterator

    fileprivate let iterator: AsyncIterator

    /// Returns the values that were not taken yet.
    public func makeAsyncIterator() -> AsyncIterator { iterator }
}
