// Migration tests: the snapshots of released versions.

import Foundation
import Rowan
import RowanTestKit
import Synchronization
import Testing

@Suite("Tests of migrations")
struct MigrationTestTests {
    /// The migrations of two versions; the second one optionally loses rows.
    private func migrator(losesRows: Bool = false) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(
            "1", sql: "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE old (a)")
        migrator.registerMigration("2") { db in
            try db.execute(sql: "ALTER TABLE city ADD COLUMN population INTEGER; DROP TABLE old")
            if losesRows { try db.execute(sql: "DELETE FROM city WHERE name = 'Ulm'") }
        }
        return migrator
    }

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("RowanTest-\(UUID().uuidString)")
        // The system deletes leftover temporary files.
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    /// The texts of the issues of a closure.
    private func issues(_ body: () throws -> Void) throws -> [String] {
        let found = Mutex<[String]>([])
        try withKnownIssue {
            try body()
        } matching: { issue in
            found.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
            return true
        }
        return found.withLock { $0 }
    }

    @Test("Snapshots of versions migrate, and lost rows are found")
    func versions() throws {
        try inFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            #expect(
                try issues { try MigrationTest(migrator(), folder: folder).run() } == [
                    "there is no snapshot in \(folder.path): write one with record(version:) before a version is released"
                ])
            let released = MigrationTest(migrator(), folder: folder)
            try released.record(version: "1.0", upTo: "1") { db in
                try db.execute(sql: "INSERT INTO city (name) VALUES ('Ulm'), ('Bonn'); INSERT INTO old VALUES (1)")
            }
            try released.record(version: "2.0") { db in try db.execute(sql: "INSERT INTO city (name) VALUES ('Köln')") }
            try released.run()
            let error = #expect(throws: MigrationTest.ExistingVersionError.self) {
                try released.record(version: "1.0") { _ in }
            }
            #expect(error?.description.hasPrefix("\(folder.path)/1.0.sql exists, and ") == true)
            #expect(
                try issues { try MigrationTest(migrator(losesRows: true), folder: folder).run() } == [
                    "1.0.sql: the table city had 2 rows, and has 1"
                ])
        }
    }

    @Test("An edited migration is detected by the schema of versions that have run it")
    func editedMigration() throws {
        try inFolder { folder in
            try MigrationTest(migrator(), folder: folder).record(version: "1.0", upTo: "1") { _ in }
            var edited = DatabaseMigrator()
            edited.registerMigration("1", sql: "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            let found = try issues { try MigrationTest(edited, folder: folder).run() }
            #expect(found.count == 1 && found[0].hasPrefix("1.0.sql: it can't be migrated: "))
            #expect(found[0].contains("edited: 1. Restore it"))
            var inSwift = DatabaseMigrator()
            inSwift.registerMigration("1") { db in
                try db.execute(sql: "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            }
            #expect(
                try issues { try MigrationTest(inSwift, folder: folder).run() } == [
                    "1.0.sql: table city: the column name has no NOT NULL instead of NOT NULL",
                    "1.0.sql: table old is not expected",
                ])
        }
    }
}
