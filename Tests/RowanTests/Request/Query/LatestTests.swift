// The first row of each group.

import Rowan
import Testing

private typealias Player = Roster.Player

struct LatestTests {
    @Test func oneRowOfEachGroup() throws {
        try Roster.run { db, log throws in
            try db.execute(sql: "INSERT INTO player VALUES (5, 'Eva', 20, 'Reds', NULL), (6, 'fred', 3, NULL, NULL)")
            _ = log.take()
            let best = Player.all().latest(per: Column("team"), by: Column("score")).order(\.id)
            // Of two Reds with 20 points, the one with the greater key is chosen.
            #expect(try best.fetchAll(db).map(\.id) == [3, 4, 5])
            #expect(
                log.takeExpanded() == [
                    #"SELECT * FROM "player" WHERE "id" IN (SELECT "id" FROM (SELECT "id" AS "id", "#
                        + #"ROW_NUMBER() OVER (PARTITION BY "team" ORDER BY "score" DESC, "id" DESC) AS "rowan_number" "#
                        + #"FROM "player") AS "player" WHERE "rowan_number" = 1) ORDER BY "id""#
                ])
            let worst = Player.all().latest(per: { $0.team }, by: { $0.score.asc })
            #expect(try worst.fetchSet(db).map(\.id).sorted() == [1, 3, 6])
            #expect(try best.fetchCount(db) == 3)
            // A filter before `latest` restricts the candidates; one after it restricts the results.
            let young = Player.filter { $0.score < 20 }.latest(per: Column("team"), by: Column("score"))
            #expect(try young.fetchSet(db).map(\.id).sorted() == [1, 4])
            #expect(try best.filter { $0.score < 20 }.fetchAll(db).map(\.id) == [4])
            #expect(try best.deleteAll(db) == 3)
            expectError(.SQLITE_MISUSE) {
                try Player.limit(1).latest(per: Column("team"), by: Column("score")).fetchAll(db)
            }
        }
    }
}
