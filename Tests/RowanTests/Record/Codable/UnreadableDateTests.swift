// A date that could not be read back is rejected when stored, and a value that isn't a date is rejected when read.

import Foundation
import Rowan
import Testing

private struct Stored: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "t"
    var d: Date?
}

private protocol Strategy {
    static var encoding: DatabaseDateEncodingStrategy { get }
    static var decoding: DatabaseDateDecodingStrategy { get }
}
private enum Reference: Strategy {
    static var encoding: DatabaseDateEncodingStrategy { .timeIntervalSinceReferenceDate }
    static var decoding: DatabaseDateDecodingStrategy { .timeIntervalSinceReferenceDate }
}
private enum Interval: Strategy {
    static var encoding: DatabaseDateEncodingStrategy { .timeIntervalSince1970 }
    static var decoding: DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
}
private enum Seconds: Strategy {
    static var encoding: DatabaseDateEncodingStrategy { .secondsSince1970 }
    static var decoding: DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
}
private enum Milliseconds: Strategy {
    static var encoding: DatabaseDateEncodingStrategy { .millisecondsSince1970 }
    static var decoding: DatabaseDateDecodingStrategy { .millisecondsSince1970 }
}
private enum ISO: Strategy {
    static var encoding: DatabaseDateEncodingStrategy { .iso8601 }
    static var decoding: DatabaseDateDecodingStrategy { .iso8601 }
}

private struct Box<S: Strategy>: Codable, FetchableRecord, PersistableRecord {
    static var databaseTableName: String { "t" }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { S.encoding }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { S.decoding }
    var d: Date?
}

private let reason = "is a date that could not be read back: it is too far away for the form that it is stored in"

struct UnreadableDateTests {
    /// The last dates of the years -99,999,999 to 99,999,999, and those next to them.
    private static let first = -3_155_757_335_596_800.0
    private static let last = 3_155_633_032_780_799.0

    private func withTable(_ body: (Database) throws -> Void) throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE t(d)")
            try body(db)
        }
    }

    private func check<R: Codable & FetchableRecord & PersistableRecord>(
        _ make: (Date?) -> R, _ date: (R) -> Date?, stores readable: [Double], refuses unreadable: [Double],
        precision: Double = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withTable { db throws in
            for seconds in readable {
                try make(Date(timeIntervalSince1970: seconds)).insert(db)
                let read = try #require(try R.fetchOne(db))
                let other = try #require(date(read), sourceLocation: sourceLocation).timeIntervalSince1970
                #expect(abs(other - seconds) <= precision, "\(seconds)", sourceLocation: sourceLocation)
                #expect(try R.deleteAll(db) == 1, sourceLocation: sourceLocation)
            }
            for seconds in unreadable {
                let record = make(Date(timeIntervalSince1970: seconds))
                let message = "the value of column d \(reason)"
                expectError(.SQLITE_MISMATCH, message, sourceLocation: sourceLocation) { try record.insert(db) }
                expectError(.SQLITE_MISMATCH, message, sourceLocation: sourceLocation) {
                    try R.insertAll(db, [make(nil), record])
                }
                expectError(.SQLITE_MISMATCH, sourceLocation: sourceLocation) {
                    try Table("t").filter(Column("d") == record.databaseDictionary["d"]!).fetchCount(db)
                }
                #expect(try R.fetchCount(db) == 0, "nothing was written", sourceLocation: sourceLocation)
            }
            for seconds in [Double.infinity, -.infinity, .nan] {
                try make(Date(timeIntervalSince1970: seconds)).insert(db)
                #expect(try DatabaseValue.fetchOne(db, sql: "SELECT d FROM t") == .null, sourceLocation: sourceLocation)
                try R.deleteAll(db)
            }
        }
    }

    private static let readable = [first, -1e12, -62_167_219_201, 0, 253_402_300_800, 1e12, last]
    private static let unreadable = [first - 1, last + 2, 1e17, -1e17, 1e300]

    @Test func texts() throws {
        try check(Stored.init, \.d, stores: Self.readable, refuses: Self.unreadable)
    }

    @Test func numbers() throws {
        try check(Box<Reference>.init, \.d, stores: Self.readable, refuses: Self.unreadable)
        try check(Box<Interval>.init, \.d, stores: Self.readable, refuses: Self.unreadable)
        try check(Box<Seconds>.init, \.d, stores: Self.readable, refuses: Self.unreadable)
        try check(Box<Milliseconds>.init, \.d, stores: Self.readable, refuses: Self.unreadable)
    }

    @Test func isoTexts() throws {
        try check(
            Box<ISO>.init, \.d, stores: [-62_167_392_000, 0, 253_402_300_800, 15_927_175_497_599],
            refuses: [-62_167_392_001, -1e12, 15_927_175_497_600, 1e17])
    }

    @Test func components() throws {
        struct Stored: Codable, PersistableRecord {
            static let databaseTableName = "t"
            var d: DatabaseDateComponents
        }
        let refused: [(DateComponents, [DatabaseDateComponents.Format])] = [
            (DateComponents(year: 2020, month: 13), [.YMD, .YMD_HMSS]),
            (DateComponents(year: 2020, month: 0), [.YMD]),
            (DateComponents(year: 2021, month: 1, day: 32), [.YMD, .YMD_HM]),
            (DateComponents(year: 2021, month: 1, day: -1), [.YMD]),
            (DateComponents(hour: 25), [.HM, .HMS, .YMD_HM]), (DateComponents(hour: -1), [.HM]),
            (DateComponents(minute: 60), [.HM]), (DateComponents(second: 61), [.HMS]),
            (DateComponents(nanosecond: -5_000_000), [.HMSS]),
        ]
        try withTable { db throws in
            for (components, formats) in refused {
                for format in formats {
                    let value = DatabaseDateComponents(components, format: format)
                    let reason = "has date components that could not be read back: one is outside its range"
                    expectError(.SQLITE_MISMATCH, "the value of column d \(reason)") { try Stored(d: value).insert(db) }
                    expectError(.SQLITE_MISMATCH, "an argument \(reason)") {
                        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
                    }
                    #expect(throws: EncodingError.self) { try JSONEncoder().encode([value]) }
                }
            }
            #expect(try Table("t").fetchCount(db) == 0)
            // What a format leaves out does not matter.
            try Stored(d: DatabaseDateComponents(DateComponents(hour: 7, minute: 5, second: 99), format: .HM)).insert(
                db)
            #expect(try String.fetchAll(db, sql: "SELECT d FROM t") == ["07:05"])
        }
    }

    @Test func arguments() throws {
        try withTable { db throws in
            let date = Date(timeIntervalSince1970: 1e17)
            expectError(.SQLITE_MISMATCH, "an argument \(reason)") {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [date])
            }
            expectError(.SQLITE_MISMATCH, "an argument \(reason)") {
                try db.execute(literal: "INSERT INTO t VALUES (\(date))")
            }
            #expect(try Table("t").fetchCount(db) == 0)
        }
    }

    /// Values other than numbers in a numeric column aren't dates.
    @Test func textsAmongNumbers() throws {
        try withTable { db throws in
            for value in ["'yesterday'", "'12 May'", "x'31'", "''", "'2020-01-01'"] {
                try db.execute(sql: "DELETE FROM t; INSERT INTO t VALUES (\(value))")
                expectDecodingError("Date") { try Box<Reference>.fetchOne(db) }
                expectDecodingError("Date") { try Box<Interval>.fetchOne(db) }
                expectDecodingError("Date") { try Box<Milliseconds>.fetchOne(db) }
                // Also in copied rows.
                let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
                expectDecodingError("Date") { try Box<Interval>(row: row) }
                let column = ColumnValue.owned(row["d"], strict: false)
                let (seconds, milliseconds): (UnixTimeStorage, MillisecondStorage) = (.unixTime, .milliseconds)
                #expect(seconds.value(from: column) == nil)
                #expect(milliseconds.value(from: column) == nil)
            }
            try db.execute(sql: "DELETE FROM t; INSERT INTO t VALUES ('1500')")
            #expect(try Box<Interval>.fetchOne(db)?.d == Date(timeIntervalSince1970: 1_500))
            #expect(try Box<Milliseconds>.fetchOne(db)?.d == Date(timeIntervalSince1970: 1.5))
        }
    }
}
