// The code of the tutorial on persistence: both protocols, insertions, updates, saves, deletions, upserts.

import Foundation
import Rowan
import Testing

private struct Player: MutablePersistableRecord, FetchableRecord, Identifiable, Equatable {
    static let databaseTableName = "player"

    var id: Int64?
    var name: String
    var score: Int

    init(id: Int64?, name: String, score: Int) {
        self.id = id
        self.name = name
        self.score = score
    }

    init(row: Row) {
        self.init(id: row["id"], name: row["name"], score: row["score"])
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["score"] = score
    }

    // Mutating callback to capture the auto-incremented id
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

private enum Classes {
    class Player: PersistableRecord {
        class var databaseTableName: String { "player" }

        var id: Int64?
        var name: String
        var score: Int

        init(id: Int64?, name: String, score: Int) {
            self.id = id
            self.name = name
            self.score = score
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
            container["score"] = score
        }

        // Non-mutating callback
        func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }
}

private struct PartialPlayer: MutablePersistableRecord {
    static let databaseTableName = "player"
    var name: String

    func encode(to container: inout PersistenceContainer) {
        container["name"] = name
    }
}

private struct FullPlayer: Decodable, FetchableRecord, TableRecord {
    static let databaseTableName = "player"
    var id: Int64
    var name: String
    var score: Int  // Has a default value in the database
    var createdAt: Date  // Has a default value too
}

private enum Upserting {
    struct Player: MutablePersistableRecord {
        static let databaseTableName = "player"
        var email: String  // Unique constraint
        var name: String
        var score: Int

        func encode(to container: inout PersistenceContainer) {
            container["email"] = email
            container["name"] = name
            container["score"] = score
        }
    }
}

private enum Automatic {
    struct Player: Encodable {
        var id: Int64?
        var name: String
        var score: Int
    }
}

// Just add the protocols - no encode(to:) needed!
extension Automatic.Player: MutablePersistableRecord {
    static let databaseTableName = "player"

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

private let schema = """
    CREATE TABLE player (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, score INTEGER NOT NULL DEFAULT 7,
        email TEXT UNIQUE, createdAt DATETIME DEFAULT CURRENT_TIMESTAMP)
    """

struct DocumentedTutorialTests {
    @Test func mutablePersistableRecord() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            #expect(player.id == 1)  // The auto-incremented id
        }
    }

    @Test func persistableRecord() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let player = Classes.Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            #expect(player.id == 1)  // The auto-incremented id
        }
    }

    @Test func automaticConformance() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Automatic.Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            #expect(player.id == 1)
            #expect(try Int.fetchOne(db, sql: "SELECT score FROM player") == 100)
        }
    }

    @Test func insertionWithConflictResolution() throws {
        try inLoggedDatabase(schema) { db, log throws in
            var player = Player(id: nil, name: "Arthur", score: 100)
            // Ignore conflicts
            try player.insert(db, onConflict: .ignore)
            // Replace existing row
            try player.insert(db, onConflict: .replace)
            // Abort on conflict (default)
            #expect(databaseError { try player.insert(db, onConflict: .abort) }?.resultCode == .SQLITE_CONSTRAINT)
            let columns = #"INTO "player" ("id", "name", "score") VALUES (?,?,?)"#
            #expect(log.take() == ["INSERT OR IGNORE \(columns)", "INSERT OR REPLACE \(columns)", "INSERT \(columns)"])
        }
    }

    @Test func insertAndReturn() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let player = Player(id: nil, name: "Arthur", score: 100)
            let insertedPlayer = try player.inserted(db)
            #expect(insertedPlayer.id == 1)  // insertedPlayer has the auto-incremented id
        }
    }

    @Test func insertAndFetch() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var partial = PartialPlayer(name: "Arthur")
            let full = try partial.insertAndFetch(db, as: FullPlayer.self)
            #expect(full.score == 7)  // The default value from the database
            #expect(full.createdAt > Date(timeIntervalSince1970: 1_600_000_000))  // The generated timestamp
        }
    }

    private func withPlayer(_ body: (Database, SQLLog) throws -> Void) throws {
        try inLoggedDatabase(schema) { db, log in
            var player = Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            _ = log.take()
            try body(db, log)
        }
    }

    @Test func updates() throws {
        try withPlayer { db, log throws in
            var player = try Player.find(db, id: 1)
            player.score = 200
            try player.update(db)
            player.score = 200
            player.name = "Arthur II"
            // Update only the score column
            try player.update(db, columns: ["score"])
            // Or use Column expressions
            try player.update(db, columns: [Column("score")])
            #expect(try Player.fetchOne(db, id: 1)?.name == "Arthur")
            let updated = try player.updateAndFetch(db)
            #expect(updated.score == 200)  // Includes any database-side changes
            #expect(updated.name == "Arthur II")
        }
    }

    @Test func updateChangesOnly() throws {
        try withPlayer { db, log throws in
            let oldPlayer = try Player.find(db, id: 1)
            var newPlayer = oldPlayer
            newPlayer.score = 200
            newPlayer.name = "Arthur II"
            #expect(try newPlayer.updateChanges(db, from: oldPlayer))
            var player = newPlayer
            let modified = try player.updateChanges(db) { record in
                record.score += 10
                record.name = record.name.uppercased()
            }
            #expect(modified)
            #expect(try Player.fetchOne(db, id: 1) == Player(id: 1, name: "ARTHUR II", score: 210))
        }
    }

    @Test func saves() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Player(id: nil, name: "Arthur", score: 100)
            // First call inserts
            try player.save(db)
            #expect(player.id == 1)  // Some id
            // Subsequent calls update
            player.score = 200
            try player.save(db)
            #expect(try Player.fetchAll(db) == [player])
            #expect(try Player(id: nil, name: "Barbara", score: 100).saved(db).id == 2)
            #expect(try Player(id: nil, name: "Craig", score: 100).saveAndFetch(db).id == 3)
        }
    }

    @Test func deletionAndExistence() throws {
        try withPlayer { db, _ throws in
            let player = try Player.find(db, id: 1)
            #expect(try player.exists(db))
            #expect(try !Player(id: 42, name: "Arthur", score: 100).exists(db))
            let deleted = try player.delete(db)
            #expect(deleted)
            #expect(try !player.delete(db))
        }
    }

    @Test func upserts() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Upserting.Player(email: "arthur@example.com", name: "Arthur", score: 100)
            // Insert or update based on email uniqueness
            try player.upsert(db)
            player.score = 200
            try player.upsert(db)
            #expect(try Int.fetchAll(db, sql: "SELECT score FROM player") == [200])
        }
    }

    @Test func conflictPolicyOfTheType() throws {
        struct Player: Codable, FetchableRecord, MutablePersistableRecord {
            static var persistenceConflictPolicy: PersistenceConflictPolicy {
                PersistenceConflictPolicy(
                    insert: .replace,  // Replace on insert conflict
                    update: .abort  // Abort on update conflict
                )
            }
            var name: String
            var score: Int
        }
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Player(name: "Arthur", score: 1)
            // Uses .replace for insertion
            try player.insert(db)
            try player.insert(db)
            // Override with explicit conflict resolution
            player.score = 2
            try player.insert(db, onConflict: .ignore)
            #expect(try Player.fetchAll(db).map(\.score) == [1])
        }
    }

    @Test func fullExample() throws {
        struct Player: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
            static let databaseTableName = "player"
            var id: Int64?
            var name: String
            var score: Int
            var createdAt: Date?

            mutating func willInsert(_ db: Database) throws {
                createdAt = Date()
            }

            mutating func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }
        }
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            // Create table
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        name TEXT NOT NULL,
                        score INTEGER NOT NULL,
                        createdAt DATETIME
                    )
                    """)

            // Insert
            var player = Player(id: nil, name: "Arthur", score: 100, createdAt: nil)
            try player.insert(db)
            #expect(player.id == 1)
            #expect(player.createdAt != nil)

            // Update
            player.score = 200
            try player.update(db)

            // Fetch
            let fetched = try Player.fetchOne(db, id: player.id)
            #expect(fetched?.name == "Arthur")
            #expect(fetched?.score == 200)
            #expect(fetched?.createdAt != nil)

            // Delete
            #expect(try player.delete(db))
        }
    }
}
