// Placeholders for the values of a row, so that a Decodable type can be created without one. A type may reject a
// placeholder; its own error explains why.

import RowanPlatform

/// Invents values of Decodable types.
struct Placeholders {
    /// The first guess is zero and empty text; types that reject it may accept one and a letter.
    let guess: Int
    static let guesses = 0...1

    private var text: String { guess == 0 ? "" : "a" }

    /// A value of a type.
    ///
    /// - Throws: an error of the type.
    func value<T: Decodable>(of type: T.Type) throws -> T {
        if let known = known(type) { return known }
        do {
            return try T(from: PlaceholderDecoder(placeholders: self))
        } catch {
            if let value = converted(type) ?? firstCase(of: type) { return value }
            throw error
        }
    }

    /// A value of a type whose `init(from:)` expects more than zeros.
    private func known<T>(_ type: T.Type) -> T? {
        if let cases = type as? any CaseIterable.Type, let first = cases.first as? T { return first }
        let value: Any? =
            switch type {
            case is Date.Type: Date(timeIntervalSince1970: 0)
            case is Data.Type: Data()
            case is UUID.Type: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            case is Decimal.Type: Decimal(guess)
            case is URL.Type: URL(fileURLWithPath: "/")
            case is DatabaseDateComponents.Type:
                DatabaseDateComponents(DateComponents(year: 1970, month: 1, day: 1), format: .YMD)
            default: nil
            }
        return value as? T
    }

    /// A value that a type makes from a database value.
    private func converted<T>(_ type: T.Type) -> T? {
        guard let type = type as? any DatabaseValueConvertible.Type else { return nil }
        let candidates: [DatabaseValue] = [guess.databaseValue, text.databaseValue, Data().databaseValue]
        return candidates.lazy.compactMap { type.fromDatabaseValue($0) as? T }.first
    }

    /// The first case of an enum with raw values. Swift offers no way to get it.
    private func firstCase<T>(of type: T.Type) -> T? {
        // A byte of zeros is a value of every type that has at most one byte and no references. For an enum without
        // payloads, it is the first case.
        guard type is any RawRepresentable.Type, MemoryLayout<T>.size <= 1, _isPOD(T.self) else { return nil }
        let value = withUnsafeTemporaryAllocation(byteCount: 1, alignment: MemoryLayout<T>.alignment) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            return bytes.load(as: T.self)
        }
        return Mirror(reflecting: value).displayStyle == .enum ? value : nil
    }
}

extension CaseIterable {
    fileprivate static var first: Any? { allCases.first }
}

/// A decoder without data: each value is a placeholder; arrays and dictionaries are empty.
private struct PlaceholderDecoder: Decoder {
    let placeholders: Placeholders
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(PlaceholderKeyedContainer(decoder: self))
    }
    func unkeyedContainer() -> any UnkeyedDecodingContainer { PlaceholderUnkeyedContainer(decoder: self) }
    func singleValueContainer() -> any SingleValueDecodingContainer { PlaceholderSingleValueContainer(decoder: self) }
}

private struct PlaceholderKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: PlaceholderDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { false }
    func decodeNil(forKey key: Key) -> Bool { true }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.placeholders.value(of: type)
    }
    // A type may contain itself behind an optional.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) -> T? { nil }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        decoder.container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { decoder.unkeyedContainer() }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder { decoder }
}

private struct PlaceholderUnkeyedContainer: UnkeyedDecodingContainer {
    let decoder: PlaceholderDecoder
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 0 }
    var isAtEnd: Bool { true }
    var currentIndex: Int { 0 }

    func decodeNil() -> Bool { true }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.placeholders.value(of: type) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
        decoder.container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { self }
    func superDecoder() -> any Decoder { decoder }
}

private struct PlaceholderSingleValueContainer: SingleValueDecodingContainer {
    let decoder: PlaceholderDecoder
    var codingPath: [any CodingKey] { [] }

    private var guess: Int { decoder.placeholders.guess }

    func decodeNil() -> Bool { false }
    func decode(_ type: Bool.Type) -> Bool { guess != 0 }
    func decode(_ type: String.Type) -> String { guess == 0 ? "" : "a" }
    func decode(_ type: Double.Type) -> Double { Double(guess) }
    func decode(_ type: Float.Type) -> Float { Float(guess) }
    func decode(_ type: Int.Type) -> Int { guess }
    func decode(_ type: Int8.Type) -> Int8 { Int8(guess) }
    func decode(_ type: Int16.Type) -> Int16 { Int16(guess) }
    func decode(_ type: Int32.Type) -> Int32 { Int32(guess) }
    func decode(_ type: Int64.Type) -> Int64 { Int64(guess) }
    func decode(_ type: UInt.Type) -> UInt { UInt(guess) }
    func decode(_ type: UInt8.Type) -> UInt8 { UInt8(guess) }
    func decode(_ type: UInt16.Type) -> UInt16 { UInt16(guess) }
    func decode(_ type: UInt32.Type) -> UInt32 { UInt32(guess) }
    func decode(_ type: UInt64.Type) -> UInt64 { UInt64(guess) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.placeholders.value(of: type) }
}
