// Dates, data and UUIDs, as stored by each record, and requests by such keys.

import Foundation
import Rowan
import Testing

private let date = Date(timeIntervalSince1970: 128.25)
private let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!

private protocol DateStrategy {
    static var encoding: DatabaseDateEncodingStrategy { get }
    static var decoding: DatabaseDateDecodingStrategy { get }
}

private struct DateBox<Strategy: DateStrategy>: Codable, FetchableRecord, PersistableRecord {
    static var databaseTableName: String { "box" }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { Strategy.encoding }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { Strategy.decoding }
    var value: Date
    var other: Date?
}

private struct Plain: DateStrategy {
    static var encoding: DatabaseDateEncodingStrategy { .deferredToDate }
    static var decoding: DatabaseDateDecodingStrategy { .deferredToDate }
}
private struct Reference: DateStrategy {
    static var encoding: DatabaseDateEncodingStrategy { .timeIntervalSinceReferenceDate }
    static var decoding: DatabaseDateDecodingStrategy { .timeIntervalSinceReferenceDate }
}
private struct Interval: DateStrategy {
    static var encoding: DatabaseDateEncodingStrategy { .timeIntervalSince1970 }
    static var decoding: DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
}
private struct Seconds: DateStrategy {
    static var encoding: DatabaseDateEncodingStrategy { .secondsSince1970 }
    static var decoding: DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
}
private struct Milliseconds: DateStrategy {
    static var encoding: DatabaseDateEncodingStrategy { .millisecondsSince1970 }
    static var decoding: DatabaseDateDecodingStrategy { .millisecondsSince1970 }
}
private struct ISO8601: DateStrategy {
    static var encoding: DatabaseDateEncodingStrategy { .iso8601 }
    static var decoding: DatabaseDateDecodingStrategy { .iso8601 }
}
private struct Formatted: DateStrategy {
    static var formatter: DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy/MM/dd HH-mm-ss"
        return formatter
    }
    static var encoding: DatabaseDateEncodingStrategy { .formatted(formatter) }
    static var decoding: DatabaseDateDecodingStrategy { .formatted(formatter) }
}
private struct OwnFormatter: DateStrategy, DatabaseDateFormatter {
    func string(from date: Date) -> String { "at \(Int(date.timeIntervalSince1970))" }
    func date(from string: String) -> Date? { Double(string.dropFirst(3)).map { Date(timeIntervalSince1970: $0) } }
    static var encoding: DatabaseDateEncodingStrategy { .formatted(OwnFormatter()) }
    static var decoding: DatabaseDateDecodingStrategy { .formatted(OwnFormatter()) }
}
private struct Custom: DateStrategy {
    static var encoding: DatabaseDateEncodingStrategy { .custom { "d\(Int($0.timeIntervalSince1970))" } }
    static var decoding: DatabaseDateDecodingStrategy {
        .custom { value in
            String.fromDatabaseValue(value).flatMap { Double($0.dropFirst()) }.map { Date(timeIntervalSince1970: $0) }
        }
    }
}

private func checkDate<S: DateStrategy>(_: S.Type, stored: DatabaseValue, decoded: Double) throws {
    try inLoggedDatabase("CREATE TABLE box (value, other)") { db, _ throws in
        try DateBox<S>(value: date, other: date).insert(db)
        try DateBox<S>(value: date, other: nil).insert(db)
        let rows = try Row.fetchAll(db, sql: "SELECT value, other FROM box")
        #expect(rows.map { $0["value"] as DatabaseValue } == [stored, stored])
        #expect(rows.map { $0["other"] as DatabaseValue } == [stored, .null])
        let boxes = try DateBox<S>.fetchAll(db)
        #expect(boxes.map(\.value.timeIntervalSince1970) == [decoded, decoded])
        #expect(boxes.map(\.other?.timeIntervalSince1970) == [decoded, nil])
        try db.execute(sql: "UPDATE box SET value = NULL")
        #expect(throws: RowDecodingError.self) { try DateBox<S>.fetchOne(db) }
    }
}

/// A record with one property of arbitrary name.
private struct SnakeCase: EncodableRecord, Encodable {
    static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
    var name: String

    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: Key(stringValue: name))
    }
}

struct CodingStrategyTests {
    /// Snake-case names are split into words as by `JSONEncoder`.
    @Test func snakeCaseNames() throws {
        #expect(try SnakeCase(name: "teamId").databaseDictionary == ["team_id": 1.databaseValue])
        #expect(try SnakeCase(name: "myURLProperty").databaseDictionary.keys.first == "my_url_property")
        #expect(try SnakeCase(name: "URLString").databaseDictionary.keys.first == "u_rl_string")
        #expect(try SnakeCase(name: "userID2").databaseDictionary.keys.first == "user_id2")
        let json = JSONEncoder()
        json.keyEncodingStrategy = .convertToSnakeCase
        var generator = SeededGenerator(14)
        let seed = generator.seed
        for _ in 0..<2_000 {
            let length = Int.random(in: 1...9, using: &generator)
            let key = String((0..<length).map { _ in "aBc_D1éÉ".randomElement(using: &generator)! })
            let object = try JSONSerialization.jsonObject(with: json.encode(SnakeCase(name: key))) as? [String: Int]
            let columns = try SnakeCase(name: key).databaseDictionary.keys
            try #require(columns.first == object?.keys.first, "ROWAN_SEED=\(seed) \(key)")
        }
    }

    @Test func dates() throws {
        try checkDate(Plain.self, stored: "1970-01-01 00:02:08.250".databaseValue, decoded: 128.25)
        try checkDate(Reference.self, stored: (128.25 - 978_307_200).databaseValue, decoded: 128.25)
        try checkDate(Interval.self, stored: (128.25).databaseValue, decoded: 128.25)
        try checkDate(Seconds.self, stored: 128.databaseValue, decoded: 128)
        try checkDate(Milliseconds.self, stored: 128_250.databaseValue, decoded: 128.25)
        try checkDate(ISO8601.self, stored: "1970-01-01T00:02:08Z".databaseValue, decoded: 128)
        try checkDate(Formatted.self, stored: "1970/01/01 00-02-08".databaseValue, decoded: 128)
        try checkDate(OwnFormatter.self, stored: "at 128".databaseValue, decoded: 128)
        try checkDate(Custom.self, stored: "d128".databaseValue, decoded: 128)
    }

    @Test func datesBefore1970RoundDown() throws {
        try inLoggedDatabase("CREATE TABLE box (value, other)") { db, _ throws in
            let before = Date(timeIntervalSince1970: -1.5)
            try DateBox<Seconds>(value: before).insert(db)
            try DateBox<Milliseconds>(value: Date(timeIntervalSince1970: -0.0015)).insert(db)
            #expect(try Int.fetchAll(db, sql: "SELECT value FROM box") == [-2, -2])
        }
    }

    @Test func data() throws {
        struct Box: Codable, Equatable, FetchableRecord, PersistableRecord {
            static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
                switch column {
                case "text": .text
                case "count": .custom { $0.count }
                default: .deferredToData
                }
            }
            static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
                column == "count" ? .custom { Int.fromDatabaseValue($0).map { Data(count: $0) } } : .deferredToData
            }
            var blob: Data
            var text: Data
            var count: Data
            var maybe: Data?
        }
        try inLoggedDatabase("CREATE TABLE box (blob, text, count, maybe)") { db, _ throws in
            let box = Box(blob: Data([1]), text: Data("abc".utf8), count: Data(count: 3))
            try box.insert(db)
            let row = try Row.fetchOne(db, sql: "SELECT * FROM box")
            #expect(row == ["blob": Data([1]), "text": "abc", "count": 3, "maybe": nil])
            #expect(try Box.fetchOne(db) == box)
            let binary = Box(blob: Data(), text: Data([0xFF]), count: Data())
            try binary.insert(db)
            #expect(try String.fetchAll(db, sql: "SELECT TYPEOF(text) FROM box") == ["text", "blob"])
        }
    }

    private struct Token: Codable, Equatable, FetchableRecord, PersistableRecord, Identifiable {
        static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
            column == "id" ? .uppercaseString : (column == "lower" ? .lowercaseString : .deferredToUUID)
        }
        var id: UUID
        var lower: UUID
        var plain: UUID?
    }
    private let tokenSchema = "CREATE TABLE token (id TEXT PRIMARY KEY, lower UNIQUE, plain)"

    @Test func uuids() throws {
        try inLoggedDatabase(tokenSchema) { db, _ throws in
            let token = Token(id: uuid, lower: uuid, plain: uuid)
            try token.insert(db)
            let row = try Row.fetchOne(db, sql: "SELECT *, LENGTH(plain) AS n FROM token")
            #expect(row?["id"] == uuid.uuidString)
            #expect(row?["lower"] == uuid.uuidString.lowercased())
            #expect(row?["n"] == 16)
            #expect(try Token.fetchOne(db) == token)
        }
    }

    @Test func requestsByKeyEncodeAsTheRecordDoes() throws {
        try inLoggedDatabase(tokenSchema) { db, _ throws in
            let token = Token(id: uuid, lower: uuid, plain: nil)
            try token.insert(db)
            #expect(try Token.fetchOne(db, id: uuid) == token)
            #expect(try Token.fetchOne(db, key: uuid) == token)
            #expect(try Token.fetchOne(db, key: uuid) == token)
            #expect(try Token.find(db, id: uuid) == token)
            #expect(try Token.fetchAll(db, ids: [uuid, UUID()]) == [token])
            #expect(try Token.fetchOne(db, key: ["id": uuid]) == token)
            #expect(try Token.fetchOne(db, key: ["lower": uuid]) == token)
            #expect(try Token.filter(id: uuid).fetchOne(db) == token)
            #expect(try Token.filter(ids: [uuid]).fetchCount(db) == 1)
            #expect(try Token.filter(keys: [uuid]).fetchCount(db) == 1)
            #expect(try Token.exists(db, id: uuid))
            #expect(try token.exists(db))
            try token.update(db)
            let missing = UUID()
            #expect(missingKey { try Token.find(db, id: missing) } == ["id": missing.uuidString.databaseValue])
            #expect(try Token.deleteAll(db, ids: [uuid]) == 1)
            try token.insert(db)
            #expect(try Token.deleteOne(db, id: uuid))
            try token.insert(db)
            #expect(try token.delete(db))
        }
    }

    @Test func datesAndDataAreKeysToo() throws {
        struct Day: Codable, FetchableRecord, PersistableRecord {
            static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
                .secondsSince1970
            }
            var day: Date
        }
        try inLoggedDatabase("CREATE TABLE day (day INTEGER PRIMARY KEY)") { db, _ throws in
            let day = Date(timeIntervalSince1970: 86_400)
            try Day(day: day).insert(db)
            #expect(try Int.fetchOne(db, sql: "SELECT day FROM day") == 86_400)
            #expect(try Day.fetchOne(db, key: day) != nil)
            #expect(try Day.fetchAll(db, keys: [day]).count == 1)
            #expect(try Day.exists(db, key: day))
        }
    }
}
