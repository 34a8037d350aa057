// The boundaries of the tokens of an SQL text, by SQLite's rules, byte by byte: a character may combine a quote with
// the accent that follows it, and untrusted text may contain one.

/// Reads the tokens of an SQL text one by one.
///
/// Source: <https://sqlite.org/draft/tokenreq.html>
package struct SQLScanner {
    package struct Token {
        package enum Kind: Hashable, Sendable {
            /// A keyword or a name.
            case word
            /// A name in `"double quotes"`, backticks or `[brackets]`.
            case quotedName
            case number
            /// `'text'`
            case text
            /// `x'53'`
            case blob
            /// `?1`, `:name`, `$name(suffix)`
            case variable
            case lineComment
            case blockComment
            /// An ASCII character.
            case symbol
        }

        package let kind: Kind
        package let range: Range<String.Index>
        /// Whether the token is complete. Only quotes and comments can be incomplete: they reach to the end of the
        /// text.
        package let isClosed: Bool

        package var isComment: Bool { kind == .lineComment || kind == .blockComment }
    }

    package let sql: String
    private let bytes: String.UTF8View
    private var position: String.Index

    package init(_ sql: String) {
        self.sql = sql
        bytes = sql.utf8
        position = bytes.startIndex
    }

    /// The next token; nil at the end of the text.
    package mutating func next() -> Token? {
        skipSpaces()
        guard let first = byte() else { return nil }
        let start = position
        var isClosed = true
        let kind = read(first, &isClosed)
        return Token(kind: kind, range: start..<position, isClosed: isClosed)
    }

    /// The text of a token.
    package subscript(_ token: Token) -> String { String(decoding: bytes[token.range], as: UTF8.self) }

    /// A name, or text in place of a name, without its quotes.
    package func name(_ token: Token) -> String? {
        var inner = bytes[token.range]
        switch token.kind {
        case .word: return self[token]
        case .quotedName, .text:
            guard let quote = inner.popFirst() else { return nil }
            if token.isClosed { inner.removeLast() }
            if quote == UInt8(ascii: "[") { return String(decoding: inner, as: UTF8.self) }
            var name: [UInt8] = []
            while let byte = inner.popFirst() {
                name.append(byte)
                // The first one of two.
                if byte == quote { inner = inner.dropFirst() }
            }
            return String(decoding: name, as: UTF8.self)
        case .number, .blob, .variable, .lineComment, .blockComment, .symbol: return nil
        }
    }

    // MARK: Bytes

    private func byte(_ distance: Int = 0) -> UInt8? {
        guard let index = bytes.index(position, offsetBy: distance, limitedBy: bytes.endIndex), index < bytes.endIndex
        else { return nil }
        return bytes[index]
    }

    private mutating func advance(_ distance: Int = 1) {
        position = bytes.index(position, offsetBy: distance, limitedBy: bytes.endIndex) ?? bytes.endIndex
    }

    private mutating func skip(while isPart: (UInt8) -> Bool) {
        while let byte = byte(), isPart(byte) { advance() }
    }

    /// - Returns: whether the byte was found. It is also skipped.
    private mutating func skip(past end: UInt8) -> Bool {
        skip { $0 != end }
        defer { advance() }
        return byte() != nil
    }

    /// A byte order mark is a space.
    private mutating func skipSpaces() {
        while let first = byte() {
            if first <= 0x20 {
                advance()
            } else if first == 0xEF, byte(1) == 0xBB, byte(2) == 0xBF {
                advance(3)
            } else {
                return
            }
        }
    }

    // MARK: Tokens

    private mutating func read(_ first: UInt8, _ isClosed: inout Bool) -> Token.Kind {
        switch first {
        case UInt8(ascii: "-") where byte(1) == first:
            skip { $0 != UInt8(ascii: "\n") }
            return .lineComment
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
            isClosed = readBlockComment()
            return .blockComment
        case UInt8(ascii: "'"):
            isClosed = readQuoted(by: first)
            return .text
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            isClosed = readQuoted(by: first)
            return .quotedName
        case UInt8(ascii: "["):
            isClosed = skip(past: UInt8(ascii: "]"))
            return .quotedName
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            guard byte(1) == UInt8(ascii: "'") else { break }
            advance(2)
            isClosed = skip(past: UInt8(ascii: "'"))
            return .blob
        case UInt8(ascii: "?"):
            advance()
            skip(while: \.isDigit)
            return .variable
        case UInt8(ascii: "$"), UInt8(ascii: "@"), UInt8(ascii: ":"), UInt8(ascii: "#"): return readVariable()
        case _ where first.isDigit:
            skip { $0.isWord || $0 == UInt8(ascii: ".") }
            return .number
        case _ where first.isWord: break
        default:
            advance()
            return .symbol
        }
        skip(while: \.isWord)
        return .word
    }

    private mutating func readBlockComment() -> Bool {
        advance(2)
        while skip(past: UInt8(ascii: "*")) {
            if byte() == UInt8(ascii: "/") {
                advance()
                return true
            }
        }
        return false
    }

    /// Skips quoted text, in which a doubled quote represents one.
    private mutating func readQuoted(by quote: UInt8) -> Bool {
        advance()
        while skip(past: quote) {
            guard byte() == quote else { return true }
            advance()
        }
        return false
    }

    /// Skips a variable in Tcl's syntax: `$name::part(index)`. The index may contain quotes and semicolons.
    private mutating func readVariable() -> Token.Kind {
        advance()
        var isNamed = false
        while let next = byte() {
            switch next {
            case _ where next.isWord:
                isNamed = true
                advance()
            case UInt8(ascii: ":") where byte(1) == next: advance(2)
            case UInt8(ascii: "(") where isNamed:
                skip { $0 != UInt8(ascii: ")") && !$0.isSpace }
                if byte() == UInt8(ascii: ")") { advance() }
                return .variable
            default: return isNamed ? .variable : .symbol
            }
        }
        return isNamed ? .variable : .symbol
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte can be part of a name.
    fileprivate var isWord: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "$") || self >= 0x80
    }
}
