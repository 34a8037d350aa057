// The environment of migrations: they use no schema source, and are retried in a file.

import Foundation
import Rowan
import Testing

@Suite
struct MigrationSurroundingsTests {
    private struct KeyOfView: DatabaseSchemaSource {
        func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { ["id"] }
    }

    @Test func migrationsHaveNoSchemaSource() throws {
        var configuration = Configuration()
        configuration.schemaSource = KeyOfView()
        let queue = try DatabaseQueue(configuration: configuration)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY); CREATE VIEW v AS SELECT * FROM t")
            #expect(throws: DatabaseError.self) { try db.primaryKey("v") }
        }
        try migrator.migrate(queue)
        try queue.read { db in try #expect(db.primaryKey("v").columns == ["id"]) }
        #expect(try !queue.read(migrator.hasSchemaChanges))
    }

    @Test func theSchemaIsRepeatedInAFile() throws {
        var migrator = DatabaseMigrator()
        migrator.eraseDatabaseOnSchemaChange = true
        let files = Mutex<[String]>([])
        migrator.registerMigration("1") { db in
            let file = try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'") ?? ""
            files.withLock { $0.append(file) }
            try db.execute(sql: "CREATE TABLE t(x)")
        }
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        migrator.registerMigration("2") { try $0.execute(sql: "CREATE TABLE u(x)") }
        try migrator.migrate(queue)
        let repeated = try #require(files.withLock { $0 }.last)
        #expect(repeated.hasSuffix("/schema.sqlite"))
        #expect(!FileManager.default.fileExists(atPath: repeated))
    }
}
