import PlacesKit
import Rowan
import Testing

struct FollowedPlacesTests {
    private let folder: TemporaryFolder
    private let pool: DatabasePool

    init() throws {
        folder = try TemporaryFolder()
        pool = try PlacesDatabase.open(at: folder.database)
        let zoneinfo = try folder.zoneinfo(zones: Sample.zones)
        _ = try pool.write { db in try Importer(folder: zoneinfo).run(db) }
    }

    private func fetch(countryCode: String? = nil) throws -> FollowedPlaces {
        try pool.read { db in try FollowedPlaces.fetch(db, countryCode: countryCode) }
    }

    @Test func eachEditIsAChangeWithItsLatency() throws {
        let older = try fetch()
        try pool.write { db in
            _ = try Place.toggleFavorite(zone: "Europe/Paris", db)
            _ = try Place.toggleFavorite(zone: "Pacific/Fiji", db)
            _ = try Place.toggleFavorite(zone: "Europe/Paris", db)
        }
        let value = try fetch()
        #expect(value.favoriteCount == 1)
        let time = value.edits[2].time + 1_000
        let changes = value.changes(since: older, at: time)
        #expect(changes.map(\.place.title) == ["Paris", "Fiji", "Paris"])
        #expect(changes.map(\.place.isFavorite) == [true, true, false])
        #expect(changes.map(\.latency) == value.edits.map { .nanoseconds(time - $0.time) })
        #expect(value.changes(since: value, at: time).isEmpty)
    }

    @Test func otherChangesHaveNoLatency() throws {
        let older = try fetch()
        try pool.write { db in
            _ = try Place.delete(countryCode: "FR", db)
            _ = try Place.favorite(region: "Pacific", db)
            let point = Coordinate(latitude: 45.76, longitude: 4.84)
            _ = try Place(zone: "Europe/Lyon", title: "Lyon", countryCode: "FR", coordinate: point).insertIfNew(db)
        }
        let changes = try fetch().changes(since: older, at: 0)
        #expect(changes.map(\.place.title) == ["Fiji", "Lyon", "Tongatapu", "Paris"])
        #expect(changes.map(\.kind) == [.changed, .added, .changed, .removed])
        #expect(changes.allSatisfy { $0.latency == nil })
    }

    @Test func theEditsOfOtherCountriesAreNoChange() throws {
        let older = try fetch(countryCode: "FJ")
        try pool.write { db in
            _ = try Place.toggleFavorite(zone: "Europe/Paris", db)
            _ = try Place.toggleFavorite(zone: "Pacific/Fiji", db)
        }
        let changes = try fetch(countryCode: "FJ").changes(since: older, at: 0)
        #expect(changes.map(\.place.title) == ["Fiji"])
    }

    @Test func theLastHundredEditsAreKept() throws {
        try pool.write { db in
            for _ in 0..<102 { _ = try Place.toggleFavorite(zone: "Europe/Paris", db) }
        }
        #expect(try fetch().edits.map(\.id) == (3...102).map { Int64($0) })
    }

    @Test func aSummaryHasTheMedianAndTheWorstLatency() throws {
        let older = try fetch()
        var summary = FollowSummary()
        #expect(summary.description == "0 changes")
        try pool.write { db in
            for _ in 0..<3 { _ = try Place.toggleFavorite(zone: "Europe/Paris", db) }
            for (index, var edit) in try Edit.order(\.id).fetchAll(db).enumerated() {
                try edit.updateChanges(db) { $0.time = Int64(index * index) * 1_000_000 }
            }
        }
        for change in try fetch().changes(since: older, at: 5_500_000) { summary.add(change) }
        #expect(summary.median == .microseconds(4_500))
        #expect(summary.worst == .microseconds(5_500))
        #expect(summary.description == "3 changes, shown after a median of 4.50 ms, 5.50 ms at worst")
    }

    @Test func aScreenIsDrawnOverTheLastOne() {
        var screen = TerminalScreen()
        #expect(screen.drawing(["a", "b"]) == "\r\u{1B}[2Ka\n\r\u{1B}[2Kb\n\u{1B}[J")
        #expect(screen.drawing(["c"]) == "\u{1B}[2A\r\u{1B}[2Kc\n\u{1B}[J")
        #expect(screen.drawing([]) == "\u{1B}[1A\u{1B}[J")
    }

    @Test func aSeedRepeatsItsNumbers() {
        var (first, second, other) = (SeededGenerator(seed: 7), SeededGenerator(seed: 7), SeededGenerator(seed: 8))
        let numbers = (0..<4).map { _ in first.next() }
        #expect(numbers == (0..<4).map { _ in second.next() })
        #expect(numbers != (0..<4).map { _ in other.next() })
    }
}
