// The copy of the database before migrations run. A file is copied while the first migration holds the lock, by another
// connection, which sees no changes: no other process can migrate the file in between. SQLite rejects a backup from a
// connection that holds such a lock itself.

import RowanPlatform

/// Copies a database once, to a file that is replaced only by a complete copy.
struct MigrationBackup {
    let path: String
    private var isDone = false

    init(path: String) { self.path = path }

    /// Copies a database in memory, which no other connection can change.
    mutating func beforeTransaction(_ db: Database) throws {
        guard !isDone, try !db.isFile() else { return }
        try copy { try db.backup(to: $0) }
    }

    /// Copies the database before it is erased.
    mutating func beforeErasing(_ db: Database) throws {
        if try db.isFile() { try inTransaction(db) } else { try beforeTransaction(db) }
    }

    /// Copies a file while the transaction holds its lock and has changed nothing.
    mutating func inTransaction(_ db: Database) throws {
        guard !isDone else { return }
        let file = db.connection.mainFileName.flatMap { $0.isEmpty ? nil : $0 } ?? db.path
        try refuse(file)
        var configuration = db.configuration.forScratchDatabase
        let destination = configuration
        configuration.readonly = true
        let source = try DatabaseFile(of: db).connect { try DatabaseQueue(path: $0, configuration: configuration) }
        try copy(destination, permissions: FileStatus(file)?.permissions) { copy in
            try source.inDatabase { try $0.backup(to: copy) }
        }
        try source.close()
    }

    private mutating func copy(
        _ configuration: Configuration = Configuration(), permissions: mode_t? = nil,
        _ backup: (Database) throws -> Void
    ) throws {
        let part = "\(path).\(UUID().uuidString)"
        do {
            if let permissions { create(part, permissions) }
            let queue = try DatabaseQueue(path: part, configuration: configuration)
            try queue.writeWithoutTransaction(backup)
            try queue.close()
            removeJournals(of: path)
            guard rename(part, path) == 0 else {
                throw DatabaseError(
                    resultCode: .SQLITE_CANTOPEN,
                    message: "could not replace the backup before migrations (\(String(cString: strerror(errno)))): "
                        + "delete what is there, or choose another backupPath - \(path)")
            }
        } catch {
            // The first error takes precedence. The incomplete copy may not exist.
            try? FileManager.default.removeItem(atPath: part)
            removeJournals(of: part)
            throw error
        }
        isDone = true
    }

    /// Creates an empty file, so that those who can't read the database can't read the copy. If it fails, SQLite
    /// reports why there can be no file.
    private func create(_ part: String, _ permissions: mode_t) {
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        // Some file systems have no permissions.
        _ = fchmod(descriptor, permissions)
        close(descriptor)
    }

    /// Refuses the file of the database. Its path may differ, as in a file system that ignores case.
    private func refuse(_ file: String) throws {
        let statuses = [path, file].compactMap(FileStatus.init)
        guard statuses.count == 2, statuses[0].isSameFile(as: statuses[1]) else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the backup before migrations would replace the database itself: choose another backupPath - "
                + path)
    }

    /// Deletes the journals of a previous copy, which would be read into the new one.
    private func removeJournals(of path: String) {
        for suffix in ["-wal", "-shm", "-journal"] {
            // Usually, there is none.
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }
}

extension Database {
    /// Whether other connections can open the database.
    fileprivate func isFile() throws -> Bool {
        let rows = try Row.fetchAll(self, sql: "PRAGMA database_list")
        let file = rows.first { $0["name"] == "main" }?["file"] as String?
        return file.map { !$0.isEmpty } ?? false
    }
}
