import Rowan
import Testing

private struct Player: Codable, Hashable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var name: String
    var score: Int

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let score = Column(CodingKeys.score)
    }
}

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    INSERT INTO player VALUES (1, 'Arthur', 10), (2, 'Barbara', 20), (3, 'Craig', 30), (4, 'David', 40)
    """

struct BatchTests {
    @Test func updates() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let request = Player.filter { $0.score >= 30 }
            #expect(try request.updateAll(db) { $0.score += 1 } == 2)
            #expect(try request.updateAll(db) { [$0.score.set(to: 0), $0.name.set(to: nil)] } == 2)
            #expect(try request.updateAll(db, Column("score") -= 1) == 0)
            #expect(try Player.all().updateAll(db, onConflict: .replace, [Column("score").set(to: 1)]) == 4)
            #expect(
                log.takeExpanded() == [
                    #"UPDATE "player" SET "score" = "score" + 1 WHERE "score" >= 30"#,
                    #"UPDATE "player" SET "score" = 0, "name" = NULL WHERE "score" >= 30"#,
                    #"UPDATE "player" SET "score" = "score" - 1 WHERE "score" >= 30"#,
                    #"UPDATE OR REPLACE "player" SET "score" = 1"#,
                ])
        }
    }

    @Test func deletions() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.filter { $0.score == 10 }.deleteAll(db) == 1)
            #expect(try Player.order(\.name).filter(key: 2).deleteAll(db) == 1)
            #expect(try Player.all().deleteAll(db) == 2)
            #expect(
                log.takeExpanded() == [
                    #"DELETE FROM "player" WHERE "score" = 10"#, #"DELETE FROM "player" WHERE "id" = 2"#,
                    #"DELETE FROM "player""#,
                ])
        }
    }

    @Test func limitsGoToASubqueryOnTheKey() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.order(\.score.desc).limit(1).deleteAll(db) == 1)
            #expect(
                try Player.filter { $0.score < 40 }.order(\.id).limit(1, offset: 1).updateAll(db) { $0.score += 5 } == 1
            )
            #expect(
                log.takeExpanded() == [
                    #"DELETE FROM "player" WHERE "id" IN (SELECT "id" FROM "player" ORDER BY "score" DESC LIMIT 1)"#,
                    #"UPDATE "player" SET "score" = "score" + 5 WHERE "id" IN "#
                        + #"(SELECT "id" FROM "player" WHERE "score" < 40 ORDER BY "id" LIMIT 1 OFFSET 1)"#,
                ])
            #expect(try Player.fetchAll(db).map(\.score) == [10, 25, 30])
        }
    }

    @Test func limitsOfTablesWithoutRowID() throws {
        let schema = """
            CREATE TABLE pair (a INT, b INT, c INT, PRIMARY KEY (a, b)) WITHOUT ROWID;
            INSERT INTO pair VALUES (1, 1, 1), (1, 2, 2), (2, 1, 3)
            """
        try inLoggedDatabase(schema) { db, log throws in
            let pairs = Table("pair").all()
            #expect(try pairs.order(Column("c").desc).limit(2).deleteAll(db) == 2)
            #expect(
                log.take() == [
                    """
                    DELETE FROM "pair" WHERE ("a", "b") IN (SELECT "a", "b" FROM "pair" ORDER BY "c" DESC LIMIT 2)
                    """
                ])
            #expect(try pairs.fetchAll(db) == [["a": 1, "b": 1, "c": 1]])
        }
    }

    @Test func deletedRows() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.filter { $0.score < 20 }.deleteAndFetchAll(db).map(\.name) == ["Arthur"])
            #expect(try Player.filter(key: 2).deleteAndFetchSet(db) == [Player(id: 2, name: "Barbara", score: 20)])
            let statement = try Player.filter(key: 3).deleteAndFetchStatement(db) { [$0.name] }
            #expect(try String.fetchSet(statement) == ["Craig"])
            let other = try Player.filter(key: 9).deleteAndFetchStatement(db, selection: [Column("name")])
            #expect(try String.fetchAll(other) == [])
            #expect(try Player.all().deleteAndFetchIds(db) == [4])
            #expect(
                log.take() == [
                    #"DELETE FROM "player" WHERE "score" < ? RETURNING *"#,
                    #"DELETE FROM "player" WHERE "id" = ? RETURNING *"#,
                    #"DELETE FROM "player" WHERE "id" = ? RETURNING "name""#,
                    #"DELETE FROM "player" WHERE "id" = ? RETURNING "name""#, #"DELETE FROM "player" RETURNING "id""#,
                ])
            #expect(try Player.fetchCount(db) == 0)
        }
    }

    @Test func updatedRows() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let request = Player.filter { $0.score > 20 }
            #expect(try request.updateAndFetchAll(db) { [$0.score += 10] }.map(\.score) == [40, 50])
            #expect(try request.updateAndFetchAll(db, [Column("score") += 10]).map(\.score) == [50, 60])
            #expect(try request.updateAndFetchSet(db) { [$0.score -= 10] }.map(\.score).sorted() == [40, 50])
            #expect(try Array(request.updateAndFetchCursor(db) { [$0.score -= 10] }).map(\.score) == [30, 40])
            let statement = try request.updateAndFetchStatement(db) {
                [$0.score += 10]
            } select: {
                [$0.score * 2]
            }
            #expect(try Int.fetchAll(statement) == [80, 100])
            #expect(
                log.take().last == #"UPDATE "player" SET "score" = "score" + ? WHERE "score" > ? RETURNING "score" * ?"#
            )
        }
    }

    @Test func aCursorThatStopsEarlyHasDoneAll() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            _ = try Player.all().deleteAndFetchCursor(db).next()
            #expect(try Player.fetchCount(db) == 0)
        }
    }

    /// UPDATE and DELETE don't contain the names of the selection.
    @Test func filtersByNamesOfTheSelection() throws {
        try Library.run { db, _ throws in
            typealias Book = Library.Book
            let author = Book.author.select(Column("name").forKey("authorName"))
            let requests = [
                Book.annotated(with: (Column("price") * 2).forKey("authorName")), Book.annotated(withRequired: author),
            ]
            for request in requests.map({ $0.filter(Column("authorName") == "Hugo") }) {
                let message =
                    "cannot update or delete the rows that have a condition on \"authorName\", a name of the "
                    + "selection: filter by its expression"
                expectError(.SQLITE_MISUSE, message) { try request.deleteAll(db) }
                expectError(.SQLITE_MISUSE, message) { try request.updateAll(db, Column("price").set(to: 0)) }
            }
            // Columns take precedence.
            let title = Book.annotated(withRequired: Book.author.select(Column("name").forKey("title")))
            #expect(try title.filter(Column("title") == "Omoo").updateAll(db, Column("price").set(to: 0)) == 1)
        }
    }
}
