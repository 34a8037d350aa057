// Group commit: writes that share a transaction, and the effect of one failure on the others.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct GroupedWritesConcurrencyTests {
    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.groupsAsyncWrites = true
        return configuration
    }

    private struct Refusal: Error, Equatable { var number: Int }

    /// Runs writes that all wait while another access uses the writer.
    private func runTogether(
        _ writer: any DatabaseWriter, _ writes: [@Sendable (Database) throws -> Int]
    ) async throws -> [Result<Int, any Error>] {
        let isHeld = Gate()
        let mayEnd = Gate()
        startThread {
            writer.writeWithoutTransaction { _ in
                isHeld.open()
                mayEnd.wait()
            }
        }
        await isHeld.opened()
        let tasks = writes.map { write in Task { try await writer.write(write) } }
        // The tasks wait for the writer, in any order.
        await eventually { writer.waitingCount(\.write) == writes.count + 1 }
        mayEnd.open()
        var results: [Result<Int, any Error>] = []
        for task in tasks { results.append(await task.result) }
        return results
    }

    @Test(arguments: ConnectionKind.allCases)
    func writesShareTransactions(_ kind: ConnectionKind) async throws {
        try await withTable(kind, configuration) { writer in
            let commits = Log<Int>()
            final class Counter: TransactionObserver {
                let commits: Log<Int>
                init(_ commits: Log<Int>) { self.commits = commits }
                func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
                func databaseDidChange(with event: DatabaseEvent) {}
                func databaseDidCommit(_ db: Database) { commits.append(1) }
                func databaseDidRollback(_ db: Database) {}
            }
            let counter = Counter(commits)
            writer.add(transactionObserver: counter)
            let results = try await runTogether(
                writer,
                (3...102).map { value in
                    { db in
                        try db.insert(value)
                        return value
                    }
                })
            #expect(try results.map { try $0.get() } == Array(3...102))
            #expect(commits.elements.count == 1)
            try await #expect(writer.values().sorted() == Array(1...102))
            withExtendedLifetime(counter) {}
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aFailureLeavesTheOthersAlone(_ kind: ConnectionKind) async throws {
        try await withTable(kind, configuration) { writer in
            let results = try await runTogether(
                writer,
                (3...12).map { value in
                    { db in
                        try db.insert(value)
                        if value % 2 == 0 { throw Refusal(number: value) }
                        return value
                    }
                })
            for (value, result) in zip(3...12, results) {
                switch result {
                case .success(let number): #expect(number == value && value % 2 == 1)
                case .failure(let error): #expect(error as? Refusal == Refusal(number: value))
                }
            }
            try await #expect(writer.values().sorted() == [1, 2, 3, 5, 7, 9, 11])
        }
    }

    /// A write that ends the shared transaction, or makes its commit fail.
    @Test(
        arguments: ConnectionKind.allCases,
        [
            "ROLLBACK", "COMMIT", "ROLLBACK; BEGIN", "COMMIT; BEGIN", "INSERT OR ROLLBACK INTO k VALUES (1)",
            "INSERT INTO child VALUES (99)",
        ])
    func aWriteThatEndsTheTransaction(_ kind: ConnectionKind, _ sql: String) async throws {
        try await withTable(kind, configuration) { writer in
            try await writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE k(x PRIMARY KEY); INSERT INTO k VALUES (1);
                        CREATE TABLE parent(id INTEGER PRIMARY KEY);
                        CREATE TABLE child(id REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED);
                        """)
            }
            let results = try await runTogether(
                writer,
                (3...7).map { value in
                    { db in
                        try db.insert(value)
                        if value == 5 { try db.execute(sql: sql) }
                        return value
                    }
                })
            for (value, result) in zip(3...7, results) where value != 5 { #expect(try result.get() == value) }
            #expect((try? results[2].get()) == nil)
            // A write that commits has committed, and nothing is written twice.
            try await #expect(
                writer.values().sorted() == (sql.hasPrefix("COMMIT") ? Array(1...7) : [1, 2, 3, 4, 6, 7]))
        }
    }

    @Test(
        .disabled(if: ClusterUnderTest.isActive, "an endless statement makes the leader step down"),
        arguments: ConnectionKind.allCases)
    func cancelledWrites(_ kind: ConnectionKind) async throws {
        try await withTable(kind, configuration) { writer in
            let started = Gate()
            let endless = Task {
                try await writer.write { db in
                    try db.insert(3)
                    started.open()
                    try db.execute(
                        sql: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT COUNT(*) FROM c")
                }
            }
            await started.opened()
            let waiting = Task { try await writer.write { try $0.insert(4) } }
            let other = Task { try await writer.write { try $0.insert(5) } }
            await eventually { writer.waitingCount(\.write) == 2 }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            endless.cancel()
            await #expect(throws: CancellationError.self) { try await endless.value }
            try await other.value
            try await #expect(writer.values().sorted() == [1, 2, 5])
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await writer.write { try $0.insert(6) }
            }
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            try await writer.write { try $0.insert(7) }
            try await #expect(writer.values().sorted() == [1, 2, 5, 7])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aClosedConnection(_ kind: ConnectionKind) async throws {
        try await withTable(kind, configuration) { writer in
            try writer.close()
            await expectError(.SQLITE_MISUSE) { try await writer.write { try $0.insert(3) } }
        }
    }
}
