// The words of an SQL text, for comparisons: two texts with the same words define the same object.

import RowanSQLText

/// The tokens of an SQL text, without whitespace and comments. Names and keywords are in lower case, without quotes.
package struct SQLTokens: Hashable, Sendable {
    package enum Token: Hashable, Sendable {
        /// A keyword, a name or a number.
        case word(String)
        /// A text literal, with its quotes.
        case text(String)
        case symbol(Character)
    }

    package let tokens: [Token]

    package init(_ sql: String) { tokens = Self.first(.max, of: sql) }

    /// The first tokens of a text, which may be long.
    package static func first(_ count: Int, of sql: String) -> [Token] {
        var scanner = SQLScanner(sql)
        var tokens: [Token] = []
        while tokens.count < count, let token = scanner.next() {
            switch token.kind {
            case .word, .quotedName: tokens.append(.word((scanner.name(token) ?? "").lowercased()))
            case .number, .variable: tokens.append(.word(scanner[token].lowercased()))
            case .text: tokens.append(.text("'\(scanner.name(token) ?? "")'"))
            case .blob: tokens.append(.text(scanner[token].lowercased()))
            case .symbol: tokens += scanner[token].map(Token.symbol)
            case .lineComment, .blockComment: break
            }
        }
        return tokens
    }

    /// The text without a keyword.
    ///
    /// - Parameter keyword: the keyword, in lower case.
    package static func text(_ sql: String, without keyword: String) -> String {
        SQLScanner.replacing(sql) { $0.kind == .word && $1[$0].lowercased() == keyword ? "" : nil }
    }
}
