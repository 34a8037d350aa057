// A decoder that records what a Decodable record decodes: keys, types, and which of them may be missing.

/// The recording of what a record decodes.
final class RecordRecording {
    let placeholders: Placeholders
    let record: any (FetchableRecord & Decodable).Type
    /// The columns of the table.
    let columns: [String]
    private(set) var properties: [RecordShape.Property] = []

    init(_ record: any (FetchableRecord & Decodable).Type, columns: [String], guess: Int) {
        (self.record, self.columns) = (record, columns)
        placeholders = Placeholders(guess: guess)
    }

    /// Records a key and returns its placeholder.
    func value<T: Decodable>(_ type: T.Type, _ key: some CodingKey, isOptional: Bool) throws -> T {
        note(type, key, isOptional: isOptional)
        return try placeholders.value(of: type)
    }

    func note(_ type: any Any.Type, _ key: some CodingKey, isOptional: Bool) {
        let key = key.stringValue
        let wrapped = (type as? any OptionalType.Type)?.wrapped
        if let index = properties.firstIndex(where: { $0.key == key }) {
            if type != Never.self { properties[index].type = wrapped ?? type }
            properties[index].isOptional = properties[index].isOptional || isOptional || wrapped != nil
            return
        }
        let column = record.databaseColumnDecodingStrategy.column(ofKey: key, among: columns)
        properties.append(
            RecordShape.Property(
                key: key, column: column, type: wrapped ?? type, isOptional: isOptional || wrapped != nil))
    }
}

extension DatabaseColumnDecodingStrategy {
    /// The column of a key: a column of the table, or the name that the table's column should have.
    fileprivate func column(ofKey key: String, among columns: [String]) -> String {
        let exact = columns.first { keys($0).contains(key) }
        if let column = exact ?? columns.first(where: { keys($0).contains { $0.isSameDatabaseName(as: key) } }) {
            return column
        }
        return switch self {
        case .useDefaultKeys, .custom: key
        case .convertFromSnakeCase: key.snakeCased
        }
    }
}

/// An optional with any wrapped type.
protocol OptionalType {
    static var wrapped: any Any.Type { get }
    /// Nil.
    static var none: Self { get }
}

extension Optional: OptionalType {
    static var wrapped: any Any.Type { Wrapped.self }
}

struct RecordingDecoder: Decoder {
    let recording: RecordRecording
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { recording.record.databaseDecodingUserInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RecordingKeyedContainer(recording: recording))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            recording.record, .init(codingPath: [], debugDescription: "a row can't be decoded as an array"))
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { RecordingSingleValueContainer(decoder: self) }
}

/// A record that decodes itself from another record has the columns of that record.
private struct RecordingSingleValueContainer: SingleValueDecodingContainer {
    let decoder: RecordingDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: decoder) }
}

private struct RecordingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recording: RecordRecording
    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        recording.columns.flatMap(recording.record.databaseColumnDecodingStrategy.keys)
            .compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool {
        recording.note(Never.self, key, isOptional: true)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        recording.note(Never.self, key, isOptional: true)
        return false
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try recording.value(type, key, isOptional: false)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) -> T? {
        try? recording.value(type, key, isOptional: true)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw nested(key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw nested(key) }

    /// The containers of associated rows.
    private func nested(_ key: Key) -> any Error {
        DecodingError.dataCorruptedError(
            forKey: key, in: self, debugDescription: "a nested container needs the rows of an association")
    }

    func superDecoder() -> any Decoder { RecordingDecoder(recording: recording) }
    func superDecoder(forKey key: Key) -> any Decoder { superDecoder() }
}
