// The stored form of a column's values where a type has several representations, chosen by `@Column(as:)`.

public import RowanPlatform

/// The stored form of a column's values, chosen by `@Column(as:)`.
///
/// ```swift
/// struct RoundedPrice: ColumnStorage {
///     func databaseValue(of value: Decimal) -> DatabaseValue { ... }   // cents
///     func value(from column: ColumnValue) -> Decimal? { column.int64.map { Decimal($0) / 100 } }
/// }
///
/// @Record struct Product {
///     var id: Int64?
///     @Column(as: RoundedPrice()) var price: Decimal
///     @Column(as: .unixTime) var created: Date
/// }
/// ```
///
/// Values that requests compare with the column are stored the same way.
///
/// Article: <doc:StoringValues>.
public protocol ColumnStorage<Value>: Sendable {
    /// The type of the property. An optional property stores nil as NULL.
    associatedtype Value

    /// The value to store.
    func databaseValue(of value: Value) -> DatabaseValue

    /// The value of a column that is not NULL; nil if the conversion fails.
    func value(from column: ColumnValue) -> Value?
}

/// Dates as seconds since 1970-01-01 00:00:00 UTC: an integer, or a double for fractional seconds.
///
/// Article: <doc:StoringValues>.
public struct UnixTimeStorage: ColumnStorage {
    /// The seconds; NULL for a date that is not finite. A date outside the years -99,999,999 to 99,999,999 can't be
    /// stored: the statement throws SQLITE_MISMATCH.
    public func databaseValue(of value: Date) -> DatabaseValue {
        value.stored { Int64(exactly: $0)?.databaseValue ?? $0.databaseValue }
    }

    /// The date, from a number or a numeric text.
    public func value(from column: ColumnValue) -> Date? { column.number.flatMap { Date(storedSeconds: $0) } }
}

/// Dates as milliseconds since 1970-01-01 00:00:00 UTC: an integer, rounded to the nearest.
///
/// Article: <doc:StoringValues>.
public struct MillisecondStorage: ColumnStorage {
    /// The milliseconds; NULL for a date that is not finite. A date outside the years -99,999,999 to 99,999,999 can't
    /// be stored: the statement throws SQLITE_MISMATCH.
    public func databaseValue(of value: Date) -> DatabaseValue {
        value.stored { Int64(($0 * 1_000).rounded()).databaseValue }
    }

    /// The date, from a number or a numeric text.
    public func value(from column: ColumnValue) -> Date? { column.number.flatMap { Date(storedSeconds: $0 / 1_000) } }
}

/// Dates as ISO 8601 texts in UTC, in whole seconds: `2026-11-24T12:30:00Z`.
///
/// Article: <doc:StoringValues>.
public struct ISO8601Storage: ColumnStorage {
    /// The text; NULL for a date that is not finite. A date before the year 0 or after the year 506712, can't be
    /// stored: the statement throws SQLITE_MISMATCH.
    public func databaseValue(of value: Date) -> DatabaseValue {
        value.stored(within: Self.readable) { _ in value.formatted(.iso8601).databaseValue }
    }

    /// The seconds since 1970 for the years that Foundation can read, from year 0 in its calendar to the calendar's
    /// last year, which it writes for all later dates.
    private static var readable: Range<Double> { -62_167_392_000..<15_927_175_497_600 }

    /// The date, from an ISO 8601 text.
    public func value(from column: ColumnValue) -> Date? {
        // Any other text does not convert.
        column.string.flatMap { try? Date($0, strategy: .iso8601) }
    }
}

/// UUIDs as upper-case texts: `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
///
/// Article: <doc:StoringValues>.
public struct UUIDTextStorage: ColumnStorage {
    /// The text.
    public func databaseValue(of value: UUID) -> DatabaseValue { value.uuidString.databaseValue }

    /// The identifier, from a text in upper or lower case or from a blob of 16 bytes.
    public func value(from column: ColumnValue) -> UUID? { UUID.fromColumn(column) }
}

/// Codable values as JSON texts, even if their type has another representation.
///
/// Article: <doc:JSONColumns>.
public struct JSONStorage: Sendable {
    /// JSON texts.
    public static var json: JSONStorage { JSONStorage() }
}

extension ColumnStorage where Self == UnixTimeStorage {
    /// Dates as seconds since 1970.
    public static var unixTime: UnixTimeStorage { UnixTimeStorage() }
}

extension ColumnStorage where Self == MillisecondStorage {
    /// Dates as milliseconds since 1970.
    public static var milliseconds: MillisecondStorage { MillisecondStorage() }
}

extension ColumnStorage where Self == ISO8601Storage {
    /// Dates as ISO 8601 texts.
    public static var iso8601: ISO8601Storage { ISO8601Storage() }
}

extension ColumnStorage where Self == UUIDTextStorage {
    /// UUIDs as texts.
    public static var uuidText: UUIDTextStorage { UUIDTextStorage() }
}
