// Edits that count as changes to stored values.

import Rowan
import Testing

private struct Note: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64
    var text: String
    var other: Int = 0
}

private final class Place: Record {
    var id: Int64
    var height: Int

    override class var databaseTableName: String { "place" }
    required init(row: Row) throws {
        (id, height) = (row["id"], row["height"])
        try super.init(row: row)
    }
    override func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["height"] = height
    }
}

struct ChangeTests {
    /// Texts that are equal in Unicode but stored as different bytes are different values.
    @Test func theBytesOfATextCount() throws {
        try inLoggedDatabase("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, other INTEGER)") { db, log throws in
            var note = Note(id: 1, text: "caf\u{E9}")
            try note.insert(db)
            let other = Note(id: 1, text: "cafe\u{301}")
            #expect(note.text == other.text)
            #expect(try other.databaseChanges(from: note) == ["text": "caf\u{E9}".databaseValue])
            _ = log.take()
            #expect(try note.updateChanges(db) { $0.text = "cafe\u{301}" })
            #expect(try Int.fetchOne(db, sql: "SELECT length(CAST(text AS BLOB)) FROM note") == 6)
            #expect(try !note.updateChanges(db) { $0.text = "cafe\u{301}" })
            #expect(try !note.updateChanges(db, from: note))
        }
    }

    @Test func changesAmongManyColumns() throws {
        try inLoggedDatabase("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, other INTEGER)") { db, log throws in
            var note = Note(id: 1, text: "a")
            try note.insert(db)
            for value in 1...3 {
                _ = log.take()
                #expect(try note.updateChanges(db) { $0.other = value })
                #expect(try !note.updateChanges(db) { $0.other = value })
                #expect(log.takeExpanded() == [#"UPDATE "note" SET "other"=\#(value) WHERE "id"=1"#])
            }
        }
    }

    /// A column may store numbers in a different form.
    @Test func anIntegerInARealColumn() throws {
        try inLoggedDatabase("CREATE TABLE place (id INTEGER PRIMARY KEY, height REAL)") { db, _ throws in
            try db.execute(sql: "INSERT INTO place VALUES (1, 12)")
            let place = try Place.fetchOne(db, key: 1)
            #expect(place?.hasDatabaseChanges == false)
            #expect(try place?.updateChanges(db) == false)
            place?.height = 13
            #expect(try place?.databaseChanges == ["height": 12.0.databaseValue])
            #expect(try place?.updateChanges(db) == true)
            #expect(try Double.fetchOne(db, sql: "SELECT height FROM place") == 13)
        }
    }
}
