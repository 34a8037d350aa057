// The decoders of a JSON text. They are created for each value, so they are small structs that fit inline in
// existential containers.

/// The decoder of a value.
struct JSONValueDecoder: Decoder {
    let document: JSONDocument
    let index: Int
    let path: CodingPath?
    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { document.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try JSONKeyedContainer<Key>(document, index, path))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try JSONUnkeyedContainer(document, index, path) }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { document.nodes[index].kind == .null }

    func decode(_ type: Bool.Type) throws -> Bool { try document.bool(at: index, path) }
    func decode(_ type: String.Type) throws -> String { try document.string(at: index, path) }
    func decode(_ type: Double.Type) throws -> Double { try document.double(at: index, path) }
    func decode(_ type: Float.Type) throws -> Float { try document.float(type, at: index, path) }
    func decode(_ type: Int.Type) throws -> Int { try document.integer(type, at: index, path) }
    func decode(_ type: Int8.Type) throws -> Int8 { try document.integer(type, at: index, path) }
    func decode(_ type: Int16.Type) throws -> Int16 { try document.integer(type, at: index, path) }
    func decode(_ type: Int32.Type) throws -> Int32 { try document.integer(type, at: index, path) }
    func decode(_ type: Int64.Type) throws -> Int64 { try document.integer(type, at: index, path) }
    func decode(_ type: Int128.Type) throws -> Int128 { try document.integer(type, at: index, path) }
    func decode(_ type: UInt.Type) throws -> UInt { try document.integer(type, at: index, path) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try document.integer(type, at: index, path) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try document.integer(type, at: index, path) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try document.integer(type, at: index, path) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try document.integer(type, at: index, path) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try document.integer(type, at: index, path) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try document.decode(type, at: index, path) }
}

/// The elements of an array.
struct JSONUnkeyedContainer: UnkeyedDecodingContainer {
    private let document: JSONDocument
    private let path: CodingPath?
    private let elementCount: Int
    /// The index of the node of the next element.
    private var next: Int
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { path.keys }
    var count: Int? { elementCount }
    var isAtEnd: Bool { currentIndex == elementCount }

    init(_ document: JSONDocument, _ index: Int, _ path: CodingPath?) throws {
        guard document.nodes[index].kind == .array else { throw document.mismatch([Any].self, at: index, path) }
        (self.document, self.path) = (document, path)
        elementCount = Int(document.nodes[index].start)
        next = index + 1
    }

    private var elementPath: CodingPath { CodingPath(path, PlainCodingKey(intValue: currentIndex)) }

    mutating func decodeNil() throws -> Bool {
        guard document.nodes[try nextIndex(Never.self)].kind == .null else { return false }
        skip()
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try document.decode(type, at: nextIndex(type), elementPath)
        skip()
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try JSONKeyedContainer<Key>(document, nextIndex(type), elementPath)
        skip()
        return KeyedDecodingContainer(container)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try JSONUnkeyedContainer(document, nextIndex([Any].self), elementPath)
        skip()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = JSONValueDecoder(document: document, index: try nextIndex((any Decoder).self), path: elementPath)
        skip()
        return decoder
    }

    private func nextIndex(_ type: any Any.Type) throws -> Int {
        guard isAtEnd else { return next }
        throw DecodingError.valueNotFound(
            type, .init(codingPath: elementPath.keys, debugDescription: "the array has \(elementCount) elements"))
    }

    /// Moves to the next element. An element that throws an error remains the next one.
    private mutating func skip() {
        next = Int(document.nodes[next].next)
        currentIndex += 1
    }
}
