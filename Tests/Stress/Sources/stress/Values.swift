// Hostile values: each is decoded as every type, live and copied, and decoded values are stored again; Swift's own
// extreme values are stored, too. None stops the process.

import Foundation
import Rowan

extension Part {
    static let values = Part(name: "values", summary: "hostile values, decoded then stored again", weight: 0.7) { run in
        for isStrict in [false, true] {
            var configuration = Configuration()
            configuration.strictConversions = isStrict
            let queue = try DatabaseQueue(configuration: configuration)
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE t(x); CREATE TABLE u(x, date, number, json)")
                for sql in stored + randomValues(run) {
                    let row = try Row.fetchOne(db, sql: "SELECT \(sql) AS x")!
                    for type in types where run.isWanted("SELECT \(sql), as \(type.name)\(isStrict ? ", strict" : "")")
                    {
                        run.count("conversions")
                        do {
                            let cursor = try Row.fetchCursor(db, sql: "SELECT \(sql) AS x")
                            guard let live = try cursor.next() else { continue }
                            try type.convert(db, live)
                        } catch { run.count("errors") }
                        do { try type.convert(db, row) } catch { run.count("errors") }
                    }
                    for record in records where run.isWanted("SELECT \(sql), in \(record.name)") {
                        run.count("records")
                        do { try record.convert(db, row) } catch { run.count("errors") }
                    }
                }
                for (name, value) in swiftValues where run.isWanted("store \(name)") {
                    run.count("stored values")
                    do {
                        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value()])
                        _ = try Row.fetchAll(db, sql: "SELECT * FROM t")
                        _ = try Table("t").filter(Column("x") == value()).fetchCount(db)
                        _ = value().databaseValue.description
                        try db.execute(sql: "DELETE FROM t")
                    } catch { run.count("errors") }
                }
                for (name, date) in dates {
                    for record in datedRecords where run.isWanted("store \(name) in \(record.name)") {
                        run.count("stored values")
                        do { try record.store(db, date) } catch { run.count("errors") }
                    }
                }
            }
        }
    }
}

/// Values as SQL.
private let stored: [String] = [
    "NULL", "0", "1", "-1", "127", "128", "255", "256", "32768", "65536", "2147483648", "4294967296",
    "9223372036854775807", "-9223372036854775808", "0.0", "-0.0", "0.5", "1.5", "9e999", "-9e999", "1e200", "-1e200",
    "1e19", "1e18", "1e15", "9223372036854775808.0", "18446744073709551615.0", "18446744073709551616.0", "4.9e-324",
    "1.7976931348623157e308", "''", "' '", "'abc'", "'1'", "'1e400'", "'-1e400'", "'9223372036854775808'",
    "'18446744073709551616'", "'inf'", "'nan'", "'0x10'", "CAST(x'6100' AS TEXT)", "CAST(x'ff' AS TEXT)",
    "CAST(x'f09f' AS TEXT)", "x''", "x'00'", "x'ff'", "zeroblob(15)", "zeroblob(16)", "zeroblob(17)",
    "zeroblob(10000)", "'2024-02-30'", "'9999-12-31 23:59:59.999'", "'0000-00-00'", "'-4713-11-24'",
    "'2024-01-01T00:00:00+99:99'", "'12:00'", "'24:00:00'", "'2024-13-01'", "'99999-01-01'", "'{}'", "'[]'", "'null'",
    "'{\"x\":1e999}'", "'{\"x\":1e308}'", "'{\"x\":9223372036854775808}'", "'{\"x\":null}'", "'{\"x\":'",
    "'http://a b'", "'//'", "'%'", "'00000000-0000-0000-0000-000000000000'", "'{00000000-0000-0000-0000-00000000000}'",
    "printf('%.*c', 10000, '9')", "printf('%.*c', 10000, 'a')", "printf('-%.*c', 400, '9')",
]

private func randomValues(_ run: Run) -> [String] {
    (0..<8).map { _ in
        switch run.number(0...4) {
        case 0:
            return "\(Int64.random(in: .min ... .max, using: &run.random))".replacingOccurrences(
                of: "-9223372036854775808", with: "0")
        case 1:
            let double = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &run.random))
            return double.isFinite ? "\(double)" : "0"
        case 2:
            return
                "'\(run.number(-9_999...99_999))-\(run.number(0...20))-\(run.number(0...40)) \(run.number(0...99)):00'"
        case 3: return "randomblob(\(run.number(0...40)))"
        default: return "CAST(randomblob(\(run.number(0...40))) AS TEXT)"
        }
    }
}

private struct Conversion {
    let name: String
    let convert: (Database, Row) throws -> Void

    init<T: DatabaseValueConvertible>(_ type: T.Type) {
        name = "\(type)"
        convert = { db, row in
            var decoded: [T] = []
            let value: DatabaseValue = try row.decode(DatabaseValue.self, atIndex: 0)
            if let value = T.fromDatabaseValue(value) { decoded.append(value) }
            if let value = try? row.decode(T.self, atIndex: 0) { decoded.append(value) }
            if let value = (try? row.decode(T?.self, forColumn: "x")) ?? nil { decoded.append(value) }
            _ = row.coalesce(["none", "x"]) as DatabaseValue?
            _ = try row.withUnsafeData(atIndex: 0) { $0?.count }
            for value in decoded {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
                _ = try? T.fetchOne(db, sql: "SELECT x FROM t")
                _ = try Table("t").filter(Column("x") == value).fetchCount(db)
                try db.execute(sql: "DELETE FROM t")
            }
        }
    }
}

private enum Color: String, Codable, DatabaseValueConvertible { case red }
private enum Number: Int, Codable, DatabaseValueConvertible { case one = 1 }
private struct Point: Codable, DatabaseValueConvertible { var x: Double }

private var types: [Conversion] {
    [
        Conversion(Bool.self), Conversion(Int.self), Conversion(Int8.self), Conversion(Int16.self),
        Conversion(Int32.self),
        Conversion(Int64.self), Conversion(UInt.self), Conversion(UInt8.self), Conversion(UInt16.self),
        Conversion(UInt32.self), Conversion(UInt64.self), Conversion(Double.self), Conversion(Float.self),
        Conversion(CGFloat.self), Conversion(String.self), Conversion(Data.self), Conversion(Date.self),
        Conversion(UUID.self), Conversion(URL.self), Conversion(Decimal.self), Conversion(DatabaseValue.self),
        Conversion(DatabaseDateComponents.self), Conversion(NSNumber.self), Conversion(NSDecimalNumber.self),
        Conversion(NSString.self), Conversion(NSData.self), Conversion(NSDate.self), Conversion(NSURL.self),
        Conversion(NSUUID.self), Conversion(Color.self), Conversion(Number.self), Conversion(Point.self),
    ]
}

private struct Wrapped<Value: Codable>: Codable, FetchableRecord, PersistableRecord {
    static var databaseTableName: String { "t" }
    var x: Value
}

private struct RecordConversion {
    let name: String
    let convert: (Database, Row) throws -> Void

    init<T: Codable & DatabaseValueConvertible>(_ type: T.Type) {
        name = "a record of \(type)"
        convert = { db, row in
            let record = try Wrapped<T>(row: row)
            try record.insert(db)
            _ = try Wrapped<T?>.fetchAll(db)
            _ = try Wrapped<[String: T]>(row: row)
        }
    }
}

private var records: [RecordConversion] {
    [
        RecordConversion(Int.self), RecordConversion(UInt64.self), RecordConversion(Double.self),
        RecordConversion(Date.self), RecordConversion(Decimal.self), RecordConversion(UUID.self),
        RecordConversion(URL.self),
        RecordConversion(Data.self), RecordConversion(Point.self), RecordConversion(Color.self),
    ]
}

private var swiftValues: [(String, () -> any DatabaseValueConvertible)] {
    [
        // Not UInt64.max: no database contains it, and a documented precondition forbids storing it.
        ("UInt64(Int64.max)", { UInt64(Int64.max) }), ("Double.nan", { Double.nan }),
        ("Double.infinity", { Double.infinity }), ("Float.nan", { Float.nan }), ("Float.infinity", { Float.infinity }),
        ("Decimal.nan", { Decimal.nan }), ("Decimal.greatestFiniteMagnitude", { Decimal.greatestFiniteMagnitude }),
        ("NSDecimalNumber.notANumber", { NSDecimalNumber.notANumber }),
        ("NSDecimalNumber.maximum", { NSDecimalNumber.maximum }),
        ("NSNumber(UInt64.max)", { NSNumber(value: UInt64.max) }), ("NSNumber(nan)", { NSNumber(value: Double.nan) }),
        ("a text with NUL", { "a\0b" }), ("an empty blob", { Data() }), ("Date.distantFuture", { Date.distantFuture }),
        ("Date.distantPast", { Date.distantPast }), ("Date(infinity)", { Date(timeIntervalSince1970: .infinity) }),
        ("Date(nan)", { Date(timeIntervalSince1970: .nan) }), ("Date(1e300)", { Date(timeIntervalSince1970: 1e300) }),
        ("Date(1e17)", { Date(timeIntervalSince1970: 1e17) }), ("Date(-1e17)", { Date(timeIntervalSince1970: -1e17) }),
        ("NSDate(1e300)", { NSDate(timeIntervalSince1970: 1e300) }), ("Point(nan)", { Point(x: .nan) }),
        ("Point(infinity)", { Point(x: .infinity) }),
        (
            "DatabaseDateComponents of nonsense",
            {
                DatabaseDateComponents(
                    DateComponents(year: 99_999, month: -4, day: 77, hour: 99, nanosecond: .max), format: .YMD_HMSS)
            }
        ),
        ("DatabaseDateComponents of nothing", { DatabaseDateComponents(DateComponents(), format: .HM) }),
    ]
}

private let dates: [(String, Date)] = [
    ("Date(nan)", Date(timeIntervalSince1970: .nan)), ("Date(infinity)", Date(timeIntervalSince1970: .infinity)),
    ("Date(1e300)", Date(timeIntervalSince1970: 1e300)), ("Date(1e17)", Date(timeIntervalSince1970: 1e17)),
    ("Date(-1e17)", Date(timeIntervalSince1970: -1e17)), ("Date(9.3e15)", Date(timeIntervalSince1970: 9.3e15)),
    ("Date.distantFuture", .distantFuture), ("Date.distantPast", .distantPast),
]

private protocol Dated: Codable, FetchableRecord, PersistableRecord {
    var date: Date { get set }
    init(date: Date)
}
extension Dated {
    static var databaseTableName: String { "u" }
}

private struct Deferred: Dated { var date: Date }
private struct Seconds: Dated {
    var date: Date
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSince1970
    }
}
private struct Milliseconds: Dated {
    var date: Date
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .millisecondsSince1970
    }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .millisecondsSince1970
    }
}
private struct Interval: Dated {
    var date: Date
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .timeIntervalSinceReferenceDate
    }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }
}
private struct ISO: Dated {
    var date: Date
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .iso8601 }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .iso8601 }
}

private struct DatedStore {
    let name: String
    let store: (Database, Date) throws -> Void

    init<T: Dated>(_ type: T.Type) {
        name = "\(type)"
        store = { db, date in
            try db.execute(sql: "DELETE FROM u")
            try T(date: date).insert(db)
            let found = try T.fetchAll(db)
            for record in found { try record.insert(db) }
            _ = try T.filter(Column("date") == date).fetchCount(db)
        }
    }
}

private var datedRecords: [DatedStore] {
    [
        DatedStore(Deferred.self), DatedStore(Seconds.self), DatedStore(Milliseconds.self), DatedStore(Interval.self),
        DatedStore(ISO.self),
    ]
}
