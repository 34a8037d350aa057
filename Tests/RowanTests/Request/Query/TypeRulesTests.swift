// A record type's rules for values and violations apply to all requests of its rows.

import Foundation
import Rowan
import Testing

private struct Device: Codable, Equatable, FetchableRecord, PersistableRecord, Identifiable {
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .ignore)
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .uppercaseString }
    var id: UUID
    var name: String
}

struct TypeRulesTests {
    private let schema = "CREATE TABLE device (id TEXT PRIMARY KEY, name TEXT UNIQUE)"

    @Test func tablesOfRecordsStoreTheirValues() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let (a, b) = (Device(id: UUID(), name: "a"), Device(id: UUID(), name: "b"))
            try a.insert(db)
            try b.insert(db)
            let devices = Table<Device>("device")
            #expect(try devices.filter(id: b.id).fetchOne(db) == b)
            #expect(try devices.filter(key: a.id).fetchOne(db) == a)
            #expect(try devices.filter(ids: [a.id, b.id]).fetchCount(db) == 2)
            #expect(try devices.filter(key: ["id": b.id]).fetchAll(db) == [b])
            #expect(try devices.filter(Column("id") == a.id).fetchAll(db) == [a])
            #expect(try devices.exists(db, key: a.id))
            #expect(try devices.deleteOne(db, key: a.id))
            #expect(try Device.fetchAll(db) == [b])
            // A table of rows has no strategies.
            #expect(try Table("device").filter(Column("id") == b.id).fetchCount(db) == 0)
        }
    }

    @Test func batchUpdatesFollowThePolicyOfTheType() throws {
        try inLoggedDatabase(schema) { db, log throws in
            for name in ["a", "b"] { try Device(id: UUID(), name: name).insert(db) }
            _ = log.take()
            // The row that is already "b" is updated; the other one would violate the constraint.
            #expect(try Device.updateAll(db, Column("name").set(to: "b")) == 1)
            #expect(try String.fetchAll(db, Device.select(Column("name")).order(Column("name"))) == ["a", "b"])
            expectError(.SQLITE_CONSTRAINT) {
                try Device.updateAll(db, onConflict: .abort, Column("name").set(to: "b"))
            }
            #expect(
                log.take().filter { $0.hasPrefix("UPDATE") } == [
                    #"UPDATE OR IGNORE "device" SET "name" = ?"#, #"UPDATE OR ABORT "device" SET "name" = ?"#,
                ])
        }
    }
}
