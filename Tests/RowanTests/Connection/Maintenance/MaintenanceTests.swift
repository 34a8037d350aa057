// Backups, copies, vacuum, erasure, checkpoints, memory.

import Foundation
import Rowan
import Testing

@Suite
struct MaintenanceTests {
    struct Abort: Error {}

    private func fill(_ writer: any DatabaseWriter, _ count: Int = 500) throws {
        try writer.write { db in
            for index in 0..<count { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [index]) }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func backup(_ kind: ConnectionKind) throws {
        try withTable(kind) { source in
            let folder = try TemporaryFolder()
            for other in ConnectionKind.allCases {
                let destination = try other.make(in: folder)
                try destination.write { try $0.execute(sql: "CREATE TABLE old(x)") }
                // The cached schema of the destination is discarded.
                let before = try destination.read { try $0.tableExists("t") }
                try source.backup(to: destination)
                let after = try destination.read { try $0.tableExists("t") }
                let old = try destination.write { try $0.tableExists("old") }
                #expect((before, after, old) == (false, true, false))
                try #expect(destination.values() == [1, 2])
                try destination.write { try $0.insert(3) }
            }
            try #expect(source.values() == [1, 2])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func progressOfABackup(_ kind: ConnectionKind) throws {
        try withTable(kind) { source in
            try fill(source)
            let destination = try DatabaseQueue()
            let total = try source.int("PRAGMA page_count") ?? 0
            var reports: [DatabaseBackupProgress] = []
            try source.backup(to: destination, pagesPerStep: 1) { reports.append($0) }
            #expect(reports.map(\.completedPageCount) == Array(1...total))
            #expect(reports.map(\.remainingPageCount) == (0..<total).reversed())
            #expect(reports.map(\.totalPageCount) == Array(repeating: total, count: total))
            #expect(reports.map(\.isCompleted) == Array(repeating: false, count: total - 1) + [true])
            try #expect(destination.values() == source.values())
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func anAbortedBackupLeavesTheDestination(_ kind: ConnectionKind) throws {
        try withTable(kind) { destination in
            let source = try DatabaseQueue()
            try source.write { try $0.execute(sql: "CREATE TABLE t(x); CREATE TABLE u(y)") }
            try fill(source)
            #expect(throws: Abort.self) {
                try source.backup(to: destination, pagesPerStep: 1) { _ in throw Abort() }
            }
            try #expect(destination.values() == [1, 2])
            // An error after the last step is too late.
            try source.backup(to: destination) { _ in throw Abort() }
            try #expect(destination.values().count == 500)
        }
    }

    @Test func aBackupIntoItself() throws {
        try withTable(.memoryQueue) { writer in expectError(.SQLITE_MISUSE) { try writer.backup(to: writer) } }
        try withTable(.pool) { writer in expectError(.SQLITE_MISUSE) { try writer.backup(to: writer) } }
    }

    @Test(arguments: ConnectionKind.files)
    func copies(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            for copy in [
                try DatabaseQueue.inMemoryCopy(fromPath: writer.path), try .temporaryCopy(fromPath: writer.path),
            ] {
                try copy.write { try $0.insert(3) }
                try #expect(copy.values() == [1, 2, 3])
            }
            try #expect(writer.values() == [1, 2])
            var configuration = Configuration()
            configuration.readonly = true
            for copy in [
                try DatabaseQueue.inMemoryCopy(fromPath: writer.path, configuration: configuration),
                try .temporaryCopy(fromPath: writer.path, configuration: configuration),
            ] {
                try #expect(copy.values() == [1, 2])
                expectError(.SQLITE_READONLY) { try copy.write { try $0.insert(3) } }
            }
        }
        expectError(.SQLITE_CANTOPEN) { try DatabaseQueue.inMemoryCopy(fromPath: "/missing/db.sqlite") }
    }

    @Test func namedMemory() throws {
        let name = "name with ?&# \(UUID().uuidString)"
        var first: DatabaseQueue? = try DatabaseQueue(named: name)
        try first!.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        let second = try DatabaseQueue(named: name)
        try #expect(second.values() == [1])
        try second.write { try $0.insert(2) }
        try #expect(first!.values() == [1, 2])
        first = nil
        try #expect(second.values() == [1, 2])
        try second.close()
        expectError(.SQLITE_ERROR) { try DatabaseQueue(named: name).values() }
        let other = try DatabaseQueue(named: name + "other")
        expectError(.SQLITE_ERROR, "no such table: t") { try other.values() }
        let (one, two) = (try DatabaseQueue(), try DatabaseQueue())
        try one.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        expectError(.SQLITE_ERROR) { try two.values() }
    }

    @Test(arguments: ConnectionKind.allCases)
    func vacuum(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let folder = try TemporaryFolder()
            try await writer.vacuum()
            let path = folder.path("copy 'quoted'.sqlite")
            try await writer.vacuum(into: path)
            try await #expect(DatabaseQueue(path: path).values() == [1, 2])
            await expectError(.SQLITE_ERROR, "output file already exists") { try await writer.vacuum(into: path) }
            try await #expect(writer.values() == [1, 2])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func erasure(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try #expect(writer.values() == [1, 2])
            try writer.write { db in
                try db.execute(sql: "CREATE VIEW v AS SELECT * FROM t; CREATE TABLE \"a b\"(x REFERENCES t)")
            }
            try writer.erase()
            try #expect(writer.int("SELECT COUNT(*) FROM sqlite_master") == 0)
            let exists = try writer.read { try $0.tableExists("t") }
            #expect(!exists)
            try writer.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (3)") }
            try #expect(writer.values() == [3])
            if kind != .memoryQueue && kind != .fileQueue && kind != .anyWriterOfQueue {
                try #expect(writer.string("PRAGMA journal_mode") == "wal")
            }
        }
    }

    @Test(arguments: [ConnectionKind.walQueue, .pool, .anyWriterOfPool])
    func checkpoints(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            for mode in [Database.CheckpointMode.passive, .full, .restart, .truncate] {
                try writer.write { try $0.insert(3) }
                let counts = try writer.writeWithoutTransaction { try $0.checkpoint(mode) }
                #expect(counts.walFrameCount == counts.checkpointedFrameCount)
            }
            let size = try FileManager.default.attributesOfItem(atPath: writer.path + "-wal")[.size] as? Int
            #expect(size == 0)
            // A reader prevents the checkpoint.
            try DatabaseQueue(path: writer.path).read { db in
                _ = try db.values()
                try writer.write { try $0.insert(4) }
                expectError(.SQLITE_BUSY) { try writer.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
            }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func memory(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            for _ in 0..<3 {
                try #expect(writer.values() == [1, 2])
                try writer.write { try $0.insert(3) }
                switch writer {
                case let queue as DatabaseQueue: queue.releaseMemory()
                case let pool as DatabasePool:
                    pool.releaseMemory()
                    pool.invalidateReadOnlyConnections()
                default: writer.writeWithoutTransaction { $0.releaseMemory() }
                }
                try writer.write { try $0.execute(sql: "DELETE FROM t WHERE x = 3") }
            }
            try #expect(writer.values() == [1, 2])
        }
    }

    @Test func persistentReaders() throws {
        let folder = try TemporaryFolder()
        let openings = Log<Bool>()
        var configuration = Configuration()
        configuration.persistentReadOnlyConnections = true
        configuration.prepareDatabase { openings.append($0.configuration.readonly) }
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        try #expect(pool.values() == [])
        pool.releaseMemory()
        try #expect(pool.values() == [])
        #expect(openings.elements == [false, true])
        pool.invalidateReadOnlyConnections()
        try #expect(pool.values() == [])
        #expect(openings.elements == [false, true, true])
    }

    @Test func preparations() throws {
        struct Refusal: Error, Equatable {}
        var configuration = Configuration()
        configuration.label = "my database"
        configuration.prepareDatabase { try $0.execute(sql: "CREATE TEMP TABLE t(x)") }
        configuration.prepareDatabase { try $0.insert(5) }
        let queue = try DatabaseQueue(configuration: configuration)
        try #expect(queue.values() == [5])
        #expect(queue.inDatabase { $0.description } == "my database")
        configuration.prepareDatabase { _ in throw Refusal() }
        #expect(throws: Refusal()) { try DatabaseQueue(configuration: configuration) }
    }

    @Test func doubleQuotedStrings() throws {
        try withDatabase { db in
            expectError(.SQLITE_ERROR) { try String.fetchOne(db, sql: "SELECT \"abc\"") }
        }
        var configuration = Configuration()
        configuration.acceptsDoubleQuotedStringLiterals = true
        try withDatabase(configuration) { db in try #expect(String.fetchOne(db, sql: "SELECT \"abc\"") == "abc") }
    }

    @Test func changes() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2), (3)")
            #expect((db.changesCount, db.totalChangesCount, db.lastInsertedRowID) == (3, 3, 3))
            try db.execute(sql: "UPDATE t SET x = 0 WHERE x > 1")
            #expect((db.changesCount, db.totalChangesCount) == (2, 5))
            #expect(db.maximumStatementArgumentCount >= 999)
            #expect(Database.sqliteLibVersionNumber > 3_030_000)
            try? db.execute(sql: "nonsense")
            #expect(db.lastErrorCode == .SQLITE_ERROR)
            #expect(db.lastErrorMessage == "near \"nonsense\": syntax error")
        }
    }
}
