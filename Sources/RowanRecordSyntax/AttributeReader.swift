// Attributes with their arguments, and modifiers.

extension TokenReader {
    private static let modifiers: Set<String> = [
        "public", "private", "fileprivate", "internal", "package", "open", "static", "class", "final", "lazy", "weak",
        "unowned", "nonisolated", "isolated", "mutating", "nonmutating", "consuming", "borrowing", "override",
        "required",
        "convenience", "dynamic", "optional", "indirect", "prefix", "postfix", "infix", "async", "distributed",
        "nonsending",
        "__consuming", "_const", "__setter_access", "reasync", "sending",
    ]

    mutating func readAttributes() throws(SyntaxError) -> [AttributeModel] {
        var attributes: [AttributeModel] = []
        while true {
            if isAt(.at) {
                attributes.append(try readAttribute())
            } else if let conditional = try readConditionalAttributes() {
                attributes += conditional
            } else {
                return attributes
            }
        }
    }

    /// Skips `#if` … `#endif` if it contains only attributes; otherwise, does not move.
    private mutating func readConditionalAttributes() throws(SyntaxError) -> [AttributeModel]? {
        guard isAt(.hash), peek().keyword == .if else { return nil }
        let start = mark
        var attributes: [AttributeModel] = []
        repeat {
            advance()
            try skipCondition()
            attributes += try readAttributes()
        } while isAt(.hash) && (peek().keyword == .elseif || peek().keyword == .else)
        guard !attributes.isEmpty, isAt(.hash), peek().keyword == .endif else {
            mark = start
            return nil
        }
        advance()
        advance()
        for index in attributes.indices { attributes[index].isConditional = true }
        return attributes
    }

    private mutating func readAttribute() throws(SyntaxError) -> AttributeModel {
        let start = mark
        let offset = current.start
        try skipAttribute()
        let end = mark
        let last = previous!
        var attribute = AttributeModel(
            name: "", text: text(since: start), source: source(since: start), offset: offset, end: last.end)
        // The name is read again, with any arguments.
        mark = start
        advance()
        attribute.name = try takeAttributeName()
        if index < end.index { attribute.arguments = try readArguments() }
        mark = end
        return attribute
    }

    private mutating func readArguments() throws(SyntaxError) -> [ArgumentModel] {
        var arguments: [ArgumentModel] = []
        advance()
        while !isAt(.closeParenthesis) {
            var label: String?
            if isAtName, peek().mark == .colon, peek(2).mark != .colon {
                label = current.text
                advance()
                advance()
            }
            let start = mark
            let first = current
            // To the next comma outside brackets and generic arguments.
            while !isAt(.comma), !isAt(.closeParenthesis) {
                guard !isAtEnd else { throw error("expected ')'") }
                if isAt(.openParenthesis) || isAt(.openBracket) || isAt(.openBrace) {
                    try skipBrackets()
                } else if !skipGenericArgumentsOfExpression() {
                    advance()
                }
            }
            arguments.append(
                ArgumentModel(label: label, value: value(since: start), offset: first.start))
            _ = take(.comma)
        }
        advance()
        return arguments
    }

    mutating func readModifiers() throws(SyntaxError) -> [ModifierModel] {
        var modifiers: [ModifierModel] = []
        while current.kind == .word, Self.modifiers.contains(current.text), isModifier {
            let name = current.text
            advance()
            var detail: String?
            if isAt(.openParenthesis) {
                let start = mark
                try skipBrackets()
                detail = String(text(since: start).dropFirst().dropLast())
            }
            modifiers.append(ModifierModel(name: name, detail: detail))
        }
        return modifiers
    }

    /// Whether a word is a modifier: `class` before a name is a class.
    private var isModifier: Bool {
        let next = peek()
        switch current.text {
        case "class": return next.kind == .word && (Self.declarationWords.contains(next.text) || isModifierWord(next))
        default: return next.kind == .word || [.openParenthesis, .at, .hash].contains(next.mark)
        }
    }

    func isModifierWord(_ token: Token) -> Bool { token.kind == .word && Self.modifiers.contains(token.text) }
}
