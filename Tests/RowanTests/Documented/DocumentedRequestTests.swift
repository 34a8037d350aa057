// The code of the guide: the other two definitions of a record, and the query interface.

import Rowan
import Testing

private enum PlainDefinition {
    struct Place {
        var id: Int64?
        var title: String
        var isFavorite: Bool
        var coordinate: CLLocationCoordinate2D
    }
}

// SQL generation
extension PlainDefinition.Place: TableRecord {
    /// The table columns
    enum Columns {
        static let id = Column("id")
        static let title = Column("title")
        static let isFavorite = Column("isFavorite")
        static let latitude = Column("latitude")
        static let longitude = Column("longitude")
    }
}

// Fetching methods
extension PlainDefinition.Place: FetchableRecord {
    /// Creates a record from a database row
    init(row: Row) {
        id = row[Columns.id]
        title = row[Columns.title]
        isFavorite = row[Columns.isFavorite]
        coordinate = CLLocationCoordinate2D(
            latitude: row[Columns.latitude],
            longitude: row[Columns.longitude])
    }
}

// Persistence methods
extension PlainDefinition.Place: MutablePersistableRecord {
    /// The values persisted in the database
    func encode(to container: inout PersistenceContainer) {
        container[Columns.id] = id
        container[Columns.title] = title
        container[Columns.isFavorite] = isFavorite
        container[Columns.latitude] = coordinate.latitude
        container[Columns.longitude] = coordinate.longitude
    }

    // Update auto-incremented id upon successful insertion
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

private enum FastDefinition {
    struct Place: Encodable {
        var id: Int64?
        var title: String
        var isFavorite: Bool
        private var latitude: CLLocationDegrees
        private var longitude: CLLocationDegrees

        var coordinate: CLLocationCoordinate2D {
            get {
                CLLocationCoordinate2D(
                    latitude: latitude,
                    longitude: longitude)
            }
            set {
                latitude = newValue.latitude
                longitude = newValue.longitude
            }
        }
    }
}

// SQL generation
extension FastDefinition.Place: TableRecord {
    /// The table columns
    enum Columns {
        static let id = Column(CodingKeys.id)
        static let title = Column(CodingKeys.title)
        static let isFavorite = Column(CodingKeys.isFavorite)
        static let latitude = Column(CodingKeys.latitude)
        static let longitude = Column(CodingKeys.longitude)
    }

    /// Arrange the selected columns and lock their order
    static var databaseSelection: [any SQLSelectable] {
        [
            Columns.id,
            Columns.title,
            Columns.isFavorite,
            Columns.latitude,
            Columns.longitude,
        ]
    }
}

// Fetching methods
extension FastDefinition.Place: FetchableRecord {
    /// Creates a record from a database row
    init(row: Row) {
        // For high performance, use numeric indexes that match the
        // order of Place.databaseSelection
        id = row[0]
        title = row[1]
        isFavorite = row[2]
        latitude = row[3]
        longitude = row[4]
    }
}

// Persistence methods
extension FastDefinition.Place: MutablePersistableRecord {
    // Update auto-incremented id upon successful insertion
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var score: Int
    var team: String

    enum Columns {
        static let score = Column(CodingKeys.score)
        static let team = Column(CodingKeys.team)
    }
}

struct DocumentedRequestTests {
    @Test func plainDefinition() throws {
        typealias Place = PlainDefinition.Place
        let dbQueue = try DatabaseQueue()
        try createPlaceTable(dbQueue)
        try dbQueue.write { db in
            let coordinate = CLLocationCoordinate2D(latitude: 41.9, longitude: 12.5)
            var rome = Place(id: nil, title: "Rome", isFavorite: false, coordinate: coordinate)
            try rome.insert(db)
            #expect(rome.id == 1)
            let stored = try #require(try Place.filter { $0.title == "Rome" }.fetchOne(db))
            #expect(stored.coordinate == coordinate)
            #expect(stored.databaseEquals(rome))
            try rome.updateChanges(db) { $0.isFavorite = true }
            #expect(try Place.find(db, key: 1).isFavorite)
        }
    }

    @Test func fastDefinition() throws {
        typealias Place = FastDefinition.Place
        let (dbQueue, log) = try loggedQueue()
        try createPlaceTable(dbQueue)
        try dbQueue.write { db in
            try db.execute(
                sql: "INSERT INTO place (title, isFavorite, longitude, latitude) VALUES ('Oslo', 1, 10.7, 59.9)")
            _ = log.take()
            var oslo = try #require(try Place.fetchOne(db))
            #expect(
                log.take() == [
                    #"SELECT "id", "title", "isFavorite", "latitude", "longitude" FROM "place" LIMIT 1"#
                ])
            #expect(oslo.coordinate == CLLocationCoordinate2D(latitude: 59.9, longitude: 10.7))
            oslo.id = nil
            try oslo.insert(db)
            #expect(oslo.id == 2)
            #expect(try Place.fetchAll(db).map(\.title) == ["Oslo", "Oslo"])
        }
    }

    private func queueOfPlayers(_ log: (DatabaseQueue, SQLLog)) throws -> DatabaseQueue {
        try log.0.write { db in
            for (id, score, team) in [(1, 0, "Reds"), (2, 950, "Reds"), (3, 2000, "Blues")] {
                try Player(id: Int64(id), score: score, team: team).insert(db)
            }
        }
        _ = log.1.take()
        return log.0
    }

    @Test func queryInterface() throws {
        let (queue, log) = try loggedQueue()
        try queue.write { db in
            // Update database schema
            try db.create(table: "player") { t in
                t.primaryKey("id", .integer)
                t.column("score", .integer)
                t.column("team", .text)
            }
        }
        let dbQueue = try queueOfPlayers((queue, log))
        try dbQueue.write { db in
            // Fetch records
            let bestPlayers =
                try Player
                .order(\.score.desc)
                .limit(10)
                .fetchAll(db)
            #expect(bestPlayers.map(\.id) == [3, 2, 1])

            // Batch update
            try Player
                .filter { $0.team == "Reds" }
                .updateAll(db) { $0.score += 100 }

            // Count
            let count =
                try Player
                .filter { $0.score >= 1000 }
                .fetchCount(db)
            #expect(count == 2)

            // Batch delete
            try Player
                .filter { $0.score == 0 }
                .deleteAll(db)
            #expect(
                log.takeExpanded() == [
                    #"SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10"#,
                    #"UPDATE "player" SET "score" = "score" + 100 WHERE "team" = 'Reds'"#,
                    #"SELECT COUNT(*) FROM "player" WHERE "score" >= 1000"#,
                    #"DELETE FROM "player" WHERE "score" = 0"#,
                ])
        }
    }

    @Test func queryInterfaceWithSQL() throws {
        let (queue, log) = try loggedQueue()
        try queue.write { db in
            // Update database schema (with SQL)
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER, team TEXT)")
        }
        let dbQueue = try queueOfPlayers((queue, log))
        try dbQueue.write { db in
            // Fetch records (with SQL)
            let bestPlayers = try Player.fetchAll(
                db,
                sql: """
                    SELECT * FROM player ORDER BY score DESC LIMIT 10
                    """)
            #expect(bestPlayers.map(\.id) == [3, 2, 1])

            // Count (with an SQL snippet)
            let minScore = 1000
            let count =
                try Player
                .filter(sql: "score >= ?", arguments: [minScore])
                .fetchCount(db)
            #expect(count == 1)

            // Update (with SQL)
            try db.execute(sql: "UPDATE player SET score = score + 100 WHERE team = 'Reds'")

            // Delete (with SQL)
            try db.execute(sql: "DELETE FROM player WHERE score = 0")
            #expect(try Player.order(\.score).fetchAll(db).map(\.score) == [100, 1050, 2000])
            #expect(log.take()[1] == #"SELECT COUNT(*) FROM "player" WHERE score >= ?"#)
        }
    }
}
