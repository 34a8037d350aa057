// Decodable types from rows of text.

import Rowan
import RowanPlatform

/// Decodes the properties of a record from the columns of a row.
struct CSVRowDecoder: Decoder {
    let row: CSVRow
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(CSVKeyedContainer(row: row))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw CSVFieldDecoder.refusal([], "a row can't be decoded as an array")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw CSVFieldDecoder.refusal([], "a row can't be decoded as a single value")
    }
}

private struct CSVKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let row: CSVRow
    let codingPath: [any CodingKey] = []

    var allKeys: [Key] { row.columnNames.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { row.reader.indexes[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try field(key).text == nil }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try field(key).value(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try field(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try field(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { CSVRowDecoder(row: row) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try field(key) }

    private func field(_ key: Key) throws -> CSVFieldDecoder {
        guard let index = row.reader.indexes[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: [], debugDescription: "there is no column \(key.stringValue.debugDescription)"))
        }
        return CSVFieldDecoder(text: row.values[index], codingPath: [key], blobs: row.reader.format.blobs)
    }
}

/// Decodes a value.
struct CSVFieldDecoder: Decoder, SingleValueDecodingContainer {
    /// Nil for NULL.
    let text: String?
    let codingPath: [any CodingKey]
    let blobs: CSVDumpFormat.Blobs
    let userInfo: [CodingUserInfoKey: Any] = [:]

    static func refusal(_ path: [any CodingKey], _ message: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: message))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw Self.refusal(codingPath, "a value can't be decoded as a record")
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw Self.refusal(codingPath, "a value can't be decoded as an array")
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { text == nil }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try value(type) }

    /// The value in the form of a type.
    func value<T: Decodable>(_ type: T.Type) throws -> T {
        guard let text else {
            // An optional, or a type with a form for nil.
            if let type = T.self as? any ExpressibleByNilLiteral.Type, let none = type.init(nilLiteral: ()) as? T {
                return none
            }
            throw DecodingError.valueNotFound(
                type, .init(codingPath: codingPath, debugDescription: "the value is missing"))
        }
        // Without the value, which may be confidential.
        func refusal() -> DecodingError { Self.refusal(codingPath, "the value is not one of the type \(T.self)") }
        func required(_ value: Any?) throws -> T {
            guard let value = value as? T else { throw refusal() }
            return value
        }
        switch T.self {
        case is String.Type: return try required(text)
        case let type as any (FixedWidthInteger & LosslessStringConvertible).Type: return try required(type.init(text))
        case let type as any (BinaryFloatingPoint & LosslessStringConvertible).Type:
            return try required(type.init(text))
        case is Bool.Type:
            return try required(["true": true, "1": true, "false": false, "0": false][text.lowercased()])
        case is Data.Type: return try required(blobs.data(text))
        case is any RawRepresentable.Type: do { return try T(from: self) } catch is DecodingError { throw refusal() }
        case let type as any DatabaseValueConvertible.Type:
            return try required(type.fromDatabaseValue(text.databaseValue))
        default: return try T(from: self)
        }
    }
}

extension CSVDumpFormat.Blobs {
    /// The bytes that a text stands for.
    func data(_ text: String) -> Data? {
        switch self {
        case .base64: return Data(base64Encoded: text)
        case .hexadecimal:
            let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
            guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
            return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0]! << 4 | digits[$0 + 1]!) })
        }
    }
}

extension ImportError {
    /// The error of a value.
    init(_ file: String?, line: Int, _ error: DecodingError, _ columnNames: [String]) {
        let (context, missing): (DecodingError.Context, String?) =
            switch error {
            case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
                (context, nil)
            case .keyNotFound(let key, let context): (context, key.stringValue)
            @unknown default: (.init(codingPath: [], debugDescription: "\(error)"), nil)
            }
        let column = context.codingPath.first?.stringValue ?? missing
        self.init(file, line: line, field: column.flatMap(columnNames.firstIndex), context.debugDescription)
        self.column = column
    }
}
