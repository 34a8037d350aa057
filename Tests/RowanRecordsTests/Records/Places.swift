// The records of these tests.

import Foundation
import Rowan
import RowanRecords

@Record("town") struct Town: Equatable {
    var id: Int64?
    var name: String
}

struct Tag: Codable, Equatable { var name: String }

/// Stored as a single value, not as JSON.
enum Kind: String, Codable { case city, village }

/// Stored as cents.
struct CentStorage: ColumnStorage {
    func databaseValue(of value: Double) -> DatabaseValue { Int64((value * 100).rounded()).databaseValue }
    func value(from column: ColumnValue) -> Double? { column.int64.map { Double($0) / 100 } }
}

@Record("place") struct Place: Equatable {
    var id: Int64?
    var title: String
    var latitude = 0.0, longitude = 0.0
    @Column("remark") var note: String?
    @Column(as: .unixTime) var created: Date
    @References(Town.self, onDelete: .cascade) var townID: Int64?
    @Column(generated: true) var label: String?
    @Ignored var isSelected = false
    var tags: [Tag]
    var kind: Kind?
    @Column(as: .uuidText) var code: UUID?
    @Column(as: CentStorage()) var price: Double
    fileprivate(set) var isOpen: Bool
    @Column(as: .json) var numbers: [Int]?

    static let schema = """
        CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE place (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL, remark TEXT,
            created NOT NULL, townID INTEGER REFERENCES town, label TEXT GENERATED ALWAYS AS (title || '!'),
            tags TEXT NOT NULL, kind TEXT, code TEXT, price INTEGER NOT NULL, isOpen INTEGER NOT NULL, numbers TEXT);
        """

    static func sample(_ title: String, townID: Int64? = nil) -> Place {
        Place(
            id: nil, title: title, note: nil, created: Date(timeIntervalSince1970: 1_000), townID: townID, label: nil,
            tags: [Tag(name: "a")], kind: .city, code: nil, price: 1.25, isOpen: true, numbers: [1, 2])
    }
}

enum Outer {
    struct Sibling: Codable, Equatable { var a: Int }

    @Record("inner") struct Inner: Equatable {
        let id: String
        var sibling: Sibling
        var `class`: String
    }
}

@Record("box") struct Box<Value: DatabaseValueConvertible & Equatable & Sendable>: Equatable {
    var id: Int64?
    var value: Value
}

@Record("pair") struct Pair: Equatable {
    @PrimaryKey var a: Int
    @PrimaryKey var b: String
    var value: Int?
}

/// Stores numbers as texts.
struct LevelStorage: ColumnStorage {
    func databaseValue(of value: Int) -> DatabaseValue { "level \(value)".databaseValue }
    func value(from column: ColumnValue) -> Int? { column.string.flatMap { Int($0.dropFirst(6)) } }
}

@Record("ticket") struct Ticket: Equatable {
    @Column(as: .uuidText) let id: UUID
    @Column(as: LevelStorage()) var level: Int
}

/// Runs a closure in an in-memory database with the schema.
func inDatabase(_ schema: String = Place.schema, _ body: (Database) throws -> Void) throws {
    try DatabaseQueue().write { db in
        try db.execute(sql: schema)
        return try body(db)
    }
}
