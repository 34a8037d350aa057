// Files and folders that aren't databases or can't be opened: errors that explain the problem, never a crash.

import Foundation
import Rowan
import Testing

@Suite
struct BadFileTests {
    @Test(arguments: ConnectionKind.files)
    func aTextFile(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.txt")
        try String(repeating: "This is no database. ", count: 100).write(
            toFile: path, atomically: true, encoding: .utf8)
        expectError(.SQLITE_NOTADB, "file is not a database") { try kind.make(path: path) }
        // The file is unchanged.
        let content = try String(contentsOfFile: path, encoding: .utf8)
        #expect(content.hasPrefix("This is no database."))
        #expect(openFiles(under: folder.url.path) == [])
    }

    @Test(arguments: ConnectionKind.files)
    func aFolder(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let error = expectError(.SQLITE_CANTOPEN) { try kind.make(path: folder.url.path) }
        #expect(error?.message?.contains(folder.url.path) == true)
    }

    @Test(arguments: ConnectionKind.files)
    func aMissingFolder(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        expectError(.SQLITE_CANTOPEN) { try kind.make(path: folder.path("missing/db.sqlite")) }
    }

    @Test(arguments: ConnectionKind.files)
    func aReadOnlyConnectionOnAMissingFile(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.readonly = true
        expectError(.SQLITE_CANTOPEN) { try kind.make(path: folder.path("missing.sqlite"), configuration) }
    }

    /// Root can write everywhere.
    @Test(.enabled(if: getuid() != 0), arguments: ConnectionKind.files)
    func aReadOnlyFolder(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path) }
        expectError(.SQLITE_CANTOPEN) { try kind.make(path: folder.path("db.sqlite")) }
    }

    @Test(arguments: ConnectionKind.files)
    func aCutFile(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            for index in 0..<2_000 { try db.insert(index) }
        }
        try queue.close()
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.truncate(atOffset: 8_192)
        try file.close()
        expectError(.SQLITE_CORRUPT) { try kind.make(path: path) }
        #expect(openFiles(under: folder.url.path) == [])
    }

    @Test(arguments: ConnectionKind.files)
    func readOnlyConnections(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let writer = try kind.make(path: path)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        var configuration = Configuration()
        configuration.readonly = true
        let reader = try kind.make(path: path, configuration)
        try #expect(reader.values() == [1])
        expectError(.SQLITE_READONLY) { try reader.write { try $0.insert(2) } }
        expectError(.SQLITE_READONLY) { try reader.writeWithoutTransaction { try $0.insert(2) } }
        try #expect(writer.values() == [1])
    }

    @Test(arguments: ConnectionKind.files)
    func strangePaths(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        for name in ["with space.sqlite", "quote'\".sqlite", "émoji 🍇.sqlite", "100%.sqlite", "a?b=c#d.sqlite"] {
            let path = folder.path(name)
            let writer = try kind.make(path: path)
            try writer.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
            try #expect(writer.values() == [1])
            #expect(FileManager.default.fileExists(atPath: path))
            #expect(writer.path == path)
            try writer.close()
        }
    }

    @Test(arguments: ["my \"table\"", "with space", "émoji 🍇", "select", "group", "a.b", "x'y", "a;b--c", "[brackets]"])
    func strangeNames(_ name: String) throws {
        try withDatabase { db in
            let quoted = name.quotedDatabaseIdentifier
            try db.execute(sql: "CREATE TABLE \(quoted) (\(quoted) INTEGER PRIMARY KEY)")
            try db.execute(literal: "INSERT INTO \(identifier: name) (\(identifier: name)) VALUES (1)")
            let row = try Row.fetchOne(db, sql: "SELECT * FROM \(quoted)")
            #expect(row == [name: 1])
            try #expect(db.tableExists(name))
            try #expect(db.primaryKey(name).columns == [name])
            try #expect(db.columns(in: name).map(\.name) == [name])
        }
    }

    @Test(arguments: ConnectionKind.files)
    func aFullDisk(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.writeWithoutTransaction { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                _ = try Row.fetchAll(db, sql: "PRAGMA max_page_count = \(pages + 2)")
            }
            expectError(.SQLITE_FULL, "database or disk is full") {
                try writer.write { db in
                    try db.insert(3)
                    try db.execute(sql: "INSERT INTO t VALUES (zeroblob(1000000))")
                }
            }
            try #expect(writer.values() == [1, 2])
            // The program swallows the error.
            try? writer.write { db in
                try db.insert(3)
                try? db.execute(sql: "INSERT INTO t VALUES (zeroblob(1000000))")
                try db.insert(4)
            }
            let values = try writer.values()
            #expect(values == [1, 2] || values == [1, 2, 3, 4])
            _ = try writer.writeWithoutTransaction { try Row.fetchAll($0, sql: "PRAGMA max_page_count = 1000000") }
            try writer.write { try $0.insert(5) }
            try #expect(writer.values().last == 5)
        }
    }
}
