import Foundation
import Rowan
import Testing

private struct Item: Codable, Hashable, FetchableRecord, PersistableRecord {
    var id: Int64
    var score: Int?
    var name: String
    enum Columns {
        static let id = Column("id")
        static let score = Column("score")
        static let name = Column("name")
    }
}

private let schema = "CREATE TABLE item (id INTEGER PRIMARY KEY, score INTEGER, name TEXT NOT NULL COLLATE NOCASE)"

struct PageTests {
    @Test func textAndToken() throws {
        try inLoggedDatabase(schema) { db, log throws in
            for id in 1...5 { try Item(id: Int64(id), score: id % 2, name: "n\(id)").insert(db) }
            _ = log.takeExpanded()
            let request = Item.order(\.name.desc)
            let first = try request.page(size: 2).fetch(db)
            #expect(first.elements.map(\.id) == [5, 4])
            let text = try JSONEncoder().encode(first.next)
            let token = try JSONDecoder().decode(PageToken.self, from: text)
            #expect(token == first.next && PageToken(token.description) == token)
            let second = try request.page(after: token, size: 2).fetch(db)
            #expect(second.elements.map(\.id) == [3, 2])
            let third = try request.page(after: second.next, size: 2).fetch(db)
            #expect(third.elements.map(\.id) == [1] && third.next == nil)
            #expect(
                log.takeExpanded()[0...1] == [
                    #"SELECT *, "name", "id" FROM "item" ORDER BY "name" DESC, "id" DESC LIMIT 3"#,
                    #"SELECT *, "name", "id" FROM "item" WHERE ("name", "id") < ('n4', 4) ORDER BY "name" DESC, "id" DESC LIMIT 3"#,
                ])
            try db.execute(sql: "CREATE INDEX item_name ON item(name)")
            let plan = try request.explain(db)
            #expect(plan.indexes == ["item_name"])
        }
    }

    /// Orders, each with the numbers by which its terms sort the items.
    private static var orders: [(terms: [any SQLOrderingTerm], keys: [(Item) -> Double])] {
        let (id, score, name) = (Item.Columns.id, Item.Columns.score, Item.Columns.name)
        func byScore(_ sign: Double, null: Double) -> (Item) -> Double {
            { item in item.score.map { Double($0) * sign } ?? null }
        }
        // NOCASE compares the bytes of lower-case texts.
        let places: [String: Double] = ["a": 1, "b": 2, "o'brien": 3, "é": 4]
        let byName: (Item) -> Double = { places[$0.name.lowercased()]! }
        let byID: (Item) -> Double = { Double($0.id) }
        return [
            ([], []), ([score], [byScore(1, null: -.infinity)]), ([score.desc], [byScore(-1, null: .infinity)]),
            ([score.ascNullsLast], [byScore(1, null: .infinity)]),
            ([score.descNullsFirst], [byScore(-1, null: -.infinity)]),
            ([score.desc, name], [byScore(-1, null: .infinity), byName]),
            ([name, score.ascNullsLast], [byName, byScore(1, null: .infinity)]),
            ([id.desc], [{ -byID($0) }]),
            ([score * -1, name.desc], [byScore(-1, null: -.infinity), { -byName($0) }]),
            ([(score ?? 5).desc, id], [byScore(-1, null: -5), byID]),
        ]
    }

    /// All pages together equal the request, whatever its order, and rows inserted in the meantime don't shift pages.
    @Test func pagesAreTheRequest() throws {
        var generator = SeededGenerator(10)
        print("PageTests seed: \(generator.seed)")
        try inLoggedDatabase(schema) { db, _ throws in
            for id in 1...200 {
                let score = Bool.random(using: &generator) ? nil : Int.random(in: 0...9, using: &generator)
                let name = ["a", "A", "b", "é", "O'Brien"].randomElement(using: &generator)!
                try Item(id: Int64(id), score: score, name: name).insert(db)
            }
            for (order, keys) in Self.orders {
                for isReversed in [false, true] {
                    let request =
                        isReversed ? Item.order(order).reversed().filter { $0.id > 20 } : Item.order(order)
                    let size = Int.random(in: 1...60, using: &generator)
                    var ids: [Int64] = []
                    var token: PageToken?
                    repeat {
                        let page = try request.page(after: token, size: size).fetch(db)
                        ids += page.elements.map(\.id)
                        token = page.next
                    } while token != nil
                    let all = try request.fetchAll(db)
                    #expect(Set(ids).count == ids.count && ids.count == all.count)
                    let items = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
                    // The order of the request, ignoring ties.
                    let sorted = ids.map { id in keys.map { $0(items[id]!) * (isReversed ? -1 : 1) } }
                    for (previous, next) in zip(sorted, sorted.dropFirst()) {
                        #expect(!next.lexicographicallyPrecedes(previous), "\(order) \(previous) \(next)")
                    }
                    #expect(all.map { item in keys.map { $0(item) * (isReversed ? -1 : 1) } } == sorted)
                }
            }
            let request = Item.order(\.score.desc)
            let before = try request.page(size: 50).fetch(db)
            try db.execute(sql: "DELETE FROM item WHERE id = ?", arguments: [before.elements[10].id])
            try db.execute(sql: "INSERT INTO item VALUES (1000, 9, 'new'), (1001, 9, 'new')")
            let after = try request.page(after: before.next, size: 50).fetch(db)
            #expect(Set(after.elements.map(\.id)).isDisjoint(with: before.elements.map(\.id)))
        }
    }

    /// Their order is that of their bytes: a repaired text would have another place.
    @Test(arguments: [false, true]) func textsThatAreNotUTF8(isDescending: Bool) throws {
        try inLoggedDatabase("CREATE TABLE word(id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID") { db, _ throws in
            let bytes = ["61", "61ff", "7a80", "e2", "efbfbd", "f48fbfbf", "f5", "ff", "ff00ff", "ffff"]
            for bytes in bytes { try db.execute(sql: "INSERT INTO word VALUES (CAST(x'\(bytes)' AS TEXT))") }
            let id = Column("id")
            let request = Table("word").select(cast(id, as: .blob)).order(isDescending ? id.desc : id)
            var found: [Data] = []
            var token: PageToken?
            for _ in 0...bytes.count {
                let page = try request.asRequest(of: Data.self).page(after: token, size: 1).fetch(db)
                found += page.elements
                // A client returns the token as a string.
                token = try page.next.map { try #require(PageToken($0.description)) }
                if token == nil { break }
            }
            let shown = found.map { data in data.map { String(format: "%02x", $0) }.joined() }
            #expect(shown == (isDescending ? bytes.reversed() : bytes))
        }
    }

    /// The error of a page.
    private func pageError(_ body: () throws -> Page<Item>) -> PageError? {
        do { _ = try body() } catch { return error as? PageError }
        return nil
    }

    /// The error of decoding a token.
    private func decodingError(_ text: String) throws -> (any Error)? {
        do {
            _ = try JSONDecoder().decode(PageToken.self, from: JSONEncoder().encode(text))
        } catch DecodingError.dataCorrupted(let context) { return context.underlyingError }
        return nil
    }

    @Test func errors() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try Item(id: 1, score: 1, name: "a").insert(db)
            try Item(id: 2, score: 1, name: "a").insert(db)
            let token = try Item.order(\.name).page(size: 1).fetch(db).next
            let other = pageError { try Item.order(\.score).page(after: token, size: 1).fetch(db) }
            #expect(other == .otherOrder)
            #expect(
                other?.description
                    == "the page token belongs to a request with another order: start with the first page")
            expectError(
                .SQLITE_MISUSE,
                "cannot paginate a request that has a limit, groups or distinct rows: remove them, and pass the size of pages"
            ) {
                try Item.limit(3).page(size: 1).fetch(db)
            }
            expectError(
                .SQLITE_MISUSE, "cannot paginate a request that is ordered by SQL text: order it by expressions"
            ) {
                try Item.order(sql: "name").page(size: 1).fetch(db)
            }
            for size in [0, -1, Int.min, Int.max] {
                let error = pageError { try Item.all().page(size: size).fetch(db) }
                #expect(error == .size(size))
                #expect(error?.description == "cannot make a page of \(size) rows: pass a positive size")
            }
            #expect(PageToken("nonsense!") == nil)
            #expect(try decodingError("x") as? PageError == .malformedToken)
        }
    }

    @Test func withJoinsAndPrefetchedRows() throws {
        struct Info: Decodable, FetchableRecord {
            var author: Library.Author
            var country: Library.Country?
            var books: [Library.Book]
        }
        try Library.run { db, _ throws in
            let request = Library.Author.including(optional: Library.Author.country)
                .including(all: Library.Author.books).order(\.name).asRequest(of: Info.self)
            let first = try request.page(size: 2).fetch(db)
            #expect(first.elements.map(\.author.name) == ["Hugo", "Melville"])
            #expect(first.elements.map(\.books.count) == [1, 2])
            let second = try request.page(after: first.next, size: 2).fetch(db)
            #expect(second.elements.map(\.author.name) == ["Nobody", "Sand"])
            #expect(second.elements.map(\.country?.code) == [nil, "FR"] && second.next == nil)
        }
    }

    /// All rows of a request, page by page.
    private func turned<T: FetchableRecord>(
        _ db: Database, _ request: QueryInterfaceRequest<T>, size: Int
    ) throws -> [T] {
        var page = try request.page(size: size).fetch(db)
        var elements = page.elements
        while let next = page.next {
            page = try request.page(after: next, size: size).fetch(db)
            #expect(page.elements.count == size || page.next == nil)
            elements += page.elements
            guard elements.count < 100 else { break }
        }
        return elements
    }

    /// Pages ordered by the number of associated rows, with and without an index.
    @Test func orderedByAggregates() throws {
        for dropsIndexes in [false, true] {
            try Library.run { db, _ throws in
                if dropsIndexes { try db.execute(sql: "DROP INDEX book_author") }
                let request = Library.Author.order(Library.Author.books.count.sqlExpression.desc, Column("id"))
                for size in 1...5 {
                    #expect(try turned(db, request, size: size).map(\.id) == [1, 2, 3, 4])
                }
            }
        }
    }

    /// A row occurs several times, once for each of its joined rows.
    @Test func toManyJoins() throws {
        struct Info: Decodable, FetchableRecord, Equatable {
            var author: Library.Author
            var book: Library.Book?
        }
        let joins: [(QueryInterfaceRequest<Library.Author>, Int)] = [
            (Library.Author.including(required: Library.Author.books.forKey("book")), 3),
            (Library.Author.including(optional: Library.Author.books.forKey("book")), 5),
            (
                Library.Author.including(
                    optional: Library.Author.books.forKey("book").including(optional: Library.Book.awards)), 6
            ),
        ]
        try Library.run { db, _ throws in
            for (request, count) in joins {
                for order in [Column("name").sqlOrdering, Column("name").desc] {
                    let infos = request.order(order).asRequest(of: Info.self)
                    let all = try infos.fetchAll(db)
                    #expect(all.count == count)
                    for size in 1...6 {
                        let turned = try turned(db, infos, size: size)
                        #expect(turned.count == count)
                        #expect(turned.map(\.author.name) == all.map(\.author.name))
                        #expect(Set(turned.map { $0.book?.id }) == Set(all.map { $0.book?.id }))
                    }
                }
            }
            expectError(
                .SQLITE_MISUSE,
                "cannot paginate a request that has a right, full or cross join: use inner and left joins"
            ) {
                try Library.Author.all().crossJoin(Library.Book.all()).asRequest(of: Row.self).page(size: 1).fetch(db)
            }
        }
    }

    /// The primary key of a rowid table may be NULL.
    @Test func nullKeys() throws {
        struct Word: TableRecord, FetchableRecord, Decodable { var score: Int }
        let schema = """
            CREATE TABLE word (code TEXT PRIMARY KEY, score INTEGER NOT NULL);
            INSERT INTO word VALUES ('a', 1), (NULL, 1), (NULL, 1), ('b', 1), ('c', 2);
            """
        try inLoggedDatabase(schema) { db, _ throws in
            for size in 1...5 {
                #expect(try turned(db, Word.order(Column("score")), size: size).map(\.score) == [1, 1, 1, 1, 2])
            }
        }
    }

    /// The order of pages may use names from the selection and of joined columns.
    @Test func namesOfTheSelection() throws {
        typealias Book = Library.Book
        struct Key: FetchableRecord, Decodable { var id: Int64 }
        try Library.run { db, _ throws in
            func check(_ request: QueryInterfaceRequest<Book>, _ ids: [Int64]) throws {
                let keys = request.asRequest(of: Key.self)
                for size in 1...4 { #expect(try turned(db, keys, size: size).map(\.id) == ids) }
            }
            let name = Column("name")
            try check(Book.annotated(with: (Column("price") * -1).forKey("cost")).order(Column("cost")), [4, 3, 2, 1])
            try check(
                Book.annotated(with: (Column("price") * -1).forKey("cost")).order(Column("cost") + 1), [4, 3, 2, 1])
            let author = Book.author.select(Column("name"))
            try check(Book.annotated(withRequired: author).order(name.desc), [2, 1, 3])
            try check(Book.annotated(withOptional: author).order(name.collating(.nocase)), [4, 3, 1, 2])
            let awards = Column("awardCount")
            try check(Book.annotated(with: Book.awards.count).order(awards.desc, Column("id")), [1, 3, 2, 4])
            // If the name is also a column, ORDER BY uses the first selected column with this name.
            let price = Column("price")
            let negated = (price * -1).forKey("price")
            try check(Book.select(Column("id"), negated).order(price), [4, 3, 2, 1])
            try check(Book.annotated(with: negated).order(price), [1, 2, 3, 4])
        }
    }

    @Test func pagesAreCollections() throws {
        try Roster.run { db, _ throws in
            let page = try Roster.Player.order(\.id).page(size: 3).fetch(db)
            #expect(page.map(\.id) == [1, 2, 3])
            #expect((page.count, page.first?.name, page.last?.name) == (3, "Arthur", "Craig"))
            #expect(page.next != nil)
        }
    }

    @Test func pagesRefuseAnOrderThatIsDeepInTheJoins() throws {
        try Library.run { db, _ throws in
            let request = Library.Book.including(required: Library.Book.country.order(\.name))
            let error = databaseError { try request.page(size: 2).fetch(db) }
            #expect(error?.message?.contains("with ordered joined associations") == true)
        }
    }

    /// A window function would only see the rows after the position.
    @Test func windowsCannotBePaginated() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE score (id INTEGER PRIMARY KEY, points INTEGER)")
            let score = Table("score")
            let total = sum(Column("points")).over(Window(orderBy: [Column("points")]))
            for request in [
                score.annotated(with: total.forKey("total")).order(Column("points")), score.all().order(total),
            ] {
                let error = #expect(throws: DatabaseError.self) { try request.page(size: 2).fetch(db) }
                #expect(error?.resultCode == .SQLITE_MISUSE)
                #expect(
                    error?.message == """
                        cannot paginate a request that has window functions, which would not see the rows of earlier \
                        pages: remove them, or use a limit and an offset
                        """)
            }
        }
    }

    /// Several joined rows may have NULL in their primary key.
    @Test func nullKeysOfJoinedRows() throws {
        struct Team: TableRecord { static let members = hasMany(Member.self) }
        struct Member: TableRecord {}
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY);
                    CREATE TABLE member (code TEXT PRIMARY KEY, teamId INTEGER REFERENCES team, name TEXT);
                    INSERT INTO team VALUES (1);
                    INSERT INTO member VALUES (NULL, 1, 'a'), (NULL, 1, 'b'), (NULL, 1, 'c'), ('k', 1, 'd')
                    """)
            let request = Team.including(required: Team.members).asRequest(of: Row.self)
            var names: [String] = []
            var token: PageToken?
            repeat {
                let page = try request.page(after: token, size: 1).fetch(db)
                names += page.elements.map { $0.scopes["member"]!["name"] }
                token = page.next
            } while token != nil && names.count < 9
            #expect(names == ["a", "b", "c", "d"])
        }
    }
}
