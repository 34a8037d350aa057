// Reads tokens one by one and skips the contents of brackets.

/// A position among the tokens of a source.
struct TokenReader {
    let tokens: [Token]
    var index = 0
    /// The part of the current token that was already read: `>?` is `>` and `?` in a type.
    private var taken = 0
    /// The number of parentheses around the type being read.
    var depth = 0

    init(_ source: String) throws(SyntaxError) { tokens = try Lexer.tokens(of: source) }

    var current: Token {
        let token = tokens[index]
        guard taken > 0 else { return token }
        return Token(
            kind: token.kind, text: String(token.text.dropFirst(taken)), start: token.start + taken, end: token.end,
            followsSpace: false, startsLine: false, precedesSpace: token.precedesSpace)
    }

    /// A later token.
    func peek(_ count: Int = 1) -> Token { tokens[min(index + count, tokens.count - 1)] }

    var previous: Token? { taken > 0 ? tokens[index] : index > 0 ? tokens[index - 1] : nil }

    var isAtEnd: Bool { current.kind == .end }

    mutating func advance() {
        taken = 0
        if index < tokens.count - 1 { index += 1 }
    }

    /// Whether the current token is this mark.
    func isAt(_ mark: Token.Mark) -> Bool { current.mark == mark }

    func startsWith(_ mark: Character) -> Bool {
        let token = current
        return (token.kind == .punctuation || token.kind == .symbol) && token.text.first == mark
    }

    func isAtWord(_ word: Token.Keyword) -> Bool { current.keyword == word }

    var isAtName: Bool { current.kind == .word || current.kind == .quoted }

    /// Skips a mark.
    mutating func take(_ mark: Token.Mark) -> Bool {
        guard isAt(mark) else { return false }
        advance()
        return true
    }

    /// Skips the first character of an operator and leaves the others.
    mutating func takeFirst(_ mark: Character) -> Bool {
        guard startsWith(mark) else { return false }
        let length = current.text.count
        if length == 1 { advance() } else { taken += 1 }
        return true
    }

    mutating func takeWord(_ word: Token.Keyword) -> Bool {
        guard isAtWord(word) else { return false }
        advance()
        return true
    }

    mutating func takeName() throws(SyntaxError) -> Token {
        guard isAtName else { throw error("expected a name") }
        let token = current
        advance()
        return token
    }

    func error(_ message: String) -> SyntaxError {
        let found = isAtEnd ? "the end" : "'\(current.text.prefix(40))'"
        return SyntaxError("\(message) instead of \(found)", at: current.start)
    }

    /// Skips everything from a bracket to its match.
    mutating func skipBrackets() throws(SyntaxError) {
        let start = current
        var open: [Token.Mark] = []
        repeat {
            guard !isAtEnd else { throw SyntaxError("'\(start.text)' has no partner", at: start.start) }
            if current.kind == .punctuation {
                switch current.mark {
                case .openParenthesis: open.append(.closeParenthesis)
                case .openBracket: open.append(.closeBracket)
                case .openBrace: open.append(.closeBrace)
                case .closeParenthesis, .closeBracket, .closeBrace:
                    guard open.popLast() == current.mark else {
                        throw SyntaxError("'\(current.text)' is not the partner of its bracket", at: current.start)
                    }
                default: break
                }
            }
            advance()
        } while !open.isEmpty
    }

    /// The text between a position and this one, without spaces and comments.
    func text(since start: Mark) -> String {
        var text = ""
        for index in start.index..<index {
            text += index == start.index ? String(tokens[index].text.dropFirst(start.taken)) : tokens[index].text
        }
        if taken > 0 {
            text += tokens[index].text.prefix(taken).dropFirst(index == start.index ? start.taken : 0)
        }
        return text
    }

    /// The source since a position, without comments. A line break or a space is kept, because a line break may end a
    /// statement.
    func source(since start: Mark) -> String {
        var source = ""
        for place in start.index..<index {
            let token = tokens[place]
            if place > start.index, token.start > tokens[place - 1].end { source += token.startsLine ? "\n" : " " }
            source += place == start.index ? String(token.text.dropFirst(start.taken)) : token.text
        }
        if taken > 0 { source += tokens[index].text.prefix(taken).dropFirst(index == start.index ? start.taken : 0) }
        return source
    }

    /// A position to return to.
    struct Mark {
        let index: Int
        let taken: Int
    }

    var mark: Mark {
        get { Mark(index: index, taken: taken) }
        set { (index, taken) = (newValue.index, newValue.taken) }
    }
}
