// The tokens of an SQL text, with their names and texts.

/// Reads the tokens of an SQL text one by one.
package struct SQLScanner: Sequence, IteratorProtocol {
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
        /// The position in the UTF-8 text.
        package let range: Range<Int>
        /// Whether the token is complete. Only quotes and comments can be incomplete: they reach to the end of the
        /// text.
        package let isClosed: Bool

        package var isComment: Bool { kind == .lineComment || kind == .blockComment }
    }

    package private(set) var sql: String
    private var position = 0

    package init(_ sql: String) {
        self.sql = sql
        self.sql.makeContiguousUTF8()
    }

    /// The next token; nil at the end of the text.
    package mutating func next() -> Token? {
        let start = position
        let token = sql.withUTF8 { utf8 in
            var bytes = SQLBytes(utf8, from: start)
            return bytes.next()
        }
        if let token { position = token.range.upperBound }
        return token
    }

    private func utf8(_ range: Range<Int>) -> Substring.UTF8View {
        let start = sql.utf8.index(sql.startIndex, offsetBy: range.lowerBound)
        return sql.utf8[start..<sql.utf8.index(start, offsetBy: range.count)]
    }

    /// The text between two positions.
    package subscript(_ range: Range<Int>) -> String { String(decoding: utf8(range), as: UTF8.self) }

    /// The text of a token.
    package subscript(_ token: Token) -> String { self[token.range] }

    /// A name, or text in place of a name, without its quotes.
    package func name(_ token: Token) -> String? {
        var inner = utf8(token.range)
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

    /// A text with other texts in place of some tokens.
    package static func replacing(
        _ sql: String, _ replacement: (_ token: Token, _ scanner: SQLScanner) throws -> String?
    ) rethrows -> String {
        var scanner = SQLScanner(sql)
        var (result, end) = ("", 0)
        while let token = scanner.next() {
            guard let text = try replacement(token, scanner) else { continue }
            result += scanner[end..<token.range.lowerBound] + text
            end = token.range.upperBound
        }
        return result + scanner[end..<sql.utf8.count]
    }
}
