// Records that do not always set the same columns, schemas that change between two runs of a plan, and containers that
// outlive the operation: cached plans must never affect the results.

import Rowan
import Testing

private struct Contact: MutablePersistableRecord, Equatable {
    var id: Int64?
    var name: String?
    var email: String?
    var setsID = true

    func encode(to container: inout PersistenceContainer) {
        if setsID { container["id"] = id }
        if let name { container["name"] = name }
        if let email { container["email"] = email }
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private let schema =
    "CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'nobody', email TEXT DEFAULT 'none')"

private func storedContacts(_ db: Database) throws -> [String] {
    try String.fetchAll(db, sql: "SELECT id || ' ' || name || ' ' || email FROM contact ORDER BY id")
}

struct VaryingColumnsTests {
    @Test func insertsAdaptInBothDirections() throws {
        try inLoggedDatabase(schema) { db, log throws in
            func insert(_ contact: Contact) throws {
                var contact = contact
                try contact.insert(db)
            }
            try insert(Contact(name: "A", email: "a"))
            try insert(Contact(name: "B"))
            try insert(Contact(email: "c"))
            try insert(Contact(name: "D", email: "d"))
            try insert(Contact())
            try insert(Contact(setsID: false))
            try insert(Contact(name: "G", setsID: false))
            try insert(Contact(name: "H", email: "h"))
            #expect(
                log.takeExpanded() == [
                    #"INSERT INTO "contact" ("id", "name", "email") VALUES (NULL,'A','a')"#,
                    #"INSERT INTO "contact" ("id", "name") VALUES (NULL,'B')"#,
                    #"INSERT INTO "contact" ("id", "email") VALUES (NULL,'c')"#,
                    #"INSERT INTO "contact" ("id", "name", "email") VALUES (NULL,'D','d')"#,
                    #"INSERT INTO "contact" ("id") VALUES (NULL)"#,
                    #"INSERT INTO "contact" DEFAULT VALUES"#,
                    #"INSERT INTO "contact" ("name") VALUES ('G')"#,
                    #"INSERT INTO "contact" ("id", "name", "email") VALUES (NULL,'H','h')"#,
                ])
            #expect(
                try storedContacts(db) == [
                    "1 A a",
                    "2 B none",
                    "3 nobody c",
                    "4 D d",
                    "5 nobody none",
                    "6 nobody none",
                    "7 G none",
                    "8 H h",
                ])
        }
    }

    @Test func updatesAdaptInBothDirections() throws {
        try inLoggedDatabase(schema) { db, log throws in
            try db.execute(sql: "INSERT INTO contact VALUES (1, 'x', 'x'), (2, 'y', 'y')")
            _ = log.take()
            try Contact(id: 1, name: "A", email: "a").update(db)
            try Contact(id: 2, email: "b").update(db)
            try Contact(id: 1, name: "A2").update(db)
            try Contact(id: 2, name: "B", email: "b2").update(db)
            #expect(
                log.takeExpanded() == [
                    #"UPDATE "contact" SET "name"='A', "email"='a' WHERE "id"=1"#,
                    #"UPDATE "contact" SET "email"='b' WHERE "id"=2"#,
                    #"UPDATE "contact" SET "name"='A2' WHERE "id"=1"#,
                    #"UPDATE "contact" SET "name"='B', "email"='b2' WHERE "id"=2"#,
                ])
        }
    }

    @Test func upsertsAdapt() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var first = Contact(id: 1, name: "A", email: "a")
            try first.upsert(db)
            var second = Contact(id: 1, email: "b")
            try second.upsert(db)
            var third = Contact(id: 1, name: "C")
            try third.upsert(db)
            #expect(try storedContacts(db) == ["1 C b"])
        }
    }

    @Test func deletesAndLooksAdapt() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO contact (id) VALUES (1), (2)")
            #expect(try Contact(id: 1, name: "A", email: "a").exists(db))
            #expect(try Contact(id: 2).exists(db))
            #expect(try !Contact(id: 3, email: "c").exists(db))
            #expect(try Contact(id: 1, name: "A", email: "a").delete(db))
            #expect(try Contact(id: 2).delete(db))
        }
    }

    @Test func theOrderOfTheColumnsCanChange() throws {
        struct Shuffled: PersistableRecord {
            static let databaseTableName = "contact"
            var isReversed: Bool
            func encode(to container: inout PersistenceContainer) {
                let columns = ["name", "email"]
                for column in isReversed ? columns.reversed() : columns { container[column] = column }
            }
        }
        try inLoggedDatabase(schema) { db, log throws in
            for isReversed in [false, true, true, false] { try Shuffled(isReversed: isReversed).insert(db) }
            #expect(
                Set(log.takeExpanded()) == [
                    #"INSERT INTO "contact" ("name", "email") VALUES ('name','email')"#,
                    #"INSERT INTO "contact" ("email", "name") VALUES ('email','name')"#,
                ])
            #expect(
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM contact WHERE name = 'name' AND email = 'email'") == 4)
        }
    }

    @Test func aColumnSetTwiceKeepsItsPlaceAndItsLastValue() throws {
        struct Twice: PersistableRecord {
            static let databaseTableName = "contact"
            var changesItsMind: Bool
            func encode(to container: inout PersistenceContainer) {
                container["name"] = "first"
                container["email"] = "mail"
                if changesItsMind { container["NAME"] = "last" }
            }
        }
        try inLoggedDatabase(schema) { db, log throws in
            for changes in [false, true, false, true] { try Twice(changesItsMind: changes).insert(db) }
            #expect(
                log.takeExpanded() == [
                    #"INSERT INTO "contact" ("name", "email") VALUES ('first','mail')"#,
                    #"INSERT INTO "contact" ("name", "email") VALUES ('last','mail')"#,
                    #"INSERT INTO "contact" ("name", "email") VALUES ('first','mail')"#,
                    #"INSERT INTO "contact" ("name", "email") VALUES ('last','mail')"#,
                ])
        }
    }

    @Test func aValueSetEarlierCanBeReadWhileEncoding() throws {
        struct Reader: PersistableRecord {
            static let databaseTableName = "contact"
            var name: String
            func encode(to container: inout PersistenceContainer) {
                #expect(container.isEmpty)
                #expect(container["email"] == nil as String?)
                container["name"] = name
                #expect(container["NAME"] == name)
                #expect(container["email"] == nil as String?)
                #expect(container.map(\.0) == ["name"])
                container["email"] = "\(name)@"
            }
        }
        try inLoggedDatabase(schema) { db, _ throws in
            for name in ["A", "B", "C"] { try Reader(name: name).insert(db) }
            #expect(try String.fetchAll(db, sql: "SELECT email FROM contact") == ["A@", "B@", "C@"])
        }
    }

    @Test func anEncodingThatThrowsLeavesNoTrace() throws {
        struct Moody: PersistableRecord {
            static let databaseTableName = "contact"
            var name: String
            var fails: Bool
            func encode(to container: inout PersistenceContainer) throws {
                container["name"] = name
                if fails { throw CallbackFailure("encode") }
                container["email"] = name
            }
        }
        try inLoggedDatabase(schema) { db, _ throws in
            try Moody(name: "A", fails: false).insert(db)
            #expect(throws: CallbackFailure("encode")) { try Moody(name: "B", fails: true).insert(db) }
            try Moody(name: "C", fails: false).insert(db)
            #expect(try storedContacts(db) == ["1 A A", "2 C C"])
        }
    }
}
