// Encoding containers that refuse all values. The protocols of Encodable can't throw an error when they provide a
// container, so the error is thrown for the first value.

/// Refuses scalars with an error.
protocol ThrowingScalars {
    var refusal: String { get }
}

extension ThrowingScalars {
    func refused() -> any Error { refusal.encodingError }

    func encode(_ value: Bool) throws { throw refused() }
    func encode(_ value: String) throws { throw refused() }
    func encode(_ value: Double) throws { throw refused() }
    func encode(_ value: Float) throws { throw refused() }
    func encode(_ value: Int) throws { throw refused() }
    func encode(_ value: Int8) throws { throw refused() }
    func encode(_ value: Int16) throws { throw refused() }
    func encode(_ value: Int32) throws { throw refused() }
    func encode(_ value: Int64) throws { throw refused() }
    func encode(_ value: UInt) throws { throw refused() }
    func encode(_ value: UInt8) throws { throw refused() }
    func encode(_ value: UInt16) throws { throw refused() }
    func encode(_ value: UInt32) throws { throw refused() }
    func encode(_ value: UInt64) throws { throw refused() }
}

extension String {
    var encodingError: any Error {
        EncodingError.invalidValue(self, EncodingError.Context(codingPath: [], debugDescription: self))
    }
}

/// Refuses an array.
struct RefusingContainer: UnkeyedEncodingContainer, Encoder, SingleValueEncodingContainer {
    private let error: any Error

    init(_ error: any Error) { self.error = error }
    init(_ message: String) { error = message.encodingError }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var count: Int { 0 }

    func encodeNil() throws { throw error }
    func encode<T: Encodable>(_ value: T) throws { throw error }
    func nestedContainer<K: CodingKey>(keyedBy keyType: K.Type) -> KeyedEncodingContainer<K> {
        KeyedEncodingContainer(RefusingKeyedContainer<K>(error))
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { self }
    func container<K: CodingKey>(keyedBy type: K.Type) -> KeyedEncodingContainer<K> {
        nestedContainer(keyedBy: type)
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

/// Refuses a dictionary.
struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let error: any Error

    init(_ error: any Error) { self.error = error }
    init(_ message: String) { error = message.encodingError }

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { throw error }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw error }
    func nestedContainer<K: CodingKey>(keyedBy keyType: K.Type, forKey key: Key) -> KeyedEncodingContainer<K> {
        KeyedEncodingContainer(RefusingKeyedContainer<K>(error))
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingContainer(error) }
    func superEncoder() -> any Encoder { RefusingContainer(error) }
    func superEncoder(forKey key: Key) -> any Encoder { RefusingContainer(error) }
}
