// The limit of the write-ahead log. SQLite restarts the log once its content is in the database file and no read needs
// it. With overlapping reads, this never happens by itself.
// Source: https://sqlite.org/wal.html#avoiding_excessively_large_wal_files

import RowanPlatform
import Synchronization

/// The limit of a write-ahead log, and the results of enforcing it.
final class WriteAheadLimit: Sendable {
    private struct State {
        /// The number of pages that the writer had written when the file was last checked.
        var lookedAt = 0
        /// Whether the next write must check the file: the first write, and those after a failed truncation.
        var isDue = true
        /// The uptime from which the log may be emptied, so that a long read does not delay every write.
        var nextTruncation: UInt64 = 0
        /// The time, in seconds, that the writer waits for reads to finish. It increases after a failed wait.
        var timeout = timeouts.lowerBound
        var truncationCount = 0
        var blockedCount = 0
    }

    /// In bytes.
    private let size: Int
    private let state = Mutex(State())

    /// The time, in seconds, that the writer waits for reads to finish. A truncation waits for two reads in sequence:
    /// the last one that needs the old content, and the last one that began before that content was in the file.
    private static let timeouts = 0.1...1.0
    /// The pause after a wait, as a multiple of its duration. After a successful wait, the pause is shorter if the log
    /// has become several times as large as its limit.
    private static let pauseFactor = 10.0
    private static let smallestPauseFactor = 3.0
    /// The maximum page size of a database, in bytes.
    private static let largestPageSize = 65_536

    init(size: Int) { self.size = size }

    var truncationCount: Int { state.withLock { $0.truncationCount } }
    var blockedCount: Int { state.withLock { $0.blockedCount } }

    /// Empties the log if it exceeds the limit.
    ///
    /// - Parameter db: the writer, between two accesses.
    func writerDidWrite(_ db: Database) {
        // A suspended program must not hold a lock.
        guard !db.connection.isSuspended.load(ordering: .relaxed) else { return }
        let pageCount = db.connection.writtenPageCount
        let isDue = state.withLock { state in
            // The log grows by the amount written, so most writes need not check the file. SQLite's counter may be
            // reset.
            let isBehind = pageCount < state.lookedAt
            let isFar = pageCount - state.lookedAt >= size / 16 / Self.largestPageSize
            guard isBehind || isFar || state.isDue, Uptime.now >= state.nextTruncation else { return false }
            (state.lookedAt, state.isDue) = (pageCount, false)
            return true
        }
        guard isDue, let path = db.connection.mainFileName else { return }
        let logSize = fileSize(path + "-wal")
        // A program that runs its own checkpoints has turned off the automatic ones.
        guard logSize > size, db.connection.automaticCheckpointSize > 0 else { return }
        truncate(db.connection, excess: Double(logSize) / Double(Swift.max(size, 1)))
    }

    /// Empties the log. SQLite blocks other writers and waits for the reads that need content not yet in the file, then
    /// for all other reads from the log. Reads that begin after the copy don't use the log, so only the currently
    /// running reads matter.
    ///
    /// - Parameter excess: the size of the log as a multiple of its limit.
    private func truncate(_ connection: LocalConnection, excess: Double) {
        guard let hooks = connection.hooks else { return }
        let start = Uptime.now
        var wait = LockWait(timeout: state.withLock(\.timeout))
        // One wait for all locks of the checkpoint.
        wait.begin()
        var pauseCount = 0
        let code = hooks.waitingForLocks { _ in
            pauseCount += 1
            return wait.goesOn(after: pauseCount) { connection.isSuspended.load(ordering: .relaxed) }
        } _: {
            connection.checkpointUnchecked(Database.CheckpointMode.truncate.rawValue, on: "main")
        }
        let now = Uptime.now
        let duration = Double(now - start)
        let isTruncated = code == ResultCode.SQLITE_OK.rawValue
        state.withLock { state in
            if isTruncated { state.truncationCount += 1 } else { state.blockedCount += 1 }
            state.isDue = !isTruncated
            if pauseCount > 0 {
                let wanted = isTruncated ? 2 * duration / 1e9 : 2 * state.timeout
                state.timeout = Swift.min(Swift.max(wanted, Self.timeouts.lowerBound), Self.timeouts.upperBound)
            } else if isTruncated {
                return
            }
            let pause =
                isTruncated
                ? duration * Swift.max(Self.pauseFactor / excess, Self.smallestPauseFactor)
                // A truncation can fail immediately: another process holds a lock, or the disk is full.
                : Swift.max(duration, 1e9 * Self.timeouts.lowerBound / 10) * Self.pauseFactor
            state.nextTruncation = now + UInt64(pause)
        }
    }

    /// 0 for a file that does not exist.
    private func fileSize(_ path: String) -> Int { FileStatus(path)?.size ?? 0 }
}
