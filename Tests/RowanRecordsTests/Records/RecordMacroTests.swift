// The values that macro records store and read.

import Foundation
import Rowan
import RowanRecords
import Testing

@Suite("Records by macro")
struct RecordMacroTests {
    @Test("The stored values, by container and by statement")
    func storedValues() throws {
        try inDatabase { db in
            // The first insertion uses a container, later ones don't.
            var places = ["a", "b", "c"].map { Place.sample($0) }
            for index in places.indices { try places[index].insert(db) }
            #expect(places.map(\.id) == [1, 2, 3])
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM place")
            for (row, title) in zip(rows, ["a", "b", "c"]) {
                let expected: [String: DatabaseValue] = [
                    "title": title.databaseValue, "latitude": 0.0.databaseValue, "longitude": 0.0.databaseValue,
                    "remark": .null, "created": 1_000.databaseValue, "townID": .null,
                    "label": "\(title)!".databaseValue, "tags": #"[{"name":"a"}]"#.databaseValue,
                    "kind": "city".databaseValue, "code": .null, "price": 125.databaseValue, "isOpen": 1.databaseValue,
                    "numbers": "[1,2]".databaseValue,
                ]
                for (column, value) in expected { #expect(row[column] as DatabaseValue == value, "\(column)") }
            }
            var read = try Place.fetchAll(db)
            #expect(read.map(\.label) == ["a!", "b!", "c!"])
            for index in read.indices { read[index].label = nil }
            #expect(read == places)
        }
    }

    @Test("The SQL of requests and writes")
    func sql() throws {
        try inDatabase { db in
            var statements: [String] = []
            var place = Place.sample("a")
            let columns = """
                "id", "title", "latitude", "longitude", "remark", "created", "townID", "label", "tags", "kind", "code", \
                "price", "isOpen", "numbers"
                """
            db.trace { if case .statement(let statement) = $0 { statements.append(statement.expandedSQL) } }
            try place.insert(db)
            place.title = "b"
            try place.update(db)
            try place.update(db)
            _ = try Place.fetchAll(db)
            _ = try Place.filter { $0.title == "b" && $0.created > Date(timeIntervalSince1970: 3) }.fetchCount(db)
            _ = try Place.fetchOne(db, key: 1)
            db.trace(nil)
            statements.removeAll { $0.contains("sqlite_master") || $0.contains("pragma") || $0.contains("PRAGMA") }
            let update = """
                UPDATE "place" SET "title"='b', "latitude"=0.0, "longitude"=0.0, "remark"=NULL, "created"=1000, \
                "townID"=NULL, "tags"='[{"name":"a"}]', "kind"='city', "code"=NULL, "price"=125, "isOpen"=1, \
                "numbers"='[1,2]' WHERE "id"=1
                """
            #expect(
                statements == [
                    """
                    INSERT INTO "place" ("id", "title", "latitude", "longitude", "remark", "created", "townID", "tags", \
                    "kind", "code", "price", "isOpen", "numbers") VALUES (NULL,'a',0.0,0.0,NULL,1000,NULL,\
                    '[{"name":"a"}]','city',NULL,125,1,'[1,2]')
                    """, update, update, "SELECT \(columns) FROM \"place\"",
                    "SELECT COUNT(*) FROM \"place\" WHERE (\"title\" = 'b') AND (\"created\" > 3)",
                    "SELECT \(columns) FROM \"place\" WHERE \"id\" = 1",
                ])
        }
    }

    @Test("Values in comparisons are converted as the column stores them")
    func filters() throws {
        try inDatabase { db in
            var place = Place.sample("a")
            place.code = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
            try place.insert(db)
            #expect(try Place.filter { $0.created == place.created }.fetchCount(db) == 1)
            #expect(try Place.filter { $0.code == place.code }.fetchCount(db) == 1)
            #expect(try Place.filter { $0.price == 1.25 }.fetchCount(db) == 1)
            #expect(try Place.filter { [1.25, 3].contains($0.price) }.fetchCount(db) == 1)
            #expect(try Place.filter { $0.price > 1.25 }.fetchCount(db) == 0)
            #expect(try Place.filter { (1.0...2).contains($0.price) }.fetchCount(db) == 1)
            try Place.updateAll(db) { [$0.price.set(to: 2.5), $0.created.set(to: Date(timeIntervalSince1970: 7))] }
            let row = try #require(try Row.fetchOne(db, sql: "SELECT price, created FROM place"))
            #expect(row == ["price": 250, "created": 7])
            #expect(try Place.fetchOne(db)?.price == 2.5)
        }
    }

    @Test("Keys are converted as their column stores them, also with aliases")
    func keys() throws {
        try inDatabase("CREATE TABLE ticket (id TEXT PRIMARY KEY, level TEXT)") { db in
            let tokens = (1...3).map { Ticket(id: UUID(), level: $0) }
            for token in tokens { try token.insert(db) }
            #expect(try Set(String.fetchAll(db, sql: "SELECT id FROM ticket")) == Set(tokens.map(\.id.uuidString)))
            #expect(try String.fetchAll(db, sql: "SELECT level FROM ticket") == ["level 1", "level 2", "level 3"])
            #expect(try Ticket.fetchOne(db, key: tokens[1].id) == tokens[1])
            #expect(try Ticket.fetchOne(db, id: tokens[2].id) == tokens[2])
            #expect(try Ticket.fetchAll(db, keys: tokens[0...1].map(\.id)).count == 2)
            #expect(try Ticket.filter(id: tokens[0].id).fetchAll(db) == [tokens[0]])
            #expect(try Ticket.exists(db, key: tokens[0].id))
            #expect(try Ticket.filter { [2, 3].contains($0.level) }.fetchCount(db) == 2)
            let alias = TableAlias<Ticket>(name: "t")
            #expect(try Ticket.aliased(alias).filter(alias[Ticket.Columns.level] == 2).fetchAll(db) == [tokens[1]])
            #expect(try Ticket.aliased(alias).filter { _ in alias.level == 2 }.fetchAll(db) == [tokens[1]])
            #expect(try Ticket.filter { $0.level == 3 && $0.id == tokens[2].id }.deleteAll(db) == 1)
            #expect(try Ticket.deleteOne(db, key: tokens[0].id))
            #expect(try tokens[1].delete(db))
            #expect(try Ticket.fetchCount(db) == 0)
        }
    }

    @Test("A reference is an association")
    func reference() throws {
        try inDatabase { db in
            var town = Town(id: nil, name: "Ulm")
            try town.insert(db)
            var place = Place.sample("a", townID: town.id)
            try place.insert(db)
            #expect(try place.request(for: Place.town).fetchOne(db) == town)
            let names = try Place.joining(required: Place.town.filter { $0.name == "Ulm" }).fetchAll(db).map(\.title)
            #expect(names == ["a"])
            let row = try #require(try Place.including(required: Place.town).asRequest(of: Row.self).fetchOne(db))
            #expect(row.scopes["town"]?["name"] == "Ulm")
        }
    }

    @Test("Nested, generic and composite records")
    func kinds() throws {
        try inDatabase(
            """
            CREATE TABLE inner (id TEXT PRIMARY KEY, sibling TEXT, class TEXT);
            CREATE TABLE box (id INTEGER PRIMARY KEY, value);
            CREATE TABLE pair (a, b, value, PRIMARY KEY (a, b));
            """
        ) { db in
            let inner = Outer.Inner(id: "x", sibling: .init(a: 1), class: "c")
            try inner.insert(db)
            #expect(try Outer.Inner.fetchOne(db, id: "x") == inner)
            #expect(try Outer.Inner.filter { $0.class == "c" }.fetchCount(db) == 1)
            var texts = [Box(id: nil, value: "a"), Box(id: nil, value: "b")]
            for index in texts.indices { try texts[index].insert(db) }
            var number = Box(id: nil, value: 3)
            try number.insert(db)
            #expect(number.id == 3)
            #expect(try Box<String>.filter { $0.value == "b" }.fetchAll(db) == [texts[1]])
            #expect(try Box<Int>.fetchOne(db, key: 3) == number)
            for value in [1, 2, 3] { try Pair(a: value, b: "b", value: nil).insert(db) }
            try Pair(a: 2, b: "b", value: 7).update(db)
            try Pair(a: 2, b: "b", value: 8).update(db)
            #expect(try Pair.fetchOne(db, key: ["a": 2, "b": "b"]) == Pair(a: 2, b: "b", value: 8))
            #expect(throws: RecordError.self) { try Pair(a: 9, b: "b", value: 8).update(db) }
        }
    }

    @Test("All ways of writing set the rowid")
    func rowIDs() throws {
        try inDatabase { db in
            var towns = (1...3).map { Town(id: nil, name: "\($0)") }
            try towns[0].insert(db)
            try towns[1].save(db)
            try towns[2].upsert(db)
            #expect(towns.map(\.id) == [1, 2, 3])
            #expect(try Town(id: nil, name: "4").inserted(db).id == 4)
            #expect(try Town(id: nil, name: "5").saved(db).id == 5)
            var more = [Town(id: nil, name: "6"), Town(id: nil, name: "7")]
            try Town.insertAll(db, &more)
            #expect(more.map(\.id) == [6, 7])
            #expect(try Town(id: nil, name: "8").insertAndFetch(db).id == 8)
        }
    }

    @Test("An ignored conflict leaves the record without a rowid")
    func ignoredConflict() throws {
        try inDatabase("CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)") { db in
            for name in ["a", "b", "c"] {
                var town = Town(id: nil, name: name)
                try town.insert(db, onConflict: .ignore)
                #expect(town.id != nil)
                var same = Town(id: nil, name: name)
                try same.insert(db, onConflict: .ignore)
                #expect(same.id == nil)
            }
        }
    }

    @Test("The error of a direct write contains the values, and the next write works")
    func errors() throws {
        try inDatabase("CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)") { db in
            for name in ["a", "b"] { _ = try Town(id: nil, name: name).inserted(db) }
            var town = Town(id: nil, name: "a")
            let error = #expect(throws: DatabaseError.self) { try town.insert(db) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(error?.sql == #"INSERT INTO "town" ("id", "name") VALUES (?,?)"#)
            #expect(error?.arguments == [nil, "a"])
            #expect(town.id == nil)
            let update = #expect(throws: DatabaseError.self) {
                try Town(id: 2, name: "c").update(db)
                try Town(id: 2, name: "d").update(db)
                try Town(id: 2, name: "a").update(db)
            }
            #expect(update?.arguments == ["a", 2])
            town.name = "e"
            try town.insert(db)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM town ORDER BY id") == ["a", "d", "e"])
            let missing = #expect(throws: RecordError.self) { try Town(id: 99, name: "x").update(db) }
            #expect(
                missing?.expandedDescription.contains("99") == true)
        }
    }

    @Test("Schema changes are noticed")
    func schemaChanges() throws {
        try inDatabase { db in
            var towns = (1...4).map { Town(id: nil, name: "\($0)") }
            try towns[0].insert(db)
            try towns[1].insert(db)
            try db.execute(sql: "ALTER TABLE town ADD COLUMN size INTEGER DEFAULT 3")
            try towns[2].insert(db)
            try db.execute(sql: "DROP TABLE town; CREATE TABLE town (name TEXT, id INTEGER PRIMARY KEY)")
            try towns[3].insert(db)
            #expect(try Town.fetchAll(db) == [Town(id: 1, name: "4")])
            #expect(try Town.fetchAll(db, sql: "SELECT * FROM town") == [Town(id: 1, name: "4")])
            try db.execute(sql: "ALTER TABLE town DROP COLUMN name")
            #expect(throws: DatabaseError.self) { _ = try Town(id: nil, name: "x").inserted(db) }
            // An update sets the columns common to the record and the table.
            try Town(id: 1, name: "x").update(db)
            try Town(id: 1, name: "x").update(db)
        }
    }

    @Test("Only the changed columns are updated")
    func updateChanges() throws {
        try inDatabase { db in
            var town = Town(id: nil, name: "a")
            try town.insert(db)
            #expect(try !town.updateChanges(db) { $0.name = "a" })
            #expect(try town.updateChanges(db) { $0.name = "b" })
            #expect(try Town.fetchOne(db, key: 1) == Town(id: 1, name: "b"))
            #expect(try town.databaseChanges(from: Town(id: 1, name: "c")) == ["name": "c".databaseValue])
            var place = Place.sample("a")
            try place.insert(db)
            var statements: [String] = []
            db.trace { if case .statement(let statement) = $0 { statements.append(statement.expandedSQL) } }
            for number in 1...3 {
                #expect(try place.updateChanges(db) { $0.title = "\(number)" })
                #expect(
                    try place.updateChanges(db) {
                        $0.price = Double(number); $0.tags = [Tag(name: "\(number)")]
                    })
                #expect(try place.updateChanges(db) { $0.note = $0.note == nil ? "n" : nil })
                #expect(try !place.updateChanges(db) { $0.isSelected.toggle() })
            }
            db.trace(nil)
            statements.removeAll { !$0.hasPrefix("UPDATE") }
            #expect(
                statements
                    == (1...3).flatMap { number in
                        [
                            "UPDATE \"place\" SET \"title\"='\(number)' WHERE \"id\"=1",
                            "UPDATE \"place\" SET \"tags\"='[{\"name\":\"\(number)\"}]', \"price\"=\(number)00 WHERE \"id\"=1",
                            "UPDATE \"place\" SET \"remark\"=\(number == 2 ? "NULL" : "'n'") WHERE \"id\"=1",
                        ]
                    })
            try db.execute(sql: "DELETE FROM place")
            for number in 1...3 {
                #expect(throws: RecordError.self) { try place.updateChanges(db) { $0.title = "x\(number)" } }
            }
        }
    }

    @Test("Long texts and blobs, and a statement that writes records of the same type")
    func buffers() throws {
        try inDatabase(
            "CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE box (id INTEGER PRIMARY KEY, value)"
        ) { db in
            for length in [0, 1, 15, 16, 5_000, 3_000_000, 3, 70_000] {
                let text = String(repeating: "é", count: length)
                var town = Town(id: nil, name: text)
                try town.insert(db)
                #expect(try Town.fetchOne(db, key: town.id)?.name == text)
                var box = Box(id: nil, value: Data(repeating: 7, count: length))
                try box.insert(db)
                #expect(try Box<Data>.fetchOne(db, key: box.id)?.value == box.value)
                #expect(
                    try String.fetchOne(db, sql: "SELECT typeof(value) FROM box WHERE id = ?", arguments: [box.id])
                        == "blob")
            }
            // A trigger calls a function, which writes another record while the first one is bound.
            nonisolated(unsafe) let database = db
            db.add(
                function: DatabaseFunction("nested", argumentCount: 1) { values in
                    let name = String.fromDatabaseValue(values[0]) ?? ""
                    if name.count < 12_000 {
                        var inner = Town(id: nil, name: name + name)
                        try inner.insert(database)
                    }
                    return name
                })
            try db.execute(
                sql: """
                    DELETE FROM town;
                    CREATE TEMP TRIGGER t BEFORE INSERT ON main.town BEGIN SELECT nested(NEW.name); END;
                    PRAGMA recursive_triggers = ON;
                    """)
            var town = Town(id: nil, name: "0123456789")
            try town.insert(db)
            let names = try String.fetchAll(db, sql: "SELECT name FROM town ORDER BY length(name)")
            #expect(names.map(\.count) == names.indices.map { 10 << $0 })
            #expect(names.allSatisfy { $0.hasPrefix("0123456789") && $0.hasSuffix("0123456789") })
        }
    }
}
