// The limit of the write-ahead log. SQLite writes the log anew once its content is in the database file, and no read needs
// it: with reads that overlap, this moment never comes by itself.
// Source: https://sqlite.org/wal.html#avoiding_excessively_large_wal_files

import Synchronization

/// The limit of a write-ahead log, and what has come of it.
package final class WriteAheadLimit: Sendable {
    /// In bytes.
    let size: Int
    private let truncations = Atomic<Int>(0)
    private let blocked = Atomic<Int>(0)

    init(size: Int) { self.size = size }

    var truncationCount: Int { truncations.load(ordering: .relaxed) }
    var blockedCount: Int { blocked.load(ordering: .relaxed) }

    fileprivate func noteTruncation() { truncations.add(1, ordering: .relaxed) }
    fileprivate func noteBlocked() { blocked.add(1, ordering: .relaxed) }
}

extension Database {
    /// Makes the checkpoints of the connection, and empties the write-ahead log when it exceeds the limit.
    ///
    /// It replaces SQLite's automatic checkpoints, with the same effect below the limit. A program that has turned them
    /// off makes its own.
    func limitWriteAheadLog(_ limit: WriteAheadLimit) throws {
        let automaticFrameCount = try Int.fetchOne(makeStatement(sql: "PRAGMA wal_autocheckpoint")) ?? 0
        guard automaticFrameCount > 0 else { return }
        // The page size of a database in WAL mode does not change.
        let pageSize = try Int.fetchOne(makeStatement(sql: "PRAGMA page_size")) ?? 4_096
        let checkpoints = Checkpoints(
            connection, limit, automaticFrameCount: automaticFrameCount,
            maximumFrameCount: limit.size / (pageSize + Self.frameHeaderSize))
        try connection.openHooks().onWriteAhead { checkpoints.didCommit(schema: $0, frameCount: $1) }
    }

    /// In bytes. <https://sqlite.org/fileformat2.html#walformat>
    private static let frameHeaderSize = 24
}

/// The checkpoints of a connection that writes.
private final class Checkpoints {
    private unowned let connection: LocalConnection
    private let limit: WriteAheadLimit
    private let automaticFrameCount: Int
    private let maximumFrameCount: Int
    /// When the log may be emptied, an uptime: a long read must not stop each write.
    private var nextTruncation: UInt64 = 0

    /// How long the writer waits for the end of reads.
    private static let timeout = 0.1
    /// A wait in vain is followed by so many times its duration without another one.
    private static let pauseFactor: UInt64 = 10

    init(_ connection: LocalConnection, _ limit: WriteAheadLimit, automaticFrameCount: Int, maximumFrameCount: Int) {
        (self.connection, self.limit) = (connection, limit)
        (self.automaticFrameCount, self.maximumFrameCount) = (automaticFrameCount, maximumFrameCount)
    }

    func didCommit(schema: UnsafePointer<CChar>?, frameCount: Int) {
        if frameCount > maximumFrameCount, Uptime.now >= nextTruncation {
            truncate(schema)
        } else if frameCount >= automaticFrameCount {
            // Without waiting. If it fails, the next commit tries again.
            _ = connection.checkpointUnchecked(Database.CheckpointMode.passive.rawValue, on: schema)
        }
    }

    /// SQLite keeps other writers out, and waits for the reads that need content which is not in the file yet, then for those
    /// that read from the log at all. A read that begins after the copy needs no log: only reads that are running now
    /// matter.
    private func truncate(_ schema: UnsafePointer<CChar>?) {
        guard let hooks = connection.hooks else { return }
        let start = Uptime.now
        var wait = LockWait(timeout: Self.timeout)
        // One wait for all locks of the checkpoint.
        wait.begin()
        var pauseCount = 0
        let isDone = hooks.waitingForLocks { [unowned connection] _ in
            pauseCount += 1
            return wait.goesOn(after: pauseCount) { connection.isAccessCancelled }
        } _: {
            connection.checkpointUnchecked(Database.CheckpointMode.truncate.rawValue, on: schema)
        }
        guard !isDone else { return limit.noteTruncation() }
        limit.noteBlocked()
        let now = Uptime.now
        nextTruncation = now + (now - start) * Self.pauseFactor
    }
}
