// The activity of a pool's connections.

/// The activity of a pool's connections at one moment.
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
    /// A running access or an open snapshot.
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

        /// The kind of access.
        public let kind: Kind
        /// The call site that opened the snapshot, or that began the read with
        /// ``DatabaseReader/atCallSite(fileID:line:)``.
        public let callSite: CallSite?
        /// The last statement of a read, without arguments, if the configuration has a ``Configuration/readerTimeout``
        /// or reports long reads.
        public let sql: String?
        /// The time for which the access has been running.
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

    /// The running reads and the snapshots made by the pool, oldest first.
    public let reads: [Access]
    /// The running write, if any.
    public let write: Access?
    /// The number of open readers. Readers are opened on demand.
    public let openReaderCount: Int
    /// The maximum number of readers allowed by the configuration.
    public let maximumReaderCount: Int
    /// The number of reads waiting for a reader.
    public let waitingReadCount: Int
    /// The number of writes waiting for the writer.
    public let waitingWriteCount: Int
    /// The longest time that a read has waited for a reader since the pool was opened, including waits in progress.
    public let longestReadWait: Duration
    /// The longest time that a write has waited for the writer since the pool was opened, including waits in progress.
    public let longestWriteWait: Duration
    /// The size of the write-ahead log in bytes. SQLite restarts it from its beginning when all its content is in the
    /// database file and no read needs it. <https://sqlite.org/wal.html#ckpt>
    public let walSize: Int
    /// The number of times the writer has emptied the write-ahead log because it exceeded
    /// ``Configuration/walSizeLimit``.
    public let walTruncationCount: Int
    /// The number of times the writer tried to empty the write-ahead log but a long read, a snapshot or another process
    /// needed it.
    public let blockedWALTruncationCount: Int
}

extension DatabasePool {
    /// The current activity of the connections. Reading it waits for no access.
    ///
    /// Complexity: O(N), where N is the number of readers, waiting accesses and snapshots.
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
