// Tokenizers that throw errors or violate SQLite's expectations.

import Rowan
import Testing

/// Misbehaves according to its arguments.
private final class BadTokenizer: FTS5WrapperTokenizer {
    static let name = "bad"
    let wrappedTokenizer: any FTS5Tokenizer
    let behaviour: String

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
        behaviour = arguments.first ?? ""
        // A tokenizer may run SQL during its creation.
        _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master")
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        switch behaviour {
        case "throw" where token == "bad": throw Refusal()
        case "range" where token == "bad": throw DatabaseError(resultCode: .SQLITE_RANGE, message: "no place")
        case "done" where token == "bad": throw DatabaseError(resultCode: .SQLITE_DONE, message: "a success")
        case "empty": try tokenCallback("", flags)
        case "swallow":
            // Ignoring this error is undocumented: it is meant for the caller.
            do { try tokenCallback(token, flags) } catch {}
        case "colocated": try tokenCallback(token, flags.union(.colocated))
        case "many": for _ in 0..<100 { try tokenCallback(token, flags) }
        case "huge": try tokenCallback(String(repeating: token, count: 100_000), flags)
        case "nul" where token == "bad": try tokenCallback(token + "\0x", flags)
        default: try tokenCallback(token, flags)
        }
    }
}

/// Returns codes that SQLite does not expect.
private final class CodeTokenizer: FTS5CustomTokenizer {
    static let name = "code"
    let code: CInt
    init(db: Database, arguments: [String]) throws { code = CInt(arguments[0])! }
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt { code }
}

private final class NamelessTokenizer: FTS5CustomTokenizer {
    static let name = "nul\0name"
    init(db: Database, arguments: [String]) throws {}
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt { 0 }
}

private var configuration: Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
        db.add(tokenizer: BadTokenizer.self)
        db.add(tokenizer: CodeTokenizer.self)
    }
    return configuration
}

@Suite(.serialized)
struct BadTokenizerTests {
    @Test(arguments: [
        ("throw", ResultCode.SQLITE_ERROR), ("range", .SQLITE_RANGE), ("nul", .SQLITE_MISUSE), ("done", .SQLITE_ERROR),
    ])
    func tokensThatThrow(behaviour: String, code: ResultCode) throws {
        try withDatabase(configuration) { db throws in
            try db.createDocuments(BadTokenizer.tokenizerDescriptor(arguments: [behaviour]))
            try db.insertDocuments("good")
            expectError(code) { try db.insertDocuments("a bad text") }
            expectError(code) { try db.searchDocuments("bad") }
            #expect(try db.searchDocuments("good") == [1] && db.searchDocuments("text") == [])
            try db.inTransaction {
                try db.insertDocuments("better")
                expectError(code) { try db.insertDocuments("bad") }
                return .commit
            }
            #expect(try db.searchDocuments("better") == [2])
            let tokenizer = try db.makeTokenizer(BadTokenizer.tokenizerDescriptor(arguments: [behaviour]))
            expectError(code) { try tokenizer.tokenize(document: "a bad text") }
        }
    }

    /// The texts are "foo bar" and "baz". Without text in its tokens, each one matches.
    @Test(arguments: [
        ("empty", [1, 2]), ("swallow", [1]), ("colocated", [1]), ("many", [1]), ("huge", [1]), ("none", [1]),
    ])
    func strangeTokens(behaviour: String, found: [Int]) throws {
        try withDatabase(configuration) { db throws in
            try db.createDocuments(BadTokenizer.tokenizerDescriptor(arguments: [behaviour]))
            try db.insertDocuments("foo bar", "baz")
            #expect(try db.searchDocuments("foo") == found)
            let marked = Table("document").matching(FTS5Pattern(matchingAllTokensIn: "foo"))
                .select(FTS5.highlight(Column("body")), as: String.self)
            _ = try marked.fetchAll(db)
            try db.execute(sql: "UPDATE document SET body = 'x'; DELETE FROM document")
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM document") == 0)
        }
    }

    @Test(arguments: [1, 5, 100, 101, 7, 999]) func unexpectedCodes(code: Int) throws {
        try withDatabase(configuration) { db throws in
            try db.createDocuments(CodeTokenizer.tokenizerDescriptor(arguments: ["\(code)"]))
            #expect(throws: DatabaseError.self) { try db.insertDocuments("a") }
            #expect(throws: DatabaseError.self) { _ = try db.searchDocuments("a") }
            let tokenizer = try db.makeTokenizer(CodeTokenizer.tokenizerDescriptor(arguments: ["\(code)"]))
            let error = #expect(throws: DatabaseError.self) { try tokenizer.tokenize(document: "a") }
            // A success code is also an error.
            #expect(error?.extendedResultCode.rawValue == CInt(code == 100 || code == 101 ? 1 : code))
        }
    }

    /// `add(tokenizer:)` can't throw, so the statements that use the tokenizer do.
    @Test func refusedTokenizers() throws {
        try withDatabase { db throws in
            db.add(tokenizer: NamelessTokenizer.self)
            let message = "the tokenizer nul could not be added: its name contains a NUL character; remove it"
            expectError(.SQLITE_MISUSE, message) {
                try db.execute(sql: "CREATE VIRTUAL TABLE d USING fts5(body, tokenize='nul')")
            }
            expectError(.SQLITE_MISUSE, message) {
                try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["nul"]))
            }
            expectError(.SQLITE_ERROR, "no such tokenizer: other") {
                try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["other"]))
            }
            try db.createDocuments(.unicode61())
        }
    }
}
