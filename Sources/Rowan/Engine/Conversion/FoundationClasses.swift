// Foundation classes. They are stored as the Swift values that they bridge to.

#if FullFoundation
public import Foundation

extension NSData: DatabaseValueConvertible {
    /// A blob.
    public var databaseValue: DatabaseValue { Data(referencing: self).databaseValue }

    /// The bytes of a blob or a text.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Data.fromDatabaseValue(dbValue).flatMap { NSData(data: $0) as? Self }
    }
}

extension NSDate: DatabaseValueConvertible {
    /// The text `YYYY-MM-DD HH:MM:SS.SSS`, in UTC.
    public var databaseValue: DatabaseValue { Date(timeIntervalSince1970: timeIntervalSince1970).databaseValue }

    /// The date from a text in one of SQLite's formats, or from a number of seconds since 1970.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Date.fromDatabaseValue(dbValue).flatMap { NSDate(timeIntervalSince1970: $0.timeIntervalSince1970) as? Self }
    }
}

extension NSNull: DatabaseValueConvertible {
    /// NULL.
    public var databaseValue: DatabaseValue { .null }

    /// The object if the value is NULL.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.isNull ? NSNull() as? Self : nil
    }
}

extension NSNumber: DatabaseValueConvertible {
    /// An integer for integers and Booleans that fit in 64 signed bits, otherwise a double. An integral decimal number
    /// is stored as an integer, and NaN as NULL.
    public var databaseValue: DatabaseValue {
        if let decimal = self as? NSDecimalNumber {
            guard !decimal.decimalValue.isNaN else { return .null }
            let integer: Int64 = decimal.int64Value
            guard Decimal(integer) == decimal.decimalValue else { return decimal.nearestDouble.databaseValue }
            return DatabaseValue(storage: .int64(integer))
        }
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): return DatabaseValue(storage: .double(doubleValue))
        case UInt8(ascii: "Q"), UInt8(ascii: "L"):
            return Int64(exactly: uint64Value)?.databaseValue ?? Double(uint64Value).databaseValue
        default: return DatabaseValue(storage: .int64(int64Value))
        }
    }

    /// The number from an integer, a double or a decimal text; nil for any other value and for a double outside the
    /// range of decimals if the result must be a decimal number.
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

extension NSDecimalNumber {
    /// The double nearest to the number. Foundation multiplies the digits by a power of ten, both rounded:
    /// `doubleValue` of 10000000.01 is 10000000.009999996.
    fileprivate var nearestDouble: Double { Double(decimalValue.description) ?? doubleValue }
}

extension NSString: DatabaseValueConvertible {
    /// A text.
    public var databaseValue: DatabaseValue { String(describing: self).databaseValue }

    /// The string from a text, or from a blob that is valid UTF-8.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).flatMap { NSString(string: $0) as? Self }
    }
}

extension NSURL: DatabaseValueConvertible {
    /// The absolute string.
    public var databaseValue: DatabaseValue { absoluteString.databaseValue }

    /// The URL from a text.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0) as? Self }
    }
}

extension NSUUID: DatabaseValueConvertible {
    /// A blob of 16 bytes.
    public var databaseValue: DatabaseValue { UUID(uuidString: uuidString)?.databaseValue ?? .null }

    /// The identifier from a blob of 16 bytes or a text.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) as? Self }
    }
}
#endif
