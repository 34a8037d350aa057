// Backups as files, each with a digest of its content.
//
//     2026-11-30T07-31-31.512Z.sqlite    a backup
//     2026-11-30T07-31-31.512Z.json      the digest of the database when the backup was made
//     .rowan-backup-…/                   a backup that is being made

import Foundation
public import Rowan
import RowanLitestream
import RowanTenants

/// A folder of backups that `RestoreDrill` can prove.
///
/// ```swift
/// let backups = BackupFolder("/backups/places")
/// try await backups.add(pool)
/// ```
///
/// Article: <doc:RestoreDrills>.
public struct BackupFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// Creates a value for a folder, which need not exist.
    public init(_ path: String) { self.path = URL(fileURLWithPath: path).path }

    /// Adds a backup of a database, with its digest. If the process exits meanwhile, there is no backup.
    ///
    /// Both are made in one read access, so other connections of a `DatabasePool` can write.
    ///
    /// - Parameter database: the database. It is opened again by its configuration, so its passphrase is kept.
    /// - Returns: the path of the backup, which is named by the time.
    /// - Throws: a ``DatabaseError``, and file system errors.
    /// - Complexity: reads the database twice.
    @discardableResult
    public func add(_ database: any DatabaseReader) async throws -> String {
        let folder = try LockedFolder(in: path, prefix: ".rowan-backup-")
        defer { folder.remove() }
        let date = Date()
        let file = folder.path + "/backup"
        let copy = try DatabaseQueue(path: file, configuration: .ofCopy(of: database.configuration))
        let digest = try await database.read { db in
            let digest = try DatabaseDigest(db)
            try copy.writeWithoutTransaction { try db.backup(to: $0) }
            return digest
        }
        try copy.close()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(digest).write(to: URL(fileURLWithPath: folder.path + "/digest"))
        for name in ["backup", "digest"] { try LitestreamReplica.synchronize("\(folder.path)/\(name)") }
        // The backup appears with its digest beside it.
        let base = "\(path)/\(LitestreamReplica.timestamp(date).replacing(":", with: "-"))"
        try FileManager.default.moveItem(atPath: folder.path + "/digest", toPath: base + ".json")
        try FileManager.default.moveItem(atPath: file, toPath: base + ".sqlite")
        try LitestreamReplica.synchronize(path)
        return base + ".sqlite"
    }

    /// A backup.
    struct Backup {
        let path: String
        let date: Date
        /// What the database contained; nil if the backup was made by other means.
        let digest: DatabaseDigest?
    }

    /// The newest backup by its time of change: that of the files, as their names may be those of others.
    func newest() throws -> Backup? {
        let folder = URL(fileURLWithPath: path)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.contentModificationDateKey], options: .skipsHiddenFiles)
        let dates = try files.filter { $0.pathExtension == "sqlite" }.map { file in
            (
                file,
                try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate ?? .distantPast
            )
        }
        guard let (file, date) = dates.max(by: { ($0.1, $0.0.path) < ($1.1, $1.0.path) }) else { return nil }
        let digest = file.deletingPathExtension().appendingPathExtension("json")
        guard FileManager.default.fileExists(atPath: digest.path) else {
            return Backup(path: file.path, date: date, digest: nil)
        }
        return try Backup(
            path: file.path, date: date,
            digest: JSONDecoder().decode(DatabaseDigest.self, from: Data(contentsOf: digest)))
    }
}
