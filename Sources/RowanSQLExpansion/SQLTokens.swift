// The tokens of an SQL text. SQLite compiles it but does not report the positions of its names, parameters and
// comments.

import RowanSQLText

/// A token of an SQL text.
struct SQLToken: Equatable {
    enum Kind: Equatable {
        /// A name or a keyword, possibly in quotes.
        case word
        /// `?`, `?1`, `:name`, `@name`, `$name`
        case parameter
        /// `'text'` and `x'00'`
        case text
        case comment
        /// A number, a sign, or anything that isn't SQL.
        case other
    }

    let kind: Kind
    /// The text of the token. For a word, the name without quotes.
    let text: String
    /// Its position, including quotes, in bytes.
    let range: Range<Int>
    /// Whether a point precedes it: `title` in `place.title`.
    let followsPoint: Bool
}

/// The tokens of an SQL text, without its spaces. Unterminated text, names and comments reach to the end.
func sqlTokens(_ sql: [UInt8]) -> [SQLToken] {
    let scanner = SQLScanner(String(decoding: sql, as: UTF8.self))
    var tokens: [SQLToken] = []
    var followsPoint = false
    for token in scanner {
        let kind = SQLToken.Kind(token.kind)
        let text = kind == .word ? scanner.name(token) : nil
        tokens.append(
            SQLToken(kind: kind, text: text ?? scanner[token], range: token.range, followsPoint: followsPoint))
        // A comment may be between the point and the name.
        if kind != .comment { followsPoint = kind == .other && scanner[token] == "." }
    }
    return tokens
}

/// The names and keywords of an SQL text.
func sqlWords(_ sql: [UInt8]) -> [SQLToken] { sqlTokens(sql).filter { $0.kind == .word } }

extension SQLToken.Kind {
    fileprivate init(_ kind: SQLScanner.Token.Kind) {
        self =
            switch kind {
            case .word, .quotedName: .word
            case .variable: .parameter
            case .text, .blob: .text
            case .lineComment, .blockComment: .comment
            case .number, .symbol: .other
            }
    }
}
