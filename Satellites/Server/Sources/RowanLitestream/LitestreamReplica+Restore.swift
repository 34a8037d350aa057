// Restores go to a folder next to the database first, so that a database exists completely or not at all.

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
    /// The outcome of ``restoreIfMissing(to:at:integrityCheck:)``.
    public enum RestoreOutcome: Sendable, Hashable {
        /// The database existed, so nothing was restored.
        case databaseExists
        /// The replica is empty, as before the first start, so nothing was restored.
        case noBackup
        /// The database was restored.
        case restored
    }

    /// The check of a restored database before it gets its name.
    public enum IntegrityCheck: String, Sendable, Hashable {
        /// No check.
        case none
        /// `PRAGMA quick_check`.
        case quick
        /// `PRAGMA integrity_check`.
        case full
    }

    /// Restores a database if it does not exist, when a server starts.
    ///
    /// ```swift
    /// try await replica.restoreIfMissing(to: "/data/places.sqlite")
    /// let pool = try DatabasePool(path: "/data/places.sqlite", configuration: configuration)
    /// ```
    ///
    /// After a failure, or if the process exits, the path is empty: the next start retries.
    ///
    /// - Parameters:
    ///   - path: The path of the database. Its folder is created.
    ///   - date: A date, or nil for the newest state.
    ///   - integrityCheck: A check of the restored database.
    /// - Throws: ``LitestreamError``, and file system errors. An empty replica is not an error.
    ///
    /// Source: <https://litestream.io/reference/restore/>
    @discardableResult
    public func restoreIfMissing(
        to path: String, at date: Date? = nil, integrityCheck: IntegrityCheck = .none
    ) async throws -> RestoreOutcome {
        guard !FileManager.default.fileExists(atPath: path) else { return .databaseExists }
        do {
            try await restore(to: path, at: date, integrityCheck: integrityCheck)
            return .restored
        } catch let error as LitestreamError where error.kind == .noBackup {
            return .noBackup
        }
    }

    /// Restores a database as of a date, or in its newest replicated state.
    ///
    /// ```swift
    /// // Before the mistake of 14:03.
    /// try await replica.restore(to: "/data/before.sqlite", at: date)
    /// ```
    ///
    /// The database contains the commits that Litestream had sent by the date; those of the last
    /// ``LitestreamReplica/syncInterval`` before it may be missing. Litestream merges changes older than
    /// ``LitestreamReplica/detailedRetention``, so for those dates, the last thirty seconds or more may be missing.
    ///
    /// - Parameters:
    ///   - path: The path of the database. Its folder is created.
    ///   - date: A date, or nil for the newest state.
    ///   - integrityCheck: A check of the restored database.
    /// - Throws: ``LitestreamError/Kind/databaseExists`` if there is a database, or the WAL or journal of one;
    ///   ``LitestreamError/Kind/noBackup`` if the replica is empty or newer than the date; other kinds, and file system
    ///   errors. The path is then empty.
    ///
    /// Source: <https://litestream.io/reference/restore/>
    public func restore(
        to path: String, at date: Date? = nil, integrityCheck: IntegrityCheck = .none
    ) async throws {
        try await restore(to: path, at: date, transaction: nil, integrityCheck)
    }

    /// Restores the database in the state after a transaction of Litestream.
    package func restore(to path: String, transaction: UInt64) async throws {
        try await restore(to: path, at: nil, transaction: transaction, .none)
    }

    private func restore(
        to path: String, at date: Date?, transaction: UInt64?, _ integrityCheck: IntegrityCheck
    ) async throws {
        try Self.refuseExisting(path)
        let target = URL(fileURLWithPath: path)
        let parent = target.deletingLastPathComponent()
        let folder = parent.appendingPathComponent(".\(target.lastPathComponent).restoring-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The remaining folder has a unique name and can stay.
        defer { try? FileManager.default.removeItem(at: folder) }
        let restored = folder.appendingPathComponent("database")
        let file = try ConfigurationFile(replica: self, database: target.path)
        defer { file.remove() }
        var arguments = ["restore", "-config", file.path, "-o", restored.path, "-if-replica-exists"]
        if let date { arguments += ["-timestamp", Self.timestamp(date)] }
        if let transaction { arguments += ["-txid", String(format: "%016llx", transaction)] }
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
        // A link, unlike a rename, never replaces a file.
        guard link(restored.path, target.path) == 0 else {
            guard errno != EEXIST else { return try Self.refuseExisting(path) }
            throw CocoaError.error(
                .fileWriteUnknown, userInfo: ["reason": String(cString: strerror(errno))], url: target)
        }
        try Self.synchronize(parent.path)
    }

    private static func refuseExisting(_ path: String) throws {
        // SQLite would apply a leftover WAL or journal to the restored database.
        for suffix in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: path + suffix) {
            throw LitestreamError(
                .databaseExists,
                "\(path)\(suffix) exists, and a restore never overwrites: move it away, or restore to another path.")
        }
    }

    /// Writes a file, or the names in a folder, to the disk.
    package static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw CocoaError.error(.fileWriteUnknown, userInfo: ["reason": reason], url: URL(fileURLWithPath: path))
        }
        close(descriptor)
    }

    /// The date in UTC with milliseconds, such as `2026-11-30T07:31:31.512Z`.
    package static func timestamp(_ date: Date) -> String {
        date.formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    }
}
