// Patterns whose words come from a table's tokenizer.

import Foundation
import Rowan
import Testing

struct FTS5TablePatternTests {
    private let texts = ["I don't know C++", "I don t know C", "C#", "say \"hi\" twice", "++"]

    private func withTables(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE symbols USING fts5(text, tokenize = "unicode61 tokenchars '''+#'");
                    CREATE VIRTUAL TABLE plain USING fts5(text);
                    """)
            for text in texts {
                try db.execute(literal: "INSERT INTO symbols VALUES (\(text)); INSERT INTO plain VALUES (\(text))")
            }
            try body(db)
        }
    }

    private func rows(_ db: Database, _ table: String, _ pattern: FTS5Pattern?) throws -> [Int] {
        try Int.fetchAll(
            db, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ? ORDER BY rowid", arguments: [pattern])
    }

    @Test func words() throws {
        try withTables { db throws in
            let all = { (text: String, table: String) in
                try db.makeFTS5Pattern(matchingAllTokensIn: text, forTable: table)
            }
            #expect(try all("don't C++", "symbols")?.rawPattern == #""don't" "C++""#)
            #expect(try rows(db, "symbols", all("don't", "symbols")) == [1])
            #expect(try rows(db, "plain", all("don't", "plain")) == [1, 2])
            #expect(try rows(db, "symbols", all("c++ DON'T", "symbols")) == [1])
            #expect(try rows(db, "symbols", all("C#", "symbols")) == [3])
            #expect(try rows(db, "plain", all("C#", "plain")) == [1, 2, 3])
            // Words ignored by the tokenizer are not required.
            #expect(try rows(db, "plain", all("know ++", "plain")) == [1, 2])
            #expect(try rows(db, "plain", all("++", "plain")) == [])
            #expect(try rows(db, "symbols", all("++", "symbols")) == [5])
            for text in ["", " ", "\t\n", "\0"] { #expect(try all(text, "plain") == nil) }
        }
    }

    @Test func otherPatterns() throws {
        try withTables { db throws in
            let any = try db.makeFTS5Pattern(matchingAnyTokenIn: "C# C++", forTable: "symbols")
            #expect(try rows(db, "symbols", any) == [1, 3])
            let prefixes = try db.makeFTS5Pattern(matchingAllPrefixesIn: "do kn", forTable: "symbols")
            #expect(try rows(db, "symbols", prefixes) == [1, 2])
            let symbols = try db.makeFTS5Pattern(matchingAllPrefixesIn: "don' C+", forTable: "symbols")
            #expect(try rows(db, "symbols", symbols) == [1])
            let phrase = try db.makeFTS5Pattern(matchingPhrase: "know c++", forTable: "symbols")
            #expect(try rows(db, "symbols", phrase) == [1])
            let start = try db.makeFTS5Pattern(matchingPrefixPhrase: "i don't", forTable: "symbols")
            #expect(try rows(db, "symbols", start) == [1])
            let middle = try db.makeFTS5Pattern(matchingPrefixPhrase: "know", forTable: "symbols")
            #expect(try rows(db, "symbols", middle) == [])
        }
    }

    /// Any text gives a valid pattern.
    @Test func hostileTexts() throws {
        try withTables { db throws in
            let texts = [
                "\"", "\"\"", "AND", "NEAR(", "a OR", "text: x", "^", "*", "-", "{a b}: c", "say \"hi\"", "a\0b", "'",
                ";",
                "(", "😀", "\u{FEFF}",
            ]
            for text in texts {
                for pattern in [
                    try db.makeFTS5Pattern(matchingAnyTokenIn: text, forTable: "plain"),
                    try db.makeFTS5Pattern(matchingAllTokensIn: text, forTable: "plain"),
                    try db.makeFTS5Pattern(matchingAllPrefixesIn: text, forTable: "plain"),
                    try db.makeFTS5Pattern(matchingPhrase: text, forTable: "plain"),
                    try db.makeFTS5Pattern(matchingPrefixPhrase: text, forTable: "plain"),
                ] { _ = try rows(db, "plain", pattern) }
            }
            let hi = try db.makeFTS5Pattern(matchingPhrase: "say \"hi\"", forTable: "plain")
            #expect(try rows(db, "plain", hi) == [4])
            expectError(.SQLITE_ERROR) { try db.makeFTS5Pattern(matchingPhrase: "a", forTable: "missing") }
        }
    }
}
