// The code of the guide: persistable records and their persistence methods.

import Rowan
import Testing

private struct Place {
    var id: Int64?
    var title: String
    var coordinate: CLLocationCoordinate2D
}

extension Place: MutablePersistableRecord {
    enum Columns {
        static let id = Column("id")
        static let title = Column("title")
        static let latitude = Column("latitude")
        static let longitude = Column("longitude")
    }

    /// The values persisted in the database
    func encode(to container: inout PersistenceContainer) {
        container[Columns.id] = id
        container[Columns.title] = title
        container[Columns.latitude] = coordinate.latitude
        container[Columns.longitude] = coordinate.longitude
    }

    // Update auto-incremented id upon successful insertion
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

// That's all
private struct Player: Encodable, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score: Int

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let score = Column(CodingKeys.score)
    }

    // Update auto-incremented id upon successful insertion
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

private enum Methods {
    struct Place: Codable, Equatable, Identifiable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var title: String
        var isFavorite = false
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }
}

struct DocumentedPersistenceTests {
    @Test func aRecordThatEncodesItself() throws {
        let dbQueue = try DatabaseQueue()
        try createPlaceTable(dbQueue)
        try dbQueue.write { db in
            var paris = Place(
                id: nil,
                title: "Paris",
                coordinate: CLLocationCoordinate2D(latitude: 48.8534100, longitude: 2.3488000))

            try paris.insert(db)
            #expect(paris.id == 1)
            #expect(try Double.fetchOne(db, sql: "SELECT latitude FROM place") == 48.8534100)
        }
    }

    @Test func anEncodableRecord() throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)") {
            db, log throws in
            var player = Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            #expect(player.id == 1)
            #expect(
                log.takeExpanded() == [
                    #"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',100)"#
                ])
            #expect(try Player.filter { $0.score == 100 }.fetchCount(db) == 1)
        }
    }

    @Test func persistenceMethods() throws {
        let schema = "CREATE TABLE place (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, isFavorite BOOLEAN)"
        try inLoggedDatabase(schema) { db, log throws in
            var place = Methods.Place(id: nil, title: "Paris")
            // INSERT
            try place.insert(db)
            let insertedPlace = try place.inserted(copyOf: "Rome", db)  // non-mutating
            #expect(insertedPlace.id == 2)

            // UPDATE
            try place.update(db)
            try place.update(db, columns: ["title"])

            // Maybe UPDATE
            var otherPlace = place
            otherPlace.title = "Lutetia"
            #expect(try place.updateChanges(db, from: otherPlace))
            let isUpdated = try place.updateChanges(db) { $0.isFavorite = true }
            #expect(isUpdated)

            // INSERT or UPDATE
            try place.save(db)
            let savedPlace = try place.saved(db)  // non-mutating
            #expect(savedPlace == place)

            // UPSERT
            try place.upsert(db)
            let upsertedPlace = try place.upsertAndFetch(db)
            #expect(upsertedPlace == place)

            // DELETE
            #expect(try place.delete(db))

            // EXISTENCE CHECK
            let exists = try place.exists(db)
            #expect(!exists)
            let words = log.take().map { $0.split(separator: " ")[0] }
            #expect(
                words == [
                    "INSERT", "INSERT", "UPDATE", "UPDATE", "UPDATE", "UPDATE", "UPDATE", "UPDATE", "INSERT", "INSERT",
                    "DELETE", "SELECT",
                ])
        }
    }

    @Test func batchOperations() throws {
        typealias Place = Methods.Place
        let schema = """
            CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT, isFavorite BOOLEAN);
            INSERT INTO place VALUES (1, 'a', 0), (2, 'b', 0), (3, 'c', 0), (4, 'd', 0), (5, 'e', 0), (6, 'f', 0)
            """
        try inLoggedDatabase(schema) { db, _ throws in
            // UPDATE
            #expect(try Place.updateAll(db, Column("isFavorite").set(to: true)) == 6)

            // DELETE
            #expect(try Place.deleteAll(db, ids: [1]) == 1)
            #expect(try Place.deleteAll(db, keys: [2, 9]) == 1)
            #expect(try Place.deleteOne(db, id: 3))
            #expect(try Place.deleteOne(db, key: 4))
            #expect(try Place.deleteAll(db) == 2)
        }
    }
}

extension Methods.Place {
    /// An inserted copy of the place, with another title.
    fileprivate func inserted(copyOf title: String, _ db: Database) throws -> Self {
        try Methods.Place(id: nil, title: title).inserted(db)
    }
}
