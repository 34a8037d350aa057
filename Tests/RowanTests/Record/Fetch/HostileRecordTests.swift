// Records with hostile values: a property may be out of range for its column's storage.

import Foundation
import Rowan
import Testing

struct HostileRecordTests {
    /// Each column has a different strategy.
    struct Dated: Codable, Equatable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "t"
        var deferred: Date?
        var seconds: Date?
        var milliseconds: Date?
        var since1970: Date?
        var since2001: Date?
        var iso: Date?
        var formatted: Date?

        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            switch column {
            case "seconds", "since1970": .timeIntervalSince1970
            case "milliseconds": .millisecondsSince1970
            case "since2001": .timeIntervalSinceReferenceDate
            case "iso": .iso8601
            case "formatted": .formatted(DateFormatter())
            default: .deferredToDate
            }
        }

        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
            switch column {
            case "seconds": .secondsSince1970
            case "milliseconds": .millisecondsSince1970
            case "since1970": .timeIntervalSince1970
            case "since2001": .timeIntervalSinceReferenceDate
            case "iso": .iso8601
            case "formatted": .formatted(DateFormatter())
            default: .deferredToDate
            }
        }
    }

    private static let columns = ["deferred", "seconds", "milliseconds", "since1970", "since2001", "iso", "formatted"]

    @Test func dates() throws {
        let values: [any DatabaseValueConvertible] = [
            0, Int64.max, Int64.min, 1e18, -1e18, 1e19, 9_223_372_036_854_775_807.0, -9_223_372_036_854_775_808.0,
            9.3e15, 1e300, -1e300, Double.greatestFiniteMagnitude, Double.infinity, -Double.infinity, "1e999",
            "9999-12-31 23:59:59.999",
            "2020-01-01T00:00:00Z", "", "x", Data(),
        ]
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(\(Self.columns.joined(separator: ", ")))")
            for value in values {
                for column in Self.columns {
                    let request = SQLRequest<Dated>(literal: "SELECT \(value) AS \(sql: column)")
                    // A value that can't be decoded throws.
                    guard let record = try? request.fetchOne(db) else { continue }
                    try db.execute(sql: "DELETE FROM t")
                    try record.insert(db)
                    guard ["seconds", "milliseconds", "since1970", "since2001"].contains(column) else { continue }
                    guard let number = Double.fromDatabaseValue(value.databaseValue), number.isFinite else { continue }
                    let stored = try Double.fetchOne(db, sql: "SELECT \(column) FROM t")
                    let ratio = (stored ?? .nan) == number ? 1 : (stored ?? .nan) / number
                    #expect(abs(ratio - 1) < 1e-9, "\(column) \(value)")
                }
            }
        }
    }

    @Test func datesThatAreNotFinite() throws {
        for interval in [Double.infinity, -.infinity, .nan] {
            let date = Date(timeIntervalSince1970: interval)
            let record = Dated(deferred: date, seconds: date, milliseconds: date, iso: date)
            let values = try record.databaseDictionary
            for column in ["deferred", "seconds", "milliseconds", "iso"] {
                #expect(values[column] == .null, "\(column) \(interval)")
            }
        }
    }

    /// ISO 8601 has no text for these dates.
    @Test func datesOutOfTheCalendar() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(\(Self.columns.joined(separator: ", ")))")
            for interval in [1e15, -1e13, 1e300] {
                let date = Date(timeIntervalSince1970: interval)
                expectError(.SQLITE_MISMATCH) { try Dated(iso: date).insert(db) }
            }
        }
    }

    struct Counter: Codable, FetchableRecord, PersistableRecord {
        enum Kind: UInt64, Codable { case all = 18_446_744_073_709_551_615 }
        var count: UInt64?
        var kind: Kind?
    }

    @Test func unsignedIntegersThatDoNotFit() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE counter(count, kind)")
            let message =
                "an integer does not fit in column count, because SQLite's maximum is 9223372036854775807: store it as text"
            expectError(.SQLITE_MISMATCH, message) { try Counter(count: .max).insert(db) }
            expectError(.SQLITE_MISMATCH) { try Counter(kind: .all).insert(db) }
            try Counter(count: UInt64(Int64.max)).insert(db)
            #expect(try Counter.fetchOne(db)?.count == UInt64(Int64.max))
        }
    }

    struct Sample: Codable, FetchableRecord, PersistableRecord {
        struct Measure: Codable, DatabaseValueConvertible { var value: Double }
        struct Plain: Codable { var value: Double }
        var measure: Measure?
        var plain: Plain?
        var plains: [Plain]?
    }

    /// A value that JSON can't represent throws where possible, and otherwise becomes NULL: SQLite itself stores NaN as
    /// NULL.
    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func numbersThatJSONHasNot(number: Double) throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE sample(measure, plain, plains)")
            let measure = Sample.Measure(value: number)
            #expect(measure.databaseValue == .null)
            #expect(throws: EncodingError.self) { try Sample(measure: measure).insert(db) }
            #expect(throws: EncodingError.self) { try Sample(plain: .init(value: number)).insert(db) }
            #expect(throws: EncodingError.self) { try Sample(plains: [.init(value: number)]).insert(db) }
            #expect(try Sample.fetchCount(db) == 0)
            try Sample(measure: .init(value: 1)).insert(db)
            #expect(try Sample.fetchOne(db)?.measure?.value == 1)
        }
    }
}
