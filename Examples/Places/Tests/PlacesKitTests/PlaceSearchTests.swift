import PlacesKit
import Rowan
import Testing

struct PlaceSearchTests {
    private let folder: TemporaryFolder
    private let pool: DatabasePool

    init() throws {
        folder = try TemporaryFolder()
        pool = try PlacesDatabase.open(at: folder.database)
        let zoneinfo = try folder.zoneinfo(zones: Sample.zones)
        _ = try pool.write { db in try Importer(folder: zoneinfo).run(db) }
    }

    private func search(_ text: String) throws -> [String] {
        try pool.read { db in try Place.search(text, limit: 10, db).map(\.markedTitle) }
    }

    @Test func wordsAreMarked() throws {
        #expect(try search("paris") == ["[Paris]"])
        #expect(try search("TONG") == ["[Tongatapu]"])
        #expect(try search("paris fiji") == [])
        #expect(try pool.read { db in try Place.search("par", limit: 10, db).map(\.place.zone) } == ["Europe/Paris"])
        #expect(try pool.read { db in try Place.search("par", limit: 0, db).isEmpty })
    }

    @Test func anyTextIsValid() throws {
        for text in ["", "\"", "AND", "paris OR", "(*", "title:paris", "\u{0}"] { _ = try search(text) }
        #expect(try search("") == [])
    }

    @Test func theIndexFollowsThePlaces() throws {
        try pool.write { db in
            var place = try Place.find(zone: "Europe/Paris", db)
            try place.updateChanges(db) { $0.title = "Lutetia" }
        }
        #expect(try search("lutetia") == ["[Lutetia]"])
        #expect(try search("paris") == [])
    }
}
