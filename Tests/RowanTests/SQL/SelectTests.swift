// The resolver's output, and the renderer's errors.

import Rowan
import Testing

@Suite struct SelectTests {
    @Test func relationsWithSymbolsAreNoQueries() {
        var relation = Relation(table: "player")
        #expect(Select(relation) != nil)
        relation.filters = [SQLExpression(.symbol(.primaryKey(isIn: [1.sqlExpression])))]
        #expect(Select(relation) == nil)
        relation.filters = []
        relation.orderings = [SQLOrdering(.symbol(.primaryKey(.none)))]
        #expect(Select(relation) == nil)
        relation.orderings = []
        relation.selection = [SQLSelection(.symbol(.primaryKey))]
        #expect(Select(relation) == nil)
    }

    @Test func reversedOrdersAreReversedOnce() throws {
        var relation = Relation(table: "player")
        relation.orderings = [Column("score").desc, Column("name").sqlOrdering]
        relation.isReversed = true
        var renderer = Renderer()
        renderer.write(try #require(Select(relation)))
        #expect(renderer.text == #"SELECT * FROM "player" ORDER BY "score" ASC, "name" DESC"#)
    }

    /// SQL that depends on the schema, where the schema isn't available.
    @Test func termsThatNeedTheSchemaAreRefused() throws {
        func refused(_ write: (inout Renderer) -> Void) -> String? {
            var renderer = Renderer()
            write(&renderer)
            do { _ = try renderer.statementArguments() } catch { return "\(error)" }
            return nil
        }
        let message =
            "this SQL depends on the schema, but Rowan does not read the schema here: use it in a request, "
            + "or in the SQL of a fetch"
        #expect(refused { $0.write(SQLExpression(.symbol(.primaryKey(isIn: [])))) } == message)
        #expect(refused { $0.write(SQLSelection(.symbol(.primaryKey))) } == message)
        #expect(refused { $0.write(SQLOrdering(.symbol(.primaryKey(.none)))) } == message)
        var relation = Relation(table: "player")
        relation.isStablyOrdered = true
        #expect(refused { $0.write(SQLSubquery(.relation(relation))) } == message)
        #expect(refused { $0.write(Column("a").sqlExpression) } == nil)
    }

    @Test func indexesRefuseThem() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)")
            let condition = TableAlias<Row>().exists
            let error = databaseError { try db.create(index: "i", on: "player", columns: ["id"], condition: condition) }
            #expect(error?.resultCode == .SQLITE_ERROR)
            #expect(error?.message?.hasPrefix("this SQL depends on the schema") == true)
            #expect(try db.indexes(on: "player").isEmpty)
        }
    }

    /// The columns of a row and of its scopes are counted when they are ordered.
    @Test func shapesCountTheColumnsOfTheQuery() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE a (id INTEGER PRIMARY KEY, x);
                    CREATE TABLE b (id INTEGER PRIMARY KEY, aId REFERENCES a, y);
                    CREATE TABLE c (id INTEGER PRIMARY KEY, bId REFERENCES b);
                    """)
            func link(_ holder: ForeignKeyLink.Holder) -> JoinCondition {
                .foreignKey(ForeignKeyLink(holder: holder, columns: nil, referredColumns: nil, isToOne: false))
            }
            var b = Relation(table: "b")
            var a = Join(
                .inner, AssociationStep(key: .fixed("a"), condition: link(.origin), relation: Relation(table: "a")),
                isIncluded: true)
            a.annotation = [Column("x").sqlSelection]
            b.joins = [a]
            var c = Relation(table: "c")
            c.joins = [
                Join(.left, AssociationStep(key: .fixed("b"), condition: link(.origin), relation: b), isIncluded: false)
            ]
            c.hiddenSelection = [Column("bId").sqlSelection]
            let query = try Resolver(db).query(c)
            let parts = try #require(query.shape).parts
            // The selection of c, the annotation passed on by b, and the scope of a.
            #expect(parts.map(\.scope) == [[], [], ["b", "a"]])
            #expect(parts.map(\.columnCount) == [2, 1, 2])
            #expect(query.shape?.hiddenCount == 1)
            let use = try db.use { $0.write(query.select) }
            let statement = use.statement
            #expect(
                statement.sql == """
                    SELECT "c".*, "a"."x" AS "x", "a"."id" AS "id", "a"."x" AS "x", "c"."bId" FROM "c" LEFT JOIN \
                    ("b" JOIN "a" ON "a"."id" = "b"."aId") ON "b"."id" = "c"."bId"
                    """)
            #expect(statement.columnCount == 6)
        }
    }
}
