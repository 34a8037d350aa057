// Writes rows as JSON objects, as a JSONEncoder would. The encoder itself takes a microsecond per value.

import RowanPlatform

/// Writes the rows of one statement.
struct JSONObjectWriter: Sendable {
    enum Layout { case compact, pretty }

    private struct Column {
        var index: Int
        /// The key, quoted, with a colon.
        var key: String
    }

    private let columns: [Column]
    private let encoder: JSONEncoder
    private let layout: Layout
    private let nulls: JSONLinesDumpFormat.Nulls
    private let escapesSlashes: Bool
    private let isBase64: Bool

    init(_ names: ArraySlice<String>, _ encoder: JSONEncoder, _ layout: Layout, _ nulls: JSONLinesDumpFormat.Nulls) {
        self.layout = layout
        self.nulls = nulls
        let escapesSlashes = !encoder.outputFormatting.contains(.withoutEscapingSlashes)
        self.escapesSlashes = escapesSlashes
        if case .base64 = encoder.dataEncodingStrategy { isBase64 = true } else { isBase64 = false }
        columns = names.indices.map { index in
            let key = JSONText.quoted(names[index], escapesSlashes: escapesSlashes)
            return Column(index: index, key: (layout == .pretty ? "    " : "") + key + ":")
        }
        self.encoder = encoder
    }

    func write(_ statement: Statement, to text: TextBuffer) throws {
        text.append(literal: layout == .pretty ? "  {\n" : "{")
        var isFirst = true
        for column in columns {
            let value = statement.storedColumn(column.index)
            if nulls == .omitted, case .null = value { continue }
            if !isFirst { text.append(literal: layout == .pretty ? ",\n" : ",") }
            isFirst = false
            text.append(column.key)
            try write(value, to: text)
        }
        text.append(literal: layout == .pretty ? "\n  }" : "}")
    }

    private func write(_ value: StoredColumn, to text: TextBuffer) throws {
        switch value {
        case .null: text.append(literal: "null")
        case .integer(let integer): text.append(integer)
        case .real(let double) where double.isFinite:
            JSONText.write(number: double.description, to: text)
        case .real(let double): try write(encoder.encode(double), to: text)
        case .text(let bytes): JSONText.write(bytes, to: text, escapesSlashes: escapesSlashes)
        case .blob(let bytes) where isBase64 && !escapesSlashes:
            text.append(byte: 0x22)
            text.append(base64: bytes)
            text.append(byte: 0x22)
        case .blob(let bytes): try write(encoder.encode(Data(buffer: bytes)), to: text)
        }
    }

    private func write(_ json: Data, to text: TextBuffer) {
        json.withUnsafeBytes { text.append($0.bindMemory(to: UInt8.self)) }
    }
}

/// JSON strings and numbers.
enum JSONText {
    static func quoted(_ string: String, escapesSlashes: Bool) -> String {
        var result = "\""
        for scalar in string.unicodeScalars {
            if scalar.isASCII, let escape = escape(UInt8(scalar.value), escapesSlashes) {
                result += escape
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    static func write(_ bytes: UnsafeBufferPointer<UInt8>, to text: TextBuffer, escapesSlashes: Bool) {
        text.append(byte: 0x22)
        var start = 0
        for index in bytes.indices where mayNeedEscape(bytes[index]) {
            guard let escape = escape(bytes[index], escapesSlashes) else { continue }
            text.append(UnsafeBufferPointer(rebasing: bytes[start..<index]))
            text.append(escape)
            start = index + 1
        }
        text.append(UnsafeBufferPointer(rebasing: bytes[start...]))
        text.append(byte: 0x22)
    }

    /// Writes the digits of a finite number: `5`, not `5.0`.
    static func write(number digits: String, to text: TextBuffer) {
        text.append(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
    }

    @inline(__always)
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x2F
    }

    /// The escape of a character, or nil if it needs none. <https://www.rfc-editor.org/rfc/rfc8259#section-7>
    private static func escape(_ byte: UInt8, _ escapesSlashes: Bool) -> String? {
        switch byte {
        case 0x22: return "\\\""
        case 0x5C: return "\\\\"
        case 0x2F: return escapesSlashes ? "\\/" : nil
        case 0x08: return "\\b"
        case 0x09: return "\\t"
        case 0x0A: return "\\n"
        case 0x0C: return "\\f"
        case 0x0D: return "\\r"
        case 0..<0x20:
            let digits = String(byte, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: return nil
        }
    }
}
