// Names defined by a selection, in requests that are transformed into others.

import Rowan
import Testing

private struct Item: Codable, Equatable, FetchableRecord, PersistableRecord {
    var id: Int64
    var groupId: Int64?
    var price: Int
    enum Columns {
        static let id = Column("id")
        static let groupId = Column("groupId")
        static let price = Column("price")
    }
    static let group = belongsTo(Group.self)
}

private struct Group: Codable, Equatable, FetchableRecord, PersistableRecord {
    var id: Int64
    enum Columns {
        static let id = Column("id")
    }
    static let items = hasMany(Item.self)
}

private let schema = """
    CREATE TABLE "group" (id INTEGER PRIMARY KEY);
    CREATE TABLE item (id INTEGER PRIMARY KEY, groupId INTEGER REFERENCES "group", price INTEGER);
    CREATE INDEX item_group ON item(groupId);
    INSERT INTO "group" VALUES (1), (2), (3), (4);
    INSERT INTO item VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, NULL, 40), (5, 3, 30);
    """

@Suite struct SelectedNamesTests {
    private let price = Column("price")

    /// An order prefers the selection's names: otherwise, the deleted row would differ from the fetched one.
    @Test func writesInAnOrderThatTheSelectionNames() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let request = Item.select(Column("id"), (-price).forKey("price")).order(price).limit(1)
            #expect(try Row.fetchAll(db, request) == [["id": 4, "price": -40]])
            let message =
                "cannot update or delete the first rows in the order of \"price\", a name of the selection: order by its "
                + "expression"
            expectError(.SQLITE_MISUSE, message) { try request.deleteAll(db) }
            expectError(.SQLITE_MISUSE, message) { try request.updateAll(db, Column("price").set(to: 0)) }
            #expect(try Item.fetchCount(db) == 5)
            // The column itself is not another name, and an expression has no name.
            #expect(try Item.select(Column("id"), price.forKey("price")).order(price).limit(1).deleteAll(db) == 1)
            #expect(try Item.annotated(with: (-price).forKey("x")).order(-price).limit(1).deleteAll(db) == 1)
            #expect(try Item.fetchAll(db).map(\.id) == [2, 3, 5])
        }
    }

    @Test func latestRowsByNamesOfTheSelection() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let doubled = Item.annotated(with: (price * 2).forKey("doubled"))
            func latest(_ request: QueryInterfaceRequest<Item>, by ordering: any SQLOrderingTerm) throws -> [Int64] {
                try request.latest(per: Column("groupId"), by: ordering).order(\.id).fetchAll(db).map(\.id)
            }
            let message = "latest(per:by:) cannot use \"doubled\", a name of the selection: repeat its expression"
            expectError(.SQLITE_MISUSE, message) { try latest(doubled, by: Column("doubled")) }
            expectError(.SQLITE_MISUSE, message) { try latest(doubled.filter(Column("doubled") > 20), by: price.asc) }
            #expect(try latest(doubled, by: price * 2) == [2, 3, 4, 5])
            #expect(try latest(doubled.filter(price * 2 > 20), by: price.asc) == [2, 3, 4, 5])
        }
    }

    // MARK: Names in queries with several sources

    private func check(
        _ request: QueryInterfaceRequest<Item>, _ ids: [Int64], _ sql: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try request.fetchAll(db).map(\.id) == ids, sourceLocation: sourceLocation)
            #expect(log.takeExpanded() == [sql], sourceLocation: sourceLocation)
            #expect(try request.fetchCount(db) == ids.count, sourceLocation: sourceLocation)
        }
    }

    @Test func annotationsOfRequestsWithJoins() throws {
        let base = Item.annotated(with: (price * 2).forKey("doubled")).joining(required: Item.group)
        let select = #"SELECT "item".*, "item"."price" * 2 AS "doubled" FROM "item" "#
        let join = #"JOIN "group" ON "group"."id" = "item"."groupId""#
        try check(
            base.filter(Column("doubled") > 30), [2, 3, 5],
            "\(select)\(join) WHERE (\"item\".\"price\" * 2) > 30")
        try check(
            base.order(Column("DOUBLED").desc, Column("id")), [3, 5, 2, 1],
            "\(select)\(join) ORDER BY \"DOUBLED\" DESC, \"item\".\"id\"")
        try check(
            base.order((Column("doubled") + 1).desc, Column("id")), [3, 5, 2, 1],
            "\(select)\(join) ORDER BY (\"item\".\"price\" * 2) + 1 DESC, \"item\".\"id\"")
        // A column of the table takes precedence, as in queries with one table.
        try check(
            Item.annotated(with: (price * 2).forKey("groupId")).joining(required: Item.group)
                .filter(Column("groupId") < 2), [1, 2],
            #"SELECT "item".*, "item"."price" * 2 AS "groupId" FROM "item" \#(join) WHERE "item"."groupId" < 2"#)
    }

    @Test func annotationsWithColumnsOfJoins() throws {
        let named = Item.annotated(withRequired: Item.group.select { ($0.id * 10).forKey("tens") })
        try check(
            named.filter(Column("tens") > 10).order(Column("tens").desc), [5, 3],
            #"SELECT "item".*, "group"."id" * 10 AS "tens" FROM "item" JOIN "group" ON "group"."id" = "item"."groupId" WHERE ("group"."id" * 10) > 10 ORDER BY "tens" DESC"#
        )
        // An unqualified column of the other table, because this table has no column with this name.
        try inLoggedDatabase(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, bId INT); CREATE TABLE b (id INTEGER PRIMARY KEY, name TEXT)"
        ) { db, log throws in
            try db.execute(sql: "INSERT INTO b VALUES (1, 'x'), (2, 'y'); INSERT INTO a VALUES (1, 1), (2, 2)")
            let association = Table("a").belongsTo(Table("b"), using: ForeignKey([Column("bId")], to: [Column("id")]))
            _ = log.takeExpanded()
            let request = Table("a").annotated(withRequired: association.select(Column("name")))
                .filter(Column("name") == "y")
            #expect(try Row.fetchAll(db, request) == [["id": 2, "bId": 2, "name": "y"]])
            #expect(
                log.takeExpanded() == [
                    #"SELECT "a".*, "b"."name" FROM "a" JOIN "b" ON "b"."id" = "a"."bId" WHERE "b"."name" = 'y'"#
                ])
        }
    }

    @Test(arguments: [true, false]) func countsOfAssociations(isIndexed: Bool) throws {
        try inLoggedDatabase(schema) { db, _ throws in
            // The plan of an aggregate depends on the index, but its meaning doesn't.
            if !isIndexed { try db.execute(sql: "DROP INDEX item_group") }
            func ids(_ request: QueryInterfaceRequest<Group>) throws -> [Int64] { try request.fetchAll(db).map(\.id) }
            let counted = Group.annotated(with: Group.items.count)
            for request in [counted, counted.joining(optional: Group.items)] {
                #expect(try ids(request.filter(Column("itemCount") > 1)) == [1])
                #expect(try ids(request.order(Column("itemCount").desc, Column("id"))) == [1, 2, 3, 4])
                #expect(try request.filter(Column("itemCount") == 1).fetchCount(db) == 2)
            }
            #expect(try ids(Group.order(Group.items.count.desc, Column("id").desc)) == [1, 3, 2, 4])
            #expect(try ids(Group.order(Group.items.max(Column("price")).ascNullsLast, Column("id"))) == [1, 2, 3, 4])
            #expect(try ids(Group.order(Group.items.count, Column("id"))) == [4, 2, 3, 1])
            #expect(try ids(counted.order(Group.items.sum(Column("price")).descNullsFirst)).first == 4)
        }
    }

    /// With an aggregate or a limit, the query selects other columns, but filters and orders keep their meaning.
    @Test(arguments: [true, false]) func associationsThatUseTheirSelection(isIndexed: Bool) throws {
        struct GroupInfo: Decodable, FetchableRecord {
            var id: Int64
            var items: [Item]
        }
        try inLoggedDatabase(schema) { db, _ throws in
            if !isIndexed { try db.execute(sql: "DROP INDEX item_group") }
            let doubled = Group.items.annotated(with: (price * 2).forKey("doubled"))
            let dear = doubled.filter(Column("doubled") > 30)
            let counts = Group.annotated(with: dear.count.forKey("n"), dear.max(price).forKey("max")).order(\.id)
            #expect(
                try Row.fetchAll(db, counts) == [
                    ["id": 1, "n": 1, "max": 20], ["id": 2, "n": 1, "max": 30], ["id": 3, "n": 1, "max": 30],
                    ["id": 4, "n": 0, "max": nil],
                ])
            #expect(try Group.having(dear.isEmpty).fetchAll(db).map(\.id) == [4])
            let best = doubled.filter(Column("doubled") > 15).order(Column("doubled").desc).limit(1)
            let infos = try Group.order(\.id).including(all: best).asRequest(of: GroupInfo.self).fetchAll(db)
            #expect(infos.map { $0.items.map(\.id) } == [[2], [3], [5], []])
        }
    }

    /// Counting finds the names of the selection, as fetching does, also without `detached`.
    @Test func countsOfFiltersThatUseTheirSelection() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let request = Item.annotated(with: (price * 2).forKey("doubled")).filter(Column("doubled") > 50)
            #expect(try request.fetchAll(db).map(\.id) == [3, 4, 5])
            #expect(try request.fetchCount(db) == 3)
        }
    }

    @Test func countsOfJoinedAggregates() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let request = Group.annotated(withRequired: Group.items.select(max(price)))
            #expect(try Row.fetchAll(db, request.asRequest(of: Row.self)).count == 1)
            #expect(try request.fetchCount(db) == 1)
        }
    }

    @Test func listsOfLiteralsHaveTheParametersThatTheUserCounts() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let list = Array(1...9)
            let statement = try db.makeStatement(literal: "SELECT COUNT(*) FROM item WHERE id IN \(list) AND price > ?")
            #expect(try Int.fetchOne(statement, arguments: StatementArguments(list + [20])) == 3)
        }
    }

    @Test func negatedRangesTakeTheCollation() throws {
        try inLoggedDatabase("CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('a'), ('B'), ('c')") { db, _ throws in
            let range = !("B"..<"C").contains(Column("a"))
            let request = Table("t").all().filter(range.collating(.nocase)).select(Column("a"), as: String.self)
            #expect(try request.fetchAll(db) == ["a", "c"])
        }
    }

    @Test func aColumnThatHidesTheRowid() throws {
        let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, rowid TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'a')"
        try inLoggedDatabase(schema) { db, _ throws in
            let error = expectError(.SQLITE_MISUSE) { try Table<Row>("t").deleteOne(db, key: ["rowid": "a"]) }
            #expect(error?.message?.hasPrefix("table t has no unique key on column(s) rowid: ") == true)
            #expect(try Table("t").fetchCount(db) == 2)
        }
    }

    /// A part that can't be decoded doesn't prevent another part from decoding the row.
    @Test func aPartThatFailsLeavesTheRow() throws {
        struct Grouped: Decodable, FetchableRecord { var id: Int64, groupId: Int64 }
        struct Either: Decodable, FetchableRecord {
            var price: Int?
            var groupId: Int64?
            enum CodingKeys: CodingKey { case grouped, item }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                // A NULL group makes the first part fail.
                if let grouped = try? container.decode(Grouped.self, forKey: .grouped) {
                    groupId = grouped.groupId
                } else {
                    price = try container.decode(Item.self, forKey: .item).price
                }
            }
        }
        try inLoggedDatabase(schema) { db, _ throws in
            let all = try Either.fetchAll(db, Item.order(\.id).asRequest(of: Either.self))
            #expect(all.map(\.groupId) == [1, 1, 2, nil, 3])
            #expect(all.map(\.price) == [nil, nil, nil, 40, nil])
        }
    }
}
