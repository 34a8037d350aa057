// The JSON form of the value of a column: that of a JSONEncoder for the value decoded from it.

import RowanPlatform

enum JSONForm {
    /// As it is stored, without a type.
    case stored
    case boolean, integer, double, float, text, date, data, uuid, decimal
    /// The column contains JSON.
    case json

    /// - Returns: nil for a type whose own code determines the form: its values must be decoded and encoded.
    init?(_ type: any Any.Type, storage: (any Any.Type)?, record: (any FetchableRecord.Type)?, column: String) {
        if storage is JSONStorage.Type {
            self = .json
            return
        }
        guard storage == nil else { return nil }
        switch type {
        case is DatabaseValue.Type: self = .stored
        case is Bool.Type: self = .boolean
        case is any (FixedWidthInteger & DatabaseValueConvertible).Type: self = .integer
        case is Double.Type: self = .double
        case is Float.Type: self = .float
        case is String.Type, is URL.Type: self = .text
        case is UUID.Type: self = .uuid
        case is Decimal.Type: self = .decimal
        case is Date.Type:
            guard
                case .deferredToDate? = record.map({ $0.databaseDateDecodingStrategy(for: column) }) ?? .deferredToDate
            else { return nil }
            self = .date
        case is Data.Type:
            guard
                case .deferredToData? = record.map({ $0.databaseDataDecodingStrategy(for: column) }) ?? .deferredToData
            else { return nil }
            self = .data
        case let type as any (RawRepresentable & DatabaseValueConvertible).Type:
            self.init(type.rawType, storage: nil, record: nil, column: column)
        case is any DatabaseValueConvertible.Type: return nil
        case let type as any Decodable.Type where ContainerProbe.hasKeysOrElements(type): self = .json
        default: return nil
        }
    }

    /// - Parameter value: a value that is not NULL.
    func write(
        _ value: StoredColumn, of row: Row, _ index: Int, _ type: (any Any.Type)?, to text: TextBuffer
    ) throws {
        func error() -> any Error { row.decodingError(type ?? String.self, at: index) }
        switch (self, value) {
        case (.stored, .integer(let integer)), (.integer, .integer(let integer)), (.double, .integer(let integer)),
            (.float, .integer(let integer)), (.decimal, .integer(let integer)):
            text.append(integer)
        case (.boolean, .integer(let integer)): text.append(integer != 0 ? "true" : "false")
        case (.boolean, .real(let double)): text.append(double != 0 ? "true" : "false")
        case (.integer, .real(let double)):
            guard let integer = Int64(exactly: double) else { throw error() }
            text.append(integer)
        case (.float, .real(let double)):
            try write(Float(double).description, double.isFinite, of: row, index, to: text)
        case (.stored, .real(let double)), (.double, .real(let double)), (.decimal, .real(let double)):
            try write(double.description, double.isFinite, of: row, index, to: text)
        case (.stored, .text(let bytes)), (.text, .text(let bytes)):
            JSONText.write(bytes, to: text, escapesSlashes: false)
        case (.text, _):
            guard let string = row.value(String.self, at: index) else { throw error() }
            text.append(JSONText.quoted(string, escapesSlashes: false))
        case (.date, .text(let bytes)) where ISODate.matches(bytes): ISODate.write(bytes, to: text)
        case (.date, _):
            guard let date = row.value(Date.self, at: index) else { throw error() }
            text.append(JSONText.quoted(ISODate.text(date), escapesSlashes: false))
        case (.uuid, .blob), (.uuid, .text):
            guard let uuid = row.value(UUID.self, at: index) else { throw error() }
            text.append("\"\(uuid.uuidString)\"")
        case (.stored, .blob(let bytes)), (.data, .blob(let bytes)), (.data, .text(let bytes)):
            text.append(byte: UInt8(ascii: "\""))
            text.append(base64: bytes)
            text.append(byte: UInt8(ascii: "\""))
        case (.decimal, .text(let bytes)), (.json, .text(let bytes)), (.json, .blob(let bytes)):
            var parser = JSONParser()
            let isNumber = bytes.first.map { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) } ?? false
            guard self == .json || isNumber, parser.parse(bytes) else { throw error() }
            text.append(bytes)
        default: throw error()
        }
    }

    private func write(
        _ digits: String, _ isFinite: Bool, of row: Row, _ index: Int, to text: TextBuffer
    ) throws {
        guard isFinite else {
            throw RowDecodingError(
                reason: "JSON has no infinite numbers", column: row.layout.names[index], columnIndex: index, row: row)
        }
        JSONText.write(number: digits, to: text)
    }
}

/// Dates in ISO 8601. The default text form of dates has no time zone: it is in UTC.
enum ISODate {
    /// Whether text is certainly a date: `2024-01-28 10:00:00.000`, or the same without milliseconds, as SQLite's
    /// functions write it. Whether the month has a day after its 28th is left to the decoder.
    static func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == 23 || bytes.count == 19 else { return false }
        for (index, byte) in bytes.enumerated() {
            let isExpected =
                switch index {
                case 4, 7: byte == UInt8(ascii: "-")
                case 10: byte == UInt8(ascii: " ")
                case 13, 16: byte == UInt8(ascii: ":")
                case 19: byte == UInt8(ascii: ".")
                default: (0x30...0x39).contains(byte)
                }
            guard isExpected else { return false }
        }
        func number(_ index: Int) -> Int { Int(bytes[index] &- 0x30) * 10 + Int(bytes[index + 1] &- 0x30) }
        return 1...12 ~= number(5) && 1...28 ~= number(8) && number(11) < 24 && number(14) < 60 && number(17) < 60
    }

    static func write(_ bytes: UnsafeBufferPointer<UInt8>, to text: TextBuffer) {
        text.append(byte: UInt8(ascii: "\""))
        text.append(UnsafeBufferPointer(rebasing: bytes[..<10]))
        text.append(byte: UInt8(ascii: "T"))
        text.append(UnsafeBufferPointer(rebasing: bytes[11...]))
        if bytes.count == 19 { text.append(literal: ".000") }
        text.append(literal: "Z\"")
    }

    static func text(_ date: Date) -> String {
        let stored = String.fromDatabaseValue(date.databaseValue) ?? ""
        return stored.replacing(" ", with: "T") + "Z"
    }
}

extension JSONEncoder {
    /// The encoder of types whose JSON only their code can determine.
    static func forRows() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(ISODate.text(date))
        }
        return encoder
    }
}

extension FetchableRecord where Self: Encodable {
    static func encodedJSON(of row: Row, _ encoder: JSONEncoder) throws -> Data { try encoder.encode(Self(row: row)) }
}

extension DatabaseValueConvertible where Self: Encodable {
    static func encodedJSON(of row: Row, _ encoder: JSONEncoder, isOptional: Bool) throws -> Data {
        if isOptional, row.count > 0, row.hasNull(atIndex: 0) { return Data("null".utf8) }
        return try encoder.encode(row.decode(Self.self, atIndex: 0))
    }
}

extension RawRepresentable {
    fileprivate static var rawType: any Any.Type { RawValue.self }
}

extension TextBuffer {
    func append(_ data: Data) { data.withUnsafeBytes { append($0.bindMemory(to: UInt8.self)) } }
}

/// A decoder that finds out which container a type decodes from.
private struct ContainerProbe: Decoder {
    private struct Answer: Error { let hasKeysOrElements: Bool }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func hasKeysOrElements(_ type: any Decodable.Type) -> Bool {
        do { _ = try type.init(from: ContainerProbe()) } catch let answer as Answer {
            return answer.hasKeysOrElements
        } catch {}
        // A type that requests nothing, or catches the error.
        return false
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw Answer(hasKeysOrElements: true)
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Answer(hasKeysOrElements: true) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Answer(hasKeysOrElements: false) }
}
