// The classes of Foundation, stored as the Swift values they bridge to.

public import Foundation

extension NSData: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { Data(referencing: self).databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Data.fromDatabaseValue(dbValue).flatMap { NSData(data: $0) as? Self }
    }
}

extension NSDate: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { Date(timeIntervalSince1970: timeIntervalSince1970).databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Date.fromDatabaseValue(dbValue).flatMap { NSDate(timeIntervalSince1970: $0.timeIntervalSince1970) as? Self }
    }
}

extension NSNull: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { .null }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.isNull ? NSNull() as? Self : nil
    }
}

extension NSNumber: DatabaseValueConvertible {
    /// An integer for integers and booleans that fit in 64 signed bits, else a double. An integral decimal number is an
    /// integer, and what is no number is NULL.
    public var databaseValue: DatabaseValue {
        if let decimal = self as? NSDecimalNumber {
            guard !decimal.decimalValue.isNaN else { return .null }
            let integer: Int64 = decimal.int64Value
            guard Decimal(integer) == decimal.decimalValue else {
                return DatabaseValue(storage: .double(decimal.doubleValue))
            }
            return DatabaseValue(storage: .int64(integer))
        }
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): return DatabaseValue(storage: .double(doubleValue))
        case UInt8(ascii: "Q"), UInt8(ascii: "L"):
            return Int64(exactly: uint64Value)?.databaseValue ?? Double(uint64Value).databaseValue
        default: return DatabaseValue(storage: .int64(int64Value))
        }
    }

    /// The number of an integer, a double, or a decimal text; nil for other values, and for a double that is out of the
    /// range of decimals where a decimal number is asked for.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        let isDecimal = self == NSDecimalNumber.self
        switch dbValue.storage {
        case .int64(let integer):
            return isDecimal
                ? NSDecimalNumber(decimal: Decimal(integer)) as? Self : NSNumber(value: integer) as? Self
        case .double(let double):
            guard isDecimal else { return NSNumber(value: double) as? Self }
            return Decimal(shortest: double).flatMap { NSDecimalNumber(decimal: $0) as? Self }
        case .string:
            return Decimal.fromDatabaseValue(dbValue).flatMap { NSDecimalNumber(decimal: $0) as? Self }
        case .null, .blob:
            return nil
        }
    }
}

extension NSString: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { String(describing: self).databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).flatMap { NSString(string: $0) as? Self }
    }
}

extension NSURL: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { absoluteString.databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0) as? Self }
    }
}

extension NSUUID: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { UUID(uuidString: uuidString)?.databaseValue ?? .null }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) as? Self }
    }
}
