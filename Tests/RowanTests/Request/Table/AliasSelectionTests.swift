// Selections and orderings of an aliased table.

import Rowan
import Testing

private struct Player: TableRecord {
    struct DatabaseComponents {
        let id = Column("id")
        let total = (Column("score") + Column("bonus")).forKey("total")
        let bestFirst = Column("score").desc
    }
    static let databaseComponents = DatabaseComponents()
}

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER, bonus INTEGER, teamId INTEGER REFERENCES team(id));
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO team VALUES (1, 't');
    INSERT INTO player VALUES (1, 10, 5, 1), (2, 20, 1, 1)
    """

@Suite struct AliasSelectionTests {
    private let player = TableAlias<Player>(name: "p")

    private func sql(_ selection: any SQLSelectable) throws -> String {
        try inLoggedDatabase(schema) { db, _ in
            try statementText(db, Player.all().aliased(player).select(selection)).sql
        }
    }

    @Test func selections() throws {
        let all = #"SELECT "p"."id", "p"."score", "p"."bonus", "p"."teamId" FROM "player" "p""#
        #expect(try sql(player[AllColumns().sqlSelection]) == all)
        #expect(try sql(player[AllColumns()]) == all)
        #expect(try sql(player[.allColumns]) == all)
        let some = #"SELECT "p"."id", "p"."teamId" FROM "player" "p""#
        #expect(try sql(player[AllColumnsExcluding(["score", "BONUS"])]) == some)
        #expect(try sql(player[.allColumns(excluding: ["score", "bonus"])]) == some)
        #expect(try sql(player[Column.rowID]) == #"SELECT "p"."rowid" FROM "player" "p""#)
        #expect(try sql(player[.rowID]) == #"SELECT "p"."rowid" FROM "player" "p""#)
        #expect(try sql(player[Column("score").forKey("s")]) == #"SELECT "p"."score" AS "s" FROM "player" "p""#)
        #expect(try sql(player[(Column("score") + 1).sqlSelection]) == #"SELECT "p"."score" + ? FROM "player" "p""#)
        let total = #"SELECT "p"."score" + "p"."bonus" AS "total" FROM "player" "p""#
        #expect(try sql(player.total) == total)
        #expect(try sql(player[SQL("1 AS one").sqlSelection]) == #"SELECT 1 AS one FROM "player" "p""#)
    }

    @Test func orderings() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let aliased = Player.all().aliased(player)
            let best = #"SELECT "p".* FROM "player" "p" ORDER BY "p"."score" DESC"#
            #expect(try statementText(db, aliased.order(player.bestFirst)).sql == best)
            #expect(try statementText(db, aliased.order(player[Column("score").desc.sqlOrdering])).sql == best)
            #expect(try Int.fetchAll(db, aliased.order(player.bestFirst).select(player.id)) == [2, 1])
        }
    }

    /// Columns of a joined table, in the selection of the main table.
    @Test func columnsOfAJoinedTable() throws {
        struct Member: TableRecord {
            static let databaseTableName = "player"
            static let team = belongsTo(Team.self)
        }
        struct Team: TableRecord {}
        try inLoggedDatabase(schema) { db, log throws in
            let team = TableAlias<Team>()
            let rows = try Row.fetchAll(
                db, Member.joining(required: Member.team.aliased(team)).select(Column("id"), team[.allColumns]))
            #expect(rows == [["id": 1, "id": 1, "name": "t"], ["id": 2, "id": 1, "name": "t"]])
            #expect(
                log.take() == [
                    #"SELECT "player"."id", "team"."id", "team"."name" FROM "player" "#
                        + #"JOIN "team" ON "team"."id" = "player"."teamId""#
                ])
            // An alias that the request doesn't use.
            #expect(throws: RequestError.self) { try Row.fetchAll(db, Member.select(TableAlias<Team>()[.allColumns])) }
        }
    }

    @Test func untypedAliases() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let alias: TableAliasBase = player
            let request = Player.aliased(player).filter(alias["id"] == 1)
            #expect(try statementText(db, request).sql == #"SELECT "p".* FROM "player" "p" WHERE "p"."id" = ?"#)
        }
    }
}
