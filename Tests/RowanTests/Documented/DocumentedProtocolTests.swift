// The code of the guide: the record protocols.

import Rowan
import Testing

private struct Place {
    var id: Int64?
    var title: String
    var coordinate: CLLocationCoordinate2D
}

extension Place: FetchableRecord {
    enum Columns {
        static let id = Column("id")
        static let title = Column("title")
        static let latitude = Column("latitude")
        static let longitude = Column("longitude")
    }

    init(row: Row) {
        id = row[Columns.id]
        title = row[Columns.title]
        coordinate = CLLocationCoordinate2D(
            latitude: row[Columns.latitude],
            longitude: row[Columns.longitude])
    }
}

extension Place: Hashable {
    static func == (lhs: Place, rhs: Place) -> Bool { lhs.id == rhs.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

// That's all
private struct Player: Decodable, FetchableRecord {
    var id: Int64
    var name: String
    var score: Int

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let score = Column(CodingKeys.score)
    }
}

/// A record must meet exactly the requirements documented in the guide.
private struct Minimal: FetchableRecord, MutablePersistableRecord {
    static var databaseTableName: String { "minimal" }
    static var databaseSelection: [any SQLSelectable] { [AllColumns()] }
    var rowID: Int64?
    init() {}
    init(row: Row) throws {}
    func encode(to container: inout PersistenceContainer) throws { container["a"] = 1 }
    mutating func didInsert(_ inserted: InsertionSuccess) { rowID = inserted.rowID }
}

private final class MinimalObject: PersistableRecord {
    static let databaseTableName = "minimal"
    nonisolated(unsafe) var rowID: Int64?
    func encode(to container: inout PersistenceContainer) throws { container["a"] = 2 }
    func didInsert(_ inserted: InsertionSuccess) { rowID = inserted.rowID }
}

private let placeSQL = "SELECT ? AS id, 'Paris' AS title, 48.8 AS latitude, 2.3 AS longitude"

struct DocumentedProtocolTests {
    @Test func typeMethodsAndInsertion() throws {
        struct Place: Codable, Identifiable, PersistableRecord {
            var id: Int64
            var title: String
        }
        let (dbQueue, _) = try loggedQueue("CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT)")
        try dbQueue.write { db in
            try Place.deleteOne(db, id: 1)
            try Place(id: 1, title: "Paris").insert(db)
            #expect(try Place.fetchCount(db) == 1)
        }
    }

    @Test func fetchableRecords() throws {
        try inLoggedDatabase { db, _ throws in
            let cursor = try Place.fetchCursor(db, sql: placeSQL, arguments: [1])  // A Cursor of Place
            #expect(try cursor.next()?.title == "Paris")
            #expect(try cursor.next() == nil)
            #expect(try Place.fetchAll(db, sql: placeSQL, arguments: [2]).map(\.id) == [2])  // [Place]
            #expect(try Place.fetchSet(db, sql: placeSQL, arguments: [3]).map(\.id) == [3])  // Set<Place>
            let place = try Place.fetchOne(db, sql: placeSQL, arguments: [nil])  // Place?
            #expect(place?.id == nil)
            #expect(place?.coordinate == CLLocationCoordinate2D(latitude: 48.8, longitude: 2.3))
        }
    }

    @Test func decodableRecords() throws {
        try inLoggedDatabase { db, _ throws in
            let player = try Player.fetchOne(db, sql: "SELECT 1 AS id, 'Arthur' AS name, 100 AS score")
            #expect(player?.id == 1)
            #expect(player?.name == "Arthur")
            #expect(player?.score == 100)
            #expect(Player.Columns.score.name == "score")
        }
    }

    @Test func keptRowsAreCopies() throws {
        struct Keeper: FetchableRecord {
            let row: Row
            init(row: Row) { self.row = row.copy() }
        }
        try inLoggedDatabase { db, _ throws in
            let keepers = try Keeper.fetchAll(db, sql: "SELECT 1 AS a UNION ALL SELECT 2")
            #expect(keepers.map { $0.row["a"] as Int } == [1, 2])
        }
    }

    @Test func tableRecords() throws {
        struct Place: TableRecord {}
        #expect(Place.databaseTableName == "place")
        enum Custom {
            struct Place: TableRecord {
                static let databaseTableName = "location"
            }
        }
        #expect(Custom.Place.databaseTableName == "location")
    }

    @Test func queriesOfTableRecords() throws {
        struct Place: Codable, FetchableRecord, TableRecord {
            var name: String
            enum Columns { static let name = Column("name") }
        }
        try inLoggedDatabase("CREATE TABLE place (name); INSERT INTO place VALUES ('Paris')") { db, log throws in
            // SELECT * FROM place WHERE name = 'Paris'
            let paris = try Place.filter { $0.name == "Paris" }.fetchOne(db)
            #expect(paris?.name == "Paris")
            #expect(log.takeExpanded() == [#"SELECT * FROM "place" WHERE "name" = 'Paris' LIMIT 1"#])
        }
    }

    @Test func theThreeProtocols() throws {
        try inLoggedDatabase("CREATE TABLE minimal (a)") { db, _ throws in
            var minimal = Minimal()
            try minimal.insert(db)
            #expect(minimal.rowID == 1)
            let object = MinimalObject()
            try object.insert(db)
            #expect(object.rowID == 2)
            #expect(try Minimal.fetchAll(db).count == 2)
        }
    }
}
