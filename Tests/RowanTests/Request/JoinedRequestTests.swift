import Rowan
import Testing

private typealias Author = Library.Author
private typealias Book = Library.Book
private typealias Country = Library.Country

struct JoinedRequestTests {
    @Test func innerAndLeft() throws {
        try Library.run { db, log throws in
            let pairs = try Book.filter { $0.year > 1000 }.order(\.id)
                .join(Author.filter { $0.name != "Hugo" }) { book, author in book.authorId == author.id }
                .fetchAll(db)
            #expect(pairs.map(\.0.title) == ["Moby-Dick", "Omoo"])
            #expect(pairs.map(\.1.name) == ["Melville", "Melville"])
            let left = try Book.order(\.id)
                .leftJoin(Author.all()) { book, author in book.authorId == author.id && author.id < 2 }
                .fetchAll(db)
            #expect(left.map(\.1?.name) == ["Melville", "Melville", nil, nil])
            #expect(
                log.takeExpanded() == [
                    #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON ("book"."authorId" = "author"."id") AND ("author"."name" <> 'Hugo') WHERE "book"."year" > 1000 ORDER BY "book"."id""#,
                    #"SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON (("book"."authorId" = "author"."id") AND ("author"."id" < 2)) ORDER BY "book"."id""#,
                ])
        }
    }

    @Test func outerAndCross() throws {
        try Library.run { db, log throws in
            let right = try Book.filter { $0.year > 1840 }
                .rightJoin(Author.filter { $0.id < 4 }) { book, author in book.authorId == author.id }
                .fetchAll(db)
            #expect(
                right.map { "\($0.0?.title ?? "-") \($0.1.name)" }.sorted() == [
                    "- Hugo", "- Sand", "Moby-Dick Melville", "Omoo Melville",
                ])
            let full = try Book.all().fullJoin(Author.all()) { book, author in book.authorId == author.id }.fetchAll(db)
            #expect(
                full.map { "\($0.0?.title ?? "-") \($0.1?.name ?? "-")" }.sorted() == [
                    "- Nobody", "- Sand", "Anonymous -", "Hernani Hugo", "Moby-Dick Melville", "Omoo Melville",
                ])
            let cross = Country.all().crossJoin(Country.all())
            #expect(try cross.fetchCount(db) == 9)
            #expect(try cross.fetchAll(db).count { $0.0 == $0.1 } == 3)
            #expect(
                log.takeExpanded() == [
                    #"SELECT "book".*, "author".* FROM (SELECT * FROM "book" AS "book1" WHERE "year" > 1840) AS "book" RIGHT JOIN (SELECT * FROM "author" AS "author1" WHERE "id" < 4) AS "author" ON ("book"."authorId" = "author"."id")"#,
                    #"SELECT "book".*, "author".* FROM "book" FULL JOIN "author" ON ("book"."authorId" = "author"."id")"#,
                    #"SELECT COUNT(*) FROM "country" AS "country1" CROSS JOIN "country" AS "country2""#,
                    #"SELECT "country1".*, "country2".* FROM "country" AS "country1" CROSS JOIN "country" AS "country2""#,
                ])
        }
    }

    @Test func threeRequestsGroupsAndStructs() throws {
        struct Info: Decodable, FetchableRecord {
            var book: Book
            var author: Author
            var nation: Country?
        }
        try Library.run { db, _ throws in
            let author = TableAlias<Author>()
            let joined = Book.order(\.id)
                .join(Author.aliased(author).filter { $0.id > 0 }) { book, author in book.authorId == author.id }
                .leftJoin(Country.all(), key: "nation") { _, _, country in author.countryCode == country.code }
            let triples = try joined.limit(2, offset: 1).fetchAll(db)
            #expect(
                triples.map { "\($0.title) \($1.name) \($2?.code ?? "-")" } == ["Omoo Melville US", "Hernani Hugo FR"])
            let first = try joined.fetchOne(db)
            #expect(first?.0.id == 1 && first?.1.id == 1 && first?.2?.code == "US")
            #expect(try joined.filter(Column("year") < 1840).fetchCount(db) == 1)
            let infos = try joined.asRequest(of: Info.self).fetchAll(db)
            #expect(infos.map(\.nation?.name) == ["United States", "United States", "France"])
            let cursor = try joined.fetchCursor(db)
            #expect(try cursor.next()?.0.id == 1)
            #expect(try cursor.next()?.0.id == 2)
            // A request with groups, or a limit, is joined as a whole.
            let latest = Book.select(Column("authorId"), max(Column("year")).forKey("year")).group(Column("authorId"))
                .asRequest(of: Row.self)
            let years = try Author.order(\.id).leftJoin(latest, key: "latest") { author, book in
                author.id == book["authorId"]
            }.fetchAll(db)
            #expect(years.map { $0.1?["year"] as Int? } == [1851, 1830, nil, nil])
        }
    }

    @Test func tableFunctions() throws {
        try Library.run { db, log throws in
            try db.execute(sql: "CREATE TABLE tagged (id INTEGER PRIMARY KEY, tags TEXT)")
            try db.execute(sql: #"INSERT INTO tagged VALUES (1, '["a","b"]'), (2, '[]'), (3, '["b"]')"#)
            _ = log.takeExpanded()
            let values = TableFunction.jsonEach("[1, 2, 3]").all().select(Column("value"), as: Int.self)
            #expect(try values.filter(Column("value") > 1).fetchAll(db) == [2, 3])
            let tagged = TableAlias<Row>()
            let tags = try Table("tagged").aliased(tagged)
                .join(TableFunction.jsonEach(tagged["tags"]).all().select(Column("value")))
                .fetchAll(db)
            #expect(tags.map { "\($0["id"] as Int)\($1["value"] as String)" } == ["1a", "1b", "3b"])
            #expect(
                log.takeExpanded() == [
                    #"SELECT "value" FROM json_each('[1, 2, 3]') WHERE "value" > 1"#,
                    #"SELECT "tagged".*, "json_each"."value" FROM "tagged" JOIN json_each("tagged"."tags")"#,
                ])
            let all = try Table("tagged").aliased(tagged).join(TableFunction.jsonTree(tagged["tags"]).all()).fetchAll(
                db)
            #expect(all.map { $0.1["fullkey"] as String } == ["$", "$[0]", "$[1]", "$", "$", "$[0]"])
            _ = log.takeExpanded()
            #expect(try TableFunction("pragma_table_info", "tagged").all().fetchCount(db) == 2)
            #expect(log.takeExpanded() == [#"SELECT COUNT(*) FROM pragma_table_info('tagged')"#])
            expectError(.SQLITE_ERROR, "no such table: no_function") {
                try TableFunction("no_function", 1).all().fetchAll(db)
            }
        }
    }
}
