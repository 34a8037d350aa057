// The tokens of an SQL text. SQLite compiles it, but does not tell where its names, parameters and comments stand.

/// A token of an SQL text.
struct SQLToken: Equatable {
    enum Kind: Equatable {
        /// A name or a keyword, also in quotes.
        case word
        /// `?`, `?1`, `:name`, `@name`, `$name`
        case parameter
        /// `'text'`, and `x'00'`
        case text
        case comment
        /// A number, a sign, or what SQL does not know.
        case other
    }

    let kind: Kind
    /// The text of the token; of a word the name, without quotes.
    let text: String
    /// Where it stands, with its quotes, in bytes.
    let range: Range<Int>
    /// Whether a point precedes it: `title` in `place.title`.
    let followsPoint: Bool
}

/// The tokens of an SQL text, without its spaces. A text, name or comment without end reaches to the end.
///
/// Source: <https://sqlite.org/draft/tokenreq.html>
func sqlTokens(_ sql: [UInt8]) -> [SQLToken] {
    var scanner = SQLScanner(sql)
    var tokens: [SQLToken] = []
    var followsPoint = false
    while let (kind, range) = scanner.next() {
        let text = kind == .word ? name(sql[range]) : String(decoding: sql[range], as: UTF8.self)
        tokens.append(SQLToken(kind: kind, text: text, range: range, followsPoint: followsPoint))
        // A comment may stand between the point and the name.
        if kind != .comment { followsPoint = kind == .other && text == "." }
    }
    return tokens
}

/// The names and keywords of an SQL text.
func sqlWords(_ sql: [UInt8]) -> [SQLToken] { sqlTokens(sql).filter { $0.kind == .word } }

/// A name without its quotes.
private func name(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let quote = text.first, "\"`[".contains(quote) else { return text }
    let inner = String(text.dropFirst().dropLast(text.count > 1 ? 1 : 0))
    if quote == "[" { return inner }
    let mark = String(quote)
    return inner.split(separator: mark + mark, omittingEmptySubsequences: false).joined(separator: mark)
}

private struct SQLScanner {
    private let sql: [UInt8]
    private var position = 0

    init(_ sql: [UInt8]) { self.sql = sql }

    /// The next token; nil at the end.
    mutating func next() -> (SQLToken.Kind, Range<Int>)? {
        while let byte = byte(), isSpace(byte) { position += 1 }
        guard let first = byte() else { return nil }
        let start = position
        let kind = read(first)
        return (kind, start..<position)
    }

    private func byte(_ distance: Int = 0) -> UInt8? {
        position + distance < sql.count ? sql[position + distance] : nil
    }

    private mutating func read(_ first: UInt8) -> SQLToken.Kind {
        switch first {
        case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
            while let byte = byte(), byte != UInt8(ascii: "\n") { position += 1 }
            return .comment
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
            position += 2
            while let next = byte(), next != UInt8(ascii: "*") || byte(1) != UInt8(ascii: "/") { position += 1 }
            position = min(position + 2, sql.count)
            return .comment
        case UInt8(ascii: "'"):
            skipQuoted(by: first)
            return .text
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            skipQuoted(by: first)
            return .word
        case UInt8(ascii: "["):
            skipQuoted(by: UInt8(ascii: "]"))
            return .word
        case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
            position += 1
            let start = position
            skip(first == UInt8(ascii: "?") ? isDigit : isWord)
            return first == UInt8(ascii: "?") || position > start ? .parameter : .other
        case let byte where isDigit(byte):
            skip(isWord)
            return .other
        case let byte where byte | 0x20 == UInt8(ascii: "x") && self.byte(1) == UInt8(ascii: "'"):
            position += 1
            skipQuoted(by: UInt8(ascii: "'"))
            return .text
        case let byte where isWord(byte):
            skip(isWord)
            return .word
        default:
            position += 1
            return .other
        }
    }

    /// Passes a quoted text, in which a doubled quote stands for one.
    private mutating func skipQuoted(by quote: UInt8) {
        position += 1
        while let next = byte() {
            position += 1
            guard next == quote else { continue }
            guard byte() == quote, quote != UInt8(ascii: "]") else { return }
            position += 1
        }
    }

    private mutating func skip(_ isPart: (UInt8) -> Bool) {
        while let byte = byte(), isPart(byte) { position += 1 }
    }
}

private func isSpace(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") }

private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

private func isWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
}
