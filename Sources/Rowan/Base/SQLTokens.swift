// The words of an SQL text, for comparisons: two texts with the same words define the same object.

/// The tokens of an SQL text, without spaces and comments. Names and keywords are in lower case, without quotes.
///
/// Source: <https://sqlite.org/draft/tokenreq.html>
package struct SQLTokens: Hashable, Sendable {
    package enum Token: Hashable, Sendable {
        /// A keyword, a name or a number.
        case word(String)
        /// A text literal, with its quotes.
        case text(String)
        case symbol(Character)
    }

    package private(set) var tokens: [Token] = []

    package init(_ sql: String) {
        var rest = Substring(sql)
        while let first = rest.first { read(first, &rest) }
    }

    /// The first tokens of a text, which may be long.
    package static func first(_ count: Int, of sql: String) -> [Token] {
        var reader = SQLTokens("")
        var rest = Substring(sql)
        while reader.tokens.count < count, let first = rest.first { reader.read(first, &rest) }
        return reader.tokens
    }

    /// The text without a keyword.
    ///
    /// - Parameter keyword: the keyword, in lower case.
    package static func text(_ sql: String, without keyword: String) -> String {
        var result = ""
        var reader = SQLTokens("")
        var rest = Substring(sql)
        while let first = rest.first {
            let start = rest.startIndex
            reader.read(first, &rest)
            // A quoted name includes its quotes.
            let part = sql[start..<rest.startIndex]
            if part.lowercased() != keyword { result += part }
        }
        return result
    }

    private mutating func read(_ first: Character, _ rest: inout Substring) {
        switch first {
        case _ where first.isWhitespace: rest.removeFirst()
        case "-" where rest.hasPrefix("--"): rest = rest.drop { !$0.isNewline }
        case "/" where rest.hasPrefix("/*"):
            let comment = rest.dropFirst(2)
            rest = comment.firstRange(of: "*/").map { comment[$0.upperBound...] } ?? rest.suffix(0)
        case "'": tokens.append(.text("'\(Self.quoted(&rest, until: "'"))'"))
        case "\"", "`": tokens.append(.word(Self.quoted(&rest, until: first).lowercased()))
        case "[": tokens.append(.word(Self.quoted(&rest, until: "]").lowercased()))
        case _ where first.isWord:
            // A dot belongs to a number, but separates names.
            let isNumber = first.isNumber
            let word = rest.prefix { $0.isWord || (isNumber && $0 == ".") }
            tokens.append(.word(word.lowercased()))
            rest = rest[word.endIndex...]
        case _:
            tokens.append(.symbol(first))
            rest.removeFirst()
        }
    }

    /// Removes a quoted text, in which a doubled quote stands for one quote.
    private static func quoted(_ rest: inout Substring, until quote: Character) -> String {
        var text = ""
        rest.removeFirst()
        while let character = rest.popFirst() {
            guard character == quote else {
                text.append(character)
                continue
            }
            guard rest.first == quote, quote != "]" else { break }
            text.append(quote)
            rest.removeFirst()
        }
        return text
    }
}

extension Character {
    fileprivate var isWord: Bool { isLetter || isNumber || self == "_" || self == "$" || !isASCII }
}
