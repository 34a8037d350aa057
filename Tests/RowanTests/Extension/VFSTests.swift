// The virtual file system of a configuration.

import RowanSQLite
import Foundation
import Rowan
import Testing

@Suite
struct VFSTests {
    @Test func theDefaultIsThatOfSQLite() {
        #expect(Configuration().vfs == nil)
    }

    @Test(arguments: ConnectionKind.files)
    func connectionsUseTheFileSystem(_ kind: ConnectionKind) throws {
        var configuration = Configuration()
        configuration.vfs = "unix-excl"
        try withTable(kind, configuration) { writer in
            try #expect(writer.values() == [1, 2])
            try #expect(writer.write { vfsName($0) } == "unix-excl")
            try #expect(writer.read { vfsName($0) } == "unix-excl")
            guard let pool = writer as? DatabasePool else { return }
            try #expect(pool.makeSnapshot().read { vfsName($0) } == "unix-excl")
            try #expect(pool.makeSnapshotPool().read { vfsName($0) } == "unix-excl")
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func anUnknownFileSystem(_ kind: ConnectionKind) throws {
        var configuration = Configuration()
        for name in ["litestraem", "", "unix\0"] {
            configuration.vfs = name
            let folder = try TemporaryFolder()
            let error = expectError(.SQLITE_ERROR) { try kind.make(in: folder, configuration) }
            let message = try #require(error?.message)
            #expect(message.hasPrefix("there is no VFS named '\(name)': use one of "))
            #expect(message.contains("unix") && message.contains("unix-none"))
            #expect(!FileManager.default.fileExists(atPath: folder.path("\(kind.rawValue).sqlite")))
        }
    }

    @Test func theURIOfAPathTakesPrecedence() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.vfs = "unix-excl"
        let queue = try DatabaseQueue(
            path: "file:\(folder.path("a.sqlite"))?vfs=unix-dotfile", configuration: configuration)
        try #expect(queue.read { vfsName($0) } == "unix-dotfile")
    }

    /// The name of the main database's file system.
    private func vfsName(_ db: Database) -> String? {
        var name: UnsafeMutablePointer<CChar>?
        guard sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_VFSNAME, &name) == SQLITE_OK else {
            return nil
        }
        defer { sqlite3_free(name) }
        return name.map { String(cString: $0) }
    }
}
