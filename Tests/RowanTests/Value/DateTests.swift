// The date formats documented by SQLite, and texts that aren't dates.

import Foundation
import Rowan
import Testing

@Suite
struct DateTests {
    private func date(_ text: String) -> Date? { Date.fromDatabaseValue(text.databaseValue) }

    @Test(arguments: [
        ("2015-07-22", 1_437_523_200), ("2015-07-22 01:02", 1_437_526_920), ("2015-07-22 01:02:03", 1_437_526_923),
        ("2015-07-22 01:02:03.456", 1_437_526_923.456), ("2015-07-22T01:02", 1_437_526_920),
        ("2015-07-22T01:02:03", 1_437_526_923), ("2015-07-22T01:02:03.456", 1_437_526_923.456),
        ("2015-07-22T01:02:03.456789", 1_437_526_923.456_789), ("2015-07-22 01:02Z", 1_437_526_920),
        ("2015-07-22 01:02:03Z", 1_437_526_923), ("2015-07-22T01:02:03+00:00", 1_437_526_923),
        ("2015-07-22T01:02:03+02:00", 1_437_519_723), ("2015-07-22 01:02:03.456-05:30", 1_437_546_723.456),
        ("0000-01-01", -62_167_219_200), ("9999-12-31 23:59:59.999", 253_402_300_799.999), ("2000-02-29", 951_782_400),
    ])
    func datesOfTexts(_ text: String, _ seconds: Double) throws {
        let parsed = try #require(date(text))
        #expect(abs(parsed.timeIntervalSince1970 - seconds) < 0.000_05)
    }

    @Test(arguments: [
        "", " ", "now", "2015", "2015-07", "2015-7-22", "2015-13-01", "2015-00-01", "2015-02-30", "2015-02-00",
        "1900-02-29", "2015-07-22 ", "2015-07-22 01", "2015-07-22 24:00", "2015-07-22 01:60", "2015-07-22 01:02:60",
        "2015-07-22 01:02:03.", "2015-07-22 01:02:03+2", "2015-07-22 01:02:03x", "01:02", "01:02:03", "01:02:03.456",
        "2015/07/22", "-2015-07-22", "12015-07-22", "12015-07-22 01:02:03", "1234567890-01-01 00:00:00.000",
        "-01-01 00:00:00.000", "--1-01-01 00:00:00.000", "２０１５-07-22", "2015-07-22\0",
    ])
    func textsThatAreNoDate(_ text: String) throws {
        #expect(date(text) == nil)
        try withDatabase { db in
            expectDecodingError("Date") { try Date.fetchOne(db, sql: "SELECT ?", arguments: [text]) }
        }
    }

    /// SQLite doesn't support such years, but stored ones can be read.
    @Test(arguments: [
        ("10000-01-01 00:00:00.000", 253_402_300_800), ("-1-12-31 23:59:59.999", -62_167_219_200.001),
        ("33658-09-27 01:46:40.000", 1e12), ("-29719-04-05 22:13:20.000", -1e12),
    ])
    func otherYears(_ text: String, _ seconds: Double) throws {
        #expect(date(text)?.timeIntervalSince1970 == seconds)
        let stored = Date(timeIntervalSince1970: seconds)
        #expect(stored.databaseValue == text.databaseValue)
        try withDatabase { db throws in
            #expect(try Date.fetchOne(db, sql: "SELECT ?", arguments: [stored]) == date(text))
        }
    }

    @Test func numbersAreTimestamps() {
        #expect(Date.fromDatabaseValue(0.databaseValue) == Date(timeIntervalSince1970: 0))
        #expect(Date.fromDatabaseValue((-1.5).databaseValue) == Date(timeIntervalSince1970: -1.5))
        #expect(Date.fromDatabaseValue(.null) == nil)
        #expect(Date.fromDatabaseValue(Data([1]).databaseValue) == nil)
    }

    @Test func julianDays() {
        #expect(Date(julianDay: 2_440_587.5) == Date(timeIntervalSince1970: 0))
        #expect(Date(julianDay: 2_457_225.5) == Date(timeIntervalSince1970: 1_437_523_200))
        #expect(Date(julianDay: .nan) == nil)
        #expect(Date(julianDay: .infinity) == nil)
    }

    /// Dates without a text form are stored as NULL, and don't trap.
    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func brokenDates(_ seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(date.databaseValue == .null)
        try withDatabase { db in
            let stored = try DatabaseValue.fetchOne(db, sql: "SELECT ?", arguments: [date])
            #expect(stored?.isNull == true)
            let statement = try db.makeStatement(sql: "SELECT ?")
            statement.setUncheckedArguments([date])
            let value = try Date?.fetchOne(statement)
            #expect(value == .some(nil))
        }
    }

    /// Dates that can't be represented as text are rejected, because the text would be another date.
    @Test(arguments: [4.7e15, -4.7e15, 1e300, -1e300, Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude])
    func datesBeyondTheYears(_ seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(String.fromDatabaseValue(date.databaseValue) == nil)
        try withDatabase { db in
            expectError(.SQLITE_MISMATCH) { try Row.fetchOne(db, sql: "SELECT ?", arguments: [date]) }
        }
    }

    @Test(arguments: [
        (DatabaseDateComponents.Format.YMD, "2015-07-02"), (.YMD_HM, "2015-07-02 03:04"),
        (.YMD_HMS, "2015-07-02 03:04:05"), (.YMD_HMSS, "2015-07-02 03:04:05.006"), (.HM, "03:04"), (.HMS, "03:04:05"),
        (.HMSS, "03:04:05.006"),
    ])
    func dateComponents(_ format: DatabaseDateComponents.Format, _ text: String) throws {
        let components = DateComponents(
            year: 2015, month: 7, day: 2, hour: 3, minute: 4, second: 5, nanosecond: 6_000_000)
        let stored = DatabaseDateComponents(components, format: format)
        #expect(stored.databaseValue == text.databaseValue)
        try withDatabase { db in
            let fetched = try #require(try DatabaseDateComponents.fetchOne(db, sql: "SELECT ?", arguments: [stored]))
            #expect(fetched.format == format)
            #expect(fetched.databaseValue == text.databaseValue)
            let hasDate = text.contains("-")
            #expect(fetched.dateComponents.year == (hasDate ? 2015 : nil))
            #expect(fetched.dateComponents.day == (hasDate ? 2 : nil))
            #expect(fetched.dateComponents.hour == (text.contains(":") ? 3 : nil))
            #expect(fetched.dateComponents.second == (text.hasSuffix(":04") || !text.contains(":") ? nil : 5))
            #expect(fetched.dateComponents.nanosecond == (text.hasSuffix(".006") ? 6_000_000 : nil))
            #expect(fetched.dateComponents.timeZone == nil)
        }
        let data = try JSONEncoder().encode([stored])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(text)\"]")
        let decoded = try JSONDecoder().decode([DatabaseDateComponents].self, from: data)
        #expect(decoded.first?.databaseValue == text.databaseValue)
    }

    @Test(arguments: [-5, -12_345, 0]) func yearsBeforeZero(_ year: Int) {
        let components = DateComponents(
            year: year, month: 1, day: 2, hour: 3, minute: 4, second: 5, nanosecond: 6_000_000)
        let value = DatabaseDateComponents(components, format: .YMD_HMSS).databaseValue
        #expect(DatabaseDateComponents.fromDatabaseValue(value)?.dateComponents.year == year, "\(value)")
    }

    @Test func dateComponentsWithTimeZone() throws {
        let components = try #require(DatabaseDateComponents.fromDatabaseValue("2015-07-02T03:04+02:30".databaseValue))
        #expect(components.format == .YMD_HM)
        #expect(components.dateComponents.timeZone == TimeZone(secondsFromGMT: 9_000))
        #expect(
            DatabaseDateComponents.fromDatabaseValue("03:04Z".databaseValue)?.dateComponents.timeZone?.secondsFromGMT()
                == 0)
    }

    @Test func missingComponents() {
        let empty = DatabaseDateComponents(DateComponents(), format: .YMD_HMSS)
        #expect(empty.databaseValue == "0000-01-01 00:00:00.000".databaseValue)
        #expect(DatabaseDateComponents.fromDatabaseValue("nope".databaseValue) == nil)
        #expect(DatabaseDateComponents.fromDatabaseValue(12.databaseValue) == nil)
    }
}
