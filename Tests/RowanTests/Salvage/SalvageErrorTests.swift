// Recoveries that can't be done.

import Foundation
import Rowan
import RowanSalvage
import Testing

struct SalvageErrorTests {
    private func expectNothing(at path: String) {
        for suffix in ["", ".incomplete", ".incomplete-journal"] {
            #expect(!FileManager.default.fileExists(atPath: path + suffix))
        }
    }

    @Test func existingFile() throws {
        let file = try DamageableFile { try fillPlayers($0, count: 1) }
        let before = try file.bytes
        expectError(.SQLITE_CANTOPEN, "the file exists: pass the path of a new file - \(file.path)") {
            try Database.salvage(file.path, into: file.path)
        }
        #expect(try file.bytes == before)
    }

    @Test func missingFile() throws {
        let folder = try TemporaryFolder()
        let (path, destination) = (folder.path("none.sqlite"), folder.path("b.sqlite"))
        expectError(.SQLITE_CANTOPEN, "unable to open database file - \(path)") {
            try Database.salvage(path, into: destination)
        }
        expectNothing(at: destination)
        expectNothing(at: path)
    }

    @Test(arguments: [0, 1, 100, 511, 5_000, 100_000]) func noDatabase(size: Int) throws {
        var random = SeededGenerator(0xBAD + UInt64(size))
        let file = try DamageableFile { _ in }
        // No byte is the kind of a page.
        try file.write((0..<size).map { _ in UInt8.random(in: 20...255, using: &random) })
        let destination = file.folder.path("b.sqlite")
        expectError(
            .SQLITE_NOTADB, "no page of the file can be read: it is encrypted, or not a database - \(file.path)"
        ) { try Database.salvage(file.path, into: destination) }
        expectNothing(at: destination)
    }

    @Test func missingFolder() throws {
        let file = try DamageableFile { try fillPlayers($0, count: 1) }
        expectError(.SQLITE_CANTOPEN) {
            try Database.salvage(file.path, into: file.folder.path("missing/b.sqlite"))
        }
    }

    /// Two writers of one file differ from damage.
    @Test func fileInUse() throws {
        let file = try DamageableFile { try fillPlayers($0, count: 1) }
        let destination = file.folder.path("b.sqlite")
        let queue = try DatabaseQueue(path: file.path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            expectError(
                .SQLITE_BUSY, "the damaged file is being written: end the program that uses it - \(file.path)"
            ) { try Database.salvage(file.path, into: destination, busyTimeout: 0) }
            try db.execute(sql: "ROLLBACK")
        }
        expectNothing(at: destination)
        // The connection still has its locks.
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            try Database.salvage(file.path, into: destination)
            let other = try DatabaseQueue(path: file.path)
            expectError(.SQLITE_BUSY) { try other.write { try $0.execute(sql: "DELETE FROM player") } }
            try db.execute(sql: "COMMIT")
        }
    }

    @Test func cancellation() async throws {
        let file = try DamageableFile { try fillPlayers($0) }
        let destination = file.folder.path("b.sqlite")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try Database.salvage(file.path, into: destination)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        expectNothing(at: destination)
    }

    /// A recovery that was killed leaves a file that the next one replaces.
    @Test func leftovers() throws {
        let file = try DamageableFile { try fillPlayers($0, count: 1) }
        let destination = file.folder.path("b.sqlite")
        for suffix in [".incomplete", ".incomplete-journal", ".incomplete-wal"] {
            try Data("left".utf8).write(to: URL(fileURLWithPath: destination + suffix))
        }
        #expect(try Database.salvage(file.path, into: destination).isComplete)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: file.folder.path("")).sorted() == [
                "b.sqlite", "damaged.sqlite",
            ])
    }

    @Test func readOnlyConfiguration() throws {
        let file = try DamageableFile { try fillPlayers($0, count: 1) }
        var configuration = Configuration()
        configuration.readonly = true
        let destination = file.folder.path("b.sqlite")
        expectError(.SQLITE_CANTOPEN) {
            try Database.salvage(file.path, into: destination, configuration: configuration)
        }
        expectNothing(at: destination)
    }

    /// The file of a stranger calls no function of the program.
    @Test func untrustedFile() throws {
        let file = try DamageableFile { db in
            try fillPlayers(db, count: 3)
            try db.execute(sql: "CREATE VIRTUAL TABLE page USING fts5(a); INSERT INTO page VALUES ('x')")
        }
        var configuration = Configuration()
        configuration.trust = .untrustedFile
        let (report, count) = try file.salvage(configuration: configuration) { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
        }
        #expect(count == 3)
        #expect(report.failures.map(\.name) == ["page"])
    }
}
