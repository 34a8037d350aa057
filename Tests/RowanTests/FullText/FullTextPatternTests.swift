import Foundation
import Rowan
import Testing

struct FullTextPatternTests {
    @Test func patternsOfFTS3() throws {
        let query = "SQLite Database"
        #expect(FTS3Pattern(matchingAnyTokenIn: query)?.rawPattern == "sqlite OR database")
        #expect(FTS3Pattern(matchingAllTokensIn: query)?.rawPattern == "sqlite database")
        #expect(FTS3Pattern(matchingAllPrefixesIn: query)?.rawPattern == "sqlite* database*")
        #expect(FTS3Pattern(matchingPhrase: query)?.rawPattern == "\"sqlite database\"")
    }

    @Test func patternsOfFTS5() throws {
        let query = "SQLite Database"
        #expect(FTS5Pattern(matchingAnyTokenIn: query)?.rawPattern == "sqlite OR database")
        #expect(FTS5Pattern(matchingAllTokensIn: query)?.rawPattern == "sqlite database")
        #expect(FTS5Pattern(matchingAllPrefixesIn: query)?.rawPattern == "sqlite* database*")
        #expect(FTS5Pattern(matchingPhrase: query)?.rawPattern == "\"sqlite database\"")
        #expect(FTS5Pattern(matchingPrefixPhrase: query)?.rawPattern == "^\"sqlite database\"")
    }

    @Test(arguments: ["", "*", " ", "\0", "?!'\"(){}[]^+-:*/", "\n\t", "_"]) func withoutWords(text: String) throws {
        #expect(FTS3Pattern(matchingAnyTokenIn: text) == nil)
        #expect(FTS3Pattern(matchingAllTokensIn: text) == nil)
        #expect(FTS3Pattern(matchingAllPrefixesIn: text) == nil)
        #expect(FTS3Pattern(matchingPhrase: text) == nil)
        #expect(FTS5Pattern(matchingAnyTokenIn: text) == nil)
        #expect(FTS5Pattern(matchingAllTokensIn: text) == nil)
        #expect(FTS5Pattern(matchingAllPrefixesIn: text) == nil)
        #expect(FTS5Pattern(matchingPhrase: text) == nil)
        #expect(FTS5Pattern(matchingPrefixPhrase: text) == nil)
    }

    @Test func operatorsAreWords() throws {
        let text = "AND or NOT NEAR/2 title:x -y (z) \"q\" a*"
        let words = "and or not near 2 title x y z q a"
        #expect(FTS3Pattern(matchingAllTokensIn: text)?.rawPattern == words)
        #expect(FTS5Pattern(matchingAllTokensIn: text)?.rawPattern == words)
    }

    /// Non-ASCII separators separate words only for some tokenizers.
    @Test func separatorsOutsideASCII() throws {
        let text = "L’Été… « 東京 » 😀"
        #expect(FTS3Pattern(matchingAnyTokenIn: text)?.rawPattern == "\"l’Été…\" OR 東京")
        #expect(FTS3Pattern(matchingAllTokensIn: text)?.rawPattern == "\"l’Été…\" 東京")
        #expect(FTS3Pattern(matchingAllPrefixesIn: text)?.rawPattern == "\"l’Été*\" 東京*")
        #expect(FTS3Pattern(matchingPhrase: text)?.rawPattern == "\"l’Été… « 東京 » 😀\"")
        #expect(FTS3Pattern(matchingAnyTokenIn: "…") == nil)
        #expect(FTS5Pattern(matchingAnyTokenIn: text)?.rawPattern == "l OR Été OR « OR 東京 OR » OR 😀")
        #expect(FTS5Pattern(matchingAllPrefixesIn: "l’Ét")?.rawPattern == "l* Ét*")
    }

    @Test func rawPatternsOfFTS3() throws {
        #expect(try FTS3Pattern(rawPattern: "sqlite AND database").rawPattern == "sqlite AND database")
        for pattern in ["", "sqlite*", "\"sqlite database\"", "title: sqlite", "a NEAR/3 b", "^a"] {
            #expect(try FTS3Pattern(rawPattern: pattern).rawPattern == pattern)
        }
        for pattern in ["AND", "a OR", "\"a", "OR b"] {
            let error = expectError(.SQLITE_ERROR, "malformed MATCH expression: [\(pattern)]") {
                try FTS3Pattern(rawPattern: pattern)
            }
            #expect(error?.sql == nil)
        }
    }

    @Test func rawPatternsOfFTS5() throws {
        for pattern in ["sqlite", "sqlite AND data*", "\"sqlite database\"", "NEAR(a b, 3)", "a NOT b", "^a + b"] {
            #expect(try FTS5Pattern(rawPattern: pattern).rawPattern == pattern)
        }
        let error = expectError(.SQLITE_ERROR, "fts5: syntax error near \"AND\"") { try FTS5Pattern(rawPattern: "AND") }
        #expect(error?.sql == nil)
        expectError(.SQLITE_ERROR, "fts5: syntax error near \"\"") { try FTS5Pattern(rawPattern: "") }
        expectError(.SQLITE_ERROR, "no such column: title") { try FTS5Pattern(rawPattern: "title: a") }
        let columns = ["title", "Document", "document_", "it's \"x\"", "rank", "rowid"]
        for pattern in ["title: a", "{title document}: a", "\"it's \"\"x\"\"\" : a"] {
            #expect(try FTS5Pattern(rawPattern: pattern, allowedColumns: columns).rawPattern == pattern)
        }
        expectError(.SQLITE_ERROR, "no such column: rank") {
            try FTS5Pattern(rawPattern: "rank: a", allowedColumns: columns)
        }
        expectError(.SQLITE_ERROR) { try FTS5Pattern(rawPattern: "a", allowedColumns: ["a", "A"]) }
    }

    @Test func patternsForATable() throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "book", using: FTS5()) { t in
                t.column("title")
                t.column("uuid").notIndexed()
            }
            #expect(try db.makeFTS5Pattern(rawPattern: "title: sqlite", forTable: "book").rawPattern == "title: sqlite")
            #expect(try db.makeFTS5Pattern(rawPattern: "UUID : sqlite", forTable: "BOOK").rawPattern == "UUID : sqlite")
            expectError(.SQLITE_ERROR, "fts5: syntax error near \"AND\"") {
                try db.makeFTS5Pattern(rawPattern: "AND", forTable: "book")
            }
            expectError(.SQLITE_ERROR, "no such column: missing") {
                try db.makeFTS5Pattern(rawPattern: "missing: sqlite", forTable: "book")
            }
            expectError(.SQLITE_ERROR, "no such table: missing") {
                try db.makeFTS5Pattern(rawPattern: "sqlite", forTable: "missing")
            }
        }
    }

    @Test func values() throws {
        try withDatabase { db throws in
            let three = try FTS3Pattern(rawPattern: "a OR b")
            let five = try FTS5Pattern(rawPattern: "a OR b")
            #expect(try String.fetchOne(db, sql: "SELECT ?", arguments: [three]) == "a OR b")
            #expect(try FTS3Pattern.fetchOne(db, sql: "SELECT ?", arguments: [three]) == three)
            #expect(try FTS5Pattern.fetchOne(db, sql: "SELECT ?", arguments: [five]) == five)
            #expect(FTS3Pattern.fromDatabaseValue("AND".databaseValue) == nil)
            #expect(FTS5Pattern.fromDatabaseValue("AND".databaseValue) == nil)
            #expect(FTS3Pattern.fromDatabaseValue(.null) == nil && FTS5Pattern.fromDatabaseValue(.null) == nil)
            #expect(FTS5Pattern.fromDatabaseValue(Data([0xFF]).databaseValue) == nil)
            #expect(Set([five, try FTS5Pattern(rawPattern: "a OR b")]).count == 1)
        }
    }

    /// Patterns are built on any thread, in any access.
    @Test func inAccesses() async throws {
        let queue = try DatabaseQueue()
        let pattern = try await queue.read { _ in
            (FTS3Pattern(matchingAnyTokenIn: "é")?.rawPattern, FTS5Pattern(matchingAnyTokenIn: "é")?.rawPattern)
        }
        #expect(pattern == ("é", "é"))
        let task = Task { () -> [String?] in
            withUnsafeCurrentTask { $0?.cancel() }
            return [
                FTS3Pattern(matchingPhrase: "a é")?.rawPattern, FTS5Pattern(matchingPhrase: "a é")?.rawPattern,
                try FTS5Pattern(rawPattern: "a").rawPattern,
            ]
        }
        #expect(try await task.value == ["\"a é\"", "\"a é\"", "a"])
    }
}

struct FullTextPatternConcurrencyTests {
    @Test func severalThreads() async throws {
        try await onThreads(4) { number in
            for index in 0..<50 {
                let word = "é\(number)\(index)"
                guard FTS3Pattern(matchingAllTokensIn: word)?.rawPattern == word,
                    FTS5Pattern(matchingAllTokensIn: word)?.rawPattern == word
                else { throw Refusal() }
            }
        }
    }

    /// FTS3 accepts 4,095 terms, so later words are omitted.
    @Test func manyWords() throws {
        let words = (0..<5_000).map { "w\($0)" }
        let text = words.joined(separator: " ")
        try withDatabase { db throws in
            try db.create(virtualTable: "d", using: FTS3()) { $0.column("body") }
            try db.execute(sql: "INSERT INTO d VALUES (?), ('w4094'), ('w4095')", arguments: [text])
            func rowIDs(_ pattern: FTS3Pattern?) throws -> [Int] {
                try Int.fetchAll(db, sql: "SELECT rowid FROM d WHERE d MATCH ?", arguments: [pattern])
            }
            #expect(try rowIDs(FTS3Pattern(matchingAnyTokenIn: text)) == [1, 2])
            #expect(try rowIDs(FTS3Pattern(matchingAllTokensIn: text)) == [1])
            #expect(try rowIDs(FTS3Pattern(matchingAllPrefixesIn: text)) == [1])
            #expect(try rowIDs(FTS3Pattern(matchingPhrase: text)) == [1])
            // Repeated words don't count.
            let repeated = Array(repeating: "a b", count: 5_000).joined(separator: " ")
            #expect(FTS3Pattern(matchingAnyTokenIn: repeated + " c")?.rawPattern == "a OR b OR c")
            #expect(FTS3Pattern(matchingAllTokensIn: repeated + " c")?.rawPattern == "a b c")
            #expect(FTS3Pattern(matchingAllPrefixesIn: repeated + " c")?.rawPattern == "a* b* c*")
            #expect(FTS3Pattern(matchingPhrase: "a b a")?.rawPattern == "\"a b a\"")
        }
    }
}
