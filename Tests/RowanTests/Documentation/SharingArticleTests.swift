// The code of the article "Sharing a database".

import Foundation
import Rowan
import Testing

/// The lines printed by the article.
private let printed = Log<String>()

private func print(_ text: Any) { printed.append("\(text)") }

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
}

// Never called: a suspension would reach the connections of other tests.
private func applicationDidEnterBackground() {
    NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
}

private func applicationWillEnterForeground() {
    NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
}

@Suite(.timeLimit(.minutes(5)))
struct SharingArticleConcurrencyTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("article.sqlite")
    }

    private var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("Create players") { db in
            try db.create(table: "player") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text).notNull()
            }
        }
        return migrator
    }

    @Test func article() async throws {
        var config = Configuration()
        config.busyMode = .timeout(5)
        config.observesOtherProcesses = true
        let pool = try DatabasePool(path: path, configuration: config)
        try migrate(pool)
        try write(pool)
        try await observe(pool)
        try readOnly()
        try checkpoint(pool)
        var appConfig = Configuration()
        appConfig.observesSuspensionNotifications = true
        #expect(appConfig.observesSuspensionNotifications)
        try pool.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        try Article("SharingADatabase").check(ran: [])
    }

    private func migrate(_ pool: DatabasePool) throws {
        try migrator.migrate(pool)
        let isTooNew = try pool.read { db in try migrator.hasBeenSuperseded(db) }
        #expect(!isTooNew)
    }

    private func write(_ pool: DatabasePool) throws {
        do {
            try pool.write { db in try Player(id: 1, name: "Arthur").insert(db) }
        } catch DatabaseError.SQLITE_BUSY {
            print("another process has been writing for five seconds")
        }
        try pool.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                let count = try Player.fetchCount(db)
                try Player(id: 2, name: "Player \(count + 1)").insert(db)
                return .commit
            }
        }
        #expect(try pool.read { db in try Player.fetchAll(db).map(\.name) } == ["Arthur", "Player 2"])
    }

    private func observe(_ pool: DatabasePool) async throws {
        let observer = Task {
            let observation = ValueObservation.tracking(Player.fetchCount)
            for try await count in observation.values(in: pool) {
                print("\(count) players")
                if count == 3 { break }
            }
        }
        await eventually { !printed.elements.isEmpty }
        let other = try DatabaseQueue(path: path)
        try await other.write { db in try Player(id: 3, name: "Craig").insert(db) }
        try other.close()
        try await observer.value
        #expect(printed.elements == ["2 players", "3 players"])
    }

    private func readOnly() throws {
        var readOnlyConfig = Configuration()
        readOnlyConfig.readonly = true
        let reader = try DatabaseQueue(path: path, configuration: readOnlyConfig)
        #expect(try reader.read(Player.fetchCount) == 3)
        expectError(.SQLITE_READONLY) { try reader.write { db in _ = try Player.deleteAll(db) } }
        try reader.close()
    }

    private func checkpoint(_ pool: DatabasePool) throws {
        let frames = try pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
        #expect(frames == (0, 0))
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int == 0)
        func synchronous(_ pool: DatabasePool) throws -> Int? {
            try pool.writeWithoutTransaction { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") }
        }
        #expect(try synchronous(pool) == 1)
        var durableConfig = Configuration()
        durableConfig.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        #expect(try synchronous(DatabasePool(path: path, configuration: durableConfig)) == 2)
        var queueConfig = Configuration()
        queueConfig.journalMode = .wal
        queueConfig.prepareDatabase { db in try db.execute(sql: "PRAGMA SYNCHRONOUS = OFF") }
        let queue = try DatabaseQueue(path: path, configuration: queueConfig)
        #expect(try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") } == 0)
        // A pragma that only queries the mode doesn't set it.
        var askingConfig = Configuration()
        askingConfig.prepareDatabase { db in _ = try Int.fetchOne(db, sql: "PRAGMA synchronous") }
        #expect(try synchronous(DatabasePool(path: path, configuration: askingConfig)) == 1)
    }

    /// A write whose wait fails has no effect: its closure does not run.
    @Test func aWriteThrowsBeforeItRuns() throws {
        let pool = try DatabasePool(path: path)
        try migrator.migrate(pool)
        let other = try DatabaseQueue(path: path)
        try other.write { _ throws in
            expectError(.SQLITE_BUSY) { try pool.write { _ in Issue.record("the closure runs without the lock") } }
            #expect(try pool.read(Player.fetchCount) == 0)
        }
    }

    /// A timeout of a minute, which would exceed the test's time limit, has no effect.
    @Test func aDeferredTransactionThatHasReadDoesNotWait() throws {
        var config = Configuration()
        config.busyMode = .timeout(60)
        let pool = try DatabasePool(path: path, configuration: config)
        try migrator.migrate(pool)
        let other = try DatabaseQueue(path: path)
        let player = Player(id: 1, name: "Arthur")
        func readThenWrite(_ db: Database, _ write: () throws -> Void) throws {
            try db.inTransaction(.deferred) {
                #expect(try Player.filter(key: 1).fetchCount(db) == 0)
                try write()
                return .commit
            }
        }
        try pool.writeWithoutTransaction { db in
            expectError(.SQLITE_BUSY) {
                try readThenWrite(db) { try other.write { _ in try player.insert(db) } }
            }
            expectError(.SQLITE_BUSY_SNAPSHOT) {
                try readThenWrite(db) {
                    try other.write { try Player(id: 2, name: "Barbara").insert($0) }
                    try player.insert(db)
                }
            }
            try db.inTransaction(.immediate) {
                try player.insert(db)
                return .commit
            }
        }
        #expect(try pool.read(Player.fetchCount) == 2)
    }

    /// Without other processes, the files of the WAL are created by the read-only connection.
    @Test func aProcessThatReadsCreatesTheFilesItNeeds() throws {
        let pool = try DatabasePool(path: path)
        try migrator.migrate(pool)
        try pool.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["article.sqlite"])
        try readOnlyCount()
    }

    private func readOnlyCount() throws {
        var config = Configuration()
        config.readonly = true
        let reader = try DatabaseQueue(path: path, configuration: config)
        #expect(try reader.read(Player.fetchCount) == 0)
        try reader.close()
    }

    /// Each process migrates, but only one of them runs the migrations.
    @Test func severalConnectionsMigrate() throws {
        let pools = try (0..<3).map { _ in try DatabasePool(path: path) }
        for pool in pools { try migrator.migrate(pool) }
        for pool in pools { #expect(try pool.read(migrator.appliedMigrations) == ["Create players"]) }
    }
}
