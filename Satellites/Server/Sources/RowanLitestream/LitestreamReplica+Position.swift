// The position at which a machine continues after it has restored the database.
//
// Litestream numbers transactions. A machine without local Litestream files continues after the newest change on the
// replica (level 0). A machine that is lost just after it has sent a snapshot (level 9) leaves one that is newer than
// that: it contains changes that were never sent separately. Litestream 0.5.17 gives their numbers to other
// transactions. Restores then apply changes to a snapshot that they don't belong to, and fail or lose confirmed rows.

import Foundation
import Logging
import Rowan

extension LitestreamReplica {
    /// Brings the numbers of the changes on the replica up to those of its snapshots.
    ///
    /// Single runs of Litestream send changes of a copy that is restored from the replica itself. They change nothing,
    /// so they also belong to the snapshot: whenever this process exits, restores find the same as before. The
    /// program's database is not touched. The first change of the service afterwards is complete, because Litestream
    /// has sent the last one from another file.
    func goOnAfterSnapshots(of path: String, _ logger: Logger) async throws {
        guard !Self.hasLocalFiles(path) else { return }
        let folder = Self.files(path, "litestream-copy")
        // An earlier start may have been killed.
        try? FileManager.default.removeItem(at: folder)
        var position = try await position(of: path)
        let goal = position.newest
        guard position.newestChange < goal else { return }
        logger.notice(
            """
            the replica has a snapshot with transaction \(goal), but changes up to \(position.newestChange) only, as after a \
            machine that ended while it sent them: going on after the snapshot
            """)
        defer {
            // The next start retries.
            try? FileManager.default.removeItem(at: folder)
        }
        let copy = folder.appendingPathComponent("copy").path
        try await restore(to: copy)
        let copyFile = try ConfigurationFile(replica: self, database: copy, isSingleRun: true)
        defer { copyFile.remove() }
        while position.newestChange < goal {
            let before = position.newestChange
            try await Self.commitWithoutChanges(to: copy)
            _ = try await program.run(
                ["replicate", "-config", copyFile.path, "-once"], environment: copyFile.environment)
            position = try await self.position(of: path)
            guard position.newestChange > before else {
                throw LitestreamError(
                    .commandFailed,
                    """
                    the replica has a snapshot with transaction \(goal), and Litestream does not get past transaction \
                    \(before): replicate to an empty URL
                    """)
            }
        }
    }

    /// Whether Litestream has replicated the database on this machine and has a record of its position.
    private static func hasLocalFiles(_ path: String) -> Bool {
        // No folder, no files.
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: files(path, "litestream").path + "/ltx/0")) ?? []
        return names.contains { $0.hasSuffix(".ltx") }
    }

    /// A hidden folder next to the database.
    private static func files(_ path: String, _ suffix: String) -> URL {
        let url = URL(fileURLWithPath: path)
        return url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent)-\(suffix)")
    }

    /// A commit that Litestream gives a number.
    private static func commitWithoutChanges(to path: String) async throws {
        var configuration = Configuration()
        configuration.replicatedByLitestream = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try await queue.write { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            try db.execute(sql: "PRAGMA user_version = \(version)")
        }
        try queue.close()
    }

    /// The newest transactions of the replica: of all its files, and of those with single changes.
    fileprivate func position(of path: String) async throws -> (newest: UInt64, newestChange: UInt64) {
        let file = try ConfigurationFile(replica: self, database: path)
        defer { file.remove() }
        let files = try await program.answer(
            [ReplicaFile].self, ["ltx", "-config", file.path, "-level", "all", "-json", path],
            environment: file.environment)
        let changes = files.filter { $0.level == 0 }
        return (files.map(\.last).max() ?? 0, changes.map(\.last).max() ?? 0)
    }

    private struct ReplicaFile: Decodable {
        let level: Int
        let last: UInt64

        private enum CodingKeys: String, CodingKey {
            case level
            case last = "max_txid"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            level = try container.decode(Int.self, forKey: .level)
            let digits = try container.decode(String.self, forKey: .last)
            guard let number = UInt64(digits, radix: 16) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .last, in: container, debugDescription: "\(digits) is no number of a transaction")
            }
            last = number
        }
    }
}

extension LitestreamReplication {
    /// The newest transaction of which the replica has the change.
    package func newestSentTransaction() async throws -> UInt64 {
        try await replica.position(of: path).newestChange
    }
}
