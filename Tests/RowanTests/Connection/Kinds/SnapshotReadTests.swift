// A snapshot can be read without `try` if the closure doesn't throw.

import Rowan
import Testing

@Suite struct SnapshotReadTests {
    private func withSnapshot(_ body: (DatabasePool, DatabaseSnapshot) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("snapshot.sqlite"))
        try pool.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        try withExtendedLifetime(folder) { try body(pool, pool.makeSnapshot()) }
    }

    @Test func closuresThatThrowNothing() throws {
        try withSnapshot { pool, snapshot in
            try pool.write { try $0.insert(2) }
            let values = snapshot.read { db in (try? db.values()) ?? [] }
            #expect(values == [1])
            let others = snapshot.unsafeRead { db in (try? db.values()) ?? [] }
            #expect(others == [1])
            let error = snapshot.read { db in databaseError { try db.insert(3) } }
            #expect(error?.resultCode == .SQLITE_READONLY)
        }
    }

    @Test func closuresThatThrow() throws {
        try withSnapshot { _, snapshot in
            let values = try snapshot.read { db in try db.values() }
            #expect(values == [1])
            #expect(throws: CallbackFailure.self) { try snapshot.read { _ in throw CallbackFailure("read") } }
            #expect(throws: CallbackFailure.self) { try snapshot.unsafeRead { _ in throw CallbackFailure("read") } }
            let reentrant = try snapshot.read { _ in try snapshot.reentrantRead { try $0.values() } }
            #expect(reentrant == [1])
        }
    }

    @Test func asynchronousReads() async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("snapshot.sqlite"))
        try await pool.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        let snapshot = try pool.makeSnapshot()
        let values = try await snapshot.read { db in try db.values() }
        #expect(values == [1])
    }

    /// The closure runs, and its statements throw the error.
    @Test func aClosedSnapshot() throws {
        try withSnapshot { _, snapshot in
            try snapshot.close()
            let error = snapshot.read { db in databaseError { try db.values() } }
            #expect(error?.resultCode == .SQLITE_MISUSE)
        }
    }
}
