// Records whose columns are defined by their Codable implementation.

import Foundation
import Rowan
import Testing

private enum AchievementColor: String, Codable { case bronze, silver, gold }
private enum Level: Int, Codable { case low = 1, high = 2 }
private enum Grade: String, Codable, DatabaseValueConvertible { case a, b }

private struct Achievement: Codable, Equatable {
    var name: String
    var color: AchievementColor
}

private struct Player: Codable, Equatable, FetchableRecord, PersistableRecord {
    var name: String
    var score: Int
    var achievements: [Achievement]
}

private func storedRow(_ db: Database, _ table: String) throws -> Row? {
    try Row.fetchOne(db, sql: "SELECT * FROM \(table)")
}

struct CodableTests {
    @Test func complexPropertiesAreStoredAsJSON() throws {
        try inLoggedDatabase("CREATE TABLE player (name TEXT, score INTEGER, achievements TEXT)") { db, log throws in
            let achievement = Achievement(name: "Use Codable Records", color: .gold)
            let player = Player(name: "Arthur", score: 100, achievements: [achievement])
            try player.insert(db)
            #expect(
                log.takeExpanded() == [
                    #"INSERT INTO "player" ("name", "score", "achievements") VALUES "#
                        + #"('Arthur',100,'[{"color":"gold","name":"Use Codable Records"}]')"#
                ])
            #expect(try Player.fetchOne(db) == player)
            let blob = "UPDATE player SET achievements = CAST(achievements AS BLOB)"
            try db.execute(sql: blob)
            #expect(try Player.fetchOne(db) == player)
        }
    }

    @Test func jsonDefaults() throws {
        struct Payload: Codable, Equatable {
            var date: Date
            var data: Data
            var tags: [String: Int]
        }
        struct Box: Codable, Equatable, FetchableRecord, PersistableRecord {
            var payload: Payload
        }
        try inLoggedDatabase("CREATE TABLE box (payload TEXT)") { db, _ throws in
            let payload = Payload(
                date: Date(timeIntervalSince1970: 1.5), data: Data([1, 2]), tags: ["b": 2, "a/c": 1])
            try Box(payload: payload).insert(db)
            let json = try String.fetchOne(db, sql: "SELECT payload FROM box")
            #expect(
                json?.replacingOccurrences(of: "\\/", with: "/")
                    == #"{"data":"AQI=","date":1500,"tags":{"a/c":1,"b":2}}"#)
            #expect(try Box.fetchOne(db)?.payload == payload)
        }
    }

    @Test func jsonCodersOfTheRecord() throws {
        struct Box: Codable, Equatable, FetchableRecord, PersistableRecord {
            var dates: [Date]
            var others: [Date]
            static func databaseJSONEncoder(for column: String) -> JSONEncoder {
                let encoder = JSONEncoder()
                encoder.dateEncodingStrategy = column == "dates" ? .secondsSince1970 : .deferredToDate
                return encoder
            }
            static func databaseJSONDecoder(for column: String) -> JSONDecoder {
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = column == "dates" ? .secondsSince1970 : .deferredToDate
                return decoder
            }
        }
        try inLoggedDatabase("CREATE TABLE box (dates TEXT, others TEXT)") { db, _ throws in
            let box = Box(
                dates: [Date(timeIntervalSince1970: 3)], others: [Date(timeIntervalSinceReferenceDate: 5)])
            try box.insert(db)
            #expect(try storedRow(db, "box") == ["dates": "[3]", "others": "[5]"])
            #expect(try Box.fetchOne(db) == box)
        }
    }

    @Test func invalidJSONIsADecodingErrorThatNamesTheColumn() throws {
        try inLoggedDatabase("CREATE TABLE player (name TEXT, score INTEGER, achievements TEXT)") { db, _ throws in
            try db.execute(sql: "INSERT INTO player VALUES ('A', 1, 'no json')")
            let error = #expect(throws: RowDecodingError.self) { try Player.fetchOne(db) }
            #expect("\(error!)".contains("achievements"))
        }
    }

    @Test func enumerationsAndNestedRawValues() throws {
        struct Item: Codable, Equatable, FetchableRecord, PersistableRecord {
            var color: AchievementColor
            var level: Level
            var grade: Grade
            var maybe: Level?
            var url: URL
            var decimal: Decimal
            var wrapped: Wrapper
        }
        struct Wrapper: Codable, Equatable {
            var value: Int
            init(_ value: Int) { self.value = value }
            init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }
        try inLoggedDatabase("CREATE TABLE item (color, level, grade, maybe, url, decimal, wrapped)") { db, _ throws in
            let item = Item(
                color: .silver, level: .high, grade: .b, maybe: nil, url: URL(string: "https://example.org")!,
                decimal: 1.5, wrapped: Wrapper(3))
            try item.insert(db)
            let row = try storedRow(db, "item")
            #expect(
                row == [
                    "color": "silver", "level": 2, "grade": "b", "maybe": nil, "url": "https://example.org",
                    "decimal": "1.5", "wrapped": 3,
                ])
            #expect(try Item.fetchOne(db) == item)
            try db.execute(sql: "UPDATE item SET color = 'black'")
            #expect(throws: (any Error).self) { try Item.fetchOne(db) }
        }
    }

    @Test func optionalsAreNullAndMissingColumnsAreNil() throws {
        struct Item: Codable, Equatable, FetchableRecord, PersistableRecord {
            var id: Int
            var text: String?
            var list: [Int]?
            var flag: Bool?
            var date: Date?
        }
        try inLoggedDatabase("CREATE TABLE item (id, text DEFAULT 'x', list, flag, date)") { db, log throws in
            try Item(id: 1).insert(db)
            try Item(id: 2, text: "a", list: [1], flag: true, date: Date(timeIntervalSince1970: 0)).insert(db)
            #expect(
                log.takeExpanded() == [
                    #"INSERT INTO "item" ("id", "text", "list", "flag", "date") VALUES (1,NULL,NULL,NULL,NULL)"#,
                    #"INSERT INTO "item" ("id", "text", "list", "flag", "date") VALUES (2,'a','[1]',1,'1970-01-01 00:00:00.000')"#,
                ])
            #expect(try Item.fetchOne(db, sql: "SELECT 3 AS id") == Item(id: 3))
            #expect(try Item.fetchAll(db).map(\.list) == [nil, [1]])
        }
    }

    @Test func missingAndNullColumnsAreErrors() throws {
        struct Item: Decodable, FetchableRecord {
            var id: Int
            var name: String
        }
        try inLoggedDatabase { db, _ throws in
            let missing = #expect(throws: RowDecodingError.self) { try Item.fetchOne(db, sql: "SELECT 1 AS id") }
            #expect("\(missing!)".contains("name"))
            let null = #expect(throws: RowDecodingError.self) {
                try Item.fetchOne(db, sql: "SELECT 1 AS id, NULL AS name")
            }
            #expect("\(null!)".contains("name"))
        }
    }

    @Test func columnsMatchCaseInsensitively() throws {
        struct Item: Decodable, FetchableRecord { var teamId: Int }
        try inLoggedDatabase { db, _ throws in
            #expect(try Item.fetchOne(db, sql: "SELECT 4 AS TEAMID")?.teamId == 4)
        }
    }

    @Test func columnNameStrategies() throws {
        struct Item: Codable, Equatable, FetchableRecord, PersistableRecord {
            static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
            var teamId: Int
            var myURLProperty: String?
            var a: Int
        }
        try inLoggedDatabase("CREATE TABLE item (team_id, my_url_property, a)") { db, log throws in
            let item = Item(teamId: 1, myURLProperty: nil, a: 2)
            try item.insert(db)
            #expect(log.take() == [#"INSERT INTO "item" ("team_id", "my_url_property", "a") VALUES (?,?,?)"#])
            #expect(try Item.fetchOne(db) == item)
        }
    }

    @Test func customColumnNameStrategies() throws {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Item: Codable, Equatable, FetchableRecord, PersistableRecord {
            static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.custom { "_" + $0.stringValue }
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.custom {
                Key(stringValue: String($0.dropFirst()))
            }
            var id: Int
            var name: String?
        }
        try inLoggedDatabase("CREATE TABLE item (_id INTEGER PRIMARY KEY, _name)") { db, log throws in
            try Item(id: 1, name: "a").insert(db)
            try Item(id: 1, name: "b").update(db, columns: ["_name"])
            #expect(log.take().last == #"UPDATE "item" SET "_name"=? WHERE "_id"=?"#)
            #expect(try Item.fetchOne(db, key: 1) == Item(id: 1, name: "b"))
            #expect(try Item(id: 1).databaseChanges(from: Item(id: 1, name: "c")) == ["_name": "c".databaseValue])
        }
    }

    @Test func userInfo() throws {
        struct Item: Codable, FetchableRecord, PersistableRecord {
            static let key = CodingUserInfoKey(rawValue: "source")!
            static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [key: "row"] }
            static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [key: "database"] }
            var source: String
            enum CodingKeys: String, CodingKey { case source }
            init(source: String) { self.source = source }
            init(from decoder: any Decoder) throws {
                source = decoder.userInfo[Self.key] as? String ?? "nothing"
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(encoder.userInfo[Self.key] as? String ?? "nothing", forKey: .source)
            }
        }
        try inLoggedDatabase("CREATE TABLE item (source)") { db, _ throws in
            try Item(source: "x").insert(db)
            #expect(try String.fetchOne(db, sql: "SELECT source FROM item") == "database")
            #expect(try Item.fetchOne(db)?.source == "row")
            let row = try #require(try storedRow(db, "item"))
            #expect(try FetchableRecordDecoder().decode(Item.self, from: row).source == "row")
        }
    }

    @Test func allNumbers() throws {
        struct Numbers: Codable, Equatable, FetchableRecord, PersistableRecord {
            var i = Int.min
            var i8 = Int8.min
            var i16 = Int16.min
            var i32 = Int32.min
            var i64 = Int64.max
            var u = UInt(Int.max)
            var u8 = UInt8.max
            var u16 = UInt16.max
            var u32 = UInt32.max
            var u64 = UInt64(Int64.max)
            var d = 0.1
            var f = Float(1.5)
            var b = true
            var oi: Int? = 1
            var of: Float? = 0.5
            var ob: Bool? = false
        }
        let columns = "i, i8, i16, i32, i64, u, u8, u16, u32, u64, d, f, b, oi, of, ob"
        try inLoggedDatabase("CREATE TABLE numbers (\(columns))") { db, _ throws in
            try Numbers().insert(db)
            #expect(try Numbers.fetchOne(db) == Numbers())
            try db.execute(sql: "UPDATE numbers SET i8 = 128")
            #expect(throws: RowDecodingError.self) { try Numbers.fetchOne(db) }
        }
    }
}
