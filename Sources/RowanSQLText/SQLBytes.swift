// The boundaries of the tokens of an SQL text, by SQLite's rules, byte by byte: a character may combine a quote with
// the accent that follows it, and untrusted text may contain one.

/// Reads the tokens of an SQL text one by one, without allocating memory.
///
/// Source: <https://sqlite.org/draft/tokenreq.html>
package struct SQLBytes {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position: Int

    package init(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0) { (self.bytes, position) = (bytes, start) }

    /// The next token; nil at the end of the text.
    package mutating func next() -> SQLScanner.Token? {
        skipSpaces()
        guard let first = byte() else { return nil }
        let start = position
        var isClosed = true
        let kind = read(first, &isClosed)
        return SQLScanner.Token(kind: kind, range: start..<position, isClosed: isClosed)
    }

    /// Whether a text contains `USING` or `NATURAL`, also within a longer word, a text or a comment.
    package static func joinsByName(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        func contains(_ word: StaticString, at start: Int) -> Bool {
            guard start + word.utf8CodeUnitCount <= text.count else { return false }
            return (0..<word.utf8CodeUnitCount).allSatisfy { text[start + $0] | 0x20 == word.utf8Start[$0] }
        }
        return text.indices.contains { index in
            switch text[index] | 0x20 {
            case UInt8(ascii: "u"): contains("using", at: index)
            case UInt8(ascii: "n"): contains("natural", at: index)
            default: false
            }
        }
    }

    // MARK: Bytes

    private func byte(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private mutating func advance(_ distance: Int = 1) {
        position = min(position + distance, bytes.count)
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
            if first.isSpace {
                advance()
            } else if first == 0xEF, byte(1) == 0xBB, byte(2) == 0xBF {
                advance(3)
            } else {
                return
            }
        }
    }

    // MARK: Tokens

    private mutating func read(_ first: UInt8, _ isClosed: inout Bool) -> SQLScanner.Token.Kind {
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
    private mutating func readVariable() -> SQLScanner.Token.Kind {
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

extension SQLBytes {
    /// Whether a text contains only whitespace, comments and semicolons, and thus no statement.
    package static func areBlank(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var bytes = SQLBytes(text)
        while let token = bytes.next() {
            guard token.isComment || text[token.range.lowerBound] == UInt8(ascii: ";") else { return false }
        }
        return true
    }

    /// The text of one statement, without surrounding whitespace and semicolons.
    package static func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        func isPart(_ byte: UInt8) -> Bool { !byte.isSpace && byte != UInt8(ascii: ";") }
        guard let start = text.firstIndex(where: isPart), let end = text.lastIndex(where: isPart) else {
            return UnsafeBufferPointer(rebasing: text[..<0])
        }
        return UnsafeBufferPointer(rebasing: text[start...end])
    }
}

extension String {
    /// The text of one statement, without surrounding whitespace and semicolons.
    package var trimmedStatement: String {
        var text = self
        return text.withUTF8 { String(decoding: SQLBytes.trimmed($0), as: UTF8.self) }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte can be part of a name: an ASCII letter or digit, `_`, `$`, or a byte of another character.
    var isWord: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "$") || self >= 0x80
    }
}
