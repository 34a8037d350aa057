import Rowan
import Testing

private struct Author: Codable, Hashable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var country: String?

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let country = Column("country")
    }

    static let books = hasMany(Book.self)
    static let reviews = hasMany(Review.self, through: books, using: Book.reviews)
    var books: QueryInterfaceRequest<Book> { request(for: Author.books) }
}

private struct Book: Codable, Hashable, FetchableRecord, PersistableRecord {
    var id: Int64
    var authorId: Int64
    var title: String
    var year: Int
    var price: Int

    enum Columns {
        static let id = Column("id")
        static let title = Column("title")
        static let year = Column("year")
    }

    static let author = belongsTo(Author.self)
    static let reviews = hasMany(Review.self)
}

private struct Review: Codable, Hashable, FetchableRecord, PersistableRecord {
    var id: Int64
    var bookId: Int64
    var stars: Int
}

private struct BookInfo: Decodable, FetchableRecord {
    var book: Book
    var author: Author?
}

private struct AuthorInfo: Decodable, FetchableRecord {
    var author: Author
    var books: [Book]
}

private extension Author {
    static let latestBook = books.first(by: \.year.desc).forKey("latestBook")
}

private struct LatestInfo: Decodable, FetchableRecord {
    var author: Author
    var latestBook: Book?
}

struct AssociationsArticleTests {
    @Test func article() throws {
        let statements = try Bookshop.run { db throws in
            try including(db)
            try joining(db)
        }
        try Article("Associations").check(ran: statements)
    }

    private func including(_ db: Database) throws {
        // SELECT * FROM "author" WHERE "id" = ?
        let melville = try Author.find(db, key: 1)
        // SELECT * FROM "book" WHERE "authorId" = ? ORDER BY "year"
        let books = try melville.books.order(\.year).fetchAll(db)
        #expect(books.map(\.id) == [1, 2])

        // SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId"
        let infos = try Book.including(optional: Book.author).asRequest(of: BookInfo.self).fetchAll(db)
        // SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."country" = ?)
        let french = try Book.joining(required: Book.author.filter { $0.country == "FR" }).fetchAll(db)
        // SELECT "book".*, "author"."name" AS "authorName" FROM "book"
        //   JOIN "author" ON "author"."id" = "book"."authorId"
        let named = try Row.fetchAll(
            db, Book.annotated(withRequired: Book.author.select { $0.name.forKey("authorName") }))
        #expect(infos.map(\.author?.name) == ["Melville", "Melville", "Hugo", "Sand"])
        #expect(french.map(\.id) == [3, 4] && named.map { $0["authorName"] as String }[2] == "Hugo")

        // SELECT * FROM "author" WHERE "country" = ?
        // SELECT * FROM "book" WHERE "authorId" IN (SELECT +value FROM json_each(?)) ORDER BY "year"
        let authors =
            try Author
            .filter { $0.country == "FR" }
            .including(all: Author.books.order(\.year))
            .asRequest(of: AuthorInfo.self)
            .fetchAll(db)
        #expect(authors.map { $0.books.map(\.id) } == [[3], [4]])
    }

    private func joining(_ db: Database) throws {
        // SELECT "author".*, "book".* FROM "author" LEFT JOIN "book" ON "book"."id" =
        //   (SELECT "id" FROM "book" "book1" WHERE "authorId" = "author"."id" ORDER BY "year" DESC LIMIT 1)
        let latest = try Author.including(optional: Author.latestBook).asRequest(of: LatestInfo.self).fetchAll(db)
        #expect(latest.map(\.latestBook?.id) == [2, 3, 4, nil])

        // SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
        //   ORDER BY "author"."name", "book"."year"
        let author = TableAlias<Author>()
        let sorted =
            try Book
            .joining(required: Book.author.aliased(author))
            .order { [author.name, $0.year] }
            .fetchAll(db)
        #expect(sorted.map(\.id) == [3, 1, 2, 4])

        // SELECT "author1".*, "author2".* FROM "author" "author1"
        //   JOIN "author" "author2" ON ("author1"."country" = "author2"."country") AND ("author1"."id" < "author2"."id")
        let compatriots = try Author.all()
            .join(Author.all()) { one, other in one.country == other.country && one.id < other.id }
            .fetchAll(db)  // [(Author, Author)]
        #expect(compatriots.map { "\($0.0.name) \($0.1.name)" } == ["Hugo Sand"])
        #expect(try Author.find(db, key: 1).request(for: Author.reviews).fetchCount(db) == 2)
    }
}
