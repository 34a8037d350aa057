// A fetch is interrupted when its last observation has ended, so that it doesn't occupy a connection.

import Foundation
import Rowan
import Testing

@Suite(.timeLimit(.minutes(2)))
struct EndedFetchConcurrencyTests {
    /// Reads a table, then runs for minutes unless it is interrupted.
    private static let endless = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE started() LIMIT 100000000000)
        SELECT COUNT(*) + (SELECT COUNT(*) FROM t) FROM n
        """

    private func configuration(_ hasStarted: Gate) -> Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("started", argumentCount: 0, pure: false) { _ in
                    hasStarted.open()
                    return true
                })
        }
        return configuration
    }

    private func check(_ kind: ConnectionKind, firstFetch: Bool, requiresWriteAccess: Bool = false) async throws {
        let folder = try TemporaryFolder()
        let hasStarted = Gate()
        let writer = try kind.make(in: folder, configuration(hasStarted))
        try await writer.write { db in try db.execute(sql: "CREATE TABLE t(x)") }
        let isEndless = Mutex(firstFetch)
        var observation = ValueObservation.tracking(regions: [Table("t")]) { db in
            isEndless.withLock { $0 } ? try Int.fetchOne(db, sql: Self.endless)! : try Table("t").fetchCount(db)
        }
        observation.requiresWriteAccess = requiresWriteAccess
        let (recorder, other) = (observation.record(in: writer), observation.record(in: writer))
        if !firstFetch {
            await eventually { recorder.values == [0] && other.values == [0] }
            try await writer.fence()
            isEndless.withLock { $0 = true }
            // With a single connection, the fetch runs in the committing access.
            startThread { try? writer.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") } }
        }
        await hasStarted.opened()
        recorder.cancel()
        other.cancel()
        // Without the interruption, these would wait for minutes.
        try await writer.writeWithoutTransaction { _ in }
        try await writer.barrierWriteWithoutTransaction { _ in }
        isEndless.withLock { $0 = false }
        let count = try await writer.read { db in try Table("t").fetchCount(db) }
        #expect(count == (firstFetch ? 0 : 1))
        #expect(recorder.errors.isEmpty && other.errors.isEmpty)
        // The connections work, and a new observation fetches.
        let fresh = observation.record(in: writer)
        await eventually { fresh.values == [count] }
        fresh.cancel()
        try writer.close()
    }

    @Test(arguments: ConnectionKind.allCases.filter { $0 != .cluster })
    func aFetchAfterAChange(_ kind: ConnectionKind) async throws { try await check(kind, firstFetch: false) }

    @Test(arguments: ConnectionKind.allCases.filter { $0 != .cluster })
    func aFirstFetch(_ kind: ConnectionKind) async throws { try await check(kind, firstFetch: true) }

    @Test(arguments: ConnectionKind.pools)
    func aFetchOnTheWriter(_ kind: ConnectionKind) async throws {
        try await check(kind, firstFetch: false, requiresWriteAccess: true)
    }

    /// Other statements on the connection continue when the fetch is interrupted.
    @Test func aCursorOfTheProgram() async throws {
        let hasStarted = Gate()
        let queue = try DatabaseQueue(configuration: configuration(hasStarted))
        try await queue.write { db in
            try db.execute(sql: "CREATE TABLE t(x); CREATE TABLE u(x); INSERT INTO u VALUES (1), (2), (3)")
        }
        let isEndless = Mutex(false)
        let observation = ValueObservation.tracking(regions: [Table("t")]) { db in
            isEndless.withLock { $0 } ? try Int.fetchOne(db, sql: Self.endless)! : 0
        }
        let recorder = observation.record(in: queue)
        await eventually { recorder.values == [0] }
        isEndless.withLock { $0 = true }
        startThread {
            hasStarted.wait()
            recorder.cancel()
        }
        let values = try await queue.writeWithoutTransaction { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM u")
            var values = [try cursor.next()]
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            while let value = try cursor.next() { values.append(value) }
            return values
        }
        #expect(values == [1, 2, 3])
    }
}
