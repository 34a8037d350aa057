// The tenants of a directory: made, removed, moved, and all in turn.

public import Rowan

extension DatabaseDirectory {
    // MARK: One tenant

    /// The tenants that have a database, sorted by the names of their files without the suffix.
    ///
    /// - Throws: a ``DatabaseDirectoryError`` of the code `folder`.
    /// - Complexity: O(*n* log *n*).
    public func tenants() async throws -> [String] {
        let folder = folder
        return try await blocking { try folder.names().map(\.tenant) }
    }

    /// Whether a tenant has a database.
    ///
    /// - Throws: a ``DatabaseDirectoryError`` of the code `name`, or `folder` if the system does not say, as without the
    ///   permission to search the folder.
    public func contains(_ tenant: String) throws -> Bool { try folder.exists(TenantName(tenant)) }

    /// Whether a tenant may have this name: it isn't empty, and its file has a name of up to 200 bytes.
    public func isValid(_ tenant: String) -> Bool { (try? TenantName(tenant)) != nil }

    /// Creates the database of a tenant, with all migrations. It appears once it is complete.
    ///
    /// - Throws: a ``DatabaseDirectoryError``: `exists`, `name`, `folder` or `inUse`; the errors of the migrations.
    public func create(_ tenant: String) async throws { try await create(TenantName(tenant), from: nil) }

    /// Copies a database file from elsewhere, which may be in use, checks it, and migrates it. The tenant appears once
    /// it is complete.
    ///
    /// - Throws: the same as ``create(_:)``; `damaged` for a file that isn't a database or fails `PRAGMA quick_check`.
    ///   A file of strangers needs more: see `Configuration.trust`.
    public func `import`(_ tenant: String, from path: String) async throws {
        try await create(TenantName(tenant), from: path)
    }

    private func create(_ name: TenantName, from path: String?) async throws {
        let folder = folder
        try await exclusively(name) { try folder.create(name, from: path) }
    }

    /// Copies the database of a tenant into a new file, while it is used. The file appears once it is complete.
    ///
    /// - Throws: a ``DatabaseDirectoryError``: `exists` if there is a file, or those of ``read(_:_:)``.
    public func export(_ tenant: String, to path: String) async throws {
        let folder = folder
        try await withPool(tenant) { pool in try await blocking { try folder.export(pool, to: path) } }
    }

    /// Deletes the database of a tenant, after its accesses have ended. A replica keeps what it has of it.
    ///
    /// - Parameter evenIfInUse: whether to delete it if another process, such as Litestream, has it open, or if it can't be
    ///   opened, as on a full disk. Such a process writes to the deleted file until it closes it, even if there is a new
    ///   tenant with this name: these writes are lost.
    /// - Throws: a ``DatabaseDirectoryError``: `missing`, `inUse`, `name` or `folder`.
    public func delete(_ tenant: String, evenIfInUse: Bool = false) async throws {
        let (folder, name) = (folder, try TenantName(tenant))
        try await removing(name) { try folder.delete(name, evenIfInUse: evenIfInUse) }
    }

    /// Gives a tenant another name, after its accesses have ended.
    ///
    /// - Throws: a ``DatabaseDirectoryError``: `missing`, `exists`, `inUse`, `damaged`, `name` or `folder`.
    public func rename(_ tenant: String, to newName: String) async throws {
        let (folder, name, other) = (folder, try TenantName(tenant), try TenantName(newName))
        guard name != other else { return }
        try await removing(name) { try folder.rename(name, to: other) }
    }

    // MARK: Several tenants

    /// Reads the databases of several tenants with one connection.
    ///
    /// ```swift
    /// let total = try await tenants.read(attaching: ["a": "acme", "b": "bolt"]) { db in
    ///     try Int.fetchOne(db, sql: "SELECT (SELECT count(*) FROM a.invoice) + (SELECT count(*) FROM b.invoice)")
    /// }
    /// ```
    ///
    /// Each database is read as of its first use in the closure, so that two may differ by the commits in between.
    ///
    /// - Parameter schemas: the tenants by their names in SQL. SQLite attaches up to ten.
    /// - Throws: the same as ``read(_:_:)``; SQLite's error for a name such as `main`, or for too many.
    public func read<T: Sendable>(
        attaching schemas: [String: String], _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        let names = try schemas.sorted { $0.key < $1.key }.map { (schema: $0.key, name: try TenantName($0.value)) }
        // Opened once, so that they are migrated.
        for (_, name) in names { try await end(begin(name, .access)) }
        let folder = folder
        let queue = try await blocking {
            var configuration = folder.configuration
            // A database that is closed meanwhile is locked for a moment.
            if case .immediateError = configuration.busyMode { configuration.busyMode = .timeout(5) }
            let queue = try DatabaseQueue(configuration: configuration)
            try queue.inDatabase { db in try folder.attach(names, to: db) }
            return queue
        }
        return try await queue.read(value)
    }

    /// Opens and migrates the databases of all tenants.
    ///
    /// ```swift
    /// let report = try await tenants.migrateAll { print("\($0.completed) of \($0.total)") }
    /// for (tenant, error) in report.failures { logger.error("\(tenant): \(error)") }
    /// ```
    ///
    /// An error stops no other tenant. After a crash, a second run continues: a migration runs once.
    ///
    /// - Parameters:
    ///   - concurrency: the number of databases that are migrated at the same time.
    ///   - progress: receives the report after each tenant.
    /// - Throws: a ``DatabaseDirectoryError`` of the code `folder`; a `CancellationError`.
    @discardableResult
    public func migrateAll(
        concurrency: Int = 4, progress: (DatabaseDirectoryReport) -> Void = { _ in }
    ) async throws -> DatabaseDirectoryReport {
        try await forEach(concurrency: concurrency, progress: progress) { _, _ in }
    }

    /// Uses the databases of all tenants. Those that were closed are closed again before others.
    ///
    /// ```swift
    /// try await tenants.forEach { tenant, pool in
    ///     try await pool.write { try $0.execute(sql: "DELETE FROM session WHERE expires < unixepoch()") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - concurrency: the number of databases that are used at the same time.
    ///   - progress: receives the report after each tenant.
    ///   - body: receives the tenant and its database. An error is in the report, and stops no other tenant.
    /// - Throws: a ``DatabaseDirectoryError`` of the code `folder`; a `CancellationError`.
    @discardableResult
    public func forEach(
        concurrency: Int = 1, progress: (DatabaseDirectoryReport) -> Void = { _ in },
        _ body: @escaping @Sendable (_ tenant: String, _ pool: DatabasePool) async throws -> Void
    ) async throws -> DatabaseDirectoryReport {
        let folder = folder
        let names = try await blocking { try folder.names() }
        var report = DatabaseDirectoryReport(total: names.count)
        try await withThrowingTaskGroup(of: (TenantName, (any Error)?).self) { group in
            var rest = names[...]
            func addTask() {
                guard let name = rest.popFirst() else { return }
                group.addTask {
                    do {
                        let use: Use
                        do { use = try await self.begin(name, .background) } catch let error as DatabaseDirectoryError
                            where error.code == .missing
                        {
                            // A tenant that was deleted meanwhile needs nothing more.
                            return (name, nil)
                        }
                        defer { self.end(use) }
                        try await body(name.tenant, use.pool)
                        return (name, nil)
                    } catch {
                        return (name, error)
                    }
                }
            }
            for _ in 0..<max(min(concurrency, limit), 1) { addTask() }
            while let (name, error) = try await group.next() {
                try Task.checkCancellation()
                if let error { report.failures.append((name.tenant, error)) }
                report.completed += 1
                progress(report)
                addTask()
            }
        }
        return report
    }
}

/// What was done with all tenants.
public struct DatabaseDirectoryReport: Sendable {
    /// The number of tenants.
    public let total: Int
    /// The number of tenants that are done, also with an error.
    public internal(set) var completed = 0
    /// The tenants with an error.
    public internal(set) var failures: [(tenant: String, error: any Error)] = []

    init(total: Int) { self.total = total }
}
