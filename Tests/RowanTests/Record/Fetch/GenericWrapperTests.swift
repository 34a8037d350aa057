import Foundation
import Testing

import Rowan

/// Generic types that are values or records if the wrapped type is. Their conformances name only the documented
/// protocols.
private struct Tagged<RawValue>: RawRepresentable {
    var rawValue: RawValue
}

extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
extension Tagged: StatementBinding where RawValue: StatementBinding {}
extension Tagged: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}
extension Tagged: Sendable where RawValue: Sendable {}
extension Tagged: Equatable where RawValue: Equatable {}
extension Tagged: Hashable where RawValue: Hashable {}

/// The same in a single extension, without a raw value.
private struct Celsius<Number> {
    var degrees: Number
}

extension Celsius: SQLExpressible, StatementBinding, DatabaseValueConvertible where Number: DatabaseValueConvertible {
    var databaseValue: DatabaseValue { degrees.databaseValue }
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Celsius? {
        Number.fromDatabaseValue(dbValue).map(Celsius.init)
    }
}

private struct RawCelsius<RawValue>: RawRepresentable {
    var rawValue: RawValue
}

extension RawCelsius: SQLExpressible, StatementBinding, DatabaseValueConvertible
where RawValue: DatabaseValueConvertible {}

private struct Kept<Record> {
    var record: Record
}

extension Kept: FetchableRecord where Record: FetchableRecord {
    init(row: Row) throws { record = try Record(row: row) }
}
extension Kept: EncodableRecord where Record: EncodableRecord {
    func encode(to container: inout PersistenceContainer) throws { try record.encode(to: &container) }
}
extension Kept: TableRecord where Record: TableRecord {
    static var databaseTableName: String { Record.databaseTableName }
}
extension Kept: MutablePersistableRecord where Record: MutablePersistableRecord {}
extension Kept: PersistableRecord where Record: PersistableRecord {}

private struct Item: Codable, FetchableRecord, PersistableRecord, Equatable {
    var id: Int64
    var name: String

    init(id: Int64, name: String) { (self.id, self.name) = (id, name) }
    init(row: Row) throws {
        id = row["id"]
        name = "row \(row["name"] as String)"
    }
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name.uppercased()
    }
}

/// A wrapper that decodes and encodes its content as a single value.
private struct Wrapper<Value: Codable>: Codable {
    var value: Value
    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Wrapper: FetchableRecord where Value: FetchableRecord {}
extension Wrapper: EncodableRecord where Value: EncodableRecord {}
extension Wrapper: TableRecord where Value: TableRecord {
    static var databaseTableName: String { Value.databaseTableName }
}
extension Wrapper: MutablePersistableRecord where Value: MutablePersistableRecord {}
extension Wrapper: PersistableRecord where Value: PersistableRecord {}

@Suite struct GenericWrapperTests {
    @Test func values() throws {
        try DatabaseQueue().write { db throws in
            try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
            try db.execute(
                sql: "INSERT INTO item VALUES (?, ?)", arguments: [Tagged(rawValue: 1), Tagged(rawValue: "a")])
            #expect(try Tagged<Int64>.fetchAll(db, sql: "SELECT id FROM item") == [Tagged(rawValue: 1)])
            #expect(try Tagged<String>?.fetchSet(db, sql: "SELECT NULL") == [nil])
            #expect(try Tagged<String>.fetchOne(db, sql: "SELECT NULL") == nil)
            let request = Item.filter(Column("id") == Tagged(rawValue: 1)).select(
                Column("name"), as: Tagged<String>.self)
            #expect(try request.fetchOne(db)?.rawValue == "a")
            #expect(try request.fetchCursor(db).next()?.rawValue == "a")
            #expect(
                try Celsius<Double>.fetchOne(db, sql: "SELECT ?", arguments: [Celsius(degrees: 1.5)])?.degrees == 1.5)
            #expect(
                try RawCelsius<Int>.fetchOne(db, sql: "SELECT ?", arguments: [RawCelsius(rawValue: 3)])?.rawValue == 3)
            let row = try #require(try Row.fetchOne(db, sql: "SELECT 1 AS a, NULL AS b"))
            #expect(row["a"] as Tagged<Int> == Tagged(rawValue: 1))
            #expect(row["b"] as Tagged<Int>? == nil)
        }
    }

    @Test func records() throws {
        try DatabaseQueue().write { db throws in
            try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
            try Kept(record: Item(id: 1, name: "a")).insert(db)
            #expect(try Kept<Item>.fetchAll(db).map(\.record) == [Item(id: 1, name: "row A")])
            #expect(try Kept<Item>.fetchOne(db, key: 1)?.record.id == 1)
            #expect(try Kept<Item>.filter(Column("id") == 1).fetchCursor(db).next()?.record.id == 1)
            #expect(try Kept<Item>.all().page(size: 1).fetch(db).elements.map(\.record.id) == [1])
        }
    }

    /// A record is also a record inside a wrapper: its own code decodes and encodes it, rather than Codable's.
    @Test func recordsInSingleValueContainers() throws {
        try DatabaseQueue().write { db throws in
            try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
            try Wrapper(Item(id: 1, name: "a")).insert(db)
            #expect(try String.fetchOne(db, sql: "SELECT name FROM item") == "A")
            #expect(try Wrapper<Item>.fetchOne(db, key: 1)?.value == Item(id: 1, name: "row A"))
        }
    }
}
