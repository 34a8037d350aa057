import Rowan
import Testing

private struct Document: Codable, FetchableRecord, PersistableRecord {
    var title: String
    var body: String

    enum Columns {
        static let title = Column("title")
        static let body = Column("body")
    }
}

private struct BookText: TableRecord {
    static let databaseTableName = "book_ft"
}

private struct Book: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var title: String
    var price: Int

    static let text = hasOne(BookText.self, using: ForeignKey(["rowid"], to: ["id"]))
}

private final class SynonymTokenizer: FTS5WrapperTokenizer {
    static let name = "synonyms"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        guard token != "the" else { return }
        try tokenCallback(token, flags)
        if token == "1st", tokenization.contains(.document) {
            try tokenCallback("first", flags.union(.colocated))
        }
    }
}

struct FullTextArticleTests {
    @Test func article() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(tokenizer: SynonymTokenizer.self)
        }
        let statements = try inLoggedDatabase(configuration: configuration) { db, log throws in
            try searches(db)
            try externalContent(db)
            try tokenizers(db)
            return log.take()
        }
        try Article("FullText").check(ran: statements)
    }

    private func searches(_ db: Database) throws {
        // CREATE VIRTUAL TABLE "document" USING fts5(title, body, tokenize='''porter''')
        try db.create(virtualTable: "document", using: FTS5()) { t in
            t.tokenizer = .porter()
            t.column("title")
            t.column("body")
        }
        try Document(title: "SQLite", body: "A database for SQLite's friends").insert(db)
        try Document(title: "Dates", body: "No data about SQLite").insert(db)

        let text = "SQLite data"
        let anyWord = FTS5Pattern(matchingAnyTokenIn: text)  // sqlite OR data
        let allWords = FTS5Pattern(matchingAllTokensIn: text)  // sqlite data
        let prefixes = FTS5Pattern(matchingAllPrefixesIn: text)  // sqlite* data*
        let phrase = FTS5Pattern(matchingPhrase: text)  // "sqlite data"
        let start = FTS5Pattern(matchingPrefixPhrase: text)  // ^"sqlite data"
        #expect(
            [anyWord, allWords, prefixes, phrase, start].map { $0?.rawPattern }
                == ["sqlite OR data", "sqlite data", "sqlite* data*", "\"sqlite data\"", "^\"sqlite data\""])

        let pattern = try db.makeFTS5Pattern(rawPattern: "title: sqlite NOT data*", forTable: "document")
        #expect(try Document.matching(pattern).fetchCount(db) == 0)

        // SELECT * FROM "document" WHERE "document" MATCH ? ORDER BY "rank"
        let documents = try Document.matching(prefixes).order(Column.rank).fetchAll(db)
        #expect(documents.map(\.title) == ["SQLite", "Dates"])

        // SELECT * FROM "document" WHERE "title" MATCH ?
        let titles = try Document.filter { $0.title.match(anyWord) }.fetchAll(db)
        #expect(titles.map(\.title) == ["SQLite"])

        // SELECT "title", snippet("document", 1, ?, ?, ?, ?) AS "excerpt" FROM "document"
        //   WHERE "document" MATCH ? ORDER BY bm25("document", ?, ?)
        let results = try Document.matching(prefixes)
            .select { [$0.title, FTS5.snippet(of: $0.body, start: "[", end: "]").forKey("excerpt")] }
            .order(FTS5.bm25(weights: [10, 1]))
            .asRequest(of: Row.self)
            .fetchAll(db)
        #expect(results.map { $0["excerpt"] } == ["A [database] for [SQLite]'s friends", "No [data] about [SQLite]"])
    }

    private func externalContent(_ db: Database) throws {
        try db.create(table: "book") { t in
            t.primaryKey("id", .integer)
            t.column("title", .text)
            t.column("price", .integer)
        }

        // CREATE VIRTUAL TABLE "book_ft" USING fts5(title, content='book', content_rowid='id')
        try db.create(virtualTable: "book_ft", using: FTS5()) { t in
            t.synchronize(withTable: "book")
            t.column("title")
        }
        try Book(id: 1, title: "About SQLite", price: 10).insert(db)
        let anyWord = FTS5Pattern(matchingAnyTokenIn: "SQLite data")

        // SELECT "book".* FROM "book"
        //   JOIN "book_ft" ON ("book_ft"."rowid" = "book"."id") AND ("book_ft"."book_ft" MATCH ?)
        let books = try Book.joining(required: Book.text.matching(anyWord)).fetchAll(db)
        #expect(books.map(\.title) == ["About SQLite"])

        try db.drop(table: "book_ft")
        try db.dropFTS5SynchronizationTriggers(forTable: "book_ft")
        try Book(id: 2, title: "Omoo", price: 10).insert(db)
    }

    private func tokenizers(_ db: Database) throws {
        // CREATE VIRTUAL TABLE "news" USING fts5(text, tokenize='''synonyms''')
        try db.create(virtualTable: "news", using: FTS5()) { t in
            t.tokenizer = SynonymTokenizer.tokenizerDescriptor()
            t.column("text")
        }
        try db.execute(sql: "INSERT INTO news VALUES ('The 1st'), ('The second')")
        let count = try Table("news").matching(FTS5Pattern(matchingAllTokensIn: "the first")).fetchCount(db)
        #expect(count == 1)

        let tokenizer = try db.makeTokenizer(.porter())
        let tokens = try tokenizer.tokenize(document: "SQLite databases").map(\.token)  // ["sqlite", "databas"]
        #expect(tokens == ["sqlite", "databas"])
    }

    /// The table of built-in tokenizers.
    @Test func tableOfTokenizers() throws {
        let texts = [
            ("Foo", "FOO"), ("Jérôme", "JÉRÔME"), ("Jérôme", "Jerome"), ("Databases", "database"),
            ("東京に行きます", "行きます"),
        ]
        let tokenizers: [(FTS5TokenizerDescriptor, [Int])] = [
            (.ascii(), [1, 0, 0, 0, 0]), (.unicode61(), [1, 1, 1, 0, 0]), (.porter(), [1, 1, 1, 1, 0]),
            (.trigram(), [1, 1, 0, 1, 1]),
        ]
        try withDatabase { db throws in
            for (tokenizer, counts) in tokenizers {
                try db.create(virtualTable: "t", using: FTS5()) { t in
                    t.tokenizer = tokenizer
                    t.column("text")
                }
                for (index, (document, query)) in texts.enumerated() {
                    try db.execute(sql: "DELETE FROM t")
                    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [document])
                    let request = Table("t").matching(FTS5Pattern(matchingAllTokensIn: query))
                    #expect(try request.fetchCount(db) == counts[index], "\(tokenizer.components) \(document) \(query)")
                }
                try db.drop(table: "t")
            }
        }
    }
}
