// The code of the guide: conflict policies, and the first of three ways to define a record.

import Rowan
import Testing

private struct Player: Codable, FetchableRecord, MutablePersistableRecord {
    static let persistenceConflictPolicy = PersistenceConflictPolicy(
        insert: .replace,
        update: .replace)

    var id: Int64?
    var email: String
}

private enum CodableDefinition {
    struct Place: Codable {
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

        init(id: Int64? = nil, title: String, isFavorite: Bool, coordinate: CLLocationCoordinate2D) {
            self.id = id
            self.title = title
            self.isFavorite = isFavorite
            latitude = coordinate.latitude
            longitude = coordinate.longitude
        }
    }
}

// SQL generation
extension CodableDefinition.Place: TableRecord {
    /// The table columns
    enum Columns {
        static let id = Column(CodingKeys.id)
        static let title = Column(CodingKeys.title)
        static let isFavorite = Column(CodingKeys.isFavorite)
        static let latitude = Column(CodingKeys.latitude)
        static let longitude = Column(CodingKeys.longitude)
    }
}

// Fetching methods
extension CodableDefinition.Place: FetchableRecord {}

// Persistence methods
extension CodableDefinition.Place: MutablePersistableRecord {
    // Update auto-incremented id upon successful insertion
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// The table of the three definitions.
func createPlaceTable(_ dbQueue: DatabaseQueue) throws {
    try dbQueue.write { db in
        try db.create(table: "place") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("title", .text).notNull()
            t.column("isFavorite", .boolean).notNull().defaults(to: false)
            t.column("longitude", .double).notNull()
            t.column("latitude", .double).notNull()
        }
    }
}

struct DocumentedConflictTests {
    private func createPlayerTable(_ db: Database) throws {
        try db.create(table: "player") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("email", .text).unique()
        }
    }

    @Test func conflictsInEachModificationQuery() throws {
        try inLoggedDatabase { db, log throws in
            try createPlayerTable(db)
            #expect(
                log.take() == [
                    #"CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "email" TEXT UNIQUE)"#
                ])
            // Again, despite the unique index on email, both inserts succeed.
            try db.execute(sql: "INSERT OR REPLACE INTO player (email) VALUES (?)", arguments: ["arthur@example.com"])
            try db.execute(sql: "INSERT OR REPLACE INTO player (email) VALUES (?)", arguments: ["arthur@example.com"])
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM player") == [["id": 2, "email": "arthur@example.com"]])
        }
    }

    @Test func conflictsAtTheQueryLevel() throws {
        try inLoggedDatabase { db, log throws in
            try createPlayerTable(db)
            _ = log.take()
            var player = Player(id: nil, email: "arthur@example.com")
            // INSERT OR REPLACE INTO player (...) VALUES (...)
            try player.insert(db)
            try player.insert(db)
            #expect(log.take().first == #"INSERT OR REPLACE INTO "player" ("id", "email") VALUES (?,?)"#)
            #expect(try Player.fetchCount(db) == 1)
        }
    }

    @Test func failedIgnoreIsDetected() throws {
        try inLoggedDatabase { db, log throws in
            try createPlayerTable(db)
            let player = Player(id: nil, email: "arthur@example.com")
            _ = log.take()
            func insertsOrIgnores() throws -> Bool {
                // How to detect failed `INSERT OR IGNORE`:
                // INSERT OR IGNORE INTO player ... RETURNING *
                do {
                    let insertedPlayer = try player.insertAndFetch(db, onConflict: .ignore)
                    // Successful insertion
                    #expect(insertedPlayer.id == 1)
                    return true
                } catch RecordError.recordNotFound {
                    // Failed insertion due to IGNORE policy
                    return false
                }
            }
            #expect(try insertsOrIgnores())
            #expect(try !insertsOrIgnores())
            #expect(log.take().last == #"INSERT OR IGNORE INTO "player" ("id", "email") VALUES (?,?) RETURNING *"#)
        }
    }

    @Test func codableDefinition() throws {
        let dbQueue = try DatabaseQueue()
        try createPlaceTable(dbQueue)
        try dbQueue.write { db in
            var paris = CodableDefinition.Place(
                title: "Paris", isFavorite: true,
                coordinate: CLLocationCoordinate2D(latitude: 48.8534100, longitude: 2.3488000))
            try paris.insert(db)
            #expect(paris.id == 1)
            let stored = try #require(try CodableDefinition.Place.filter { $0.isFavorite }.fetchOne(db))
            #expect(stored.coordinate == CLLocationCoordinate2D(latitude: 48.8534100, longitude: 2.3488000))
            #expect(stored.title == "Paris")
            #expect(try CodableDefinition.Place.filter { $0.latitude > 50 }.isEmpty(db))
        }
    }
}
