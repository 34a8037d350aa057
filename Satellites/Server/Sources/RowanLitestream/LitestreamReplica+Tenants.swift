// Restores of the databases of tenants.

public import Foundation
public import RowanTenants

extension LitestreamReplica {
    /// The replica of the database of one tenant, with the same settings.
    ///
    /// ```swift
    /// // The tenant as it was before the mistake of 14:03.
    /// try await replica.tenant("acme").restore(to: "/data/acme-before.sqlite", at: date)
    /// try await tenants.import("acme-before", from: "/data/acme-before.sqlite")
    /// ```
    ///
    /// - Throws: a `DatabaseDirectoryError` of the code `name`.
    public func tenant(_ tenant: String) throws -> LitestreamReplica {
        let file = try DatabaseDirectory.file(of: tenant, in: "")
        var replica = self
        // Nothing in the name of a tenant's file is escaped in a URL.
        replica.url = appending(String(file.dropFirst()))
        return replica
    }

    /// The tenants of a replicated directory, as of a date or in the newest replicated state, sorted.
    ///
    /// Those that were created, renamed or deleted in the last seconds before it may be missing or still listed.
    ///
    /// - Throws: ``LitestreamError/Kind/noBackup`` if the replica is empty or newer than the date; other kinds.
    public func tenants(at date: Date? = nil) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rl-catalog-\(UUID().uuidString)")
        // In the temporary folder, where the system deletes what is left.
        defer { try? FileManager.default.removeItem(at: folder) }
        var catalog = self
        catalog.url = TenantCatalog.url(of: self)
        let path = folder.appendingPathComponent("catalog").path
        do { try await catalog.restore(to: path, at: date) } catch let error as LitestreamError
            where error.kind == .noBackup
        {
            throw LitestreamError(
                .noBackup,
                "the replica contains no list of tenants\(date.map { " before \(Self.timestamp($0))" } ?? "")")
        }
        return try TenantCatalog.tenants(at: path)
    }

    /// Restores the databases of all tenants that a directory lacks, when a server starts.
    ///
    /// ```swift
    /// let tenants = try DatabaseDirectory(folder: "/data/tenants", configuration: configuration)
    /// try await replica.restoreMissing(to: tenants)
    /// let replication = replica.replication(of: tenants, logger: logger)
    /// ```
    ///
    /// An error of one tenant doesn't stop the others, and is thrown after them. Run it again: it restores what is
    /// missing. An empty replica is not an error.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - date: A date, or nil for the newest state.
    ///   - concurrency: The number of databases that are restored at the same time.
    ///   - integrityCheck: A check of each restored database.
    /// - Returns: The outcome for each tenant. ``RestoreOutcome/noBackup`` means that the tenant was created, renamed or
    ///   deleted in the last seconds.
    /// - Throws: ``LitestreamError``, and file system errors.
    @discardableResult
    public func restoreMissing(
        to directory: DatabaseDirectory, at date: Date? = nil, concurrency: Int = 4,
        integrityCheck: IntegrityCheck = .none
    ) async throws -> [String: RestoreOutcome] {
        let names: [String]
        do { names = try await tenants(at: date) } catch let error as LitestreamError where error.kind == .noBackup {
            return [:]
        }
        let results = await names.mapConcurrently(concurrency) { name in
            await Result {
                try await self.tenant(name).restoreIfMissing(
                    to: directory.file(of: name), at: date, integrityCheck: integrityCheck)
            }
        }
        return try Dictionary(zip(names, results.map { try $0.get() })) { $1 }
    }

    /// The URL with a name appended to its path, before its query.
    func appending(_ name: String) -> String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        var path = url[..<end]
        while path.hasSuffix("/"), !path.hasSuffix("://") { path.removeLast() }
        return "\(path)/\(name)\(url[end...])"
    }
}

extension Array where Element: Sendable {
    /// The results of a body, in the order of the elements.
    func mapConcurrently<T: Sendable>(
        _ concurrency: Int, _ body: @escaping @Sendable (Element) async -> T
    ) async -> [T] {
        await withTaskGroup(of: (Int, T).self) { group in
            var results = [T?](repeating: nil, count: count)
            var rest = enumerated().makeIterator()
            for _ in 0..<Swift.max(concurrency, 1) {
                guard let (index, element) = rest.next() else { break }
                group.addTask { (index, await body(element)) }
            }
            while let (index, result) = await group.next() {
                results[index] = result
                if let (index, element) = rest.next() { group.addTask { (index, await body(element)) } }
            }
            return results.compactMap(\.self)
        }
    }
}
