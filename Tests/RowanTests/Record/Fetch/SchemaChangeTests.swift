import Foundation
import Rowan
import Testing

private struct Item: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var code: String
    var rowID: Int64?

    enum CodingKeys: String, CodingKey { case id, code }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        rowID = inserted.rowID
        if inserted.rowIDColumn == "id" { id = inserted.rowID }
    }
}

struct SchemaChangeTests {
    private let first = "CREATE TABLE item (id INTEGER PRIMARY KEY, code TEXT)"

    @Test func aColumnThatIsAddedShowsInReturnedRows() throws {
        try inLoggedDatabase(first) { db, _ throws in
            var first = Item(id: nil, code: "a")
            let one = try first.insertAndFetch(db, selection: [.allColumns]) { try Row.fetchOne($0) }
            #expect(one == ["id": 1, "code": "a"])
            try db.alter(table: "item") { t in t.add(column: "color", .text).defaults(to: "red") }
            var item = Item(id: nil, code: "b")
            let two = try item.insertAndFetch(db, selection: [.allColumns]) { try Row.fetchOne($0) }
            #expect(two == ["id": 2, "code": "b", "color": "red"])
        }
    }

    @Test func anotherPrimaryKeyAfterDropAndCreate() throws {
        try inLoggedDatabase(first) { db, log throws in
            var item = Item(id: nil, code: "a")
            try item.insert(db)
            try item.update(db)
            #expect(try item.exists(db))
            #expect(try Item.fetchOne(db, key: 1)?.code == "a")
            try db.drop(table: "item")
            try db.execute(sql: "CREATE TABLE item (code TEXT PRIMARY KEY, id INTEGER)")
            _ = log.take()
            var other = Item(id: 70, code: "b")
            try other.insert(db)
            #expect(other.id == 70)
            #expect(other.rowID == 1)
            other.id = 71
            try other.update(db)
            #expect(try other.exists(db))
            #expect(try Item.fetchOne(db, key: "b")?.id == 71)
            #expect(try Item.fetchOne(db, key: 1) == nil)
            #expect(try other.delete(db))
            #expect(
                log.takeExpanded() == [
                    #"INSERT INTO "item" ("id", "code") VALUES (70,'b')"#,
                    #"UPDATE "item" SET "id"=71 WHERE "code"='b'"#,
                    #"SELECT EXISTS (SELECT 1 FROM "item" WHERE "code"='b')"#,
                    #"SELECT * FROM "item" WHERE "code" = 'b'"#,
                    #"SELECT * FROM "item" WHERE "code" = 1"#,
                    #"DELETE FROM "item" WHERE "code"='b'"#,
                ])
        }
    }

    @Test func upsertsFollowThePrimaryKey() throws {
        try inLoggedDatabase(first) { db, _ throws in
            var item = Item(id: 1, code: "a")
            try item.upsert(db)
            try db.drop(table: "item")
            try db.execute(sql: "CREATE TABLE item (code TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID")
            try item.upsert(db)
            var other = Item(id: 2, code: "a")
            try other.upsert(db)
            #expect(try Row.fetchAll(db, sql: "SELECT id, code FROM item") == [["id": 2, "code": "a"]])
        }
    }

    @Test func aRollbackInTheMiddle() throws {
        let (queue, _) = try loggedQueue(first)
        try queue.writeWithoutTransaction { db in
            var item = Item(id: nil, code: "a")
            try item.insert(db)
            try db.inTransaction {
                try db.drop(table: "item")
                try db.execute(sql: "CREATE TABLE item (code TEXT PRIMARY KEY, id INTEGER)")
                var other = Item(id: nil, code: "z")
                try other.insert(db)
                #expect(other.id == nil)
                return .rollback
            }
            item.code = "b"
            try item.update(db)
            var third = Item(id: nil, code: "c")
            try third.insert(db)
            #expect(third.id == 2)
            #expect(try Item.fetchAll(db).map(\.code) == ["b", "c"])
        }
    }

    @Test func anotherConnectionChangesTheSchema() throws {
        let path = temporaryDatabasePath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let one = try DatabaseQueue(path: path)
        let two = try DatabaseQueue(path: path)
        try one.write { db in
            try db.execute(sql: first)
            var item = Item(id: nil, code: "a")
            try item.insert(db)
        }
        try two.write { db in
            try db.drop(table: "item")
            try db.execute(sql: "CREATE TABLE item (code TEXT PRIMARY KEY, id INTEGER)")
        }
        try one.write { db in
            var item = Item(id: 9, code: "b")
            try item.insert(db)
            item.id = 10
            try item.update(db)
            #expect(try Item.fetchOne(db, key: "b")?.id == 10)
        }
    }

    @Test func aRenamedTableIsMissing() throws {
        try inLoggedDatabase(first) { db, _ throws in
            var item = Item(id: nil, code: "a")
            try item.insert(db)
            try db.rename(table: "item", to: "thing")
            let error = databaseError { try item.insert(db) }
            #expect(error?.message == "no such table: item")
            let updateError = databaseError { try item.update(db) }
            #expect(updateError?.message == "no such table: item")
        }
    }

    @Test func containersKeepTheirValues() throws {
        final class Keeper: MutablePersistableRecord {
            nonisolated(unsafe) static var kept: [PersistenceContainer] = []
            static let databaseTableName = "item"
            let code: String
            init(code: String) { self.code = code }
            func encode(to container: inout PersistenceContainer) { container["code"] = code }
            func didInsert(_ inserted: InsertionSuccess) { Self.kept.append(inserted.persistenceContainer) }
            func didUpdate(_ updated: PersistenceSuccess) { Self.kept.append(updated.persistenceContainer) }
        }
        try inLoggedDatabase("CREATE TABLE item (code TEXT PRIMARY KEY)") { db, _ throws in
            for code in ["a", "b", "c"] {
                var keeper = Keeper(code: code)
                try keeper.insert(db)
                try keeper.update(db)
            }
            let codes = Keeper.kept.map { $0["code"] as String? }
            #expect(codes == ["a", "a", "b", "b", "c", "c"])
        }
    }
}
