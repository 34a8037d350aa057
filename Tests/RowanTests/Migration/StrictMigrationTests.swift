// Migrations that were inserted before others, or edited.

import Rowan
import Testing

private let city = ("city", "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT)")
private let index = ("index", "CREATE INDEX city_name ON city(name)")
private let note = ("note", "CREATE TABLE note (text TEXT)")

private func migrator(_ migrations: [(String, String)], strict: Bool = true) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.strict = strict
    for (identifier, sql) in migrations { migrator.registerMigration(identifier) { try $0.execute(sql: sql) } }
    return migrator
}

struct StrictMigrationTests {
    @Test func insertedMigrations() throws {
        let queue = try DatabaseQueue()
        try migrator([city, index]).migrate(queue)
        let inserted = migrator([city, note, ("other", "SELECT 1"), index, ("last", "SELECT 1")])
        #expect(try queue.read(inserted.insertedMigrations) == ["note", "other"])
        let error = MigrationError.inserted(["note", "other"], before: "index")
        expectThrown(error) { try inserted.migrate(queue) }
        #expect(
            error.description == """
                migrations were inserted before "index", which has already run: note, other. A new database would run them \
                in another order: append them
                """)
        #expect(try queue.read(inserted.appliedMigrations) == ["city", "index"])

        var tolerant = inserted
        tolerant.strict = false
        try tolerant.migrate(queue)
        #expect(try queue.read(tolerant.hasCompletedMigrations) == true)
        #expect(try queue.read(tolerant.insertedMigrations) == [])
        // They have run, and a strict migrator has nothing to refuse.
        try inserted.migrate(queue)
    }

    /// The log belongs to the process, so this test has its own.
    @Test func insertedMigrationsAreLogged() async {
        await #expect(processExitsWith: .success) {
            let log = Log<String>()
            Database.logError = { code, message in log.append("\(code.rawValue): \(message)") }
            let queue = try DatabaseQueue()
            try migrator([city, index], strict: false).migrate(queue)
            let inserted = migrator([city, note, index], strict: false)
            for _ in 0..<2 { try inserted.migrate(queue) }
            let warning = "28: \(MigrationError.inserted(["note"], before: "index"))"
            // SQLite itself also logs.
            try #require(log.elements.filter { $0.hasPrefix("28:") } == [warning])
        }
    }

    @Test func aMigrationThatMergesOthersIsNotInserted() throws {
        let queue = try DatabaseQueue()
        try migrator([city, index, note]).migrate(queue)
        var merged = DatabaseMigrator()
        merged.strict = true
        merged.registerMigration("all", merging: ["city", "index"]) { _, applied in #expect(applied.count == 2) }
        merged.registerMigration("note") { try $0.execute(sql: note.1) }
        #expect(try queue.read(merged.insertedMigrations) == [])
        try merged.migrate(queue)
        #expect(try queue.read(merged.hasCompletedMigrations) == true)
    }

    @Test func editedMigrationsAreRefused() throws {
        let queue = try DatabaseQueue()
        try migrator([city, note, index]).migrate(queue)
        let edited = migrator([
            city, ("note", "CREATE TABLE note (text TEXT NOT NULL)"), index, ("last", "SELECT 1"),
        ])
        let error = #expect(throws: MigrationError.self) { try edited.migrate(queue) }
        #expect(
            error?.description == """
                the migrations that have run would create another schema today: table note: the column text has no NOT \
                NULL instead of NOT NULL. One of these was edited: note
                """)
        #expect(try queue.read(edited.hasCompletedMigrations) == false)
        // Other SQL for the same schema is no change.
        try migrator([city, ("note", "create table note(text text) -- notes"), index]).migrate(queue)
        // By default, nothing is compared.
        var tolerant = edited
        tolerant.strict = false
        try tolerant.migrate(queue)
        #expect(try queue.read(tolerant.hasCompletedMigrations) == true)
    }

    @Test func anEmptyDatabaseIsMigrated() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE other (x)") }
        let migrator = migrator([city, note])
        #expect(try queue.read(migrator.insertedMigrations) == [])
        try migrator.migrate(queue)
        #expect(try queue.read(migrator.hasCompletedMigrations) == true)
        // A table that no migration creates.
        let error = #expect(throws: MigrationError.self) { try migrator.migrate(queue) }
        #expect(
            error?.description
                == "the migrations that have run would create another schema today: table other is not expected")
    }

    @Test func upToATarget() throws {
        let queue = try DatabaseQueue()
        let migrator = migrator([city, note, index])
        try migrator.migrate(queue, upTo: "note")
        try migrator.migrate(queue)
        #expect(try queue.read(migrator.hasCompletedMigrations) == true)
    }
}
