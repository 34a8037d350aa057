// Region observations: the transactions that they report, and their start and end, also with other threads.

import Foundation
@testable import Rowan
import Testing

@Suite(.tags(.runsOnClusters))
struct DatabaseRegionObservationConcurrencyTests {
    private static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO player VALUES (1, 'Arthur', 10), (2, 'Barbara', 20);
        """

    /// Runs the closure with a new database of a kind.
    private func withWriter(
        _ kind: ConnectionKind, _ body: (any DatabaseWriter) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try writer.write { try $0.execute(sql: Self.schema) }
        try withExtendedLifetime(folder) { try body(writer) }
    }

    private struct Player: TableRecord {
        static let databaseTableName = "player"
    }

    private func fail(_ error: any Error) { Issue.record("\(error)") }

    @Test(
        .disabled(if: ClusterUnderTest.isActive, "a cluster does not report which rows change"),
        arguments: ConnectionKind.allCases)
    func changes(_ kind: ConnectionKind) throws {
        try withWriter(kind) { writer in
            let log = Log<String>()
            let players = DatabaseRegionObservation(tracking: Player.select(Column("name")))
            let first = DatabaseRegionObservation(tracking: Player.filter(key: 1), Table("team"))
            let everything = DatabaseRegionObservation(tracking: .fullDatabase)
            let cancellables = [
                players.start(in: writer, onError: fail) { _ in log.append("names") },
                first.start(in: writer, onError: fail) { db in
                    let name = try? String.fetchOne(db, sql: "SELECT name FROM player WHERE id = 1")
                    log.append("first \(name ?? "deleted")")
                },
                everything.start(in: writer, onError: fail) { db in
                    #expect(!db.isInsideTransaction)
                    log.append("everything")
                },
            ]
            func changes(_ sql: String) throws -> [String] {
                let count = log.elements.count
                try writer.write { try $0.execute(sql: sql) }
                return Array(log.elements.dropFirst(count))
            }
            try withExtendedLifetime(cancellables) {
                try #expect(changes("UPDATE player SET score = 1 WHERE id = 2") == ["everything"])
                try #expect(changes("UPDATE player SET score = 1 WHERE id = 1") == ["first Arthur", "everything"])
                try #expect(changes("UPDATE player SET name = 'B' WHERE id = 2") == ["names", "everything"])
                try #expect(changes("UPDATE player SET name = name") == ["names", "first Arthur", "everything"])
                try #expect(changes("INSERT INTO team VALUES (1, 'Reds')") == ["first Arthur", "everything"])
                try #expect(changes("INSERT INTO player VALUES (3, 'C', 1)") == ["names", "everything"])
                try #expect(changes("UPDATE player SET id = 9 WHERE id = 1").contains("first deleted"))
                try #expect(changes("CREATE TABLE other(x)") == ["everything"])
                try #expect(changes("SELECT * FROM player") == [])
                try #expect(changes("DELETE FROM player WHERE id = 1000") == [])
                try #expect(changes("SAVEPOINT a; DELETE FROM player; ROLLBACK TO a; RELEASE a") == [])
                let count = log.elements.count
                expectRefusal {
                    try writer.write { db in
                        try db.execute(sql: "DELETE FROM player")
                        throw Refusal()
                    }
                }
                #expect(log.elements.count == count)
            }
        }
    }

    /// The observation ends when its cancellable is released or cancelled.
    @Test(arguments: ConnectionKind.allCases)
    func cancellation(_ kind: ConnectionKind) throws {
        try withWriter(kind) { writer in
            let log = Log<Int>()
            let observation = DatabaseRegionObservation(tracking: Table("player"))
            func change() throws -> Int {
                try writer.write { try $0.execute(sql: "UPDATE player SET score = score + 1") }
                return log.elements.count
            }
            var cancellable: AnyDatabaseCancellable? = observation.start(in: writer, onError: fail) { _ in log.append(1)
            }
            try #expect(change() == 1)
            cancellable?.cancel()
            try #expect(change() == 1)
            cancellable?.cancel()
            cancellable = observation.start(in: writer, onError: fail) { _ in log.append(2) }
            try #expect(change() == 2)
            cancellable = nil
            try #expect(change() == 2)
            // Within a transaction, and in the callback.
            let second = Held<AnyDatabaseCancellable>()
            second.value = observation.start(in: writer, onError: fail) { _ in
                log.append(3)
                second.value?.cancel()
            }
            try #expect(change() == 3)
            try #expect(change() == 3)
            let third = observation.start(in: writer, onError: fail) { _ in log.append(4) }
            try writer.write { db in
                try db.execute(sql: "DELETE FROM player")
                third.cancel()
            }
            #expect(log.elements == [1, 2, 3])
        }
    }

    /// The connection releases a cancelled observation, even if it was started in a type-erased writer that no longer
    /// exists.
    @Test func releasedWriters() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Self.schema) }
        let cancellable = DatabaseRegionObservation(tracking: Table("player"))
            .start(in: AnyDatabaseWriter(queue), onError: fail) { _ in }
        func isObserved() throws -> Bool {
            try queue.read { $0.state[ChangeTracker.self]?.subscribers.isEmpty == false }
        }
        try #expect(isObserved())
        cancellable.cancel()
        try queue.write { try $0.execute(sql: "DELETE FROM team") }
        try #expect(!isObserved())
    }

    /// However often the closure was called, it is called directly, and not through a growing number of others.
    @Test func closuresGetNoLayers() throws {
        let callers = Log<Int>()
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Self.schema) }
        let region = DatabaseRegionObservation(tracking: Table("team"))
            .start(in: queue, onError: fail) { _ in callers.append(Thread.callStackReturnAddresses.count) }
        for id in 1...100 {
            try queue.write { try $0.execute(sql: "INSERT INTO team (id) VALUES (?)", arguments: [id]) }
        }
        region.cancel()
        let elements = callers.elements
        #expect(elements.count == 100)
        #expect(elements.min()! > 1)
        #expect(elements.max()! == elements.min()!)
    }

    @Test(arguments: ConnectionKind.allCases)
    func errors(_ kind: ConnectionKind) throws {
        try withWriter(kind) { writer in
            let errors = Log<String>()
            func start(_ region: any DatabaseRegionConvertible) -> AnyDatabaseCancellable {
                DatabaseRegionObservation(tracking: [region]).start(in: writer) { error in
                    errors.append((error as? DatabaseError)?.message ?? "\(error)")
                } onChange: { _ in
                    Issue.record("a change")
                }
            }
            let unknown = start(SQLRequest<Row>(sql: "SELECT * FROM unknown"))
            #expect(errors.elements == ["no such table: unknown"])
            try writer.write { try $0.execute(sql: "DELETE FROM player") }
            unknown.cancel()
            let running = DatabaseRegionObservation(tracking: Table("team")).start(in: writer, onError: fail) { _ in }
            try writer.close()
            let closed = start(Table("player"))
            #expect(errors.elements.count == 2)
            closed.cancel()
            running.cancel()
        }
    }

    /// In a write, the observation begins immediately.
    @Test(arguments: ConnectionKind.allCases)
    func startInAWrite(_ kind: ConnectionKind) throws {
        try withWriter(kind) { writer in
            let log = Log<Int>()
            let observation = DatabaseRegionObservation(tracking: Table("player"))
            let cancellable = try writer.write { db in
                try db.execute(sql: "DELETE FROM player WHERE id = 1")
                let cancellable = observation.start(in: writer, onError: fail) { _ in log.append(1) }
                try db.execute(sql: "DELETE FROM player WHERE id = 2")
                return cancellable
            }
            #expect(log.elements == [1])
            cancellable.cancel()
        }
    }

    /// Each commit of several threads is reported before any other write.
    @Test(arguments: ConnectionKind.allCases)
    func threads(_ kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try await writer.write { try $0.execute(sql: Self.schema) }
        let counts = Log<Int>()
        let cancellable = DatabaseRegionObservation(tracking: Table("team")).start(in: writer, onError: fail) { db in
            counts.append((try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team")) ?? -1)
        }
        try await onThreads(4) { index in
            for _ in 0..<25 {
                // Observations start and end on the same connection.
                let other = DatabaseRegionObservation(tracking: Player.all()).start(in: writer) { _ in
                } onChange: { _ in
                }
                try writer.write { try $0.execute(sql: "INSERT INTO team(name) VALUES ('x')") }
                if index % 2 == 0 { other.cancel() }
            }
        }
        #expect(counts.elements == Array(1...100))
        cancellable.cancel()
        try await writer.write { try $0.execute(sql: "DELETE FROM team") }
        #expect(counts.elements.count == 100)
        withExtendedLifetime(folder) {}
    }

    /// Adds and removes observers on other threads than the writing one.
    @Test(
        .disabled(if: ClusterUnderTest.isActive, "a cluster does not report which rows change"),
        arguments: ConnectionKind.allCases)
    func observers(_ kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try await writer.write { try $0.execute(sql: Self.schema) }
        try await onThreads(4) { _ in
            for round in 0..<25 {
                let log = ObserverLog()
                writer.add(
                    transactionObserver: log, extent: round % 3 == 0 ? .nextTransaction : .observerLifetime)
                try writer.write { db in
                    try db.execute(sql: "INSERT INTO team(name) VALUES ('x')")
                    log.stopObservingDatabaseChangesUntilNextTransaction()
                }
                if round % 2 == 0 { writer.remove(transactionObserver: log) }
            }
        }
        let count = try await writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team") }
        #expect(count == 100)
        withExtendedLifetime(folder) {}
    }
}
