// The pattern builders never produce an invalid pattern, for any user input and any table.

import Foundation
import Rowan
import Testing

private let tables: [(name: String, sql: String)] = [
    ("f3", "fts3(a, b)"), ("f3p", "fts3(a, b, tokenize=porter)"), ("f3u", "fts3(a, b, tokenize=unicode61)"),
    ("f4", "fts4(a, b)"), ("f4k", "fts4(a, b, tokenize=unicode61 \"remove_diacritics=0\", prefix=\"1,2\")"),
    ("f5", "fts5(a, b)"), ("f5a", "fts5(a, b, tokenize=ascii)"),
    ("f5p", "fts5(a, b, tokenize='porter ascii', prefix='1 2')"),
    ("f5n", "fts5(a, b, detail=none)"), ("f5c", "fts5(a, b, detail=column)"), ("f5t", "fts5(a, b, tokenize=trigram)"),
    ("f5k", "fts5(a, b, tokenize='unicode61 tokenchars ''\"*-:^(''')"),
]

private struct Builder: Sendable {
    let isPhrase: Bool
    let three: @Sendable (String) -> FTS3Pattern?
    let five: @Sendable (String) -> FTS5Pattern?
}

private let builders: [Builder] = [
    Builder(
        isPhrase: false, three: { FTS3Pattern(matchingAnyTokenIn: $0) }, five: { FTS5Pattern(matchingAnyTokenIn: $0) }),
    Builder(
        isPhrase: false, three: { FTS3Pattern(matchingAllTokensIn: $0) }, five: { FTS5Pattern(matchingAllTokensIn: $0) }
    ),
    Builder(
        isPhrase: false, three: { FTS3Pattern(matchingAllPrefixesIn: $0) },
        five: { FTS5Pattern(matchingAllPrefixesIn: $0) }),
    Builder(isPhrase: true, three: { FTS3Pattern(matchingPhrase: $0) }, five: { FTS5Pattern(matchingPhrase: $0) }),
    Builder(isPhrase: true, three: { _ in nil }, five: { FTS5Pattern(matchingPrefixPhrase: $0) }),
]

extension SeededGenerator {
    fileprivate mutating func text() -> String {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: return String(decoding: data(maxLength: 40), as: UTF8.self)
        case 1: return string(maxLength: 30)
        case 2:
            let pieces = [
                "AND", "OR", "NOT", "NEAR", "NEAR/3", "NEAR(", "and", "a:", "{a b}:", "\"", "'", "(", ")", "*", "^",
                "+", "-",
                ":", "…", "’", "é", "E\u{301}", "\u{301}", "東", "京", "、", "😀", "\u{0}", "\u{1A}", "_", " ", " ", " ",
                "foo", "a", "İ",
                "\u{FFFE}", "\u{E000}", "\u{10FFFF}", "ﬁ", "٣", "ß",
            ]
            let count = Int.random(in: 0..<14, using: &self)
            return (0..<count).map { _ in pieces.randomElement(using: &self)! }.joined()
        default:
            let count = Int.random(in: 0..<12, using: &self)
            return String(
                String.UnicodeScalarView(
                    (0..<count).map { _ in Unicode.Scalar(UInt32.random(in: 0..<0xD800, using: &self))! }))
        }
    }
}

struct FullTextPatternPropertyTests {
    @Test func noTextMakesAnError() throws {
        var generator = SeededGenerator(0x5EED)
        try withDatabase { db throws in
            for table in tables {
                try db.execute(sql: "CREATE VIRTUAL TABLE \(table.name) USING \(table.sql)")
                try db.execute(
                    sql: "INSERT INTO \(table.name) VALUES ('foo and a', 'é東京 near'), ('', 'or…not'), (NULL, 'ß _ ﬁ')")
            }
            for _ in 0..<200 {
                let text = generator.text()
                for builder in builders { try check(builder, text, db, generator.seed) }
            }
        }
    }

    private func check(_ builder: Builder, _ text: String, _ db: Database, _ seed: UInt64) throws {
        for table in tables {
            let pattern: (any DatabaseValueConvertible)? =
                table.sql.hasPrefix("fts5") ? builder.five(text) : builder.three(text)
            guard let pattern else { continue }
            // These tables don't support phrases.
            if builder.isPhrase, table.sql.contains("detail=") { continue }
            let sql = "SELECT COUNT(*) FROM \(table.name) WHERE \(table.name) MATCH ?"
            do { _ = try Int.fetchOne(db, sql: sql, arguments: [pattern]) } catch {
                Issue.record("\(error): \(pattern) in \(table.sql), seed \(seed), \(Array(text.utf8))")
            }
        }
    }

    /// A document matches the patterns of its own text.
    @Test func aTextMatchesItself() throws {
        var generator = SeededGenerator(0xD0C)
        try withDatabase { db throws in
            let tables = tables.filter { ["f3", "f3u", "f4", "f4k", "f5", "f5a"].contains($0.name) }
            for table in tables { try db.execute(sql: "CREATE VIRTUAL TABLE \(table.name) USING \(table.sql)") }
            let unicode61 = try db.makeTokenizer(.unicode61(diacritics: .keep))
            let ascii = try db.makeTokenizer(.ascii())
            for _ in 0..<150 {
                // For FTS3, a document ends at the first NUL.
                let text = generator.text().replacing("\0", with: " ")
                let words = try unicode61.tokenize(document: text)
                let bytes = try ascii.tokenize(document: text)
                guard !words.isEmpty else { continue }
                // The ascii tokenizer treats words joined by typographic separators as a single word, unlike the
                // patterns.
                let isPlain = words.map(\.token.utf8.count) == bytes.map(\.token.utf8.count)
                for table in tables where isPlain || table.name != "f5a" {
                    try check(text, in: table, db, generator.seed)
                }
            }
        }
    }

    private func check(_ text: String, in table: (name: String, sql: String), _ db: Database, _ seed: UInt64) throws {
        try db.execute(sql: "DELETE FROM \(table.name)")
        try db.execute(sql: "INSERT INTO \(table.name)(a) VALUES (?)", arguments: [text])
        for builder in builders {
            let pattern: (any DatabaseValueConvertible)? =
                table.sql.hasPrefix("fts5") ? builder.five(text) : builder.three(text)
            guard let pattern else { continue }
            let count = try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM \(table.name) WHERE \(table.name) MATCH ?", arguments: [pattern])
            #expect(count == 1, "\(pattern) in \(table.sql), seed \(seed), \(Array(text.utf8))")
        }
    }
}
