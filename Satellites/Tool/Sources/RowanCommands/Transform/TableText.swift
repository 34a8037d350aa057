// The text of a CREATE TABLE, as columns and constraints that can be changed one by one.

import Foundation

/// A word, a name, a text, a number or a symbol of SQL. Source: <https://sqlite.org/lang.html>
struct SQLToken: Equatable {
    enum Kind { case word, quoted, symbol, openComment }

    let kind: Kind
    /// As it is written.
    let text: String

    /// The name, without quotes.
    var name: String {
        guard kind == .quoted, let quote = text.first, text.count > 1 else { return text }
        let inner = String(text.dropFirst().dropLast())
        return quote == "[" ? inner : inner.replacing("\(quote)\(quote)", with: String(quote))
    }

    func isWord(_ word: String) -> Bool { kind == .word && text.uppercased() == word }

    /// The tokens of a text, without spaces and comments, except for one whose end is missing.
    static func tokens(_ sql: String) -> [SQLToken] {
        var tokens: [SQLToken] = []
        let characters = Array(sql.unicodeScalars)
        var index = 0
        func text(_ range: Range<Int>) -> String {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: characters[range])
            return String(text)
        }
        func next(_ offset: Int = 1) -> Unicode.Scalar? {
            characters.indices.contains(index + offset) ? characters[index + offset] : nil
        }
        while index < characters.count {
            let start = index
            switch characters[index] {
            case " ", "\t", "\n", "\r", "\u{C}": index += 1
            case "-" where next() == "-": while index < characters.count, characters[index] != "\n" { index += 1 }
            case "/" where next() == "*":
                index += 2
                while index < characters.count, !(characters[index] == "*" && next() == "/") { index += 1 }
                if index == characters.count { tokens.append(SQLToken(kind: .openComment, text: text(start..<index))) }
                index = min(index + 2, characters.count)
            case let quote where "\"'`[".unicodeScalars.contains(quote):
                let end: Unicode.Scalar = quote == "[" ? "]" : quote
                index += 1
                while index < characters.count {
                    if characters[index] == end {
                        guard quote != "[", next() == end else { break }
                        index += 1
                    }
                    index += 1
                }
                index = min(index + 1, characters.count)
                tokens.append(SQLToken(kind: .quoted, text: text(start..<index)))
            case let scalar where isPartOfWord(scalar):
                while index < characters.count, isPartOfWord(characters[index]) { index += 1 }
                // 1e-5
                if ("0"..."9").contains(scalar), "eE".unicodeScalars.contains(characters[index - 1]),
                    index < characters.count,
                    "+-".unicodeScalars.contains(characters[index]), !text(start..<index).lowercased().hasPrefix("0x")
                {
                    index += 1
                    while index < characters.count, ("0"..."9").contains(characters[index]) { index += 1 }
                }
                // x'00'
                if index == start + 1, "xX".unicodeScalars.contains(scalar), index < characters.count,
                    characters[index] == "'"
                {
                    repeat { index += 1 } while index < characters.count && characters[index] != "'"
                    index = min(index + 1, characters.count)
                }
                tokens.append(SQLToken(kind: .word, text: text(start..<index)))
            default:
                let longest = [next(), next(2)].compactMap { $0 }.reduce(into: [String(characters[index])]) {
                    $0.append($0[$0.count - 1] + String($1))
                }.last(where: operators.contains)
                index += longest?.unicodeScalars.count ?? 1
                tokens.append(SQLToken(kind: .symbol, text: text(start..<index)))
            }
        }
        return tokens
    }

    /// The operators of several characters.
    private static let operators: Set<String> = ["||", "<=", ">=", "<>", "!=", "==", "<<", ">>", "->", "->>"]

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x80 || scalar == "_" || scalar == "$"
            || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
}

extension [SQLToken] {
    private static var keywords: Set<String> {
        [
            "CHECK", "AS", "DEFAULT", "KEY", "UNIQUE", "AND", "OR", "NOT", "IN", "IS", "BETWEEN", "WHEN", "THEN",
            "ELSE", "LIKE",
        ]
    }

    var sql: String {
        var result = ""
        var previous: SQLToken?
        for token in self {
            // Functions and types stay together with what is in their parentheses. Two signs would begin a comment.
            let isTight =
                previous == nil || previous?.text == "(" || [")", ",", "."].contains(token.text)
                || previous?.text == "."
                || (token.text == "(" && previous?.kind == .word
                    && !Self.keywords.contains(previous?.text.uppercased() ?? ""))
            result += (isTight ? "" : " ") + token.text
            previous = token
        }
        return result
    }
}

/// A column or a constraint.
struct TablePart {
    var tokens: [SQLToken]
    let isConstraint: Bool

    var name: String { tokens.first?.name ?? "" }

    private static let constraints: Set<String> = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]
    /// What follows the type of a column.
    private static let clauses: Set<String> = [
        "CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED",
        "AS",
    ]

    init(_ tokens: [SQLToken]) {
        self.tokens = tokens
        isConstraint = tokens.first.map { $0.kind == .word && Self.constraints.contains($0.text.uppercased()) } ?? false
    }

    /// The index after the type.
    private var endOfType: Int {
        var depth = 0
        for (index, token) in tokens.enumerated().dropFirst() {
            if token.text == "(" { depth += 1 }
            if token.text == ")" { depth -= 1 }
            if depth == 0, token.kind == .word, Self.clauses.contains(token.text.uppercased()) { return index }
        }
        return tokens.count
    }

    var type: String { Array(tokens[1..<endOfType]).sql }

    /// A type that a STRICT table allows, if this one is none. <https://sqlite.org/stricttables.html>
    var strictType: String? {
        let type = type.uppercased()
        if ["INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"].contains(type) { return nil }
        // The affinities of <https://sqlite.org/datatype3.html>; numeric columns may contain texts.
        if type.contains("INT") { return "INTEGER" }
        if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return "TEXT" }
        if type.contains("BLOB") { return "BLOB" }
        return ["REAL", "FLOA", "DOUB"].contains(where: type.contains) ? "REAL" : "ANY"
    }

    mutating func setType(_ type: String) {
        tokens.replaceSubrange(1..<endOfType, with: SQLToken.tokens(type))
    }

    mutating func setNotNull(_ isNotNull: Bool) {
        if let index = index(of: ["NOT", "NULL"]) { remove(index..<endOfConflict(index + 2)) }
        if isNotNull { tokens.insert(contentsOf: SQLToken.tokens("NOT NULL"), at: endOfType) }
    }

    /// The index after ON CONFLICT, if it is there.
    private func endOfConflict(_ index: Int) -> Int {
        let isConflict =
            tokens.indices.contains(index + 2) && tokens[index].isWord("ON") && tokens[index + 1].isWord("CONFLICT")
        return isConflict ? index + 3 : index
    }

    /// Removes a constraint, with its name.
    private mutating func remove(_ range: Range<Int>) {
        let isNamed = range.lowerBound > 2 && tokens[range.lowerBound - 2].isWord("CONSTRAINT")
        tokens.removeSubrange((isNamed ? range.lowerBound - 2 : range.lowerBound)..<range.upperBound)
    }

    /// - Parameter expression: nil removes the default value.
    mutating func setDefault(_ expression: String?) {
        if let index = index(of: ["DEFAULT"]) {
            var end = index + 1
            if tokens.indices.contains(end), ["+", "-"].contains(tokens[end].text) { end += 1 }
            if tokens.indices.contains(end), tokens[end].text == "(" {
                var depth = 0
                repeat {
                    if tokens[end].text == "(" { depth += 1 }
                    if tokens[end].text == ")" { depth -= 1 }
                    end += 1
                } while depth > 0 && end < tokens.count
            } else {
                end += 1
                // 1.5
                while tokens.indices.contains(end), tokens[end].text == "." || tokens[end - 1].text == "." { end += 1 }
            }
            remove(index..<min(end, tokens.count))
        }
        if let expression { tokens.insert(contentsOf: SQLToken.tokens("DEFAULT (\(expression))"), at: endOfType) }
    }

    /// Removes PRIMARY KEY from a column.
    mutating func removeKey() {
        guard let index = index(of: ["PRIMARY", "KEY"]) else { return }
        func skip(_ words: [String], _ end: Int) -> Int {
            tokens.indices.contains(end) && words.contains(where: tokens[end].isWord) ? end + 1 : end
        }
        remove(index..<skip(["AUTOINCREMENT"], endOfConflict(skip(["ASC", "DESC"], index + 2))))
    }

    /// The index of words that begin a constraint: they are not in parentheses, and not the action of a foreign key.
    private func index(of words: [String]) -> Int? {
        var depth = 0
        for index in tokens.indices.dropFirst() {
            if tokens[index].text == "(" { depth += 1 }
            if tokens[index].text == ")" { depth -= 1 }
            let end = index + words.count
            if depth == 0, end <= tokens.count, !tokens[index - 1].isWord("SET"),
                zip(tokens[index..<end], words).allSatisfy({ $0.isWord($1) })
            {
                return index
            }
        }
        return nil
    }
}

/// A CREATE TABLE.
struct TableText {
    var parts: [TablePart]

    /// - Returns: nil for a text that has no list of columns, such as that of a virtual table.
    init?(_ sql: String) {
        let tokens = SQLToken.tokens(sql)
        guard !tokens.prefix(2).contains(where: { $0.isWord("VIRTUAL") }),
            let open = tokens.firstIndex(where: { $0.text == "(" && $0.kind == .symbol })
        else { return nil }
        var depth = 0
        var part: [SQLToken] = []
        parts = []
        for token in tokens[open...] {
            if token.kind == .symbol, token.text == ")" { depth -= 1 }
            if depth == 0, token.text == ")" { break }
            if depth == 1, token.kind == .symbol, token.text == "," {
                parts.append(TablePart(part))
                part = []
            } else if depth > 0 {
                part.append(token)
            }
            if token.kind == .symbol, token.text == "(" { depth += 1 }
        }
        parts.append(TablePart(part))
    }

    func index(ofColumn name: String) -> Int? {
        parts.firstIndex { !$0.isConstraint && $0.name.lowercased() == name.lowercased() }
    }
}
