// Copies of files from elsewhere, and into files elsewhere.

import Foundation
import Rowan

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

extension TenantFolder {
    /// Copies a file from elsewhere, and checks the copy.
    func copy(_ source: String, to file: String) throws {
        guard access(source, R_OK) == 0 else { throw Self.error("read", source) }
        do {
            let original = try DatabaseQueue(path: source, configuration: configuration(of: source))
            let copy = try DatabaseQueue(path: file, configuration: ownConfiguration)
            try original.backup(to: copy)
            let problem = try copy.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            guard problem == "ok" else {
                throw DatabaseDirectoryError(.damaged, "the file \(source) is damaged: \(problem ?? "no result")")
            }
            try copy.close()
            try original.close()
        } catch let error as DatabaseError where Self.isDamage(error) {
            throw DatabaseDirectoryError(.damaged, "the file \(source) is damaged or not a database: \(error)")
        }
    }

    /// How a file from elsewhere is opened. It is read only.
    ///
    /// A connection that can't write doesn't remove the `-wal` and `-shm` files that it makes for a database in WAL mode. So
    /// only one that has them, as after a crash or while it is in use, is opened by such a connection, which leaves the log
    /// as it is.
    private func configuration(of source: String) -> Configuration {
        var configuration = ownConfiguration
        configuration.readonly = ["-wal", "-shm"].contains { access(source + $0, F_OK) == 0 }
        // Nothing changes its journal mode.
        configuration.journalMode = .default
        configuration.replicatedByLitestream = false
        return configuration
    }

    static func isDamage(_ error: DatabaseError) -> Bool {
        error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
    }

    /// Copies an open database into a new file outside. What a killed process leaves of it is removed by the next export
    /// into the same folder.
    func export(_ pool: DatabasePool, to destination: String) throws {
        let parent = URL(fileURLWithPath: destination).deletingLastPathComponent().path
        guard access(parent, F_OK) == 0 else { throw Self.error("write to", parent) }
        let folder: LockedFolder
        do { folder = try LockedFolder(in: parent, prefix: ".rowan-export-") } catch {
            throw DatabaseDirectoryError(.folder, "can't write to \(parent): \(error)")
        }
        defer { folder.remove() }
        let file = "\(folder.path)/database"
        let copy = try DatabaseQueue(path: file, configuration: ownConfiguration)
        try pool.backup(to: copy)
        try copy.writeWithoutTransaction { db in try Self.complete(db, file) }
        try copy.close()
        // Unlike a rename, a link never replaces a file.
        guard link(file, destination) == 0 else {
            guard errno == EEXIST else { throw Self.error("write", destination) }
            throw DatabaseDirectoryError(.exists, "the file \(destination) already exists")
        }
        try synchronize(parent)
    }
}
