import Rowan
import Testing

private typealias Author = Library.Author
private typealias Book = Library.Book
private typealias Country = Library.Country
private typealias Award = Library.Award

struct PrefetchTests {
    @Test func includingAll() throws {
        struct AuthorInfo: Decodable, FetchableRecord {
            var author: Author
            var books: [Book]
        }
        try Library.run { db, log throws in
            let infos = try AuthorInfo.fetchAll(db, Author.including(all: Author.books.order(\.year)))
            #expect(infos.map(\.author.id) == [1, 2, 3, 4])
            #expect(infos.map { $0.books.map(\.id) } == [[2, 1], [3], [], []])
            #expect(
                log.takeExpanded() == [
                    #"SELECT * FROM "author""#,
                    #"SELECT * FROM "book" WHERE "authorId" IN (SELECT +value FROM json_each('[1,2,3,4]')) ORDER BY "year""#,
                ])
            let one = try AuthorInfo.fetchOne(db, Author.including(all: Author.books).filter(key: 2))
            #expect(one?.books.map(\.title) == ["Hernani"])
            let cursor = try AuthorInfo.fetchCursor(db, Author.including(all: Author.books))
            #expect(try cursor.next()?.books.count == 2)
            #expect(try cursor.next()?.books.count == 1)
        }
    }

    @Test func nested() throws {
        struct BookInfo: Decodable {
            var book: Book
            var awards: [Award]
        }
        struct AuthorInfo: Decodable, FetchableRecord {
            var author: Author
            var books: [BookInfo]
            var country: Country?
        }
        let request = Author.including(optional: Author.country).including(
            all: Author.books.including(all: Book.awards))
        try Library.run { db, log throws in
            let infos = try AuthorInfo.fetchAll(db, request)
            #expect(infos.map { $0.books.map { $0.awards.map(\.id) } } == [[[1, 2], []], [[3]], [], []])
            #expect(infos.map(\.country?.code) == ["US", "FR", "FR", nil])
            #expect(
                log.takeExpanded() == [
                    #"SELECT "author".*, "country".* FROM "author" LEFT JOIN "country" ON "country"."code" = "author"."countryCode""#,
                    #"SELECT * FROM "book" WHERE "authorId" IN (SELECT +value FROM json_each('[1,2,3,4]'))"#,
                    #"SELECT * FROM "award" WHERE "bookId" IN (SELECT +value FROM json_each('[1,2,3]'))"#,
                ])
        }
    }

    /// Prefetching for a whole table needs no key condition if the schema guarantees that all rows belong to it.
    @Test func wholeTables() throws {
        struct Team: TableRecord {
            static let players = hasMany(Player.self)
            static let namesakes = hasMany(Player.self, key: "namesakes", using: ForeignKey(["name"], to: ["name"]))
        }
        struct Player: TableRecord {
            static let points = hasMany(Point.self)
        }
        struct Point: TableRecord {}
        let schema = """
            CREATE TABLE team (name TEXT PRIMARY KEY);
            CREATE TABLE player (id INTEGER PRIMARY KEY, teamName TEXT NOT NULL REFERENCES team(name), name TEXT NOT NULL);
            CREATE TABLE point (playerId INTEGER NOT NULL REFERENCES player(id), value INTEGER);
            INSERT INTO team VALUES ('Reds'), ('Blues');
            INSERT INTO player VALUES (1, 'Blues', 'Ann'), (2, 'Reds', 'Reds'), (3, 'Blues', 'Cid');
            INSERT INTO point VALUES (3, 30), (1, 10), (1, 11);
            """
        func players(_ rows: [Row]) -> [[Int]] { rows.map { $0.prefetchedRows["players"]!.map { $0["id"] } } }
        let all = Team.including(all: Team.players)
        let byKeys = #"SELECT * FROM "player" WHERE "teamName" IN (SELECT +value FROM json_each('["Reds","Blues"]'))"#
        try inLoggedDatabase(schema) { db, log throws in
            let rows = try Row.fetchAll(db, Team.including(all: Team.players.including(all: Player.points)))
            #expect(players(rows) == [[2], [1, 3]])
            let points = rows[1].prefetchedRows["players"]!.map {
                $0.prefetchedRows["points"]!.map { $0["value"] as Int }
            }
            #expect(points == [[10, 11], [30]])
            #expect(
                log.takeExpanded() == [
                    #"SELECT * FROM "team""#, #"SELECT * FROM "player""#, #"SELECT * FROM "point""#,
                ])
            // Conditions and orders of the associated rows are kept.
            let some = Team.including(all: Team.players.filter(sql: "id <> 2").order(sql: "id DESC"))
            #expect(players(try Row.fetchAll(db, some)) == [[], [3, 1]])
            #expect(log.takeExpanded()[1] == #"SELECT * FROM "player" WHERE id <> 2 ORDER BY id DESC"#)
        }
        // A request for part of the table, and an association that differs from the schema's foreign key.
        try inLoggedDatabase(schema) { db, log throws in
            for request in [all.filter(sql: "1"), all.limit(5), all.joining(required: Team.players)] {
                _ = try Row.fetchAll(db, request)
                #expect(log.takeExpanded().last!.contains("IN (SELECT +value FROM json_each("))
            }
            #expect(players([try Row.fetchOne(db, all)!]) == [[2]])
            #expect(
                log.takeExpanded()[1] == #"SELECT * FROM "player" WHERE "teamName" = 'Reds'"#)
            let namesakes = try Row.fetchAll(db, Team.including(all: Team.namesakes))
            #expect(namesakes.map { $0.prefetchedRows["namesakes"]!.count } == [1, 0])
            #expect(log.takeExpanded()[1].contains(#"WHERE "name" IN"#))
        }
        // Without enforced foreign keys, rows may belong to none, so SQLite compares the keys.
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try inLoggedDatabase(schema, configuration: configuration) { db, log throws in
            try db.execute(sql: "INSERT INTO player VALUES (4, 'blues', 'Dan')")
            _ = log.takeExpanded()
            #expect(players(try Row.fetchAll(db, all)) == [[2], [1, 3]])
            #expect(log.takeExpanded() == [#"SELECT * FROM "team""#, #"SELECT * FROM "player""#, byKeys])
        }
    }

    @Test func throughAndScopes() throws {
        struct CountryInfo: Decodable, FetchableRecord {
            var country: Country
            var citizens: Set<Author>
        }
        struct BookInfo: Decodable, FetchableRecord {
            struct AuthorInfo: Decodable {
                var author: Author
                var books: [Book]
            }
            var book: Book
            var author: AuthorInfo?
        }
        try Library.run { db, log throws in
            let infos = try CountryInfo.fetchAll(db, Country.including(all: Country.citizens).order(\.code))
            #expect(infos.map { $0.citizens.map(\.id).sorted() } == [[3], [1, 2, 3], [1]])
            #expect(
                log.takeExpanded().last
                    == #"SELECT "author".*, "passport"."countryCode" FROM "author" JOIN "passport" ON "passport"."citizenId" = "author"."id" WHERE "passport"."countryCode" IN (SELECT +value FROM json_each('["DE","FR","US"]'))"#
            )
            let books = try BookInfo.fetchAll(
                db, Book.including(optional: Book.author.including(all: Author.books.order(\.id))).order(\.id))
            #expect(books.map { $0.author?.books.map(\.id) } == [[1, 2], [1, 2], [3], nil])
        }
    }

    @Test func selectionsGroupsAndCompositeKeys() throws {
        struct Info: Decodable, FetchableRecord {
            struct YearInfo: Decodable, Hashable {
                var authorId: Int64?
                var latest: Int
            }
            var author: Author
            var titles: [String]
            var latest: [YearInfo]
        }
        let titles = Author.books.select(\.title).order(\.title).forKey("titles")
        let latest = Author.books.select { [$0.authorId, max($0.year).forKey("latest")] }.group(\.authorId).forKey(
            "latest")
        try Library.run { db, log throws in
            let infos = try Info.fetchAll(db, Author.including(all: titles).including(all: latest))
            #expect(infos.map(\.titles) == [["Moby-Dick", "Omoo"], ["Hernani"], [], []])
            #expect(infos.map { $0.latest.map(\.latest) } == [[1851], [1830], [], []])
        }
    }

    /// A limit applies per row, for paths of any length, also in the order of pivots.
    @Test func limits() throws {
        try Library.run { db, log throws in
            let latest = Author.books.order(\.year.desc).limit(1)
            let rows = try Row.fetchAll(db, Author.including(all: latest))
            #expect(rows.map { $0.prefetchedRows["books"]!.map { $0["id"] as Int } } == [[1], [3], [], []])
            let second = try Row.fetchAll(
                db, Author.including(all: Author.books.order(\.year.desc).limit(5, offset: 1)))
            #expect(second.map { $0.prefetchedRows["books"]!.map { $0["id"] as Int } } == [[2], [], [], []])
            let passports = Country.passports.order(Column("rank").desc)
            let citizens = Country.hasMany(Author.self, through: passports, using: Library.Passport.citizen).limit(2)
            let countries = try Row.fetchAll(db, Country.order(\.code).including(all: citizens))
            #expect(countries.map { $0.prefetchedRows["authors"]!.map { $0["id"] as Int } } == [[3], [3, 1], [1]])
            let author = try Author.find(db, key: 1)
            #expect(try author.request(for: latest).fetchAll(db).map(\.id) == [1])
            let counts = try Row.fetchAll(db, Author.select(\.id).annotated(with: latest.count, latest.isEmpty))
            #expect(counts.map { $0["bookCount"] as Int } == [1, 1, 0, 0])
            #expect(
                message { try Row.fetchAll(db, Author.including(required: latest)) }
                    == #"the association "book" uses limit(_:): use it only with including(all:)"#)
        }
    }

    @Test func rowsDecodeCollections() throws {
        try Library.run { db, _ throws in
            let row = try #require(try Row.fetchOne(db, Author.including(all: Author.books)))
            let books: [Book] = try row.decode(forKey: "books")
            let set: Set<Book> = try row.decode(forKey: "books")
            let array: [Book] = row["books"]
            let other: Set<Book> = row["books"]
            #expect(books.count == 2 && Set(books) == set && array == books && other == set)
            let error = message { try row.decode([Book].self, forKey: "x") }
            #expect(error?.contains(#"prefetched rows "x" are missing (the row has: books)"#) == true)
        }
    }

    /// Associated rows may be compared with their origin row.
    @Test func aliasOfTheOrigin() throws {
        let author = TableAlias<Author>()
        let request = Author.aliased(author).including(all: Author.books.filter { $0.id > author.id })
        try Library.run { db, log throws in
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0.prefetchedRows["books"]!.map { $0["id"] as Int } } == [[2], [3], [], []])
        }
    }
}
