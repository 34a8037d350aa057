// Type declarations: members are read one after the other; their bodies are skipped.

extension StructModel {
    /// Reads a type declaration.
    ///
    /// - Throws: ``SyntaxError`` for source that it does not understand. It never guesses.
    public init(parsing source: String) throws(SyntaxError) {
        var reader = try TokenReader(source)
        self = try reader.readType()
        guard reader.isAtEnd else { throw reader.error("expected nothing") }
    }
}

extension TokenReader {
    static let declarationWords: Set<String> = [
        "var", "let", "func", "init", "deinit", "subscript", "struct", "class", "enum", "actor", "protocol",
        "extension",
        "typealias", "associatedtype", "import", "case", "macro", "operator", "precedencegroup",
    ]
    private static let modifiers: Set<String> = [
        "public", "private", "fileprivate", "internal", "package", "open", "static", "class", "final", "lazy", "weak",
        "unowned", "nonisolated", "isolated", "mutating", "nonmutating", "consuming", "borrowing", "override",
        "required",
        "convenience", "dynamic", "optional", "indirect", "prefix", "postfix", "infix", "async", "distributed",
        "nonsending",
        "__consuming", "_const", "__setter_access", "reasync", "sending",
    ]

    mutating func readType() throws(SyntaxError) -> StructModel {
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
        if take(":") { type.inheritedTypes = try readInheritedTypes() }
        try skipWhereClause()
        guard take("{") else { throw error("expected '{'") }
        while !isAt("}") {
            guard !isAtEnd else { throw error("expected '}'") }
            try readMember(&type.members, isConditional: false)
        }
        advance()
        return type
    }

    private mutating func readInheritedTypes() throws(SyntaxError) -> [String] {
        var types: [String] = []
        repeat {
            let start = mark
            if isAt("@") { try skipAttribute() }
            if isAtWord("nonisolated"), peek().kind == .word { advance() }
            try skipType()
            types.append(text(since: start))
        } while take(",")
        return types
    }

    /// Moves past `<T: P, let n: Int, each U>`.
    private mutating func skipGenericParameters() throws(SyntaxError) {
        guard takeFirst("<") else { throw error("expected '<'") }
        while !startsWith(">") {
            _ = try readAttributes()
            if isAtWord("let") || isAtWord("each"), peek().kind == .word || peek().kind == .quoted { advance() }
            _ = try takeName()
            if take(":") { try skipType() }
            if !take(",") { break }
        }
        guard takeFirst(">") else { throw error("expected '>'") }
    }

    /// Moves past `where T == U, V: P`.
    private mutating func skipWhereClause() throws(SyntaxError) {
        guard takeWord("where") else { return }
        repeat {
            if isAt("{") { return }
            try skipGenericArgumentOrType()
            if isAt("==") || isAt(":") || startsWith("=") {
                advance()
                try skipGenericArgumentOrType()
            }
        } while take(",")
    }

    private mutating func skipGenericArgumentOrType() throws(SyntaxError) {
        if current.kind == .number { advance() } else { try skipType() }
    }

    // MARK: Attributes and modifiers

    private mutating func readAttributes() throws(SyntaxError) -> [AttributeModel] {
        var attributes: [AttributeModel] = []
        while true {
            if isAt("@") {
                attributes.append(try readAttribute())
            } else if let conditional = try readConditionalAttributes() {
                attributes += conditional
            } else {
                return attributes
            }
        }
    }

    /// Moves past `#if` … `#endif` with nothing but attributes; stays if it has anything else.
    private mutating func readConditionalAttributes() throws(SyntaxError) -> [AttributeModel]? {
        guard isAt("#"), peek().text == "if" else { return nil }
        let start = mark
        var attributes: [AttributeModel] = []
        repeat {
            advance()
            try skipCondition()
            attributes += try readAttributes()
        } while isAt("#") && (peek().text == "elseif" || peek().text == "else")
        guard !attributes.isEmpty, isAt("#"), peek().text == "endif" else {
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
        var attribute = AttributeModel(name: "", text: text(since: start), offset: offset, end: last.end)
        // The name is read again, and the arguments, if there are any.
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
        while !isAt(")") {
            var label: String?
            if isAtName, peek().text == ":", peek(2).text != ":" {
                label = current.text
                advance()
                advance()
            }
            let start = mark
            let first = current
            // To the next comma outside of brackets and generic arguments.
            while !isAt(","), !isAt(")") {
                guard !isAtEnd else { throw error("expected ')'") }
                if isAt("(") || isAt("[") || isAt("{") {
                    try skipBrackets()
                } else if !skipGenericArgumentsOfExpression() {
                    advance()
                }
            }
            arguments.append(
                ArgumentModel(
                    label: label, text: text(since: start), source: source(since: start), offset: first.start,
                    token: index == start.index + 1 ? first : nil))
            _ = take(",")
        }
        advance()
        return arguments
    }

    /// The tokens since a position, with a line break or a space where they have one: a line may end a statement.
    private func source(since start: Mark) -> String {
        var source = ""
        for place in start.index..<index {
            let token = tokens[place]
            if place > start.index, token.start > tokens[place - 1].end { source += token.startsLine ? "\n" : " " }
            source += token.text
        }
        return source
    }

    private mutating func readModifiers() throws(SyntaxError) -> [ModifierModel] {
        var modifiers: [ModifierModel] = []
        while current.kind == .word, Self.modifiers.contains(current.text), isModifier {
            let name = current.text
            advance()
            var detail: String?
            if isAt("(") {
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
        default: return next.kind == .word || ["(", "@", "#"].contains(next.text)
        }
    }

    private func isModifierWord(_ token: Token) -> Bool { token.kind == .word && Self.modifiers.contains(token.text) }

    // MARK: Members

    private mutating func readMember(_ members: inout [MemberModel], isConditional: Bool) throws(SyntaxError) {
        if take(";") { return }
        let offset = current.start
        var attributes = try readAttributes()
        // Attributes may stand between modifiers.
        var modifiers = try readModifiers()
        while isAt("@") {
            attributes += try readAttributes()
            modifiers += try readModifiers()
        }
        if isAt("#") {
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
        // A member ends with its line, a semicolon, or the end of the type.
        let isSeparate = current.startsLine || isAtEnd || isAt(";") || isAt("}") || isAt("#")
        guard isSeparate else { throw error("expected a new line") }
    }

    /// Moves past `#if` with its members, or `#sourceLocation`; stays before a macro.
    private mutating func readDirective(_ members: inout [MemberModel]) throws(SyntaxError) -> Bool {
        switch peek().text {
        case "if":
            advance()
            try skipCondition()
            try readConditionalMembers(&members)
        case "sourceLocation":
            advance()
            advance()
            guard isAt("(") else { throw error("expected '('") }
            try skipBrackets()
        case "elseif", "else", "endif":
            throw SyntaxError("'#\(peek().text)' has no '#if'", at: current.start)
        default:
            return false
        }
        return true
    }

    /// Moves past the macro `#name<Type>(arguments) { } label: { }`, and returns its name.
    private mutating func readMacro() throws(SyntaxError) -> String {
        advance()
        var name = try takeName().text
        while isAt(".") {
            advance()
            name = try takeName().text
        }
        _ = skipGenericArgumentsOfExpression()
        if isAt("("), !current.startsLine { try skipBrackets() }
        while isAt("{") || isAtName && peek().text == ":" && peek(2).text == "{" {
            if !isAt("{") {
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
            if isAt("#"), peek().kind == .word {
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
            if isAt("{") { try skipBrackets() }
            return .other(keyword: "deinit", name: "deinit", parameters: "")
        case "typealias":
            let name = try takeName().text
            if startsWith("<") { try skipGenericParameters() }
            guard take("=") else { throw error("expected '='") }
            try skipType()
            try skipWhereClause()
            return .other(keyword: "typealias", name: name, parameters: "")
        case "struct", "class", "enum", "actor", "protocol", "extension":
            let name = try takeName().text
            while !isAt("{") {
                guard !isAtEnd, !isAt("}") else { throw error("expected '{'") }
                if isAt("(") || isAt("[") { try skipBrackets() } else { advance() }
            }
            try skipBrackets()
            return .other(keyword: keyword.text, name: name, parameters: "")
        default:
            throw SyntaxError("'\(keyword.text)' can't be a member here", at: keyword.start)
        }
    }

    private mutating func skipOperatorName() throws(SyntaxError) {
        // `func ==<T>(…)`: the generic parameters may be glued to the operator.
        let token = current
        if token.text.count > 1, token.text.last == "<", peek().kind == .word {
            for character in token.text.dropLast() { _ = takeFirst(character) }
        } else {
            advance()
        }
    }

    /// Moves past the rest of a function, an initializer or a subscript.
    ///
    /// - Returns: the labels, as in `(a:b:)`, and the text of the parameters.
    private mutating func readSignature() throws(SyntaxError) -> (labels: String, text: String) {
        if startsWith("<") { try skipGenericParameters() }
        guard isAt("(") else { throw error("expected '('") }
        let start = mark
        let labels = try readLabels()
        let parameters = text(since: start)
        try skipEffects()
        if take("->") { try skipType() }
        try skipWhereClause()
        if isAt("{") { try skipBrackets() }
        return ("(\(labels.map { $0 + ":" }.joined()))", parameters)
    }

    /// Moves past parameters, and returns their labels.
    private mutating func readLabels() throws(SyntaxError) -> [String] {
        var labels: [String] = []
        advance()
        while !isAt(")") {
            _ = try readAttributes()
            labels.append(try takeName().text)
            if isAtName { advance() }
            guard take(":") else { throw error("expected ':'") }
            try skipType()
            _ = take("...")
            if take("=") { try skipExpression() }
            guard take(",") || isAt(")") else { throw error("expected ','") }
        }
        advance()
        return labels
    }

    // MARK: Properties

    private mutating func readProperties(_ keyword: Token) throws(SyntaxError) -> PropertiesModel {
        var properties = PropertiesModel(keyword: keyword.text, keywordOffset: keyword.start, bindings: [])
        repeat { properties.bindings.append(try readBinding()) } while take(",")
        return properties
    }

    private mutating func readBinding() throws(SyntaxError) -> BindingModel {
        let start = mark
        let first = current
        if isAt("(") { try skipBrackets() } else { _ = try takeName() }
        var binding = BindingModel(name: NameModel(text(since: start), at: first.start), isTuple: first.text == "(")
        if take(":") {
            let type = mark
            try skipType()
            binding.type = text(since: type)
        }
        if startsWith("="), isAt("=") {
            advance()
            let value = mark
            try skipExpression()
            binding.value = text(since: value)
        }
        if isAt("{") { binding.accessors = try readAccessors() }
        return binding
    }
}
