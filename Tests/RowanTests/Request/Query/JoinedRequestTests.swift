import Rowan
import Testing

private typealias Author = Library.Author
private typealias Award = Library.Award
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
                    #"SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON ("book"."authorId" = "author"."id") AND ("author"."id" < 2) ORDER BY "book"."id""#,
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
                    #"SELECT "book".*, "author".* FROM (SELECT * FROM "book" "book1" WHERE "year" > 1840) AS "book" RIGHT JOIN (SELECT * FROM "author" "author1" WHERE "id" < 4) AS "author" ON "book"."authorId" = "author"."id""#,
                    #"SELECT "book".*, "author".* FROM "book" FULL JOIN "author" ON "book"."authorId" = "author"."id""#,
                    #"SELECT COUNT(*) FROM "country" "country1" CROSS JOIN "country" "country2""#,
                    #"SELECT "country1".*, "country2".* FROM "country" "country1" CROSS JOIN "country" "country2""#,
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
            // A request with groups or a limit is joined as a whole.
            let latest = Book.select(Column("authorId"), max(Column("year")).forKey("year")).group(Column("authorId"))
                .asRequest(of: Row.self)
            let years = try Author.order(\.id).leftJoin(latest, key: "latest") { author, book in
                author.id == book["authorId"]
            }.fetchAll(db)
            #expect(years.map { $0.1?["year"] as Int? } == [1851, 1830, nil, nil])
        }
    }

    @Test func conditionsWithTheAliasesOfAllRequests() throws {
        try Library.run { db, log throws in
            let joined = Book.filter { $0.year > 1500 }
                .join(Author.all()) { book, author in book.authorId == author.id }
                .leftJoin(Award.all()) { book, author, award in award["bookId"] == book.id && author.name != "Hugo" }
                .join(Country.all()) { _, author, _, country in country.code == author.countryCode }
                .order(Column("id"))
            let rows = try joined.fetchAll(db).map { "\($0.title) \($1.name) \($2?.name ?? "-") \($3.code)" }
            #expect(
                rows == [
                    "Moby-Dick Melville Gold US", "Moby-Dick Melville Silver US", "Omoo Melville - US",
                    "Hernani Hugo - FR",
                ])
            #expect(
                log.takeExpanded() == [
                    #"SELECT "book".*, "author".*, "award".*, "country".* FROM "book" JOIN "author" ON "book"."authorId" = "author"."id" LEFT JOIN "award" ON ("award"."bookId" = "book"."id") AND ("author"."name" <> 'Hugo') JOIN "country" ON "country"."code" = "author"."countryCode" WHERE "book"."year" > 1500 ORDER BY "book"."id""#
                ])
            // The same table several times, each with its own alias.
            let rivals = Author.all()
                .join(Author.all()) { one, other in one.countryCode == other.countryCode && one.id < other.id }
                .leftJoin(Author.all()) { one, other, third in third.id == one.id + other.id - 1 }
            #expect(try rivals.fetchAll(db).map { [$0.id, $1.id, $2?.id ?? 0] } == [[2, 3, 4]])
        }
    }

    @Test func joinsOfTypesThatDoNotDecode() throws {
        struct Plain: TableRecord {
            static let databaseTableName = "author"
        }
        try Library.run { db, _ throws in
            let joined = Book.order(\.id).join(Plain.all()) { book, author in book.authorId == author["id"] }
            let error = #expect(throws: RowDecodingError.self) { try joined.fetchAll(db) }
            #expect(
                error?.description
                    == "cannot decode Plain from a joined row: make it a FetchableRecord, or decode the rows into another type with asRequest(of:)"
            )
            #expect(try joined.fetchCount(db) == 3)
            struct Pair: Decodable, FetchableRecord {
                struct Named: Decodable { var name: String }
                var book: Book
                var author: Named
            }
            #expect(try joined.asRequest(of: Pair.self).fetchOne(db)?.author.name == "Melville")
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
            #expect(tags.map { "\($0["id"] as Int)\(String.fromDatabaseValue($1.value) ?? "")" } == ["1a", "1b", "3b"])
            #expect(
                log.takeExpanded() == [
                    #"SELECT "value" FROM json_each('[1, 2, 3]') WHERE "value" > 1"#,
                    #"SELECT "tagged".*, "json_each"."value" FROM "tagged" JOIN json_each("tagged"."tags")"#,
                ])
            let all = try Table("tagged").aliased(tagged).join(TableFunction.jsonTree(tagged["tags"]).all()).fetchAll(
                db)
            #expect(all.map { $0.1.fullkey } == ["$", "$[0]", "$[1]", "$", "$", "$[0]"])
            _ = log.takeExpanded()
            #expect(try TableFunction("pragma_table_info", "tagged").all().fetchCount(db) == 2)
            #expect(log.takeExpanded() == [#"SELECT COUNT(*) FROM pragma_table_info('tagged')"#])
            expectError(.SQLITE_ERROR, "no such table: no_function") {
                try TableFunction("no_function", 1).all().fetchAll(db)
            }
        }
    }

    /// The clauses of a joined subquery and of the whole query may use the user's aliases.
    @Test func aliasesOfSubqueries() throws {
        try Library.run { db, log throws in
            let (book, author) = (TableAlias<Book>(name: "b"), TableAlias<Author>())
            let pairs = try Book.aliased(book).filter(book["year"] > 1830).order(book["id"].desc).limit(1)
                .join(Author.aliased(author).order(author["id"]).limit(2)) { $0.authorId == $1.id }
                .filter(author["name"] == "Melville").order(book["id"])
                .fetchAll(db)
            #expect(pairs.map(\.0.title) == ["Omoo"])
            #expect(
                log.takeExpanded() == [
                    #"SELECT "b".*, "author".* FROM (SELECT "b".* FROM "book" "b" WHERE "b"."year" > 1830 ORDER BY "b"."id" DESC LIMIT 1) AS "b" JOIN (SELECT * FROM "author" "author1" ORDER BY "author1"."id" LIMIT 2) AS "author" ON "b"."authorId" = "author"."id" WHERE "author"."name" = 'Melville' ORDER BY "b"."id""#
                ])
        }
    }

    /// The scopes of included associations can't be used outside a subquery.
    @Test func clausesOfIncludedAssociations() throws {
        try Library.run { db, _ throws in
            let books = Book.including(optional: Book.author).order(\.id)
            #expect(try books.join(Award.all()) { $0.id == $1["bookId"] }.fetchCount(db) == 3)
            #expect(try books.rightJoin(Award.all()) { $0.id == $1["bookId"] }.fetchCount(db) == 3)
            let advice =
                "it can't be joined to another request. Join the associated rows as well, instead of including them"
            let limited = books.limit(1).join(Award.all()) { $0.id == $1["bookId"] }
            let filtered = books.filter { $0.year > 1840 }.rightJoin(Award.all()) { $0.id == $1["bookId"] }
            for (clause, request) in [
                ("limit(_:)", limited.asRequest(of: Row.self)), ("filter(_:)", filtered.asRequest(of: Row.self)),
            ] {
                let error = #expect(throws: (any Error).self) { try request.fetchAll(db) }
                #expect(
                    error.map { "\($0)" }
                        == "the request of book includes associations and uses \(clause): \(advice)")
            }
            // A filter on the result of other joins applies to each row.
            let kept = books.filter { $0.year > 1840 }.leftJoin(Award.all()) { $0.id == $1["bookId"] }
            #expect(try kept.fetchAll(db).map(\.0.id) == [1, 1, 2])
        }
    }
}
