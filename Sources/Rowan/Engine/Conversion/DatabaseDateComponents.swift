// Date components, in a format chosen by the user.
// Source: https://sqlite.org/lang_datefunc.html

public import RowanPlatform

/// Date components stored as text, in one of SQLite's formats.
///
/// ```swift
/// let components = DateComponents(year: 1973, month: 9, day: 18)
/// // INSERT INTO player (birthDate) VALUES ('1973-09-18')
/// try db.execute(
///     sql: "INSERT INTO player (birthDate) VALUES (?)",
///     arguments: [DatabaseDateComponents(components, format: .YMD)])
/// ```
public struct DatabaseDateComponents: Hashable, Sendable {
    /// The formats written by Rowan.
    public enum Format: String, Hashable, Sendable {
        /// `yyyy-MM-dd`
        case YMD = "yyyy-MM-dd"
        /// `yyyy-MM-dd HH:mm`
        case YMD_HM = "yyyy-MM-dd HH:mm"
        /// `yyyy-MM-dd HH:mm:ss`
        case YMD_HMS = "yyyy-MM-dd HH:mm:ss"
        /// `yyyy-MM-dd HH:mm:ss.SSS`
        case YMD_HMSS = "yyyy-MM-dd HH:mm:ss.SSS"
        /// `HH:mm`
        case HM = "HH:mm"
        /// `HH:mm:ss`
        case HMS = "HH:mm:ss"
        /// `HH:mm:ss.SSS`
        case HMSS = "HH:mm:ss.SSS"

        fileprivate init(_ text: DateText) {
            self =
                switch (text.hasDate, text.precision) {
                case (true, .none): .YMD
                case (true, .minute): .YMD_HM
                case (true, .second): .YMD_HMS
                case (true, .fraction): .YMD_HMSS
                case (false, .second): .HMS
                case (false, .fraction): .HMSS
                case (false, .minute), (false, .none): .HM
                }
        }
    }

    /// The components.
    public let dateComponents: DateComponents

    /// The format of the stored text.
    public let format: Format

    /// Creates date components stored in the given format.
    public init(_ dateComponents: DateComponents, format: Format) {
        self.dateComponents = dateComponents
        self.format = format
    }
}

extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
    /// The text. Missing components are written as 0, or 1 for the month and day. Components outside their ranges, such
    /// as a thirteenth month, can't be stored: the statement throws SQLITE_MISMATCH.
    public var databaseValue: DatabaseValue {
        let c = dateComponents
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(value.magnitude)
            return (value < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, count - text.count)) + text
        }
        let day = "\(digits(c.year ?? 0, 4))-\(digits(c.month ?? 1, 2))-\(digits(c.day ?? 1, 2))"
        let minutes = "\(digits(c.hour ?? 0, 2)):\(digits(c.minute ?? 0, 2))"
        let seconds = "\(minutes):\(digits(c.second ?? 0, 2))"
        let milliseconds = (Double(c.nanosecond ?? 0) / 1_000_000).rounded()
        let fraction = "\(seconds).\(digits(Swift.min(999, Int(milliseconds)), 3))"
        let text =
            switch format {
            case .YMD: day
            case .YMD_HM: "\(day) \(minutes)"
            case .YMD_HMS: "\(day) \(seconds)"
            case .YMD_HMSS: "\(day) \(fraction)"
            case .HM: minutes
            case .HMS: seconds
            case .HMSS: fraction
            }
        let value = text.databaseValue
        return Self.fromDatabaseValue(value) == nil ? .unstorableComponents : value
    }

    /// The components of a text in one of SQLite's formats, or nil for any other value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
        fromColumn(.owned(dbValue, strict: false))
    }

    /// The components of a text column, read in place.
    public static func fromColumn(_ column: ColumnValue) -> DatabaseDateComponents? {
        column.withText { DateText(parsing: $0).map(Self.init) } ?? nil
    }

    private init(_ text: DateText) {
        let hasMinute = text.precision.rawValue >= DateText.Precision.minute.rawValue
        let hasSecond = text.precision.rawValue >= DateText.Precision.second.rawValue
        // Set together, because each assignment would copy the components.
        let components = DateComponents(
            timeZone: text.offset.flatMap(TimeZone.init(secondsFromGMT:)),
            year: text.hasDate ? text.year : nil, month: text.hasDate ? text.month : nil,
            day: text.hasDate ? text.day : nil,
            hour: hasMinute ? text.hour : nil, minute: hasMinute ? text.minute : nil,
            second: hasSecond ? text.second : nil,
            nanosecond: text.precision == .fraction ? text.nanosecond : nil)
        self.init(components, format: Format(text))
    }
}

extension DatabaseDateComponents: Codable {
    /// Encodes the text.
    ///
    /// - Throws: `EncodingError` for components outside their ranges.
    public func encode(to encoder: any Encoder) throws {
        guard case .string(let text) = databaseValue.storage else {
            let reason = "a component of the date is outside its range"
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: reason))
        }
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Decodes the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let string = try container.decode(String.self)
        guard let result = Self.fromDatabaseValue(string.databaseValue) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the text is not a date, a time, or both, as SQLite writes them")
        }
        self = result
    }
}
