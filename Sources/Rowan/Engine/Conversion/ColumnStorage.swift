// How the values of one column are stored, where a type has several representations: chosen by `@Column(as:)`.

public import Foundation

/// How the values of a column are stored, chosen by `@Column(as:)`.
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

    /// The value of a column that is not NULL; nil if it does not convert.
    func value(from column: ColumnValue) -> Value?
}

/// Dates as seconds since 1970-01-01 00:00:00 UTC: an integer, or a double for a part of a second.
///
/// Article: <doc:StoringValues>.
public struct UnixTimeStorage: ColumnStorage {
    /// The seconds.
    public func databaseValue(of value: Date) -> DatabaseValue {
        let seconds = value.timeIntervalSince1970
        return Int64(exactly: seconds)?.databaseValue ?? seconds.databaseValue
    }

    /// The date, from any number.
    public func value(from column: ColumnValue) -> Date? { column.double.flatMap { Date(storedSeconds: $0) } }
}

/// Dates as milliseconds since 1970-01-01 00:00:00 UTC: an integer, rounded to the nearest.
///
/// Article: <doc:StoringValues>.
public struct MillisecondStorage: ColumnStorage {
    /// The milliseconds; a double if they don't fit in an integer.
    public func databaseValue(of value: Date) -> DatabaseValue {
        let milliseconds = (value.timeIntervalSince1970 * 1_000).rounded()
        return Int64(exactly: milliseconds)?.databaseValue ?? milliseconds.databaseValue
    }

    /// The date, from any number.
    public func value(from column: ColumnValue) -> Date? { column.double.flatMap { Date(storedSeconds: $0 / 1_000) } }
}

/// Dates as ISO 8601 texts in UTC, in whole seconds: `2026-11-24T12:30:00Z`.
///
/// Article: <doc:StoringValues>.
public struct ISO8601Storage: ColumnStorage {
    /// The text. Dates outside Foundation's calendar are stored as NULL.
    public func databaseValue(of value: Date) -> DatabaseValue {
        Self.calendar.contains(value) ? value.formatted(.iso8601).databaseValue : .null
    }

    /// The range of Foundation's calendar, which replaces dates outside it with its first or last date.
    private static let calendar =
        Date(timeIntervalSince1970: -210_866_760_000)..<Date(timeIntervalSince1970: 15_927_175_497_600)

    /// The date, from an ISO 8601 text.
    public func value(from column: ColumnValue) -> Date? {
        // Another text does not convert.
        column.string.flatMap { try? Date($0, strategy: .iso8601) }
    }
}

/// UUIDs as upper-case texts: `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
///
/// Article: <doc:StoringValues>.
public struct UUIDTextStorage: ColumnStorage {
    /// The text.
    public func databaseValue(of value: UUID) -> DatabaseValue { value.uuidString.databaseValue }

    /// The identifier, from a text in upper or lower case, or from a blob of 16 bytes.
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
