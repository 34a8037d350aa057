// Selections that affect what a request counts and writes.

import Rowan
import Testing

private typealias Player = Roster.Player

struct RequestSelectionTests {
    @Test func selectingNothing() throws {
        try Roster.run { db, log throws in
            let rows = try Row.fetchAll(db, Player.select([]).order(\.id))
            #expect(rows.map(\.count) == [0, 0, 0, 0])
            #expect(rows.map(\.description) == ["[]", "[]", "[]", "[]"])
            #expect(try Player.select([]).fetchCount(db) == 4)
            let names = try String.fetchAll(db, Player.select([]).annotated(with: Column("name")).order(\.id).limit(1))
            #expect(names == ["Arthur"])
            #expect(
                log.takeExpanded() == [
                    #"SELECT NULL FROM "player" ORDER BY "id""#, #"SELECT COUNT(*) FROM "player""#,
                    #"SELECT "name" FROM "player" ORDER BY "id" LIMIT 1"#,
                ])
        }
    }

    @Test func countsOfRequestsThatFilterByWhatTheySelect() throws {
        try Roster.run { db, log throws in
            let request = Player.annotated(with: Column("score").forKey("alt")).filter(Column("alt").detached > 10)
            #expect(try request.fetchCount(db) == 2)
            #expect(try request.isEmpty(db) == false)
            let literal = Player.annotated(with: Column("score").forKey("alt")).filter(sql: "alt > 10")
            #expect(try literal.fetchCount(db) == 2)
            #expect(try Player.annotated(with: Column("score").forKey("alt")).fetchCount(db) == 4)
            #expect(
                log.takeExpanded() == [
                    #"SELECT COUNT(*) FROM (SELECT *, "score" AS "alt" FROM "player" WHERE "alt" > 10)"#,
                    #"SELECT EXISTS (SELECT *, "score" AS "alt" FROM "player" WHERE "alt" > 10)"#,
                    #"SELECT COUNT(*) FROM (SELECT *, "score" AS "alt" FROM "player" WHERE alt > 10)"#,
                    #"SELECT COUNT(*) FROM "player""#,
                ])
        }
    }

    @Test func writesOfGroupedRequests() throws {
        try Roster.run { db, log throws in
            let grouped = Player.all().group(Column("team")).having(count(Column("id")) > 1)
            #expect(try grouped.updateAll(db, Column("score").set(to: 0)) == 1)
            #expect(try Player.filter { $0.score == 0 }.fetchAll(db).map(\.team) == ["Reds"])
            #expect(try Player.all().groupByPrimaryKey().deleteAll(db) == 4)
            #expect(
                log.takeExpanded().filter { !$0.hasPrefix("SELECT") } == [
                    #"UPDATE "player" SET "score" = 0 WHERE "id" IN (SELECT "id" FROM "player" GROUP BY "team" "#
                        + #"HAVING COUNT("id") > 1)"#,
                    #"DELETE FROM "player" WHERE "id" IN (SELECT "id" FROM "player" GROUP BY "id")"#,
                ])
        }
    }
}
