// A struct may change itself before its update; a closure that fetches the updated row must run the statement.

import Rowan
import Testing

@Suite struct WillUpdateTests {
    private struct Player: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        var version = 0

        mutating func willUpdate(_ db: Database, columns: Set<String>) throws { version += 1 }
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    private func withPlayer(_ body: (Database, Player) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("version", .integer).notNull()
            }
            try body(db, Player(name: "Arthur").inserted(db))
        }
    }

    @Test func whatAStructChangesBeforeItsUpdateIsStored() throws {
        try withPlayer { db, player in
            try player.update(db)
            let stored = try Player.find(db, key: 1)
            #expect(stored.version == 1)
            #expect(player.version == 0)
            let fetched = try stored.updateAndFetch(db)
            #expect(fetched.version == 2)
        }
    }

    @Test func columnsThatAreNotUpdatedAreNotStored() throws {
        try withPlayer { db, player in
            try player.update(db, columns: ["name"])
            let stored = try Player.find(db, key: 1)
            #expect(stored.version == 0)
        }
    }

    @Test func anInsertionWhoseClosureDoesNotRunItIsAnError() throws {
        try withPlayer { db, _ in
            var other = Player(name: "Barbara")
            let error = #expect(throws: DatabaseError.self) {
                try other.insertAndFetch(db, selection: [Column("id")]) { _ in 0 }
            }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(other.id == nil)
            let count = try Player.fetchCount(db)
            #expect(count == 1)
        }
    }

    @Test func anUpdateWhoseClosureDoesNotRunItIsAnError() throws {
        try withPlayer { db, player in
            let error = #expect(throws: DatabaseError.self) {
                try player.updateAndFetch(db, selection: [Column("id")]) { _ in 0 }
            }
            #expect(error?.resultCode == .SQLITE_MISUSE)
        }
    }

    @Test func aBackupOfNoPagesAStepIsAnError() throws {
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseQueue().backup(to: DatabaseQueue(), pagesPerStep: 0)
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }
}
