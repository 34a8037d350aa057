// Matching in requests: the SQL, and the rows that are found with each tokenizer.

import Foundation
import Rowan
import Testing

private struct Document: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "document"
    var title: String
    var body: String

    enum Columns {
        static let title = Column("title")
        static let body = Column("body")
        static let typedTitle = TypedColumn<String>("title")
    }
}

private struct Book: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "book"
    var id: Int64
    var title: String
    var pages: Int

    static let text = hasOne(BookText.self, using: ForeignKey(["rowid"], to: ["id"]))
    static let texts = hasMany(BookText.self, using: ForeignKey(["rowid"], to: ["id"]))
}

private struct BookText: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "book_ft"
    static var databaseSelection: [any SQLSelectable] { [Column.rowID, AllColumns()] }
    static let book = belongsTo(Book.self, using: ForeignKey(["rowid"], to: ["id"]))
    var rowid: Int64
    var title: String
}

private let documents = [
    Document(title: "Moby-Dick", body: "Call me Ishmael. Some years ago, never mind how long precisely"),
    Document(title: "Élégance", body: "Jérôme aime la « frustration » d’été"),
    Document(title: "東京物語", body: "東京に行きます。 北京"),
    Document(title: "Databases", body: "Großmann frustrated the database; ishmael ishmael"),
]

private func inLibrary(_ module: String, _ body: (Database) throws -> Void) throws {
    try inLoggedDatabase { db, _ throws in
        try db.create(virtualTable: "document", using: module)
        for document in documents { try document.insert(db) }
        try body(db)
    }
}

private let modules = ["fts3(title, body)", "fts4(title, body)", "fts5(title, body, tokenize=ascii)"]
private let unicodeModules = [
    "fts3(title, body, tokenize=unicode61)", "fts4(title, body, tokenize=unicode61)", "fts5(title, body)",
]

extension Database {
    fileprivate func titles(_ text: String, isFive: Bool) throws -> [String] {
        let request =
            isFive
            ? Document.matching(FTS5Pattern(matchingAllTokensIn: text))
            : Document.matching(FTS3Pattern(matchingAllTokensIn: text))
        return try request.order(Column.rowID).fetchAll(self).map(\.title)
    }
}

struct SearchTests {
    @Test func theSQL() throws {
        try inLibrary("fts5(title, body)") { db throws in
            let pattern = FTS5Pattern(matchingAllTokensIn: "Ishmael")
            let sql = #"SELECT * FROM "document" WHERE "document" MATCH ?"#
            for request in [
                Document.matching(pattern), Document.all().matching(pattern),
                Table<Document>("document").matching(pattern),
            ] {
                let text = try statementText(db, request)
                #expect(text.sql == sql && text.arguments == ["ishmael"])
            }
            #expect(
                try statementText(db, Document.matching(pattern).order(Column.rank)).sql == sql + #" ORDER BY "rank""#)
            #expect(
                try statementText(db, Document.filter { $0.title.match(pattern) }).sql
                    == #"SELECT * FROM "document" WHERE "title" MATCH ?"#)
            #expect(
                try statementText(db, Document.filter { $0.typedTitle.match(pattern) }).sql
                    == #"SELECT * FROM "document" WHERE "title" MATCH ?"#)
            #expect(
                try statementText(db, Document.filter { $0.title == "a" }.matching(pattern)).sql
                    == #"SELECT * FROM "document" WHERE ("title" = ?) AND ("document" MATCH ?)"#)
            let alias = TableAlias<Document>(name: "d")
            #expect(
                try statementText(db, Document.all().aliased(alias).matching(pattern)).sql
                    == #"SELECT "d".* FROM "document" "d" WHERE "d"."document" MATCH ?"#)
            let rows = try Document.all().aliased(alias).matching(pattern).filter(alias["title"] == "Databases")
                .fetchAll(db)
            #expect(rows.map(\.title) == ["Databases"])
        }
    }

    @Test(arguments: modules + unicodeModules) func nilMatchesNothing(module: String) throws {
        try inLibrary(module) { db throws in
            let three: FTS3Pattern? = nil
            let five: FTS5Pattern? = nil
            #expect(try statementText(db, Document.matching(five)).sql == #"SELECT * FROM "document" WHERE NULL"#)
            for request in [
                Document.matching(three), Document.matching(five), Document.filter { $0.body.match(three) },
                Document.filter { $0.body.match(five) }, Document.filter { !$0.body.match(five) },
            ] {
                #expect(try request.fetchAll(db).isEmpty && request.fetchCount(db) == 0 && request.isEmpty(db))
            }
        }
    }

    @Test func everyVerb() throws {
        try inLibrary("fts5(title, body)") { db throws in
            let request = Document.matching(FTS5Pattern(matchingAllTokensIn: "ishmael"))
            #expect(try request.fetchCount(db) == 2)
            #expect(try request.order(Column.rank).fetchAll(db).map(\.title) == ["Databases", "Moby-Dick"])
            #expect(try request.order(Column.rank).reversed().fetchOne(db)?.title == "Moby-Dick")
            #expect(try request.order(Column.rank.desc).fetchOne(db)?.title == "Moby-Dick")
            #expect(try request.select({ $0.title }, as: String.self).order(Column.rank).fetchSet(db).count == 2)
            #expect(try request.filter { $0.title.match(FTS5Pattern(matchingPhrase: "moby dick")) }.fetchCount(db) == 1)
            #expect(try request.updateAll(db, [Document.Columns.body.set(to: "nothing")]) == 2)
            try #expect(request.isEmpty(db))
            #expect(try Document.matching(FTS5Pattern(matchingAllTokensIn: "nothing")).deleteAll(db) == 2)
            #expect(try Document.fetchCount(db) == 2)
            #expect(try Document.matching(FTS5Pattern(matchingPrefixPhrase: "jerome aime")).fetchCount(db) == 1)
            #expect(try Document.matching(FTS5Pattern(matchingPrefixPhrase: "aime la")).fetchCount(db) == 0)
        }
    }

    @Test(arguments: modules) func tokensOfASCII(module: String) throws {
        let isFive = module.hasPrefix("fts5")
        try inLibrary(module) { db throws in
            #expect(try db.titles("ISHMAEL", isFive: isFive) == ["Moby-Dick", "Databases"])
            #expect(try db.titles("moby DICK", isFive: isFive) == ["Moby-Dick"])
            #expect(try db.titles("Jérôme", isFive: isFive) == ["Élégance"])
            #expect(try db.titles("JÉRÔME", isFive: isFive) == [])
            #expect(try db.titles("jerome", isFive: isFive) == [])
            #expect(try db.titles("database", isFive: isFive) == ["Databases"])
            #expect(try db.titles("東京物語", isFive: isFive) == ["東京物語"])
        }
    }

    @Test(arguments: unicodeModules) func tokensOfUnicode(module: String) throws {
        let isFive = module.hasPrefix("fts5")
        try inLibrary(module) { db throws in
            for text in [
                "Jérôme", "JÉRÔME", "jerome", "Je\u{301}ro\u{302}me", "elegance", "ÉTÉ", "d’été", "« frustration »",
            ] {
                #expect(try db.titles(text, isFive: isFive) == ["Élégance"], "\(text)")
            }
            #expect(try db.titles("東京物語", isFive: isFive) == ["東京物語"])
            #expect(try db.titles("北京", isFive: isFive) == ["東京物語"])
            // A sentence without spaces is a word, so prefixes find its beginning.
            #expect(try db.titles("行きます", isFive: isFive) == [])
            #expect(try db.titles("grossmann", isFive: isFive) == [])
        }
        try inLibrary(module) { db throws in
            let count =
                isFive
                ? try Document.matching(FTS5Pattern(matchingAllPrefixesIn: "東京")).fetchCount(db)
                : try Document.matching(FTS3Pattern(matchingAllPrefixesIn: "東京")).fetchCount(db)
            #expect(count == 1)
        }
    }

    @Test(arguments: [
        "fts3(title, body, tokenize=porter)", "fts4(title, body, tokenize=porter)",
        "fts5(title, body, tokenize=porter)",
    ])
    func stems(module: String) throws {
        let isFive = module.hasPrefix("fts5")
        try inLibrary(module) { db throws in
            #expect(try db.titles("frustrating", isFive: isFive) == ["Élégance", "Databases"])
            #expect(try db.titles("DATABASE", isFive: isFive) == ["Databases"])
        }
    }

    @Test func trigrams() throws {
        try inLibrary("fts5(title, body, tokenize=trigram)") { db throws in
            #expect(try db.titles("行きます", isFive: true) == ["東京物語"])
            #expect(try db.titles("shmae", isFive: true) == ["Moby-Dick", "Databases"])
            #expect(try Document.filter { $0.body.like("%行きます%") }.fetchCount(db) == 1)
        }
    }

    @Test func tokenization() throws {
        #expect(try FTS3.tokenize("SQLite database") == ["sqlite", "database"])
        #expect(try FTS3.tokenize("Gustave Doré") == ["gustave", "doré"])
        #expect(try FTS3.tokenize("SQLite database", withTokenizer: .porter) == ["sqlite", "databas"])
        #expect(try FTS3.tokenize("Gustave Doré", withTokenizer: .unicode61()) == ["gustave", "dore"])
        #expect(try FTS3.tokenize("Gustave Doré", withTokenizer: .unicode61(diacritics: .keep)) == ["gustave", "doré"])
        #expect(
            try FTS3.tokenize(
                "a-b \"c\" xdx", withTokenizer: .unicode61(separators: ["x"], tokenCharacters: ["-", "\""]))
                == ["a-b", "\"c\"", "d"])
        #expect(try FTS3.tokenize("") == [])
    }

    // MARK: Joins

    private func inBookshop(_ body: (Database) throws -> Void) throws {
        try inLoggedDatabase { db, _ throws in
            try db.create(table: "book") { t in
                t.primaryKey("id", .integer)
                t.column("title", .text)
                t.column("pages", .integer)
            }
            try db.create(virtualTable: "book_ft", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
            }
            try Book(id: 1, title: "Moby-Dick", pages: 600).insert(db)
            try Book(id: 2, title: "Dick and Jane", pages: 20).insert(db)
            try Book(id: 3, title: "Omoo", pages: 300).insert(db)
            try body(db)
        }
    }

    @Test func joinedTables() throws {
        try inBookshop { db throws in
            let pattern = FTS5Pattern(matchingAllTokensIn: "dick")
            let request = Book.joining(required: Book.text.matching(pattern).order(Column.rank))
            #expect(
                try statementText(db, request).sql
                    == #"SELECT "book".* FROM "book" JOIN "book_ft" ON ("book_ft"."rowid" = "book"."id") "#
                    + #"AND ("book_ft"."book_ft" MATCH ?) ORDER BY "book_ft"."rank""#)
            #expect(try Set(request.fetchAll(db).map(\.id)) == [1, 2])
            let optional = Book.including(optional: Book.text.matching(pattern).forKey("text")).order(Column("id"))
            let rows = try Row.fetchAll(db, optional)
            #expect(rows.map { $0.scopes["text"]?["rowid"] as Int? } == [1, 2, nil])
            #expect(
                try Book.annotated(with: Book.texts.matching(pattern).count.forKey("n")).order(Column("id"))
                    .asRequest(of: Row.self).fetchAll(db).map { $0["n"] as Int } == [1, 1, 0])
            let reverse = BookText.matching(pattern).including(required: BookText.book.filter(Column("pages") > 100))
            #expect(try reverse.fetchAll(db).map(\.rowid) == [1])
            let alias = TableAlias<BookText>(name: "ft")
            let aliased = Book.joining(required: Book.text.aliased(alias).matching(pattern))
                .filter(alias[Column("title").match(FTS5Pattern(matchingAllTokensIn: "moby"))])
            #expect(try aliased.fetchAll(db).map(\.id) == [1])
            let all = try Row.fetchAll(
                db, Book.including(all: Book.texts.matching(pattern).forKey("texts")).order(Column("id")))
            #expect(all.map { $0.prefetchedRows["texts"]?.count } == [1, 1, 0])
        }
    }

    @Test func joinsOfRequests() throws {
        try inBookshop { db throws in
            let pattern = FTS5Pattern(matchingAllTokensIn: "dick")
            let pairs = try Book.all()
                .join(BookText.matching(pattern)) { book, text in text["rowid"] == book["id"] }
                .fetchAll(db)
            #expect(pairs.map(\.0.id).sorted() == [1, 2] && pairs.allSatisfy { $0.0.title == $0.1.title })
            let ids = BookText.matching(pattern).select(Column.rowID)
            #expect(try Book.filter(ids.contains(Column("id"))).order(Column("id")).fetchAll(db).map(\.id) == [1, 2])
        }
    }

    @Test func tablesWithoutFullText() throws {
        try inBookshop { db throws in
            expectError(.SQLITE_ERROR) { try Book.matching(FTS5Pattern(matchingAllTokensIn: "dick")).fetchAll(db) }
        }
    }

    // MARK: Connections

    @Test(arguments: ConnectionKind.allCases) func everyConnection(kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { db in
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.column("title")
                    t.column("body")
                }
                for document in documents { try document.insert(db) }
            }
            let search: @Sendable (Database) throws -> [String] = { db in
                let pattern = FTS5Pattern(matchingAllTokensIn: "ishmael")
                return try Document.matching(pattern).order(Column.rank).fetchAll(db).map(\.title)
            }
            let titles = try await writer.read(search)
            #expect(titles == ["Databases", "Moby-Dick"])
            let again = try writer.unsafeReentrantRead(search)
            #expect(again == titles)
            expectError(.SQLITE_READONLY) {
                try writer.read { db in try db.execute(sql: "INSERT INTO document VALUES ('a', 'b')") }
            }
        }
    }

    @Test func attachedSchemas() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("other.sqlite")
        try DatabaseQueue(path: path).write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.column("title")
                t.column("body")
            }
            for document in documents { try document.insert(db) }
        }
        try withDatabase { db throws in
            try db.execute(sql: "ATTACH ? AS other", arguments: [path])
            try db.create(virtualTable: "document", using: FTS5()) { t in t.column("title") }
            let pattern = FTS5Pattern(matchingAllTokensIn: "ishmael")
            let request = Table<Document>("document", in: "other").matching(pattern).order(Column.rank)
            #expect(try request.fetchAll(db).map(\.title) == ["Databases", "Moby-Dick"])
            #expect(try Table("document").matching(pattern).fetchCount(db) == 0)
        }
    }

    @Test(arguments: hostileColumnNames) func hostileTables(name: String) throws {
        try withDatabase { db throws in
            try db.create(virtualTable: name, using: FTS5()) { t in t.column("body") }
            let table = Table(name)
            try db.execute(literal: "INSERT INTO \(identifier: name) VALUES ('foo bar')")
            let pattern = FTS5Pattern(matchingAllTokensIn: "foo")
            #expect(try table.matching(pattern).fetchCount(db) == 1)
            let marked = table.matching(pattern).select(FTS5.highlight(Column("body")), as: String.self)
            #expect(try marked.fetchAll(db) == ["<b>foo</b> bar"])
        }
    }
}
