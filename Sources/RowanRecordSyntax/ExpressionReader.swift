// The ends of expressions. An initial value ends before a comma, a closing bracket, the accessors of its property, or a
// line that starts a declaration.

extension TokenReader {
    /// Skips an expression.
    ///
    /// - Throws: ``SyntaxError`` if the end of the expression can't be determined.
    mutating func skipExpression() throws(SyntaxError) {
        var openTernaries = 0
        while true {
            try skipOperand()
            guard try skipOperator(&openTernaries) else { return }
        }
    }

    private static let wordsBeforeOperands: Set<String> = [
        "try", "await", "unsafe", "consume", "copy", "borrow", "repeat", "each", "any", "some", "inout", "discard",
    ]

    private mutating func skipOperand() throws(SyntaxError) {
        skipPrefixes()
        let operand = current
        switch operand.kind {
        case .punctuation where operand.mark == .at:
            // A closure type as a value, or a macro's argument.
            try skipAttribute()
            return try skipOperand()
        case .punctuation: try skipPunctuatedOperand()
        case .word where isAtWord(.if) || isAtWord(.switch) || isAtWord(.do): return try skipStatement()
        case .word, .quoted, .number, .string, .regex:
            advance()
        case .symbol:
            guard current.mark == .period else {
                // A prefix operator, or an operator as a value: `reduce(0, +)` is inside brackets.
                throw error("expected a value")
            }
            advance()
            _ = try takeName()
        case .end: throw error("expected a value")
        }
        try skipPostfixes(after: operand)
    }

    /// Skips prefix operators and the words before an operand.
    private mutating func skipPrefixes() {
        while true {
            let token = current
            if token.kind == .word, Self.wordsBeforeOperands.contains(token.text), mayPrecedeOperand {
                advance()
                if token.keyword == .try, startsWith("?") || startsWith("!") { advance() }
            } else if token.kind == .symbol, !token.precedesSpace, token.mark != .period {
                advance()
            } else {
                return
            }
        }
    }

    /// Whether the current word is followed by an operand and therefore isn't an operand itself.
    private var mayPrecedeOperand: Bool {
        if isAtWord(.try) || isAtWord(.await) { return true }
        let next = peek()
        switch next.kind {
        case .word: return !next.startsLine && next.keyword != .as && next.keyword != .is
        case .quoted, .number, .string, .regex: return !next.startsLine
        case .punctuation: return next.mark == .openBracket && next.followsSpace || next.mark == .hash
        case .symbol, .end: return false
        }
    }

    private mutating func skipPunctuatedOperand() throws(SyntaxError) {
        switch current.mark {
        case .openParenthesis, .openBracket, .openBrace:
            try skipBrackets()
        case .hash:
            advance()
            _ = try takeName()
        case .backslash:
            // A key path: `\Root<Type>.name?.name[0]`, `\.name`.
            advance()
            if isAtName { advance() } else if isAt(.openBracket) || isAt(.openParenthesis) { try skipBrackets() }
            _ = skipGenericArgumentsOfExpression()
        default:
            throw error("expected a value")
        }
    }

    /// Skips an `if`, a `switch` or a `do` that is a value.
    private mutating func skipStatement() throws(SyntaxError) {
        let word = current.text
        try skipToBlock()
        try skipBrackets()
        if word == "if" {
            while takeWord(.else) {
                let isLast = isAt(.openBrace)
                try skipToBlock()
                try skipBrackets()
                if isLast { break }
            }
        } else if word == "do" {
            while isAtWord(.catch) {
                try skipToBlock()
                try skipBrackets()
            }
        }
    }

    /// Moves to the block of a statement. Its condition has closures only in brackets.
    private mutating func skipToBlock() throws(SyntaxError) {
        while !isAt(.openBrace) {
            guard !isAtEnd, !isAt(.closeBrace), !isAt(.closeParenthesis), !isAt(.closeBracket) else {
                throw error("expected '{'")
            }
            if isAt(.openParenthesis) || isAt(.openBracket) { try skipBrackets() } else { advance() }
        }
    }

    /// Skips calls, subscripts, members, trailing closures and postfix operators.
    ///
    /// - Parameter operand: the first token of what they follow.
    private mutating func skipPostfixes(after operand: Token) throws(SyntaxError) {
        // A block after a literal, a key path or other trailing closures holds accessors.
        var mayHaveClosure = !Self.isLiteral(operand) && operand.mark != .backslash
        while true {
            let token = current
            switch token.kind {
            case .punctuation where (token.mark == .openParenthesis || token.mark == .openBracket) && !token.startsLine:
                try skipBrackets()
            case .punctuation where token.mark == .openBrace && mayHaveClosure && !startsObservers:
                try skipTrailingClosures()
            case .punctuation where token.mark == .colon && peek().mark == .colon && peek().start == token.end:
                advance()
                advance()
                _ = try takeName()
            case .punctuation where token.mark == .hash && startsConditionalMembers:
                try skipConditionalMembers()
            case .symbol where token.mark == .period:
                // `.name`, and `.?` or `.self` of a key path.
                advance()
                if isAtName || current.kind == .number {
                    advance()
                } else if !isAt(.openBracket) && !isAt(.openParenthesis) && !startsWith("?") && !startsWith("!") {
                    throw error("expected a member")
                }
            case .symbol where token.text.first == "<" && skipGenericArgumentsOfExpression():
                continue
            case .symbol where !token.followsSpace && isPostfix(token):
                advance()
            case .symbol
            where !token.followsSpace && (token.text.first == "?" || token.text.first == "!")
                && token.text.dropFirst().first == ".":
                _ = takeFirst(token.text.first!)
            default:
                return
            }
            mayHaveClosure = operand.mark != .backslash && token.mark != .openBrace
        }
    }

    private static func isLiteral(_ token: Token) -> Bool {
        switch token.kind {
        case .number, .string, .regex: true
        case .punctuation: token.mark == .openBracket
        case .word: [.nil, .true, .false].contains(token.keyword)
        case .quoted, .symbol, .end: false
        }
    }

    /// Whether an operator adjacent to its left operand belongs only to that operand.
    private func isPostfix(_ token: Token) -> Bool {
        if token.text.allSatisfy({ $0 == "?" || $0 == "!" }) { return true }
        if token.precedesSpace { return true }
        let next = peek()
        return next.kind == .end
            || next.kind == .punctuation
                && [.closeParenthesis, .closeBracket, .closeBrace, .comma, .semicolon, .colon].contains(next.mark)
            || next.kind == .symbol && next.text.first == "."
    }

    private mutating func skipTrailingClosures() throws(SyntaxError) {
        try skipBrackets()
        while isAtName, peek().mark == .colon, peek(2).mark == .openBrace {
            advance()
            advance()
            try skipBrackets()
        }
    }

    /// Skips an operator between operands. At the end of the expression, does not move.
    private mutating func skipOperator(_ openTernaries: inout Int) throws(SyntaxError) -> Bool {
        let token = current
        if token.kind == .word, token.keyword == .as || token.keyword == .is {
            advance()
            if startsWith("?") || startsWith("!") { advance() }
            try skipType()
            return try skipOperator(&openTernaries)
        }
        // `(A) throws -> B` is a type as a value.
        if token.kind == .word { return takeArrow() }
        if token.kind == .symbol {
            if token.mark == .question, token.followsSpace {
                openTernaries += 1
                advance()
                return true
            }
            guard token.followsSpace == token.precedesSpace || !token.followsSpace else { return false }
            advance()
            return true
        }
        if token.kind == .punctuation, token.mark == .colon, openTernaries > 0 {
            openTernaries -= 1
            advance()
            return true
        }
        return false
    }
}
