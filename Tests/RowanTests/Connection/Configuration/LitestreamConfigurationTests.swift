// The configuration of a database that Litestream replicates.

import Foundation
import Testing

@testable import Rowan

struct LitestreamConfigurationTests {
    private static let kinds: [ConnectionKind] = [.fileQueue, .pool]

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.replicatedByLitestream = true
        return configuration
    }

    private func pragmas(_ writer: any DatabaseWriter) throws -> [String] {
        try writer.writeWithoutTransaction { db throws in
            try ["journal_mode", "synchronous", "wal_autocheckpoint"].map { name in
                try String.fetchOne(db, sql: "PRAGMA \(name)") ?? "NULL"
            }
        }
    }

    @Test(arguments: kinds) func connections(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder, configuration)
        #expect(try pragmas(writer) == ["wal", "1", "0"])
        #expect(try writer.read { try Int.fetchOne($0, sql: "PRAGMA wal_autocheckpoint") } == 0)
        #expect(writer.configuration.walSizeLimit == nil)
        guard case .timeout(5) = writer.configuration.busyMode else {
            Issue.record("\(writer.configuration.busyMode)")
            return
        }
    }

    @Test(arguments: kinds) func offByDefault(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder, Configuration())
        #expect(try pragmas(writer).last == "1000")
    }

    /// The writer waits for a lock of another connection.
    @Test(arguments: kinds) func waitsForLocks(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder, configuration)
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let other = try DatabaseQueue(path: writer.path)
        let (isLocked, mayEnd) = (Gate(), Gate())
        startThread {
            do {
                try other.write { db in
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    isLocked.open()
                    mayEnd.wait()
                }
            } catch {
                Issue.record("\(error)")
                isLocked.open()
            }
        }
        isLocked.wait()
        let firstPause = Mutex<ContinuousClock.Instant?>(nil)
        try writer.writeWithoutTransaction { db in
            // Called after the timeout's handler.
            _ = try db.connection.openHooks().onBusy { _ in
                let now = ContinuousClock.now
                let start = firstPause.withLock { start in
                    start = start ?? now
                    return start ?? now
                }
                // Longer than the quarter of a second that a pool's writer waits by default.
                if now - start > .milliseconds(250) { mayEnd.open() }
                return true
            }
        }
        do {
            // Also after a failure, so that the other connection finishes.
            defer { mayEnd.open() }
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        }
        #expect(try writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1, 2])
    }

    @Test(arguments: kinds) func programsOwnChoices(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        var configuration = configuration
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        let writer = try kind.make(in: folder, configuration)
        #expect(try pragmas(writer) == ["wal", "2", "0"])
        guard case .timeout(1) = writer.configuration.busyMode else {
            Issue.record("\(writer.configuration.busyMode)")
            return
        }
    }

    /// Commits, the limit of the log and closing don't checkpoint.
    @Test(arguments: kinds) func makesNoCheckpoints(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        var configuration = configuration
        configuration.walSizeLimit = 1 << 16
        let writer = try kind.make(in: folder, configuration)
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        for _ in 0..<20 {
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(500000))") }
        }
        let log = URL(fileURLWithPath: writer.path + "-wal")
        func size() throws -> Int { try log.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
        #expect(try size() > 10_000_000)
        try writer.close()
        #expect(try FileManager.default.attributesOfItem(atPath: log.path)[.size] as? Int ?? 0 > 10_000_000)
        // The next connection reads it.
        let next = try kind.make(in: folder, configuration)
        #expect(try next.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 20)
    }

    @Test func inMemory() throws {
        let queue = try DatabaseQueue(configuration: configuration)
        #expect(try pragmas(queue).first == "memory")
    }
}
