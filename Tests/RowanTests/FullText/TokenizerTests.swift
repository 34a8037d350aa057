// Tokenizers of FTS5: built-in ones, and tokenizers in Swift.

import Foundation
import Rowan
import Synchronization
import Testing

private func words(_ tokens: [(token: String, flags: FTS5TokenFlags)]) -> [String] { tokens.map(\.token) }

/// Splits at each comma, at the level of the C API.
private final class CommaTokenizer: FTS5CustomTokenizer {
    static let name = "comma"
    static let live = Atomic<Int>(0)
    let arguments: [String]

    init(db: Database, arguments: [String]) throws {
        if arguments.first == "fail" { throw DatabaseError(resultCode: .SQLITE_FULL, message: "no place") }
        if arguments.first == "refuse" { throw Refusal() }
        if arguments.first == "succeed" { throw DatabaseError(resultCode: .SQLITE_OK, message: "a success") }
        self.arguments = arguments
        Self.live.add(1, ordering: .relaxed)
    }

    deinit { Self.live.subtract(1, ordering: .relaxed) }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        let bytes = UnsafeBufferPointer(start: pText, count: Int(nText))
        var start = 0
        for end in 0...bytes.count where end == bytes.count || bytes[end] == CChar(UInt8(ascii: ",")) {
            if end > start {
                let code = tokenCallback(
                    context, 0, bytes.baseAddress! + start, CInt(end - start), CInt(start), CInt(end))
                if code != 0 { return code }
            }
            start = end + 1
        }
        return 0
    }
}

private final class SynonymTokenizer: FTS5WrapperTokenizer {
    static let name = "synonyms"
    let wrappedTokenizer: any FTS5Tokenizer
    private let synonyms: [[String]] = [["first", "1st"], ["grossmann", "großmann"]]

    init(db: Database, arguments: [String]) throws {
        let base = arguments.isEmpty ? .unicode61() : FTS5TokenizerDescriptor(components: arguments)
        wrappedTokenizer = try db.makeTokenizer(base)
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if token == "the" { return }
        guard !tokenization.contains(.query), let group = synonyms.first(where: { $0.contains(token) }) else {
            return try tokenCallback(token, flags)
        }
        for (index, synonym) in group.enumerated() {
            try tokenCallback(synonym, index == 0 ? flags : flags.union(.colocated))
        }
    }
}

private final class LatinTokenizer: FTS5WrapperTokenizer {
    static let name = "latin ascii's"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws { wrappedTokenizer = try db.makeTokenizer(.unicode61()) }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: (String, FTS5TokenFlags) throws -> Void
    ) throws {
        let plain = token.replacing("ß", with: "ss").replacing("æ", with: "ae").replacing("ﬁ", with: "fi")
        try tokenCallback(plain, flags)
    }
}

private var configuration: Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
        db.add(tokenizer: CommaTokenizer.self)
        db.add(tokenizer: SynonymTokenizer.self)
        db.add(tokenizer: LatinTokenizer.self)
    }
    return configuration
}

@Suite(.serialized)
struct TokenizerTests {
    @Test func builtInTokenizers() throws {
        try withDatabase { db throws in
            let text = "SQLite Databases: Jérôme's frustration"
            func tokens(_ descriptor: FTS5TokenizerDescriptor) throws -> [String] {
                try words(db.makeTokenizer(descriptor).tokenize(document: text))
            }
            #expect(try tokens(.ascii()) == ["sqlite", "databases", "jérôme", "s", "frustration"])
            #expect(try tokens(.unicode61()) == ["sqlite", "databases", "jerome", "s", "frustration"])
            #expect(try tokens(.unicode61(diacritics: .keep)) == ["sqlite", "databases", "jérôme", "s", "frustration"])
            #expect(try tokens(.porter()) == ["sqlite", "databas", "jerom", "s", "frustrat"])
            #expect(try tokens(.porter(wrapping: .ascii())) == ["sqlite", "databas", "jérôme", "s", "frustrat"])
            #expect(
                try tokens(.unicode61(separators: ["S"], tokenCharacters: ["'"]))
                    == ["qlite", "databases", "jerome's", "frustration"])
            #expect(
                try tokens(.ascii(separators: ["S"], tokenCharacters: ["'", ":"])).prefix(2) == ["qlite", "databases:"])
            #expect(try tokens(.unicode61(categories: "Lu")) == ["s", "q", "l", "d", "j"] || isSQLite(3_025_000))
            #expect(try tokens(.trigram()).prefix(2) == ["sql", "qli"])
            let ascii = try db.makeTokenizer(.ascii())
            #expect(try words(ascii.tokenize(query: "SQLite database")) == ["sqlite", "database"])
            #expect(try ascii.tokenize(query: "").isEmpty && ascii.tokenize(document: "\0").isEmpty)
            #expect(try ascii.tokenize(document: "a").first?.flags == [])
        }
    }

    @Test func unknownTokenizers() throws {
        try withDatabase { db throws in
            expectError(.SQLITE_ERROR, "no such tokenizer: nope") { try db.makeTokenizer(.init(components: ["nope"])) }
            expectError(.SQLITE_MISUSE) { try db.makeTokenizer(.init(components: [])) }
            expectError(.SQLITE_ERROR) { try db.makeTokenizer(.init(components: ["ascii", "nope", "1"])) }
            expectError(.SQLITE_ERROR) { try db.makeTokenizer(.init(components: ["ascii", "tokenchars", "a\0b"])) }
            expectError(.SQLITE_ERROR) { try db.makeTokenizer(.porter(wrapping: .init(components: ["nope"]))) }
        }
    }

    @Test(arguments: ConnectionKind.allCases) func customTokenizers(kind: ConnectionKind) throws {
        do {
            let folder = try TemporaryFolder()
            let writer = try kind.make(in: folder, configuration)
            try writer.write { db in
                try db.createDocuments(CommaTokenizer.tokenizerDescriptor(arguments: ["it's", "a \"b\"", ""]))
                let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'document'")
                #expect(
                    sql
                        == #"CREATE VIRTUAL TABLE "document" USING fts5(body, tokenize='''comma'' ''it''''s'' ''a "b"'' ''''')"#
                )
                try db.insertDocuments("foo bar,baz", "foo")
                #expect(
                    try Int.fetchAll(db, sql: "SELECT rowid FROM document WHERE document MATCH '\"foo bar\"'") == [1])
                #expect(try db.searchDocuments("foo") == [2])
            }
            try writer.read { db in
                #expect(try db.searchDocuments("baz") == [1])
                let tokenizer = try db.makeTokenizer(CommaTokenizer.tokenizerDescriptor())
                #expect(try words(tokenizer.tokenize(document: "a b,c,,d")) == ["a b", "c", "d"])
            }
            try writer.close()
            withExtendedLifetime(folder) {}
        }
        #expect(CommaTokenizer.live.load(ordering: .relaxed) == 0)
    }

    /// A custom tokenizer may outlive its connection.
    @Test func afterTheConnection() throws {
        do {
            let tokenizers = try {
                let queue = try DatabaseQueue(configuration: configuration)
                let tokenizers = try queue.inDatabase { db in
                    try [db.makeTokenizer(CommaTokenizer.tokenizerDescriptor()), db.makeTokenizer(.porter())]
                }
                try queue.close()
                return tokenizers
            }()
            #expect(try words(tokenizers[0].tokenize(document: "a,b")) == ["a", "b"])
            #expect(try words(tokenizers[1].tokenize(document: "databases")) == ["databas"])
        }
        #expect(CommaTokenizer.live.load(ordering: .relaxed) == 0)
    }

    @Test func initializersThatThrow() throws {
        try withDatabase(configuration) { db throws in
            func descriptor(_ argument: String) -> FTS5TokenizerDescriptor {
                CommaTokenizer.tokenizerDescriptor(arguments: [argument])
            }
            expectError(.SQLITE_FULL, "no place") { try db.makeTokenizer(descriptor("fail")) }
            expectRefusal { _ = try db.makeTokenizer(descriptor("refuse")) }
            expectError(.SQLITE_OK, "a success") { try db.makeTokenizer(descriptor("succeed")) }
            let codes: [(String, ResultCode)] = [
                ("fail", .SQLITE_FULL), ("refuse", .SQLITE_ERROR), ("succeed", .SQLITE_ERROR),
            ]
            for (argument, code) in codes {
                let error = expectError(code) { try db.createDocuments(descriptor(argument)) }
                #expect(error?.message == "error in tokenizer constructor")
                try #expect(!db.tableExists("document"))
            }
            try db.createDocuments(descriptor("fine"))
            try db.insertDocuments("a,b")
            #expect(try db.searchDocuments("b") == [1])
        }
    }

    @Test func synonymsAndStopWords() throws {
        try withDatabase(configuration) { db throws in
            try db.createDocuments(SynonymTokenizer.tokenizerDescriptor())
            try db.insertDocuments("The first place", "the 1st", "second", "Großmann")
            #expect(try db.searchDocuments("1st") == [1, 2] && db.searchDocuments("first") == [1, 2])
            #expect(try db.searchDocuments("Grossmann") == [4] && db.searchDocuments("the") == [])
            #expect(try db.searchDocuments("the first") == [1, 2])
            let tokenizer = try db.makeTokenizer(SynonymTokenizer.tokenizerDescriptor())
            let tokens = try tokenizer.tokenize(document: "the 1st x")
            #expect(words(tokens) == ["first", "1st", "x"] && tokens.map(\.flags) == [[], .colocated, []])
            #expect(try words(tokenizer.tokenize(query: "the 1st x")) == ["1st", "x"])
            let marked = Table("document").matching(FTS5Pattern(matchingAllTokensIn: "1st"))
                .select(FTS5.highlight(Column("body")), as: String.self)
            #expect(try marked.fetchAll(db) == ["The <b>first</b> place", "the <b>1st</b>"])
        }
    }

    @Test func chosenWrappedTokenizer() throws {
        try withDatabase(configuration) { db throws in
            let base = FTS5TokenizerDescriptor.ascii(tokenCharacters: ["-"])
            let descriptor = SynonymTokenizer.tokenizerDescriptor(arguments: base.components)
            #expect(descriptor.components == ["synonyms", "ascii", "tokenchars", "-"])
            try db.createDocuments(descriptor)
            #expect(try words(db.makeTokenizer(descriptor).tokenize(document: "a-b É")) == ["a-b", "É"])
            // SQLite's wrapper around a Swift tokenizer.
            let porter = FTS5TokenizerDescriptor.porter(wrapping: SynonymTokenizer.tokenizerDescriptor())
            #expect(try words(db.makeTokenizer(porter).tokenize(query: "the databases")) == ["databas"])
        }
    }

    @Test func latin() throws {
        try withDatabase(configuration) { db throws in
            try db.createDocuments(LatinTokenizer.tokenizerDescriptor())
            try db.insertDocuments("Großmann", "Encyclopædia", "ﬁdélité", "Jérôme")
            #expect(try db.searchDocuments("grossmann") == [1] && db.searchDocuments("GROßMANN") == [1])
            #expect(
                try db.searchDocuments("encyclopaedia") == [2] && db.searchDocuments("fidelite") == [3]
                    && db.searchDocuments("jerome") == [4])
        }
    }

    /// New tables use the last tokenizer with a name.
    @Test func replacedTokenizers() throws {
        final class Other: FTS5WrapperTokenizer {
            static let name = "COMMA"
            let wrappedTokenizer: any FTS5Tokenizer
            init(db: Database, arguments: [String]) throws { wrappedTokenizer = try db.makeTokenizer(.ascii()) }
            func accept(
                token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
                tokenCallback: FTS5WrapperTokenCallback
            ) throws { try tokenCallback(token, flags) }
        }
        try withDatabase(configuration) { db throws in
            try db.createDocuments(CommaTokenizer.tokenizerDescriptor())
            db.add(tokenizer: Other.self)
            try db.insertDocuments("a b,c")
            #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM document WHERE document MATCH '\"a b\"'") == [1])
            #expect(try words(db.makeTokenizer(.init(components: ["comma"])).tokenize(document: "a b")) == ["a", "b"])
        }
    }

    /// A connection without the tokenizer can't use the table.
    @Test func missingTokenizers() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        try DatabaseQueue(path: path, configuration: configuration).write { db in
            try db.createDocuments(CommaTokenizer.tokenizerDescriptor())
        }
        try DatabaseQueue(path: path).inDatabase { db throws in
            expectError(.SQLITE_ERROR, "no such tokenizer: comma") { try db.insertDocuments("a") }
        }
        try DatabaseQueue(path: path).inDatabase { db throws in
            db.add(tokenizer: CommaTokenizer.self)
            try db.insertDocuments("b")
            #expect(try db.searchDocuments("b").count == 1 && db.searchDocuments("a") == [])
        }
    }

    @Test func theAPI() throws {
        try withDatabase { db throws in
            let api = FTS5.api(db)
            #expect(FTS5.api(db) == api)
        }
    }

    @Test func closedConnections() throws {
        var kept: Database?
        let queue = try DatabaseQueue()
        queue.inDatabase { kept = $0 }
        try queue.close()
        let db = try #require(kept)
        expectError(.SQLITE_MISUSE) { try db.makeTokenizer(.ascii()) }
        db.add(tokenizer: CommaTokenizer.self)
    }
}
