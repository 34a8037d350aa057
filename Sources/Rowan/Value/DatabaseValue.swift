// A value as SQLite stores it, in one of five storage classes. Rowan binds every argument through it. Reading goes
// through ColumnValue, which copies a value only on demand.

import RowanSQLite
public import RowanPlatform

/// A prepared statement of the C API.
public typealias SQLiteStatement = OpaquePointer

/// A connection of the C API.
public typealias SQLiteConnection = OpaquePointer

/// A value as SQLite stores it: NULL, an integer, a double, a text or a blob.
///
/// ```swift
/// let dbValue: DatabaseValue = row["score"]
/// switch dbValue.storage {
/// case .null: print("NULL")
/// case .int64(let integer): print(integer)
/// case .double(let double): print(double)
/// case .string(let string): print(string)
/// case .blob(let data): print(data.count, "bytes")
/// }
/// ```
///
/// Two values are equal when SQLite stores the same content: texts are compared by their bytes. An integer equals the
/// double of the same number.
/// Source: <https://sqlite.org/datatype3.html>
@frozen
public struct DatabaseValue: Sendable {
    /// The five storage classes.
    @frozen
    public enum Storage: Sendable {
        /// The NULL of SQL.
        case null
        /// A signed 64-bit integer.
        case int64(Int64)
        /// A floating-point number.
        case double(Double)
        /// A text.
        case string(String)
        /// A blob of bytes.
        case blob(Data)
    }

    /// The stored content.
    public let storage: Storage

    /// The NULL of SQL.
    public static let null = DatabaseValue(storage: .null)

    /// Creates a value with the given content.
    @inlinable
    public init(storage: Storage) {
        self.storage = storage
    }

    /// Whether the value is NULL.
    @inlinable
    public var isNull: Bool {
        if case .null = storage { true } else { false }
    }

    /// The value of a column of the statement's current row.
    ///
    /// - Precondition: the statement has a current row, and a column at this index.
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        switch sqlite3_column_type(sqliteStatement, index) {
        case SQLITE_INTEGER:
            storage = .int64(sqlite3_column_int64(sqliteStatement, index))
        case SQLITE_FLOAT:
            storage = .double(sqlite3_column_double(sqliteStatement, index))
        case SQLITE_TEXT:
            storage = .string(String(columnText: sqliteStatement, index) ?? "")
        case SQLITE_BLOB:
            storage = .blob(Data(columnBlob: sqliteStatement, index))
        default:
            storage = .null
        }
    }

    /// The value of an argument to an SQL function.
    package init(sqliteValue value: OpaquePointer) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER:
            storage = .int64(sqlite3_value_int64(value))
        case SQLITE_FLOAT:
            storage = .double(sqlite3_value_double(value))
        case SQLITE_TEXT:
            let text = sqlite3_value_text(value)
            let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
            storage = .string(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let blob = sqlite3_value_blob(value)
            let count = Int(sqlite3_value_bytes(value))
            storage = .blob(blob.map { Data(bytes: $0, count: count) } ?? Data())
        default:
            storage = .null
        }
    }
}

extension DatabaseValue: Hashable {
    /// Whether both values have the same content. An integer equals the double of the same number.
    @inlinable
    public static func == (lhs: DatabaseValue, rhs: DatabaseValue) -> Bool {
        switch (lhs.storage, rhs.storage) {
        case (.int64(let integer), .double(let double)), (.double(let double), .int64(let integer)):
            Int64(exactly: double) == integer
        default:
            lhs.storage == rhs.storage
        }
    }

    /// Hashes the content. An integer and the double of the same number have the same hash.
    public func hash(into hasher: inout Hasher) {
        switch storage {
        case .null: hasher.combine(0)
        case .int64(let integer): hasher.combine(integer)
        case .double(let double):
            // An integral double equals an integer, so both need the same hash.
            if let integer = Int64(exactly: double) { hasher.combine(integer) } else { hasher.combine(double) }
        case .string(let string): string.hashBytes(into: &hasher)
        case .blob(let data): hasher.combine(data)
        }
    }
}

extension DatabaseValue.Storage: Hashable {
    /// Whether SQLite stores both in the same way. Texts are compared by their bytes: `"\u{E9}"` and `"e\u{301}"` are
    /// equal strings but different texts.
    @inlinable
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.int64(let a), .int64(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
        case (.blob(let a), .blob(let b)): a == b
        case (.null, _), (.int64, _), (.double, _), (.string, _), (.blob, _): false
        }
    }

    /// Hashes the storage class and the content.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .int64(let integer):
            hasher.combine(1)
            hasher.combine(integer)
        case .double(let double):
            hasher.combine(2)
            hasher.combine(double)
        case .string(let string):
            hasher.combine(3)
            string.hashBytes(into: &hasher)
        case .blob(let data):
            hasher.combine(4)
            hasher.combine(data)
        }
    }
}

extension String {
    /// Whether both strings have the same UTF-8 bytes. Strings that are equal in Unicode may differ in their bytes.
    @usableFromInline
    func hasSameBytes(as other: String) -> Bool {
        // All strings except Objective-C ones are UTF-8 and are compared by their bytes directly.
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { otherBytes in
                guard bytes.count == otherBytes.count, let start = bytes.baseAddress else {
                    return bytes.count == otherBytes.count
                }
                return otherBytes.baseAddress.map { memcmp(start, $0, bytes.count) == 0 } ?? false
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    fileprivate func hashBytes(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No string contains this byte: it terminates the text.
        hasher.combine(0xFF as UInt8)
    }
}
