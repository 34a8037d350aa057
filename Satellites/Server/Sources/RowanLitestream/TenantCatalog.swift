// The list of the tenants, as a database that is replicated with theirs: Litestream can't list what a replica contains.

import Foundation
import Rowan

/// The catalog of a directory of databases.
///
/// A restore at any time must find each tenant that existed. A new tenant is listed at once, perhaps before the replica
/// has its database. One that has disappeared, perhaps because it was renamed, stays listed until the replica has the
/// tenants that existed at that moment.
actor TenantCatalog {
    nonisolated let path: String
    private let queue: DatabaseQueue
    private var tenants: Set<String>
    /// The tenants that have disappeared, with those that the replica must have before they are no longer listed.
    private var leaving: [String: Set<String>] = [:]

    /// The path of the catalog of a folder.
    static func path(in folder: String) -> String { "\(folder)/.litestream/catalog" }

    /// The URL of its replica. The name of a tenant's database ends with `.sqlite`.
    static func url(of replica: LitestreamReplica) -> String { replica.appending("tenants") }

    /// Opens the catalog of a folder, or creates it.
    init(folder: String) throws {
        path = Self.path(in: folder)
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        var configuration = Configuration()
        configuration.replicatedByLitestream = true
        configuration.label = "tenant catalog"
        queue = try DatabaseQueue(path: path, configuration: configuration)
        tenants = try queue.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS tenant (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID")
            return try Self.tenants(db)
        }
    }

    /// The tenants that a restored catalog lists.
    static func tenants(at path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer {
            // A temporary copy.
            try? queue.close()
        }
        return try queue.read { try tenants($0) }.sorted()
    }

    private static func tenants(_ db: Database) throws -> Set<String> {
        try String.fetchSet(db, sql: "SELECT name FROM tenant")
    }

    /// Whether tenants have appeared or disappeared that are not yet recorded.
    func isOutdated(_ present: Set<String>) -> Bool { present != tenants }

    /// Records tenants.
    ///
    /// - Parameters:
    ///   - present: The tenants that exist.
    ///   - replicated: Those whose databases the replica has.
    func update(present: Set<String>, replicated: Set<String>) throws {
        let awaited = present.subtracting(replicated)
        for name in tenants.subtracting(present) {
            leaving[name] = leaving[name]?.intersection(awaited) ?? awaited
        }
        leaving = leaving.filter { !present.contains($0.key) }
        let added = present.subtracting(tenants)
        let removed = leaving.filter(\.value.isEmpty).map(\.key)
        guard !added.isEmpty || !removed.isEmpty else { return }
        try queue.write { db in
            for name in added { try db.execute(sql: "INSERT INTO tenant VALUES (?)", arguments: [name]) }
            for name in removed { try db.execute(sql: "DELETE FROM tenant WHERE name = ?", arguments: [name]) }
        }
        tenants.formUnion(added)
        tenants.subtract(removed)
        for name in removed { leaving[name] = nil }
    }

    func close() throws { try queue.close() }
}
