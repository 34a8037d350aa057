import Rowan
import Testing

private struct Author: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var country: String?

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
    }
}

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
        static let year = Column("year")
        static let price = Column("price")
    }
}

struct CompoundsArticleTests {
    @Test func article() throws {
        let statements = try Bookshop.run { db throws in
            try compounds(db)
            try commonTables(db)
            try windows(db)
        }
        try Article("CompoundsAndWindows").check(ran: statements)
    }

    private func compounds(_ db: Database) throws {
        // SELECT "name" FROM "author" UNION SELECT "title" FROM "book" ORDER BY "name" LIMIT 3
        let words = try Author.select(\.name, as: String.self)
            .union(Book.select(\.title, as: String.self))
            .order(Column("name"))
            .limit(3)
            .fetchAll(db)
        // SELECT "id" FROM "author" EXCEPT SELECT "authorId" FROM "book"
        let idle = try Author.select(\.id, as: Int64.self).except(Book.select(\.authorId, as: Int64.self)).fetchAll(db)
        #expect(words == ["Hernani", "Hugo", "Indiana"] && idle == [4])

        // SELECT COUNT(*) FROM (SELECT "name" FROM "author" UNION ALL SELECT "title" FROM "book") AS "word" WHERE "name" LIKE ?
        let count = try Author.select(\.name).asRequest(of: Row.self)
            .unionAll(Book.select(\.title).asRequest(of: Row.self))
            .asDerivedTable(named: "word")
            .filter(Column("name").like("%o%"))
            .select(count(.allColumns), as: Int.self)
            .fetchOne(db)
        #expect(count == 4)
    }

    private func commonTables(_ db: Database) throws {
        // WITH "cheap" AS (SELECT "id" FROM "book" WHERE "price" < ?) SELECT * FROM "book" WHERE "id" IN "cheap"
        let cheap = CommonTableExpression(named: "cheap", request: Book.filter { $0.price < 20 }.select(\.id))
        let books = try Book.with(cheap).filter { cheap.contains($0.id) }.fetchAll(db)
        // WITH RECURSIVE "year"("y") AS (SELECT 1830 UNION ALL SELECT y + 1 FROM year WHERE y < 1833) SELECT "y" FROM "year"
        let years = CommonTableExpression(
            recursive: true, named: "year", columns: ["y"],
            literal: "SELECT 1830 UNION ALL SELECT y + 1 FROM year WHERE y < 1833")
        let numbers = try years.all().with(years).select(Column("y"), as: Int.self).fetchAll(db)
        #expect(books.map(\.id) == [2, 4] && numbers == [1830, 1831, 1832, 1833])
    }

    private func windows(_ db: Database) throws {
        // SELECT "title", RANK() OVER (PARTITION BY "authorId" ORDER BY "price" DESC) AS "rank" FROM "book"
        let ranks = try Row.fetchAll(
            db,
            Book.select {
                [$0.title, rank().over(partitionBy: [$0.authorId], orderBy: [$0.price.desc]).forKey("rank")]
            })
        // SELECT "title", SUM("price") OVER "w" AS "sum", ROW_NUMBER() OVER "w" AS "n" FROM "book" WINDOW "w" AS (ORDER BY "year")
        let running = try Row.fetchAll(
            db,
            Book.select { [$0.title, sum($0.price).over("w").forKey("sum"), rowNumber().over("w").forKey("n")] }
                .window("w", Window(orderBy: [Column("year")])))
        #expect(ranks.map { $0["rank"] as Int } == [1, 2, 1, 1])
        #expect(running.map { $0["sum"] as Int } == [30, 45, 65, 75])

        // SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "authorId" ORDER BY "price" DESC) AS "n" FROM "book")
        //   AS "book" WHERE "n" = ?
        let dearest =
            try Book
            .annotated { rowNumber().over(partitionBy: [$0.authorId], orderBy: [$0.price.desc]).forKey("n") }
            .asDerivedTable(named: "book")
            .filter(Column("n") == 1)
            .fetchAll(db)
        #expect(dearest.map(\.id) == [1, 3, 4])
    }
}
