// Conditions of requests: collations, Swift Booleans, interpolations.

import Rowan
import Testing

private typealias Player = Roster.Player

struct ConditionTests {
    @Test func collationsOfConditionsAreThoseOfTheirOperand() throws {
        try Roster.run { db, log throws in
            let name = Column("name")
            let some = Player.filter(["ARTHUR", "Barbara"].contains(name).collating(.nocase))
            #expect(try some.fetchAll(db).map(\.id) == [1, 2])
            let closed = Player.filter(("b"..."c").contains(name).collating(.nocase))
            #expect(try closed.fetchAll(db).map(\.id) == [2])
            let halfOpen = Player.filter(("A"..<"C").contains(name).collating(.nocase))
            #expect(try halfOpen.fetchAll(db).map(\.id) == [1, 2])
            #expect(try Player.filter(!("b"..."d").contains(name).collating(.nocase)).fetchAll(db).map(\.id) == [1, 4])
            let comparisons = [
                (name == "ARTHUR").collating(.nocase), ("ARTHUR" == name).collating(.nocase),
                (name > "a" && name < "B").collating(.nocase), (!(name >= "B" || name == nil)).collating(.nocase),
                (name === "ARTHUR").collating(.nocase), ["ARTHUR"].contains(name).collating(.nocase),
                name.collating(.nocase) == "ARTHUR", "ARTHUR" == name.collating(.nocase),
            ]
            for comparison in comparisons {
                #expect(try Player.filter(comparison).fetchAll(db).map(\.id) == [1])
            }
            #expect(
                log.takeExpanded() == [
                    #"SELECT * FROM "player" WHERE ("name" COLLATE NOCASE) IN ('ARTHUR', 'Barbara')"#,
                    #"SELECT * FROM "player" WHERE ("name" COLLATE NOCASE) BETWEEN 'b' AND 'c'"#,
                    #"SELECT * FROM "player" WHERE ("name" >= 'A' COLLATE NOCASE) AND ("name" < 'C' COLLATE NOCASE)"#,
                    #"SELECT * FROM "player" WHERE ("name" COLLATE NOCASE) NOT BETWEEN 'b' AND 'd'"#,
                    #"SELECT * FROM "player" WHERE "name" = 'ARTHUR' COLLATE NOCASE"#,
                    #"SELECT * FROM "player" WHERE 'ARTHUR' = "name" COLLATE NOCASE"#,
                    #"SELECT * FROM "player" WHERE ("name" > 'a' COLLATE NOCASE) AND ("name" < 'B' COLLATE NOCASE)"#,
                    #"SELECT * FROM "player" WHERE NOT (("name" >= 'B' COLLATE NOCASE) OR ("name" IS NULL COLLATE NOCASE))"#,
                    #"SELECT * FROM "player" WHERE "name" IS 'ARTHUR' COLLATE NOCASE"#,
                    #"SELECT * FROM "player" WHERE "name" = 'ARTHUR' COLLATE NOCASE"#,
                    #"SELECT * FROM "player" WHERE "name" = 'ARTHUR' COLLATE NOCASE"#,
                    #"SELECT * FROM "player" WHERE 'ARTHUR' = "name" COLLATE NOCASE"#,
                ])
        }
    }

    @Test func conditionsThatSwiftKnows() throws {
        try Roster.run { db, log throws in
            #expect(try Player.filter(true).fetchCount(db) == 4)
            #expect(try Player.all().filter(false).fetchCount(db) == 0)
            #expect(try Table<Player>("player").filter(true).fetchCount(db) == 4)
            let differ = Player.all().filterWhenConnected { _ in "a" != "b" }
            #expect(try differ.fetchCount(db) == 4)
            #expect(
                log.takeExpanded() == [
                    #"SELECT COUNT(*) FROM "player" WHERE 1"#, #"SELECT COUNT(*) FROM "player" WHERE 0"#,
                    #"SELECT COUNT(*) FROM "player" WHERE 1"#, #"SELECT COUNT(*) FROM "player" WHERE 1"#,
                ])
        }
    }

    @Test func interpolations() throws {
        enum Key: String, CodingKey, ColumnExpression { case name, score }
        let selectable: any SQLSelectable = Column("score").forKey("points")
        try Roster.run { db, log throws in
            let text = "Arthur, Barbara".prefix(6)
            let request: SQLRequest<Row> = "SELECT \(Key.name), \(selectable) FROM player WHERE \(Key.name) = \(text)"
            #expect(try request.fetchAll(db) == [["name": "Arthur", "points": 10]])
            #expect(
                log.takeExpanded() == [#"SELECT "name", "score" AS "points" FROM player WHERE "name" = 'Arthur'"#])
            #expect(try SQLRequest<Int>("SELECT COUNT(*) FROM player WHERE id > \(1)").fetchOne(db) == 3)
        }
    }
}
