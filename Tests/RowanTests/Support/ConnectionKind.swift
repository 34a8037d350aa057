// The kinds of connections on which each access test runs.

import Foundation
import Rowan

enum ConnectionKind: String, CaseIterable, Sendable {
    case fileQueue, memoryQueue, walQueue, pool, anyWriterOfQueue, anyWriterOfPool, cluster

    /// With ROWAN_CLUSTER_ACCESS, only a cluster, for suites that need nothing that a cluster rejects.
    static let allCases: [ConnectionKind] =
        ClusterUnderTest.runsAccesses
        ? [.cluster] : [.fileQueue, .memoryQueue, .walQueue, .pool, .anyWriterOfQueue, .anyWriterOfPool]

    /// Whether readers run concurrently with the writer.
    var isConcurrent: Bool { [.pool, .anyWriterOfPool, .cluster].contains(self) }

    /// Whether the database is a file that other connections can open.
    var isFile: Bool { self != .memoryQueue && self != .cluster }

    static let files: [ConnectionKind] = allCases.filter(\.isFile)
    static let concurrent: [ConnectionKind] = allCases.filter(\.isConcurrent)
    /// The kinds whose writer spawns reads on readers.
    static let pools: [ConnectionKind] = concurrent.filter { $0 != .cluster }

    func make(in folder: TemporaryFolder, _ configuration: Configuration = Configuration()) throws -> any DatabaseWriter
    {
        try make(path: folder.path("\(rawValue).sqlite"), configuration)
    }

    func make(path: String, _ configuration: Configuration = Configuration()) throws -> any DatabaseWriter {
        var configuration = configuration
        switch self {
        case .fileQueue: return try DatabaseQueue(path: path, configuration: configuration)
        case .memoryQueue: return try DatabaseQueue(configuration: configuration)
        case .walQueue:
            configuration.journalMode = .wal
            return try DatabaseQueue(path: path, configuration: configuration)
        case .pool: return try DatabasePool(path: path, configuration: configuration)
        case .anyWriterOfQueue:
            return AnyDatabaseWriter(try DatabaseQueue(path: path, configuration: configuration))
        case .anyWriterOfPool: return AnyDatabaseWriter(try DatabasePool(path: path, configuration: configuration))
        case .cluster: return try ClusterUnderTest.make(path, configuration)
        }
    }
}

/// A folder that is deleted when it is released.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("rowan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}

/// A database for tests that don't depend on connections: in memory, or on a cluster.
@discardableResult
func withDatabase<T>(_ configuration: Configuration = Configuration(), _ body: (Database) throws -> T) throws -> T {
    if let addresses = ClusterUnderTest.addresses { return try ClusterUnderTest.run(addresses, configuration, body) }
    return try DatabaseQueue(configuration: configuration).inDatabase(body)
}

/// A new database of a kind, with a table `t(x)` that contains the rows 1 and 2.
@discardableResult
func withTable<T>(
    _ kind: ConnectionKind, _ configuration: Configuration = Configuration(), _ body: (any DatabaseWriter) throws -> T
) throws -> T {
    let folder = try TemporaryFolder()
    let writer = try kind.make(in: folder, configuration)
    try writer.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)") }
    return try withExtendedLifetime(folder) { try body(writer) }
}

/// A new database of a kind, with a table `t(x)` that contains the rows 1 and 2.
@discardableResult
func withTable<T>(
    _ kind: ConnectionKind, _ configuration: Configuration = Configuration(),
    _ body: (any DatabaseWriter) async throws -> T
) async throws -> T {
    let folder = try TemporaryFolder()
    let writer = try kind.make(in: folder, configuration)
    try await writer.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)") }
    let result = try await body(writer)
    withExtendedLifetime(folder) {}
    return result
}

extension Database {
    /// The rows of `t`.
    func values() throws -> [Int] { try Int.fetchAll(self, sql: "SELECT x FROM t ORDER BY rowid") }
    func insert(_ value: Int) throws { try execute(sql: "INSERT INTO t VALUES (?)", arguments: [value]) }
}

// Closures are avoided in the arguments of `#expect`: Swift 6.3 confuses the first closure in a macro's arguments with
// the next closure outside, and runs the former in place of the latter.
extension DatabaseReader {
    /// The rows of `t`.
    func values() throws -> [Int] { try read { try $0.values() } }

    /// The rows of `t`.
    func values() async throws -> [Int] { try await read { try $0.values() } }

    /// The first value of a query.
    func int(_ sql: String) throws -> Int? { try read { try Int.fetchOne($0, sql: sql) } }

    /// The first value of a query.
    func string(_ sql: String) throws -> String? { try unsafeRead { try String.fetchOne($0, sql: sql) } }

    /// Runs an access for its effects, ignoring its result.
    func unsafeReadIgnoringResult(_ body: () -> Void) { try? unsafeRead { _ in body() } }
}
