// Comma-separated values. Source: https://www.rfc-editor.org/rfc/rfc4180

import RowanPlatform

/// A format that prints comma-separated values, for spreadsheets and other programs.
///
/// ```swift
/// // id,name,score
/// // 1,Arthur,500
/// // 2,"O'Brien, Barbara",1000
/// try db.dumpRequest(Player.all(), format: .csv())
/// ```
///
/// As specified by RFC 4180, lines end with CR LF, and a value is quoted if it contains a separator, a quote or a line
/// break. NULL and other values stay distinct: a value that equals `nullValue`, such as empty text, is quoted. Reals
/// have as many digits as are needed to read them back. Bytes of text that are not valid UTF-8 are replaced with
/// U+FFFD.
///
/// A quote or a line break can't separate values: the dump then throws an error.
///
/// Spreadsheets run text that looks like a formula. If the rows contain untrusted text and the file is for a
/// spreadsheet, escape it:
///
/// ```swift
/// // name
/// // "'=HYPERLINK(""http://example.com"")"
/// try db.dumpRequest(Player.select(\.name), format: .csv(formulas: .escaped))
/// ```
///
/// Article: <doc:Dump>.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc4180>
public struct CSVDumpFormat: Sendable {
    /// The end of a line.
    public enum LineEnding: Hashable, Sendable {
        /// CR LF, as specified by RFC 4180.
        case crlf
        /// LF only.
        case lf
    }

    /// The format of blobs.
    public enum Blobs: Hashable, Sendable {
        /// In Base64.
        case base64
        /// Two hexadecimal digits per byte.
        case hexadecimal
    }

    /// The format of text that spreadsheets interpret as a formula: text that begins with `=`, `+`, `-`, `@`, a tab or
    /// a line break. <https://owasp.org/www-community/attacks/CSV_Injection>
    public enum Formulas: Hashable, Sendable {
        /// Unchanged.
        case kept
        /// Quoted, after an apostrophe, so that spreadsheets interpret it as text. Numbers are unchanged.
        case escaped
    }

    /// Whether the first line contains the names of the columns. It is printed even without rows.
    public var header: Bool
    /// The character between two values.
    public var separator: Unicode.Scalar
    /// The end of a line.
    public var lineEnding: LineEnding
    /// The text of NULL.
    public var nullValue: String
    /// The format of blobs.
    public var blobs: Blobs
    /// The format of text that spreadsheets interpret as a formula.
    public var formulas: Formulas

    private var isHeaderPending = true

    /// Creates a format.
    public init(
        header: Bool = true, separator: Unicode.Scalar = ",", lineEnding: LineEnding = .crlf, nullValue: String = "",
        blobs: Blobs = .base64, formulas: Formulas = .kept
    ) {
        self.header = header
        self.separator = separator
        self.lineEnding = lineEnding
        self.nullValue = nullValue
        self.blobs = blobs
        self.formulas = formulas
    }
}

extension CSVDumpFormat: CheckedDumpFormat {
    func check() throws {
        let name: String
        switch separator {
        case "\"": name = "a quote"
        case "\r", "\n": name = "a line break"
        default: return
        }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "CSV can't be separated by \(name): use another separator, such as a comma or a semicolon")
    }
}

extension CSVDumpFormat: DumpFormat {
    /// Writes a row on one line.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        writeHeader(statement, to: &stream)
        let text = stream.text()
        let fields = CSVFields(text, separator: separator)
        // Most formats can't confuse a number with NULL or a separator.
        let isPlain = nullValue.isEmpty && !separator.occursInNumbers
        for index in 0..<stream.columnCount(of: statement) {
            if index > 0 { fields.writeSeparator() }
            switch statement.storedColumn(index) {
            case .null: if !nullValue.isEmpty { fields.write(nullValue, isQuoted: false) }
            case .integer(let integer): isPlain ? text.append(integer) : write(String(integer), to: fields)
            case .real(let double): isPlain ? text.append(double.description) : write(double.description, to: fields)
            case .text(let bytes): write(bytes, to: fields)
            case .blob(let bytes) where bytes.isEmpty: write(bytes, to: fields)
            case .blob(let bytes) where mayNeedQuotes(bytes): write(blobText(bytes), to: fields)
            case .blob(let bytes):
                switch blobs {
                case .base64: text.append(base64: bytes)
                case .hexadecimal: text.append(hexadecimal: bytes)
                }
            }
        }
        writeLineEnding(to: text)
    }

    /// Finishes the output.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        writeHeader(statement, to: &stream)
        isHeaderPending = true
    }

    /// Whether the text of a blob may equal `nullValue`, contain a separator, or look like a formula.
    private func mayNeedQuotes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let count = blobs == .base64 ? (bytes.count + 2) / 3 * 4 : 2 * bytes.count
        return count == nullValue.utf8.count || separator.occursInNumbers || formulas == .escaped
    }

    private func blobText(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        switch blobs {
        case .base64: Data(buffer: bytes).base64EncodedString()
        case .hexadecimal:
            bytes.lazy.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        }
    }

    @inline(__always)
    private func write(_ bytes: UnsafeBufferPointer<UInt8>, to fields: CSVFields) {
        if formulas == .escaped, bytes.looksLikeFormula { return fields.writeEscaped(bytes) }
        // Most text differs from `nullValue` in length.
        fields.write(bytes, isQuoted: bytes.count == nullValue.utf8.count && bytes.elementsEqual(nullValue.utf8))
    }

    private func write(_ text: String, to fields: CSVFields) {
        text.withBytes { write($0, to: fields) }
    }

    private mutating func writeHeader(_ statement: Statement, to stream: inout DumpStream) {
        guard isHeaderPending else { return }
        isHeaderPending = false
        guard header else { return }
        let text = stream.text()
        let fields = CSVFields(text, separator: separator)
        for (index, name) in stream.columnNames(of: statement).enumerated() {
            if index > 0 { fields.writeSeparator() }
            name.withBytes {
                let isFormula = formulas == .escaped && $0.looksLikeFormula
                isFormula ? fields.writeEscaped($0) : fields.write($0, isQuoted: false)
            }
        }
        writeLineEnding(to: text)
    }

    @inline(__always)
    private func writeLineEnding(to text: TextBuffer) {
        if lineEnding == .crlf { text.append(byte: 0x0D) }
        text.append(byte: 0x0A)
    }
}

extension DumpFormat where Self == CSVDumpFormat {
    /// Comma-separated values.
    public static func csv(
        header: Bool = true, separator: Unicode.Scalar = ",", lineEnding: CSVDumpFormat.LineEnding = .crlf,
        nullValue: String = "", blobs: CSVDumpFormat.Blobs = .base64, formulas: CSVDumpFormat.Formulas = .kept
    ) -> Self {
        CSVDumpFormat(
            header: header, separator: separator, lineEnding: lineEnding, nullValue: nullValue, blobs: blobs,
            formulas: formulas)
    }
}

/// The fields of a line.
private struct CSVFields {
    private let text: TextBuffer
    private let separator: Unicode.Scalar

    init(_ text: TextBuffer, separator: Unicode.Scalar) {
        self.text = text
        self.separator = separator
    }

    @inline(__always)
    func writeSeparator() {
        if separator.isASCII {
            text.append(byte: UInt8(truncatingIfNeeded: separator.value))
        } else {
            text.append(String(separator))
        }
    }

    @inline(__always)
    func write(_ bytes: UnsafeBufferPointer<UInt8>, isQuoted: Bool) {
        guard isQuoted || needsQuotes(bytes) else { return text.append(bytes) }
        text.append(byte: 0x22)
        text.append(bytes, doubling: 0x22)
        text.append(byte: 0x22)
    }

    func write(_ value: String, isQuoted: Bool) {
        value.withBytes { write($0, isQuoted: isQuoted) }
    }

    /// Writes text after an apostrophe, in quotes.
    func writeEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
        text.append(literal: "\"'")
        text.append(bytes, doubling: 0x22)
        text.append(byte: 0x22)
    }

    /// Without branches in the loop, so that the compiler compares many bytes at once.
    @inline(__always)
    private func needsQuotes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // The first byte of a non-ASCII character. Other characters that begin with it are also quoted.
        let separator = UTF8.encode(separator)?.first ?? 0x2C
        var found: UInt8 = 0
        for byte in bytes {
            found |=
                (byte == 0x22 ? 1 : 0) | (byte == 0x0D ? 1 : 0) | (byte == 0x0A ? 1 : 0) | (byte == separator ? 1 : 0)
        }
        return found != 0
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether spreadsheets interpret the text as a formula.
    fileprivate var looksLikeFormula: Bool {
        switch first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0A, 0x0D: true
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// Whether numbers, or blobs as text, may contain the character. Checked for each row, so it is a switch over
    /// ranges, not a search (benchmark dump-csv).
    fileprivate var occursInNumbers: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "+", "-", ".", "/", "=": true
        default: false
        }
    }
}
