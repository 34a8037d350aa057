// Names, and the files that appear and disappear.

import Foundation
import Rowan
import Testing

@testable import RowanTenants

@Suite struct FileTests {
    @Test(arguments: [
        ("acme", "acme"), ("a-b_9", "a-b_9"), ("Acme", "=41cme"), ("..", "=2E=2E"), ("../x", "=2E=2E=2Fx"),
        ("/etc/passwd", "=2Fetc=2Fpasswd"), ("ä", "=C3=A4"), ("a\u{308}", "a=CC=88"), (" ", "=20"), ("a\0b", "a=00b"),
        ("100%", "100=25"), (".lock", "=2Elock"), ("file:x?mode=ro", "file=3Ax=3Fmode=3Dro"),
    ])
    func names(_ tenant: String, _ file: String) async throws {
        #expect(try TenantName(tenant).fileName == file)
        #expect(TenantName(fileName: file)?.tenant == tenant)
        #expect(TenantName(fileName: file).map { Array($0.tenant.utf8) } == Array(tenant.utf8))
        try await TenantTest.run { test in
            let directory = try test.directory()
            try await directory.create(tenant)
            try await directory.addNote("x", to: tenant)
            try await #expect(directory.tenants() == [tenant])
            try #expect(test.files.first == "\(file).sqlite")
            try await directory.delete(tenant)
            try #expect(test.files == [])
        }
    }

    @Test(arguments: ["=4", "=zz", "=41=", "A", "=61", "=FF", "a b"])
    func namesOfOtherFiles(_ file: String) { #expect(TenantName(fileName: file) == nil) }

    @Test func invalidNames() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(createsMissing: true)
            await expectError(.name, "the name of a tenant is empty") { try await directory.notes("") }
            await expectError(
                .name,
                "the name \"ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ…\" of a tenant is too long: 200 bytes are allowed, and all but lowercase "
                    + "letters, digits, - and _ count three times"
            ) { try await directory.notes(String(repeating: "Ä", count: 34)) }
            try await #expect(directory.notes(String(repeating: "x", count: 200)) == [])
        }
    }

    @Test func creating() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory()
            try await directory.create("acme")
            await expectError(.exists, "the tenant \"acme\" already has a database") {
                try await directory.create("acme")
            }
            var migrator = test.migrator
            migrator.registerMigration("broken") { db in try db.execute(sql: "INSERT INTO missing VALUES (1)") }
            let broken = try test.directory(migrator: migrator)
            await #expect(throws: DatabaseError.self) { try await broken.create("other") }
            try #expect(test.files == ["acme.sqlite"])
        }
    }

    @Test func deletingAndRenaming() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(createsMissing: true)
            try await directory.addNote("a", to: "a")
            try await directory.addNote("b", to: "b")
            await expectError(.exists, "the tenant \"b\" already has a database") {
                try await directory.rename("a", to: "b")
            }
            try await directory.rename("a", to: "c")
            try await directory.rename("c", to: "c")
            try await #expect(directory.tenants() == ["b", "c"])
            try await #expect(directory.notes("c") == ["a"])
            try await directory.delete("b")
            try await #expect(directory.notes("b") == [])
            let missing = "the tenant \"x\" has no database: create it, or pass `createsMissing: true`"
            await expectError(.missing, missing) { try await directory.delete("x") }
            await expectError(.missing, missing) { try await directory.rename("x", to: "y") }
        }
    }

    /// What another process has open is neither deleted nor renamed.
    @Test func usedElsewhere() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(createsMissing: true)
            try await directory.addNote("a", to: "a")
            let other = try test.directory()
            try await other.addNote("b", to: "a")
            let message = "another process uses the database of \"a\", or another access of this one"
            await expectError(.inUse, message) { try await directory.delete("a") }
            await expectError(.inUse, message) { try await directory.rename("a", to: "b") }
            try await #expect(directory.notes("a") == ["a", "b"])
            try await directory.delete("a", evenIfInUse: true)
            try await other.close()
            try #expect(test.files == [])
        }
    }

    @Test func exportingAndImporting() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(createsMissing: true)
            for number in 0..<100 { try await directory.addNote("\(number)", to: "a") }
            let file = "\(test.folder)/exported"
            try await directory.export("a", to: file)
            await expectError(.exists, "the file \(file) already exists") { try await directory.export("a", to: file) }
            try #expect(test.files.filter { $0.hasPrefix("exported") } == ["exported"])
            try await directory.import("b", from: file)
            try await #expect(directory.notes("b").count == 100)
            await expectError(.exists, "the tenant \"b\" already has a database") {
                try await directory.import("b", from: file)
            }
            await expectError(.folder, "can't read \(test.folder)/none: No such file or directory") {
                try await directory.import("c", from: "\(test.folder)/none")
            }
            try Data("not a database, but long enough to be read as one".utf8).write(to: URL(fileURLWithPath: file))
            do {
                try await directory.import("c", from: file)
                Issue.record("no error")
            } catch let error as DatabaseDirectoryError {
                #expect(error.code == .damaged)
            }
            try await #expect(directory.tenants() == ["a", "b"])
            try #expect(test.files.filter { $0.hasPrefix(".") } == [])
        }
    }

    /// What a killed process has left of an export is removed by the next one into the same folder.
    @Test func interruptedExport() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory()
            try await directory.create("a")
            let folder = "\(test.folder)-exports"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            await expectError(.folder, "can't write to \(folder): No such file or directory") {
                try await directory.export("a", to: "\(folder)/a")
            }
            try FileManager.default.createDirectory(
                atPath: "\(folder)/.rowan-export-dead", withIntermediateDirectories: true)
            try Data("partial".utf8).write(to: URL(fileURLWithPath: "\(folder)/.rowan-export-dead/database"))
            try await directory.export("a", to: "\(folder)/a")
            try #expect(FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
        }
    }

    /// A file in WAL mode is imported with what its log contains, and neither changes nor gets a log.
    @Test(arguments: [false, true]) func importingAWAL(hasLog: Bool) async throws {
        try await TenantTest.run { test in
            let directory = try test.directory()
            let folder = "\(test.folder)-source"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let pool = try DatabasePool(path: "\(folder)/open")
            try test.migrator.migrate(pool)
            try await pool.write { try $0.execute(sql: "INSERT INTO note VALUES ('logged')") }
            if hasLog {
                // As a crash leaves it.
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(
                        atPath: "\(folder)/open\(suffix)", toPath: "\(folder)/source\(suffix)")
                }
                try pool.close()
                try FileManager.default.removeItem(atPath: "\(folder)/open")
            } else {
                try pool.close()
                try FileManager.default.moveItem(atPath: "\(folder)/open", toPath: "\(folder)/source")
            }
            func content() throws -> [String: Data] {
                try Dictionary(
                    uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: folder).map { name in
                        (name, try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
                    })
            }
            let before = try content()
            #expect(before.keys.sorted() == (hasLog ? ["source", "source-wal"] : ["source"]))
            try await directory.import("a", from: "\(folder)/source")
            try await #expect(directory.notes("a") == ["logged"])
            // SQLite makes an index for a log.
            try #expect(content().filter { $0.key != "source-shm" || !hasLog } == before)
        }
    }

    /// A file that the system can't look at is not taken for a missing one, which would be created.
    @Test func unknownFiles() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(createsMissing: true)
            let file = "\(test.folder)/a.sqlite"
            // Also for root, which has all permissions.
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: file)
            let message = "can't find \(file): Too many levels of symbolic links"
            await expectError(.folder, message) { _ = try directory.contains("a") }
            await expectError(.folder, message) { try await directory.notes("a") }
            await expectError(.folder, message) { try await directory.delete("a") }
        }
    }

    /// A damaged database can be deleted, but not renamed.
    @Test func damagedFiles() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory()
            try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: "\(test.folder)/a.sqlite"))
            await #expect(throws: DatabaseError.self) { try await directory.notes("a") }
            do {
                try await directory.rename("a", to: "b")
                Issue.record("no error")
            } catch let error as DatabaseDirectoryError {
                #expect(error.code == .damaged)
            }
            try await directory.delete("a")
            try #expect(test.files == [])
        }
    }

    /// What a killed process has left is removed, and what another one is making is not.
    @Test func leftovers() async throws {
        try await TenantTest.run { test in
            _ = try test.directory()
            let url = URL(fileURLWithPath: test.folder)
            try Data().write(to: url.appendingPathComponent(".old-1.sqlite"))
            for name in [".new-1", ".new-2", ".new-3"] {
                try FileManager.default.createDirectory(
                    at: url.appendingPathComponent(name), withIntermediateDirectories: false)
            }
            try Data().write(to: url.appendingPathComponent(".new-1/lock"))
            try Data().write(to: url.appendingPathComponent(".new-1/database.sqlite"))
            try Data().write(to: url.appendingPathComponent(".new-2/lock"))
            let lock = open("\(test.folder)/.new-2/lock", O_RDWR)
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
            _ = try test.directory()
            try #expect(test.files == [".new-2"])
            close(lock)
            _ = try test.directory()
            try #expect(test.files == [])
        }
    }

    /// A log that is left of a database doesn't become part of the next one with its name.
    @Test func oldLogs() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory()
            try await directory.create("a")
            try await directory.withPool("a") { pool in
                try await pool.write { try $0.execute(sql: "INSERT INTO note VALUES ('old')") }
                try FileManager.default.copyItem(
                    atPath: "\(test.folder)/a.sqlite-wal", toPath: "\(test.folder)/b.sqlite-wal")
            }
            try await directory.create("b")
            try await #expect(directory.notes("b") == [])
        }
    }

    @Test func severalTenants() async throws {
        try await TenantTest.run { test in
            let directory = try test.directory(limit: 2, createsMissing: true)
            for number in 0..<30 { try await directory.addNote("\(number)", to: "t\(number)") }
            let texts = try await directory.read(attaching: ["a": "t1", "b c": "t2", "d": "t3"]) { db in
                try String.fetchAll(
                    db,
                    sql:
                        "SELECT text FROM a.note UNION ALL SELECT text FROM \"b c\".note UNION ALL SELECT text FROM d.note"
                )
            }
            #expect(texts == ["1", "2", "3"])
            await #expect(throws: DatabaseError.self) {
                try await directory.read(attaching: ["a": "t1"]) { db in try db.execute(sql: "DELETE FROM a.note") }
            }
            await #expect(throws: DatabaseError.self) { try await directory.read(attaching: ["main": "t1"]) { _ in } }

            var migrator = test.migrator
            migrator.registerMigration("next") { db in
                if try String.fetchOne(db, sql: "SELECT text FROM note") == "7" { throw TestFailure() }
                try db.execute(sql: "INSERT INTO note VALUES ('next')")
            }
            try await directory.close()
            let later = try test.directory(limit: 3, migrator: migrator)
            try await later.addNote("hot", to: "t0")
            var reports: [Int] = []
            let report = try await later.migrateAll(concurrency: 2) { reports.append($0.completed) }
            #expect(reports == Array(1...30))
            #expect(report.total == 30 && report.failures.map(\.tenant) == ["t7"])
            #expect(report.failures.first?.error is TestFailure)
            // What is used otherwise stays open.
            #expect(later.isOpen("t0"))
            let again = try await later.forEach(concurrency: 3) { tenant, pool in
                let texts = try await pool.read { try String.fetchAll($0, sql: "SELECT text FROM note") }
                #expect(texts.contains("next"), "\(tenant)")
            }
            #expect(again.failures.map(\.tenant) == ["t7"])
        }
    }
}

struct TestFailure: Error {}
