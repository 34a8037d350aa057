// Conditional compilation inside declarations and expressions.

extension TokenReader {
    /// Moves from `if`, `elseif` or `else` to the next line. Brackets may span several lines.
    mutating func skipCondition() throws(SyntaxError) {
        advance()
        while !isAtEnd, !current.startsLine {
            if isAt(.openParenthesis) { try skipBrackets() } else { advance() }
        }
    }

    /// Whether the next tokens are an `#if` with members of a value: `.name()`.
    var startsConditionalMembers: Bool {
        var reader = self
        while reader.isAt(.hash), reader.peek().keyword == .if {
            reader.advance()
            guard (try? reader.skipCondition()) != nil else { return false }
        }
        return reader.index > index && reader.isAt(.period)
    }

    /// Skips `#if` … `#endif` in an expression.
    mutating func skipConditionalMembers() throws(SyntaxError) {
        let start = current
        var depth = 0
        repeat {
            guard !isAtEnd else { throw SyntaxError("'#if' has no '#endif'", at: start.start) }
            if isAt(.hash), peek().start == current.end {
                if peek().keyword == .if { depth += 1 } else if peek().keyword == .endif { depth -= 1 }
                advance()
            }
            if isAt(.openParenthesis) || isAt(.openBracket) || isAt(.openBrace) {
                try skipBrackets()
            } else {
                advance()
            }
        } while depth > 0
    }
}
