// The ends of types. Their meaning is left to the compiler.

extension TokenReader {
    /// Skips a type.
    ///
    /// - Throws: ``SyntaxError`` if there is none.
    mutating func skipType() throws(SyntaxError) { _ = try readTypeForm() }

    /// Reads a type.
    ///
    /// - Throws: ``SyntaxError`` if there is none.
    mutating func readTypeForm() throws(SyntaxError) -> TypeModel.Form {
        var hasPrefix = try skipTypePrefixes()
        if try skipFunctionType() { return .function }
        var form = try readSimpleType()
        while true {
            if isAt(.ampersand) {
                advance()
                try skipTypePrefixes()
                _ = try readSimpleType()
                hasPrefix = true
            } else if takeArrow() {
                // The result of a function type whose parameters were read as a tuple.
                try skipType()
                form = .function
            } else {
                return hasPrefix && form != .function ? .other : form
            }
        }
    }

    private mutating func skipFunctionType() throws(SyntaxError) -> Bool {
        guard isAt(.openParenthesis) else { return false }
        let start = mark
        try skipBrackets()
        guard takeArrow() else {
            mark = start
            return false
        }
        try skipType()
        return true
    }

    /// Skips `async throws ->`. Without an arrow, the words belong to what follows: `async` may be a modifier.
    mutating func takeArrow() -> Bool {
        let start = mark
        if (try? skipEffects()) != nil, take(.arrow) { return true }
        mark = start
        return false
    }

    /// Skips `async throws(E)`.
    mutating func skipEffects() throws(SyntaxError) {
        while isAtWord(.async) || isAtWord(.throws) || isAtWord(.rethrows) || isAtWord(.reasync) {
            let mayHaveType = isAtWord(.throws)
            advance()
            if mayHaveType, isAt(.openParenthesis) { try skipBrackets() }
        }
    }

    private static let typePrefixes: Set<String> = [
        "inout", "some", "any", "borrowing", "consuming", "sending", "isolated", "repeat", "each", "__owned",
        "__shared",
        "_const", "nonisolated",
    ]

    /// - Returns: whether there is a word or a `~`, so that the type is more than what follows.
    @discardableResult
    private mutating func skipTypePrefixes() throws(SyntaxError) -> Bool {
        var hasPrefix = false
        while true {
            if isAt(.at) {
                try skipAttribute()
            } else if startsWith("~") {
                _ = takeFirst("~")
                hasPrefix = true
            } else if current.kind == .word, Self.typePrefixes.contains(current.text), isTypePrefix {
                advance()
                if isAt(.openParenthesis) && previous?.keyword == .nonisolated { try skipBrackets() }
                hasPrefix = true
            } else {
                return hasPrefix
            }
        }
    }

    /// Whether a word before a type is not a type of this name.
    private var isTypePrefix: Bool {
        let next = peek()
        switch next.kind {
        case .word, .quoted: return true
        case .punctuation: return [.openParenthesis, .openBracket, .at].contains(next.mark)
        case .symbol: return next.text.first == "~"
        case .number, .string, .regex, .end: return false
        }
    }

    /// Reads a name, a tuple, an array or a dictionary, with adjacent tokens.
    private mutating func readSimpleType() throws(SyntaxError) -> TypeModel.Form {
        var form: TypeModel.Form
        if isAt(.openParenthesis) {
            form = typeInParentheses ?? .tuple
            try skipBrackets()
        } else if isAt(.openBracket) {
            form = .collection
            try skipBrackets()
        } else {
            let name = try takeName().text
            try skipModuleSelector()
            form = .named(name, arguments: try readGenericArguments())
        }
        while true {
            if isAt(.period) {
                advance()
                let member = try takeName().text
                let arguments = try readGenericArguments()
                if case .named(let name, _) = form {
                    form = .named("\(name).\(member)", arguments: arguments)
                } else {
                    form = .other
                }
            } else if (startsWith("?") || startsWith("!")), !current.followsSpace {
                _ = takeFirst(current.text.first!)
                form = .optional(form)
            } else {
                return form
            }
        }
    }

    /// The type between the next parentheses, if there is exactly one.
    private var typeInParentheses: TypeModel.Form? {
        // Deeper types have no meaning, and would need a deep stack.
        guard depth < 20 else { return .other }
        var reader = self
        reader.depth += 1
        reader.advance()
        // A label, for example, isn't a type: it is then a tuple.
        guard let form = try? reader.readTypeForm(), reader.isAt(.closeParenthesis) else { return nil }
        return form
    }

    /// Skips `Module::`.
    private mutating func skipModuleSelector() throws(SyntaxError) {
        while isAt(.colon), peek().mark == .colon, peek().start == current.end {
            advance()
            advance()
            _ = try takeName()
        }
    }

    @discardableResult
    private mutating func readGenericArguments() throws(SyntaxError) -> [TypeModel.Form] {
        guard takeFirst("<") else { return [] }
        var arguments: [TypeModel.Form] = []
        while !startsWith(">") {
            arguments.append(try readGenericArgument())
            if !take(.comma) { break }
        }
        guard takeFirst(">") else { throw error("expected '>'") }
        return arguments
    }

    private mutating func readGenericArgument() throws(SyntaxError) -> TypeModel.Form {
        if isAt(.minus), peek().kind == .number { advance() }
        guard current.kind == .number else { return try readTypeForm() }
        advance()
        return .other
    }

    /// Skips generic arguments of an expression. If the angle bracket is an operator, does not move.
    mutating func skipGenericArgumentsOfExpression() -> Bool {
        guard startsWith("<"), let last = previous, last.kind == .word || last.kind == .quoted else { return false }
        let start = mark
        guard (try? readGenericArguments()) != nil, endsGenericArguments else {
            // An error means that it is a comparison.
            mark = start
            return false
        }
        return true
    }

    /// Whether generic arguments may end before the current token.
    private var endsGenericArguments: Bool {
        switch current.kind {
        case .punctuation:
            return [.closeParenthesis, .closeBracket, .closeBrace, .openBrace, .comma, .semicolon, .colon].contains(
                current.mark)
                || [.openParenthesis, .openBracket].contains(current.mark) && !current.startsLine
        case .symbol:
            let first = current.text.first!
            if first == "." || first == "?" || first == "!" { return true }
            return current.mark == .equals || current.mark == .equalsEquals
                || current.followsSpace && current.precedesSpace
        case .end: return true
        case .word, .quoted, .number, .string, .regex: return current.startsLine
        }
    }

    /// Skips `@Name.Name<Type>(arguments)`. Arguments follow without a space, so `@Flag (a, b)` has none.
    mutating func skipAttribute() throws(SyntaxError) {
        guard take(.at) else { throw error("expected an attribute") }
        let name = try takeAttributeName()
        if isAt(.openParenthesis), !current.followsSpace, !Self.attributesOfFunctionTypes.contains(name) {
            try skipBrackets()
        }
    }

    /// Attributes without arguments: a bracket after them belongs to the function type.
    private static let attributesOfFunctionTypes: Set<String> = ["escaping", "autoclosure", "Sendable", "noescape"]

    /// Skips the name of an attribute and returns its last component.
    mutating func takeAttributeName() throws(SyntaxError) -> String {
        var name = try takeName().text
        while isAt(.colon), peek().mark == .colon, peek().start == current.end {
            advance()
            advance()
            name = try takeName().text
        }
        try readGenericArguments()
        while isAt(.period) {
            advance()
            name = try takeName().text
            try readGenericArguments()
        }
        return name
    }
}
