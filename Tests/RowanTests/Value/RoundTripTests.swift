// Random values of all types, stored and fetched, on live rows and copies.

import Foundation
import Rowan
import Testing

@Suite
struct RoundTripTests {
    /// Stores values one after another, and checks the values read back in all ways.
    private func check<Value: DatabaseValueConvertible & Equatable>(
        count: Int = 300, strict: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
        _ make: (inout SeededGenerator) -> Value
    ) throws {
        var generator = SeededGenerator(13)
        let seed = generator.seed
        var configuration = Configuration()
        configuration.strictConversions = strict
        try withDatabase(configuration) { db in
            for _ in 0..<count {
                let value = make(&generator)
                let comment: Comment = "ROWAN_SEED=\(seed) \(value)"
                let sql = "SELECT ? AS v"
                let cursor = try Row.fetchCursor(db, sql: sql, arguments: [value])
                let row = try #require(try cursor.next(), comment, sourceLocation: sourceLocation)
                let live = try row.decode(Value.self, atIndex: 0)
                #expect(live == value, comment, sourceLocation: sourceLocation)
                let copied = try row.copy().decode(Value?.self, forColumn: "V")
                #expect(copied == value, comment, sourceLocation: sourceLocation)
                let fetched = try Value.fetchOne(db, sql: sql, arguments: [value])
                #expect(fetched == value, comment, sourceLocation: sourceLocation)
                #expect(Value.fromDatabaseValue(value.databaseValue) == value, comment, sourceLocation: sourceLocation)
                let literal = try Value.fetchOne(db, SQLRequest<Value>(literal: "SELECT \(value)"))
                #expect(literal == value, comment, sourceLocation: sourceLocation)
                // The bound value equals databaseValue.
                let stored = try DatabaseValue.fetchOne(db, sql: sql, arguments: [value])
                #expect(stored == value.databaseValue, comment, sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: [false, true])
    func integers(_ strict: Bool) throws {
        try check(strict: strict) { $0.integer(Int.self) }
        try check(strict: strict) { $0.integer(Int8.self) }
        try check(strict: strict) { $0.integer(Int16.self) }
        try check(strict: strict) { $0.integer(Int32.self) }
        try check(strict: strict) { $0.integer(Int64.self) }
        try check(strict: strict) { $0.integer(UInt8.self) }
        try check(strict: strict) { $0.integer(UInt16.self) }
        try check(strict: strict) { $0.integer(UInt32.self) }
        try check(strict: strict) { UInt64(bitPattern: $0.integer(Int64.self)) >> 1 }
        try check(strict: strict) { UInt(UInt64(bitPattern: $0.integer(Int64.self)) >> 1) }
    }

    @Test(arguments: [false, true])
    func numbers(_ strict: Bool) throws {
        try check(strict: strict) { $0.double() }
        try check(strict: strict) { Float($0.double()) }
        try check(strict: strict) { CGFloat($0.double()) }
        try check(count: 10, strict: strict) { Bool.random(using: &$0) }
    }

    @Test(arguments: [false, true])
    func textAndBlobs(_ strict: Bool) throws {
        try check(strict: strict) { $0.string() }
        try check(strict: strict) { $0.data() }
        try check(count: 3, strict: strict) { String(repeating: $0.string(maxLength: 1) + "é", count: 100_000) }
    }

    /// To the millisecond, from the year 0 to the year 9999.
    @Test(arguments: [false, true])
    func dates(_ strict: Bool) throws {
        let first: Int64 = -62_167_219_200_000
        let last: Int64 = 253_402_300_799_999
        try check(strict: strict) { generator in
            let milliseconds: Int64 =
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: [first, last, 0, -1, 1, first + 1, last - 1].randomElement(using: &generator)!
                case 1: Int64.random(in: -1_000_000...1_000_000, using: &generator)
                default: Int64.random(in: first...last, using: &generator)
                }
            return Milliseconds(milliseconds)
        }
    }

    /// A date as milliseconds, which is its stored precision.
    private struct Milliseconds: DatabaseValueConvertible, Equatable {
        var value: Int64
        init(_ value: Int64) { self.value = value }
        var date: Date { Date(timeIntervalSince1970: Double(value) / 1_000) }
        var databaseValue: DatabaseValue { date.databaseValue }
        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Milliseconds? {
            Date.fromDatabaseValue(dbValue).map { Milliseconds(Int64(($0.timeIntervalSince1970 * 1_000).rounded())) }
        }
    }

    @Test func dateTexts() throws {
        func text(_ seconds: Double) -> String? {
            String.fromDatabaseValue(Date(timeIntervalSince1970: seconds).databaseValue)
        }
        #expect(text(0) == "1970-01-01 00:00:00.000")
        #expect(text(-62_167_219_200) == "0000-01-01 00:00:00.000")
        #expect(text(253_402_300_799.999) == "9999-12-31 23:59:59.999")
        #expect(text(951_782_400) == "2000-02-29 00:00:00.000")
        #expect(text(-0.001) == "1969-12-31 23:59:59.999")
        #expect(text(1.9996) == "1970-01-01 00:00:02.000")
        #expect(text(1.9994) == "1970-01-01 00:00:01.999")
    }

    /// SQLite computes the same instants, over all years.
    @Test func datesAreThoseOfSQLite() throws {
        var generator = SeededGenerator(14)
        let seed = generator.seed
        try withDatabase { db in
            for _ in 0..<500 {
                let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &generator)
                let date = Date(timeIntervalSince1970: Double(seconds))
                let text = try String.fetchOne(
                    db, sql: "SELECT strftime('%Y-%m-%d %H:%M:%S', ?, 'unixepoch') || '.000'", arguments: [seconds])
                #expect(String.fromDatabaseValue(date.databaseValue) == text, "ROWAN_SEED=\(seed)")
                let parsed = try Date.fetchOne(db, sql: "SELECT datetime(?, 'unixepoch')", arguments: [seconds])
                #expect(parsed == date, "ROWAN_SEED=\(seed)")
            }
        }
    }

    @Test(arguments: [false, true])
    func identifiersAndAddresses(_ strict: Bool) throws {
        try check(strict: strict) { generator in
            UUID(uuid: withUnsafeBytes(of: (generator.next(), generator.next())) { $0.load(as: uuid_t.self) })
        }
        try check(strict: strict) { URL(string: "https://example.com/\($0.next())?q=\($0.next())#é")! }
        try check(strict: strict) { generator in
            Decimal(
                sign: .minus, exponent: Int.random(in: -30...30, using: &generator),
                significand: Decimal(generator.next()))
        }
    }

    @Test func identifiersAsText() throws {
        try withDatabase { db in
            let uuid = UUID()
            for text in [uuid.uuidString, uuid.uuidString.lowercased()] {
                let fetched = try UUID.fetchOne(db, sql: "SELECT ?", arguments: [text])
                #expect(fetched == uuid)
            }
        }
    }

    private enum Color: String, CaseIterable, DatabaseValueConvertible { case red, white, rosé }
    private enum Grape: Int, CaseIterable, DatabaseValueConvertible { case chardonnay = -1, merlot, riesling = 100 }
    private struct Address: Codable, Equatable, DatabaseValueConvertible {
        var street: String
        var number: Int?
        var date: Date
        var data: Data
        var tags: [String: [Double]]
    }

    @Test(arguments: [false, true])
    func rawValuesAndJSON(_ strict: Bool) throws {
        try check(count: 20, strict: strict) { Color.allCases.randomElement(using: &$0)! }
        try check(count: 20, strict: strict) { Grape.allCases.randomElement(using: &$0)! }
        try check(count: 100, strict: strict) { generator in
            Address(
                street: generator.string(), number: Bool.random(using: &generator) ? generator.integer(Int.self) : nil,
                date: Date(timeIntervalSince1970: Double(Int.random(in: 0...1_000_000, using: &generator))),
                data: generator.data(), tags: [generator.string(): [0.5, -1]])
        }
    }

    @Test func optionals() throws {
        try check { Bool.random(using: &$0) ? $0.integer(Int.self) : nil }
        try check { Bool.random(using: &$0) ? $0.string() : nil }
        try check(count: 50) { generator -> Color? in Bool.random(using: &generator) ? .red : nil }
        try check(count: 50) { generator -> UUID? in Bool.random(using: &generator) ? UUID() : nil }
    }

    @Test func databaseValues() throws {
        try check { generator -> DatabaseValue in
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: .null
            case 1: generator.integer(Int64.self).databaseValue
            case 2: generator.double().databaseValue
            case 3: generator.string().databaseValue
            default: generator.data().databaseValue
            }
        }
    }

    @Test func foundationClasses() throws {
        try check(count: 50) { NSString(string: $0.string(maxLength: 8)) }
        try check(count: 50) { NSData(data: $0.data()) }
        try check(count: 50) { NSNumber(value: $0.integer(Int64.self)) }
        try check(count: 50) { NSNumber(value: Double($0.integer(Int32.self)) + 0.5) }
        try check(count: 10) { _ in NSUUID() }
        try check(count: 10) { NSURL(string: "https://example.com/\($0.next())")! }
        try check(count: 10) { NSDate(timeIntervalSince1970: Double($0.integer(Int32.self))) }
        #expect(NSNull().databaseValue.isNull)
        #expect(NSNumber(value: true).databaseValue == 1.databaseValue)
        #expect(NSDecimalNumber(string: "12").databaseValue == 12.databaseValue)
        #expect(NSDecimalNumber(string: "0.5").databaseValue == 0.5.databaseValue)
    }

    @Test func nanIsNull() throws {
        try withDatabase { db in
            let value = try DatabaseValue.fetchOne(db, sql: "SELECT ?", arguments: [Double.nan])
            #expect(value?.isNull == true)
        }
    }

    @Test func tenMegabytes() throws {
        try withDatabase { db in
            let text = String(repeating: "0123456789", count: 1_048_576)
            let data = Data(repeating: 0xA5, count: 10_485_760)
            let row = try #require(try Row.fetchOne(db, sql: "SELECT ? AS t, ? AS b", arguments: [text, data]))
            #expect(row["t"] as String == text)
            #expect(row["b"] as Data == data)
        }
    }

    @Test func tooBigIsAnError() throws {
        try withDatabase { db in
            expectError(.SQLITE_TOOBIG) { try Row.fetchOne(db, sql: "SELECT zeroblob(2000000000)") }
        }
    }
}
