// Reads a database from its replica, through Litestream's virtual file system. Each test runs in its own process, which
// may load the Go runtime.

import RowanSQLite
import Foundation
import Rowan
import Testing

@Suite(
    .enabled(
        if: Extensions.litestream != nil && Extensions.litestreamVFS != nil,
        "Scripts/extensions has not installed Litestream"))
struct LitestreamVFSTests {
    @Test func aReplicaIsReadWithoutAFile() async {
        await #expect(processExitsWith: .success) {
            let replica = try Replica()
            try replica.add("INSERT INTO t VALUES (1), (2)")
            try Replica.load()
            for reader in try [replica.queue(), replica.pool()] as [any DatabaseReader] {
                try await checkReader(reader)
            }
        }
    }

    @Test func readersFollowTheReplica() async {
        await #expect(processExitsWith: .success) {
            let replica = try Replica()
            try replica.add("INSERT INTO t VALUES (1)")
            try Replica.load()
            let (queue, pool) = try (replica.queue(), replica.pool())
            func areBoth(_ values: [Int]) throws -> Bool { try queue.values() == values && pool.values() == values }
            let isRead = try areBoth([1])
            try #require(isRead)
            try replica.add("INSERT INTO t VALUES (2)")
            try await eventually { try areBoth([1, 2]) }
        }
    }

    /// The replica is not a file that the kernel could watch.
    @Test func observationsFollowTheReplica() async {
        await #expect(processExitsWith: .success) {
            let replica = try Replica()
            try replica.add("INSERT INTO t VALUES (1)")
            try Replica.load()
            let queue = try replica.queue { $0.observesOtherProcesses = true }
            let observation = ValueObservation.tracking { try $0.values() }.removeDuplicates()
            var values = observation.values(in: queue).makeAsyncIterator()
            let first = try await values.next()
            try #require(first == [1])
            try replica.add("INSERT INTO t VALUES (2)")
            let second = try await values.next()
            try #require(second == [1, 2])
        }
    }
}

private func checkReader(_ reader: any DatabaseReader) async throws {
    let values = try await reader.read { try $0.values() }
    try #require(values == [1, 2])
    // Several readers at once.
    let counts = try await withThrowingTaskGroup(of: Int?.self) { group in
        for _ in 0..<4 {
            group.addTask { try await reader.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } }
        }
        return try await group.reduce(into: []) { $0.append($1) }
    }
    try #require(counts == [2, 2, 2, 2])
    await expectError(.SQLITE_READONLY) {
        try await reader.unsafeRead { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
    }
    try reader.close()
}

/// A database and its replica.
private struct Replica {
    let folder: TemporaryFolder
    private var database: String { folder.path("db.sqlite") }
    private var url: String { "file://\(folder.path("replica"))" }

    init(folder: TemporaryFolder) { self.folder = folder }

    init() throws {
        folder = try TemporaryFolder()
        try add("CREATE TABLE t(x)")
    }

    /// Runs a statement, and replicates its changes.
    func add(_ sql: String) throws {
        let pool = try DatabasePool(path: database)
        try pool.write { try $0.execute(sql: sql) }
        let litestream = try #require(Extensions.litestream)
        try #require(runProgram([litestream, "replicate", "-once", "-log-level", "error", database, url]) == 0)
        try pool.close()
    }

    /// Registers the virtual file system, permanently for the process.
    static func load() throws {
        var configuration = Configuration()
        configuration.allowsExtensions = true
        configuration.prepareDatabase { db in
            try db.loadExtension(path: #require(Extensions.litestreamVFS), entryPoint: "sqlite3_litestreamvfs_init")
        }
        try DatabaseQueue(configuration: configuration).close()
        // Version 0.5.17 prevents other databases from being opened, because its automatic extension returns no code.
        // See https://github.com/benbjohnson/litestream/pull/1506
        sqlite3_reset_auto_extension()
    }

    func queue(_ configure: (inout Configuration) -> Void = { _ in }) throws -> DatabaseQueue {
        try DatabaseQueue(path: "file:/no-such-folder/db?replica_url=\(url)", configuration: configuration(configure))
    }

    func pool() throws -> DatabasePool {
        try DatabasePool(path: "file:/no-such-folder/db?replica_url=\(url)", configuration: configuration { _ in })
    }

    private func configuration(_ configure: (inout Configuration) -> Void) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.vfs = "litestream"
        configure(&configuration)
        return configuration
    }
}
