// Aliases assigned to tables by programs.

import Rowan
import Testing

private typealias Player = Roster.Player

struct TableAliasTests {
    @Test func columnsOfJSONOfAnAlias() throws {
        try Roster.run { db, _ throws in
            let player = TableAlias<Player>()
            let score = player[JSONColumn("info")]["score"]
            let request = Player.aliased(player).filter(score == 7).select(score, as: Int.self)
            #expect(try request.fetchAll(db) == [7])
            let sql = try statementText(db, request).sql
            #expect(
                sql == #"SELECT "player"."info" ->> 'score' FROM "player" WHERE ("player"."info" ->> 'score') = ?"#)
        }
    }

    @Test func anAliasThatNoRequestHasIsAnError() throws {
        try Roster.run { db, _ throws in
            let stranger = TableAlias<Player>()
            let error = #expect(throws: RequestError.self) {
                try Player.filter { _ in stranger[Column("id")] == 1 }.fetchAll(db)
            }
            #expect(
                error?.description
                    == "the request uses a table alias that it does not have: add the alias with aliased(_:)")
            let alias = TableAlias<Player>(name: "p")
            let sum = Player.aliased(alias).filter { _ in alias[Column("id") + Column("score")] > 21 }
                .order(alias[Column("id").desc])
            #expect(
                try statementText(db, sum).sql
                    == #"SELECT "p".* FROM "player" "p" WHERE ("p"."id" + "p"."score") > ? ORDER BY "p"."id" DESC"#)
            #expect(try Player.aliased(TableAlias()).fetchCount(db) == 4)
            #expect(try Table("player").aliased(TableAlias()).fetchCount(db) == 4)
        }
    }

    @Test func aliasesInWritesWithALimit() throws {
        typealias Author = Library.Author
        try Library.run { db, _ throws in
            let count = Column("name").set(to: Author.books.count.sqlExpression)
            for alias in [TableAlias<Author>(), TableAlias<Author>(name: "a")] {
                #expect(try Author.aliased(alias).joining(required: Author.books).updateAll(db, [count]) == 2)
                #expect(
                    try Author.order(\.id).select(\.name, as: String.self).fetchAll(db) == [
                        "2", "1", "Sand", "Nobody",
                    ])
                let books = Library.Book.filter { $0.authorId == alias.id }.select(Rowan.count(AllColumns()))
                let updated = try Author.aliased(alias).order(\.id).limit(2)
                    .updateAndFetchAll(db, [Column("name").set(to: books)])
                #expect(updated.map(\.name) == ["2", "1"])
                try db.execute(sql: "UPDATE author SET name = id WHERE id < 3")
            }
        }
    }

    @Test func aliasesOfViews() throws {
        try Library.run { db, _ throws in
            try db.execute(
                sql: "CREATE VIEW novel AS SELECT id AS novelId, authorId, title FROM book WHERE year > 1840")
            struct Novel: TableRecord { static let databaseTableName = "novel" }
            let novels = Library.Author.hasMany(Novel.self, using: ForeignKey(["authorId"], to: ["id"]))
            let alias = TableAlias<Novel>()
            let without = Library.Author.joining(optional: novels.aliased(alias)).filter(!alias.exists)
            #expect(try without.order(\.id).fetchAll(db).map(\.id) == [2, 3, 4])
            let counts = Library.Author.annotated(with: novels.count).order(\.id)
            #expect(try Row.fetchAll(db, counts).map { $0["novelCount"] as Int? } == [2, 0, 0, 0])
        }
    }
}
