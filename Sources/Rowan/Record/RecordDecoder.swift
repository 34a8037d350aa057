// Decodable records: a keyed container over a row. Columns come in the order of the coding keys most of the time,
// which the row's prediction turns into one comparison a column. What is no value decodes from JSON, from a scope
// of the row, or from prefetched rows.

import Foundation

extension FetchableRecord where Self: Decodable {
    /// Decodes the columns as coding keys.
    public init(row: Row) throws { self = try RecordDecoder<Self>.decode(Self.self, from: row) }
}

/// A decoder of Decodable records from rows.
///
/// ```swift
/// let player = try FetchableRecordDecoder().decode(Player.self, from: row)
/// ```
open class FetchableRecordDecoder {
    public init() {}

    /// Decodes a record from a row.
    ///
    /// - Throws: ``RowDecodingError``, or the error of the record.
    open func decode<T: FetchableRecord & Decodable>(_ type: T.Type, from row: Row) throws -> T {
        try RecordDecoder<T>.decode(type, from: row)
    }
}

/// The decoder of a Decodable record: its strategies are those of the record that is fetched.
struct RecordDecoder<Record: FetchableRecord>: Decoder {
    let row: Row
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { Record.databaseDecodingUserInfo }

    static func decode<T: Decodable>(_ type: T.Type, from row: Row) throws -> T {
        try T(from: RecordDecoder(row: row))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RecordKeyedDecodingContainer<Record, Key>(row: row))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            Record.self, .init(codingPath: [], debugDescription: "a row can't be decoded as an array"))
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { RecordSingleValueDecoding<Record>(row: row) }
}

/// A record that decodes itself from another one, or from the first column.
private struct RecordSingleValueDecoding<Record: FetchableRecord>: SingleValueDecodingContainer {
    let row: Row
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { !row.containsNonNullValue }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let type = type as? any DatabaseValueConvertible.Type {
            return try type.decodeColumn(row, 0) as! T
        }
        return try RecordDecoder<Record>.decode(type, from: row)
    }
}

private struct RecordKeyedDecodingContainer<Record: FetchableRecord, Key: CodingKey>:
    KeyedDecodingContainerProtocol
{
    let row: Row
    /// The columns of the keys, when they do not have their names.
    private let columns: [String: String]?

    init(row: Row) {
        self.row = row
        columns = Record.databaseColumnDecodingStrategy.columns(of: row)
    }

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        let names = columns.map { Array($0.keys) } ?? Array(row.columnNames)
        let keys = names + row.scopes.names + row.prefetchedRows.keys
        return Set(keys).compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool {
        index(key) != nil || row.scopes[key.stringValue] != nil || row.prefetchedRows[key.stringValue] != nil
    }

    private func index(_ key: Key) -> Int? {
        guard let columns else { return row.index(ofColumn: key.stringValue) }
        return columns[key.stringValue].flatMap { row.index(ofColumn: $0) }
    }

    private func value<T: DatabaseValueConvertible>(_ key: Key) throws -> T {
        guard let index = index(key) else { throw missing(key) }
        if let value = T.fromColumn(row.column(atUncheckedIndex: index)) { return value }
        throw row.decodingError(T.self, at: index)
    }

    private func valueIfPresent<T: DatabaseValueConvertible>(_ key: Key) throws -> T? {
        guard let index = index(key) else { return nil }
        let column = row.column(atUncheckedIndex: index)
        if let value = T.fromColumn(column) { return value }
        if column.isNull { return nil }
        throw row.decodingError(T.self, at: index)
    }

    private func missing(_ key: Key) -> any Error { row.missingColumnError(key.stringValue) }

    func decodeNil(forKey key: Key) throws -> Bool {
        if let index = index(key) { return row.column(atUncheckedIndex: index).isNull }
        if let scope = row.scopes[key.stringValue] { return !scope.containsNonNullValue }
        return row.prefetchedRows[key.stringValue] == nil
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key) }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try valueIfPresent(key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try valueIfPresent(key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if let index = index(key) { return try PropertyDecoding<Record>(row, index).decode(type) }
        if let scope = row.scopesTree[key.stringValue] { return try decode(type, fromScope: scope) }
        if let rows = row.prefetchedRows[key.stringValue] {
            return try T(from: PrefetchedRowsDecoder<Record>(rows: rows, path: key.stringValue))
        }
        // A record that is a part of another one decodes from the same row.
        if let type = type as? any (FetchableRecord & Decodable).Type { return try type.init(row: row) as! T }
        throw missing(key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        if let index = index(key) {
            return row.column(atUncheckedIndex: index).isNull
                ? nil : try PropertyDecoding<Record>(row, index).decode(type)
        }
        if let scope = row.scopesTree[key.stringValue] {
            return scope.containsNonNullValue ? try decode(type, fromScope: scope) : nil
        }
        return row.prefetchedRows[key.stringValue] == nil ? nil : try decode(type, forKey: key)
    }

    private func decode<T: Decodable>(_ type: T.Type, fromScope scope: Row) throws -> T {
        if let type = type as? any FetchableRecord.Type { return try type.init(row: scope) as! T }
        return try RecordDecoder<Record>.decode(type, from: scope)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        guard let scope = row.scopesTree[key.stringValue] else { throw missing(key) }
        return KeyedDecodingContainer(RecordKeyedDecodingContainer<Record, NestedKey>(row: scope))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        guard let rows = row.prefetchedRows[key.stringValue] else { throw missing(key) }
        return PrefetchedRowsContainer<Record>(rows: rows, path: key.stringValue)
    }

    func superDecoder() -> any Decoder { RecordDecoder<Record>(row: row) }
    func superDecoder(forKey key: Key) -> any Decoder { RecordDecoder<Record>(row: row.scopes[key.stringValue] ?? row) }
}

extension DatabaseColumnDecodingStrategy {
    /// The columns of coding keys, nil if columns and keys have the same names.
    func columns(of row: Row) -> [String: String]? {
        switch self {
        case .useDefaultKeys: nil
        case .convertFromSnakeCase: Dictionary(row.columnNames.map { ($0.camelCased, $0) }) { first, _ in first }
        case .custom(let key): Dictionary(row.columnNames.map { (key($0).stringValue, $0) }) { first, _ in first }
        }
    }
}

extension DatabaseValueConvertible {
    fileprivate static func decodeColumn(_ row: Row, _ index: Int) throws -> Self {
        try row.decode(Self.self, atIndex: index)
    }
}

/// How one property of a record decodes from its column.
struct PropertyDecoding<Record: FetchableRecord> {
    let row: Row
    let index: Int

    init(_ row: Row, _ index: Int) {
        self.row = row
        self.index = index
    }

    private var column: ColumnValue { row.column(atUncheckedIndex: index) }
    private var name: String { row.layout.names[index] }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if T.self == Date.self { return try date() as! T }
        if T.self == Data.self { return try data() as! T }
        if let type = type as? any DatabaseValueConvertible.Type { return try type.decodeColumn(row, index) as! T }
        do {
            return try T(from: SingleValueDecoder<Record>(property: self))
        } catch is JSONRequired {
            guard let data = column.data else { throw row.decodingError(T.self, at: index) }
            do {
                return try Record.databaseJSONDecoder(for: name).decode(T.self, from: data)
            } catch {
                throw RowDecodingError(
                    reason: "could not decode \(T.self) from JSON \(column.databaseValue.shortDescription): \(error)",
                    column: name, columnIndex: index, databaseValue: column.databaseValue, sql: row.statement?.sql)
            }
        }
    }

    private func date() throws -> Date {
        if let date = Record.databaseDateDecodingStrategy(for: name).decode(column) { return date }
        throw row.decodingError(Date.self, at: index)
    }

    private func data() throws -> Data {
        let data: Data? = switch Record.databaseDataDecodingStrategy(for: name) {
        case .deferredToData: Data.fromColumn(column)
        case .custom(let decode): column.isNull ? nil : decode(column.databaseValue)
        }
        if let data { return data }
        throw row.decodingError(Data.self, at: index)
    }

    fileprivate var isNull: Bool { column.isNull }
    fileprivate func value<T: DatabaseValueConvertible>() throws -> T { try T.decodeColumn(row, index) }
}

/// A property asks for a container: its column holds JSON.
private struct JSONRequired: Error {}

/// A decoder that has a single value, the column, and nothing else.
private struct SingleValueDecoder<Record: FetchableRecord>: Decoder, SingleValueDecodingContainer {
    let property: PropertyDecoding<Record>
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { Record.databaseDecodingUserInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw JSONRequired()
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw JSONRequired() }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { property.isNull }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try property.decode(type) }
}

/// The decoder of prefetched rows: an array of records.
private struct PrefetchedRowsDecoder<Record: FetchableRecord>: Decoder {
    let rows: [Row]
    let path: String
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { Record.databaseDecodingUserInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw DecodingError.typeMismatch(
            [Row].self, .init(codingPath: [], debugDescription: "\(path) has several rows: decode an array"))
    }
    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        PrefetchedRowsContainer<Record>(rows: rows, path: path)
    }
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw DecodingError.typeMismatch(
            [Row].self, .init(codingPath: [], debugDescription: "\(path) has several rows: decode an array"))
    }
}

private struct PrefetchedRowsContainer<Record: FetchableRecord>: UnkeyedDecodingContainer {
    let rows: [Row]
    let path: String
    var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { rows.count }
    var isAtEnd: Bool { currentIndex == rows.count }

    init(rows: [Row], path: String) {
        self.rows = rows
        self.path = path
    }

    private mutating func nextRow() throws -> Row {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Row.self, .init(codingPath: [], debugDescription: "\(path) has \(rows.count) rows"))
        }
        defer { currentIndex += 1 }
        return rows[currentIndex]
    }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let row = try nextRow()
        if let type = type as? any FetchableRecord.Type { return try type.init(row: row) as! T }
        return try RecordDecoder<Record>.decode(type, from: row)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RecordKeyedDecodingContainer<Record, Key>(row: try nextRow()))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            [Row].self, .init(codingPath: [], debugDescription: "a row of \(path) can't be decoded as an array"))
    }

    mutating func superDecoder() throws -> any Decoder { RecordDecoder<Record>(row: try nextRow()) }
}
