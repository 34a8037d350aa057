// Metrics of databases.

import Metrics
import MetricsTestKit
import Rowan
import RowanMetrics
import Testing

@Suite(.timeLimit(.minutes(2)))
struct MetricsInstrumentTests {
    private let metrics = TestMetrics()
    private let database = [("db.system.name", "sqlite"), ("db.namespace", "players")]
    private let pool = [("db.client.connection.pool.name", "players")]

    private func labels(_ operation: String, _ table: String? = "player", error: String? = nil) -> [(String, String)] {
        database + [("db.operation.name", operation)] + (table.map { [("db.collection.name", $0)] } ?? [])
            + (error.map { [("error.type", $0)] } ?? [])
    }

    @Test("Durations and rows of statements by operation and table")
    func statements() async throws {
        try await withPool(MetricsInstrument(factory: metrics)) { pool in
            for _ in 0..<3 { _ = try await pool.read { try $0.names() } }
            await #expect(throws: DatabaseError.self) {
                try await pool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')") }
            }
            let name = "db.client.operation.duration"
            let select = try metrics.expectTimer(name, labels("SELECT"))
            #expect(select.values.count == 3)
            #expect(select.values.allSatisfy { $0 > 0 })
            #expect(try metrics.expectTimer(name, labels("INSERT")).values.count == 1)
            #expect(try metrics.expectTimer(name, labels("INSERT", error: "2067")).values.count == 1)
            #expect(try metrics.expectTimer(name, labels("CREATE TABLE")).values.count == 1)
            #expect(try metrics.expectTimer(name, labels("ROLLBACK", nil)).values.count == 1)
            let rows = try metrics.expectRecorder("db.client.response.returned_rows", labels("SELECT"))
            #expect(rows.values == [2, 2, 2])
        }
    }

    @Test("Waiting accesses and connections in use")
    func connections() async throws {
        try await withPool(MetricsInstrument(factory: metrics), { $0.maximumReaderCount = 2 }) { database in
            let used = try metrics.expectMeter(
                "db.client.connection.count", pool + [("db.client.connection.state", "used")])
            let pending = try metrics.expectMeter("db.client.connection.pending_requests", pool)
            #expect((used.lastValue, pending.lastValue) == (0, 0))
            try await database.read { _ in #expect(used.lastValue == 1) }
            #expect(used.lastValue == 0)
            #expect(try metrics.expectMeter("db.client.connection.max", pool).lastValue == 3)
            let uses = try metrics.expectTimer("db.client.connection.use_time", pool).values.count
            #expect(uses == 2)
            #expect(try metrics.expectTimer("db.client.connection.wait_time", pool).values.count == uses)
            // An access that never gets a connection no longer waits.
            try database.close()
            await #expect(throws: DatabaseError.self) { try await database.read { _ in } }
            #expect((used.lastValue, pending.lastValue) == (0, 0))
        }
    }

    @Test("Transactions, the log and its checkpoints")
    func transactions() async throws {
        struct Refusal: Error {}
        try await withPool(MetricsInstrument(factory: metrics)) { pool in
            let name = "rowan.transaction.duration"
            let before = try metrics.expectTimer(name, database + [("rowan.transaction.outcome", "committed")]).values
                .count
            await #expect(throws: Refusal.self) { try await pool.write { _ in throw Refusal() } }
            try await pool.write { try $0.execute(sql: "DELETE FROM player") }
            let committed = try metrics.expectTimer(name, database + [("rowan.transaction.outcome", "committed")])
            #expect(committed.values.count == before + 1)
            let rolledBack = try metrics.expectTimer(name, database + [("rowan.transaction.outcome", "rolled_back")])
            #expect(rolledBack.values.count == 1)
            let pages = try metrics.expectMeter("rowan.wal.pages", database)
            #expect(pages.lastValue ?? 0 > 0)
            _ = try await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            #expect(pages.lastValue == 0)
            #expect(try metrics.expectTimer("rowan.checkpoint.duration", database).values.count == 1)
        }
    }
}
