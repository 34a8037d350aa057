// What the text before the cursor says about the word at the cursor.

/// The statement at the cursor.
struct SQLContext {
    /// The word before the cursor as it was typed; nil in a text, a comment or a number.
    private(set) var typed: String?
    /// The word without its quotes.
    private(set) var prefix = ""
    private(set) var isQuoted = false
    /// The tables that the statement names.
    private(set) var tables: [ShellNames.Table] = []

    private var aliases: [(alias: String, table: ShellNames.Table)] = []
    private var lexer: SQLLexer
    /// The tokens before the word.
    private var tokens: [SQLLexer.Token] = []

    init(_ before: String) {
        lexer = SQLLexer(before)
        while let token = lexer.next() {
            tokens.append(token)
            if token.kind == .other(UInt8(ascii: ";")) { tokens = [] }
        }
        let end = lexer.bytes.count
        if let open = lexer.open {
            guard open.kind == .quotedName else { return }
            let token = SQLLexer.Token(kind: .quotedName, range: open.start..<end)
            (typed, prefix, isQuoted) = (lexer[token.range], lexer.name(token), true)
        } else if let last = tokens.last, last.range.upperBound == end {
            switch last.kind {
            case .word:
                typed = lexer[last.range]
                prefix = lexer[last.range]
                tokens.removeLast()
            case .other(48...57), .variable, .text, .quotedName, .comment: return
            case .other: typed = ""
            }
        } else {
            typed = ""
        }
    }

    private func word(_ index: Int) -> String? {
        guard tokens.indices.contains(index), tokens[index].kind == .word else { return nil }
        return lexer[tokens[index].range].uppercased()
    }

    private func isSymbol(_ symbol: Character, _ index: Int) -> Bool {
        guard tokens.indices.contains(index), let byte = symbol.asciiValue else { return false }
        return tokens[index].kind == .other(byte)
    }

    /// The name before a dot.
    var qualifier: String? {
        guard isSymbol(".", tokens.count - 1), tokens.count > 1 else { return nil }
        let token = tokens[tokens.count - 2]
        return token.kind == .word || token.kind == .quotedName ? lexer.name(token) : nil
    }

    /// The index of the token before the word and its qualifier.
    private var previous: Int { tokens.count - (qualifier == nil ? 1 : 3) }

    var expectsPragma: Bool { word(previous) == "PRAGMA" }

    /// Whether the word is the name of a table.
    var expectsTable: Bool {
        if let word = word(previous), Self.wordsBeforeTables.contains(word) { return true }
        // IF EXISTS.
        if word(previous) == "EXISTS", word(previous - 1) == "IF" { return true }
        guard isSymbol(",", previous) else { return false }
        let clause = (0..<previous).last { word($0).map { Self.clauses.contains($0) } ?? false }
        return clause.flatMap { word($0) } == "FROM"
    }

    private static let wordsBeforeTables: Set = [
        "FROM", "JOIN", "INTO", "UPDATE", "TABLE", "REFERENCES", "VIEW", "ANALYZE",
    ]
    private static let clauses: Set = [
        "SELECT", "FROM", "ON", "USING", "WHERE", "SET", "GROUP", "ORDER", "BY", "HAVING", "LIMIT", "VALUES", "WINDOW",
        "RETURNING", "INTO", "UPDATE", "WITH",
    ]

    /// The tables with a name or an alias.
    func tables(named name: String) -> [ShellNames.Table] {
        let found = aliases.filter { $0.alias.isSame(as: name) }.map(\.table)
        return found.isEmpty ? tables.filter { $0.name.isSame(as: name) } : found
    }

    /// Finds the tables that the statement names.
    ///
    /// - Parameter after: the text after the cursor.
    mutating func addTables(_ known: [ShellNames.Table], after: String) {
        let before = tokens
        // The word at the cursor is no table yet.
        var rest = SQLLexer(
            String(decoding: lexer.bytes.prefix(before.last?.range.upperBound ?? 0), as: UTF8.self) + " ")
        var all: [(token: SQLLexer.Token, name: String)] = []
        let start = before.first?.range.lowerBound ?? 0
        let cursor = rest.bytes.count
        rest.append(lexer.open == nil ? after : "")
        while let token = rest.next(), token.range.lowerBound < cursor || token.kind != .other(UInt8(ascii: ";")) {
            if token.range.lowerBound >= start { all.append((token, rest.name(token))) }
        }
        for (index, item) in all.enumerated() where item.token.kind == .word || item.token.kind == .quotedName {
            let previous = index > 0 ? all[index - 1].name.uppercased() : ""
            guard Self.wordsBeforeTables.contains(previous) || [",", ".", "("].contains(previous),
                let table = known.first(where: { $0.name.isSame(as: item.name) })
            else { continue }
            if !tables.contains(table) { tables.append(table) }
            var next = index + 1
            if next < all.count, all[next].name.isSame(as: "AS") { next += 1 }
            guard next < all.count, all[next].token.kind == .word || all[next].token.kind == .quotedName else {
                continue
            }
            aliases.append((all[next].name, table))
        }
    }
}
