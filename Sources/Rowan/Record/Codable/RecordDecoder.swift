// Decodable records: a keyed container over a row. Columns are usually in the order of the coding keys, so one
// comparison finds each of them. A property that is not a value is decoded from JSON, from a scope of the row, or from
// prefetched rows.

extension FetchableRecord where Self: Decodable {
    /// Decodes the coding keys from the columns with their names.
    public init(row: Row) throws { self = try RecordDecoder(record: Self.self, row: row).decode(Self.self) }
}

/// A decoder of Decodable records from rows.
///
/// ```swift
/// let player = try FetchableRecordDecoder().decode(Player.self, from: row)
/// ```
open class FetchableRecordDecoder {
    /// Creates a decoder.
    public init() {}

    /// Decodes a record from a row.
    ///
    /// - Throws: a ``RowDecodingError``, or an error of the record.
    open func decode<T: FetchableRecord & Decodable>(_ type: T.Type, from row: Row) throws -> T {
        try RecordDecoder(record: T.self, row: row).decode(type)
    }
}

/// The decoder of a Decodable record. Its strategies are those of the fetched record.
struct RecordDecoder: Decoder {
    /// Not a generic parameter, because the metadata of generic types is looked up at each use.
    let record: any FetchableRecord.Type
    let row: Row
    /// The position of the row in the record; nil for the record itself.
    var path: CodingPath?
    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { record.databaseDecodingUserInfo }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }

    /// Decodes a row of an association. A value is decoded like a property stored in the first column. In an associated
    /// row of one column, a type with keys is also a value.
    func decodeAssociated<T: Decodable>(_ type: T.Type) throws -> T {
        let isValue =
            row.count == 1 ? type is any DatabaseValueConvertible.Type : type is any StatementColumnConvertible.Type
        // An optional decodes its wrapped value.
        if isValue, !(type is any ExpressibleByNilLiteral.Type) { return try decodeFirstColumn(type) }
        do { return try decode(type) } catch { throw RowDecodingError.naming(type, error) }
    }

    /// Decodes a value from the first column, with the strategies of the record.
    fileprivate func decodeFirstColumn<T: Decodable>(_ type: T.Type) throws -> T {
        guard row.count > 0 else { throw row.missingColumnError(codingPath.last?.stringValue ?? "") }
        return try PropertyDecoding(record, row, 0).decode(type, at: CodingPath(path, PlainCodingKey(intValue: 0)))
    }

    /// The decoder of another row, with the strategies of the same record.
    func on(_ row: Row, _ path: CodingPath?) -> RecordDecoder { RecordDecoder(record: record, row: row, path: path) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        if let memory = row.memory {
            let owner = RowMemory.Owner(record: record, key: type)
            memory.endClaim(of: owner)
            if let kept = memory.container(of: owner, at: path) { return kept.container(keyedBy: type) }
        }
        return newContainer(keyedBy: type)
    }

    @inline(never)
    private func newContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        let container = KeyedDecodingContainer(RecordKeyedDecodingContainer<Key>(self))
        if row.isMoved { row.remembering().keep(container, of: record, at: path) }
        return container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            record, .init(codingPath: codingPath, debugDescription: "a row can't be decoded as an array"))
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { RecordSingleValueDecoding(decoder: self) }
}

/// A record that decodes itself from another record, or from the first column.
private struct RecordSingleValueDecoding: SingleValueDecodingContainer {
    let decoder: RecordDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { !decoder.row.containsNonNullValue }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        // A record decodes itself from the row, even in a wrapper.
        if let record = type as? any FetchableRecord.Type { return try record.element(of: decoder.row, as: type) }
        if type is any DatabaseValueConvertible.Type { return try decoder.decodeFirstColumn(type) }
        return try decoder.decode(type)
    }
}

/// A class, because the standard library copies the container for each key: a single reference is the least it can
/// retain.
final class RecordKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let record: any FetchableRecord.Type
    let row: Row
    private let path: CodingPath?
    /// Whether columns have the names of their keys.
    private let hasDefaultKeys: Bool

    init(_ decoder: RecordDecoder) {
        record = decoder.record
        row = decoder.row
        path = decoder.path
        hasDefaultKeys = record.databaseColumnDecodingStrategy.isDefault
    }

    var codingPath: [any CodingKey] { path.keys }

    var owner: RowMemory.Owner { RowMemory.Owner(record: record, key: Key.self) }

    private var decoder: RecordDecoder { RecordDecoder(record: record, row: row, path: path) }

    private func path(to key: Key) -> CodingPath { CodingPath(path, key) }

    /// A part of the record, stored for the next rows if the row object moves to them.
    func keptPart(_ key: Key, _ type: any Any.Type, scope: Row?) -> RecordPart {
        let part = RecordPart(key, type, of: owner, scope: scope, path: path)
        row.keep(part)
        return part
    }

    var allKeys: [Key] {
        let names = hasDefaultKeys ? Array(row.columnNames) : Array(row.codingColumns(of: record).keys)
        let keys = names + row.scopes.names + row.prefetchedRows.keys
        return Set(keys).compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool {
        index(key) != nil || row.scopes[key.stringValue] != nil || row.prefetchedTree?[key.stringValue] != nil
    }

    @inline(__always)
    private func index(_ key: Key) -> Int? {
        if hasDefaultKeys { return row.index(ofColumn: key.stringValue) }
        return row.codingColumns(of: record)[key.stringValue].flatMap { row.index(ofColumn: $0) }
    }

    // Inlined for each type. Otherwise, the metadata of its optional is looked up for each value (benchmark
    // fetch-codable).
    @inline(__always)
    private func value<T: DatabaseValueConvertible>(_ key: Key) throws -> T {
        guard let index = index(key) else { throw missing(key) }
        if index < row.liveCount {
            if let value = T.fromColumn(row.liveColumn(index)) { return value }
        } else if let value = T.fromColumn(row.column(atUncheckedIndex: index)) {
            return value
        }
        throw row.decodingError(T.self, at: index)
    }

    @inline(__always)
    private func valueIfPresent<T: DatabaseValueConvertible>(_ key: Key) throws -> T? {
        guard let index = index(key) else { return nil }
        if index < row.liveCount {
            if let value = T.fromColumn(row.liveColumn(index)) { return value }
        } else if let value = T.fromColumn(row.column(atUncheckedIndex: index)) {
            return value
        }
        if row.column(atUncheckedIndex: index).isNull { return nil }
        throw row.decodingError(T.self, at: index)
    }

    private func missing(_ key: Key) -> any Error { row.missingColumnError(key.stringValue) }

    func decodeNil(forKey key: Key) throws -> Bool {
        if let index = index(key) { return row.column(atUncheckedIndex: index).isNull }
        if let scope = row.scopes[key.stringValue] { return !scope.containsNonNullValue }
        return row.prefetchedTree?[key.stringValue] == nil
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
        if let part = row.keptPart(key.stringValue, type, of: owner) {
            guard part.scope == nil else { return try decode(type, part) }
            try claimBase(key, type)
            return try releasingBase { try decode(type, part) }
        }
        if let index = index(key) { return try PropertyDecoding(record, row, index).decode(type, at: path(to: key)) }
        if let scope = row.scopesTree[key.stringValue] {
            return try decode(type, keptPart(key, type, scope: scope))
        }
        if let rows = row.prefetchedTree?[key.stringValue] {
            let decoder = decoder.on(row, path(to: key))
            return try T(from: PrefetchedRowsDecoder(decoder: decoder, rows: rows, name: key.stringValue))
        }
        // A record that is a part of another one is decoded from the same row.
        return try decodeBase(type, key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        if let part = row.keptPart(key.stringValue, type, of: owner), let scope = part.scope {
            return scope.holds(type) ? try decode(type, part) : nil
        }
        if let index = index(key) {
            return row.column(atUncheckedIndex: index).isNull
                ? nil : try PropertyDecoding(record, row, index).decodeIfPresent(type, at: path(to: key))
        }
        if let scope = row.scopesTree[key.stringValue] {
            let part = keptPart(key, type, scope: scope)
            return scope.holds(type) ? try decode(type, part) : nil
        }
        return row.prefetchedTree?[key.stringValue] == nil ? nil : try decode(type, forKey: key)
    }

    func decode<T: Decodable>(_ type: T.Type, _ part: RecordPart) throws -> T {
        if let record = part.record { return try record.element(of: part.scope ?? row, as: type) }
        guard let scope = part.scope else { return try decoder.on(row, part.path).decode(type) }
        return try decoder.on(scope, part.path).decodeAssociated(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        guard let scope = row.scopesTree[key.stringValue] else { throw missing(key) }
        return KeyedDecodingContainer(RecordKeyedDecodingContainer<NestedKey>(decoder.on(scope, path(to: key))))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        guard let rows = row.prefetchedTree?[key.stringValue] else { throw missing(key) }
        return PrefetchedRowsContainer(decoder: decoder.on(row, path(to: key)), rows: rows, name: key.stringValue)
    }

    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder { decoder.on(row.scopes[key.stringValue] ?? row, path(to: key)) }
}

extension Row {
    /// The columns of a record's coding keys, stored because they depend only on the layout.
    fileprivate func codingColumns(of record: any FetchableRecord.Type) -> [String: String] {
        let id = ObjectIdentifier(record)
        if let columns = memory?.columns(of: id) { return columns }
        let columns = record.databaseColumnDecodingStrategy.columns(of: self)
        remembering().keep(columns, of: id)
        return columns
    }
}

extension DatabaseColumnDecodingStrategy {
    /// Whether columns have the names of their coding keys.
    fileprivate var isDefault: Bool {
        switch self {
        case .useDefaultKeys: true
        case .convertFromSnakeCase, .custom: false
        }
    }

    /// The columns of coding keys.
    fileprivate func columns(of row: Row) -> [String: String] {
        let names = row.layout.names.flatMap { column in keys(column).map { ($0, column) } }
        return Dictionary(names) { first, _ in first }
    }

    /// The possible coding keys of a column.
    func keys(_ column: String) -> [String] {
        switch self {
        case .useDefaultKeys: [column]
        // `TEAM_ID` may be `teamId` or `teamID`.
        case .convertFromSnakeCase where !column.contains(where: \.isLowercase):
            [column.lowercased().camelCased, column.camelCased]
        case .convertFromSnakeCase: [column.camelCased]
        case .custom(let key): [key(column).stringValue]
        }
    }

    func hasKey<Key: CodingKey>(_ column: String, of type: Key.Type) -> Bool {
        keys(column).contains { Key(stringValue: $0) != nil }
    }
}
