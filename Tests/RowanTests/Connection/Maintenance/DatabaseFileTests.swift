import Foundation
import Rowan
import Testing

// All connections of a pool use the file that its writer opened, even if the path is redirected later.

@Suite struct DatabaseFileTests {
    /// A folder with the databases `a/db` and `b/db`, whose tables contain their name, and a link `current` to `a`.
    private func withFolders(_ body: (TemporaryFolder) throws -> Void) throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(
                at: folder.url.appendingPathComponent(name), withIntermediateDirectories: true)
            let pool = try DatabasePool(path: folder.path("\(name)/db"))
            try pool.write { db in
                try db.execute(sql: "CREATE TABLE t(x)")
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [name])
            }
            try pool.close()
        }
        try link("a", in: folder)
        try body(folder)
    }

    private func link(_ name: String, in folder: TemporaryFolder) throws {
        let link = folder.path("current")
        try? FileManager.default.removeItem(atPath: link)  // the first link replaces nothing
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: name)
    }

    @Test(arguments: ["", "file:", "file://"])
    func connectionsFollowTheWriter(_ scheme: String) throws {
        try withFolders { folder in
            let path = scheme + folder.path("current/db") + (scheme.isEmpty ? "" : "?cache=private#end")
            let pool = try DatabasePool(path: path)
            try link("b", in: folder)
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES ('new')") }
            let sql = "SELECT group_concat(x) FROM t"
            #expect(try pool.string(sql) == "a,new")
            #expect(try pool.makeSnapshot().string(sql) == "a,new")
            #expect(try pool.makeSnapshotPool().string(sql) == "a,new")
            let snapshot = try pool.writeWithoutTransaction { try DatabaseSnapshotPool($0) }
            #expect(try snapshot.string(sql) == "a,new")
            #expect(pool.path == path)
            #expect(try DatabasePool(path: folder.path("b/db")).string(sql) == "b")
        }
    }

    @Test func aPathWithOddCharacters() throws {
        let folder = try TemporaryFolder()
        let name = "50% of ü?#.db"
        let encoded = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let pool = try DatabasePool(path: "file:\(folder.url.path)/\(encoded)?cache=private")
        try pool.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        #expect(try pool.int("SELECT x FROM t") == 1)
        #expect(FileManager.default.fileExists(atPath: folder.path(name)))
    }

    @Test func aReplacedFileIsReported() throws {
        try withFolders { folder in
            let path = folder.path("a/db")
            let pool = try DatabasePool(path: path)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: folder.path("b/db"), toPath: path)
            let message = "another file has replaced the open database: close the database and open it again - \(path)"
            for error in [
                expectError(.SQLITE_CANTOPEN) { try pool.read { _ in } },
                expectError(.SQLITE_CANTOPEN) { _ = try pool.makeSnapshot() },
                expectError(.SQLITE_CANTOPEN) { _ = try pool.makeSnapshotPool() },
            ] {
                #expect(error?.message == message)
            }
        }
    }
}
