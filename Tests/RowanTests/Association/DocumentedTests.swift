// Associations in the documented model, beyond the cases in other files: requests composed of smaller ones, self joins,
// aliases, common table expressions, dictionaries.

import Rowan
import Testing

private typealias Author = Library.Author
private typealias Book = Library.Book
private typealias Country = Library.Country

extension DerivableRequest<Author> {
    fileprivate func filter(country: String) -> Self { filter { $0.countryCode == country } }
    fileprivate func orderedByName() -> Self { order { $0.name.collating(.localizedCaseInsensitiveCompare) } }
}

extension DerivableRequest<Book> {
    fileprivate func filter(authorCountry: String) -> Self {
        joining(required: Book.author.filter(country: authorCountry))
    }

    fileprivate func orderedByAuthorName() -> Self {
        let author = TableAlias<Author>()
        return joining(optional: Book.author.aliased(author)).order {
            [author.name.collating(.localizedCaseInsensitiveCompare), $0.year]
        }
    }
}

private struct Employee: Codable, Hashable, FetchableRecord, PersistableRecord {
    var id: Int64
    var managerId: Int64?
    var name: String
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
    }
    static let subordinates = hasMany(Employee.self, key: "subordinates")
    static let manager = belongsTo(Employee.self, key: "manager")
}

private struct Post: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var chatId: Int64
    var date: Int
    enum Columns {
        static let chatId = Column("chatId")
        static let date = Column("date")
    }
}

private struct Chat: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    enum Columns { static let id = Column("id") }
}

struct DocumentedTests {
    @Test func fluentRequests() throws {
        struct BookInfo: FetchableRecord, Decodable {
            var book: Book
            var author: Author
        }
        let request = Book.all().filter(authorCountry: "US").orderedByAuthorName().including(required: Book.author)
        try Library.check(
            request,
            #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") "#
                + #"AND ("author"."countryCode" = ?) ORDER BY "author"."name" COLLATE "swiftLocalizedCaseInsensitiveCompare", "book"."year""#,
            ["US"])
        try Library.run { db, _ throws in
            let infos = try request.asRequest(of: BookInfo.self).fetchAll(db)
            #expect(infos.map(\.book.title) == ["Omoo", "Moby-Dick"])
            #expect(
                try Author.all().filter(country: "FR").orderedByName().fetchAll(db).map(\.name) == ["Hugo", "Sand"])
        }
    }

    @Test func selfJoins() throws {
        struct EmployeeInfo: FetchableRecord, Decodable {
            var employee: Employee
            var manager: Employee?
            var subordinates: Set<Employee>
        }
        let schema = """
            CREATE TABLE employee (id INTEGER PRIMARY KEY, managerId INTEGER REFERENCES employee(id), name TEXT);
            INSERT INTO employee VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 1, 'c'), (4, 2, 'd')
            """
        try inLoggedDatabase(schema) { db, log throws in
            let request = Employee.including(optional: Employee.manager).including(all: Employee.subordinates)
            let infos = try request.order(\.id).asRequest(of: EmployeeInfo.self).fetchAll(db)
            #expect(infos.map(\.manager?.name) == [nil, "a", "a", "b"])
            #expect(infos.map { Set($0.subordinates.map(\.id)) } == [[2, 3], [4], [], []])
            #expect(
                log.takeExpanded() == [
                    #"SELECT "employee1".*, "employee2".* FROM "employee" "employee1" LEFT JOIN "employee" "employee2" ON "employee2"."id" = "employee1"."managerId" ORDER BY "employee1"."id""#,
                    #"SELECT * FROM "employee" WHERE "managerId" IN (SELECT +value FROM json_each('[1,2,3,4]'))"#,
                ])
            let counts = Employee.select(\.id).annotated(
                with: Employee.subordinates.count,
                Employee.subordinates.having(Employee.subordinates.count > 0).forKey("leaders").count)
            let rows = try Row.fetchAll(db, counts.order(\.id))
            #expect(rows.map { $0["subordinateCount"] as Int } == [2, 1, 0, 0])
            #expect(rows.map { $0["leaderCount"] as Int } == [1, 0, 0, 0])
        }
    }

    @Test func commonTableExpressions() throws {
        struct ChatInfo: Decodable, FetchableRecord {
            var chat: Chat
            var latestPost: Post?
        }
        let schema = """
            CREATE TABLE chat (id INTEGER PRIMARY KEY);
            CREATE TABLE post (id INTEGER PRIMARY KEY, chatId INTEGER, date INTEGER);
            INSERT INTO chat VALUES (1), (2), (3);
            INSERT INTO post VALUES (1, 1, 10), (2, 1, 30), (3, 2, 20)
            """
        try inLoggedDatabase(schema) { db, log throws in
            let latest = CommonTableExpression<Post>(
                named: "latestPost", request: Post.annotated { max($0.date) }.group(\.chatId))
            let association = Chat.association(to: latest, on: { chat, post in chat.id == post.chatId }).order(
                \.date.desc)
            let request = Chat.with(latest).including(optional: association).asRequest(of: ChatInfo.self)
            let infos = try request.fetchAll(db)
            #expect(infos.map(\.chat.id) == [1, 2, 3])
            #expect(infos.map(\.latestPost?.id) == [2, 3, nil])
            #expect(
                log.takeExpanded().last
                    == #"WITH "latestPost" AS (SELECT *, MAX("date") FROM "post" GROUP BY "chatId") "#
                    + #"SELECT "chat".*, "latestPost".* FROM "chat" LEFT JOIN "latestPost" ON "#
                    + #""chat"."id" = "latestPost"."chatId" ORDER BY "latestPost"."date" DESC"#)
            let numbers = CommonTableExpression(
                recursive: true, named: "n", columns: ["x"],
                literal: "SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3")
            let posts = numbers.association(to: Post.self, on: { n, post in post.chatId == n[Column("x")] })
            #expect(try numbers.all().with(numbers).including(required: posts).fetchCount(db) == 3)
            #expect(try Chat.with(numbers).joining(required: Chat.association(to: numbers)).fetchCount(db) == 9)
        }
    }

    @Test func aliasesThatMayBeMissing() throws {
        let author = TableAlias<Author>()
        try Library.check(
            Book.select(\.id).joining(optional: Book.author.aliased(author)).annotated(
                with: author.exists.forKey("known")
            )
            .order(\.id),
            #"SELECT "book"."id", "author"."id" IS NOT NULL AS "known" FROM "book" LEFT JOIN "author" "#
                + #"ON "author"."id" = "book"."authorId" ORDER BY "book"."id""#,
            rows: ["[id:1 known:1]", "[id:2 known:1]", "[id:3 known:1]", "[id:4 known:0]"])
        try Library.run { db, _ throws in
            let ids = Book.joining(optional: Book.author.aliased(author)).filter(!author.exists).select(
                \.id, as: Int.self)
            #expect(try ids.fetchAll(db) == [4])
            let sums = Book.joining(required: Book.author.aliased(author))
                .select(author[Column("id") + 1], as: Int.self).order(author[Column("id").desc])
            #expect(try sums.fetchAll(db) == [3, 2, 2])
        }
    }

    @Test func dictionariesAndTables() throws {
        struct Info: Decodable, FetchableRecord {
            var author: Author
            var country: [String: String]?
        }
        try Library.run { db, _ throws in
            let infos = try Info.fetchAll(db, Author.including(optional: Author.country).order(\.id))
            #expect(infos.map { $0.country?["name"] } == ["United States", "France", "France", nil])
            let book = Table("book")
            let author = book.belongsTo(Table("author"))
            let rows = try book.including(required: author).filter(Column("id") == 3).fetchAll(db)
            #expect(rows.map { $0.scopes["author"]!["name"] as String } == ["Hugo"])
            let books = Table("author").hasMany(Book.self)
            let counts = try Table("author").annotated(with: books.count).order(Column("id")).fetchAll(db)
            #expect(counts.map { $0["bookCount"] as Int } == [2, 1, 0, 0])
            #expect(try Table<Author>("author").fetchAll(db).count == 4)
            #expect(try Table("author").deleteOne(db, key: 99) == false)
        }
    }
}
