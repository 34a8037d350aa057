import Rowan
import Testing

private typealias Author = Library.Author
private typealias Book = Library.Book

struct TransferTests {
    @Test func updateFrom() throws {
        try Library.run { db, log throws in
            let points = Library.Award.select(Column("bookId"), sum(Column("points")).forKey("points"))
                .group(Column("bookId")).asRequest(of: Row.self)
            let count = try Book.filter { $0.price < 40 }.updateAll(
                db, from: points, on: { book, award in book.id == award["bookId"] },
                assignments: { book, award in [Column("price").set(to: book.price + award["points"])] })
            #expect(count == 2)
            #expect(try Book.order(\.id).fetchAll(db).map(\.price) == [15, 20, 35, 40])
            #expect(
                log.takeExpanded()[0] == #"UPDATE "book" SET "price" = "book"."price" + "award"."points" FROM "#
                    + #"(SELECT "bookId", SUM("points") AS "points" FROM "award" "award1" GROUP BY "bookId") AS "award" "#
                    + #"WHERE ("book"."id" = "award"."bookId") AND ("book"."price" < 40)"#)
            // A table updated from itself.
            let second = try Book.filter(key: 2).updateAll(
                db, from: Book.filter(key: 1), on: { $0.id == $1.id + 1 },
                assignments: { [Column("title").set(to: $1.title)] })
            #expect(second == 1)
            #expect(try Book.find(db, key: 2).title == "Moby-Dick")
            expectError(
                .SQLITE_MISUSE, "can't update a request with groups, a limit or joins from another request: remove them"
            ) {
                try Book.limit(1).updateAll(db, from: points, on: { _, _ in true }, assignments: { _, _ in [] })
            }
        }
    }

    @Test func insertFromSelect() throws {
        try Library.run { db, log throws in
            try db.execute(sql: "CREATE TABLE archive (id INTEGER PRIMARY KEY, title TEXT)")
            struct Archive: TableRecord {}
            _ = log.takeExpanded()
            let request = Book.filter { $0.year < 1840 }.select { [$0.id, $0.title] }
            #expect(try Archive.insertAll(db, columns: [Column("id"), Column("title")], from: request) == 2)
            #expect(try Archive.insertAll(db, from: request, onConflict: .ignore) == 0)
            expectError(.SQLITE_CONSTRAINT_PRIMARYKEY) { try Archive.insertAll(db, from: request) }
            #expect(
                try String.fetchAll(db, Archive.select(Column("title")).order(Column("id"))) == [
                    "Hernani", "Anonymous",
                ])
            #expect(
                log.takeExpanded()[0]
                    == #"INSERT INTO "archive" ("id", "title") SELECT "id", "title" FROM "book" WHERE "year" < 1840"#)
        }
    }

    @Test func commonTablesInWrites() throws {
        try Library.run { db, log throws in
            let cte = CommonTableExpression(named: "old", request: Book.filter { $0.year < 1840 }.select(\.id))
            #expect(try Book.with(cte).filter { cte.contains($0.id) }.updateAll(db) { $0.price.set(to: 1) } == 2)
            try Library.Award.deleteAll(db)
            #expect(try Book.with(cte).filter { cte.contains($0.id) }.deleteAll(db) == 2)
            #expect(
                log.takeExpanded()[0] == #"WITH "old" AS (SELECT "id" FROM "book" WHERE "year" < 1840) "#
                    + #"UPDATE "book" SET "price" = 1 WHERE "id" IN "old""#)
            #expect(try Book.order(\.price.desc).limit(1).deleteAll(db) == 1)
            #expect(
                log.takeExpanded().last
                    == #"DELETE FROM "book" WHERE "id" IN (SELECT "id" FROM "book" ORDER BY "price" DESC LIMIT 1)"#
            )
        }
    }
}
