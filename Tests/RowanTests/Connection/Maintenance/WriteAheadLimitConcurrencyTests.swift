// The limit of a pool's write-ahead log.

import Foundation
import Rowan
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WriteAheadLimitConcurrencyTests {
    /// A pool with a limit of 100,000 bytes, and a table `t(x)`.
    private func makePool(
        in folder: TemporaryFolder, limit: Int? = 100_000, _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.walSizeLimit = limit
        change(&configuration)
        let pool = try DatabasePool(path: folder.path("wal.sqlite"), configuration: configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        return pool
    }

    /// Writes about 10,000 bytes into the log.
    private func write(_ pool: DatabasePool) throws {
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(5000))") }
    }

    @Test func theDefaultIs64MB() {
        #expect(Configuration().walSizeLimit == 64 << 20)
    }

    @Test func theLogStaysBelowTheLimit() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder)
        var largest = 0
        for _ in 0..<60 {
            try write(pool)
            largest = max(largest, pool.status.walSize)
        }
        // Without a limit, SQLite restarts the log after four million bytes.
        #expect(largest > 50_000 && largest < 150_000)
        #expect(pool.status.walTruncationCount >= 2)
        #expect(pool.status.blockedWALTruncationCount == 0)
        try #expect(pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 60)
    }

    @Test func noLimit() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder, limit: nil)
        for _ in 0..<60 { try write(pool) }
        #expect(pool.status.walSize > 300_000)
        #expect(pool.status.walTruncationCount == 0)
    }

    /// Overlapping reads leave no time at which SQLite alone could restart the log.
    @Test func readsThatOverlapDoNotKeepTheLog() async throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder)
        let ends = Log<Void>()
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    try await onThread {
                        while ends.elements.isEmpty {
                            try pool.read { db in
                                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
                                usleep(500)
                            }
                        }
                    }
                }
            }
            // Each read begins before the previous one has ended.
            try await onThread {
                while pool.status.walTruncationCount < 3 { try write(pool) }
            }
            ends.append(())
            try await group.waitForAll()
        }
        #expect(pool.status.walTruncationCount >= 3)
    }

    /// At any time, one of the reads has two tenths of a second left, so the first wait is too short.
    @Test func readsOfAFractionOfASecond() async throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder)
        let ends = Log<Void>()
        try await withThrowingTaskGroup { group in
            for number in 0..<3 {
                group.addTask {
                    try await onThread {
                        usleep(100_000 * UInt32(number))
                        while ends.elements.isEmpty {
                            try pool.read { db in
                                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
                                usleep(300_000)
                            }
                        }
                    }
                }
            }
            try await onThread {
                while pool.status.walTruncationCount < 2 {
                    try write(pool)
                    usleep(2_000)
                }
            }
            ends.append(())
            try await group.waitForAll()
        }
        #expect(pool.status.walTruncationCount >= 2)
    }

    /// A snapshot needs the log. Writes continue, and the log is emptied after the snapshot ends.
    @Test func aSnapshotKeepsTheLog() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder)
        let snapshot = try pool.makeSnapshot()
        for _ in 0..<40 { try write(pool) }
        #expect(pool.status.walSize > 300_000)
        #expect(pool.status.walTruncationCount == 0)
        // A wait for each write would take four seconds.
        #expect((1...8).contains(pool.status.blockedWALTruncationCount))
        try #expect(snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 0)
        try snapshot.close()
        while pool.status.walTruncationCount == 0 { try write(pool) }
        #expect(pool.status.walSize < 150_000)
    }

    /// If the program makes its own checkpoints, as for replication, the pool makes none.
    @Test func withoutAutomaticCheckpoints() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder) {
            $0.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        }
        for _ in 0..<30 { try write(pool) }
        #expect(pool.status.walSize > 200_000)
        #expect(pool.status.walTruncationCount == 0)
    }

    /// Automatic checkpoints are SQLite's own, with the program's setting.
    @Test func automaticCheckpoints() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder, limit: 100 << 20) {
            $0.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 10") }
        }
        for _ in 0..<60 { try write(pool) }
        #expect(pool.status.walSize < 150_000)
        #expect(pool.status.walTruncationCount == 0)
    }

    /// An access ends before the log is emptied.
    @Test func anOpenCursorOfTheWriter() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder)
        try write(pool)
        try pool.writeWithoutTransaction { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM t UNION ALL SELECT 1")
            #expect(try rows.next() != nil)
            for _ in 0..<30 { try db.execute(sql: "INSERT INTO t VALUES (zeroblob(5000))") }
            #expect(try rows.next() != nil)
            #expect(pool.status.walTruncationCount == 0)
        }
        #expect(pool.status.walTruncationCount == 1)
        #expect(pool.status.walSize == 0)
    }

    /// Asynchronous and grouped writes, and those with a callback.
    @Test func allKindsOfWrites() async throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder) { $0.groupsAsyncWrites = true }
        for _ in 0..<30 {
            try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(5000))") }
            try await pool.barrierWriteWithoutTransaction {
                try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(5000))")
            }
            try await withCheckedThrowingContinuation { continuation in
                pool.asyncWrite({ try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(5000))") }) { _, result in
                    continuation.resume(with: result)
                }
            }
        }
        #expect(pool.status.walTruncationCount >= 4)
        #expect(pool.status.walSize < 150_000)
    }

    /// The program still reads and sets the number of pages of automatic checkpoints.
    @Test func thePragmaOfAutomaticCheckpoints() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder)
        try pool.writeWithoutTransaction { db in
            try #expect(Int.fetchOne(db, sql: "PRAGMA wal_autocheckpoint") == 1000)
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        for _ in 0..<30 { try write(pool) }
        #expect(pool.status.walTruncationCount == 0)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 1000") }
        for _ in 0..<2 { try write(pool) }
        #expect(pool.status.walTruncationCount == 1)
    }

    /// The wait neither calls nor replaces the program's handler.
    @Test func theBusyModeStays() throws {
        let folder = try TemporaryFolder()
        let calls = Log<Int>()
        let pool = try makePool(in: folder) {
            $0.busyMode = .callback { count in
                calls.append(count)
                return false
            }
        }
        let snapshot = try pool.makeSnapshot()
        for _ in 0..<20 { try write(pool) }
        #expect(pool.status.blockedWALTruncationCount > 0)
        #expect(calls.elements.isEmpty)
        try snapshot.close()
        try pool.writeWithoutTransaction { db in
            let other = try DatabaseQueue(path: pool.path)
            try other.inDatabase { other in
                try other.execute(sql: "BEGIN IMMEDIATE")
                #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
                try other.execute(sql: "ROLLBACK")
            }
        }
        #expect(calls.elements == [0])
    }

    @Test func theTimeoutOfAPragmaStays() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder) {
            $0.prepareDatabase { try $0.execute(sql: "PRAGMA busy_timeout = 4321") }
        }
        for _ in 0..<30 { try write(pool) }
        #expect(pool.status.walTruncationCount > 0)
        try pool.writeWithoutTransaction { db in
            try #expect(Int.fetchOne(db, sql: "PRAGMA busy_timeout") == 4321)
        }
    }

    /// A trace shows no statements of the limit, and a closed pool has no hook.
    @Test func nothingIsLeft() throws {
        let folder = try TemporaryFolder()
        let statements = Log<String>()
        let pool = try makePool(in: folder) {
            $0.prepareDatabase { db in db.trace { statements.append("\($0)") } }
        }
        let count = statements.elements.count
        for _ in 0..<30 { try write(pool) }
        #expect(pool.status.walTruncationCount > 0)
        let transaction = [
            "BEGIN IMMEDIATE TRANSACTION", "INSERT INTO t VALUES (zeroblob(5000))", "COMMIT TRANSACTION",
        ]
        #expect(Array(statements.elements[count...]) == Array(repeatElement(transaction, count: 30).joined()))
        try pool.close()
        #expect(pool.status.walSize == 0)
    }

    /// With large pages, the log is checked before it has doubled.
    @Test func largePages() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("wal.sqlite")
        try DatabaseQueue(path: path).inDatabase { try $0.execute(sql: "PRAGMA page_size = 65536; CREATE TABLE t(x)") }
        var configuration = Configuration()
        configuration.walSizeLimit = 2_000_000
        let pool = try DatabasePool(path: path, configuration: configuration)
        var largest = 0
        for _ in 0..<100 {
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            largest = max(largest, pool.status.walSize)
        }
        #expect(largest > 1_800_000 && largest < 2_400_000, "\(largest)")
        #expect(pool.status.walTruncationCount >= 2)
    }

    /// After a failed truncation, the next small write retries, and the first write of a pool checks the log left by
    /// others.
    @Test func aLogThatStaysLarge() async throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder, limit: 2_000_000)
        let reader = try DatabaseQueue(path: folder.path("wal.sqlite"))
        try reader.inDatabase { db in
            try db.execute(sql: "BEGIN; SELECT count(*) FROM t")
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(3000000))") }
            #expect(pool.status.blockedWALTruncationCount == 1)
            try db.execute(sql: "COMMIT")
        }
        // The pause is ten times as long as the attempt, which waits for a tenth of a second.
        try await eventually {
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            return pool.status.walTruncationCount == 1
        }
        #expect(pool.status.walSize == 0)
        try await pool.barrierWriteWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(3000000))") }
        #expect(pool.status.walSize > 3_000_000)
        var configuration = Configuration()
        configuration.walSizeLimit = 2_000_000
        let later = try DatabasePool(path: folder.path("wal.sqlite"), configuration: configuration)
        try await later.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(later.status.walTruncationCount == 1)
    }

    /// A suspended program takes no locks.
    @Test func suspendedPrograms() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(in: folder) { $0.observesSuspensionNotifications = true }
        try pool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (zeroblob(300000))")
            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
        }
        #expect(pool.status.walSize > 300_000)
        #expect(pool.status.walTruncationCount == 0)
        NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
        try write(pool)
        #expect(pool.status.walTruncationCount == 1)
    }
}
