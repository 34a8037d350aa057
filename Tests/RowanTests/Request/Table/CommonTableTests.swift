// Common table expressions of requests, of joined requests and of prefetched ones.

import Rowan
import Testing

private typealias Player = Roster.Player

struct CommonTableTests {
    @Test func commonTablesWithoutColumnNames() throws {
        try Roster.run { db, log throws in
            let cte = CommonTableExpression(named: "best", columns: [], request: Player.filter { $0.score > 15 })
            #expect(try Row.fetchAll(db, cte.all().with(cte)).count == 2)
            #expect(
                log.takeExpanded() == [
                    #"WITH "best" AS (SELECT * FROM "player" WHERE "score" > 15) SELECT * FROM "best""#
                ])
        }
    }

    /// The common tables of a request and of its joins belong to a single statement.
    @Test func theLastCommonTableOfANameWins() throws {
        try Roster.run { db, log throws in
            func table(_ least: Int) -> CommonTableExpression<Row> {
                CommonTableExpression(named: "best", request: Player.filter { $0.score > least }.select(\.id))
            }
            let others = Player.association(to: table(15)) { player, best in player.id == best[Column("id")] }
            let request = Player.with(table(100)).joining(required: others.with(table(15)))
            #expect(try request.fetchAll(db).map(\.id) == [2, 3])
            let text = try #require(log.takeExpanded().last)
            #expect(text.hasPrefix(#"WITH "best" AS (SELECT "id" FROM "player" WHERE "score" > 15) SELECT"#))
        }
    }

    @Test func aCommonTableReplacesItsNamesake() throws {
        try Roster.run { db, _ throws in
            let few = CommonTableExpression<Int64>(named: "ids", request: Player.select(Player.Columns.id).limit(1))
            let all = CommonTableExpression<Int64>(named: "IDs", request: Player.select(Player.Columns.id))
            #expect(try Player.with(few).with(few).filter { few.contains($0.id) }.fetchCount(db) == 1)
            let request = Player.with(few).filter { few.contains($0.id) }.with(all)
            #expect(
                try statementText(db, request).sql
                    == #"WITH "IDs" AS (SELECT "id" FROM "player") SELECT * FROM "player" WHERE "id" IN "ids""#)
            #expect(try request.fetchCount(db) == 4)
            #expect(try request.updateAll(db, [Column("score").set(to: 0)]) == 4)
        }
    }

    @Test func aCommonTableInTwoPlacesIsOne() throws {
        typealias Author = Library.Author
        try Library.run { db, _ throws in
            let writers = CommonTableExpression<Row>(
                named: "writers", request: Author.having(Author.books.count > 0).select(\.id))
            let request = Author.with(writers).including(
                all: Author.books.with(writers).filter { writers.contains($0.authorId) })
            #expect(try Row.fetchAll(db, request).map { $0.prefetchedRows["books"]?.count } == [2, 1, 0, 0])
            let joined = Author.with(writers).joining(
                required: Author.books.with(writers).filter { writers.contains($0.authorId) })
            #expect(try joined.fetchCount(db) == 3)
        }
    }

    @Test func prefetchedRowsSeeTheCommonTables() throws {
        struct Info: Decodable, FetchableRecord {
            var author: Library.Author
            var books: [Library.Book]
        }
        try Library.run { db, _ throws in
            let old = CommonTableExpression<Int64>(
                named: "old", sql: "SELECT id FROM book WHERE year < ?", arguments: [1850])
            let request = Library.Author.with(old)
                .including(all: Library.Author.books.filter { old.contains($0.id) })
                .asRequest(of: Info.self)
            #expect(try request.fetchAll(db).map { $0.books.map(\.id) } == [[2], [3], [], []])
        }
    }
}
