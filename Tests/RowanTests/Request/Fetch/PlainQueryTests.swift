// Queries without superfluous parts.

import Rowan
import Testing

private typealias Player = Roster.Player

struct PlainQueryTests {
    @Test func oneRowNeedsNoLimit() throws {
        try Roster.run { db, log throws in
            _ = try Player.select(max(Column("score")), as: Int.self).fetchOne(db)
            _ = try Player.filter(key: 1).fetchOne(db)
            _ = try Player.filter(key: ["name": "Arthur"]).fetchOne(db)
            _ = try Player.filter(keys: [1, 2]).fetchOne(db)
            _ = try Player.select(max(Column("score")), as: Int.self).group(Column("team")).fetchOne(db)
            _ = try Player.select(rank().over(orderBy: [Column("score")]), as: Int.self).fetchOne(db)
            #expect(
                log.takeExpanded() == [
                    #"SELECT MAX("score") FROM "player""#, #"SELECT * FROM "player" WHERE "id" = 1"#,
                    #"SELECT * FROM "player" WHERE "name" = 'Arthur'"#,
                    #"SELECT * FROM "player" WHERE "id" IN (1, 2) LIMIT 1"#,
                    #"SELECT MAX("score") FROM "player" GROUP BY "team" LIMIT 1"#,
                    #"SELECT RANK() OVER (ORDER BY "score") FROM "player" LIMIT 1"#,
                ])
        }
    }

    @Test func noRowIsSaidOnce() throws {
        try Roster.run { db, log throws in
            #expect(try Player.none().none().filter { $0.score > 3 }.fetchAll(db) == [])
            #expect(log.takeExpanded() == [#"SELECT * FROM "player" WHERE 0"#])
        }
    }

    /// Each different list length is a text to compile, which occupies a place in the statement cache.
    @Test func listsOfMostLengthsShareTheirText() throws {
        try Roster.run { db, _ throws in
            var texts: Set<String> = []
            for count in 1...999 {
                let request = Player.filter(ids: (1...count).map(Int64.init))
                texts.insert(try statementText(db, request).sql)
                guard count % 37 == 0 else { continue }
                #expect(try request.fetchCount(db) == min(count, 4))
                #expect(try Player.filter(!Array(3...count).contains(Column("id"))).fetchCount(db) == 2)
            }
            #expect(texts.count == 15)
        }
    }
}
