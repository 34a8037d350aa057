// The tokens of Swift source, as far as the parser distinguishes them.

/// A piece of source.
public struct Token: Equatable, Sendable {
    /// The kind of a token.
    public enum Kind: Equatable, Sendable {
        /// An identifier or a keyword, which the parser distinguishes.
        case word
        /// An identifier in backticks.
        case quoted
        case number
        case string
        case regex
        /// A sequence of operator characters.
        case symbol
        /// One of `( ) [ ] { } , ; : @ # \` and `.` before a member.
        case punctuation
        case end
    }

    /// The marks that the parser looks for.
    enum Mark: String, Sendable {
        case openParenthesis = "("
        case closeParenthesis = ")"
        case openBracket = "["
        case closeBracket = "]"
        case openBrace = "{"
        case closeBrace = "}"
        case ampersand = "&"
        case arrow = "->"
        case at = "@"
        case backslash = "\\"
        case colon = ":"
        case comma = ","
        case ellipsis = "..."
        case equals = "="
        case equalsEquals = "=="
        case hash = "#"
        case minus = "-"
        case optionalPeriod = "?."
        case period = "."
        case question = "?"
        case semicolon = ";"
    }

    /// The words that the parser looks for. Each may also be a name.
    enum Keyword: String, Sendable {
        case `as`, async, await, `catch`, `do`, each, `else`, elseif, endif, `false`, `if`, `is`, `let`, `nil`
        case nonisolated, reasync, `rethrows`, `self`, `switch`, `throws`, `true`, `try`, `where`
    }

    public let kind: Kind
    public let text: String
    /// The offset of the first byte.
    public let start: Int
    /// The offset after the last byte.
    public let end: Int
    /// Whether whitespace or a comment precedes the token, by the compiler's rules for operators: a vertical tab or a
    /// byte order mark does not count.
    public let followsSpace: Bool
    /// Whether there is a line break between the previous token and this one.
    public let startsLine: Bool
    /// Whether whitespace, a comment or the end of the source follows the token.
    public let precedesSpace: Bool

    let mark: Mark?
    let keyword: Keyword?

    init(
        kind: Kind, text: String, start: Int, end: Int, followsSpace: Bool, startsLine: Bool, precedesSpace: Bool
    ) {
        (self.kind, self.text, self.start, self.end) = (kind, text, start, end)
        (self.followsSpace, self.startsLine, self.precedesSpace) = (followsSpace, startsLine, precedesSpace)
        mark = kind == .punctuation || kind == .symbol ? Mark(rawValue: text) : nil
        keyword = kind == .word ? Keyword(rawValue: text) : nil
    }
}

/// The error for source that can't be parsed.
public struct SyntaxError: Error, Equatable {
    public let message: String
    /// The offset of the byte at which it was detected.
    public let offset: Int

    public init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }
}
