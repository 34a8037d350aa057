// Models of observed rows.

import Foundation
import Observation
import RowanRecords
import Synchronization
import Testing

@Record("athlete") struct Athlete: Equatable, Identifiable {
    @PrimaryKey var id: Int64?
    var name: String
    var team: String
}

/// A list on a screen, which is changed by deltas only.
private struct Screen {
    var sections: [RowSection<String, Athlete>] = []

    mutating func apply(_ delta: SectionDelta<String>, _ new: [RowSection<String, Athlete>]) {
        // What leaves its place, by the places before.
        let leaving = Set(delta.deletions + delta.moves.map(\.from))
        var kept: [(String, [Athlete])] = sections.enumerated().map { section, rows in
            (
                rows.key,
                rows.elements.enumerated().filter { !leaving.contains(.init(section: section, index: $0.offset)) }
                    .map(\.element)
            )
        }
        let moved = delta.moves.map { ($0.to, sections[$0.from.section].elements[$0.from.index]) }
        for section in delta.deletedSections.reversed() {
            #expect(kept[section].1.isEmpty, "a section disappears with rows that stay")
            kept.remove(at: section)
        }
        for section in delta.insertedSections { kept.insert((new[section].key, []), at: section) }
        let inserted = delta.insertions.map { ($0, new[$0.section].elements[$0.index]) }
        let order = (moved + inserted).sorted { ($0.0.section, $0.0.index) < ($1.0.section, $1.0.index) }
        for (place, row) in order { kept[place.section].1.insert(row, at: place.index) }
        for place in delta.updates { kept[place.section].1[place.index] = new[place.section].elements[place.index] }
        sections = kept.map { RowSection(key: $0, elements: $1) }
    }
}

@Suite("Models of observed rows") @MainActor
struct ObservedQueryTests {
    private let database: DatabaseQueue

    init() throws {
        database = try DatabaseQueue()
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE athlete (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team TEXT NOT NULL);
                    INSERT INTO athlete VALUES (1, 'Ada', 'red'), (2, 'Bo', 'red'), (3, 'Cy', 'blue')
                    """)
        }
    }

    private func change(_ sql: String) async throws { try await database.write { try $0.execute(sql: sql) } }

    /// Waits until a property has another value than before.
    private func eventually(
        sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition() {
            try #require(ContinuousClock.now < deadline, sourceLocation: sourceLocation)
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test("The first value is there at once, and changes are noticed")
    func values() async throws {
        let query = ObservedQuery(database, Athlete.order(\.name))
        #expect(query.value.map(\.name) == ["Ada", "Bo", "Cy"])
        #expect(!query.isLoading && query.error == nil && !query.hasMore)
        let changes = Mutex(0)
        withObservationTracking {
            _ = query.value
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        try await change("UPDATE athlete SET name = 'Dee' WHERE id = 1")
        try await eventually { query.value.map(\.name) == ["Bo", "Cy", "Dee"] }
        #expect(changes.withLock(\.self) == 1)
    }

    @Test("Without a first value")
    func later() async throws {
        let query = ObservedQuery(database, Athlete.order(\.name), isImmediate: false)
        #expect(query.value.isEmpty && query.isLoading)
        try await eventually { !query.isLoading }
        #expect(query.value.count == 3)
    }

    @Test("Another request ends the observation of the first one")
    func anotherRequest() async throws {
        let query = ObservedQuery(database, Athlete.order(\.name))
        query.request = Athlete.filter { $0.team == "red" }.order(\.name)
        // The old rows stay until there are others.
        #expect(query.isLoading && query.value.count == 3)
        try await eventually { !query.isLoading }
        #expect(query.value.map(\.name) == ["Ada", "Bo"])
        try await change("INSERT INTO athlete VALUES (4, 'Abe', 'red'), (5, 'Ed', 'blue')")
        try await eventually { query.value.map(\.name) == ["Abe", "Ada", "Bo"] }
        // Several changes at once: only the last one counts.
        query.request = Athlete.filter { $0.team == "none" }
        query.request = Athlete.filter { $0.team == "blue" }.order(\.name)
        try await eventually { query.value.map(\.name) == ["Cy", "Ed"] }
    }

    @Test("An error ends the observation, until it is reloaded")
    func errors() async throws {
        let query = ObservedQuery(database, Athlete.order(\.name))
        query.request = Athlete.filter(sql: "missing = 1")
        try await eventually { query.error != nil }
        #expect((query.error as? DatabaseError)?.message == "no such column: missing")
        #expect(!query.isLoading && query.value.count == 3)
        query.request = Athlete.order(\.name.desc)
        try await eventually { query.error == nil && !query.isLoading }
        #expect(query.value.first?.name == "Cy")
        try await change("ALTER TABLE athlete RENAME TO gone")
        try await eventually { query.error != nil }
        try await change("ALTER TABLE gone RENAME TO athlete")
        query.reload()
        try await eventually { query.error == nil && !query.isLoading }
        #expect(query.value.count == 3)
    }

    @Test("The first value of a request that fails")
    func failingFirst() throws {
        let query = ObservedQuery(database, Athlete.filter(sql: "missing = 1"))
        #expect(query.error != nil && !query.isLoading && query.value.isEmpty)
    }

    @Test("Pages")
    func pages() async throws {
        try await change("INSERT INTO athlete (name, team) VALUES ('Di', 'red'), ('Ed', 'red')")
        let query = ObservedQuery(database, Athlete.order(\.name), pageSize: 2)
        #expect(query.value.map(\.name) == ["Ada", "Bo"] && query.hasMore)
        query.loadMore()
        query.loadMore()
        try await eventually { query.value.count == 4 }
        #expect(query.hasMore)
        // What is loaded is also observed, and a page stays full.
        try await change("DELETE FROM athlete WHERE name = 'Bo'")
        try await eventually { query.value.map(\.name) == ["Ada", "Cy", "Di", "Ed"] }
        #expect(!query.hasMore)
        query.loadMore()
        #expect(!query.isLoading)
        query.request = Athlete.order(\.name.desc)
        try await eventually { query.value.map(\.name) == ["Ed", "Di"] }
        #expect(ObservedQuery(database, Athlete.all(), pageSize: .max).value.count == 4)
    }

    @Test("The observation ends with the model")
    func ends() async throws {
        weak var weakQuery: ObservedQuery<Athlete>?
        do {
            let query = ObservedQuery(database, Athlete.all())
            weakQuery = query
            #expect(query.value.count == 3)
        }
        #expect(weakQuery == nil)
        try await change("DELETE FROM athlete")
        try database.close()
    }

    @Test("Sections, and rows that move between them")
    func sections() async throws {
        let teams = ObservedQuery(database, Athlete.order { [$0.team, $0.name] }).sectioned(by: \.team)
        #expect(teams.sections.map(\.key) == ["blue", "red"])
        #expect(teams.sections.map { $0.elements.map(\.name) } == [["Cy"], ["Ada", "Bo"]])
        var deltas: [SectionDelta<String>] = []
        teams.onDelta = { deltas.append($0) }
        // Ada is the first of the red ones: her place in the list of all stays the same.
        try await change("UPDATE athlete SET team = 'blue', name = 'Dora' WHERE id = 1")
        try await eventually { deltas.count == 1 }
        #expect(teams.sections.map { $0.elements.map(\.name) } == [["Cy", "Dora"], ["Bo"]])
        let delta = try #require(deltas.first)
        #expect(delta == teams.delta)
        #expect(delta.moves == [.init(from: .init(section: 1, index: 0), to: .init(section: 0, index: 1))])
        #expect(delta.updates == [.init(section: 0, index: 1)])
        #expect(delta.deletions.isEmpty && delta.insertions.isEmpty)
        #expect(delta.deletedSections.isEmpty && delta.insertedSections.isEmpty)
        try await change("UPDATE athlete SET team = 'green'")
        try await eventually { deltas.count == 2 }
        #expect(teams.delta.deletedSections == [0, 1] && teams.delta.insertedSections == [0])
        #expect(teams.delta.moves.count == 3)
        try await change("DELETE FROM athlete")
        try await eventually { teams.sections.isEmpty }
        #expect(teams.delta.deletions.count == 3 && teams.delta.deletedSections == [0])
    }

    @Test("Deltas of random changes lead from the old sections to the new ones")
    func randomDeltas() async throws {
        var random = SplitMix(seed: 47)
        let teams = ObservedQuery(database, Athlete.order { [$0.team, $0.name] }).sectioned(by: \.team)
        var screen = Screen(sections: teams.sections)
        teams.onDelta = { [unowned teams] delta in
            screen.apply(delta, teams.sections)
            #expect(screen.sections == teams.sections)
        }
        for round in 0..<300 {
            var sql = ""
            for _ in 0...Int.random(in: 0...4, using: &random) {
                let (id, team) = (Int.random(in: 1...12, using: &random), Int.random(in: 0...3, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: sql += "INSERT OR IGNORE INTO athlete VALUES (\(id), 'n\(round % 17)', 't\(team)');"
                case 1: sql += "DELETE FROM athlete WHERE id = \(id);"
                case 2: sql += "UPDATE athlete SET team = 't\(team)' WHERE id = \(id);"
                default: sql += "UPDATE athlete SET name = 'm\(round % 13)' WHERE id = \(id);"
                }
            }
            try await change(sql)
            let expected = try await database.read { try Athlete.order { [$0.team, $0.name] }.fetchAll($0) }
            // Rows with equal names and teams have no order.
            try await eventually {
                Set(teams.query.value.map(\.id)) == Set(expected.map(\.id))
                    && teams.query.value.sorted { $0.id! < $1.id! } == expected.sorted { $0.id! < $1.id! }
            }
        }
        #expect(screen.sections == teams.sections)
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
