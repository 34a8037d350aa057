import Rowan
import Testing

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT NOT NULL);
    INSERT INTO player VALUES (1, 'a@x', 'Arthur'), (2, 'b@x', 'Barbara')
    """

private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var email: String
    var name: String? = "?"
}

private struct Replacing: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "player"
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
    var id: Int64?
    var email: String
    var name: String? = "?"
}

private struct Ignoring: Codable, Equatable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .ignore)
    var id: Int64?
    var email: String
    var name: String? = "?"
}

struct ConflictTests {
    @Test func thePolicyOfTheTypeIsInTheSQL() throws {
        try inLoggedDatabase(schema) { db, log throws in
            var player = Replacing(id: nil, email: "a@x")
            try player.insert(db)
            player.id = 2
            try player.update(db)
            try player.save(db)
            try Ignoring(id: nil, email: "a@x").insert(db)
            try Ignoring(id: 2, email: "c@x").update(db)
            #expect(
                log.take() == [
                    #"INSERT OR REPLACE INTO "player" ("id", "email", "name") VALUES (?,?,?)"#,
                    #"UPDATE OR REPLACE "player" SET "email"=?, "name"=? WHERE "id"=?"#,
                    #"UPDATE OR REPLACE "player" SET "email"=?, "name"=? WHERE "id"=?"#,
                    #"INSERT OR IGNORE INTO "player" ("id", "email", "name") VALUES (?,?,?)"#,
                    #"UPDATE "player" SET "email"=?, "name"=? WHERE "id"=?"#,
                ])
            #expect(try Player.fetchAll(db) == [Player(id: 2, email: "c@x")])
        }
    }

    @Test func theResolutionOfTheCallWins() throws {
        let resolutions: [(Database.ConflictResolution, String)] = [
            (.abort, ""), (.rollback, "OR ROLLBACK "), (.fail, "OR FAIL "), (.ignore, "OR IGNORE "),
            (.replace, "OR REPLACE "),
        ]
        try inLoggedDatabase(schema) { db, log throws in
            for (resolution, words) in resolutions {
                var player = Replacing(id: nil, email: "\(resolution)")
                try player.insert(db, onConflict: resolution)
                player.id = db.lastInsertedRowID
                try player.update(db, onConflict: resolution)
                try player.update(db, onConflict: resolution, columns: ["name"])
                #expect(
                    log.take() == [
                        #"INSERT \#(words)INTO "player" ("id", "email", "name") VALUES (?,?,?)"#,
                        #"UPDATE \#(words)"player" SET "email"=?, "name"=? WHERE "id"=?"#,
                        #"UPDATE \#(words)"player" SET "name"=? WHERE "id"=?"#,
                    ])
                try Replacing.deleteAll(db)
                try db.execute(sql: "INSERT INTO player VALUES (1, 'a@x', 'Arthur')")
                _ = log.take()
            }
        }
    }

    @Test func abortFails() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Player(id: nil, email: "a@x")
            let error = databaseError { try player.insert(db) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(error?.message == "UNIQUE constraint failed: player.email")
            player.id = 2
            #expect(databaseError { try player.update(db) }?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(databaseError { try player.save(db) }?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        }
    }

    @Test func aFailedIgnoreIsNoticedByInsertAndFetch() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let player = Player(id: nil, email: "a@x")
            #expect(missingKey { try player.insertAndFetch(db, onConflict: .ignore) } == ["id": .null])
            var mutable = player
            #expect(missingKey { try mutable.insertAndFetch(db, onConflict: .ignore, as: Player.self) } != nil)
            #expect(missingKey { try Ignoring(id: nil, email: "b@x").insertAndFetch(db) } == ["id": .null])
            #expect(missingKey { try Ignoring(id: 7, email: "b@x").saveAndFetch(db) } == ["id": 7.databaseValue])
            #expect(try Player.fetchCount(db) == 2)
            #expect(try Player(id: nil, email: "c@x").insertAndFetch(db, onConflict: .ignore).id == 3)
        }
    }

    @Test func aFailedIgnoreCallsNoDidCallback() throws {
        struct Noticing: Codable, FetchableRecord, MutablePersistableRecord {
            static let databaseTableName = "player"
            var id: Int64?
            var email: String
            var name: String? = "?"
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Noticing(id: nil, email: "a@x")
            #expect(throws: RecordError.self) {
                _ = try player.insertAndFetch(db, onConflict: .ignore, as: Noticing.self)
            }
            #expect(player.id == nil)
        }
    }

    @Test func anIgnoredUpdateFindsNoRow() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let player = Player(id: 2, email: "a@x")
            #expect(missingKey { try player.update(db, onConflict: .ignore) } == ["id": 2.databaseValue])
            #expect(missingKey { try player.updateAndFetch(db, onConflict: .ignore) } == ["id": 2.databaseValue])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM player") == ["Arthur", "Barbara"])
        }
    }

    @Test func replaceReplaces() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Player(id: nil, email: "a@x", name: "New")
            let stored = try player.insertAndFetch(db, onConflict: .replace, as: Player.self)
            #expect(stored == Player(id: 3, email: "a@x", name: "New"))
            #expect(try Player.fetchCount(db) == 2)
        }
    }

    @Test func rollbackEndsTheTransaction() throws {
        let (queue, _) = try loggedQueue(schema)
        let error = databaseError {
            try queue.write { db in
                try db.execute(sql: "DELETE FROM player WHERE id = 2")
                var player = Player(id: nil, email: "a@x")
                try player.insert(db, onConflict: .rollback)
            }
        }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
        let count = try queue.read { db in try Player.fetchCount(db) }
        #expect(count == 2)
    }

    @Test func thePolicyOfTheTableApplies() throws {
        try inLoggedDatabase { db, _ throws in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("email", .text).unique(onConflict: .replace)
                t.column("name", .text)
            }
            for name in ["Arthur", "Barbara"] {
                var player = Player(id: nil, email: "a@x", name: name)
                try player.insert(db)
            }
            #expect(try Player.fetchAll(db) == [Player(id: 2, email: "a@x", name: "Barbara")])
        }
    }
}
