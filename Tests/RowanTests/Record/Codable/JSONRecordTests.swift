import Foundation
import Testing

import Rowan

/// Records with JSON columns.
@Suite struct JSONRecordTests {
    @Test(arguments: [false, true]) func records(_ strict: Bool) throws {
        var configuration = Configuration()
        configuration.strictConversions = strict
        try DatabaseQueue(configuration: configuration).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE owner (id INTEGER PRIMARY KEY, pet, pets, dates, blob);
                    INSERT INTO owner VALUES
                        (1, '{"name":"Fido"}', '[{"name":"Rex"},{"name":"\\u00c9mile"}]', '[1500]', CAST('[1]' AS BLOB)),
                        (2, '{"name":"Max"}', '[]', '[2500, 3500]', '[2, 3]');
                    """)
            let owners = try Owner.order(Column("id")).fetchAll(db)
            #expect(
                owners == [
                    Owner(
                        id: 1, pet: Pet(name: "Fido"), pets: [Pet(name: "Rex"), Pet(name: "Émile")],
                        dates: [Date(timeIntervalSince1970: 1.5)], blob: [1]),
                    Owner(
                        id: 2, pet: Pet(name: "Max"), pets: [],
                        dates: [2.5, 3.5].map { Date(timeIntervalSince1970: $0) }, blob: [2, 3]),
                ])
            try db.execute(sql: "UPDATE owner SET pet = '{\"nom\":1}' WHERE id = 2")
            let error = #expect(throws: RowDecodingError.self) { try Owner.fetchAll(db) }
            #expect(error?.column == "pet")
            #expect("\(try #require(error))".contains("there is no value for the key name"))
        }
    }

    /// A column's decoder is created once, and used only by its record.
    @Test func decodersOfColumns() throws {
        try DatabaseQueue().write { db in
            let sql =
                "SELECT '{\"day\":60}' AS a, '{\"day\":60}' AS b UNION ALL SELECT '{\"day\":120}', '{\"day\":120}'"
            let minutes = try Days.fetchAll(db, sql: sql)
            #expect(minutes.map(\.a.day.timeIntervalSince1970) == [60, 120])
            #expect(minutes.map(\.b.day.timeIntervalSinceReferenceDate) == [60, 120])
            #expect(minutes.map(\.a.info) == ["record", "record"])
            #expect(minutes.map(\.b.info) == ["record", "record"])
            let other = try OtherDays.fetchAll(db, sql: sql)
            #expect(other.map(\.a.day) == [0.06, 0.12].map { Date(timeIntervalSince1970: $0) })
            #expect(other.map(\.a.info) == [nil, nil])
        }
    }

    /// A decoder that outlives the row reads from its own memory.
    @Test func keptDecoder() throws {
        let kept = try DatabaseQueue().read { db in
            try Keeper.fetchAll(db, sql: "SELECT '{\"a\":[1,\"two\"]}' AS json UNION ALL SELECT '{\"a\":[3,\"four\"]}'")
        }
        var texts: [String] = []
        for keeper in kept {
            var elements = try keeper.json.container.nestedUnkeyedContainer(forKey: Key(stringValue: "a")!)
            texts.append("\(try elements.decode(Int.self)) \(try elements.decode(String.self))")
        }
        #expect(texts == ["1 two", "3 four"])
    }

    /// A type that first requests a single value, and keys if that fails: the text is then treated as JSON, also for
    /// the value.
    @Test func valuesOrKeys() throws {
        try DatabaseQueue().read { db in
            let sql = "SELECT 'plain' AS name UNION ALL SELECT '{\"name\":\"keyed\"}' UNION ALL SELECT '[1]'"
            #expect(try Named.fetchAll(db, sql: sql).map(\.name.text) == ["plain", "{\"name\":\"keyed\"}", "[1]"])
            let keysFirst = try #require(try KeysFirst.fetchOne(db, sql: "SELECT '\"text\"' AS name"))
            #expect(keysFirst.name.text == "text")
            let keyed = try #require(try KeysFirst.fetchOne(db, sql: "SELECT '{\"name\":\"keyed\"}' AS name"))
            #expect(keyed.name.text == "keyed")
            #expect(throws: RowDecodingError.self) { try KeysFirst.fetchOne(db, sql: "SELECT 'text' AS name") }
        }
    }
}

private struct Pet: Codable, Equatable { var name: String }

private struct Owner: Codable, Equatable, FetchableRecord, TableRecord {
    var id: Int
    var pet: Pet
    var pets: [Pet]
    var dates: [Date]
    var blob: [Int]
}

extension CodingUserInfoKey {
    fileprivate static let info = CodingUserInfoKey(rawValue: "info")!
}

private struct Day: Decodable {
    var day: Date
    var info: String?
    enum CodingKeys: String, CodingKey { case day }
    init(from decoder: any Decoder) throws {
        info = decoder.userInfo[.info] as? String
        day = try decoder.container(keyedBy: CodingKeys.self).decode(Date.self, forKey: .day)
    }
}

private struct Days: Decodable, FetchableRecord {
    var a, b: Day
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [.info: "record"] }
    static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = column == "a" ? .secondsSince1970 : .deferredToDate
        return decoder
    }
}

private struct OtherDays: Decodable, FetchableRecord { var a: Day }

private struct Keeper: Decodable, FetchableRecord {
    struct Kept: Decodable {
        var container: KeyedDecodingContainer<Key>
        init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Key.self) }
    }
    var json: Kept
}

private struct Named: Decodable, FetchableRecord {
    struct Name: Decodable {
        var text: String
        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) { self.text = text; return }
            text = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: Key(stringValue: "name")!)
        }
    }
    var name: Name
}

private struct KeysFirst: Decodable, FetchableRecord {
    struct Name: Decodable {
        var text: String
        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: Key.self) {
                text = try container.decode(String.self, forKey: Key(stringValue: "name")!)
            } else {
                text = try decoder.singleValueContainer().decode(String.self)
            }
        }
    }
    var name: Name
}

private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
