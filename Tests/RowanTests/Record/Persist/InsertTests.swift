import Rowan
import Testing

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, score INTEGER NOT NULL DEFAULT 1000)
    """

private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score: Int

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let score = Column(CodingKeys.score)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct PartialPlayer: Encodable, PersistableRecord {
    static let databaseTableName = "player"
    var name: String
    typealias Columns = Player.Columns
}

private struct MutablePartialPlayer: Encodable, MutablePersistableRecord {
    static let databaseTableName = "player"
    var rowID: Int64?
    var name: String
    enum CodingKeys: String, CodingKey { case name }
    typealias Columns = Player.Columns
    mutating func didInsert(_ inserted: InsertionSuccess) { rowID = inserted.rowID }
}

struct InsertTests {
    @Test func insertWritesAllColumns() throws {
        try inLoggedDatabase(schema) { db, log throws in
            var player = Player(id: nil, name: "Arthur", score: 10)
            try player.insert(db)
            #expect(player.id == 1)
            #expect(
                log.takeExpanded() == [
                    #"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',10)"#
                ])
            var other = Player(id: 12, name: "Barbara", score: 20)
            try other.insert(db)
            #expect(other.id == 12)
            #expect(try Player.fetchAll(db) == [player, other])
        }
    }

    @Test func insertedLeavesTheRecordAsItIs() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let player = Player(id: nil, name: "Arthur", score: 10)
            let inserted = try player.inserted(db)
            #expect(player.id == nil)
            #expect(inserted == Player(id: 1, name: "Arthur", score: 10))
            #expect(try Player.fetchOne(db) == inserted)
        }
    }

    @Test func insertAndFetchReturnsTheStoredRecord() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let stored = try Player(id: nil, name: "Arthur", score: 10).insertAndFetch(db)
            #expect(stored == Player(id: 1, name: "Arthur", score: 10))
            #expect(log.take() == [#"INSERT INTO "player" ("id", "name", "score") VALUES (?,?,?) RETURNING *"#])
        }
    }

    @Test func insertAndFetchAsAnotherType() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let player = try PartialPlayer(name: "Alice").insertAndFetch(db, as: Player.self)
            #expect(player == Player(id: 1, name: "Alice", score: 1000))
            #expect(log.takeExpanded() == [#"INSERT INTO "player" ("name") VALUES ('Alice') RETURNING *"#])

            var partial = MutablePartialPlayer(name: "Barbara")
            let other = try partial.insertAndFetch(db, as: Player.self)
            #expect(other == Player(id: 2, name: "Barbara", score: 1000))
            #expect(partial.rowID == 2)
        }
    }

    @Test func insertAndFetchASelection() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let partial = PartialPlayer(name: "Alice")
            let score = try partial.insertAndFetch(db, selection: [Column("score")]) { statement in
                try Int.fetchOne(statement)
            }
            #expect(score == 1000)
            let again = try partial.insertAndFetch(db) { statement in
                try Int.fetchOne(statement)
            } select: {
                [$0.score]
            }
            #expect(again == 1000)
            let sql = #"INSERT INTO "player" ("name") VALUES (?) RETURNING "score""#
            #expect(log.take() == [sql, sql])

            var mutable = MutablePartialPlayer(name: "Barbara")
            let row = try mutable.insertAndFetch(db) { statement in
                try Row.fetchOne(statement)
            } select: {
                [$0.id, ($0.score + 1).forKey("next")]
            }
            #expect(row == ["id": 3, "next": 1001])
            #expect(mutable.rowID == 3)
            #expect(log.take() == [#"INSERT INTO "player" ("name") VALUES (?) RETURNING "id", "score" + ? AS "next""#])
        }
    }

    @Test func aClosureThatThrowsThrows() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            #expect(throws: CallbackFailure("fetch")) {
                try PartialPlayer(name: "Alice").insertAndFetch(db, selection: [Column("id")]) { _ in
                    throw CallbackFailure("fetch")
                }
            }
            // The statement can be reused.
            let player = try PartialPlayer(name: "Bob").insertAndFetch(db, as: Player.self)
            #expect(player.name == "Bob")
        }
    }

    @Test func aRecordWithoutColumnInsertsDefaults() throws {
        struct Nobody: PersistableRecord {
            static let databaseTableName = "counter"
            func encode(to container: inout PersistenceContainer) {}
        }
        try inLoggedDatabase("CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER DEFAULT 3)") { db, log throws in
            try Nobody().insert(db)
            #expect(log.take() == [#"INSERT INTO "counter" DEFAULT VALUES"#])
            #expect(try Int.fetchOne(db, sql: "SELECT n FROM counter") == 3)
        }
    }

    @Test func errorsCarryTheStatementAndItsArguments() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Player(id: 1, name: "Arthur", score: 10)
            try player.insert(db)
            let error = databaseError { try player.insert(db) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY)
            #expect(error?.message == "UNIQUE constraint failed: player.id")
            #expect(error?.sql == #"INSERT INTO "player" ("id", "name", "score") VALUES (?,?,?)"#)
            #expect(error?.arguments == [1, "Arthur", 10])
            #expect(error?.description.contains("Arthur") == false)
        }
    }

    @Test func aMissingTableIsAnError() throws {
        try inLoggedDatabase { db, _ throws in
            var player = Player(id: nil, name: "Arthur", score: 10)
            let error = databaseError { try player.insert(db) }
            #expect(error?.resultCode == .SQLITE_ERROR)
            #expect(error?.message == "no such table: player")
        }
    }

    @Test func aColumnThatTheTableDoesNotHaveIsAnError() throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)") { db, _ throws in
            var player = Player(id: nil, name: "Arthur", score: 10)
            let error = databaseError { try player.insert(db) }
            #expect(error?.message == "table player has no column named score")
        }
    }

    @Test func triggersDoNotConfuseTheRowID() throws {
        let audit = """
            ; CREATE TABLE audit (id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO audit (id) VALUES (500);
            CREATE TRIGGER afterInsert AFTER INSERT ON player BEGIN
                INSERT INTO audit (name) VALUES (new.name);
            END;
            CREATE TRIGGER beforeInsert BEFORE INSERT ON player BEGIN
                INSERT INTO audit (name) VALUES (new.name);
            END
            """
        try inLoggedDatabase(schema + audit) { db, _ throws in
            var player = Player(id: nil, name: "Arthur", score: 10)
            try player.insert(db)
            #expect(player.id == 1)
            #expect(try Player(id: nil, name: "Barbara", score: 1).insertAndFetch(db).id == 2)
            var craig = Player(id: nil, name: "Craig", score: 1)
            try craig.upsert(db)
            #expect(craig.id == 3)
            var again = craig
            again.name = "Craig II"
            try again.upsert(db)
            #expect(again.id == 3)
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM audit") == 8)
        }
    }

    @Test func sameTypeInTwoConnections() throws {
        let (first, _) = try loggedQueue(schema)
        let (second, _) = try loggedQueue("CREATE TABLE player (score INTEGER, name TEXT, id INTEGER PRIMARY KEY)")
        for name in ["Arthur", "Barbara"] {
            for queue in [first, second] {
                try queue.write { db in
                    var player = Player(id: nil, name: name, score: 10)
                    try player.insert(db)
                    player.score += 1
                    try player.update(db)
                }
            }
        }
        for queue in [first, second] {
            let players = try queue.read { db in try Player.fetchAll(db) }
            #expect(players == [Player(id: 1, name: "Arthur", score: 11), Player(id: 2, name: "Barbara", score: 11)])
        }
    }
}
