// What the connections of a pool are doing.

import Foundation

/// What the connections of a pool are doing at a moment.
///
/// ```swift
/// let status = dbPool.status
/// print("\(status.reads.count) of \(status.maximumReaderCount) readers in use, \(status.waitingReadCount) waiting")
/// if let oldest = status.reads.first {
///     print("the oldest: \(oldest)")   // read for 3.2 seconds, last statement: SELECT * FROM player
/// }
/// ```
///
/// Article: <doc:Concurrency>.
public struct DatabasePoolStatus: Sendable {
    /// An access that is running, or a snapshot that is open.
    public struct Access: Sendable, CustomStringConvertible {
        /// The kinds of accesses.
        public enum Kind: String, Sendable {
            /// A read of a reader.
            case read
            /// A write.
            case write
            /// A ``DatabaseSnapshot`` or a ``DatabaseSnapshotPool``.
            case snapshot
        }

        /// What the access does.
        public let kind: Kind
        /// Where the program has opened a snapshot, or begun a read with ``DatabaseReader/atCallSite(fileID:line:)``.
        public let callSite: CallSite?
        /// The last statement of a read, without its arguments, if the configuration has a
        /// ``Configuration/readerTimeout`` or reports long reads.
        public let sql: String?
        /// How long the access has been running.
        public let duration: Duration
        /// An uptime.
        let beginning: UInt64

        /// `read at App/PlayerStore.swift:42 for 3.2 seconds, last statement: SELECT * FROM player`.
        public var description: String {
            let site = callSite.map { " at \($0)" } ?? ""
            let sql = sql.map { ", last statement: \($0)" } ?? ""
            return "\(kind.rawValue)\(site) for \(duration.inSeconds)\(sql)"
        }
    }

    /// The running reads, and the snapshots that the pool has made: the oldest first.
    public let reads: [Access]
    /// The running write, if there is one.
    public let write: Access?
    /// The number of open readers. Readers open on demand.
    public let openReaderCount: Int
    /// The most readers that the configuration allows.
    public let maximumReaderCount: Int
    /// The number of reads that wait for a reader.
    public let waitingReadCount: Int
    /// The number of writes that wait for the writer.
    public let waitingWriteCount: Int
    /// The longest time that a read has waited for its reader since the pool was opened, ended or not.
    public let longestReadWait: Duration
    /// The longest time that a write has waited for the writer since the pool was opened, ended or not.
    public let longestWriteWait: Duration
    /// The size of the write-ahead log in bytes. SQLite writes it again from its beginning when all its content is in
    /// the database file, and no read needs it any more. <https://sqlite.org/wal.html#ckpt>
    public let walSize: Int
    /// How many times the writer has emptied the write-ahead log, because it exceeded ``Configuration/walSizeLimit``.
    public let walTruncationCount: Int
    /// How many times the writer tried to empty the write-ahead log, but a long read, a snapshot, or another process
    /// needed it.
    public let blockedWALTruncationCount: Int
}

extension DatabasePool {
    /// What the connections are doing now. It waits for no access.
    ///
    /// Complexity: O(N), N being the number of readers, waiting accesses and snapshots.
    public var status: DatabasePoolStatus {
        let (write, read, now) = (writer.waits, readers.waits, Uptime.now)
        return DatabasePoolStatus(
            reads: longReads.reads(now).map(\.access),
            write: writer.allConnections.lazy.compactMap { DatabasePoolStatus.Access(.write, $0.record, now) }.first,
            openReaderCount: readers.allConnections.count, maximumReaderCount: configuration.maximumReaderCount,
            waitingReadCount: read.count, waitingWriteCount: write.count, longestReadWait: read.longest,
            longestWriteWait: write.longest, walSize: longReads.walSize,
            walTruncationCount: writeAheadLimit?.truncationCount ?? 0,
            blockedWALTruncationCount: writeAheadLimit?.blockedCount ?? 0)
    }
}

extension DatabasePoolStatus.Access {
    /// The current access of a record, or nil if there is none.
    init?(_ kind: Kind, _ record: AccessRecord, _ now: UInt64) {
        guard let (beginning, site, sql) = record.current else { return nil }
        self.init(
            kind: kind, callSite: site.callSite, sql: sql, duration: Uptime.duration(from: beginning, to: now),
            beginning: beginning)
    }
}

extension Duration {
    /// `3.2 seconds`, or `20 milliseconds`.
    var inSeconds: String {
        guard nanoseconds >= 1_000_000_000 else { return "\(nanoseconds / 1_000_000) milliseconds" }
        let tenths = nanoseconds / 100_000_000
        return "\(tenths / 10).\(tenths % 10) seconds"
    }
}
