// Records in all kinds of tables: composite, text, missing and hidden keys, WITHOUT ROWID, generated columns, views.

import Rowan
import Testing

struct KeyTests {
    private struct Citizenship: Codable, Equatable, FetchableRecord, PersistableRecord {
        var countryCode: String
        var citizenId: Int
        var year: Int
    }

    private static let compositeKey = "PRIMARY KEY (citizenId, countryCode)"

    @Test(arguments: ["", "WITHOUT ROWID"]) func compositeKeys(option: String) throws {
        let schema =
            "CREATE TABLE citizenship (year INT, citizenId INT, countryCode TEXT, \(Self.compositeKey)) \(option)"
        try inLoggedDatabase(schema) { db, log throws in
            let citizenship = Citizenship(countryCode: "FR", citizenId: 1, year: 1990)
            try citizenship.insert(db)
            #expect(try citizenship.exists(db))
            try Citizenship(countryCode: "FR", citizenId: 1, year: 2000).update(db)
            try Citizenship(countryCode: "FR", citizenId: 1, year: 2010).save(db)
            #expect(try citizenship.updateAndFetch(db) == citizenship)
            #expect(try citizenship.delete(db))
            #expect(
                log.takeExpanded() == [
                    #"INSERT INTO "citizenship" ("countryCode", "citizenId", "year") VALUES ('FR',1,1990)"#,
                    #"SELECT EXISTS (SELECT 1 FROM "citizenship" WHERE "citizenId"=1 AND "countryCode"='FR')"#,
                    #"UPDATE "citizenship" SET "year"=2000 WHERE "citizenId"=1 AND "countryCode"='FR'"#,
                    #"UPDATE "citizenship" SET "year"=2010 WHERE "citizenId"=1 AND "countryCode"='FR'"#,
                    #"UPDATE "citizenship" SET "year"=1990 WHERE "citizenId"=1 AND "countryCode"='FR' RETURNING *"#,
                    #"DELETE FROM "citizenship" WHERE "citizenId"=1 AND "countryCode"='FR'"#,
                ])
            let key = missingKey { try citizenship.update(db) }
            #expect(key == ["citizenId": 1.databaseValue, "countryCode": "FR".databaseValue])
        }
    }

    @Test func aRecordOfItsKeyAloneUpdatesAndSaves() throws {
        struct Pair: Codable, PersistableRecord { var a: Int; var b: Int }
        try inLoggedDatabase("CREATE TABLE pair (a INT, b INT, PRIMARY KEY (a, b)) WITHOUT ROWID") { db, _ throws in
            let pair = Pair(a: 1, b: 2)
            try pair.save(db)
            try pair.save(db)
            try pair.update(db)
            try pair.upsert(db)
            #expect(try Pair.fetchCount(db) == 1)
            #expect(missingKey { try Pair(a: 1, b: 3).update(db) }?.count == 2)
        }
    }

    @Test func integerKeysThatAreNoRowID() throws {
        struct Item: Codable, MutablePersistableRecord {
            var id: Int64?
            var n = 0
            var seen: (rowID: Int64, column: String?)?
            enum CodingKeys: String, CodingKey { case id, n }
            mutating func didInsert(_ inserted: InsertionSuccess) { seen = (inserted.rowID, inserted.rowIDColumn) }
        }
        for (schema, column) in [
            ("CREATE TABLE item (id INTEGER PRIMARY KEY, n)", "id"),
            ("CREATE TABLE item (id integer, n, PRIMARY KEY (id))", "id"),
            ("CREATE TABLE item (id INTEGER PRIMARY KEY DESC, n)", nil),
            ("CREATE TABLE item (id INT PRIMARY KEY, n)", nil),
            ("CREATE TABLE item (id INTEGER, n)", nil),
            ("CREATE TABLE item (id INTEGER PRIMARY KEY, n) WITHOUT ROWID", nil),
        ] as [(String, String?)] {
            try inLoggedDatabase(schema) { db, _ throws in
                var item = Item(id: 40)
                try item.insert(db)
                #expect(item.seen?.column == column, "\(schema)")
                if column != nil { #expect(item.seen?.rowID == 40) }
            }
        }
    }

    @Test func hiddenRowID() throws {
        struct Note: FetchableRecord, MutablePersistableRecord, Equatable {
            static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
            var rowID: Int64?
            var text: String
            init(rowID: Int64? = nil, text: String) {
                self.rowID = rowID
                self.text = text
            }
            init(row: Row) {
                rowID = row[.rowID]
                text = row["text"]
            }
            func encode(to container: inout PersistenceContainer) {
                container[.rowID] = rowID
                container["text"] = text
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { rowID = inserted.rowID }
        }
        try inLoggedDatabase("CREATE TABLE note (text TEXT)") { db, log throws in
            var note = Note(text: "a")
            try note.insert(db)
            #expect(note.rowID == 1)
            note.text = "b"
            try note.update(db)
            #expect(try note.exists(db))
            #expect(try Note.fetchAll(db) == [note])
            #expect(try Note.fetchOne(db, key: 1) == note)
            #expect(try Note.fetchOne(db, key: ["rowid": 1]) == note)
            #expect(try Note.filter(Column.rowID == 1).fetchOne(db) == note)
            #expect(try note.delete(db))
            #expect(
                log.takeExpanded() == [
                    #"INSERT INTO "note" ("rowid", "text") VALUES (NULL,'a')"#,
                    #"UPDATE "note" SET "text"='b' WHERE "rowid"=1"#,
                    #"SELECT EXISTS (SELECT 1 FROM "note" WHERE "rowid"=1)"#,
                    #"SELECT *, "rowid" FROM "note""#,
                    #"SELECT *, "rowid" FROM "note" WHERE "rowid" = 1"#,
                    #"SELECT *, "rowid" FROM "note" WHERE "rowid" = 1"#,
                    #"SELECT *, "rowid" FROM "note" WHERE "rowid" = 1"#,
                    #"DELETE FROM "note" WHERE "rowid"=1"#,
                ])
        }
    }

    @Test func aRecordOfATableWithoutKeyInserts() throws {
        struct LogLine: Codable, Equatable, FetchableRecord, PersistableRecord { var text: String }
        try inLoggedDatabase("CREATE TABLE logLine (text TEXT)") { db, _ throws in
            try LogLine(text: "a").insert(db)
            try LogLine(text: "b").save(db)
            #expect(try LogLine(text: "c").insertAndFetch(db) == LogLine(text: "c"))
            #expect(try LogLine.fetchCount(db) == 3)
            #expect(missingKey { try LogLine(text: "a").update(db) } == ["rowid": .null])
        }
    }

    @Test func generatedColumnsAreFetchedButNotWritten() throws {
        struct Area: Codable, Equatable, FetchableRecord, PersistableRecord {
            var id: Int64
            var side: Int
            var area: Int?
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["side"] = side
            }
        }
        try inLoggedDatabase("CREATE TABLE area (id INTEGER PRIMARY KEY, side INT, area INT AS (side * side) STORED)") {
            db, _ throws in
            #expect(try Area(id: 1, side: 3).insertAndFetch(db).area == 9)
            #expect(try Area(id: 1, side: 4).updateAndFetch(db).area == 16)
            #expect(try Area(id: 1, side: 5).upsertAndFetch(db).area == 25)
            #expect(try Area.filter(key: 1).fetchOne(db)?.area == 25)
        }
    }

    private struct Source: DatabaseSchemaSource {
        func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
            view.name == "person" ? ["id"] : nil
        }
    }

    private struct Person: Codable, Equatable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
    }

    private let viewSchema = """
        CREATE TABLE human (id INTEGER PRIMARY KEY, name TEXT);
        CREATE VIEW person AS SELECT * FROM human;
        CREATE TRIGGER insertPerson INSTEAD OF INSERT ON person BEGIN
            INSERT INTO human VALUES (new.id, new.name);
        END;
        CREATE TRIGGER updatePerson INSTEAD OF UPDATE ON person BEGIN
            UPDATE human SET name = new.name WHERE id = new.id;
        END;
        CREATE TRIGGER deletePerson INSTEAD OF DELETE ON person BEGIN
            DELETE FROM human WHERE id = old.id;
        END
        """

    @Test func viewsWithTriggersAreWritable() throws {
        var configuration = Configuration()
        configuration.schemaSource = Source()
        try inLoggedDatabase(viewSchema, configuration: configuration) { db, _ throws in
            let arthur = Person(id: 1, name: "Arthur")
            try arthur.insert(db)
            #expect(try arthur.exists(db))
            #expect(try Person.fetchOne(db, key: 1) == arthur)
            try Person(id: 1, name: "Arthur II").update(db)
            #expect(try Person.find(db, key: 1).name == "Arthur II")
            try Person(id: 1, name: "Arthur III").save(db)
            try Person(id: 2, name: "Barbara").save(db)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM human") == ["Arthur III", "Barbara"])
            #expect(missingKey { try Person(id: 9, name: "").update(db) } == ["id": 9.databaseValue])
            #expect(try arthur.delete(db))
            #expect(try !arthur.delete(db))
            #expect(try Person.orderByPrimaryKey().fetchAll(db) == [Person(id: 2, name: "Barbara")])
        }
    }

    @Test func aViewWithoutSourceHasNoKey() throws {
        try inLoggedDatabase(viewSchema) { db, _ throws in
            try Person(id: 1, name: "Arthur").insert(db)
            let error = databaseError { try Person(id: 1, name: "Arthur II").update(db) }
            #expect(error?.message?.hasPrefix("the view person has no primary key") == true)
            #expect(try Person.fetchAll(db).count == 1)
            let found = try db.withSchemaSource(Source()) { try Person.fetchOne(db, key: 1) }
            #expect(found?.name == "Arthur")
            #expect(databaseError { try Person.fetchOne(db, key: 1) } != nil)
        }
    }
}
