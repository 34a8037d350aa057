// Encoding containers that reject all values. Encodable's protocols can't throw an error when they provide a container,
// so the error is thrown for the first value.

/// Rejects scalars with an error.
package protocol ThrowingScalars {
    var refusal: String { get }
}

extension ThrowingScalars {
    package func refused() -> any Error { refusal.encodingError }

    package func encode(_ value: Bool) throws { throw refused() }
    package func encode(_ value: String) throws { throw refused() }
    package func encode(_ value: Double) throws { throw refused() }
    package func encode(_ value: Float) throws { throw refused() }
    package func encode(_ value: Int) throws { throw refused() }
    package func encode(_ value: Int8) throws { throw refused() }
    package func encode(_ value: Int16) throws { throw refused() }
    package func encode(_ value: Int32) throws { throw refused() }
    package func encode(_ value: Int64) throws { throw refused() }
    package func encode(_ value: UInt) throws { throw refused() }
    package func encode(_ value: UInt8) throws { throw refused() }
    package func encode(_ value: UInt16) throws { throw refused() }
    package func encode(_ value: UInt32) throws { throw refused() }
    package func encode(_ value: UInt64) throws { throw refused() }
}

extension String {
    package var encodingError: any Error {
        EncodingError.invalidValue(self, EncodingError.Context(codingPath: [], debugDescription: self))
    }
}

/// Rejects an array.
package struct RefusingContainer: UnkeyedEncodingContainer, Encoder, SingleValueEncodingContainer {
    private let error: any Error

    package init(_ error: any Error) { self.error = error }
    package init(_ message: String) { error = message.encodingError }

    package var codingPath: [any CodingKey] { [] }
    package var userInfo: [CodingUserInfoKey: Any] { [:] }
    package var count: Int { 0 }

    package func encodeNil() throws { throw error }
    package func encode<T: Encodable>(_ value: T) throws { throw error }
    package func nestedContainer<K: CodingKey>(keyedBy keyType: K.Type) -> KeyedEncodingContainer<K> {
        KeyedEncodingContainer(RefusingKeyedContainer<K>(error))
    }
    package func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    package func superEncoder() -> any Encoder { self }
    package func container<K: CodingKey>(keyedBy type: K.Type) -> KeyedEncodingContainer<K> {
        nestedContainer(keyedBy: type)
    }
    package func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    package func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

/// Rejects a dictionary.
package struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let error: any Error

    package init(_ error: any Error) { self.error = error }
    package init(_ message: String) { error = message.encodingError }

    package var codingPath: [any CodingKey] { [] }

    package func encodeNil(forKey key: Key) throws { throw error }
    package func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw error }
    package func nestedContainer<K: CodingKey>(keyedBy keyType: K.Type, forKey key: Key) -> KeyedEncodingContainer<K> {
        KeyedEncodingContainer(RefusingKeyedContainer<K>(error))
    }
    package func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingContainer(error) }
    package func superEncoder() -> any Encoder { RefusingContainer(error) }
    package func superEncoder(forKey key: Key) -> any Encoder { RefusingContainer(error) }
}
