import Rowan
import Testing

private typealias Author = Library.Author
private typealias Book = Library.Book
private typealias Country = Library.Country

extension Author {
    fileprivate static let latestBook = books.first(by: \.year.desc).forKey("latestBook")
    fileprivate static let bestAward = awards.last(by: \.points).forKey("bestAward")
}

struct FirstTests {
    @Test func includedAndNested() throws {
        struct BookInfo: Decodable {
            var book: Book
            var awards: [Library.Award]
        }
        struct Info: Decodable, FetchableRecord {
            var author: Author
            var latestBook: BookInfo?
            var bestAward: Library.Award?
        }
        try Library.check(
            Author.select(\.id).including(optional: Author.latestBook.select(\.title)).order(\.id),
            #"SELECT "author"."id", "book"."title" FROM "author" LEFT JOIN "book" ON "book"."id" = (SELECT "id" FROM "book" "book1" WHERE "authorId" = "author"."id" ORDER BY "year" DESC LIMIT 1) ORDER BY "author"."id""#,
            rows: ["[id:1]", "[id:2]", "[id:3]", "[id:4]"])
        try Library.run { db, _ throws in
            let infos = try Info.fetchAll(
                db,
                Author.including(optional: Author.latestBook.including(all: Book.awards))
                    .including(optional: Author.bestAward).order(\.id))
            #expect(infos.map(\.latestBook?.book.title) == ["Moby-Dick", "Hernani", nil, nil])
            #expect(infos.map { $0.latestBook?.awards.count } == [2, 1, nil, nil])
            #expect(infos.map(\.bestAward?.points) == [3, 5, nil, nil])
        }
    }

    @Test func joinedFilteredRequestedAndThrough() throws {
        try Library.run { db, _ throws in
            // A filter before `first` restricts the candidates; one after it tests the first row.
            let old = Author.books.filter { $0.year < 1850 }.first(by: \.year.desc)
            #expect(try Author.joining(required: old).order(\.id).fetchAll(db).map(\.id) == [1, 2])
            let recent = Author.latestBook.filter { $0.year > 1850 }
            #expect(try Author.joining(required: recent).fetchAll(db).map(\.id) == [1])
            let author = try Author.find(db, key: 1)
            #expect(try author.request(for: old).fetchOne(db)?.title == "Omoo")
            #expect(try author.request(for: Author.latestBook).fetchOne(db)?.title == "Moby-Dick")
            #expect(try Author.find(db, key: 4).request(for: Author.latestBook).fetchOne(db) == nil)
            let alias = TableAlias<Book>()
            let ordered = Author.joining(optional: Author.latestBook.aliased(alias)).order(
                alias.year.desc, Column("id"))
            #expect(try ordered.fetchAll(db).map(\.id) == [1, 2, 3, 4])
            // The first row as a pivot.
            let awards = Author.hasMany(Library.Award.self, through: Author.latestBook, using: Book.awards)
            let rows = try Row.fetchAll(db, Author.select(\.id).annotated(with: awards.count).order(\.id))
            #expect(rows.map { $0["awardCount"] as Int } == [2, 1, 0, 0])
            let prefetched = try Row.fetchAll(db, Author.order(\.id).including(all: awards))
            #expect(prefetched.map { $0.prefetchedRows["awards"]!.count } == [2, 1, 0, 0])
        }
    }

    @Test func usesTheIndex() throws {
        try Library.run { db, _ throws in
            try db.execute(sql: "CREATE INDEX latest ON book(authorId, year)")
            let plan = try Author.including(required: Author.latestBook).explain(db)
            #expect(!plan.usesTemporaryBTree)
            #expect(plan.indexes.contains("latest"))
        }
    }

    @Test func firstInSeveralOrders() throws {
        try Library.run { db, _ throws in
            let oldest = Library.Author.books.first { [$0.year, $0.title.desc] }.forKey("oldest")
            let newest = Library.Author.books.last { [$0.year, $0.title] }.forKey("newest")
            let request = Library.Author.including(optional: oldest).including(optional: newest).order(\.id)
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0.scopes["oldest"]?["title"] as String? } == ["Omoo", "Hernani", nil, nil])
            #expect(rows.map { $0.scopes["newest"]?["title"] as String? } == ["Moby-Dick", "Hernani", nil, nil])
        }
    }
}
