// The container of a JSON object. A class, because the standard library copies the container for each key.

final class JSONKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let document: JSONDocument
    /// The index of the object's node.
    private let object: Int
    private let path: CodingPath?
    /// The values of the keys of a large object.
    private let values: [String: Int]?
    var codingPath: [any CodingKey] { path.keys }

    /// Larger objects are searched by hash value.
    private static var searchedCount: Int { 16 }

    /// - Throws: a `DecodingError` for a value that is not an object.
    init(_ document: JSONDocument, _ index: Int, _ path: CodingPath?) throws {
        let node = document.nodes[index]
        guard node.kind == .object else { throw document.mismatch([String: Any].self, at: index, path) }
        (self.document, object, self.path) = (document, index, path)
        values =
            node.start > Self.searchedCount
            ? Dictionary(document.pairs(of: index).map { ($0.key, $0.value) }) { first, _ in first } : nil
    }

    var allKeys: [Key] { document.pairs(of: object).compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    @inline(__always)
    private func find(_ key: Key) -> Int? {
        values == nil ? document.value(of: key.stringValue, in: object) : values?[key.stringValue]
    }

    @inline(__always)
    private func value(_ key: Key) throws -> Int {
        if let index = find(key) { return index }
        throw missing(key)
    }

    /// The value of a key, unless the key is missing or its value is null.
    @inline(__always)
    private func valueIfPresent(_ key: Key) -> Int? {
        guard let index = find(key), document.nodes[index].kind != .null else { return nil }
        return index
    }

    private func missing(_ key: Key) -> any Error {
        DecodingError.keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "the object has no key '\(key.stringValue)'"))
    }

    private func path(to key: Key) -> CodingPath { CodingPath(path, key) }

    func decodeNil(forKey key: Key) throws -> Bool { document.nodes[try value(key)].kind == .null }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try document.bool(at: value(key), path(to: key))
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try document.string(at: value(key), path(to: key))
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try document.double(at: value(key), path(to: key))
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try document.float(type, at: value(key), path(to: key))
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try document.integer(type, at: value(key), path(to: key))
    }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try document.integer(type, at: value(key), path(to: key))
    }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try document.integer(type, at: value(key), path(to: key))
    }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try document.integer(type, at: value(key), path(to: key))
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try document.integer(type, at: value(key), path(to: key))
    }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try document.integer(type, at: value(key), path(to: key))
    }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try document.integer(type, at: value(key), path(to: key))
    }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try document.integer(type, at: value(key), path(to: key))
    }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try document.integer(type, at: value(key), path(to: key))
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try document.integer(type, at: value(key), path(to: key))
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try document.integer(type, at: value(key), path(to: key))
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try document.integer(type, at: value(key), path(to: key))
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try valueIfPresent(key).map { try document.bool(at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try valueIfPresent(key).map { try document.string(at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try valueIfPresent(key).map { try document.double(at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try valueIfPresent(key).map { try document.float(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try valueIfPresent(key).map { try document.integer(type, at: $0, path(to: key)) }
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try document.decode(type, at: value(key), path(to: key))
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try valueIfPresent(key).map { try document.decode(type, at: $0, path(to: key)) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        KeyedDecodingContainer(try JSONKeyedContainer<NestedKey>(document, value(key), path(to: key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try JSONUnkeyedContainer(document, value(key), path(to: key))
    }

    func superDecoder() throws -> any Decoder { throw document.leftToFoundation((any Decoder).self, path) }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        // JSONDecoder decides how to treat a missing key.
        guard let index = find(key) else { throw document.leftToFoundation((any Decoder).self, path(to: key)) }
        return JSONValueDecoder(document: document, index: index, path: path(to: key))
    }
}
