import Rowan
import Testing

private func separate(_ identifiers: [String]) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for identifier in identifiers {
        migrator.registerMigration(identifier) { try $0.execute(sql: "CREATE TABLE \(identifier) (x)") }
    }
    return migrator
}

private func merged(_ log: Log<Set<String>>, erases: Bool = false) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = erases
    migrator.registerMigration("v3", merging: ["v1", "v2"]) { db, applied in
        log.append(applied)
        for name in ["v1", "v2", "v3"] where !applied.contains(name) {
            try db.execute(sql: "CREATE TABLE \(name) (x)")
        }
    }
    migrator.registerMigration("v4") { try $0.execute(sql: "CREATE TABLE v4 (x)") }
    return migrator
}

struct MergedMigrationTests {
    @Test(arguments: [[], ["v1"], ["v1", "v2"], ["v2"]])
    func mergedMigrations(applied: [String]) throws {
        let queue = try DatabaseQueue()
        try separate(applied).migrate(queue)
        let log = Log<Set<String>>()
        let migrator = merged(log)
        #expect(try queue.read(migrator.hasBeenSuperseded) == false)
        #expect(try queue.read(migrator.hasSchemaChanges) == false)
        #expect(log.elements == [])
        try migrator.migrate(queue)
        try migrator.migrate(queue)
        #expect(log.elements == [Set(applied)])
        try queue.read { db throws in
            #expect(try db.tables().map(\.name).sorted() == ["grdb_migrations", "v1", "v2", "v3", "v4"])
            #expect(try migrator.appliedIdentifiers(db) == ["v3", "v4"])
            #expect(try migrator.appliedMigrations(db) == ["v3", "v4"])
            #expect(try migrator.hasCompletedMigrations(db))
            #expect(try !migrator.hasSchemaChanges(db))
        }
    }

    /// The merging migration has the name of a migration that has already run, registered after those that it merges.
    @Test func theMergingMigrationHasRun() throws {
        let queue = try DatabaseQueue()
        try separate(["v1", "v2", "v3"]).migrate(queue)
        let log = Log<Set<String>>()
        let migrator = merged(log)
        try migrator.migrate(queue)
        #expect(log.elements == [])
        try queue.read { db throws in
            #expect(try migrator.appliedIdentifiers(db) == ["v3", "v4"])
            #expect(try !migrator.hasBeenSuperseded(db))
            #expect(try !migrator.hasSchemaChanges(db))
        }
    }

    /// A pending merge doesn't cause the database to be erased.
    @Test func mergesEraseNothing() throws {
        let queue = try DatabaseQueue()
        try separate(["v1"]).migrate(queue)
        try queue.write { try $0.execute(sql: "INSERT INTO v1 VALUES (7)") }
        let log = Log<Set<String>>()
        try merged(log, erases: true).migrate(queue)
        try merged(log, erases: true).migrate(queue)
        #expect(try queue.int("SELECT x FROM v1") == 7)
    }

    @Test func aMergeThatFailsKeepsTheMergedOnes() throws {
        let queue = try DatabaseQueue()
        try separate(["v1"]).migrate(queue)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v2", merging: ["v1"]) { _, _ in throw MigrationFailure() }
        expectThrown(MigrationFailure()) { [migrator] in try migrator.migrate(queue) }
        #expect(try queue.read(migrator.appliedIdentifiers) == ["v1"])
    }
}
