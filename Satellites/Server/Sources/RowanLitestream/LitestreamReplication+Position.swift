// Where a machine goes on that has restored the database.
//
// Litestream numbers transactions. A machine without local files of Litestream goes on after the newest change on the
// replica (level 0). A machine that ends just after it has sent a snapshot (level 9) leaves one that is newer than that:
// it contains changes that were never sent by themselves. Litestream 0.5.17 gives their numbers to other transactions.
// Restores then apply changes to a snapshot that they don't belong to, and fail, or lose rows that were confirmed.

import Foundation
import Logging
import Rowan

extension LitestreamReplication {
    /// Brings the numbers of the changes on the replica up to those of its snapshots, and replaces the newest of them.
    ///
    /// Until the new snapshot is there, restores find the old one, which is what this machine began with. Single runs of
    /// Litestream do this, with local files of their own. These tell the next start, too, that it has to go on, if this
    /// process ends meanwhile.
    func goOnAfterSnapshots(_ file: ConfigurationFile) async throws {
        guard FileManager.default.fileExists(atPath: path), !hasLocalFiles else { return }
        let hasBegun = FileManager.default.fileExists(atPath: file.singleRunFolder)
        var position = try await replicaPosition(file)
        let goal = position.newest
        guard hasBegun || position.newestChange < goal else { return }
        logger.notice(
            """
            the replica has a snapshot with transaction \(goal), but changes up to \(position.newestChange) only, as after a \
            machine that ended while it sent them: writing a new snapshot
            """)
        while position.newestChange + 1 < goal {
            let before = position.newestChange
            try await commitWithoutChanges()
            try await runOnce(file)
            position = try await replicaPosition(file)
            guard position.newestChange > before else {
                throw LitestreamError(
                    .commandFailed,
                    """
                    the replica has a snapshot with transaction \(goal), and Litestream does not get past transaction \
                    \(before): replicate to an empty URL
                    """)
            }
        }
        // In one run: a change after the old snapshot's last one would not belong to it.
        try await commitWithoutChanges()
        try await runOnce(file, "-force-snapshot")
        if FileManager.default.fileExists(atPath: file.singleRunFolder) {
            try FileManager.default.removeItem(atPath: file.singleRunFolder)
        }
    }

    /// Whether Litestream has replicated the database on this machine, and knows where it was.
    private var hasLocalFiles: Bool {
        let url = URL(fileURLWithPath: path)
        let files = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent)-litestream")
        // No folder, no files.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: files.path + "/ltx/0")) ?? []
        return names.contains { $0.hasSuffix(".ltx") }
    }

    /// Sends what there is.
    private func runOnce(_ file: ConfigurationFile, _ options: String...) async throws {
        _ = try await replica.program.run(
            ["replicate", "-config", file.singleRunPath, "-once"] + options, environment: file.environment)
    }

    /// A commit that Litestream gives a number to.
    private func commitWithoutChanges() async throws {
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
    private func replicaPosition(_ file: ConfigurationFile) async throws -> (newest: UInt64, newestChange: UInt64) {
        let text = try await replica.program.run(
            ["ltx", "-config", file.singleRunPath, "-level", "all", "-json", path], environment: file.environment)
        do {
            let files = try JSONDecoder().decode([ReplicaFile].self, from: Data(text.utf8))
            let changes = files.filter { $0.level == 0 }
            return (files.map(\.last).max() ?? 0, changes.map(\.last).max() ?? 0)
        } catch let error as DecodingError {
            throw LitestreamError(
                .commandFailed, "the answer of litestream ltx can't be read (\(error)): use Litestream 0.5.17 or later")
        }
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
