import Rowan
import Testing

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

private struct OldBook: TableRecord {
    static let databaseTableName = "oldBook"
}

struct RequestsArticleTests {
    @Test func article() throws {
        let statements = try Bookshop.run { db throws in
            try fetching(db)
            try pages(db)
            try writes(db)
        }
        try Article("Requests").check(ran: statements)
    }

    private func fetching(_ db: Database) throws {
        // SELECT * FROM "book" WHERE "price" < ? ORDER BY "year" DESC LIMIT 10
        let request = Book.filter { $0.price < 25 }.order(\.year.desc).limit(10)
        let books = try request.fetchAll(db)
        // SELECT * FROM "book" WHERE "price" < ? ORDER BY "year" DESC LIMIT 1
        let newest = try request.limit(1).fetchOne(db)
        // SELECT COUNT(*) FROM "book" WHERE "price" < ?
        let count = try Book.filter { $0.price < 25 }.fetchCount(db)
        #expect(books.map(\.id) == [2, 1, 4] && newest?.id == 2 && count == 3)
        try selections(db)

        // SELECT * FROM "book" WHERE "id" = ?
        let book = try Book.fetchOne(db, key: 2)
        // SELECT * FROM "book" WHERE "id" IN (?, ?)
        let some = try Book.fetchAll(db, keys: [2, 3])
        #expect(book?.title == "Moby-Dick" && some.count == 2)

        // SELECT "name" FROM "author" WHERE "country" = ?
        let names = try Table("author").filter(Column("country") == "FR").select(Column("name"), as: String.self)
            .fetchAll(db)
        #expect(names == ["Hugo", "Sand"])
    }

    private func selections(_ db: Database) throws {
        // SELECT "title" FROM "book"
        let titles = try Book.select(\.title, as: String.self).fetchAll(db)
        // SELECT MAX("year") FROM "book"
        let latest = try Book.select({ max($0.year) }, as: Int.self).fetchOne(db)
        // SELECT *, "price" * ? AS "cents" FROM "book"
        let rows = try Row.fetchAll(db, Book.annotated { ($0.price * 100).forKey("cents") })
        // SELECT "authorId", COUNT(*) AS "count" FROM "book" GROUP BY "authorId" HAVING COUNT(*) > ?
        let counts = try Row.fetchAll(
            db,
            Book.select { [$0.authorId, count(.allColumns).forKey("count")] }
                .group(\.authorId)
                .having(count(.allColumns) > 1))
        #expect(titles.count == 4 && latest == 1851)
        #expect(rows.map { $0["cents"] as Int } == [2000, 1000, 3000, 1500])
        #expect(counts.map(\.description) == ["[authorId:1 count:2]"])
    }

    private func writes(_ db: Database) throws {
        try db.execute(sql: "CREATE TABLE oldBook (id INTEGER PRIMARY KEY, title TEXT); DELETE FROM review")
        // UPDATE "book" SET "price" = "price" + ? WHERE "year" < ?
        try Book.filter { $0.year < 1840 }.updateAll(db) { $0.price += 1 }
        // DELETE FROM "book" WHERE "id" IN (SELECT "id" FROM "book" ORDER BY "price" DESC LIMIT 1)
        try Book.order(\.price.desc).limit(1).deleteAll(db)
        // INSERT INTO "oldBook" ("id", "title") SELECT "id", "title" FROM "book" WHERE "year" < ?
        try OldBook.insertAll(
            db, columns: [Column("id"), Column("title")],
            from: Book.filter { $0.year < 1840 }.select { [$0.id, $0.title] })
        #expect(try String.fetchAll(db, OldBook.select(Column("title"))) == ["Indiana"])
    }

    private func pages(_ db: Database) throws {
        let byYear = Book.order(\.year)
        // SELECT *, "year", "id" FROM "book" ORDER BY "year", "id" LIMIT 3
        let first = try byYear.page(size: 2).fetch(db)
        // SELECT *, "year", "id" FROM "book" WHERE ("year", "id") > (?, ?) ORDER BY "year", "id" LIMIT 3
        let second = try byYear.page(after: first.next, size: 2).fetch(db)
        #expect(first.elements.map(\.id) == [3, 4] && second.elements.map(\.id) == [1, 2] && second.next == nil)

        let (sql, arguments) = try byYear.filter { $0.authorId == 1 }.sql(db)
        let plan = try byYear.filter { $0.authorId == 1 }.explain(db)
        print(plan)
        #expect(sql == #"SELECT * FROM "book" WHERE "authorId" = ? ORDER BY "year""# && arguments == [1])
        #expect(plan.indexes == ["book_author"] && !plan.usesTemporaryBTree)
    }
}
