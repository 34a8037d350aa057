// Rowan in a module whose declarations are on the main actor by default, as in programs with a user interface.

import Rowan
import RowanRecords
import Testing

nonisolated struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
}

/// The struct is on the main actor, but the generated code isn't.
@Record("player") struct GeneratedPlayer: Equatable {
    var id: Int64
    var name: String
    @Ignored var isSelected = false
}

@Selection struct PlayerName: Equatable {
    var name: String
}

final class PlayerList {
    private(set) var names: [String] = []
    private var cancellable: AnyDatabaseCancellable?

    func observe(_ database: any DatabaseReader) {
        cancellable = ValueObservation.tracking { db in
            try Player.order(Column("name")).fetchAll(db)
        }.start(in: database) { error in
            Issue.record(error)
        } onChange: { [weak self] players in
            self?.names = players.map(\.name)
        }
    }

    func observeImmediately(_ database: any DatabaseReader) {
        cancellable = ValueObservation.tracking { try Player.fetchCount($0) }.map { ["\($0)"] }
            .start(in: database, scheduling: .immediate) { error in
                Issue.record(error)
            } onChange: { names in
                self.names = names
            }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct MainActorTests {
    @Test func observation() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT)")
            try Player(id: 1, name: "Barbara").insert(db)
        }
        let list = PlayerList()
        list.observe(queue)
        while list.names.count < 1 { await Task.yield() }
        #expect(list.names == ["Barbara"])
        try await queue.write { db in try Player(id: 2, name: "Arthur").insert(db) }
        while list.names.count < 2 { await Task.yield() }
        #expect(list.names == ["Arthur", "Barbara"])
        let immediate = PlayerList()
        immediate.observeImmediately(queue)
        #expect(immediate.names == ["2"])
    }

    @Test func sequencesAndAccesses() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT)") }
        let names = ["Arthur", "Barbara"]
        try await queue.write { db in
            for (index, name) in names.enumerated() { try Player(id: Int64(index), name: name).insert(db) }
        }
        let generated = try await queue.read { db in try GeneratedPlayer.order(\.id).fetchAll(db) }
        #expect(generated == names.enumerated().map { GeneratedPlayer(id: Int64($0), name: $1) })
        try await queue.write { db in
            try db.execute(sql: "DELETE FROM player")
            for player in generated { try player.insert(db) }
        }
        let found = try await queue.read { db in try PlayerName.fetchAll(db, sql: "SELECT name FROM player ORDER BY id")
        }
        #expect(found.map(\.name) == names)
        for try await players in ValueObservation.tracking({ try Player.fetchAll($0) }).values(in: queue) {
            #expect(players.map(\.name) == names)
            break
        }
    }
}
