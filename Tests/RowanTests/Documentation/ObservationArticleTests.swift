// The code of the articles "Observation" and "Concurrency".

import Dispatch
import Foundation
import Rowan
import Testing

#if canImport(Combine)
import Combine
#endif

/// The lines printed by the articles.
private let printed = Log<String>()

private func print(_ text: Any) { printed.append("\(text)") }

private struct Player: Codable, Equatable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var name: String
    var score: Int

    enum Columns {
        static let score = Column(CodingKeys.score)
    }
}

final class PlayerObserver: TransactionObserver {
    private var count = 0

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "player" }
    func databaseDidChange(with event: DatabaseEvent) { count += 1 }

    func databaseDidCommit(_ db: Database) {
        print("\(count) changes")
        count = 0
    }

    func databaseDidRollback(_ db: Database) { count = 0 }
}

final class ScoreHistory: PreUpdateObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "player" }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        guard let index = event.columnNames.firstIndex(of: "score") else { return }
        let score = event.initialDatabaseValue(atIndex: index)
        let newScore = event.finalDatabaseValue(atIndex: index)
        print("\(event.kind): \(score ?? .null) -> \(newScore ?? .null)")
    }

    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}

// Serialized, because both tests read the lines printed by the samples.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ObservationArticleConcurrencyTests {
    @Test func observation() async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("article.sqlite"))
        try await pool.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
            for id in 1...3 { try Player(id: Int64(id), name: "P\(id)", score: id).insert(db) }
        }
        let observation = ValueObservation.tracking { db in
            try Player.order(\.score.desc).limit(3).fetchAll(db)
        }
        for try await players in observation.values(in: pool) {
            print(players.map(\.name))
            if players.count == 3 { break }
        }
        #expect(printed.elements.last == #"["P3", "P2", "P1"]"#)
        try await startAndCancel(observation, pool)
        try await operators(observation, pool)
        try await differences(observation, pool)
        try await pool.read { db in try regions(db) }
        try await transactions(pool)
        try await values(pool)
        #if canImport(Combine)
        try await publishers(observation, pool)
        #endif
        var config = Configuration()
        config.observesOtherProcesses = true
        try Article("Observation").check(ran: [])
        withExtendedLifetime((folder, config)) {}
    }

    private func startAndCancel(
        _ observation: ValueObservation<ValueReducers.Fetch<[Player]>>, _ pool: DatabasePool
    ) async throws {
        let queue = DispatchQueue(label: "article")
        let count = printed.elements.count
        let cancellable = observation.start(in: pool, scheduling: .async(onQueue: queue)) { error in
            print("the observation has ended: \(error)")
        } onChange: { players in
            print(players.map(\.name))
        }
        await eventually { printed.elements.count > count }
        #expect(printed.elements.last == #"["P3", "P2", "P1"]"#)
        cancellable.cancel()
    }

    private func operators(
        _ observation: ValueObservation<ValueReducers.Fetch<[Player]>>, _ pool: DatabasePool
    ) async throws {
        let names = observation.map { players in players.map(\.name) }.removeDuplicates()
        let traced = names.print("names")
        let shared = observation.shared(in: pool, scheduling: .task)
        for try await players in shared.values() {
            print(players.count)
            break
        }
        #expect(printed.elements.last == "3")
        let onScores = ValueObservation.tracking(region: Player.select(\.score)) { db in
            try Player.fetchAll(db)
        }
        let tenPerSecond = observation.throttle(for: .milliseconds(100))
        let afterEachBurst = observation.debounce(for: .milliseconds(50))
        withExtendedLifetime((traced, onScores, tenPerSecond, afterEachBurst)) {}
    }

    private func differences(
        _ observation: ValueObservation<ValueReducers.Fetch<[Player]>>, _ pool: DatabasePool
    ) async throws {
        var list: [Player] = []
        let deltas = observation.deltas()
        for try await delta in deltas.values(in: pool) {
            for deletion in delta.deletions { print("- \(deletion.element.name)") }
            for insertion in delta.insertions { print("+ \(insertion.element.name)") }
            for update in delta.updates { print("\(update.old.score) → \(update.new.score)") }
            delta.apply(to: &list)
            break
        }
        #expect(printed.elements.suffix(3) == ["+ P3", "+ P2", "+ P1"])
        #expect(list.map(\.id) == [3, 2, 1])
    }

    private func regions(_ db: Database) throws {
        let score = ValueObservation.tracking { db in
            try Int.fetchOne(db, Player.filter(id: 1).select(\.score))
        }
        let region = try Player.filter(id: 1).select(\.score).databaseRegion(db)
        print(region)  // player(id,score)[1]
        #expect(printed.elements.last == "player(id,score)[1]")
        withExtendedLifetime(score) {}
    }

    private func transactions(_ pool: DatabasePool) async throws {
        let players = DatabaseRegionObservation(tracking: Table("player")).start(in: pool) { error in
            print("can't observe: \(error)")
        } onChange: { db in
            print("players have changed")
        }
        let observer = PlayerObserver()
        pool.add(transactionObserver: observer)
        try await pool.write { db in
            for id in 4...5 { try Player(id: Int64(id), name: "P\(id)", score: id).insert(db) }
        }
        #expect(printed.elements.suffix(2) == ["players have changed", "2 changes"])
        try await pool.write { db in
            try db.notifyChanges(in: Table("player"))
        }
        #expect(printed.elements.suffix(2) == ["players have changed", "0 changes"])
        withExtendedLifetime((players, observer)) {}
    }

    private func values(_ pool: DatabasePool) async throws {
        let history = ScoreHistory()
        pool.add(transactionObserver: history)
        try await pool.write { db in
            try db.execute(sql: "UPDATE player SET score = 10 WHERE id = 1")  // update: 1 -> 10
        }
        #expect(printed.elements.last == (Database.supportsPreUpdateEvents ? "update: 1 -> 10" : "0 changes"))
        withExtendedLifetime(history) {}
    }

    #if canImport(Combine)
    private func publishers(
        _ observation: ValueObservation<ValueReducers.Fetch<[Player]>>, _ pool: DatabasePool
    ) async throws {
        let queue = DispatchQueue(label: "publishers")
        let printedCount = printed.elements.count
        let cancellable = observation.publisher(in: pool, scheduling: .async(onQueue: queue)).sink { completion in
            print("the observation has ended: \(completion)")
        } receiveValue: { players in
            print(players.map(\.name))
        }
        let names = pool.readPublisher(receiveOn: queue) { db in try Player.fetchAll(db).map(\.name) }
        let count = pool.writePublisher(
            receiveOn: queue,
            updates: { db in try Player(id: 6, name: "P6", score: 6).insert(db) },
            thenRead: { db, _ in try Player.fetchCount(db) })
        await eventually { printed.elements.count > printedCount }
        #expect(printed.elements.last == #"["P1", "P5", "P4"]"#)
        let results = Log<String>()
        let accesses = [
            names.map { "\($0)" }.sink { _ in
            } receiveValue: {
                results.append($0)
            },
            count.map { "\($0)" }.sink { _ in
            } receiveValue: {
                results.append($0)
            },
        ]
        await eventually { results.elements.count == 2 }
        #expect(results.elements.contains("6"))
        withExtendedLifetime((accesses, cancellable)) {}
    }
    #endif

    @Test func concurrency() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("article.sqlite")
        let pool = try DatabasePool(path: path)
        try await pool.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
        }
        let count = try await pool.read { db in try Player.fetchCount(db) }
        #expect(count == 0)
        let task = Task {
            try await pool.write { db in
                for score in 0..<1_000_000 {
                    try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Arthur', ?)", arguments: [score])
                }
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await pool.write { db in try Player(id: 1, name: "Arthur", score: 1).insert(db) }
        let snapshot = try pool.makeSnapshot()
        try await pool.write { db in _ = try Player.deleteAll(db) }
        let before = try await snapshot.read { db in try Player.fetchCount(db) }
        #expect(before == 1)
        let rows = try await pool.read { db in
            try DetachedRow.fetchAll(db, sql: "SELECT name, score FROM player")
        }
        #expect(rows.isEmpty)
        var config = Configuration()
        config.groupsAsyncWrites = true
        config.prepareDatabase { db in
            db.addTrace(options: [.profile, .withoutTransactions, .withoutShadowTables]) { event in
                if case .profile(let statement, let duration) = event, duration > 0.1 || statement.error != nil {
                    print("\(event)")  // 0.215s SELECT * FROM player WHERE name = ?
                }
            }
        }
        config.readerTimeout = .seconds(10)
        config.reportLongReads(after: .seconds(5)) { read in
            print("\(read)")
        }
        let status = pool.status
        print("\(status.reads.count) reads, \(status.waitingReadCount) waiting, \(status.walSize) bytes in the WAL")
        for read in status.reads {
            print("\(read)")  // snapshot at App/PlayerStore.swift:42 for 3.2 seconds
        }
        #expect(printed.elements.last?.hasPrefix("snapshot at RowanTests/ObservationArticleTests.swift:") == true)
        config.journalMode = .wal
        config.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: config)
        try await queue.write { db in try Player(id: 2, name: "Barbara", score: 1).insert(db) }
        try Article("Concurrency").check(ran: [])
        withExtendedLifetime(folder) {}
    }
}
