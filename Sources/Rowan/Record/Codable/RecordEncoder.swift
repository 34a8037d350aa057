// Encodable records: a keyed container that sets the columns of a persistence container. Values are stored as database
// values, and all other properties as JSON. All containers of an encoder share their target, so class hierarchies
// encode to a flat record.

import RowanPlatform

extension EncodableRecord where Self: Encodable {
    /// Encodes the coding keys to the columns with their names.
    public func encode(to container: inout PersistenceContainer) throws {
        let encoder = RecordEncoder(Self.self, container)
        try encode(to: encoder)
        container = encoder.container
    }
}

private final class RecordEncoder: Encoder {
    @exclusivity(unchecked) var container: PersistenceContainer
    /// Not a generic parameter, because the metadata of generic types is looked up at each use.
    let record: any EncodableRecord.Type
    private let columnStrategy: DatabaseColumnEncodingStrategy
    private let hasDefaultKeys: Bool

    init(_ record: any EncodableRecord.Type, _ container: PersistenceContainer) {
        self.record = record
        self.container = container
        columnStrategy = record.databaseColumnEncodingStrategy
        hasDefaultKeys = if case .useDefaultKeys = columnStrategy { true } else { false }
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { record.databaseEncodingUserInfo }

    /// Encodes a record that is the whole content of another one.
    func encodeRecord(_ record: some EncodableRecord) throws { try record.encode(to: &container) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RecordKeyedEncodingContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        RefusingContainer("\(record) encodes as an array, and can't be stored in a row: encode keys")
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { RecordSingleValueContainer(encoder: self) }

    @inline(__always)
    func column(_ key: some CodingKey) -> String {
        if hasDefaultKeys { return key.stringValue }
        return customColumn(key)
    }

    private func customColumn(_ key: some CodingKey) -> String {
        switch columnStrategy {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: key.stringValue.snakeCased
        case .custom(let column): column(key)
        }
    }
}

private struct RecordKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { [] }

    @inline(__always)
    private func set(_ value: some DatabaseValueConvertible, _ key: Key) {
        encoder.container.set(encoder.column(key), value.databaseValue)
    }

    @inline(__always)
    private func set(_ value: (some DatabaseValueConvertible)?, _ key: Key) {
        encoder.container.set(encoder.column(key), value?.databaseValue ?? .null)
    }

    func encodeNil(forKey key: Key) { encoder.container.set(encoder.column(key), .null) }

    func encode(_ value: Bool, forKey key: Key) { set(value, key) }
    func encode(_ value: String, forKey key: Key) { set(value, key) }
    func encode(_ value: Double, forKey key: Key) { set(value, key) }
    func encode(_ value: Float, forKey key: Key) { set(value, key) }
    func encode(_ value: Int, forKey key: Key) { set(value, key) }
    func encode(_ value: Int8, forKey key: Key) { set(value, key) }
    func encode(_ value: Int16, forKey key: Key) { set(value, key) }
    func encode(_ value: Int32, forKey key: Key) { set(value, key) }
    func encode(_ value: Int64, forKey key: Key) { set(value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { set(try value.fitting(encoder.column(key)), key) }
    func encode(_ value: UInt8, forKey key: Key) { set(value, key) }
    func encode(_ value: UInt16, forKey key: Key) { set(value, key) }
    func encode(_ value: UInt32, forKey key: Key) { set(value, key) }
    func encode(_ value: UInt64, forKey key: Key) throws { set(try value.fitting(encoder.column(key)), key) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let column = encoder.column(key)
        encoder.container.set(column, try ColumnCoding(record: encoder.record, column: column).encode(value, at: key))
    }

    // Nil is stored as NULL, so that all records of a type have the same columns.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { set(try value?.fitting(encoder.column(key)), key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) { set(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
        set(try value?.fitting(encoder.column(key)), key)
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(
            RefusingKeyedContainer<NestedKey>(refusal(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        RefusingContainer(refusal(key))
    }

    private func refusal(_ key: Key) -> String {
        "nested containers of \(encoder.record) can't be stored in column \(key.stringValue)"
    }

    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// A record that encodes itself as another record and has the columns of that record.
private struct RecordSingleValueContainer: SingleValueEncodingContainer, ThrowingScalars {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { [] }
    var refusal: String { "\(encoder.record) encodes as a single value, and can't be stored in a row: encode keys" }

    func encodeNil() throws { throw refused() }
    func encode<T: Encodable>(_ value: T) throws {
        // A record encodes itself, even in a wrapper.
        if let record = value as? any EncodableRecord { return try encoder.encodeRecord(record) }
        try value.encode(to: encoder)
    }
}

/// Stores a property of a record.
struct ColumnCoding {
    let record: any EncodableRecord.Type
    let column: String

    func encode<T: Encodable>(_ value: T, at key: some CodingKey) throws -> DatabaseValue {
        if let stored = try single(value, at: key) { return stored }
        return try encodeJSON(value)
    }

    func encodeJSON<T: Encodable>(_ value: T) throws -> DatabaseValue {
        let encoder = record.databaseJSONEncoder(for: column)
        let data = try encoder.adding(record.databaseEncodingUserInfo) { try encoder.encode(value) }
        return String(decoding: data, as: UTF8.self).databaseValue
    }

    /// The stored value of a type that encodes a single value; nil if the type needs JSON.
    private func single<T: Encodable>(_ value: T, at key: some CodingKey) throws -> DatabaseValue? {
        // Not `as?`, which searches for a conformance: the types are identical (benchmark insert-place-codable).
        if T.self == Date.self {
            return record.databaseDateEncodingStrategy(for: column).encode(unsafeBitCast(value, to: Date.self))
        }
        if T.self == UInt64.self { return try unsafeBitCast(value, to: UInt64.self).fitting(column).databaseValue }
        if T.self == UInt.self { return try unsafeBitCast(value, to: UInt.self).fitting(column).databaseValue }
        if let value = value as? any DatabaseValueConvertible {
            let stored = record.storedValue(value, forColumn: column)
            // NULL may replace a value that JSON can't represent.
            if stored.isNull { try JSONFailure.check(value) }
            return stored
        }
        return try SingleValueEncoder.value(of: value, at: [key], userInfo: userInfo) {
            try single($0, at: key)
        }
    }

    /// The information of the column's JSON encoder, and that of the record.
    private var userInfo: [CodingUserInfoKey: Any] {
        record.databaseJSONEncoder(for: column).userInfo.adding(record.databaseEncodingUserInfo)
    }
}

extension FixedWidthInteger {
    /// The integer if it fits in SQLite's integers.
    fileprivate func fitting(_ column: String) throws -> Int64 {
        guard let integer = Int64(exactly: self) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH,
                message:
                    "an integer does not fit in column \(column), because SQLite's maximum is \(Int64.max): store it as text"
            )
        }
        return integer
    }
}

extension String {
    /// `teamId` becomes `team_id`, `myURLProperty` becomes `my_url_property`. Words are split as in `JSONEncoder`,
    /// which finds two words in `URL`.
    var snakeCased: String {
        let characters = Array(self)
        var words: [ArraySlice<Character>] = []
        var rest = characters[...]
        while let capital = rest.dropFirst().firstIndex(where: \.isUppercase) {
            words.append(rest[..<capital])
            rest = rest[capital...]
            // The last capital before a lower-case letter begins its word.
            guard let lower = rest.firstIndex(where: \.isLowercase) else { break }
            if lower - 1 > capital { words.append(rest[..<(lower - 1)]) }
            rest = rest[(lower - 1)...]
        }
        return (words + [rest]).map { String($0).lowercased() }.joined(separator: "_")
    }

    /// `team_id` becomes `teamId`. Leading and trailing underscores are preserved.
    var camelCased: String {
        let leading = prefix { $0 == "_" }
        guard leading.count < count else { return self }
        let trailing = String(reversed().prefix { $0 == "_" })
        let words = dropFirst(leading.count).dropLast(trailing.count).split(separator: "_")
        guard let first = words.first else { return self }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return leading + (words.count == 1 ? String(first) : first.lowercased() + rest.joined()) + trailing
    }
}
