// The files of a directory.
//
//     acme.sqlite          the database of a tenant
//     .lock                locked, shared, while a database is opened; alone, while files appear and disappear
//     .new-…/              a database that is being made, until it is moved to its place
//     .old-….sqlite        a database that is being removed
//     .acme.sqlite-litestream/, .litestream/
//                          what Litestream has sent of a database, and the catalog of `LitestreamTenants`
//
// A file appears and disappears with one rename, so that a process that is killed leaves all or nothing. What it leaves
// of its work is removed by the next one.

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

/// The folder of a directory. Its methods block.
struct TenantFolder: Sendable {
    let path: String
    let configuration: Configuration
    /// For what this type does itself: a connection for the SQL of strangers runs no pragmas.
    let ownConfiguration: Configuration
    private let migrator: DatabaseMigrator?

    init(_ path: String, _ configuration: Configuration, _ migrator: DatabaseMigrator?) throws {
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard let real = realpath(path, nil) else { throw Self.error("find", path) }
        defer { free(real) }
        self.path = String(cString: real)
        (self.configuration, self.migrator) = (configuration, migrator)
        var own = configuration
        own.readonly = false
        if own.trust != .trusted { own.trust = .untrustedFile }
        ownConfiguration = own
        try locked(LOCK_EX) { try removeLeftovers() }
    }

    // MARK: Names

    private static let suffix = ".sqlite"

    func file(_ name: TenantName) -> String { Self.file(name, in: path) }

    static func file(_ name: TenantName, in folder: String) -> String { "\(folder)/\(name.fileName)\(suffix)" }

    /// The tenants that have a database, in the order of the names of their files without the suffix.
    func names() throws -> [TenantName] {
        try entries().filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }.sorted()
            .compactMap { TenantName(fileName: $0) }
    }

    private func entries() throws -> [String] {
        guard let folder = opendir(path) else { throw Self.error("read", path) }
        defer { closedir(folder) }
        var entries: [String] = []
        errno = 0
        while let entry = readdir(folder) {
            defer { errno = 0 }
            entries.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        guard errno == 0 else { throw Self.error("read", path) }
        return entries
    }

    /// - Throws: a ``DatabaseDirectoryError`` of the code `folder` if the system does not say whether there is a file.
    func exists(_ name: TenantName) throws -> Bool {
        if access(file(name), F_OK) == 0 { return true }
        guard errno == ENOENT else { throw Self.error("find", file(name)) }
        return false
    }

    private func require(_ name: TenantName) throws {
        guard try exists(name) else {
            throw DatabaseDirectoryError(
                .missing, "the tenant \"\(name.tenant)\" has no database: create it, or pass `createsMissing: true`")
        }
    }

    private func refuseExisting(_ name: TenantName) throws {
        if try exists(name) {
            throw DatabaseDirectoryError(.exists, "the tenant \"\(name.tenant)\" already has a database")
        }
    }

    // MARK: Opening

    /// Opens and migrates a database.
    func pool(of name: TenantName, createsMissing: Bool) throws -> DatabasePool {
        if createsMissing, try !exists(name) {
            do { try create(name, from: nil) } catch let error as DatabaseDirectoryError where error.code == .exists {
                // Another process was faster.
            }
        }
        // From here on, SQLite's lock of a WAL database shows other processes that it is open.
        let pool = try locked(LOCK_SH) {
            try require(name)
            return try DatabasePool(path: file(name), configuration: configuration)
        }
        do { try migrator?.migrate(pool) } catch {
            // The error of the migration takes precedence.
            try? pool.close()
            throw error
        }
        return pool
    }

    /// Attaches databases to a connection.
    func attach(_ schemas: [(schema: String, name: TenantName)], to db: Database) throws {
        try locked(LOCK_SH) {
            for (schema, name) in schemas {
                try require(name)
                try db.execute(
                    sql: "ATTACH DATABASE ? AS \(schema.quotedDatabaseIdentifier)", arguments: [file(name)])
                // Takes the lock that shows other processes that it is open.
                _ = try Row.fetchOne(db, sql: "PRAGMA \(schema.quotedDatabaseIdentifier).schema_version")
            }
        }
    }

    // MARK: Appearing

    /// Makes a database in a folder of its own, then moves it to its place.
    ///
    /// - Parameter source: the file to copy; nil for an empty database.
    func create(_ name: TenantName, from source: String?) throws {
        try refuseExisting(name)
        let folder = "\(path)/\(Self.newPrefix)\(UUID().uuidString)"
        // Others remove the folder once this process has ended.
        let lock = try locked(LOCK_SH) {
            guard mkdir(folder, 0o700) == 0 else { throw Self.error("make", folder) }
            return try Self.lock("\(folder)/lock", LOCK_EX)
        }
        defer {
            remove(folder)
            close(lock)
        }
        let file = "\(folder)/database\(Self.suffix)"
        if let source { try copy(source, to: file) }
        let queue = try DatabaseQueue(path: file, configuration: ownConfiguration)
        try migrator?.migrate(queue)
        try queue.writeWithoutTransaction { db in try Self.complete(db, file) }
        try queue.close()
        try locked(LOCK_EX) {
            try refuseExisting(name)
            removeCompanions(of: self.file(name))
            try removePosition(of: name)
            try move(file, self.file(name))
        }
    }

    // MARK: Disappearing

    /// Removes a database that this process doesn't have open.
    func delete(_ name: TenantName, evenIfInUse: Bool) throws {
        let old = "\(path)/\(Self.oldPrefix)\(UUID().uuidString)\(Self.suffix)"
        try locked(LOCK_EX) {
            try require(name)
            do { try settle(name) } catch {
                // A full disk, for one, prevents it.
                guard evenIfInUse || (error as? DatabaseDirectoryError)?.code == .damaged else { throw error }
            }
            try move(file(name), old)
            removeCompanions(of: file(name))
            try removePosition(of: name)
        }
        unlink(old)
    }

    /// Renames a database that this process doesn't have open.
    func rename(_ name: TenantName, to other: TenantName) throws {
        try locked(LOCK_EX) {
            try require(name)
            try refuseExisting(other)
            try settle(name)
            removeCompanions(of: file(other))
            try removePosition(of: other)
            try move(file(name), file(other))
            try removePosition(of: name)
        }
    }

    /// Moves the write-ahead log into the file, which is then all there is.
    private func settle(_ name: TenantName) throws {
        var configuration = ownConfiguration
        configuration.busyMode = .timeout(0.5)
        do {
            let queue = try DatabaseQueue(path: file(name), configuration: configuration)
            try queue.writeWithoutTransaction { db in try Self.settle(db, name.tenant) }
            try queue.close()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw DatabaseDirectoryError(
                .inUse, "another process uses the database of \"\(name.tenant)\", or another access of this one")
        } catch let error as DatabaseError where Self.isDamage(error) {
            throw DatabaseDirectoryError(.damaged, "the database of \"\(name.tenant)\" is damaged: \(error)")
        }
    }

    static func settle(_ db: Database, _ name: String) throws {
        let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
        guard mode == "delete" else {
            throw DatabaseDirectoryError(
                .inUse, "the database of \"\(name)\" can't leave the journal mode \(mode ?? "nil")")
        }
    }

    /// Completes the file of a new database, which has none before its first transaction if it has no tables.
    static func complete(_ db: Database, _ file: String) throws {
        try settle(db, file)
        try db.execute(sql: "PRAGMA user_version = \(Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0)")
    }

    func removeCompanions(of file: String) {
        for suffix in ["-wal", "-shm", "-journal"] { unlink(file + suffix) }
    }

    /// Removes Litestream's record of what it has sent: it would belong to the next database with this name.
    private func removePosition(of name: TenantName) throws {
        let position = "\(path)/.\(name.fileName)\(Self.suffix)-litestream"
        guard access(position, F_OK) == 0 else { return }
        do { try FileManager.default.removeItem(atPath: position) } catch {
            throw DatabaseDirectoryError(.folder, "can't remove \(position): \(error)")
        }
    }

    // MARK: Leftovers

    private static let newPrefix = ".new-"
    private static let oldPrefix = ".old-"

    /// Removes what processes have left that have ended before their work.
    private func removeLeftovers() throws {
        for entry in try entries() {
            if entry.hasPrefix(Self.oldPrefix) { unlink("\(path)/\(entry)") }
            guard entry.hasPrefix(Self.newPrefix) else { continue }
            let folder = "\(path)/\(entry)"
            let lock = open("\(folder)/lock", O_RDWR | O_CLOEXEC)
            if lock < 0 {
                // The process was killed before or after the lock existed.
                rmdir(folder)
                continue
            }
            defer { close(lock) }
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { remove(folder) }
        }
    }

    private func remove(_ folder: String) {
        let file = "\(folder)/database\(Self.suffix)"
        removeCompanions(of: file)
        unlink(file)
        unlink("\(folder)/lock")
        rmdir(folder)
    }

    // MARK: System calls

    private func locked<T>(_ operation: Int32, _ body: () throws -> T) throws -> T {
        let lock = try Self.lock("\(path)/.lock", operation)
        defer { close(lock) }
        return try body()
    }

    private static func lock(_ path: String, _ operation: Int32) throws -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw error("open", path) }
        while flock(file, operation) != 0 {
            guard errno == EINTR else {
                defer { close(file) }
                throw error("lock", path)
            }
        }
        return file
    }

    private func move(_ file: String, _ destination: String) throws {
        guard Foundation.rename(file, destination) == 0 else { throw Self.error("move", file) }
        try synchronize(path)
    }

    /// Makes changed names last.
    func synchronize(_ folder: String) throws {
        let file = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.error("open", folder) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw Self.error("synchronize", folder) }
    }

    static func error(_ verb: String, _ path: String) -> DatabaseDirectoryError {
        DatabaseDirectoryError(.folder, "can't \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
