// Values that no program would store, decoded as all types: none causes a trap, and decoded values can be stored again.
// A file from elsewhere may contain any of them.

import Foundation
import Rowan
import Testing

/// Values that a column may contain.
private let hostileValues: [DatabaseValue] = {
    let integers: [Int64] = [
        0, 1, -1, 127, 128, -129, 255, 256, 65_536, 2_147_483_648, -2_147_483_649, 4_294_967_296,
        9_007_199_254_740_993, .max, .max - 1, .min, .min + 1,
    ]
    let doubles: [Double] = [
        0, -0.0, 0.5, -0.5, 1e19, 1.8446744073709552e19, 9_223_372_036_854_775_807.0, -9_223_372_036_854_775_808.0,
        9_223_372_036_854_774_784.0, -9.3e18, 9.3e18, 1e38, 3.5e38, 9e127, 1e128, 1e165, 1e166, 1e200, -1e200, 1e-128,
        1e-200, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity,
        .nan,
        253_402_300_800, -62_167_219_201, 8.64e15, -8.64e15,
    ]
    let texts = [
        "", " ", "\0", "a\0b", "-", "+", ".", "1.", ".5", "1e", "1e5", "1e999", "-1e999", "1e-999",
        "1e99999999999999999999", "0x10", "NaN", "nan", "inf", "-Infinity", "18446744073709551615",
        "9223372036854775808", "-9223372036854775809", String(repeating: "9", count: 400),
        "0." + String(repeating: "0", count: 400) + "1", "1,5", "9999-12-31 23:59:59.999", "0000-00-00", "0000-01-01",
        "2020-02-30", "2020-13-01 00:00", "2020-01-01 24:00:00", "-4713-11-24 12:00:00", "99:99", "12:30",
        "2020-01-01T00:00:00+99:99", "999999999-01-01 00:00:00.000", "2020-01-01 00:00:00.99999999999999999999",
        "{", "{}", "null", "[1e999]", #"{"double":1e999,"date":0,"decimal":0}"#,
        #"{"double":1e308,"date":1.7976931348623157e308,"decimal":1e127}"#,
        #"{"double":1,"date":-9e307,"decimal":1e200}"#, #"{"double":1,"date":9e18,"decimal":-1}"#,
        String(repeating: "[", count: 100_000), #""\uD800""#, "http://[::1", "http://a b", "%", "://", "\u{FFFD}",
        "00000000-0000-0000-0000-00000000000", "00000000-0000-0000-0000-000000000000", "red",
    ]
    let blobs = [
        Data(), Data([0]), Data([0xFF, 0xFE]), Data(count: 15), Data(count: 16), Data(repeating: 0xFF, count: 16),
        Data(count: 17), Data("1e999".utf8), Data("2020-01-01".utf8), Data("{".utf8),
    ]
    return [.null] + integers.map(\.databaseValue) + doubles.map(\.databaseValue) + texts.map(\.databaseValue)
        + blobs.map(\.databaseValue)
}()

struct HostileValueTests {
    enum Color: String, DatabaseValueConvertible { case red }
    enum Grape: Int8, DatabaseValueConvertible { case merlot = 127 }
    enum Size: UInt64, DatabaseValueConvertible { case small = 1 }
    struct Measure: Codable, Equatable, DatabaseValueConvertible {
        var double: Double
        var date: Date
        var decimal: Decimal
    }

    private static func configuration(strict: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.strictConversions = strict
        return configuration
    }

    /// Decodes all values in all ways, and stores the decoded ones again.
    ///
    /// - Parameter isAlike: whether the value read back matches the documentation of the type.
    private func check<T: DatabaseValueConvertible>(
        _ type: T.Type, sourceLocation: SourceLocation = #_sourceLocation, _ isAlike: (T, T?) -> Bool
    ) throws {
        for strict in [false, true] {
            try withDatabase(Self.configuration(strict: strict)) { db in
                func storeAgain(_ value: T, _ source: DatabaseValue) throws {
                    let text = source.errorDescription
                    let back = T.fromDatabaseValue(value.databaseValue)
                    #expect(isAlike(value, back), "\(type) \(text) \(value)", sourceLocation: sourceLocation)
                    let cursor = try Row.fetchCursor(db, sql: "SELECT ?", arguments: [value])
                    let row = try #require(try cursor.next())
                    let bound = try? row.decode(type, atIndex: 0)  // Some values decode to nil.
                    #expect(isAlike(value, bound), "\(type) \(text) \(value)", sourceLocation: sourceLocation)
                    let literal = try SQLRequest<DatabaseValue>(literal: "SELECT \(value)").fetchOne(db)
                    #expect(literal != nil)
                }
                for value in hostileValues {
                    if let decoded = T.fromDatabaseValue(value) { try storeAgain(decoded, value) }
                    let cursor = try Row.fetchCursor(db, sql: "SELECT ? AS a, ? AS b", arguments: [value, value])
                    let row = try #require(try cursor.next())
                    for row in [row.copy(), row] {
                        let adapted = row.adapted(to: ColumnLayout([(index: 1, name: "b")]))
                        for row in [row, adapted] {
                            // Only traps are wrong here: values that can't be decoded throw.
                            if let decoded = try? row.decode(type, atIndex: 0) { try storeAgain(decoded, value) }
                            if let decoded = (try? row.decode(T?.self, forColumn: "B")) ?? nil {
                                try storeAgain(decoded, value)
                            }
                            if let decoded: T = row.coalesce(["x", "b"]) { try storeAgain(decoded, value) }
                        }
                    }
                }
            }
        }
    }

    @Test func integers() throws {
        func check<T: DatabaseValueConvertible & FixedWidthInteger>(_ type: T.Type) throws {
            try self.check(type) { $0 == $1 }
        }
        try check(Int.self)
        try check(Int8.self)
        try check(Int16.self)
        try check(Int32.self)
        try check(Int64.self)
        try check(UInt.self)
        try check(UInt8.self)
        try check(UInt16.self)
        try check(UInt32.self)
        try check(UInt64.self)
        try self.check(Bool.self) { $0 == $1 }
    }

    /// SQLite stores NaN as NULL.
    @Test func numbers() throws {
        try check(Double.self) { $0 == $1 || $0.isNaN }
        try check(Float.self) { $0 == $1 || $0.isNaN }
        try check(CGFloat.self) { $0 == $1 || $0.isNaN }
        try check(Decimal.self) { $0 == $1 && !$0.isNaN }
        // A number that isn't an integer is stored as a double.
        try check(NSNumber.self) {
            $0 == $1 || $0.doubleValue == $1?.doubleValue || $0.doubleValue.isNaN
        }
        try check(NSDecimalNumber.self) {
            abs($0.doubleValue - ($1?.doubleValue ?? .nan)) <= abs($0.doubleValue) * 1e-14
        }
    }

    @Test func textsAndBlobs() throws {
        try check(String.self) { $0 == $1 }
        try check(Data.self) { $0 == $1 }
        try check(UUID.self) { $0 == $1 }
        try check(URL.self) { $0 == $1 }
        try check(NSString.self) { $0 == $1 }
        try check(NSData.self) { $0 == $1 }
        try check(NSURL.self) { $0 == $1 }
        try check(NSUUID.self) { $0 == $1 }
        try check(NSNull.self) { $0 == $1 }
        try check(DatabaseValue.self) { $0 == $1 || Double.fromDatabaseValue($0)?.isNaN == true }
    }

    /// Dates are stored to the millisecond, up to the year 99,999,999.
    @Test func dates() throws {
        func isAlike(_ date: Date, _ other: Date?) -> Bool {
            guard date.timeIntervalSince1970.isFinite else { return other == nil }
            guard abs(date.timeIntervalSince1970) < 3.1e15 else { return other == nil }
            return abs(date.timeIntervalSince1970 - (other?.timeIntervalSince1970 ?? .nan)) <= 0.0006
        }
        try check(Date.self, isAlike)
        try check(NSDate.self) { isAlike($0 as Date, $1.map { $0 as Date }) }
        try check(DatabaseDateComponents.self) { $0.format == $1?.format }
    }

    @Test func rawValuesAndJSON() throws {
        try check(Color.self) { $0 == $1 }
        try check(Grape.self) { $0 == $1 }
        try check(Size.self) { $0 == $1 }
        try check(Measure.self) { $0.double == $1?.double || $0.date.timeIntervalSince1970 > 1e305 }
        try check(Int?.self) { $0 == $1 }
        try check(Decimal?.self) { $0 == $1 }
    }

    @Test func integersOfDoubles() {
        #expect(UInt64.fromDatabaseValue(1e19.databaseValue) == nil)
        #expect(Int64.fromDatabaseValue(9_223_372_036_854_775_807.0.databaseValue) == nil)
        #expect(Int64.fromDatabaseValue((-9_223_372_036_854_775_808.0).databaseValue) == .min)
        #expect(Int64.fromDatabaseValue((-9.3e18).databaseValue) == nil)
        #expect(Int.fromDatabaseValue(Double.nan.databaseValue) == nil)
        #expect(Int.fromDatabaseValue(Double.infinity.databaseValue) == nil)
        #expect(UInt8.fromDatabaseValue((-0.5).databaseValue) == 0)
        #expect(Int8.fromDatabaseValue((-128.9).databaseValue) == -128)
    }

    @Test func decimalsOutOfRange() {
        for double in [Double.infinity, -.infinity, 1e200, -1e200, 1e-200, .nan] {
            #expect(Decimal.fromDatabaseValue(double.databaseValue) == nil)
            #expect(NSDecimalNumber.fromDatabaseValue(double.databaseValue) == nil)
        }
        #expect(Decimal.nan.databaseValue == .null)
        #expect(NSDecimalNumber.notANumber.databaseValue == .null)
        #expect(NSDecimalNumber(string: "18446744073709551616").databaseValue == 18446744073709551616.0.databaseValue)
        #expect(NSNumber(value: UInt64.max).databaseValue == Double(UInt64.max).databaseValue)
    }

    /// The decimal separator is `.`, whatever the locale of the process.
    @Test func numbersInTexts() throws {
        let numbers: [(String, Double)] = [
            ("1.5", 1.5), ("1.", 1), (".5", 0.5), ("-.5e1x", -5), ("+2", 2), ("1e", 1), ("1e+", 1), ("", 0), (".", 0),
            ("-", 0), ("1,5", 1), ("0x10", 0), ("inf", 0), ("nan", 0), ("1e999", .infinity), ("-1e999", -.infinity),
            ("1e-999", 0), (" 1", 1), ("1e99999999999999999999", .infinity),
        ]
        for (text, number) in numbers {
            let row = Row(["a": text])
            let decoded = try row.decode(Double.self, forColumn: "a")
            #expect(decoded == number, "\(text)")
        }
    }

    @Test func numbersInTextsDoNotDependOnTheLocale() async {
        await #expect(processExitsWith: .success) {
            // Without this locale, the test is the same as the one above.
            _ = setlocale(LC_ALL, "de_DE.UTF-8")
            let row = Row(["a": "1.5"])
            let double = try row.decode(Double.self, forColumn: "a")
            precondition(double == 1.5)
            let decimal = try row.decode(Decimal.self, forColumn: "a")
            precondition(decimal == Decimal(string: "1.5"))
            precondition(1.5.databaseValue.description == "1.5")
        }
    }
}
