// Swift source as tokens. The lexer supports just enough to find boundaries: strings of all kinds with their
// interpolations, nested comments, regex literals, operators and brackets.

/// Splits source into tokens.
public struct Lexer {
    let bytes: [UInt8]
    var position: Int
    private(set) var tokens: [Token] = []
    /// The open brackets. The innermost one determines where an interpolation ends.
    private var depth = 0

    init(_ bytes: [UInt8], from position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// The tokens of a source. The last token is its end.
    ///
    /// - Throws: ``SyntaxError`` for an unterminated comment, string or regex literal, and for a stray byte.
    public static func tokens(of source: String) throws(SyntaxError) -> [Token] {
        var lexer = Lexer(Array(source.utf8), from: 0)
        try lexer.readAll(untilClosingParenthesis: false)
        return lexer.tokens
    }

    func byte(_ offset: Int = 0) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    private mutating func readAll(untilClosingParenthesis: Bool) throws(SyntaxError) {
        while true {
            let trivia = try skipTrivia()
            guard position < bytes.count else {
                if untilClosingParenthesis { throw SyntaxError("the interpolation has no end", at: position) }
                append(.end, from: position, trivia)
                return
            }
            if untilClosingParenthesis, depth == 0, byte() == UInt8(ascii: ")") { return }
            try readToken(trivia)
        }
    }

    // MARK: Trivia

    private struct Trivia {
        var isLine = false
    }

    private mutating func skipTrivia() throws(SyntaxError) -> Trivia {
        var trivia = Trivia(isLine: position == 0)
        while position < bytes.count {
            switch byte() {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                trivia.isLine = true
                position += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), 0x0B, 0x0C, 0:
                position += 1
            case 0xC2 where byte(1) == 0xA0:
                // A space that isn't a line break is a space with a warning.
                position += 2
            case 0xEF where starts(with: "\u{FEFF}"):
                position += 3
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
                while position < bytes.count, byte() != UInt8(ascii: "\n"), byte() != UInt8(ascii: "\r") {
                    position += 1
                }
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
                if try skipBlockComment() { trivia.isLine = true }
            default:
                return trivia
            }
        }
        return trivia
    }

    /// Skips a comment, which may contain other comments. Returns whether it contains a line break.
    private mutating func skipBlockComment() throws(SyntaxError) -> Bool {
        let start = position
        var (nesting, isLine) = (0, false)
        repeat {
            guard position < bytes.count else { throw SyntaxError("the comment has no end", at: start) }
            if starts(with: "/*") {
                nesting += 1
                position += 2
            } else if starts(with: "*/") {
                nesting -= 1
                position += 2
            } else {
                if byte() == UInt8(ascii: "\n") || byte() == UInt8(ascii: "\r") { isLine = true }
                position += 1
            }
        } while nesting > 0
        return isLine
    }

    // MARK: Tokens

    private mutating func append(_ kind: Token.Kind, from start: Int, _ trivia: Trivia) {
        tokens.append(
            Token(
                kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self), start: start, end: position,
                followsSpace: followsSpace(start), startsLine: trivia.isLine, precedesSpace: precedesSpace))
    }

    func followsSpace(_ start: Int) -> Bool {
        guard start > 0 else { return true }
        switch bytes[start - 1] {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), 0: return true
        case UInt8(ascii: "/"): return start > 1 && bytes[start - 2] == UInt8(ascii: "*")
        case 0xA0: return start > 1 && bytes[start - 2] == 0xC2
        default: return false
        }
    }

    private var precedesSpace: Bool {
        guard position < bytes.count else { return true }
        switch byte() {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), 0: return true
        case UInt8(ascii: "/"): return byte(1) == UInt8(ascii: "/") || byte(1) == UInt8(ascii: "*")
        case 0xC2: return byte(1) == 0xA0
        default: return false
        }
    }

    private mutating func readToken(_ trivia: Trivia) throws(SyntaxError) {
        let start = position
        switch byte() {
        case UInt8(ascii: "\""):
            try skipString(hashes: 0)
            append(.string, from: start, trivia)
        case UInt8(ascii: "#"):
            try readHash(trivia)
        case UInt8(ascii: "`"):
            position += 1
            while position < bytes.count, byte() != UInt8(ascii: "`"), byte() != UInt8(ascii: "\n") { position += 1 }
            guard byte() == UInt8(ascii: "`") else { throw SyntaxError("the backtick has no partner", at: start) }
            position += 1
            append(.quoted, from: start, trivia)
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
            depth += 1
            position += 1
            append(.punctuation, from: start, trivia)
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
            depth -= 1
            position += 1
            append(.punctuation, from: start, trivia)
        case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "\\"):
            position += 1
            append(.punctuation, from: start, trivia)
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            skipNumber()
            append(.number, from: start, trivia)
        case UInt8(ascii: "/") where try skipRegex(hashes: 0):
            append(.regex, from: start, trivia)
        case let byte where Self.isOperator(byte) || isOperatorCharacter:
            skipOperator()
            append(.symbol, from: start, trivia)
        case let byte where Self.isWord(byte):
            while position < bytes.count, Self.isWord(self.byte()),
                self.byte() < 0x80 || !isOperatorCharacter && !(self.byte() == 0xC2 && self.byte(1) == 0xA0)
            {
                position += 1
                // The bytes of a character stay together.
                while self.byte() & 0xC0 == 0x80 { position += 1 }
            }
            append(.word, from: start, trivia)
        default:
            throw SyntaxError("this character starts no token", at: start)
        }
    }

    private mutating func readHash(_ trivia: Trivia) throws(SyntaxError) {
        let start = position
        var hashes = 0
        while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
        if byte(hashes) == UInt8(ascii: "\"") {
            position += hashes
            try skipString(hashes: hashes)
            append(.string, from: start, trivia)
        } else if byte(hashes) == UInt8(ascii: "/"), try skipRegex(hashes: hashes) {
            append(.regex, from: start, trivia)
        } else {
            position += 1
            append(.punctuation, from: start, trivia)
        }
    }

    private mutating func skipNumber() {
        let start = position
        let isHexadecimal = byte() == UInt8(ascii: "0") && byte(1) == UInt8(ascii: "x")
        // `1.5`, but not `1.description`, and not `tuple.0.1`.
        var mayHavePoint = !(tokens.last.map { $0.mark == .period && $0.end == start } ?? false)
        while true {
            switch byte() {
            case UInt8(ascii: "+"), UInt8(ascii: "-"):
                guard bytes[position - 1] | 0x20 == (isHexadecimal ? UInt8(ascii: "p") : UInt8(ascii: "e")),
                    Self.isDigit(byte(1))
                else {
                    return
                }
            case UInt8(ascii: "."):
                guard mayHavePoint else { return }
                guard isHexadecimal ? hasExponent(after: position + 1) : Self.isDigit(byte(1)) else { return }
                mayHavePoint = false
            case let next:
                guard Self.isWord(next), next < 0x80 else { return }
            }
            position += 1
        }
    }

    /// Whether a hexadecimal number with digits after a point continues with an exponent. Otherwise, the point is a
    /// member's.
    private func hasExponent(after start: Int) -> Bool {
        let rest = bytes[start...].prefix { Self.isHexadecimal($0) || $0 == UInt8(ascii: "_") }
        return !rest.isEmpty && rest.endIndex < bytes.count && bytes[rest.endIndex] | 0x20 == UInt8(ascii: "p")
    }

    private mutating func skipOperator() {
        // A sequence that starts with a point may contain points; others may not.
        let startsWithPoint = byte() == UInt8(ascii: ".")
        let start = position
        // In `\.name.?` and `a.!`, the point is a member's. After a space, `.!=` is an operator.
        let isMember =
            startsWithPoint && !followsSpace(start) && (byte(1) == UInt8(ascii: "?") || byte(1) == UInt8(ascii: "!"))
        repeat {
            if byte() < 0x80 {
                position += 1
            } else {
                repeat { position += 1 } while byte() & 0xC0 == 0x80
            }
            if starts(with: "//") || starts(with: "/*") { break }
            // A regex literal may follow a prefix operator: `!/a/`.
            if isMember || byte() == UInt8(ascii: "/") && !isBound(start) && endOfRegex(hashes: 0) != nil { break }
        } while position < bytes.count
            && (Self.isOperator(byte()) && (byte() != UInt8(ascii: ".") || startsWithPoint) || isOperatorCharacter)
    }

    // MARK: Strings

    /// Skips a string literal, from its first quotation mark.
    private mutating func skipString(hashes: Int) throws(SyntaxError) {
        let start = position
        let isMultiline = isAtMultilineString(hashes: hashes)
        position += isMultiline ? 3 : 1
        while true {
            guard position < bytes.count else { throw SyntaxError("the string has no end", at: start) }
            let byte = byte()
            if byte == UInt8(ascii: "\\"), hasHashes(hashes, at: position + 1) {
                position += 1 + hashes
                guard self.byte() == UInt8(ascii: "(") else {
                    position += 1
                    continue
                }
                position += 1
                try skipInterpolation()
            } else if byte == UInt8(ascii: "\""), !isMultiline || starts(with: "\"\"\""),
                hasHashes(hashes, at: position + (isMultiline ? 3 : 1))
            {
                position += (isMultiline ? 3 : 1) + hashes
                return
            } else if !isMultiline, byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                throw SyntaxError("the string has no end", at: start)
            } else {
                position += 1
            }
        }
    }

    /// Whether the quotation marks begin a string of several lines.
    func isAtMultilineString(hashes: Int) -> Bool { starts(with: "\"\"\"") && !isEmptyString(hashes: hashes) }

    /// Whether three quotation marks are a raw string with one mark, as in `#"""#`.
    private func isEmptyString(hashes: Int) -> Bool {
        guard hashes > 0 else { return false }
        let line = bytes[(position + 3)...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        // The opening marks of a multi-line string are followed only by space.
        return line.contains { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    }

    func hasHashes(_ count: Int, at index: Int) -> Bool {
        index + count <= bytes.count && bytes[index..<(index + count)].allSatisfy { $0 == UInt8(ascii: "#") }
    }

    mutating func skipInterpolation() throws(SyntaxError) {
        var inner = Lexer(bytes, from: position)
        try inner.readAll(untilClosingParenthesis: true)
        position = inner.position + 1
    }

    // MARK: Characters

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    /// Whether the byte belongs to a word, which may contain non-ASCII characters unless they are operators.
    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    private static func isOperator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "!"),
            UInt8(ascii: "*"), UInt8(ascii: "%"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"),
            UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "~"), UInt8(ascii: "?"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Whether a non-ASCII character is an operator.
    ///
    /// Source: <https://docs.swift.org/swift-book/documentation/the-swift-programming-language/lexicalstructure/#Operators>
    private var isOperatorCharacter: Bool {
        guard byte() >= 0xC0 else { return false }
        let scalar = String(decoding: bytes[position..<min(position + 4, bytes.count)], as: UTF8.self).unicodeScalars
            .first
        return switch scalar?.value ?? 0 {
        case 0xA1...0xA7, 0xA9, 0xAB, 0xAC, 0xAE, 0xB0, 0xB1, 0xB6, 0xBB, 0xBF, 0xD7, 0xF7, 0x2016, 0x2017,
            0x2020...0x2027, 0x2030...0x203E, 0x2041...0x2053, 0x2055...0x205E, 0x2190...0x23FF, 0x2500...0x2775,
            0x2794...0x2BFF, 0x2E00...0x2E7F, 0x3001...0x3003, 0x3008...0x3020, 0x3030:
            true
        default: false
        }
    }
}
