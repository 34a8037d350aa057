import Foundation
import Rowan
import Testing

private typealias Author = Library.Author
private typealias Book = Library.Book
private typealias Country = Library.Country
private typealias Award = Library.Award

struct AssociationAggregateTests {
    @Test func annotations() throws {
        try Library.check(
            Author.select(\.id).annotated(with: Author.books.count, Author.books.max(\.year)),
            #"SELECT "id", (SELECT COUNT(*) FROM "book" WHERE "authorId" = "author"."id") AS "bookCount", (SELECT MAX("year") FROM "book" WHERE "authorId" = "author"."id") AS "maxBookYear" FROM "author""#,
            rows: [
                "[id:1 bookCount:2 maxBookYear:1851]", "[id:2 bookCount:1 maxBookYear:1830]",
                "[id:3 bookCount:0 maxBookYear:NULL]", "[id:4 bookCount:0 maxBookYear:NULL]",
            ])
        try Library.check(
            Author.select(\.id).annotated(
                with: Author.books.isEmpty, Author.books.sum(\.price), Author.books.average(\.price),
                Author.books.total(\.price).forKey("total"), Author.books.min(\.price) ?? 0),
            #"SELECT "id", NOT EXISTS (SELECT 1 FROM "book" WHERE "authorId" = "author"."id") AS "hasNoBook", "#
                + #"(SELECT SUM("price") FROM "book" WHERE "authorId" = "author"."id") AS "bookPriceSum", "#
                + #"(SELECT AVG("price") FROM "book" WHERE "authorId" = "author"."id") AS "averageBookPrice", "#
                + #"(SELECT TOTAL("price") FROM "book" WHERE "authorId" = "author"."id") AS "total", "#
                + #"IFNULL((SELECT MIN("price") FROM "book" WHERE "authorId" = "author"."id"), ?) AS "minBookPrice" "#
                + #"FROM "author""#, [0],
            rows: [
                "[id:1 hasNoBook:0 bookPriceSum:30 averageBookPrice:15.0 total:30.0 minBookPrice:10]",
                "[id:2 hasNoBook:0 bookPriceSum:30 averageBookPrice:30.0 total:30.0 minBookPrice:30]",
                "[id:3 hasNoBook:1 bookPriceSum:NULL averageBookPrice:NULL total:0.0 minBookPrice:0]",
                "[id:4 hasNoBook:1 bookPriceSum:NULL averageBookPrice:NULL total:0.0 minBookPrice:0]",
            ])
    }

    @Test func conditions() throws {
        let books = #"(SELECT 1 FROM "book" WHERE "authorId" = "author"."id")"#
        try Library.check(
            Author.select(\.id).having(Author.books.isEmpty),
            #"SELECT "id" FROM "author" WHERE NOT EXISTS \#(books)"#, rows: ["[id:3]", "[id:4]"])
        for request in [
            Author.having(Author.books.isEmpty == false), Author.having(!Author.books.isEmpty),
            Author.having(Author.books.isEmpty != true),
        ] {
            try Library.check(
                request.select(\.id), #"SELECT "id" FROM "author" WHERE EXISTS \#(books)"#, rows: ["[id:1]", "[id:2]"])
        }
        try Library.check(
            Author.having(Author.books.filter { $0.year > 1830 }.count >= 2 && Author.awards.sum(\.points) > 4).select(
                \.id),
            #"SELECT "id" FROM "author" WHERE ((SELECT COUNT(*) FROM "book" WHERE ("year" > ?) AND ("authorId" = "author"."id")) >= ?) AND ((SELECT SUM("award"."points") FROM "award" JOIN "book" ON "book"."id" = "award"."bookId" WHERE "book"."authorId" = "author"."id") > ?)"#,
            [1830, 2, 4], rows: ["[id:1]"])
    }

    /// Three books and three awards: a single join would multiply the sum.
    @Test func severalAssociations() throws {
        try Library.run { db, _ throws in
            let request = Author.select(\.id).annotated(
                with: Author.books.sum(\.price), Author.awards.sum(\.points), Author.passports.count)
            #expect(
                try Row.fetchAll(db, request).map(\.description) == [
                    "[id:1 bookPriceSum:30 awardPointsSum:5 passportCount:2]",
                    "[id:2 bookPriceSum:30 awardPointsSum:5 passportCount:1]",
                    "[id:3 bookPriceSum:NULL awardPointsSum:NULL passportCount:2]",
                    "[id:4 bookPriceSum:NULL awardPointsSum:NULL passportCount:0]",
                ])
        }
    }

    @Test func withoutIndex() throws {
        try Library.run { db, _ throws in
            // The cached plan must not outlive the schema with its indexes.
            #expect(try statementText(db, Author.annotated(with: Author.books.count)).sql.contains("(SELECT COUNT(*)"))
            try db.execute(sql: "DROP INDEX book_author; DROP INDEX award_book")
            let request = Author.select(\.id).annotated(
                with: Author.books.count, Author.books.sum(\.price), Author.books.isEmpty,
                Author.books.total(\.price).forKey("t"))
            #expect(
                try statementText(db, request).sql
                    == #"SELECT "author"."id", IFNULL("books"."value0", ?) AS "bookCount", "books"."value1" AS "bookPriceSum", "books"."value0" IS NULL AS "hasNoBook", IFNULL("books"."value2", ?) AS "t" FROM "author" LEFT JOIN (SELECT "authorId" AS "key0", COUNT(*) AS "value0", SUM("price") AS "value1", TOTAL("price") AS "value2" FROM "book" GROUP BY "authorId") AS "books" ON "books"."key0" = "author"."id""#
            )
            #expect(
                try Row.fetchAll(db, request).map(\.description) == [
                    "[id:1 bookCount:2 bookPriceSum:30 hasNoBook:0 t:30.0]",
                    "[id:2 bookCount:1 bookPriceSum:30 hasNoBook:0 t:30.0]",
                    "[id:3 bookCount:0 bookPriceSum:NULL hasNoBook:1 t:0.0]",
                    "[id:4 bookCount:0 bookPriceSum:NULL hasNoBook:1 t:0.0]",
                ])
            #expect(try Author.having(Author.awards.sum(\.points) >= 5).fetchCount(db) == 2)
            #expect(try Author.having(Author.awards.isEmpty && Author.passports.isEmpty).deleteAll(db) == 1)
        }
    }

    /// A single scan for all aggregates of a row.
    @Test func oneRowWithoutIndex() throws {
        try inLoggedDatabase(Library.schema.replacingOccurrences(of: "CREATE INDEX", with: "-- ")) { db, _ throws in
            let request = Author.select(\.id).annotated(with: Author.books.count, Author.books.sum(\.price))
            let text = try statementText(db, request.filter(key: 1))
            #expect(
                text.sql
                    == #"SELECT "author"."id", IFNULL("books"."value0", ?) AS "bookCount", "books"."value1" AS "bookPriceSum" FROM "author" LEFT JOIN (SELECT "authorId" AS "key0", COUNT(*) AS "value0", SUM("price") AS "value1" FROM "book" WHERE "authorId" = (SELECT "id" FROM "author" WHERE "id" = ?) GROUP BY "authorId") AS "books" ON "books"."key0" = "author"."id" WHERE "author"."id" = ?"#
            )
            #expect(text.arguments == [0, 1, 1])
            for (id, row) in [
                (1, "[id:1 bookCount:2 bookPriceSum:30]"), (3, "[id:3 bookCount:0 bookPriceSum:NULL]"),
            ] {
                #expect(try Row.fetchAll(db, request.filter(key: id)).map(\.description) == [row])
            }
            #expect(try Row.fetchAll(db, request.filter(key: 9)) == [])
            let awards = Author.filter(key: 1).select(\.id).annotated(
                with: Author.awards.count, Author.awards.sum(\.points))
            #expect(
                try Row.fetchAll(db, awards).map(\.description) == ["[id:1 awardCount:2 awardPointsSum:5]"])
            // The first row is enough: a subquery each.
            #expect(
                try statementText(db, request.limit(1)).sql
                    == #"SELECT "id", (SELECT COUNT(*) FROM "book" WHERE "authorId" = "author"."id") AS "bookCount", (SELECT SUM("price") FROM "book" WHERE "authorId" = "author"."id") AS "bookPriceSum" FROM "author" LIMIT 1"#
            )
        }
    }

    @Test func ofAssociations() throws {
        struct Info: Decodable, FetchableRecord {
            var author: Author
            var awarded: [Book]
        }
        let awarded = Author.books.having(Book.awards.isEmpty == false).forKey("awarded")
        try Library.run { db, _ throws in
            let infos = try Info.fetchAll(db, Author.including(all: awarded))
            #expect(infos.map { $0.awarded.map(\.id) } == [[1], [3], [], []])
            let request = Author.select(\.id).annotated(with: awarded.count)
            #expect(try Row.fetchAll(db, request).map { $0["awardedCount"] as Int } == [1, 1, 0, 0])
            #expect(try Author.joining(required: awarded).fetchCount(db) == 2)
        }
    }
}
