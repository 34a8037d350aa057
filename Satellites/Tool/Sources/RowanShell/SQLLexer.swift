// The tokens of SQL. The text may grow while it is read.

/// Reads the tokens of an SQL text, without comments.
struct SQLLexer {
    enum Kind: Equatable {
        /// A keyword or a name.
        case word
        /// A name in `"quotes"`, backticks or `[brackets]`.
        case quotedName
        /// `'text'`
        case text
        /// `:name`, `?1`
        case variable
        case comment
        /// A number, or an ASCII character.
        case other(UInt8)
    }

    struct Token: Equatable {
        let kind: Kind
        let range: Range<Int>
    }

    private(set) var bytes: [UInt8]
    private var position = 0
    /// A quote or comment whose end is missing. It continues when the text grows.
    private(set) var open: (kind: Kind, start: Int)?

    init(_ text: String = "") { bytes = Array(text.utf8) }

    mutating func append(_ text: String) { bytes += text.utf8 }

    /// Forgets the text before a position.
    mutating func removeText(before start: Int) {
        bytes.removeFirst(start)
        position -= start
        open?.start -= start
    }

    subscript(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// A name, without its quotes. They may be open.
    func name(_ token: Token) -> String {
        guard token.kind == .quotedName, let quote = bytes[token.range].first else { return self[token.range] }
        let end = quote == UInt8(ascii: "[") ? UInt8(ascii: "]") : quote
        var inner = self[token.range].dropFirst()
        if token.range.count > 1, bytes[token.range].last == end, open?.start != token.range.lowerBound {
            inner.removeLast()
        }
        let mark = String(UnicodeScalar(quote))
        return quote == UInt8(ascii: "[") ? String(inner) : String(inner).replacing(mark + mark, with: mark)
    }

    /// The next token; nil at the end of the text.
    mutating func next() -> Token? {
        while position < bytes.count {
            let token: Token
            if let (kind, start) = open {
                guard skip(to: kind, start) else { return nil }
                open = nil
                token = Token(kind: kind, range: start..<position)
            } else {
                let start = position
                guard let kind = begin() else { continue }
                guard open == nil else { continue }
                token = Token(kind: kind, range: start..<position)
            }
            if token.kind != .comment { return token }
        }
        return nil
    }

    /// Reads a token, or the begin of one with quotes.
    ///
    /// - Returns: nil for a space.
    private mutating func begin() -> Kind? {
        let start = position
        let byte = bytes[position]
        position += 1
        func isNext(_ character: UInt8) -> Bool { position < bytes.count && bytes[position] == character }
        switch byte {
        case UInt8(ascii: " "), 9...13: return nil
        case UInt8(ascii: "'"): open = (.text, start)
        case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["): open = (.quotedName, start)
        case UInt8(ascii: "-") where isNext(byte): open = (.comment, start)
        case UInt8(ascii: "/") where isNext(UInt8(ascii: "*")):
            position += 1
            open = (.comment, start)
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "?"):
            skipWord()
            return .variable
        case _ where byte.isPartOfName:
            skipWord()
            return 48...57 ~= byte ? .other(byte) : .word
        default: return .other(byte)
        }
        return open?.kind
    }

    private mutating func skipWord() {
        while position < bytes.count, bytes[position].isPartOfName { position += 1 }
    }

    /// Reads to the end of a quote or comment.
    ///
    /// - Returns: false if it is missing.
    private mutating func skip(to kind: Kind, _ start: Int) -> Bool {
        let first = bytes[start]
        let isBlock = kind == .comment && first == UInt8(ascii: "/")
        let end = kind == .comment ? (isBlock ? UInt8(ascii: "/") : 10) : first == 91 ? 93 : first
        while position < bytes.count {
            position += 1
            guard bytes[position - 1] == end else { continue }
            if isBlock, position < start + 4 || bytes[position - 2] != UInt8(ascii: "*") { continue }
            // Two quotes in quotes are one character.
            if kind != .comment, end == first, position < bytes.count, bytes[position] == end {
                position += 1
                continue
            }
            return true
        }
        return false
    }
}

extension UInt8 {
    fileprivate var isPartOfName: Bool {
        switch self {
        case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "$"), 128...255: true
        default: false
        }
    }
}
