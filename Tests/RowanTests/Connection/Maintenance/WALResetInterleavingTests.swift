// The WAL-reset bug, step by step: two connections are interleaved at SQLite's own calls. SQLite alone loses rows;
// Rowan's checkpoints lock out the other connection.

import RowanSQLite
import Foundation
import Testing

@testable import Rowan

struct WALResetInterleavingTests {
    /// The way in which a connection checkpoints.
    enum Checkpoint: CaseIterable {
        case passive, full, restart, truncate, pragma, sqliteAlone

        func run(_ db: Database) throws {
            switch self {
            case .passive: try db.checkpoint(.passive)
            case .full: try db.checkpoint(.full)
            case .restart: try db.checkpoint(.restart)
            case .truncate: try db.checkpoint(.truncate)
            case .pragma, .sqliteAlone: _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint")
            }
        }
    }

    /// A connection without Rowan's guards.
    private final class PlainConnection: @unchecked Sendable {
        // Invariant: only one thread of a test uses it.
        private var pointer: OpaquePointer?

        init(_ path: String) {
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            #expect(sqlite3_open_v2(path, &pointer, flags, InterleavingVFS.name) == SQLITE_OK)
            #expect(run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0") == SQLITE_OK)
        }

        deinit { sqlite3_close(pointer) }

        @discardableResult
        func run(_ sql: String) -> CInt { sqlite3_exec(pointer, sql, nil, nil, nil) }
    }

    /// Another connection commits between the checkpoint's reading of the log header and its use.
    ///
    /// - Returns: the result of that commit, and whether the database contains all rows at the end.
    private func interleave(_ checkpoint: Checkpoint) throws -> (commit: CInt?, isWhole: Bool) {
        try #require(InterleavingVFS.isRegistered)
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let writer = PlainConnection(path)
        writer.run("CREATE TABLE t(x, y)")
        let log = Log<CInt>()
        func insertRows(_ count: Int) {
            for _ in 0..<count { writer.run("INSERT INTO t SELECT IFNULL(MAX(x), 0) + 1, zeroblob(3000) FROM t") }
        }
        let act = UncheckedBox { log.append(writer.run("INSERT INTO t SELECT MAX(x) + 1, zeroblob(3000) FROM t")) }
        let interfere: @Sendable (FileCall) -> Void = { call in
            guard call == .headerRead, log.elements.isEmpty else { return }
            act.value()
        }
        if checkpoint == .sqliteAlone {
            let other = PlainConnection(path)
            other.run("SELECT COUNT(*) FROM t")
            insertRows(20)
            #expect(writer.run("PRAGMA wal_checkpoint") == SQLITE_OK)
            InterleavingVFS.observe(path, interfere)
            other.run("PRAGMA wal_checkpoint")
        } else {
            let other = try DatabaseQueue(path: "file:\(path)?vfs=\(InterleavingVFS.name)")
            try other.read { _ = try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
            insertRows(20)
            #expect(writer.run("PRAGMA wal_checkpoint") == SQLITE_OK)
            InterleavingVFS.observe(path, interfere)
            // A checkpoint that resets the log itself leaves nothing to copy.
            try other.inDatabase { try checkpoint.run($0) }
        }
        InterleavingVFS.observe(path, nil)
        insertRows(60)
        writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
        // Reading a damaged database may fail.
        let queue = try? DatabaseQueue(path: path)
        let rows = try? queue?.read { db in try Int.fetchAll(db, sql: "SELECT x FROM t ORDER BY rowid") }
        let count = 80 + (log.elements == [SQLITE_OK] ? 1 : 0)
        return (log.elements.first, rows == Array(1...count))
    }

    @Test("SQLite alone loses the other connection's commit if it has the bug")
    func sqliteAlone() throws {
        let (commit, isWhole) = try interleave(.sqliteAlone)
        #expect(commit == SQLITE_OK)
        #expect(isWhole == !Database.hasWALResetBug)
    }

    @Test("During a checkpoint of Rowan, no other connection commits", arguments: Checkpoint.allCases.dropLast())
    func guarded(checkpoint: Checkpoint) throws {
        let (commit, isWhole) = try interleave(checkpoint)
        let isAlone = Database.hasWALResetBug || ![.passive, .pragma].contains(checkpoint)
        #expect(commit == (isAlone ? SQLITE_BUSY : SQLITE_OK))
        #expect(isWhole)
    }

    @Test("The checkpoints after a commit and for the log's limit hold the writer's lock")
    func automatic() throws {
        try #require(InterleavingVFS.isRegistered)
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        var configuration = Configuration()
        configuration.walSizeLimit = 4_000_000
        let pool = try DatabasePool(path: "file:\(path)?vfs=\(InterleavingVFS.name)", configuration: configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        let calls = Log<FileCall>()
        InterleavingVFS.observe(path) { calls.append($0) }
        for limit in [1000, 100_000] {
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = \(limit)") }
            for _ in 0..<30 { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(200000))") } }
        }
        InterleavingVFS.observe(path, nil)
        var held: Set<Int> = []
        var count = 0
        for call in calls.elements {
            switch call {
            case .lock(let index): held.insert(index)
            case .unlock(let index):
                // At its end, a checkpoint releases the writer's lock first.
                if index == 0, held.contains(1) { count += 1 }
                if index == 1, Database.hasWALResetBug { #expect(!held.contains(0) && count > 0) }
                held.remove(index)
            case .headerRead: break
            }
        }
        #expect(held.isEmpty)
        #expect(count >= (Database.hasWALResetBug ? 2 : 1))
        #expect(pool.status.walTruncationCount > 0)
    }

    @Test("A checkpoint of another connection does not begin during a write by Rowan, or vice versa")
    func busyWriter() throws {
        guard Database.hasWALResetBug else { return }
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let pool = try DatabasePool(path: path)
        try pool.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)") }
        let other = try DatabaseQueue(path: path)
        try pool.write { db in
            try db.insert(3)
            // The other connection's automatic checkpoint would be passive.
            let error = #expect(throws: DatabaseError.self) { try other.inDatabase { try $0.checkpoint(.passive) } }
            #expect(error?.resultCode == .SQLITE_BUSY)
        }
        #expect(try other.inDatabase { try $0.checkpoint(.passive).checkpointedFrameCount } > 0)
    }
}
