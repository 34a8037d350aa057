// Types: where they end. Their meaning is the compiler's business.

extension TokenReader {
    /// Moves past a type.
    ///
    /// - Throws: ``SyntaxError`` if there is none.
    mutating func skipType() throws(SyntaxError) {
        try skipTypePrefixes()
        if try skipFunctionType() { return }
        try skipSimpleType()
        while true {
            if isAt("&") {
                advance()
                try skipTypePrefixes()
                try skipSimpleType()
            } else if takeArrow() {
                // The result of a function type whose parameters were read as a tuple.
                return try skipType()
            } else {
                return
            }
        }
    }

    private mutating func skipFunctionType() throws(SyntaxError) -> Bool {
        guard isAt("(") else { return false }
        let start = mark
        try skipBrackets()
        guard takeArrow() else {
            mark = start
            return false
        }
        try skipType()
        return true
    }

    /// Moves past `async throws ->`. Without an arrow, the words belong to what follows: `async` may be a modifier.
    mutating func takeArrow() -> Bool {
        let start = mark
        if (try? skipEffects()) != nil, take("->") { return true }
        mark = start
        return false
    }

    /// Moves past `async throws(E)`.
    mutating func skipEffects() throws(SyntaxError) {
        while isAtWord("async") || isAtWord("throws") || isAtWord("rethrows") || isAtWord("reasync") {
            let mayHaveType = isAtWord("throws")
            advance()
            if mayHaveType, isAt("(") { try skipBrackets() }
        }
    }

    private static let typePrefixes: Set<String> = [
        "inout", "some", "any", "borrowing", "consuming", "sending", "isolated", "repeat", "each", "__owned",
        "__shared",
        "_const", "nonisolated",
    ]

    private mutating func skipTypePrefixes() throws(SyntaxError) {
        while true {
            if isAt("@") {
                try skipAttribute()
            } else if startsWith("~") {
                _ = takeFirst("~")
            } else if current.kind == .word, Self.typePrefixes.contains(current.text), isTypePrefix {
                advance()
                if isAt("(") && previous?.text == "nonisolated" { try skipBrackets() }
            } else {
                return
            }
        }
    }

    /// Whether a word before a type is not a type of this name.
    private var isTypePrefix: Bool {
        let next = peek()
        switch next.kind {
        case .word, .quoted: return true
        case .punctuation: return ["(", "[", "@"].contains(next.text)
        case .symbol: return next.text.first == "~"
        case .number, .string, .regex, .end: return false
        }
    }

    /// Moves past a name, a tuple, an array or a dictionary, with what is glued to it.
    private mutating func skipSimpleType() throws(SyntaxError) {
        if isAt("(") || isAt("[") {
            try skipBrackets()
        } else {
            _ = try takeName()
            try skipModuleSelector()
            try skipGenericArguments()
        }
        while true {
            if isAt(".") {
                advance()
                _ = try takeName()
                try skipGenericArguments()
            } else if (startsWith("?") || startsWith("!")), !current.followsSpace {
                _ = takeFirst(current.text.first!)
            } else {
                return
            }
        }
    }

    /// Moves past `Module::`.
    private mutating func skipModuleSelector() throws(SyntaxError) {
        while isAt(":"), peek().text == ":", peek().start == current.end {
            advance()
            advance()
            _ = try takeName()
        }
    }

    private mutating func skipGenericArguments() throws(SyntaxError) {
        guard startsWith("<") else { return }
        _ = takeFirst("<")
        while !startsWith(">") {
            try skipGenericArgument()
            if !take(",") { break }
        }
        guard takeFirst(">") else { throw error("expected '>'") }
    }

    private mutating func skipGenericArgument() throws(SyntaxError) {
        if current.kind == .number {
            advance()
        } else if isAt("-"), peek().kind == .number {
            advance()
            advance()
        } else {
            try skipType()
        }
    }

    /// Moves past generic arguments of an expression; stays if the angle bracket is an operator.
    mutating func skipGenericArgumentsOfExpression() -> Bool {
        guard startsWith("<"), let last = previous, last.kind == .word || last.kind == .quoted else { return false }
        let start = mark
        guard (try? skipGenericArguments()) != nil, endsGenericArguments else {
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
            return [")", "]", "}", "{", ",", ";", ":"].contains(current.text)
                || ["(", "["].contains(current.text) && !current.startsLine
        case .symbol:
            let first = current.text.first!
            if first == "." || first == "?" || first == "!" { return true }
            return current.text == "=" || current.text == "==" || current.followsSpace && current.precedesSpace
        case .end: return true
        case .word, .quoted, .number, .string, .regex: return current.startsLine
        }
    }

    /// Moves past `@Name.Name<Type>(arguments)`. Arguments follow without space, so that `@Flag (a, b)` has none.
    mutating func skipAttribute() throws(SyntaxError) {
        guard take("@") else { throw error("expected an attribute") }
        let name = try takeAttributeName()
        if isAt("("), !current.followsSpace, !Self.attributesOfFunctionTypes.contains(name) { try skipBrackets() }
    }

    /// Attributes that have no arguments, so that a bracket after them is the function type's.
    private static let attributesOfFunctionTypes: Set<String> = ["escaping", "autoclosure", "Sendable", "noescape"]

    /// Moves past the name of an attribute, and returns its last component.
    mutating func takeAttributeName() throws(SyntaxError) -> String {
        var name = try takeName().text
        while isAt(":"), peek().text == ":", peek().start == current.end {
            advance()
            advance()
            name = try takeName().text
        }
        try skipGenericArguments()
        while isAt(".") {
            advance()
            name = try takeName().text
            try skipGenericArguments()
        }
        return name
    }
}
