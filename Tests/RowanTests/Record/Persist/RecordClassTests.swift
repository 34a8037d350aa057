import Rowan
import Testing

private class Place: Record {
    var id: Int64?
    var title: String
    var note: String?

    override class var databaseTableName: String { "place" }

    init(id: Int64? = nil, title: String, note: String? = nil) {
        self.id = id
        self.title = title
        self.note = note
        super.init()
    }

    required init(row: Row) throws {
        id = row["id"]
        title = row["title"]
        note = row["note"]
        try super.init(row: row)
    }

    override func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["title"] = title
        container["note"] = note
    }

    override func didInsert(_ inserted: InsertionSuccess) {
        super.didInsert(inserted)
        id = inserted.rowID
    }
}

private let schema = "CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT, note TEXT, extra TEXT DEFAULT 'e')"

struct RecordClassTests {
    @Test func aNewRecordHasChanges() throws {
        let place = Place(title: "Paris")
        #expect(place.hasDatabaseChanges)
        #expect(try place.databaseChanges.keys.sorted() == ["id", "note", "title"])
        #expect(try place.databaseChanges["title"] == .some(.none))
    }

    @Test func anInsertedRecordHasNone() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let place = Place(title: "Paris")
            try place.insert(db)
            #expect(place.id == 1)
            #expect(!place.hasDatabaseChanges)
            place.title = "Rome"
            #expect(place.hasDatabaseChanges)
            #expect(try place.databaseChanges == ["title": "Paris".databaseValue])
            place.title = "Paris"
            #expect(!place.hasDatabaseChanges)
        }
    }

    @Test func aFetchedRecordHasNone() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO place (id, title) VALUES (1, 'Paris'), (2, 'Rome')")
            let places = try Place.fetchAll(db)
            #expect(places.map(\.title) == ["Paris", "Rome"])
            #expect(places.map(\.hasDatabaseChanges) == [false, false])
            let cursor = try Place.fetchCursor(db)
            let first = try #require(try cursor.next())
            _ = try cursor.next()
            #expect(!first.hasDatabaseChanges, "the row of a cursor is copied")
        }
    }

    @Test func aRecordFromPartOfItsColumnsHasChanges() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO place (id, title, note) VALUES (1, 'Paris', 'n')")
            let place = try #require(try Place.fetchOne(db, sql: "SELECT id, title, NULL AS note FROM place"))
            #expect(!place.hasDatabaseChanges)
            let adapter = ColumnMapping(["id": "id", "title": "title", "note": "note"])
            let other = try #require(try Place.fetchOne(db, sql: "SELECT *, note FROM place", adapter: adapter))
            other.note = "m"
            #expect(try other.databaseChanges == ["note": "n".databaseValue])
        }
    }

    @Test func updateChangesWritesThem() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let place = Place(title: "Paris")
            try place.insert(db)
            _ = log.takeAll()
            #expect(try !place.updateChanges(db))
            #expect(log.takeAll() == [])
            place.title = "Rome"
            place.note = "caput mundi"
            #expect(try place.updateChanges(db))
            #expect(log.takeExpanded() == [#"UPDATE "place" SET "title"='Rome', "note"='caput mundi' WHERE "id"=1"#])
            #expect(!place.hasDatabaseChanges)
            place.id = 9
            place.title = "Nowhere"
            #expect(missingKey { try place.updateChanges(db) } == ["id": 9.databaseValue])
            #expect(place.hasDatabaseChanges)
        }
    }

    @Test func aPartialUpdateKnowsWhatItWrote() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let place = Place(title: "Paris")
            try place.insert(db)
            place.title = "Rome"
            place.note = "unsaved"
            try place.update(db, columns: ["title"])
            #expect(try place.databaseChanges == ["note": .null])
        }
    }

    @Test func aDeletedRecordIsNew() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let place = Place(title: "Paris")
            try place.insert(db)
            #expect(try place.delete(db))
            #expect(place.hasDatabaseChanges)
            try place.insert(db)
            #expect(place.id == 1)
            #expect(!place.hasDatabaseChanges)
            try place.save(db)
            try place.upsert(db)
            #expect(!place.hasDatabaseChanges)
        }
    }

    @Test func subclassesAreFetchedAsThemselves() throws {
        final class City: Place {}
        try inLoggedDatabase(schema) { db, _ throws in
            let city = City(title: "Oslo")
            try city.insert(db)
            let fetched: City? = try City.fetchOne(db, key: 1)
            #expect(fetched?.title == "Oslo")
            #expect(try City.fetchCount(db) == 1)
        }
    }
}
