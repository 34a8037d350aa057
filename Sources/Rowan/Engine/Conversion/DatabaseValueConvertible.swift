// The conversion protocol. A type says how it is stored (`databaseValue`) and how it is read back
// (`fromDatabaseValue`); the standard types also read straight from a column, without a DatabaseValue.

public import CSQLite
public import Foundation

/// A type that converts to and from a database value: integers, strings, dates, your own types...
///
/// ```swift
/// struct Email: DatabaseValueConvertible {
///     var address: String
///     var databaseValue: DatabaseValue { address.databaseValue }
///     static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Email? {
///         String.fromDatabaseValue(dbValue).map { Email(address: $0) }
///     }
/// }
///
/// // An enum with a raw value, and a Codable type (stored as JSON), need no code:
/// enum Color: String, DatabaseValueConvertible { case red, white }
/// struct Address: Codable, DatabaseValueConvertible { var street: String }
/// ```
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding, RowDecodable {
    /// The value that is stored.
    var databaseValue: DatabaseValue { get }

    /// The value that a stored value stands for, or nil if it stands for none.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// The value of a missing column, or nil if there is none. Only optionals have one.
    static func fromMissingColumn() -> Self?

    /// The value of a column, or nil if the column does not convert. By default, `fromDatabaseValue(_:)` of
    /// the column's value.
    static func fromColumn(_ column: ColumnValue) -> Self?

    /// The decoder of types that are stored as JSON.
    static func databaseJSONDecoder() -> JSONDecoder

    /// The encoder of types that are stored as JSON.
    static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
    public var sqlExpression: SQLExpression { SQLExpression(.value(databaseValue)) }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        databaseValue.bind(to: sqliteStatement, at: index)
    }

    @inlinable
    public static func fromMissingColumn() -> Self? { nil }

    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Self? { fromDatabaseValue(column.databaseValue) }

    /// A decoder with base64 data and dates in milliseconds since 1970.
    public static func databaseJSONDecoder() -> JSONDecoder { .database }

    /// An encoder with base64 data, dates in milliseconds since 1970, and sorted keys.
    public static func databaseJSONEncoder() -> JSONEncoder { .database }
}

// MARK: - Fetching values

extension DatabaseValueConvertible {
    @inlinable
    public static func element(of row: Row) throws -> Self {
        if row.count > 0, let value = row.value(Self.self, at: 0) { return value }
        throw row.valueDecodingError(Self.self)
    }

    /// The first value, or nil if it is NULL.
    @inlinable
    public static func firstElement(of row: Row) throws -> Self? {
        if row.count > 0 {
            if let value = row.value(Self.self, at: 0) { return value }
            if row.hasNull(atIndex: 0) { return nil }
        }
        throw row.valueDecodingError(Self.self)
    }
}

extension Row {
    @usableFromInline
    func valueDecodingError(_ type: any Any.Type) -> any Error {
        guard count > 0 else {
            return DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the statement has no column to decode \(type) from",
                sql: statement?.sql)
        }
        return decodingError(type, at: 0)
    }
}

// MARK: - Raw SQLite columns

/// A type that reads itself from a column of the C API, for speed.
///
/// - Note: the standard types don't need it: they read from ``ColumnValue``.
public protocol StatementColumnConvertible {
    /// The value of a column of the current row, or nil if it does not convert.
    ///
    /// - Precondition: the index is valid.
    init?(sqliteStatement: SQLiteStatement, index: CInt)

    /// The value of a column of the current row, or nil if it does not convert.
    static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self?
}

extension StatementColumnConvertible {
    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Self? {
        Self(sqliteStatement: sqliteStatement, index: index)
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Self? {
        switch column {
        case .statement(let statement, let index, _):
            if sqlite3_column_type(statement, index) == SQLITE_NULL { return nil }
            return fromStatement(statement, atUncheckedIndex: index)
        case .owned(let value, _):
            return fromDatabaseValue(value)
        case .packed(let column, _):
            return fromDatabaseValue(column.databaseValue)
        }
    }

    @_disfavoredOverload
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let value = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let result = Self.fromDatabaseValue(value) else { return nil }
        self = result
    }
}

// MARK: - Raw values and JSON

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
    }
}

extension DatabaseValueConvertible where Self: Encodable {
    /// The value as a JSON text. What JSON can't hold, such as NaN, is NULL, as NaN itself is for SQLite; the record
    /// methods throw the error of the encoder.
    public var databaseValue: DatabaseValue {
        do {
            let data = try Self.databaseJSONEncoder().encode(self)
            return String(decoding: data, as: UTF8.self).databaseValue
        } catch {
            JSONFailure.current?.error = error
            return .null
        }
    }
}

extension DatabaseValueConvertible where Self: Decodable {
    /// The value that a JSON text stands for.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        guard let data = Data.fromDatabaseValue(dbValue) else { return nil }
        return try? databaseJSONDecoder().decode(Self.self, from: data)
    }
}

extension DatabaseValueConvertible
where Self: Encodable, Self: RawRepresentable, RawValue: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { rawValue.databaseValue }
}

extension DatabaseValueConvertible
where Self: Decodable, Self: RawRepresentable, RawValue: DatabaseValueConvertible {
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
    }
}

/// The error of a JSON encoder, for a caller that can throw it: `databaseValue` can't.
package final class JSONFailure: Sendable {
    // One task writes it, and reads it after.
    @TaskLocal fileprivate static var current: JSONFailure?
    private let storage = Mutex<(any Error)?>(nil)

    fileprivate var error: (any Error)? {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    /// Checks a value that is stored as NULL.
    ///
    /// - Throws: the error of its JSON encoder, if that is why.
    package static func check(_ value: any DatabaseValueConvertible) throws {
        let failure = JSONFailure()
        _ = $current.withValue(failure) { value.databaseValue }
        if let error = failure.error { throw error }
    }
}

extension JSONDecoder {
    package static var database: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.nonConformingFloatDecodingStrategy = .throw
        return decoder
    }
}

extension JSONEncoder {
    package static var database: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .throw
        // A stable text: records compare by it.
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
