// Standard library types. All integers share one implementation.

public import RowanSQLite
import RowanPlatform

// The extra requirements rank this extension above those for Codable types and raw columns.
extension DatabaseValueConvertible where Self: FixedWidthInteger & Codable & StatementColumnConvertible {
    /// The integer. SQLite can't store an integer above `Int64.max`: a statement with this value throws an error.
    @inlinable
    public var databaseValue: DatabaseValue {
        guard let integer = Int64(exactly: self) else { return .unstorableInteger }
        return DatabaseValue(storage: .int64(integer))
    }

    /// Binds the integer. Binding an integer that does not fit in 64 signed bits returns `SQLITE_MISMATCH`.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let integer = Int64(exactly: self) else { return DatabaseValue.unstorableCode }
        return sqlite3_bind_int64(sqliteStatement, index, integer)
    }

    /// The integer from an integer, or from a double rounded towards zero; nil for any other value, and for a number
    /// that does not fit in the type or in SQLite's integers.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        switch dbValue.storage {
        case .int64(let integer): Self(exactly: integer)
        case .double(let double): Int64(exactly: double.rounded(.towardZero)).flatMap(Self.init(exactly:))
        case .null, .string, .blob: nil
        }
    }

    /// The integer in the column, or nil if it does not fit in the type.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Self? {
        guard let integer = column.int64 else { return nil }
        return Self(exactly: integer)
    }
}

extension Int: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int8: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int16: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int32: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int64: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt8: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt16: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt32: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt64: DatabaseValueConvertible, StatementColumnConvertible {}

extension Bool: DatabaseValueConvertible, StatementColumnConvertible {
    /// 0 or 1.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(self ? 1 : 0)) }

    /// Whether a number is not zero; nil for any other value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
        switch dbValue.storage {
        case .int64(let integer): integer != 0
        case .double(let double): double != 0
        case .null, .string, .blob: nil
        }
    }

    /// Whether the number in the column is not zero.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Bool? {
        // A stored 0 takes two calls, any other integer one (benchmark fetch-place-record).
        if case .statement(let statement, let index, strict: false) = column {
            return sqlite3_column_int64(statement, index) != 0 ? true : zero(statement, index)
        }
        guard let integer = column.int64 else { return fractional(column) }
        return integer != 0 || fractional(column) ?? false
    }

    /// The value of a column whose integer is 0.
    @usableFromInline
    static func zero(_ statement: SQLiteStatement, _ index: CInt) -> Bool? {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: false
        case SQLITE_NULL: nil
        default: sqlite3_column_double(statement, index) != 0  // A double, or a text that starts with one.
        }
    }

    /// A double between -1 and 1 reads as the integer 0, but is true unless it is zero.
    @usableFromInline
    static func fractional(_ column: ColumnValue) -> Bool? { column.double.map { $0 != 0 } }
}

extension Double: DatabaseValueConvertible, StatementColumnConvertible {
    /// A double.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(self)) }

    /// The number from an integer or a double; nil for any other value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Double? {
        switch dbValue.storage {
        case .int64(let integer): Double(integer)
        case .double(let double): double
        case .null, .string, .blob: nil
        }
    }

    /// The number in the column.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Double? { column.double }
}

extension Float: DatabaseValueConvertible, StatementColumnConvertible {
    /// A double.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(Double(self))) }

    /// The number from an integer or a double, rounded to the nearest float; nil for any other value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Float? {
        Double.fromDatabaseValue(dbValue).map(Float.init)
    }

    /// The number in the column, rounded to the nearest float.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Float? { column.double.map { Float($0) } }
}

extension String: DatabaseValueConvertible, StatementColumnConvertible {
    /// A text.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(self)) }

    /// Binds a text.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindText(to: sqliteStatement, at: index)
    }

    /// The string from a text, or from a blob that is valid UTF-8; nil for any other value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? {
        switch dbValue.storage {
        case .string(let string): string
        case .blob(let data): String(data: data, encoding: .utf8)
        case .null, .int64, .double: nil
        }
    }

    /// The text in the column.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> String? { column.string }
}
