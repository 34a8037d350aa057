// The accessors of a property.

extension TokenReader {
    private static let accessorWords: Set<String> = [
        "get", "set", "willSet", "didSet", "init", "borrow", "_read", "_modify", "unsafeAddress",
        "unsafeMutableAddress", "addressWithOwner", "addressWithNativeOwner", "mutableAddressWithOwner",
        "mutableAddressWithNativeOwner",
    ]
    private static let accessorModifiers: Set<String> = [
        "mutating", "nonmutating", "consuming", "borrowing", "__consuming",
    ]

    /// Skips a block and returns the words of its accessors; empty if it is the body of a getter.
    mutating func readAccessors() throws(SyntaxError) -> [String] {
        guard firstAccessor != nil else {
            try skipBrackets()
            return []
        }
        advance()
        var words: [String] = []
        while !isAt(.closeBrace) {
            guard let word = try takeAccessorWord() else { throw error("expected an accessor") }
            words.append(word)
            if ["set", "willSet", "didSet", "init"].contains(word), take(.openParenthesis) {
                _ = try takeName()
                guard take(.closeParenthesis) else { throw error("expected ')'") }
            }
            try skipEffects()
            if isAt(.openBrace) { try skipBrackets() }
        }
        advance()
        return words
    }

    /// Whether the next brace starts observers. After an initial value, any other block is a trailing closure.
    var startsObservers: Bool { firstAccessor == "willSet" || firstAccessor == "didSet" }

    /// The word of the first accessor after the next brace.
    private var firstAccessor: String? {
        var reader = self
        reader.advance()
        return try? reader.takeAccessorWord()
    }

    /// Skips the attributes, the modifier and the word of an accessor.
    private mutating func takeAccessorWord() throws(SyntaxError) -> String? {
        while isAt(.at) { try skipAttribute() }
        if current.kind == .word, Self.accessorModifiers.contains(current.text) { advance() }
        let word = current
        guard word.kind == .word, Self.accessorWords.contains(word.text) else { return nil }
        advance()
        return word.text
    }
}
