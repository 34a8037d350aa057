import Rowan
import Testing

private struct Author: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var country: String?

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let country = Column("country")
    }

    static let books = hasMany(Book.self)
}

private struct Book: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var authorId: Int64
    var title: String
    var year: Int
    var price: Int

    enum Columns {
        static let id = Column("id")
        static let authorId = Column("authorId")
        static let title = Column("title")
        static let year = Column("year")
        static let price = Column("price")
    }
}

struct BeyondTheBasicsArticleTests {
    @Test func article() throws {
        let statements = try Bookshop.run { db throws in
            try pages(db)
            try groups(db)
            try joins(db)
            try functions(db)
            try plans(db)
            try batches(db)
        }
        try strictConversions()
        try Article("BeyondTheBasics").check(ran: statements)
    }

    /// The article for users of the documented model contains a single line of code.
    @Test func comingFromTheDocumentedModel() throws {
        try Article("ComingFromGRDB").check(ran: [])
    }

    private func batches(_ db: Database) throws {
        let authors = [
            Author(id: 5, name: "Balzac", country: "FR"),
            Author(id: 6, name: "Austen", country: "GB"),
        ]
        try Author.insertAll(db, authors)

        let changed = [
            Author(id: 6, name: "Jane Austen", country: "GB"),
            Author(id: 7, name: "Bronte", country: "GB"),
        ]
        try Author.upsertAll(db, changed)
        #expect(try Author.order(\.id.desc).limit(3).fetchAll(db).map(\.name) == ["Bronte", "Jane Austen", "Balzac"])
    }

    private func pages(_ db: Database) throws {
        let request = Book.order(\.price)
        var page = try request.page(size: 2).fetch(db)
        let first = page.map(\.title)
        page = try request.page(after: page.next, size: 2).fetch(db)
        let second = page.map(\.title)
        #expect(first == ["Moby-Dick", "Indiana"] && second == ["Omoo", "Hernani"])
    }

    private func groups(_ db: Database) throws {
        struct AuthorInfo: Decodable, FetchableRecord {
            var author: Author
            var books: [Book]
        }
        let newest = Author.books.order(\.year.desc).limit(1)
        let infos = try Author.including(all: newest).asRequest(of: AuthorInfo.self).fetchAll(db)
        #expect(infos.map { $0.books.map(\.title) } == [["Moby-Dick"], ["Hernani"], ["Indiana"], []])

        let cheapest = try Book.all().latest(per: \.authorId, by: \.price.asc).order(\.id).fetchAll(db)
        #expect(cheapest.map(\.title) == ["Moby-Dick", "Hernani", "Indiana"])
    }

    private func joins(_ db: Database) throws {
        // SELECT "author".*, "book".*, "review".* FROM "author"
        //   JOIN "book" ON "book"."authorId" = "author"."id"
        //   LEFT JOIN "review" ON ("review"."bookId" = "book"."id") AND ("review"."stars" > ("book"."price" - ?))
        let rows = try Author.all()
            .join(Book.all()) { author, book in book.authorId == author.id }
            .leftJoin(Table("review").all()) { _, book, review in
                review["bookId"] == book.id && review["stars"] > book.price - 10
            }
            .fetchAll(db)
        #expect(rows.count { $0.1.title == "Moby-Dick" && $0.2?["stars"] as Int? != nil } == 2)
        #expect(rows.count == 5)
    }

    private func functions(_ db: Database) throws {
        // SELECT "value" FROM json_each(?) WHERE "value" > ?
        let values = try TableFunction.jsonEach("[1, 2, 3]")
            .filter { $0.value > 1 }
            .select({ $0.value }, as: Int.self)
            .fetchAll(db)
        #expect(values == [2, 3])

        // SELECT SUM("price") OVER (ORDER BY "year" ROWS BETWEEN ? PRECEDING AND CURRENT ROW) FROM "book" ORDER BY "year"
        let pair = sum(Column("price")).over(orderBy: [Column("year")], frame: .rows(from: .preceding(1)))
        let sums = try Book.order(\.year).select(pair, as: Int.self).fetchAll(db)
        #expect(sums == [30, 45, 35, 30])
    }

    private func plans(_ db: Database) throws {
        let plan = try Book.filter { $0.authorId == 1 }.explain(db)
        let indexes = plan.indexes  // ["book_author"]
        let fullScans = plan.fullScans  // []
        #expect(indexes == ["book_author"] && fullScans.isEmpty)
    }

    private func strictConversions() throws {
        var configuration = Configuration()
        configuration.strictConversions = true
        let strictQueue = try DatabaseQueue(configuration: configuration)
        let number = try strictQueue.read { db in
            try? Int.fetchOne(db, sql: "SELECT 'abc'")  // nil: it throws a RowDecodingError
        }
        #expect(number == nil)
        #expect(try DatabaseQueue().read { try Int.fetchOne($0, sql: "SELECT 'abc'") } == 0)
    }
}
