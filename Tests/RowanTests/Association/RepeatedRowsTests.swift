// Requests with aggregates of associations return each row once, as with the documented GROUP BY.

import Rowan
import Testing

private typealias Author = Library.Author
private typealias Book = Library.Book
private typealias Country = Library.Country

struct RepeatedRowsTests {
    @Test func joinedRowsDoNotRepeatAggregatedOnes() throws {
        try Library.check(
            Author.joining(required: Author.books).annotated(with: Author.passports.count).select(\.id)
                .annotated(with: Author.passports.count),
            #"SELECT "author"."id", (SELECT COUNT(*) FROM "passport" WHERE "citizenId" = "author"."id") AS "passportCount" FROM "author" JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id""#,
            rows: ["[id:1 passportCount:2]", "[id:2 passportCount:1]"])
        try Library.check(
            Author.joining(required: Author.books.filter { $0.year > 1800 }).having(Author.awards.count > 0)
                .select(\.name),
            #"SELECT "author"."name" FROM "author" JOIN "book" ON ("book"."authorId" = "author"."id") AND ("book"."year" > ?) WHERE (SELECT COUNT(*) FROM "award" JOIN "book" ON "book"."id" = "award"."bookId" WHERE "book"."authorId" = "author"."id") > ? GROUP BY "author"."id""#,
            [1800, 0], rows: [#"[name:"Melville"]"#, #"[name:"Hugo"]"#])
    }

    @Test func theyAreCountedOnce() throws {
        try Library.run { db, _ throws in
            let request = Author.joining(required: Author.books).annotated(with: Author.passports.count)
            #expect(try request.fetchCount(db) == 2)
            #expect(try request.fetchAll(db).map(\.id) == [1, 2])
            #expect(try request.isEmpty(db) == false)
            let pageError = #expect(throws: DatabaseError.self) { try request.page(size: 2).fetch(db) }
            #expect(pageError?.message?.contains("aggregates of associations") == true)
        }
    }

    @Test func otherRequestsAreNotGrouped() throws {
        try Library.run { db, _ throws in
            // Without aggregates, there is a row for each joined row.
            #expect(try Author.joining(required: Author.books).fetchCount(db) == 3)
            // A single row for all.
            let sum = Author.joining(required: Author.books).having(Author.passports.count > 0)
                .select(max(Column("id")), as: Int.self)
            #expect(try sum.fetchAll(db) == [2])
            // At most one joined row.
            let toOne = try statementText(
                db, Book.including(required: Book.author).annotated(with: Book.awards.count))
            #expect(!toOne.sql.contains("GROUP BY"))
        }
    }

    @Test func pairsOfRequestsAreNotGrouped() throws {
        try Library.run { db, _ throws in
            let authors = Author.annotated(with: Author.passports.count)
            let awarded = Book.joining(required: Book.awards)
            let pairs = authors.join(awarded) { $0.id == $1.authorId }
            #expect(
                try pairs.fetchAll(db).map { [$0.id, $1.id] }.sorted { $0[1] < $1[1] } == [[1, 1], [1, 1], [2, 3]])
            let published = Author.joining(required: Author.books).annotated(with: Author.passports.count)
            let countries = published.join(Country.all()) { $0.countryCode == $1.code }
            #expect(
                try countries.fetchAll(db).map { [$0.name, $1.code] }.sorted { $0[0] > $1[0] }
                    == [["Melville", "US"], ["Hugo", "FR"]])
        }
    }

    @Test func includedOnesMakePairsToo() throws {
        try Library.run { db, _ throws in
            let authors = Author.including(required: Author.books).annotated(with: Author.passports.count)
            let pairs = authors.join(Country.all()) { $0.countryCode == $1.code }
            #expect(try pairs.fetchAll(db).map { [$0.name, $1.code] }.count == 3)
        }
    }

    @Test func associationsToOneRepeatNothing() throws {
        try Library.run { db, _ throws in
            let passport = Author.hasOne(Library.Passport.self, using: ForeignKey(["citizenId"]))
            let request = Author.including(optional: passport).annotated(with: Author.books.count).order(\.id)
            #expect(try !statementText(db, request).sql.contains("GROUP BY"))
            let page = try Author.joining(optional: passport.filter { $0.rank == 1 })
                .annotated(with: Author.books.count).page(size: 2).fetch(db)
            #expect(page.elements.count == 2)
        }
    }

    @Test func limitsCountEachOnce() throws {
        struct Info: Decodable, FetchableRecord {
            var country: Country
            var authors: [Author]
        }
        try Library.run { db, _ throws in
            try db.execute(
                sql: "INSERT INTO author VALUES (5, 'Verne', 'US'); INSERT INTO book VALUES (5, 5, 'Nemo', 1, 1)")
            let two = Country.authors.joining(required: Author.books).annotated(with: Author.awards.count)
                .order(\.name).limit(2)
            let infos = try Country.including(all: two).filter(key: "US").asRequest(of: Info.self).fetchAll(db)
            #expect(infos.map { $0.authors.map(\.name) } == [["Melville", "Verne"]])
            let first = Author.joining(required: Author.books).annotated(with: Author.awards.count).order(\.id).limit(2)
            #expect(try first.fetchAll(db).map(\.id) == [1, 2])
            #expect(try first.updateAll(db, [Column("countryCode").set(to: nil)]) == 2)
            #expect(try Author.filter { $0.countryCode == nil }.fetchAll(db).map(\.id) == [1, 2, 4])
        }
    }

    @Test func aggregateFunctionsOfTheUserMakeOneRow() throws {
        struct Longest: DatabaseAggregate {
            var longest = 0
            mutating func step(_ values: [DatabaseValue]) {
                longest = Swift.max(longest, String.fromDatabaseValue(values[0])?.count ?? 0)
            }
            func finalize() -> (any DatabaseValueConvertible)? { longest }
        }
        try Library.run { db, _ throws in
            let longest = DatabaseFunction("longest", argumentCount: 1, pure: true, aggregate: Longest.self)
            db.add(function: longest)
            let request = Author.joining(required: Author.books).having(Author.passports.count > 0)
                .select(longest(Column("name")), as: Int.self)
            #expect(try request.fetchAll(db) == [8])
        }
    }

    @Test func prefetchedRowsToo() throws {
        struct Info: Decodable, FetchableRecord {
            var country: Country
            var authors: [Author]
        }
        try Library.run { db, _ throws in
            let authors = Country.authors.joining(required: Author.books).having(Author.passports.count > 0)
            let infos = try Country.including(all: authors).orderByPrimaryKey().asRequest(of: Info.self).fetchAll(db)
            #expect(infos.map { $0.authors.map(\.id) } == [[], [2], [1]])
            let citizens = Country.citizens.joining(required: Author.books).having(Author.awards.count > 0)
                .forKey("authors")
            let byPassport = try Country.including(all: citizens).orderByPrimaryKey().asRequest(of: Info.self)
                .fetchAll(db)
            #expect(byPassport.map { $0.authors.map(\.id).sorted() } == [[], [1, 2], [1]])
        }
    }

    @Test func theAggregatesOfAMissingRowAreNull() throws {
        struct AuthorInfo: Decodable {
            var id: Int64
            var bookCount: Int
            var hasNoAward: Bool
        }
        struct Info: Decodable, FetchableRecord {
            var book: Book
            var author: AuthorInfo?
        }
        try Library.run { db, _ throws in
            let author = Book.author.annotated(
                with: Author.books.count, Author.awards.isEmpty.forKey("hasNoAward"))
            let infos = try Book.including(optional: author).orderByPrimaryKey().asRequest(of: Info.self).fetchAll(db)
            #expect(infos.map { $0.author?.bookCount } == [2, 2, 1, nil])
            #expect(infos.map { $0.author?.hasNoAward } == [false, false, false, nil])
            #expect(try Info.fetchCount(db, Book.including(required: author)) == 3)
            // The first of two requests may be missing, too.
            let authors = Author.annotated(with: Author.books.count)
            let pairs = authors.rightJoin(Country.all()) { $0.countryCode == $1.code }
            let countries = try pairs.fetchAll(db).map { ($0?.name ?? "-") + " " + $1.code }
            #expect(countries.sorted() == ["- DE", "Hugo FR", "Melville US", "Sand FR"])
        }
    }
}

extension FetchableRecord {
    fileprivate static func fetchCount(_ db: Database, _ request: QueryInterfaceRequest<Book>) throws -> Int {
        try request.asRequest(of: Self.self).fetchAll(db).count
    }
}
