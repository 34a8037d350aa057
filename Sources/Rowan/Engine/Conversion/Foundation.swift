// Foundation types: data, dates, identifiers, URLs.

import RowanSQLite
public import RowanPlatform

extension Data: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value, in the form stored by the compared column's record type.
    public var sqlExpression: SQLExpression {
        SQLExpression(.storable(StorableValue(.data(self), databaseValue: databaseValue)))
    }

    /// A blob.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .blob(self)) }

    /// Binds a blob.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindBlob(to: sqliteStatement, at: index)
    }

    /// The bytes of a blob or a text, nil for any other value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? {
        switch dbValue.storage {
        case .blob(let data): data
        case .string(let string): Data(string.utf8)
        case .null, .int64, .double: nil
        }
    }

    /// The bytes of a blob or a text column, or of the text that SQLite converts a number to.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Data? { column.data }
}

extension Date: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value, in the form stored by the compared column's record type.
    public var sqlExpression: SQLExpression {
        SQLExpression(.storable(StorableValue(.date(self), databaseValue: databaseValue)))
    }

    /// The text `YYYY-MM-DD HH:MM:SS.SSS`, in UTC, to the nearest millisecond; NULL for a date that is not finite.
    /// Years outside 0000-9999 are written with all their digits. Such texts decode, but SQLite's functions don't
    /// support them, and they don't sort in date order. A date outside the years -99,999,999 to 99,999,999 can't be
    /// stored: the statement throws SQLITE_MISMATCH.
    ///
    /// The date read from a text is exactly `Date(timeIntervalSince1970:)` of its milliseconds. The same milliseconds
    /// since 2001, which `Date` keeps in memory, may be a different double, less than a microsecond away, with the same
    /// text: for dates made by a calendar or `Date(timeIntervalSinceReferenceDate:)`. Both can't be read from one text.
    public var databaseValue: DatabaseValue {
        stored { seconds in
            DateText.withText(secondsSince1970: seconds) {
                DatabaseValue(storage: .string(String(decoding: $0, as: UTF8.self)))
            }
        }
    }

    /// Converts the date's seconds since 1970 to a stored form: NULL if they are not finite, or a value that can't be
    /// stored if the form could not be read back.
    package func stored(
        within readable: Range<Double> = DateText.secondsOfWrittenYears, _ form: (Double) -> DatabaseValue
    ) -> DatabaseValue {
        let seconds = timeIntervalSince1970
        guard seconds.isFinite else { return .null }
        return readable.contains(seconds) ? form(seconds) : .unstorableDate
    }

    /// Binds the text, or NULL for a date that is not finite.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        let seconds = timeIntervalSince1970
        guard DateText.secondsOfWrittenYears.contains(seconds) else {
            return databaseValue.bind(to: sqliteStatement, at: index)
        }
        return DateText.withText(secondsSince1970: seconds) { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                rowan_bind_text(sqliteStatement, index, $0.baseAddress!, CInt($0.count))
            }
        }
    }

    /// The date from a text in one of SQLite's formats, or from a number of seconds since 1970; nil for any other value
    /// and for a number outside the years -99,999,999 to 99,999,999.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Date? {
        fromColumn(.owned(dbValue, strict: false))
    }

    /// The date from a text column, or from a number of seconds since 1970.
    public static func fromColumn(_ column: ColumnValue) -> Date? {
        if let date = column.withText(Date.init(text:)) { return date }
        switch column {
        case .statement(let statement, let index, _):
            switch sqlite3_column_type(statement, index) {
            case SQLITE_INTEGER, SQLITE_FLOAT:
                return Date(storedSeconds: sqlite3_column_double(statement, index))
            default: return nil
            }
        case .owned, .packed:
            return Double.fromDatabaseValue(column.databaseValue).flatMap { Date(storedSeconds: $0) }
        }
    }

    /// Creates a date from a number of seconds since 1970, or since another date. Returns nil outside the years that
    /// Rowan writes, where calendars overflow.
    package init?(storedSeconds seconds: Double, since reference: Date = Date(timeIntervalSince1970: 0)) {
        let date = reference + seconds
        guard DateText.secondsOfWrittenYears.contains(date.timeIntervalSince1970) else { return nil }
        self = date
    }

    private init?(text: UnsafeBufferPointer<UInt8>) {
        if let seconds = DateText.secondsSince1970(stored: text) {
            self.init(timeIntervalSince1970: seconds)
        } else {
            // A time without a day is not a date.
            guard let components = DateText(parsing: text), components.hasDate else { return nil }
            self.init(timeIntervalSince1970: components.secondsSince1970)
        }
    }

    /// Creates a date from a Julian day, in days since noon UTC on November 24, 4714 BC. Returns nil outside the years
    /// -99,999,999 to 99,999,999.
    ///
    /// Source: <https://sqlite.org/lang_datefunc.html>
    public init?(julianDay: Double) {
        // Rounded to the millisecond, the precision of SQLite's own Julian days.
        let milliseconds = ((julianDay - 2_440_587.5) * 86_400_000).rounded()
        self.init(storedSeconds: milliseconds / 1_000)
    }
}

extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value, in the form stored by the compared column's record type.
    public var sqlExpression: SQLExpression {
        SQLExpression(.storable(StorableValue(.uuid(self), databaseValue: databaseValue)))
    }

    /// A blob of 16 bytes.
    public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .blob(withUnsafeBytes(of: uuid) { Data($0) }))
    }

    /// Binds a blob of 16 bytes.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes(of: uuid) { rowan_bind_blob(sqliteStatement, index, $0.baseAddress, 16) }
    }

    /// The identifier from a blob of 16 bytes or a text in upper or lower case; nil for any other value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
        switch dbValue.storage {
        case .blob(let data) where data.count == 16:
            data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        case .string(let string): UUID(uuidString: string)
        case .null, .int64, .double, .blob: nil
        }
    }
}

extension URL: DatabaseValueConvertible, StatementColumnConvertible {
    /// The absolute string.
    public var databaseValue: DatabaseValue { absoluteString.databaseValue }

    /// The URL from a text; nil for any other value and for a text that is not a URL.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
        String.fromDatabaseValue(dbValue).flatMap(URL.init(string:))
    }
}
