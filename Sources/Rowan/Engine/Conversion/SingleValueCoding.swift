// Codable types that encode a single value take the database form of that value: a wrapper around a UUID is stored as a
// UUID. Types that request a container of several values are stored as JSON.

/// Thrown when a type requests a container.
private struct JSONRequired: Error {}

/// An encoder that accepts only a single value.
package final class SingleValueEncoder: Encoder, SingleValueEncodingContainer {
    package let codingPath: [any CodingKey]
    /// The information of the JSON encoder, which may have to encode the type. Most types don't read it.
    package var userInfo: [CodingUserInfoKey: Any] { information() }
    private let information: () -> [CodingUserInfoKey: Any]
    private let store: (any Encodable) throws -> DatabaseValue?
    private var value: DatabaseValue?
    private var needsJSON = false

    private init(
        _ codingPath: [any CodingKey], _ userInfo: @escaping () -> [CodingUserInfoKey: Any],
        _ store: @escaping (any Encodable) throws -> DatabaseValue?
    ) {
        (self.codingPath, self.information, self.store) = (codingPath, userInfo, store)
    }

    /// The stored value of a type that encodes a single value; nil if the type needs JSON.
    ///
    /// - Parameters:
    ///   - userInfo: the information for the type, evaluated if the type reads it.
    ///   - store: returns the stored form of the encoded value; nil if it needs JSON.
    /// - Throws: the type's error.
    package static func value(
        of value: some Encodable, at codingPath: [any CodingKey] = [],
        userInfo: @escaping @autoclosure () -> [CodingUserInfoKey: Any],
        store: @escaping (any Encodable) throws -> DatabaseValue?
    ) throws -> DatabaseValue? {
        let encoder = SingleValueEncoder(codingPath, userInfo, store)
        do { try value.encode(to: encoder) } catch is JSONRequired { return nil }
        // The type may have caught the error.
        return encoder.needsJSON ? nil : encoder.value
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        needsJSON = true
        return KeyedEncodingContainer(RefusingKeyedContainer<Key>(JSONRequired()))
    }
    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        needsJSON = true
        return RefusingContainer(JSONRequired())
    }
    package func singleValueContainer() -> any SingleValueEncodingContainer { self }

    package func encodeNil() { value = .null }
    package func encode<T: Encodable>(_ value: T) throws {
        guard let stored = try store(value) else {
            needsJSON = true
            throw JSONRequired()
        }
        self.value = stored
    }
}

/// A stored value decoded by a single-value container.
package protocol SingleValueSource {
    /// Whether the value is NULL.
    var isNull: Bool { get }
    /// The value as a JSON text; nil if only a JSONDecoder can decode it.
    func jsonDocument() -> JSONDocument?
    /// The information for the decoder of the JSON text, which may have to decode the type.
    var userInfo: [CodingUserInfoKey: Any] { get }
    /// Converts the value to a type.
    func decode<T: Decodable>(_ type: T.Type, in decoder: SingleValueDecoder<Self>) throws -> T
}

/// A decoder of a single value, or of a JSON text if the type requests another container first.
package final class SingleValueDecoder<Source: SingleValueSource>: Decoder, SingleValueDecodingContainer {
    private let source: Source
    private let path: CodingPath?
    private var needsJSON = false
    private var hasOfferedValue = false
    /// The decoder of the JSON text, if the type decodes it.
    private var json: JSONValueDecoder?
    /// Computed because most types don't read it.
    package var userInfo: [CodingUserInfoKey: Any] { source.userInfo }
    package var codingPath: [any CodingKey] { json == nil ? path.keys : [] }

    private init(_ source: Source, _ path: CodingPath?) {
        (self.source, self.path) = (source, path)
    }

    /// Decodes a type from a single value or from JSON. Returns nil if the type needs a JSONDecoder.
    ///
    /// - Throws: the type's error.
    package static func decode<T: Decodable>(
        _ type: T.Type, from source: Source, at path: CodingPath? = nil
    ) throws -> T? {
        let decoder = SingleValueDecoder(source, path)
        do {
            let value = try T(from: decoder)
            // The type may have caught the error and tried another container.
            return decoder.needsJSON || decoder.json?.document.needsFoundation == true ? nil : value
        } catch {
            // The JSONDecoder determines what is wrong with a text.
            if decoder.needsJSON || decoder.json != nil { return nil }
            throw error
        }
    }

    /// The decoder of the JSON text, for a type that requests a container of several values.
    ///
    /// - Throws: `JSONRequired` if a JSONDecoder must decode the text, or if the type has already read it as a value.
    private func jsonDecoder() throws -> JSONValueDecoder {
        if let json { return json }
        guard !hasOfferedValue, !needsJSON, let document = source.jsonDocument() else {
            needsJSON = true
            throw JSONRequired()
        }
        let decoder = JSONValueDecoder(document: document, index: 0, path: nil)
        json = decoder
        return decoder
    }

    /// Decodes part of a type from the same value.
    package func decodePart<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try jsonDecoder().container(keyedBy: type)
    }
    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try jsonDecoder().unkeyedContainer() }
    package func singleValueContainer() -> any SingleValueDecodingContainer {
        if let json { return json }
        hasOfferedValue = true
        return self
    }

    package func decodeNil() -> Bool { source.isNull }
    package func decode<T: Decodable>(_ type: T.Type) throws -> T { try source.decode(type, in: self) }
}

/// A database value, and the type whose JSON it may contain.
struct JSONDatabaseValue: SingleValueSource {
    let value: DatabaseValue
    let type: any DatabaseValueConvertible.Type
    /// Created only for JSON, because most types decode a single value.
    var json: JSONColumnDecoder { JSONColumnDecoder(type.databaseJSONDecoder()) }
    var isNull: Bool { value.isNull }

    var userInfo: [CodingUserInfoKey: Any] { json.userInfo }

    func jsonDocument() -> JSONDocument? { json.document(.owned(value, strict: false)) }

    func decode<T: Decodable>(_ type: T.Type, in decoder: SingleValueDecoder<Self>) throws -> T {
        guard let type = type as? any DatabaseValueConvertible.Type else { return try decoder.decodePart(type) }
        if let value = type.fromDatabaseValue(value) as? T { return value }
        throw DecodingError.typeMismatch(
            T.self, .init(codingPath: [], debugDescription: "could not decode \(T.self) from \(value.errorOutline)")
        )
    }
}
