// Snapshots: their unchanging content, and forbidden operations.

import Foundation
import Synchronization
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct SnapshotConcurrencyTests {
    private func withPool(_ body: (DatabasePool) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("pool.sqlite"))
        try await pool.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)") }
        try await body(pool)
        withExtendedLifetime(folder) {}
    }

    private func snapshots(of pool: DatabasePool) throws -> [any DatabaseSnapshotReader] {
        [try pool.makeSnapshot(), try pool.makeSnapshotPool()]
    }

    @Test
    func aSnapshotSeesOneState() async throws {
        try await withPool { pool in
            for snapshot in try snapshots(of: pool) {
                let before = [1, 2]
                try await pool.write { try $0.insert(3) }
                try await #expect(snapshot.values() == before)
                let nested = try snapshot.reentrantRead { db in try snapshot.reentrantRead { _ in try db.values() } }
                #expect(nested == before)
                let unsafe = try await snapshot.unsafeRead { try $0.values() }
                #expect(unsafe == before)
                try await pool.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN y") }
                try await #expect(snapshot.values() == before)
                try await pool.write { try $0.execute(sql: "ALTER TABLE t DROP COLUMN y") }
                try snapshot.close()
                await expectError(.SQLITE_MISUSE) { try await snapshot.values() }
            }
        }
    }

    @Test
    func aSnapshotRefusesWrites() async throws {
        try await withPool { pool in
            for snapshot in try snapshots(of: pool) {
                expectError(.SQLITE_READONLY) { try snapshot.read { try $0.insert(3) } }
                expectError(.SQLITE_READONLY) { try snapshot.unsafeRead { try $0.insert(3) } }
                try await #expect(snapshot.values() == [1, 2])
            }
        }
    }

    @Test
    func theConnectionsOfASnapshotPoolWorkAtTheSameTime() async throws {
        try await withPool { pool in
            let snapshot = try pool.makeSnapshotPool()
            let gates = (0..<5).map { _ in Gate() }
            try await onThreads(5) { index in
                try snapshot.read { db in
                    gates[index].open()
                    for gate in gates { gate.wait() }
                    let values = try db.values()
                    #expect(values == [1, 2])
                }
            }
        }
    }

    /// All connections of a snapshot see the same state, while another thread commits.
    @Test
    func theConnectionsOfASnapshotPoolSeeTheSameState() async throws {
        try await withPool { pool in
            let isDone = Mutex(false)
            async let commits: Void = onThread {
                while !isDone.withLock({ $0 }) { try pool.write { try $0.insert(3) } }
            }
            for _ in 1...20 {
                let snapshot = try pool.makeSnapshotPool()
                let counts = Log<Int>()
                let gates = (0..<5).map { _ in Gate() }
                try await onThreads(5) { index in
                    try snapshot.read { db in
                        gates[index].open()
                        for gate in gates { gate.wait() }
                        counts.append(try db.values().count)
                    }
                }
                #expect(Set(counts.elements).count == 1)
            }
            isDone.withLock { $0 = true }
            try await commits
        }
    }

    @Test
    func aSnapshotInsideAWrite() async throws {
        try await withPool { pool in
            try pool.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.insert(3)
                    return .commit
                }
                let snapshots: [any DatabaseSnapshotReader] = [
                    try pool.makeSnapshot(), try pool.makeSnapshotPool(), try DatabaseSnapshotPool(db),
                ]
                for snapshot in snapshots {
                    let values = try snapshot.values()
                    #expect(values == [1, 2, 3])
                }
            }
            try pool.write { db in
                let message =
                    "a snapshot can't see the changes of an open transaction: call makeSnapshot() after the commit"
                expectError(.SQLITE_MISUSE, message) { try pool.makeSnapshot() }
                expectError(.SQLITE_MISUSE) { try pool.makeSnapshotPool() }
                expectError(.SQLITE_MISUSE) { try DatabaseSnapshotPool(db) }
            }
        }
    }

    /// Another transaction would see a later state.
    @Test
    func theTransactionOfASnapshotDoesNotEnd() async throws {
        try await withPool { pool in
            let snapshots: [any DatabaseSnapshotReader] = [try pool.makeSnapshot(), try pool.makeSnapshotPool()]
            try await pool.write { try $0.insert(3) }
            for snapshot in snapshots {
                let ends: [@Sendable (Database) throws -> Void] = [
                    { try $0.rollback() }, { try $0.commit() }, { try $0.execute(sql: "COMMIT; BEGIN") },
                    { try $0.execute(sql: "ROLLBACK; BEGIN") },
                ]
                for end in ends {
                    try await snapshot.read { db in
                        expectError(
                            .SQLITE_MISUSE,
                            "a snapshot has one transaction, which ends when the snapshot is closed: make another "
                                + "snapshot to see a later state"
                        ) { try end(db) }
                        let values = try Int.fetchAll(db, sql: "SELECT x FROM t")
                        #expect(values == [1, 2])
                    }
                }
                let values = try await snapshot.values()
                #expect(values == [1, 2])
            }
        }
    }

    @Test
    func aSnapshotNeedsWALMode() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("queue.sqlite"))
        try queue.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        let error = expectError(.SQLITE_ERROR) { try DatabaseSnapshotPool(path: queue.path) }
        #expect(error?.message?.hasPrefix("a snapshot needs a database in WAL mode") == true)
    }

    @Test
    func cancellingAReadLeavesTheSnapshot() async throws {
        try await withPool { pool in
            let snapshot = try pool.makeSnapshotPool()
            for _ in 1...20 {
                let task = Task {
                    try await snapshot.read { db in
                        try Int.fetchOne(
                            db,
                            sql: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT COUNT(*) FROM c")
                    }
                }
                await Task.yield()
                task.cancel()
                await #expect(throws: CancellationError.self) { _ = try await task.value }
            }
            try await pool.write { try $0.insert(3) }
            try await #expect(snapshot.values() == [1, 2])
        }
    }

    @Test
    func anObservationOfASnapshotNotifiesOneValue() async throws {
        try await withPool { pool in
            for snapshot in try snapshots(of: pool) {
                let recorder = ValueObservation.tracking { try $0.values() }.record(in: snapshot)
                await eventually { recorder.values == [[1, 2]] }
                #expect(recorder.values == [[1, 2]])
                recorder.cancel()
            }
        }
    }

    /// Each connection of a snapshot pool is set up, including the one that only watches for commits, because it may
    /// need a key.
    @Test func allConnectionsOfASnapshotAreSetUp() throws {
        let folder = try TemporaryFolder()
        let count = Atomic<Int>(0)
        var configuration = Configuration()
        configuration.maximumReaderCount = 3
        configuration.prepareDatabase { _ in count.add(1, ordering: .relaxed) }
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
        count.store(0, ordering: .relaxed)
        let snapshot = try pool.makeSnapshotPool()
        #expect(count.load(ordering: .relaxed) == 4)
        try snapshot.close()
    }
}
