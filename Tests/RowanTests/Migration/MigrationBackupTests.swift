// The copy of the database made before migrations.

import Foundation
import Rowan
import Testing

struct MigrationBackupTests {
    @Test(arguments: ConnectionKind.allCases) func backups(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        let path = folder.path("backup.sqlite")
        var migrator = libraryMigrator()
        migrator.backupPath = path
        try migrator.migrate(writer, upTo: "authors")
        try writer.write { try $0.execute(sql: "INSERT INTO author (name) VALUES ('A')") }
        try migrator.migrate(writer)
        func expectBackup() throws {
            let backup = try DatabaseQueue(path: path)
            #expect(try backup.read(migrator.appliedMigrations) == ["authors"])
            #expect(try backup.string("SELECT name FROM author") == "A")
            #expect(try backup.read { try $0.integrityCheck() } == [])
            try backup.close()
        }
        try expectBackup()
        // Nothing runs, so the copy is kept.
        try migrator.migrate(writer)
        try expectBackup()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("backup") } == [
                "backup.sqlite"
            ])
    }

    /// The journal of a previous copy is not applied to the new one.
    @Test func staleJournals() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        var migrator = libraryMigrator()
        migrator.backupPath = folder.path("backup.sqlite")
        try migrator.migrate(pool, upTo: "authors")
        // Simulates a crash of a program that has opened the copy.
        for suffix in ["-wal", "-shm", "-journal"] {
            try Data("stale".utf8).write(to: folder.url.appendingPathComponent("backup.sqlite\(suffix)"))
        }
        try pool.write { try $0.execute(sql: "INSERT INTO author (name) VALUES ('A')") }
        try migrator.migrate(pool)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("backup") }
                == ["backup.sqlite"])
        #expect(try DatabaseQueue(path: folder.path("backup.sqlite")).string("SELECT name FROM author") == "A")
    }

    @Test(arguments: [0o600, 0o640, 0o664]) func permissions(permissions: Int) throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: queue.path)
        var migrator = libraryMigrator()
        migrator.backupPath = folder.path("backup.sqlite")
        try migrator.migrate(queue)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("backup.sqlite"))
        #expect(attributes[.posixPermissions] as? Int == permissions)
    }

    /// Neither by another path nor by another name of the same file.
    @Test(arguments: ["./db.sqlite", "symbolic", "hard"]) func theDatabaseIsNoBackup(name: String) throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("symbolic"), withDestinationPath: queue.path)
        try FileManager.default.linkItem(atPath: queue.path, toPath: folder.path("hard"))
        var migrator = libraryMigrator()
        migrator.backupPath = folder.path(name)
        let error = expectError(.SQLITE_MISUSE) { [migrator] in try migrator.migrate(queue) }
        #expect(error?.message?.hasPrefix("the backup before migrations would replace the database itself") == true)
        try queue.read { db throws in #expect(try db.schemaObjects().isEmpty) }
    }

    /// A migration does not run if its backup fails.
    @Test func failedBackups() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue()
        var migrator = libraryMigrator()
        migrator.backupPath = folder.path("no/such/folder.sqlite")
        expectError(.SQLITE_CANTOPEN) { [migrator] in try migrator.migrate(queue) }
        try queue.read { db throws in #expect(try db.schemaObjects().isEmpty) }
        try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: true)
        try Data().write(to: folder.url.appendingPathComponent("folder/file"))
        migrator.backupPath = folder.path("folder")
        expectError(.SQLITE_CANTOPEN) { [migrator] in try migrator.migrate(queue) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["folder"])
        migrator.backupPath = nil
        try migrator.migrate(queue)
    }
}
