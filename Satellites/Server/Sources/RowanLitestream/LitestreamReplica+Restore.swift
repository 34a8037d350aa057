// Restores: into a folder beside the database first, so that a database is there as a whole or not at all.

public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

extension LitestreamReplica {
    /// What ``restoreIfMissing(to:integrityCheck:)`` has found.
    public enum RestoreOutcome: Sendable, Hashable {
        /// The database was there: nothing was restored.
        case databaseExists
        /// The replica is empty, as before the first start: nothing was restored.
        case noBackup
        /// The database was restored.
        case restored
    }

    /// How thoroughly a restored database is checked before it gets its name.
    public enum IntegrityCheck: String, Sendable, Hashable {
        /// No check.
        case none
        /// `PRAGMA quick_check`.
        case quick
        /// `PRAGMA integrity_check`.
        case full
    }

    /// Restores a database that does not exist: what a server does first.
    ///
    /// ```swift
    /// try await replica.restoreIfMissing(to: "/data/places.sqlite")
    /// let pool = try DatabasePool(path: "/data/places.sqlite", configuration: configuration)
    /// ```
    ///
    /// After a failure, or if the process ends, nothing is at the path: the next start tries again.
    ///
    /// - Parameters:
    ///   - path: The path of the database. Its folder is created.
    ///   - integrityCheck: A check of the restored database.
    /// - Throws: ``LitestreamError``, and errors of the disk. An empty replica is no error.
    ///
    /// Source: <https://litestream.io/reference/restore/>
    @discardableResult
    public func restoreIfMissing(
        to path: String, integrityCheck: IntegrityCheck = .none
    ) async throws -> RestoreOutcome {
        guard !FileManager.default.fileExists(atPath: path) else { return .databaseExists }
        do {
            try await restore(to: path, integrityCheck: integrityCheck)
            return .restored
        } catch let error as LitestreamError where error.kind == .noBackup {
            return .noBackup
        }
    }

    /// Restores a database, as it was at a date, or as the replica knows it now.
    ///
    /// ```swift
    /// // Before the mistake of 14:03.
    /// try await replica.restore(to: "/data/before.sqlite", at: date)
    /// ```
    ///
    /// The database contains the commits that Litestream had sent by the date: those of the last
    /// ``LitestreamReplica/syncInterval`` before it may be missing. Litestream merges what is older than
    /// ``LitestreamReplica/detailedRetention``: there, the last thirty seconds or more may be missing.
    ///
    /// - Parameters:
    ///   - path: The path of the database. Its folder is created.
    ///   - date: A moment, or nil for the newest state.
    ///   - integrityCheck: A check of the restored database.
    /// - Throws: ``LitestreamError/Kind/databaseExists`` if a database is there, or the WAL or the journal of one;
    ///   ``LitestreamError/Kind/noBackup`` if the replica is empty, or younger than the date; other kinds, and errors of
    ///   the disk. Nothing is at the path then.
    ///
    /// Source: <https://litestream.io/reference/restore/>
    public func restore(
        to path: String, at date: Date? = nil, integrityCheck: IntegrityCheck = .none
    ) async throws {
        try Self.refuseExisting(path)
        let target = URL(fileURLWithPath: path)
        let parent = target.deletingLastPathComponent()
        let folder = parent.appendingPathComponent(".\(target.lastPathComponent).restoring-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // What is left over has a name of its own, and is in no one's way.
        defer { try? FileManager.default.removeItem(at: folder) }
        let restored = folder.appendingPathComponent("database")
        let file = try ConfigurationFile(replica: self, database: target.path)
        defer { file.remove() }
        var arguments = ["restore", "-config", file.path, "-o", restored.path, "-if-replica-exists"]
        if let date { arguments += ["-timestamp", Self.timestamp(date)] }
        if integrityCheck != .none { arguments += ["-integrity-check", integrityCheck.rawValue] }
        do {
            _ = try await program.run(arguments + [target.path], environment: file.environment)
        } catch let error as LitestreamError where error.message.contains("timestamp does not exist") {
            throw LitestreamError(.noBackup, "the replica contains no state before \(date.map(Self.timestamp) ?? "")")
        }
        guard FileManager.default.fileExists(atPath: restored.path) else {
            throw LitestreamError(.noBackup, "the replica contains no backup of \(target.lastPathComponent)")
        }
        try Self.synchronize(restored.path)
        try Self.refuseExisting(path)
        // A link, unlike a renaming, never replaces a file.
        guard link(restored.path, target.path) == 0 else {
            guard errno != EEXIST else { return try Self.refuseExisting(path) }
            throw CocoaError.error(
                .fileWriteUnknown, userInfo: ["reason": String(cString: strerror(errno))], url: target)
        }
        try Self.synchronize(parent.path)
    }

    private static func refuseExisting(_ path: String) throws {
        // SQLite would apply a WAL or a journal that was left behind to the restored database.
        for suffix in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: path + suffix) {
            throw LitestreamError(
                .databaseExists,
                "\(path)\(suffix) exists, and a restore never overwrites: move it away, or restore to another path.")
        }
    }

    /// Gives a file, or the names of a folder, to the disk.
    private static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw CocoaError.error(.fileWriteUnknown, userInfo: ["reason": reason], url: URL(fileURLWithPath: path))
        }
        close(descriptor)
    }

    private static func timestamp(_ date: Date) -> String {
        date.formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    }
}
