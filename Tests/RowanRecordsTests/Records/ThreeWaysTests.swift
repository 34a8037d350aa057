// The same values, stored and read by the macro, by handwritten code and by Codable.

import Foundation
import Rowan
import RowanRecords
import Testing

private struct Part: Codable, Equatable {
    var name: String
    var sizes: [Double]
}

private enum Level: Int, Codable, DatabaseValueConvertible { case low, middle, high }

@Record("sample") private struct Generated: Equatable {
    var id: Int64?
    var integer: Int
    var small: Int8?
    var unsigned: UInt32
    var double: Double
    var float: Float?
    var flag: Bool
    var text: String
    var note: String?
    var data: Data?
    var date: Date
    var uuid: UUID?
    var level: Level
    var url: URL?
    var parts: [Part]
    var part: Part?
    var decimal: Decimal
}

private struct Coded: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "sample"
    var id: Int64?
    var integer: Int
    var small: Int8?
    var unsigned: UInt32
    var double: Double
    var float: Float?
    var flag: Bool
    var text: String
    var note: String?
    var data: Data?
    var date: Date
    var uuid: UUID?
    var level: Level
    var url: URL?
    var parts: [Part]
    var part: Part?
    var decimal: Decimal

    init(_ other: Generated) {
        (id, integer, small, unsigned, double) = (other.id, other.integer, other.small, other.unsigned, other.double)
        (float, flag, text, note, data) = (other.float, other.flag, other.text, other.note, other.data)
        (date, uuid, level, url) = (other.date, other.uuid, other.level, other.url)
        (parts, part, decimal) = (other.parts, other.part, other.decimal)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct ByHand: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "sample"
    var values: Generated

    init(_ values: Generated) { self.values = values }

    init(row: Row) throws {
        values = Generated(
            id: row["id"], integer: row["integer"], small: row["small"], unsigned: row["unsigned"],
            double: row["double"],
            float: row["float"], flag: row["flag"], text: row["text"], note: row["note"], data: row["data"],
            date: row["date"], uuid: row["uuid"], level: row["level"], url: row["url"],
            parts: try JSONDecoder().decode([Part].self, from: row["parts"]),
            part: try (row["part"] as Data?).map { try JSONDecoder().decode(Part.self, from: $0) },
            decimal: row["decimal"])
    }

    func encode(to container: inout PersistenceContainer) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func json(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        container["id"] = values.id
        container["integer"] = values.integer
        container["small"] = values.small
        container["unsigned"] = values.unsigned
        container["double"] = values.double
        container["float"] = values.float
        container["flag"] = values.flag
        container["text"] = values.text
        container["note"] = values.note
        container["data"] = values.data
        container["date"] = values.date
        container["uuid"] = values.uuid
        container["level"] = values.level
        container["url"] = values.url
        container["parts"] = try json(values.parts)
        container["part"] = try values.part.map { try json($0) }
        container["decimal"] = values.decimal
    }
}

@Suite("Three kinds of records")
struct ThreeWaysTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static let texts = ["", "a", "é", "𝄞 and more than fifteen bytes", "with \u{0} inside", "'\"\\", "12", "0"]

    private func sample(_ random: inout Generator) -> Generated {
        func maybe<T>(_ value: T) -> T? { Bool.random(using: &random) ? value : nil }
        func text() -> String { Self.texts.randomElement(using: &random)! }
        func double() -> Double {
            [0, -0.0, 1.5, -2, 1e300, .leastNonzeroMagnitude, .infinity, 3].randomElement(using: &random)!
        }
        let part = Part(name: text().replacingOccurrences(of: "\u{0}", with: ""), sizes: [0.5, 2])
        return Generated(
            id: nil, integer: [0, 1, .max, .min, -7].randomElement(using: &random)!,
            small: maybe(Int8.random(in: .min ... .max, using: &random)),
            unsigned: UInt32.random(in: 0 ... .max, using: &random), double: double(), float: maybe(Float(0.1)),
            flag: Bool.random(using: &random), text: text(), note: maybe(text()),
            data: maybe(Data(text().utf8)),
            date: Date(
                timeIntervalSince1970: Double(Int.random(in: -5_000_000_000...5_000_000_000, using: &random)) / 8),
            uuid: maybe(
                UUID(
                    uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8.random(in: 0...255, using: &random))
                )),
            level: [.low, .middle, .high].randomElement(using: &random)!,
            url: maybe(URL(string: "https://sqlite.org/?a=1")!),
            parts: Bool.random(using: &random) ? [] : [part, part], part: maybe(part),
            decimal: [0, 1, Decimal(string: "12.25")!].randomElement(using: &random)!)
    }

    @Test("All three store the same rows and read them alike", arguments: [1, 2, 3] as [UInt64])
    func sameRows(_ seed: UInt64) throws {
        var random = Generator(state: seed)
        try inDatabase(
            """
            CREATE TABLE sample (
                id INTEGER PRIMARY KEY, integer, small, unsigned, double, float, flag, text, note, data, date, uuid, level,
                url, parts, part, decimal)
            """
        ) { db in
            func row(_ id: Int64?) throws -> [DatabaseValue] {
                let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM sample WHERE id = ?", arguments: [id]))
                return Array(row.databaseValues.dropFirst())
            }
            for _ in 0..<100 {
                var generated = sample(&random)
                var coded = Coded(generated)
                var byHand = ByHand(generated)
                try generated.insert(db)
                try coded.insert(db)
                _ = try byHand.inserted(db)
                let (first, second, third) = (generated.id!, generated.id! + 1, generated.id! + 2)
                byHand.values.id = third
                #expect(try row(first) == row(second))
                #expect(try row(first) == row(third))
                // Each type reads the row of another one.
                var read = try #require(try Generated.fetchOne(db, key: second))
                read.id = first
                #expect(read == generated)
                read = try #require(try ByHand.fetchOne(db, key: first)).values
                #expect(read == generated)
                let decoded = try #require(try Coded.fetchOne(db, key: first))
                #expect(try decoded.databaseDictionary == generated.databaseDictionary)
                // Updates store the same rows, too.
                let changed = sample(&random)
                (generated, coded, byHand) = (changed, Coded(changed), ByHand(changed))
                generated.id = first
                coded.id = second
                byHand.values.id = third
                try generated.update(db)
                try coded.update(db)
                try byHand.update(db)
                #expect(try row(first) == row(second))
                #expect(try row(first) == row(third))
            }
        }
    }
}
