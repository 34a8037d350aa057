import Rowan
import Testing

private let playerSchema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT, score INTEGER DEFAULT 7)
    """

private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var email: String
    var name: String
    var score: Int

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct Vocabulary: Codable, Equatable, FetchableRecord, PersistableRecord {
    var word: String
    var kind: String
    var isTainted: Bool
}

private let vocabularySchema = """
    CREATE TABLE vocabulary (
        word TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, isTainted BOOLEAN DEFAULT 0, count INT DEFAULT 1)
    """

struct UpsertTests {
    @Test func insertsOrOverwritesAllButThePrimaryKey() throws {
        try inLoggedDatabase(playerSchema) { db, log throws in
            var first = Player(id: nil, email: "a@b", name: "Arthur", score: 1)
            try first.upsert(db)
            #expect(first.id == 1)
            #expect(
                log.take() == [
                    #"INSERT INTO "player" ("id", "email", "name", "score") VALUES (?,?,?,?) ON CONFLICT DO UPDATE SET "#
                        + #""email" = "excluded"."email", "name" = "excluded"."name", "score" = "excluded"."score" "#
                        + #"RETURNING "rowid""#
                ])
            var other = Player(id: nil, email: "c@d", name: "Craig", score: 2)
            try other.upsert(db)
            #expect(other.id == 2)
            var again = Player(id: nil, email: "a@b", name: "Barbara", score: 3)
            try again.upsert(db)
            #expect(again.id == 1, "the rowid of the updated row, not of the last inserted one")
            #expect(try Player.order { _ in Column("id") }.fetchAll(db) == [again, other])
        }
    }

    /// In the ON CONFLICT clause, `excluded` is the name of the row that could not be inserted.
    @Test(arguments: ["excluded", "Excluded"])
    func aTableNamedExcluded(_ name: String) throws {
        struct Item: Codable, Equatable, FetchableRecord, PersistableRecord {
            static let databaseTableName = "excluded"
            var id: Int
            var name: String
            var count = 1
        }
        try inLoggedDatabase("CREATE TABLE \(name) (id INTEGER PRIMARY KEY, name TEXT, count INTEGER)") {
            db, log throws in
            try Item(id: 1, name: "a").insert(db)
            _ = log.take()
            try Item(id: 1, name: "b").upsert(db)
            let clause = #"ON CONFLICT DO UPDATE SET "name" = "excluded"."name", "count" = "excluded"."count""#
            #expect(
                log.take().last?.hasPrefix(
                    #"INSERT INTO "excluded" AS "rowan target" ("id", "name", "count") VALUES (?,?,?) \#(clause)"#)
                    == true)
            #expect(try Item.fetchAll(db) == [Item(id: 1, name: "b")])
            let fetched = try Item(id: 1, name: "c").upsertAndFetch(db) {
                [Column("count").set(to: Column("count") + $0["count"])]
            }
            #expect(fetched == Item(id: 1, name: "c", count: 2))
            try Item.upsertAll(db, [Item(id: 1, name: "d", count: 9), Item(id: 2, name: "e")])
            #expect(
                try Item.order(Column("id")).fetchAll(db) == [Item(id: 1, name: "d", count: 9), Item(id: 2, name: "e")])
            let all = try Item.upsertAllAndFetch(db, [Item(id: 2, name: "f", count: 3)])
            #expect(Array(all) == [Item(id: 2, name: "f", count: 3)])
        }
    }

    /// SQLite has no upsert of default values.
    @Test func recordsWithoutColumns() throws {
        struct Note: MutablePersistableRecord, FetchableRecord {
            init() {}
            init(row: Row) {}
            func encode(to container: inout PersistenceContainer) {}
        }
        try inLoggedDatabase("CREATE TABLE note (id INTEGER PRIMARY KEY)") { db, log throws in
            var note = Note()
            let message = "cannot upsert into table note: the record stores no column, so insert it"
            expectError(.SQLITE_MISUSE, message) { try note.upsert(db) }
            expectError(.SQLITE_MISUSE, message) { _ = try note.upsertAndFetch(db) }
            #expect(log.take() == [])
            try note.insert(db)
            #expect(log.take() == [#"INSERT INTO "note" DEFAULT VALUES"#])
        }
    }

    @Test func upsertAndFetchTellsTheRecordItsRowID() throws {
        try inLoggedDatabase(playerSchema) { db, _ throws in
            var player = Player(id: nil, email: "a@b", name: "Arthur", score: 1)
            let stored = try player.upsertAndFetch(db)
            #expect(stored.id == 1)
            #expect(player.id == 1)
            var other = Player(id: nil, email: "a@b", name: "Barbara", score: 1)
            _ = try other.upsertAndFetch(db, as: Player.self)
            #expect(other.id == 1)
        }
    }

    @Test func targetAndAssignments() throws {
        try inLoggedDatabase(vocabularySchema) { db, log throws in
            let jovial = Vocabulary(word: "jovial", kind: "adjective", isTainted: false)
            _ = try jovial.upsertAndFetch(db, onConflict: ["word"])
            try db.execute(sql: "UPDATE vocabulary SET isTainted = 1, kind = 'noun'")
            _ = log.take()
            let upserted = try jovial.upsertAndFetch(
                db, onConflict: ["word"],
                doUpdate: { _ in [Column("count") += 1, Column("isTainted").noOverwrite] })
            #expect(upserted == Vocabulary(word: "jovial", kind: "adjective", isTainted: true))
            #expect(try Int.fetchOne(db, sql: "SELECT count FROM vocabulary") == 2)
            #expect(
                log.take().first == """
                    INSERT INTO "vocabulary" ("word", "kind", "isTainted") VALUES (?,?,?) \
                    ON CONFLICT("word") DO UPDATE SET "kind" = "excluded"."kind", "count" = "count" + ? \
                    RETURNING *, "rowid"
                    """)
        }
    }

    @Test func theClosureIsGivenTheExcludedRow() throws {
        try inLoggedDatabase(playerSchema) { db, _ throws in
            var high = Player(id: nil, email: "a@b", name: "Arthur", score: 100)
            try high.insert(db)
            var low = Player(id: nil, email: "a@b", name: "Arthur II", score: 10)
            let stored = try low.upsertAndFetch(
                db, doUpdate: { excluded in [Column("score").set(to: max(Column("score"), excluded["score"]))] })
            #expect(stored == Player(id: 1, email: "a@b", name: "Arthur II", score: 100))
        }
    }

    @Test func noColumnUnlessSpecified() throws {
        try inLoggedDatabase(playerSchema) { db, log throws in
            var player = Player(id: nil, email: "a@b", name: "Arthur", score: 100)
            try player.insert(db)
            _ = log.take()
            var other = Player(id: nil, email: "a@b", name: "Barbara", score: 5)
            let stored = try other.upsertAndFetch(
                db, onConflict: ["email"], updating: .noColumnUnlessSpecified,
                doUpdate: { excluded in [Column("score") += excluded["score"]] })
            #expect(stored == Player(id: 1, email: "a@b", name: "Arthur", score: 105))
            #expect(
                log.take() == [
                    """
                    INSERT INTO "player" ("id", "email", "name", "score") VALUES (?,?,?,?) \
                    ON CONFLICT("email") DO UPDATE SET "score" = "score" + "excluded"."score" \
                    RETURNING *, "rowid"
                    """
                ])
            let kept = try other.upsertAndFetch(db, onConflict: ["id"], updating: .noColumnUnlessSpecified)
            #expect(kept == stored)
        }
    }

    @Test func aRecordOfItsKeyAloneReturnsTheRow() throws {
        struct Tag: Codable, Equatable, FetchableRecord, PersistableRecord { var name: String }
        try inLoggedDatabase("CREATE TABLE tag (name TEXT PRIMARY KEY)") { db, _ throws in
            #expect(try Tag(name: "a").upsertAndFetch(db) == Tag(name: "a"))
            #expect(try Tag(name: "a").upsertAndFetch(db) == Tag(name: "a"))
            try Tag(name: "a").upsert(db)
            #expect(try Tag.fetchCount(db) == 1)
        }
    }

    @Test func aTargetThatIsNoKeyIsAnError() throws {
        try inLoggedDatabase(playerSchema) { db, _ throws in
            var player = Player(id: nil, email: "a@b", name: "Arthur", score: 100)
            let error = databaseError { try player.upsertAndFetch(db, onConflict: ["name"]) }
            #expect(error?.resultCode == .SQLITE_ERROR)
            #expect(error?.message == "ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint")
        }
    }

    @Test func otherConstraintsFail() throws {
        let schema =
            "CREATE TABLE player (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT, score INT CHECK (score > 0))"
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Player(id: 1, email: "a@b", name: "Arthur", score: 0)
            let error = databaseError { try player.upsert(db) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
        }
    }

    @Test func withoutRowID() throws {
        struct Citizenship: Codable, Equatable, FetchableRecord, PersistableRecord {
            var citizenId: Int
            var countryCode: String
            var since: Int
        }
        let schema = """
            CREATE TABLE citizenship (citizenId INTEGER, countryCode TEXT, since INTEGER,
                PRIMARY KEY (citizenId, countryCode)) WITHOUT ROWID
            """
        try inLoggedDatabase(schema) { db, log throws in
            try Citizenship(citizenId: 1, countryCode: "FR", since: 1990).upsert(db)
            #expect(
                log.take() == [
                    """
                    INSERT INTO "citizenship" ("citizenId", "countryCode", "since") VALUES (?,?,?) \
                    ON CONFLICT DO UPDATE SET "since" = "excluded"."since"
                    """
                ])
            try Citizenship(citizenId: 1, countryCode: "FR", since: 2000).upsert(db)
            let stored = try Citizenship(citizenId: 1, countryCode: "FR", since: 2010)
                .upsertAndFetch(db, onConflict: ["citizenId", "countryCode"])
            #expect(stored.since == 2010)
            #expect(try Citizenship.fetchAll(db) == [stored])
        }
    }

    @Test func upsertsRepeatWithoutLooksAtTheSchema() throws {
        try inLoggedDatabase(playerSchema) { db, log throws in
            var player = Player(id: nil, email: "a@b", name: "Arthur", score: 1)
            for _ in 0..<2 { _ = try player.upsertAndFetch(db, onConflict: ["email"]) }
            try player.upsert(db)
            _ = log.takeAll()
            _ = try player.upsertAndFetch(db, onConflict: ["email"])
            try player.upsert(db)
            #expect(log.takeAll().count == 2)
        }
    }
}
