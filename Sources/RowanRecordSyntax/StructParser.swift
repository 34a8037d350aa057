// Type declarations. Members are read one by one; their bodies are skipped.

extension StructModel {
    /// Reads a type declaration.
    ///
    /// - Throws: ``SyntaxError`` for source that can't be parsed. Nothing is guessed.
    public init(parsing source: String) throws(SyntaxError) {
        var reader = try TokenReader(source)
        self = try reader.readTypeDeclaration()
        guard reader.isAtEnd else { throw reader.error("expected nothing") }
    }
}

extension MemberModel {
    /// Reads a member of a struct.
    ///
    /// - Throws: ``SyntaxError`` for source that can't be parsed.
    public init(parsing source: String) throws(SyntaxError) {
        var reader = try TokenReader(source)
        var members: [MemberModel] = []
        try reader.readMember(&members, isConditional: false)
        guard let member = members.first, reader.isAtEnd else { throw reader.error("expected one member") }
        self = member
    }
}

extension TokenReader {
    static let declarationWords: Set<String> = [
        "var", "let", "func", "init", "deinit", "subscript", "struct", "class", "enum", "actor", "protocol",
        "extension",
        "typealias", "associatedtype", "import", "case", "macro", "operator", "precedencegroup",
    ]
    mutating func readTypeDeclaration() throws(SyntaxError) -> StructModel {
        let attributes = try readAttributes()
        let modifiers = try readModifiers()
        let keyword = try takeName().text
        let name = try takeName()
        var type = StructModel(
            keyword: keyword, name: NameModel(name.text, at: name.start), attributes: attributes, modifiers: modifiers)
        if startsWith("<") {
            let start = mark
            try skipGenericParameters()
            type.genericParameters = text(since: start)
        }
        if take(.colon) { type.inheritedTypes = try readInheritedTypes() }
        try skipWhereClause()
        guard isAt(.openBrace) else { throw error("expected '{'") }
        // The members of declarations other than structs are not needed.
        guard keyword == "struct" else {
            try skipBrackets()
            return type
        }
        advance()
        while !isAt(.closeBrace) {
            guard !isAtEnd else { throw error("expected '}'") }
            try readMember(&type.members, isConditional: false)
        }
        advance()
        return type
    }

    private mutating func readInheritedTypes() throws(SyntaxError) -> [TypeModel] {
        var types: [TypeModel] = []
        repeat {
            types.append(try readType())
        } while take(.comma)
        return types
    }

    /// Skips `<T: P, let n: Int, each U>`.
    private mutating func skipGenericParameters() throws(SyntaxError) {
        guard takeFirst("<") else { throw error("expected '<'") }
        while !startsWith(">") {
            _ = try readAttributes()
            if isAtWord(.let) || isAtWord(.each), peek().kind == .word || peek().kind == .quoted { advance() }
            _ = try takeName()
            if take(.colon) { try skipType() }
            if !take(.comma) { break }
        }
        guard takeFirst(">") else { throw error("expected '>'") }
    }

    /// Skips `where T == U, V: P`.
    private mutating func skipWhereClause() throws(SyntaxError) {
        guard takeWord(.where) else { return }
        repeat {
            if isAt(.openBrace) { return }
            try skipGenericArgumentOrType()
            if isAt(.equalsEquals) || isAt(.colon) || startsWith("=") {
                advance()
                try skipGenericArgumentOrType()
            }
        } while take(.comma)
    }

    private mutating func skipGenericArgumentOrType() throws(SyntaxError) {
        if current.kind == .number { advance() } else { try skipType() }
    }

    // MARK: Members

    fileprivate mutating func readMember(_ members: inout [MemberModel], isConditional: Bool) throws(SyntaxError) {
        if take(.semicolon) { return }
        let offset = current.start
        var attributes = try readAttributes()
        // Modifiers may be separated by attributes.
        var modifiers = try readModifiers()
        while isAt(.at) {
            attributes += try readAttributes()
            modifiers += try readModifiers()
        }
        if isAt(.hash) {
            if attributes.isEmpty, modifiers.isEmpty, try readDirective(&members) { return }
            let name = try readMacro()
            members.append(
                MemberModel(
                    attributes: attributes, modifiers: modifiers,
                    content: .other(keyword: "#", name: name, parameters: ""), offset: offset,
                    isConditional: isConditional))
            return
        }
        guard current.kind == .word, Self.declarationWords.contains(current.text) else {
            throw error("expected a member")
        }
        let content = try readDeclaration()
        members.append(
            MemberModel(
                attributes: attributes, modifiers: modifiers, content: content, offset: offset,
                isConditional: isConditional))
        // A member ends at a line break, a semicolon, or the end of the type.
        let isSeparate = current.startsLine || isAtEnd || isAt(.semicolon) || isAt(.closeBrace) || isAt(.hash)
        guard isSeparate else { throw error("expected a new line") }
    }

    /// Skips `#if` with its members, or `#sourceLocation`. Before a macro, does not move.
    private mutating func readDirective(_ members: inout [MemberModel]) throws(SyntaxError) -> Bool {
        switch peek().text {
        case "if":
            advance()
            try skipCondition()
            try readConditionalMembers(&members)
        case "sourceLocation":
            advance()
            advance()
            guard isAt(.openParenthesis) else { throw error("expected '('") }
            try skipBrackets()
        case "elseif", "else", "endif":
            throw SyntaxError("'#\(peek().text)' has no '#if'", at: current.start)
        default:
            return false
        }
        return true
    }

    /// Skips the macro `#name<Type>(arguments) { } label: { }` and returns its name.
    private mutating func readMacro() throws(SyntaxError) -> String {
        advance()
        var name = try takeName().text
        while isAt(.period) {
            advance()
            name = try takeName().text
        }
        _ = skipGenericArgumentsOfExpression()
        if isAt(.openParenthesis), !current.startsLine { try skipBrackets() }
        while isAt(.openBrace) || isAtName && peek().mark == .colon && peek(2).mark == .openBrace {
            if !isAt(.openBrace) {
                advance()
                advance()
            }
            try skipBrackets()
        }
        return name
    }

    private mutating func readConditionalMembers(_ members: inout [MemberModel]) throws(SyntaxError) {
        while true {
            guard !isAtEnd else { throw error("expected '#endif'") }
            if isAt(.hash), peek().kind == .word {
                switch peek().text {
                case "endif":
                    advance()
                    advance()
                    return
                case "elseif", "else":
                    advance()
                    try skipCondition()
                    continue
                default: break
                }
            }
            try readMember(&members, isConditional: true)
        }
    }

    private mutating func readDeclaration() throws(SyntaxError) -> MemberModel.Content {
        let keyword = current
        advance()
        switch keyword.text {
        case "var", "let":
            return .properties(try readProperties(keyword))
        case "func":
            let name = current
            // An operator, or a name.
            let start = mark
            if name.kind == .symbol { try skipOperatorName() } else { _ = try takeName() }
            let text = text(since: start)
            let signature = try readSignature()
            return .other(keyword: "func", name: text + signature.labels, parameters: signature.text)
        case "init":
            if startsWith("?") || startsWith("!") { _ = takeFirst(current.text.first!) }
            let signature = try readSignature()
            return .other(keyword: "init", name: "init" + signature.labels, parameters: signature.text)
        case "subscript":
            let signature = try readSignature()
            return .other(keyword: "subscript", name: "subscript" + signature.labels, parameters: signature.text)
        case "deinit":
            try skipEffects()
            if isAt(.openBrace) { try skipBrackets() }
            return .other(keyword: "deinit", name: "deinit", parameters: "")
        case "typealias":
            let name = try takeName().text
            if startsWith("<") { try skipGenericParameters() }
            guard take(.equals) else { throw error("expected '='") }
            try skipType()
            try skipWhereClause()
            return .other(keyword: "typealias", name: name, parameters: "")
        case "struct", "class", "enum", "actor", "protocol", "extension":
            let name = try takeName().text
            while !isAt(.openBrace) {
                guard !isAtEnd, !isAt(.closeBrace) else { throw error("expected '{'") }
                if isAt(.openParenthesis) || isAt(.openBracket) { try skipBrackets() } else { advance() }
            }
            try skipBrackets()
            return .other(keyword: keyword.text, name: name, parameters: "")
        default:
            throw SyntaxError("'\(keyword.text)' can't be a member here", at: keyword.start)
        }
    }

    private mutating func skipOperatorName() throws(SyntaxError) {
        // `func ==<T>(…)`: the generic parameters may be adjacent to the operator.
        let token = current
        if token.text.count > 1, token.text.last == "<", peek().kind == .word {
            for character in token.text.dropLast() { _ = takeFirst(character) }
        } else {
            advance()
        }
    }

    /// Skips the rest of a function, an initializer or a subscript.
    ///
    /// - Returns: the labels, as in `(a:b:)`, and the text of the parameters.
    private mutating func readSignature() throws(SyntaxError) -> (labels: String, text: String) {
        if startsWith("<") { try skipGenericParameters() }
        guard isAt(.openParenthesis) else { throw error("expected '('") }
        let start = mark
        let labels = try readLabels()
        let parameters = text(since: start)
        try skipEffects()
        if take(.arrow) { try skipType() }
        try skipWhereClause()
        if isAt(.openBrace) { try skipBrackets() }
        return ("(\(labels.map { $0 + ":" }.joined()))", parameters)
    }

    /// Skips parameters and returns their labels.
    private mutating func readLabels() throws(SyntaxError) -> [String] {
        var labels: [String] = []
        advance()
        while !isAt(.closeParenthesis) {
            _ = try readAttributes()
            labels.append(try takeName().text)
            if isAtName { advance() }
            guard take(.colon) else { throw error("expected ':'") }
            try skipType()
            _ = take(.ellipsis)
            if take(.equals) { try skipExpression() }
            guard take(.comma) || isAt(.closeParenthesis) else { throw error("expected ','") }
        }
        advance()
        return labels
    }

    // MARK: Properties

    private mutating func readProperties(_ keyword: Token) throws(SyntaxError) -> PropertiesModel {
        var properties = PropertiesModel(keyword: keyword.text, keywordOffset: keyword.start, bindings: [])
        repeat { properties.bindings.append(try readBinding()) } while take(.comma)
        return properties
    }

    private mutating func readBinding() throws(SyntaxError) -> BindingModel {
        let start = mark
        let first = current
        if isAt(.openParenthesis) { try skipBrackets() } else { _ = try takeName() }
        var binding = BindingModel(
            name: NameModel(text(since: start), at: first.start), isTuple: first.mark == .openParenthesis)
        if take(.colon) {
            binding.type = try readType()
        }
        if startsWith("="), isAt(.equals) {
            advance()
            let start = mark
            try skipExpression()
            binding.value = value(since: start)
        }
        if isAt(.openBrace) { binding.accessors = try readAccessors() }
        return binding
    }
}
