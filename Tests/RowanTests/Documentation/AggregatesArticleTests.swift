import Rowan
import Testing

private struct Author: TableRecord {
    enum Columns {
        static let name = Column("name")
    }

    static let books = hasMany(Book.self)
    static let awards = hasMany(Award.self)
    static let reviews = hasMany(Review.self, through: books, using: Book.reviews)
}

private struct Book: TableRecord {
    enum Columns {
        static let authorId = Column("authorId")
        static let year = Column("year")
        static let price = Column("price")
    }

    static let reviews = hasMany(Review.self)
}

private struct Review: TableRecord {
    enum Columns {
        static let stars = Column("stars")
    }
}

private struct Award: TableRecord {}

struct AggregatesArticleTests {
    @Test func article() throws {
        let statements = try Bookshop.run { db throws in
            try rows(db)
            try associations(db)
        }
        try Article("Aggregates").check(ran: statements)
    }

    private func rows(_ db: Database) throws {
        // SELECT AVG("price") FROM "book"
        let mean = try Book.select({ average($0.price) }, as: Double.self).fetchOne(db)
        // SELECT "authorId", SUM("price") AS "sum", SUM("price") FILTER (WHERE "year" > ?) AS "late"
        //   FROM "book" GROUP BY "authorId"
        let prices = try Row.fetchAll(
            db,
            Book.select {
                [$0.authorId, sum($0.price).forKey("sum"), sum($0.price, filter: $0.year > 1840).forKey("late")]
            }
            .group(\.authorId))
        #expect(mean == 18.75 && prices.map { $0["late"] as Int? } == [30, nil, nil])
    }

    private func associations(_ db: Database) throws {
        // SELECT *, (SELECT COUNT(*) FROM "book" WHERE "authorId" = "author"."id") AS "bookCount",
        //   (SELECT MAX("year") FROM "book" WHERE "authorId" = "author"."id") AS "maxBookYear" FROM "author"
        let authors = try Row.fetchAll(db, Author.annotated(with: Author.books.count, Author.books.max(\.year)))
        // SELECT * FROM "author" WHERE NOT EXISTS (SELECT 1 FROM "book" WHERE "authorId" = "author"."id")
        let lazy = try Row.fetchAll(db, Author.having(Author.books.isEmpty))
        #expect(authors.map { $0["bookCount"] as Int } == [2, 1, 1, 0] && lazy.map { $0["id"] as Int } == [4])

        // SELECT * FROM "author" WHERE (SELECT COUNT(*) FROM "book" WHERE "authorId" = "author"."id") >
        //   (SELECT COUNT(*) FROM "award" WHERE "authorId" = "author"."id")
        let unawarded = try Row.fetchAll(db, Author.having(Author.books.count > Author.awards.count))
        // SELECT "name", (SELECT COUNT(*) FROM "book" WHERE ("year" > ?) AND ("authorId" = "author"."id"))
        //   AS "lateCount" FROM "author"
        let counts = try Row.fetchAll(
            db, Author.select(\.name).annotated(with: Author.books.filter { $0.year > 1840 }.forKey("late").count))
        #expect(unawarded.map { $0["id"] as Int } == [3] && counts.map { $0["lateCount"] as Int } == [2, 0, 0, 0])

        // SELECT "name", (SELECT SUM("price") FROM "book" WHERE "authorId" = "author"."id") AS "bookPriceSum",
        //   (SELECT COUNT(*) FROM "award" WHERE "authorId" = "author"."id") AS "awardCount",
        //   (SELECT AVG("review"."stars") FROM "review" JOIN "book" ON "book"."id" = "review"."bookId"
        //   WHERE "book"."authorId" = "author"."id") AS "averageReviewStars" FROM "author"
        let sums = try Row.fetchAll(
            db,
            Author.select(\.name).annotated(
                with: Author.books.sum(\.price), Author.awards.count, Author.reviews.average(\.stars)))
        #expect(sums[0].description == #"[name:"Melville" bookPriceSum:30 awardCount:2 averageReviewStars:4.5]"#)

        // SELECT "author"."name", (SELECT COUNT(*) FROM "award" WHERE "authorId" = "author"."id") AS "awardCount" FROM "author"
        //   JOIN "book" ON ("book"."authorId" = "author"."id") AND ("book"."price" < ?) GROUP BY "author"."id"
        let cheap = try Row.fetchAll(
            db,
            Author.joining(required: Author.books.filter { $0.price < 25 }).select(\.name)
                .annotated(with: Author.awards.count))
        #expect(cheap.map { $0["awardCount"] as Int } == [2, 0])

        try db.execute(sql: "DROP INDEX award_author")
        // SELECT "author"."name", IFNULL("awards"."value0", ?) AS "awardCount" FROM "author" LEFT JOIN
        //   (SELECT "authorId" AS "key0", COUNT(*) AS "value0" FROM "award" GROUP BY "authorId") AS "awards"
        //   ON "awards"."key0" = "author"."id"
        let awards = try Row.fetchAll(db, Author.select(\.name).annotated(with: Author.awards.count))
        #expect(awards.map { $0["awardCount"] as Int } == [2, 1, 0, 0])
    }
}
