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
        static let year = TypedColumn<Int>("year")
        static let price = Column("price")
    }
}

struct ExpressionsArticleTests {
    @Test func article() throws {
        let statements = try Bookshop.run { db throws in
            try conditions(db)
            try values(db)
        }
        try Article("Expressions").check(ran: statements)
    }

    private func conditions(_ db: Database) throws {
        // SELECT * FROM "book" WHERE ("price" < ?) AND ("title" IS NOT NULL)
        _ = try Book.filter { $0.price < 25 && $0.title != nil }.fetchAll(db)
        // SELECT * FROM "book" WHERE "authorId" IN (?, ?)
        _ = try Book.filter { [1, 3].contains($0.authorId) }.fetchAll(db)
        // SELECT * FROM "book" WHERE "price" BETWEEN ? AND ?
        _ = try Book.filter { (10...20).contains($0.price) }.fetchAll(db)
        // SELECT * FROM "book" WHERE "title" LIKE ?
        _ = try Book.filter { $0.title.like("%i%") }.fetchAll(db)
        // SELECT * FROM "book" WHERE "title" GLOB ?
        _ = try Book.filter { $0.title.hasPrefix("Moby") }.fetchAll(db)
        // SELECT * FROM "book" WHERE ("price", "id") > (?, ?)
        _ = try Book.filter { rowValue($0.price, $0.id) > rowValue(15, 1) }.fetchAll(db)
        #expect(try Book.filter { rowValue($0.price, $0.id) > rowValue(15, 1) }.fetchAll(db).map(\.id) == [1, 3, 4])

        // SELECT * FROM "book" WHERE "price" = (SELECT MAX("price") FROM "book")
        _ = try Book.filter { $0.price == Book.select { max($0.price) } }.fetchAll(db)
        // SELECT * FROM "book" WHERE "authorId" IN (SELECT "id" FROM "author" WHERE "country" = ?)
        let french = Table("author").filter(Column("country") == "FR").select(Column("id"))
        _ = try Book.filter { french.contains($0.authorId) }.fetchAll(db)
        #expect(try Book.filter { french.contains($0.authorId) }.fetchAll(db).map(\.id) == [3, 4])
    }

    private func values(_ db: Database) throws {
        // SELECT "title", CASE WHEN "price" < ? THEN ? ELSE ? END AS "kind" FROM "book"
        let kind = CaseExpression().when(Column("price") < 20, then: "cheap").otherwise("dear")
        let kinds = try Row.fetchAll(db, Book.select { [$0.title, kind.forKey("kind")] })
        #expect(kinds.map { $0["kind"] as String } == ["dear", "cheap", "dear", "cheap"])

        // SELECT * FROM "book" WHERE instr("title", ?) > 0
        let word = "Dick"
        _ = try Book.filter { SQL("instr(\($0.title), \(word)) > 0") }.fetchAll(db)

        // SELECT (? ->> 'name')
        let json = #"{"name": "Rowan"}"#.databaseValue.sqlExpression.asJSON
        let name = try String.fetchOne(db, SQLRequest<String>(literal: "SELECT \(json["name"])"))
        // SELECT JSON_GROUP_ARRAY("title") FROM "book"
        let titles = try Book.select(Database.jsonGroupArray(Column("title")), as: String.self).fetchOne(db)
        #expect(name == "Rowan" && titles == #"["Omoo","Moby-Dick","Hernani","Indiana"]"#)

        // SELECT * FROM "book" WHERE "year" > ?
        _ = try Book.filter { $0.year > 1840 }.fetchAll(db)
        #expect(try Book.filter { $0.year > 1840 }.fetchCount(db) == 2)
    }
}
