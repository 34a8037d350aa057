// The conversion protocol. `databaseValue` stores a Swift value, and `fromDatabaseValue` reads it back. The standard
// types also read directly from a column, without a DatabaseValue.

public import RowanSQLite
public import RowanPlatform

/// A type that converts to and from a database value: integers, strings, dates, and your own types.
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
///
/// Article: <doc:StoringValues>.
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding, SendableMetatype {
    /// The value to store.
    var databaseValue: DatabaseValue { get }

    /// Converts a stored value, or returns nil if the conversion fails.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// The value of a missing column, or nil if a missing column is an error. Only optionals accept missing columns.
    static func fromMissingColumn() -> Self?

    /// Converts a column, or returns nil if the conversion fails. The default implementation calls
    /// `fromDatabaseValue(_:)`.
    static func fromColumn(_ column: ColumnValue) -> Self?

    /// The decoder of types stored as JSON.
    static func databaseJSONDecoder() -> JSONDecoder

    /// The encoder of types stored as JSON.
    static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
    /// The value as an SQL expression, rendered as an argument.
    public var sqlExpression: SQLExpression { SQLExpression(.value(databaseValue)) }

    /// Binds the database value.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        databaseValue.bind(to: sqliteStatement, at: index)
    }

    /// A missing column is an error.
    @inlinable
    public static func fromMissingColumn() -> Self? { nil }

    /// Converts the database value of the column.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Self? { fromDatabaseValue(column.databaseValue) }

    /// A decoder with base64 data and dates in milliseconds since 1970.
    public static func databaseJSONDecoder() -> JSONDecoder { .database }

    /// An encoder with base64 data, dates in milliseconds since 1970, and sorted keys.
    public static func databaseJSONEncoder() -> JSONEncoder { .database }
}

// MARK: - Raw SQLite columns

/// A type that reads itself from a column of the C API, for speed.
///
/// - Note: the standard types read from ``ColumnValue`` instead.
public protocol StatementColumnConvertible {
    /// Reads a column of the current row, or returns nil if the conversion fails.
    ///
    /// - Precondition: the index is valid.
    init?(sqliteStatement: SQLiteStatement, index: CInt)

    /// Reads a column of the current row, or returns nil if the conversion fails.
    static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self?
}

extension StatementColumnConvertible {
    /// Calls the initializer.
    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Self? {
        Self(sqliteStatement: sqliteStatement, index: index)
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// Reads the column, or returns nil if it is NULL.
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

    /// Reads the database value of the column and converts it.
    @_disfavoredOverload
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let value = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let result = Self.fromDatabaseValue(value) else { return nil }
        self = result
    }
}

// MARK: - Raw values and JSON

extension SQLExpressible where Self: RawRepresentable, RawValue: SQLExpressible {
    /// The expression of the raw value.
    public var sqlExpression: SQLExpression { rawValue.sqlExpression }
}

extension SQLSelectable where Self: RawRepresentable, RawValue: SQLExpressible {
    /// The selection of the raw value.
    public var sqlSelection: SQLSelection { SQLSelection(.expression(rawValue.sqlExpression)) }
}

extension SQLOrderingTerm where Self: RawRepresentable, RawValue: SQLExpressible {
    /// The ordering by the raw value.
    public var sqlOrdering: SQLOrdering { SQLOrdering(.expression(rawValue.sqlExpression, .none)) }
}

extension SQLSelectable where Self: RawRepresentable, RawValue: SQLSelectable {
    /// The selection of the raw value.
    public var sqlSelection: SQLSelection { rawValue.sqlSelection }
}

extension SQLOrderingTerm where Self: RawRepresentable, RawValue: SQLOrderingTerm {
    /// The ordering by the raw value.
    public var sqlOrdering: SQLOrdering { rawValue.sqlOrdering }
}

// A raw value that is also an expression must not make the two extensions above ambiguous.
extension SQLSelectable where Self: RawRepresentable, RawValue: SQLExpressible & SQLSelectable {
    /// The selection of the raw value.
    public var sqlSelection: SQLSelection { rawValue.sqlSelection }
}

extension SQLOrderingTerm where Self: RawRepresentable, RawValue: SQLExpressible & SQLOrderingTerm {
    /// The ordering by the raw value.
    public var sqlOrdering: SQLOrdering { rawValue.sqlOrdering }
}

// A type may choose an expression other than its raw value, as a column does.
extension SQLSpecificExpressible where Self: RawRepresentable, RawValue: SQLExpressible {
    /// The expression as a selection.
    public var sqlSelection: SQLSelection { SQLSelection(.expression(sqlExpression)) }
    /// The ordering by the expression, without an explicit direction.
    public var sqlOrdering: SQLOrdering { SQLOrdering(.expression(sqlExpression, .none)) }
}

extension StatementColumnConvertible where Self: RawRepresentable, RawValue: StatementColumnConvertible {
    /// The value whose raw value the column contains, or nil if none has it.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let rawValue = RawValue.fromStatement(sqliteStatement, atUncheckedIndex: index) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension DatabaseValueConvertible
where Self: RawRepresentable & StatementColumnConvertible, RawValue: StatementColumnConvertible {
    /// The value whose raw value the column contains, or nil if none has it.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let rawValue = RawValue.fromStatement(sqliteStatement, atUncheckedIndex: index) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
    /// Binds the raw value.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        rawValue.bind(to: sqliteStatement, at: index)
    }
}

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: SQLExpressible {
    // Not the expression of the raw value: the type may store its raw value in a different form.
    /// The expression of the stored value.
    public var sqlExpression: SQLExpression { SQLExpression(.value(databaseValue)) }
}

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: StatementBinding {
    /// Binds the stored value.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        databaseValue.bind(to: sqliteStatement, at: index)
    }
}

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The stored raw value.
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    /// The value with this raw value, or nil if none has it.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
    }
}

extension DatabaseValueConvertible where Self: Encodable {
    /// The database form of the encoded value if the type encodes a single value, otherwise a JSON text.
    ///
    /// A value that JSON can't represent, such as NaN, is stored as NULL; the record methods throw the encoder's error
    /// instead.
    public var databaseValue: DatabaseValue {
        do {
            let userInfo = { Self.databaseJSONEncoder().userInfo as [CodingUserInfoKey: Any] }
            let single = try SingleValueEncoder.value(of: self, userInfo: userInfo()) {
                try $0.singleDatabaseValue(userInfo)
            }
            if let single { return single }
            let data = try Self.databaseJSONEncoder().encode(self)
            return String(decoding: data, as: UTF8.self).databaseValue
        } catch {
            JSONFailure.current?.error = error
            return .null
        }
    }
}

extension Encodable {
    /// The stored value, or nil if the type needs JSON.
    fileprivate func singleDatabaseValue(
        _ userInfo: @escaping () -> [CodingUserInfoKey: Any]
    ) throws -> DatabaseValue? {
        if let value = self as? any DatabaseValueConvertible { return value.databaseValue }
        return try SingleValueEncoder.value(of: self, userInfo: userInfo()) { try $0.singleDatabaseValue(userInfo) }
    }
}

extension DatabaseValueConvertible where Self: Decodable {
    /// Decodes a single value if the type decodes one, otherwise JSON text. Returns nil if decoding fails.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        do {
            let source = JSONDatabaseValue(value: dbValue, type: Self.self)
            if let value = try SingleValueDecoder.decode(Self.self, from: source) { return value }
            return try source.json.decode(Self.self, from: .owned(dbValue, strict: false))
        } catch {
            // The caller throws the column's error.
            return nil
        }
    }
}

extension DatabaseValueConvertible
where Self: Encodable, Self: RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The stored raw value.
    public var databaseValue: DatabaseValue { rawValue.databaseValue }
}

extension DatabaseValueConvertible
where Self: Decodable, Self: RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The value with this raw value, or nil if none has it.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
    }
}

/// The error of a JSON encoder, for callers that can throw: `databaseValue` can't.
package final class JSONFailure: Sendable {
    // Only one task uses it, first writing and then reading.
    @TaskLocal fileprivate static var current: JSONFailure?
    private let storage = Mutex<(any Error)?>(nil)

    fileprivate var error: (any Error)? {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    /// Checks a value stored as NULL.
    ///
    /// - Throws: the error of its JSON encoder, if the encoder failed.
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
        // A deterministic text, because records are compared by it.
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
