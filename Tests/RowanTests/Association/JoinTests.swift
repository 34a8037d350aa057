import Rowan
import Testing

private typealias Author = Library.Author
private typealias Book = Library.Book
private typealias Country = Library.Country
private typealias Award = Library.Award

struct JoinTests {
    /// An author with two passports: one pivot row does not lead to two countries.
    @Test func twoAssociationsThroughOnePivot() throws {
        let countries = Author.hasMany(
            Country.self, through: Author.passports, using: Library.Passport.country, key: "countries")
        let american = countries.filter { $0.code == "US" }.forKey("american")
        let french = countries.filter { $0.code == "FR" }.forKey("french")
        let request = Author.joining(required: american).joining(required: french)
        try Library.check(
            request.select(\.id),
            #"SELECT "author"."id" FROM "author" JOIN "passport" "passport1" ON "passport1"."citizenId" = "author"."id" JOIN "country" "country1" ON ("country1"."code" = "passport1"."countryCode") AND ("country1"."code" = ?) JOIN "passport" "passport2" ON "passport2"."citizenId" = "author"."id" JOIN "country" "country2" ON ("country2"."code" = "passport2"."countryCode") AND ("country2"."code" = ?)"#,
            ["US", "FR"], rows: ["[id:1]"])
        struct Info: Decodable, FetchableRecord {
            var author: Author
            var american: Country
            var french: Country
            var other: Country?
        }
        let other = countries.filter { $0.code == "DE" }.forKey("other")
        let all = Author.including(required: american).including(required: french).including(optional: other)
        try Library.run { db, _ throws in
            let info = try #require(try Info.fetchOne(db, all))
            #expect(info.author.id == 1 && info.american.code == "US" && info.french.code == "FR" && info.other == nil)
            // The same key is the same association, so its filters are combined.
            let both = Author.joining(required: countries.filter { $0.code == "US" })
                .joining(required: countries.filter { $0.code == "FR" })
            #expect(try both.fetchCount(db) == 0)
            #expect(try request.joining(required: american).fetchAll(db).map(\.id) == [1])
        }
    }

    /// The user joins the pivot's rows: they may restrict one association through it, but not two.
    @Test func twoAssociationsThroughAJoinedPivot() throws {
        let countries = Author.hasMany(
            Country.self, through: Author.passports, using: Library.Passport.country, key: "countries")
        let american = countries.filter { $0.code == "US" }.forKey("american")
        let french = countries.filter { $0.code == "FR" }.forKey("french")
        let first = Author.including(required: Author.passports.filter { $0.rank == 1 })
        try Library.check(
            first.joining(required: american).select(\.id),
            #"SELECT "author"."id", "passport".* FROM "author" JOIN "passport" ON ("passport"."citizenId" = "author"."id") AND ("passport"."rank" = ?) JOIN "country" ON ("country"."code" = "passport"."countryCode") AND ("country"."code" = ?)"#,
            [1, "US"], rows: ["[id:1]"])
        try Library.run { db, _ throws in
            let both = first.joining(required: american).joining(required: french)
            #expect(try both.fetchAll(db).map(\.id) == [1])
            let reordered = Author.joining(required: american).joining(required: french)
                .including(required: Author.passports.filter { $0.rank == 1 })
            #expect(try reordered.fetchAll(db).map(\.id) == [1])
        }
    }

    /// A to-one pivot is joined once.
    @Test func twoAssociationsThroughOneRow() throws {
        let country = Book.hasOne(Country.self, through: Book.author, using: Author.country)
        let request = Book.joining(required: country.filter { $0.code == "US" }.forKey("a"))
            .joining(required: country.filter { $0.name != nil }.forKey("b")).select(\.id)
        try Library.check(
            request,
            #"SELECT "book"."id" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" JOIN "country" "country1" ON ("country1"."code" = "author"."countryCode") AND ("country1"."code" = ?) JOIN "country" "country2" ON ("country2"."code" = "author"."countryCode") AND ("country2"."name" IS NOT NULL)"#,
            ["US"], rows: ["[id:1]", "[id:2]"])
    }

    private let authorSQL = #""author" ON "author"."id" = "book"."authorId""#
    private let filteredAuthorSQL = #""author" ON ("author"."id" = "book"."authorId")"#

    @Test func includingRequired() throws {
        try Library.check(
            Book.including(required: Book.author).order(\.id),
            #"SELECT "book".*, "author".* FROM "book" JOIN \#(authorSQL) ORDER BY "book"."id""#,
            rows: [
                #"[id:1 authorId:1 title:"Moby-Dick" year:1851 price:10]"#,
                #"[id:2 authorId:1 title:"Omoo" year:1847 price:20]"#,
                #"[id:3 authorId:2 title:"Hernani" year:1830 price:30]"#,
            ])
    }

    @Test func includingOptional() throws {
        struct BookInfo: Decodable, FetchableRecord, Hashable {
            var book: Book
            var author: Author?
        }
        let request = Book.including(optional: Book.author).order(\.id)
        try Library.check(
            request, #"SELECT "book".*, "author".* FROM "book" LEFT JOIN \#(authorSQL) ORDER BY "book"."id""#)
        try Library.run { db, _ throws in
            let infos = try BookInfo.fetchAll(db, request)
            #expect(infos.map(\.book.id) == [1, 2, 3, 4])
            #expect(infos.map(\.author?.name) == ["Melville", "Melville", "Hugo", nil])
            let cursor = try BookInfo.fetchCursor(db, request)
            #expect(try cursor.next()?.author?.id == 1)
            #expect(try BookInfo.fetchOne(db, request) == infos[0])
            #expect(try request.fetchCount(db) == 4)
        }
    }

    @Test func nestedAndFlatDecoding() throws {
        struct AuthorInfo: Decodable, Hashable {
            var author: Author
            var country: Country?
        }
        struct Nested: Decodable, FetchableRecord {
            var book: Book
            var authorInfo: AuthorInfo?
        }
        struct Flat: Decodable, FetchableRecord {
            var book: Book
            var author: Author?
            var country: Country?
        }
        let request = Book.including(optional: Book.author.forKey("authorInfo").including(optional: Author.country))
        try Library.check(
            request,
            #"SELECT "book".*, "author".*, "country".* FROM "book" LEFT JOIN \#(authorSQL) LEFT JOIN "country" ON "country"."code" = "author"."countryCode""#
        )
        try Library.run { db, _ throws in
            let nested = try Nested.fetchAll(db, request)
            #expect(nested.map(\.authorInfo?.author.name) == ["Melville", "Melville", "Hugo", nil])
            #expect(nested.map(\.authorInfo?.country?.name) == ["United States", "United States", "France", nil])
            let flat = try Flat.fetchAll(
                db, Book.including(optional: Book.author.including(optional: Author.country)))
            #expect(flat.map(\.country?.code) == ["US", "US", "FR", nil])
            let row = try #require(try Row.fetchOne(db, request))
            #expect(
                row.debugDescription == """
                    ▿ [id:1 authorId:1 title:"Moby-Dick" year:1851 price:10]
                      unadapted: [id:1 authorId:1 title:"Moby-Dick" year:1851 price:10 id:1 name:"Melville" countryCode:"US" code:"US" name:"United States"]
                      - authorInfo: [id:1 name:"Melville" countryCode:"US"]
                        - country: [code:"US" name:"United States"]
                    """)
        }
    }

    @Test func joiningAndAnnotating() throws {
        try Library.check(
            Book.joining(required: Book.author.filter { $0.countryCode == "FR" }),
            #"SELECT "book".* FROM "book" JOIN \#(filteredAuthorSQL) AND ("author"."countryCode" = ?)"#, ["FR"],
            rows: [#"[id:3 authorId:2 title:"Hernani" year:1830 price:30]"#])
        try Library.check(
            Book.annotated(withOptional: Book.author.select { $0.name.forKey("authorName") }).select(\.id)
                .annotated(withOptional: Book.author.select { $0.name.forKey("authorName") }),
            #"SELECT "book"."id", "author"."name" AS "authorName", "author"."name" AS "authorName" FROM "book" LEFT JOIN \#(authorSQL)"#
        )
        try Library.check(
            Book.select(\.title).annotated(withRequired: Book.author.select { [$0.name, $0.countryCode] }).order(\.id),
            #"SELECT "book"."title", "author"."name", "author"."countryCode" FROM "book" JOIN \#(authorSQL) ORDER BY "book"."id""#,
            rows: [
                #"[title:"Moby-Dick" name:"Melville" countryCode:"US"]"#,
                #"[title:"Omoo" name:"Melville" countryCode:"US"]"#,
                #"[title:"Hernani" name:"Hugo" countryCode:"FR"]"#,
            ])
    }

    @Test func through() throws {
        let sql =
            #"SELECT "book".*, "country".* FROM "book" LEFT JOIN \#(authorSQL) "#
            + #"LEFT JOIN "country" ON "country"."code" = "author"."countryCode""#
        try Library.check(Book.including(optional: Book.country), sql)
        try Library.check(Book.joining(optional: Book.author.including(optional: Author.country)), sql)
        struct Info: Decodable, FetchableRecord {
            var book: Book
            var country: Country?
        }
        try Library.run { db, _ throws in
            let infos = try Info.fetchAll(db, Book.including(optional: Book.country).order(\.id))
            #expect(infos.map(\.country?.name) == ["United States", "United States", "France", nil])
        }
    }

    /// An author without a country counts as missing, and the book is kept.
    @Test func requiredBehindOptional() throws {
        let request = Book.select(\.id)
            .including(optional: Book.author.select(\.name).including(required: Author.country.select(\.code)))
        try Library.run { db, _ throws in
            try db.execute(sql: "INSERT INTO book VALUES (5, 4, 'Nothing', 2000, 0)")
            let text = try statementText(db, request.order(\.id))
            #expect(
                text.sql
                    == #"SELECT "book"."id", "author"."name" AS "name", "country"."code" AS "code" FROM "book" LEFT JOIN ("author" "#
                    + #"JOIN "country" ON "country"."code" = "author"."countryCode") "#
                    + #"ON "author"."id" = "book"."authorId" ORDER BY "book"."id""#)
            let rows = try Row.fetchAll(db, request.order(\.id))
            #expect(rows.map { $0.scopes["author"]!["name"] as String? } == ["Melville", "Melville", "Hugo", nil, nil])
        }
    }

    @Test func refinements() throws {
        let expected =
            #"SELECT "book".*, "author"."id" FROM "book" JOIN \#(filteredAuthorSQL) "#
            + #"AND ("author"."name" > ?) AND ("author"."name" < ?) ORDER BY "author"."id" DESC"#
        try Library.check(
            Book.joining(optional: Book.author.filter { $0.name > "A" }.order(\.name))
                .including(required: Book.author.select(\.name))
                .including(optional: Book.author.filter { $0.name < "Z" }.select(\.id).order(\.id.desc)),
            expected, ["A", "Z"], rows: nil)
    }

    @Test func aliasesAndOrders() throws {
        let author = TableAlias<Author>()
        try Library.check(
            Book.select(\.id).joining(required: Book.author.aliased(author)).filter { $0.year > author.id * 1000 }
                .order { [author.name, $0.year] },
            #"SELECT "book"."id" FROM "book" JOIN \#(authorSQL) WHERE "book"."year" > ("author"."id" * ?) "#
                + #"ORDER BY "author"."name", "book"."year""#, [1000], rows: ["[id:2]", "[id:1]"])
        let book = TableAlias<Book>(name: "b")
        let writer = TableAlias<Author>(name: "a")
        try Library.check(
            Book.aliased(book).select(\.id)
                .joining(required: Book.author.aliased(writer).filter(sql: "a.countryCode = ?", arguments: ["FR"]))
                .filter(sql: "b.year > 1000"),
            #"SELECT "b"."id" FROM "book" "b" JOIN "author" "a" ON ("a"."id" = "b"."authorId") "#
                + #"AND (a.countryCode = ?) WHERE b.year > 1000"#, ["FR"], rows: ["[id:3]"])
        try Library.check(
            Book.including(required: Book.author.order(\.name)).order(\.year.desc).select(\.id),
            #"SELECT "book"."id", "author".* FROM "book" JOIN \#(authorSQL) ORDER BY "book"."year" DESC, "author"."name""#
        )
    }

    @Test func requestsForOneRecord() throws {
        try Library.run { db, log throws in
            let author = try Author.find(db, key: 1)
            _ = log.takeExpanded()
            #expect(try author.books.order(\.year).fetchAll(db).map(\.id) == [2, 1])
            #expect(try author.request(for: Author.country).fetchOne(db)?.name == "United States")
            #expect(try author.request(for: Author.awards).fetchCount(db) == 2)
            #expect(try author.request(for: Author.passports).fetchCount(db) == 2)
            let nobody = try Author.find(db, key: 4)
            #expect(try nobody.request(for: Author.country).fetchOne(db) == nil)
            let france = try Country.find(db, key: "FR")
            #expect(try france.request(for: Country.citizens).order(\.id).fetchAll(db).map(\.id) == [1, 2, 3])
            #expect(
                try france.request(for: Country.citizens).filter { $0.id > 1 }.updateAll(db) { $0.name.set(to: "x") }
                    == 2)
            #expect(
                log.takeExpanded() == [
                    #"SELECT * FROM "book" WHERE "authorId" = 1 ORDER BY "year""#,
                    #"SELECT * FROM "country" WHERE "code" = 'US'"#,
                    #"SELECT COUNT(*) FROM "award" JOIN "book" ON ("book"."id" = "award"."bookId") AND ("book"."authorId" = 1)"#,
                    #"SELECT COUNT(*) FROM "passport" WHERE "citizenId" = 1"#,
                    #"SELECT * FROM "author" WHERE "id" = 4"#,
                    #"SELECT * FROM "country" WHERE 0 LIMIT 1"#,
                    #"SELECT * FROM "country" WHERE "code" = 'FR'"#,
                    #"SELECT "author".* FROM "author" JOIN "passport" ON ("passport"."citizenId" = "author"."id") AND ("passport"."countryCode" = 'FR') ORDER BY "author"."id""#,
                    #"UPDATE "author" SET "name" = 'x' WHERE "id" IN (SELECT "author"."id" FROM "author" JOIN "passport" ON ("passport"."citizenId" = "author"."id") AND ("passport"."countryCode" = 'FR') WHERE "author"."id" > 1)"#,
                ])
        }
    }

    /// The filters of the association, the key, and the filters of the request, in this order.
    @Test func filteredRequestsForOneRecord() throws {
        struct Shelf: Codable, TableRecord, PersistableRecord {
            var room: String?
            var number: Int?
            static let volumes = hasMany(Volume.self)
        }
        struct Volume: TableRecord {}
        let schema = """
            CREATE TABLE shelf (room TEXT, number INTEGER, PRIMARY KEY (room, number));
            CREATE TABLE volume (id INTEGER PRIMARY KEY, room TEXT, number INTEGER,
                FOREIGN KEY (room, number) REFERENCES shelf(room, number))
            """
        try inLoggedDatabase(schema) { db, log throws in
            let old = Shelf.volumes.filter(Column("id") > 1)
            for shelf in [Shelf(room: "a", number: 2), Shelf(room: nil, number: 2)] {
                _ = try Row.fetchAll(db, shelf.request(for: old).filter(Column("id") < 9))
            }
            #expect(
                log.takeExpanded() == [
                    #"SELECT * FROM "volume" WHERE ("id" > 1) AND ("room" = 'a') AND ("number" = 2) AND ("id" < 9)"#,
                    #"SELECT * FROM "volume" WHERE 0"#,
                ])
        }
        try Library.run { db, log throws in
            let author = try Author.find(db, key: 1)
            _ = log.takeExpanded()
            let old = Author.hasMany(
                Award.self, through: Author.books.filter { $0.year < 1850 }, using: Book.awards.filter(Column("id") > 0)
            )
            _ = try author.request(for: old).filter(Column("points") > 1).fetchAll(db)
            #expect(
                log.takeExpanded() == [
                    #"SELECT "award".* FROM "award" JOIN "book" ON ("book"."id" = "award"."bookId") AND "#
                        + #"("book"."year" < 1850) AND ("book"."authorId" = 1) "#
                        + #"WHERE ("award"."id" > 0) AND ("award"."points" > 1)"#
                ])
        }
    }

    @Test func errors() throws {
        struct Orphan: TableRecord {
            static let databaseTableName = "award"
            static let authors = hasMany(Author.self)
            static let countries = belongsTo(Country.self)
        }
        struct Twin: TableRecord {
            static let author = belongsTo(Author.self)
            static let twin = hasMany(Book.self, key: "a")
        }
        try Library.run { db, _ throws in
            try db.execute(
                sql: "CREATE TABLE twin (id INTEGER PRIMARY KEY, a REFERENCES author, b REFERENCES author(id))")
            #expect(
                message { try Row.fetchAll(db, Orphan.including(all: Orphan.authors)) }
                    == "the schema has no foreign key from table author to table award: specify the columns of the "
                    + #"association, as in using: ForeignKey(["awardId"])"#)
            #expect(
                message { try Row.fetchAll(db, Twin.including(required: Twin.author)) }
                    == "table twin has several foreign keys to table author: specify the one to use, as in "
                    + #"using: ForeignKey(["a"]); candidates: (a) (b)"#)
            #expect(
                message { try Row.fetchAll(db, Book.including(required: Book.author.distinct())) }
                    == #"the association "author" uses distinct(): use it only with including(all:)"#)
            #expect(
                message {
                    try Row.fetchAll(
                        db,
                        Book.including(required: Book.author).including(required: Book.country.forKey("author")))
                } == nil)
            #expect(
                message {
                    try Row.fetchAll(
                        db,
                        Author.including(required: Author.country).including(required: Author.books.forKey("country")))
                } == #"two associations have the key "country" in one request: rename one with forKey(_:)"#)
            let alias = TableAlias<Author>()
            #expect(
                message {
                    try Row.fetchAll(
                        db,
                        Author.aliased(alias).joining(
                            required: Author.books.joining(required: Book.author.aliased(alias))))
                } == "a table alias refers to two tables of the request, one of them author: create an alias for each")
            #expect(
                message { try Row.fetchAll(db, Book.annotated(with: alias.exists)) }
                    == "the request uses a table alias that it does not have: add the alias with aliased(_:)"
            )
        }
    }
}

/// The description of a thrown error.
func message<T>(_ body: () throws -> T) -> String? {
    do {
        _ = try body()
        return nil
    } catch {
        return "\(error)"
    }
}
