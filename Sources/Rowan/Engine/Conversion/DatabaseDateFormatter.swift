// Dates as texts in a format that the program chooses.

public import RowanPlatform

/// A format of dates, for the strategies of records. `DateFormatter` is one, unless the trait
/// `FullFoundation` is disabled.
///
/// ```swift
/// struct DayFormatter: DatabaseDateFormatter {
///     private let style = Date.ISO8601FormatStyle().year().month().day()
///     func string(from date: Date) -> String { date.formatted(style) }
///     func date(from string: String) -> Date? { try? Date(string, strategy: style) }
/// }
///
/// struct Player: Codable, FetchableRecord, PersistableRecord {
///     var born: Date
///
///     static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
///         .formatted(DayFormatter())
///     }
///     static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
///         .formatted(DayFormatter())
///     }
/// }
/// ```
///
/// Article: <doc:CodableAndHandwrittenRecords>.
public protocol DatabaseDateFormatter: Sendable {
    /// The text to store.
    func string(from date: Date) -> String
    /// The date of a stored text; nil is a decoding error.
    func date(from string: String) -> Date?
}
