// What requests mean by the documents, where something else was made of it.

import Foundation
import Rowan
import Testing

private struct Player: Codable, Hashable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var name: String
    var score: Int
    var team: String?
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let score = Column("score")
        static let team = Column("team")
    }
}

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER, team TEXT, info TEXT);
    INSERT INTO player VALUES (1, 'Arthur', 10, 'Reds', '{"score": 7}'), (2, 'barbara', 20, 'Reds', NULL),
        (3, 'Craig', 30, 'Blues', NULL), (4, 'david', 5, NULL, NULL);
    """

@Suite struct DocumentedRequestTests {
    @Test func collationsOfConditionsAreThoseOfTheirOperand() throws {
        try inLoggedDatabase(schema) { db, log throws in
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

    @Test func countsOfRequestsThatFilterByWhatTheySelect() throws {
        try inLoggedDatabase(schema) { db, log throws in
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

    @Test func commonTablesWithoutColumnNames() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let cte = CommonTableExpression(named: "best", columns: [], request: Player.filter { $0.score > 15 })
            #expect(try Row.fetchAll(db, cte.all().with(cte)).count == 2)
            #expect(
                log.takeExpanded() == [
                    #"WITH "best" AS (SELECT * FROM "player" WHERE "score" > 15) SELECT * FROM "best""#
                ])
        }
    }

    /// The common tables of a request and of what it joins are those of one statement.
    @Test func theLastCommonTableOfANameWins() throws {
        try inLoggedDatabase(schema) { db, log throws in
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

    @Test func selectingNothing() throws {
        try inLoggedDatabase(schema) { db, log throws in
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

    @Test func writesOfGroupedRequests() throws {
        try inLoggedDatabase(schema) { db, log throws in
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

    @Test func literalsWithOpenParameters() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let made = try db.makeStatement(literal: "SELECT name FROM player WHERE id = ?")
            #expect(try String.fetchOne(made, arguments: [3]) == "Craig")
            let cached = try db.cachedStatement(literal: "SELECT name FROM player WHERE id = :id")
            #expect(try String.fetchOne(cached, arguments: ["id": 4]) == "david")
            let mixed = try db.makeStatement(literal: "SELECT \(1) + ?")
            expectError(.SQLITE_MISUSE) { try Int.fetchOne(mixed) }
            #expect(try Int.fetchOne(mixed, arguments: [2, 3]) == 5)
            let all = try db.allStatements(literal: "SELECT ?; SELECT ? + 1")
            var sums: [Int] = []
            while let statement = try all.next() { sums.append(try Int.fetchOne(statement, arguments: [4])!) }
            #expect(sums == [4, 5])
            // Arguments in excess are refused.
            expectError(.SQLITE_MISUSE) { try db.makeStatement(literal: SQL(sql: "SELECT ?", arguments: [1, 2])) }
            expectError(.SQLITE_MISUSE) {
                try db.makeStatement(literal: SQL(sql: "SELECT :a", arguments: ["b": 2]))
            }
        }
    }

    @Test func conditionsThatSwiftKnows() throws {
        try inLoggedDatabase(schema) { db, log throws in
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
        try inLoggedDatabase(schema) { db, log throws in
            let text = "Arthur, Barbara".prefix(6)
            let request: SQLRequest<Row> = "SELECT \(Key.name), \(selectable) FROM player WHERE \(Key.name) = \(text)"
            #expect(try request.fetchAll(db) == [["name": "Arthur", "points": 10]])
            #expect(
                log.takeExpanded() == [#"SELECT "name", "score" AS "points" FROM player WHERE "name" = 'Arthur'"#])
            #expect(try SQLRequest<Int>("SELECT COUNT(*) FROM player WHERE id > \(1)").fetchOne(db) == 3)
        }
    }

    @Test func columnsOfJSONOfAnAlias() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let player = TableAlias<Player>()
            let score = player[JSONColumn("info")]["score"]
            let request = Player.aliased(player).filter(score == 7).select(score, as: Int.self)
            #expect(try request.fetchAll(db) == [7])
            let sql = try statementText(db, request).sql
            #expect(
                sql == #"SELECT "player"."info" ->> 'score' FROM "player" WHERE ("player"."info" ->> 'score') = ?"#)
        }
    }
}

/// Queries without superfluous parts.
@Suite struct PlainQueryTests {
    @Test func oneRowNeedsNoLimit() throws {
        try inLoggedDatabase(schema) { db, log throws in
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
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.none().none().filter { $0.score > 3 }.fetchAll(db) == [])
            #expect(log.takeExpanded() == [#"SELECT * FROM "player" WHERE 0"#])
        }
    }

    /// Each text of a list is compiled, and takes its place in the cache of statements.
    @Test func listsOfMostLengthsShareTheirText() throws {
        try inLoggedDatabase(schema) { db, _ throws in
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

@Suite struct LatestTests {
    @Test func oneRowOfEachGroup() throws {
        try inLoggedDatabase(schema) { db, log throws in
            try db.execute(sql: "INSERT INTO player VALUES (5, 'Eva', 20, 'Reds', NULL), (6, 'fred', 3, NULL, NULL)")
            _ = log.take()
            let best = Player.all().latest(per: Column("team"), by: Column("score")).order(\.id)
            // Of two Reds with 20 points, the one with the greater key.
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
            // What filters before is not taken, what filters after is not shown.
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

@Suite struct ConvenienceTests {
    @Test func pagesAreCollections() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let page = try Player.order(\.id).page(size: 3).fetch(db)
            #expect(page.map(\.id) == [1, 2, 3])
            #expect((page.count, page.first?.name, page.last?.name) == (3, "Arthur", "Craig"))
            #expect(page.next != nil)
        }
    }

    @Test func ordersOfCompounds() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let request = Player.filter { $0.score > 15 }.union(Player.filter { $0.score < 10 })
            #expect(try request.order(\.name).fetchAll(db).map(\.id) == [3, 2, 4])
            #expect(try request.order { [$0.score.desc, $0.name] }.fetchAll(db).map(\.id) == [3, 2, 4])
            #expect(log.take().allSatisfy { $0.contains(#"UNION SELECT * FROM "player""#) })
        }
    }

    @Test func firstInSeveralOrders() throws {
        try Library.run { db, _ throws in
            let oldest = Library.Author.books.first { [$0.year, $0.title.desc] }.forKey("oldest")
            let newest = Library.Author.books.last { [$0.year, $0.title] }.forKey("newest")
            let request = Library.Author.including(optional: oldest).including(optional: newest).order(\.id)
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0.scopes["oldest"]?["title"] as String? } == ["Omoo", "Hernani", nil, nil])
            #expect(rows.map { $0.scopes["newest"]?["title"] as String? } == ["Moby-Dick", "Hernani", nil, nil])
        }
    }

    /// Mistakes in associations are errors that programs can distinguish.
    @Test func errorsOfRequests() throws {
        try Library.run { db, _ throws in
            let unknown = Table<Row>("award").belongsTo(Table<Row>("country"))
            #expect {
                try Table<Row>("award").all().including(required: unknown).fetchAll(db)
            } throws: { error in
                guard case RequestError.noForeignKey("award", "country", nil) = error else { return false }
                return "\(error)".hasPrefix("the schema has no foreign key from table award to table country")
            }
        }
    }

    /// The key of an association to many rows names many of them: one of them has the singular.
    @Test func keysOfAssociationsToMany() throws {
        try Library.run { db, _ throws in
            let novels = Library.Author.books.forKey("novels")
            let joined = try Row.fetchAll(db, Library.Author.including(required: novels).order(\.id))
            #expect(Set(joined.flatMap(\.scopes.names)) == ["novel"])
            let all = try Row.fetchAll(db, Library.Author.including(all: novels).order(\.id))
            #expect(all.map { $0.prefetchedRows["novels"]?.count } == [2, 1, 0, 0])
            let keyed = Library.Author.hasMany(Library.Book.self, key: "kittens")
            #expect(try Row.fetchOne(db, Library.Author.including(optional: keyed))?.scopes["kitten"] != nil)
            let author = Library.Book.belongsTo(Library.Author.self, key: "writers")
            #expect(try Row.fetchOne(db, Library.Book.including(optional: author))?.scopes["writers"] != nil)
        }
    }
}

private struct Device: Codable, Equatable, FetchableRecord, PersistableRecord, Identifiable {
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .ignore)
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .uppercaseString }
    var id: UUID
    var name: String
}

/// What a record type says of its values and of violations holds in all requests of its rows.
@Suite struct TypeRulesTests {
    private let schema = "CREATE TABLE device (id TEXT PRIMARY KEY, name TEXT UNIQUE)"

    @Test func tablesOfRecordsStoreTheirValues() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let (a, b) = (Device(id: UUID(), name: "a"), Device(id: UUID(), name: "b"))
            try a.insert(db)
            try b.insert(db)
            let devices = Table<Device>("device")
            #expect(try devices.filter(id: b.id).fetchOne(db) == b)
            #expect(try devices.filter(key: a.id).fetchOne(db) == a)
            #expect(try devices.filter(ids: [a.id, b.id]).fetchCount(db) == 2)
            #expect(try devices.filter(key: ["id": b.id]).fetchAll(db) == [b])
            #expect(try devices.filter(Column("id") == a.id).fetchAll(db) == [a])
            #expect(try devices.exists(db, key: a.id))
            #expect(try devices.deleteOne(db, key: a.id))
            #expect(try Device.fetchAll(db) == [b])
            // A table of rows knows no strategy.
            #expect(try Table("device").filter(Column("id") == b.id).fetchCount(db) == 0)
        }
    }

    @Test func batchUpdatesFollowThePolicyOfTheType() throws {
        try inLoggedDatabase(schema) { db, log throws in
            for name in ["a", "b"] { try Device(id: UUID(), name: name).insert(db) }
            _ = log.take()
            // The row that is "b" already is updated; the other one would violate the constraint.
            #expect(try Device.updateAll(db, Column("name").set(to: "b")) == 1)
            #expect(try String.fetchAll(db, Device.select(Column("name")).order(Column("name"))) == ["a", "b"])
            expectError(.SQLITE_CONSTRAINT) {
                try Device.updateAll(db, onConflict: .abort, Column("name").set(to: "b"))
            }
            #expect(
                log.take().filter { $0.hasPrefix("UPDATE") } == [
                    #"UPDATE OR IGNORE "device" SET "name" = ?"#, #"UPDATE OR ABORT "device" SET "name" = ?"#,
                ])
        }
    }
}
