import Foundation
import Testing

import Rowan

/// A Codable value that consists of a single value has the database form of that value.
private struct Single<Content: Codable & Equatable>: Codable, Equatable, DatabaseValueConvertible {
    var content: Content
    init(_ content: Content) { self.content = content }
    init(from decoder: any Decoder) throws {
        content = try decoder.singleValueContainer().decode(Content.self)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(content)
    }
}

extension Single: Sendable where Content: Sendable {}

/// A value with several shapes, which tries them one after another and discards their errors.
private enum Shape: Codable, Equatable, DatabaseValueConvertible {
    case nothing
    case numbers([Int])
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .nothing
        } else if let numbers = try? container.decode([Int].self) {
            self = .numbers(numbers)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .nothing: try container.encodeNil()
        case .numbers(let numbers): try container.encode(numbers)
        case .text(let text): try container.encode(text)
        }
    }
}

private struct Pair: Codable, Equatable, DatabaseValueConvertible {
    var a: Int
    var b: Single<UUID>?
}

private struct Holder: Codable, Equatable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "holder"
    var text: Single<String>
    var date: Single<Date>
    var uuid: Single<UUID>
    var nested: Single<Single<Int>>
    var pair: Pair
    var shape: Shape
}

@Suite struct SingleValueCodingTests {
    private let uuid = UUID(uuidString: "56E7D8D3-E9E4-48B6-968E-8D102833AF00")!

    private func check<Value: DatabaseValueConvertible & Equatable>(_ value: Value, _ stored: DatabaseValue) {
        #expect(value.databaseValue == stored)
        #expect(Value.fromDatabaseValue(stored) == value)
    }

    @Test func databaseForms() throws {
        check(Single("a\"b"), "a\"b".databaseValue)
        check(Single(12), 12.databaseValue)
        check(Single(1.5), 1.5.databaseValue)
        check(Single(true), 1.databaseValue)
        check(Single(Data([1, 2])), Data([1, 2]).databaseValue)
        check(Single(Date(timeIntervalSince1970: 0.25)), "1970-01-01 00:00:00.250".databaseValue)
        check(Single(uuid), uuid.databaseValue)
        check(Single(Single(Single("a"))), "a".databaseValue)
        check(Single([1, 2]), "[1,2]".databaseValue)
        check(Single(["a": Single(1)]), #"{"a":1}"#.databaseValue)
        check(Pair(a: 1, b: nil), #"{"a":1}"#.databaseValue)
        #expect(Single<Int>.fromDatabaseValue("abc".databaseValue) == nil)
        #expect(Single<UUID>.fromDatabaseValue("abc".databaseValue) == nil)
        #expect(Single<String>.fromDatabaseValue(.null) == nil)
        #expect(Single([1.5, .nan]).databaseValue.isNull)
    }

    @Test func shapes() {
        check(Shape.nothing, .null)
        check(Shape.numbers([1, 2]), "[1,2]".databaseValue)
        #expect(Shape.text("a").databaseValue == "a".databaseValue)
    }

    @Test func columnsOfRecords() throws {
        try DatabaseQueue().write { db throws in
            try db.execute(sql: "CREATE TABLE holder (text, date, uuid, nested, pair, shape)")
            let holder = Holder(
                text: Single("a"), date: Single(Date(timeIntervalSince1970: 0)), uuid: Single(uuid),
                nested: Single(Single(3)), pair: Pair(a: 1, b: Single(uuid)), shape: .numbers([4]))
            try holder.insert(db)
            #expect(
                try Row.fetchOne(db, sql: "SELECT * FROM holder") == [
                    "text": "a", "date": "1970-01-01 00:00:00.000", "uuid": uuid, "nested": 3,
                    "pair": #"{"a":1,"b":"56E7D8D3-E9E4-48B6-968E-8D102833AF00"}"#, "shape": "[4]",
                ])
            #expect(try Holder.fetchOne(db) == holder)
            #expect(try Holder.filter(Column("text") == Single("a")).fetchCount(db) == 1)
            expectError(.SQLITE_ERROR, nil) { try Single<Int>.fetchOne(db, sql: "SELECT missing") }
            #expect(throws: RowDecodingError.self) { try Single<UUID>.fetchOne(db, sql: "SELECT 'abc'") }
        }
    }

    @Test func upperCaseColumns() throws {
        struct Member: Decodable, FetchableRecord, Equatable {
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
            var id: Int
            var teamId: Int
            var homePage: String?
            var URL: String
        }
        try DatabaseQueue().read { db throws in
            let member = Member(id: 1, teamId: 2, homePage: "x", URL: "y")
            for columns in [
                "ID, TEAM_ID, HOME_PAGE, URL", "id, team_id, home_page, URL", "ID, team_id, HOME_PAGE, URL",
            ] {
                let names = columns.split(separator: ", ")
                let sql = "SELECT 1 AS \(names[0]), 2 AS \(names[1]), 'x' AS \(names[2]), 'y' AS \(names[3])"
                #expect(try Member.fetchAll(db, sql: sql) == [member])
            }
        }
    }
}
