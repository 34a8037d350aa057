// The text of a string literal, without escapes and indentation, and the position of each byte in the source.

/// A string literal: its text, and the expressions that it interpolates.
public struct StringLiteral: Equatable, Sendable {
    /// An expression between `\(` and `)`.
    public struct Interpolation: Equatable, Sendable {
        /// The number of text bytes before it.
        public let position: Int
        public let source: String
        /// The offset of the expression in the source.
        public let start: Int
        public let end: Int
    }

    /// The text without its interpolations, in UTF-8.
    public private(set) var text: [UInt8] = []
    /// The offset in the source of each byte of the text.
    public private(set) var places: [Int] = []
    public private(set) var interpolations: [Interpolation] = []
    /// The offsets of the whole literal.
    public let start: Int
    public let end: Int

    /// - Throws: ``SyntaxError`` if the token isn't a string literal.
    public init(_ token: Token) throws(SyntaxError) {
        guard token.kind == .string else { throw SyntaxError("expected a string literal", at: token.start) }
        (start, end) = (token.start, token.end)
        var reader = LiteralReader(token)
        try reader.readAll()
        (text, places, interpolations) = (reader.text, reader.places, reader.interpolations)
    }
}

private struct LiteralReader {
    let bytes: [UInt8]
    /// The offset of the literal in the source.
    let base: Int
    let hashes: Int
    /// The space before the closing marks of a multi-line literal; nil for a single-line literal.
    let indentation: ArraySlice<UInt8>?
    /// The end of the content.
    let limit: Int
    var position: Int

    var text: [UInt8] = []
    var places: [Int] = []
    var interpolations: [StringLiteral.Interpolation] = []

    init(_ token: Token) {
        bytes = Array(token.text.utf8)
        base = token.start
        hashes = bytes.prefix { $0 == UInt8(ascii: "#") }.count
        let lexer = Lexer(bytes, from: hashes)
        let isMultiline = lexer.isAtMultilineString(hashes: hashes)
        position = hashes + (isMultiline ? 3 : 1)
        var limit = bytes.count - position
        if isMultiline {
            // The first and last line breaks are not part of the text.
            let line = bytes[..<limit].lastIndex { Self.endsLine($0) } ?? limit
            indentation = bytes[min(line + 1, limit)..<limit]
            limit = max(line, position)
            if limit > position, bytes[limit] == UInt8(ascii: "\n"), bytes[limit - 1] == UInt8(ascii: "\r") {
                limit -= 1
            }
        } else {
            indentation = nil
        }
        self.limit = limit
    }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private var isAtLineEnd: Bool { position < limit && Self.endsLine(bytes[position]) }

    private mutating func append(_ byte: UInt8, from place: Int) {
        text.append(byte)
        places.append(base + place)
    }

    mutating func readAll() throws(SyntaxError) {
        if indentation != nil {
            while position < limit, !isAtLineEnd { position += 1 }
            // An empty literal has a single line break.
            guard position < limit else { return }
            skipLineEnd()
        }
        while position < limit {
            if bytes[position] == UInt8(ascii: "\\"), hasHashes(position + 1) {
                try readEscape()
            } else if indentation != nil, isAtLineEnd {
                // SQL sees the same text regardless of the line endings of the file.
                append(UInt8(ascii: "\n"), from: position)
                skipLineEnd()
            } else {
                append(bytes[position], from: position)
                position += 1
            }
        }
    }

    /// Skips a line break and the indentation of the next line.
    private mutating func skipLineEnd() {
        position += bytes[position...].starts(with: [UInt8(ascii: "\r"), UInt8(ascii: "\n")]) ? 2 : 1
        for byte in indentation ?? [] where position < limit && bytes[position] == byte { position += 1 }
    }

    private func hasHashes(_ index: Int) -> Bool {
        index + hashes < limit && bytes[index..<(index + hashes)].allSatisfy { $0 == UInt8(ascii: "#") }
    }

    private mutating func readEscape() throws(SyntaxError) {
        let start = position
        position += 1 + hashes
        let escape = bytes[position]
        position += 1
        switch escape {
        case UInt8(ascii: "("):
            var lexer = Lexer(bytes, from: position)
            try lexer.skipInterpolation()
            let end = lexer.position - 1
            interpolations.append(
                StringLiteral.Interpolation(
                    position: text.count, source: String(decoding: bytes[position..<end], as: UTF8.self),
                    start: base + position, end: base + end))
            position = lexer.position
        case UInt8(ascii: "n"): append(UInt8(ascii: "\n"), from: start)
        case UInt8(ascii: "r"): append(UInt8(ascii: "\r"), from: start)
        case UInt8(ascii: "t"): append(UInt8(ascii: "\t"), from: start)
        case UInt8(ascii: "0"): append(0, from: start)
        case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): append(escape, from: start)
        case UInt8(ascii: "u"): try readScalar(start)
        case let byte where Self.isSpace(byte) || Self.endsLine(byte):
            position -= 1
            while position < limit, Self.isSpace(bytes[position]) { position += 1 }
            guard isAtLineEnd else { throw SyntaxError("the line goes on after '\\'", at: base + start) }
            skipLineEnd()
        default:
            throw SyntaxError("'\\' starts no escape here", at: base + start)
        }
    }

    /// Reads `{2192}`.
    private mutating func readScalar(_ start: Int) throws(SyntaxError) {
        let rest = bytes[position..<limit]
        guard rest.first == UInt8(ascii: "{"), let end = rest.firstIndex(of: UInt8(ascii: "}")),
            let value = UInt32(String(decoding: bytes[(position + 1)..<end], as: UTF8.self), radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw SyntaxError("'\\u' needs the number of a character", at: base + start) }
        for byte in String(scalar).utf8 { append(byte, from: start) }
        position = end + 1
    }
}
