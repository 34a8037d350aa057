// The fast path for the format in which dates are stored gives the same results as the general parser.

import Foundation
import Testing

@testable import Rowan

@Suite struct StoredDateTests {
    private func short(_ text: String) -> Double? {
        var copy = text
        return copy.withUTF8 { DateText.secondsSince1970(stored: $0) }
    }

    @Test func bothWaysAgreeOnRandomDates() {
        var generator = SeededGenerator(20_261_124)
        func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        func digits(_ value: Int, _ count: Int) -> String {
            String(repeating: "0", count: max(0, count - String(value).count)) + String(value)
        }
        for _ in 0..<20_000 {
            // They include days and hours that no calendar has.
            let day = "\(digits(random(0...9_999), 4))-\(digits(random(0...13), 2))-\(digits(random(0...32), 2))"
            let time = "\(digits(random(0...25), 2)):\(digits(random(0...61), 2)):\(digits(random(0...61), 2))"
            let text = "\(day) \(time).\(digits(random(0...999), 3))"
            #expect(short(text) == DateText(parsing: text)?.secondsSince1970, "\(text), seed \(generator.seed)")
        }
    }

    @Test(arguments: [
        "2015-09-11T18:14:15.123", "2015-09-11 18:14:15.12", "2015-09-11 18:14:15.1234", "2015-09-11 18:14:15",
        "2015-09-11 18:14:15.12Z", "2015-09-11 18:14:15.12 ", "a015-09-11 18:14:15.123", "2015-0 -11 18:14:15.123",
        "2015-09-11 18:14:1/.123", "2015-02-29 18:14:15.123", "",
    ])
    func otherTextsAreLeftToTheParser(text: String) {
        #expect(short(text) == nil)
    }

    /// Milliseconds since 1970 are read exactly. Milliseconds since 2001 may be another double with the same text.
    @Test func theBitsOfDates() throws {
        var generator = SeededGenerator(1_124)
        var differences = 0
        for _ in 0..<1_000 {
            let milliseconds = Double(Int64.random(in: -4_000_000_000_000...4_000_000_000_000, using: &generator))
            let date = Date(timeIntervalSince1970: milliseconds / 1_000)
            #expect(Date.fromDatabaseValue(date.databaseValue) == date, "seed \(generator.seed)")
            let reference = Date(timeIntervalSinceReferenceDate: milliseconds / 1_000)
            let read = try #require(Date.fromDatabaseValue(reference.databaseValue))
            #expect(abs(read.timeIntervalSince(reference)) < 1e-6, "seed \(generator.seed)")
            #expect(read.databaseValue == reference.databaseValue, "seed \(generator.seed)")
            if read != reference { differences += 1 }
        }
        #expect(differences > 100)
    }

    /// Numbers beyond the years that Rowan writes aren't dates.
    @Test func numbersThatAreNoDates() throws {
        let last = 3_093_527_980_799.0 * 1_000
        let numbers: [Double] = [1e300, -1e300, 1e17, -1e17, .greatestFiniteMagnitude, .infinity, -.infinity, .nan]
        for number in numbers {
            #expect(Date.fromDatabaseValue(number.databaseValue) == nil, "\(number)")
            #expect(NSDate.fromDatabaseValue(number.databaseValue) == nil, "\(number)")
            #expect(Date(julianDay: number) == nil, "\(number)")
            guard number.isFinite else { continue }
            try withDatabase { db in
                expectDecodingError("Date") { try Date.fetchOne(db, sql: "SELECT ? AS d", arguments: [number]) }
                let row = try #require(try Row.fetchOne(db, sql: "SELECT ? AS d", arguments: [number]))
                expectDecodingError("Date") { try row.decode(Date.self, forColumn: "d") }
            }
        }
        #expect(Date.fromDatabaseValue(Int64.max.databaseValue) == nil)
        #expect(Date.fromDatabaseValue(0.databaseValue) == Date(timeIntervalSince1970: 0))
        // A decoded date can be stored and read again.
        for number in [last, 253_402_300_800, -62_135_596_801, 1e15] {
            let date = try #require(Date.fromDatabaseValue(number.databaseValue))
            #expect(Date.fromDatabaseValue(date.databaseValue) == date, "\(number)")
        }
    }

    private struct Dated: Codable, FetchableRecord { var d: Date }
    private struct Milliseconds: Codable, FetchableRecord {
        var d: Date
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            .millisecondsSince1970
        }
    }
    private struct Reference: Codable, FetchableRecord {
        var d: Date
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            .timeIntervalSinceReferenceDate
        }
    }

    @Test func recordsWithNumbersThatAreNoDates() throws {
        try withDatabase { db in
            for number in [1e300, -1e300, .infinity] {
                let request = SQLRequest<Row>(sql: "SELECT ? AS d", arguments: [number])
                expectDecodingError("Date") { try Dated.fetchOne(db, request) }
                expectDecodingError("Date") { try Milliseconds.fetchOne(db, request) }
                expectDecodingError("Date") { try Reference.fetchOne(db, request) }
            }
        }
    }
}
