// A view of one column of a row: the only bridge between SQLite's columns and Swift's types. All conversions are pure
// and build on it. Numbers are read first; the column's type is checked only after a 0, which may be NULL.
// `@inlinable`: benchmark fetch-index, where a call per column would cost as much as the read.

public import RowanSQLite
public import RowanPlatform

/// One column of a row, as a decoder sees it: a column of the statement's current row, or a copied value.
///
/// Types that conform to ``DatabaseValueConvertible`` decode themselves from it, in `fromColumn(_:)`.
@frozen
public enum ColumnValue {
    /// A column of the current row of a statement, valid until its next step. Strict connections reject lossy
    /// conversions.
    case statement(SQLiteStatement, index: CInt, strict: Bool)

    /// A value copied out of a row.
    case owned(DatabaseValue, strict: Bool)

    /// A value of a copied row, stored together with those of other rows. Valid only during the row's lifetime.
    case packed(PackedColumn, strict: Bool)

    /// Whether the column is NULL.
    @inlinable
    public var isNull: Bool {
        switch self {
        case .statement(let statement, let index, _): sqlite3_column_type(statement, index) == SQLITE_NULL
        case .owned(let value, _): value.isNull
        case .packed(let column, _): column.type == SQLITE_NULL
        }
    }

    /// The integer, after SQLite's own conversions (`'20 cigars'` gives 20). Nil for NULL and, on a strict connection,
    /// for anything but an integer.
    @inlinable
    public var int64: Int64? {
        switch self {
        case .statement(let statement, let index, let strict):
            let value = sqlite3_column_int64(statement, index)
            if value != 0 && !strict { return value }
            return verified(value)
        case .owned(let value, let strict):
            if case .int64(let integer) = value.storage { return integer }
            return value.convertedInt64(strict: strict)
        case .packed(let column, let strict):
            return column.int64(strict: strict)
        }
    }

    /// The double, after SQLite's own conversions. Nil for NULL and, on a strict connection, for anything but a number.
    @inlinable
    public var double: Double? {
        switch self {
        case .statement(let statement, let index, let strict):
            let value = sqlite3_column_double(statement, index)
            if value != 0 && !strict { return value }
            return verified(value)
        case .owned(let value, let strict):
            if case .double(let double) = value.storage { return double }
            return value.convertedDouble(strict: strict)
        case .packed(let column, let strict):
            return column.double(strict: strict)
        }
    }

    /// The text, after SQLite's own conversion of numbers. Nil for NULL and, on a strict connection, for anything but
    /// valid UTF-8 text.
    @inlinable
    public var string: String? {
        switch self {
        case .statement(let statement, let index, strict: false):
            return String(columnText: statement, index)
        case .statement(let statement, let index, strict: true):
            guard sqlite3_column_type(statement, index) == SQLITE_TEXT else { return nil }
            return String(validColumnText: statement, index)
        case .owned(let value, let strict):
            return value.convertedString(strict: strict)
        case .packed(let column, let strict):
            return column.string(strict: strict)
        }
    }

    /// The bytes of a blob or a text, or of the text that SQLite converts a number to. Nil for NULL and, on a strict
    /// connection, for anything but a blob.
    @inlinable
    public var data: Data? {
        switch self {
        case .statement(let statement, let index, let strict):
            switch sqlite3_column_type(statement, index) {
            case SQLITE_BLOB: return Data(columnBlob: statement, index)
            case SQLITE_NULL: return nil
            default: return strict ? nil : Data(columnBlob: statement, index)
            }
        case .owned(let value, let strict):
            return value.convertedData(strict: strict)
        case .packed(let column, let strict):
            return column.data(strict: strict)
        }
    }

    /// A copy of the value, with its storage class.
    @inlinable
    public var databaseValue: DatabaseValue {
        switch self {
        case .statement(let statement, let index, _): DatabaseValue(sqliteStatement: statement, index: index)
        case .owned(let value, _): value
        case .packed(let column, _): column.databaseValue
        }
    }

    /// Checks an integer that was read as zero, or that must be lossless.
    @usableFromInline
    func verified(_ value: Int64) -> Int64? {
        guard case .statement(let statement, let index, let strict) = self else { return value }
        switch sqlite3_column_type(statement, index) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER: return value
        default: return strict ? databaseValue.convertedInt64(strict: true) : value
        }
    }

    /// Checks a double that was read as zero, or that must be lossless.
    @usableFromInline
    func verified(_ value: Double) -> Double? {
        guard case .statement(let statement, let index, let strict) = self else { return value }
        switch sqlite3_column_type(statement, index) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER, SQLITE_FLOAT: return value
        default: return strict ? nil : value
        }
    }
}

extension ColumnValue {
    /// The number in an integer, a double, or a text that consists of a number. Nil for other columns, which `double`
    /// reads as SQLite converts them: as 0, or as the number they start with.
    package var number: Double? {
        switch databaseValue.storage {
        case .int64(let integer): Double(integer)
        case .double(let double): double
        case .string(let text): Double(text)
        case .null, .blob: nil
        }
    }

    /// Calls the closure with the UTF-8 bytes of a text column, without copying them. Returns nil for other columns.
    @inlinable
    public func withText<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T?) -> T? {
        switch self {
        case .statement(let statement, let index, _):
            guard sqlite3_column_type(statement, index) == SQLITE_TEXT,
                let text = sqlite3_column_text(statement, index)
            else { return nil }
            return body(UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, index))))
        case .owned(let value, _):
            guard case .string(let string) = value.storage else { return nil }
            return string.withBytes(body)
        case .packed(let column, _):
            return column.withText(body)
        }
    }
}

extension String {
    /// The text of a column, or nil if it is NULL. NUL characters are kept, and invalid UTF-8 is repaired.
    @inlinable
    init?(columnText statement: SQLiteStatement, _ index: CInt) {
        guard let text = sqlite3_column_text(statement, index) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, index))
        self = String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    /// The text of a column, or nil if it is NULL or not valid UTF-8.
    @usableFromInline
    init?(validColumnText statement: SQLiteStatement, _ index: CInt) {
        guard let text = sqlite3_column_text(statement, index) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, index))
        guard let string = String(validating: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
        else { return nil }
        self = string
    }
}

extension Data {
    /// The bytes of a column that is not NULL.
    @inlinable
    init(columnBlob statement: SQLiteStatement, _ index: CInt) {
        if let bytes = sqlite3_column_blob(statement, index) {
            self = Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, index)))
        } else {
            self = Data()
        }
    }
}
