// How far a replica is.

public import Foundation

/// A database of the running Litestream.
struct LitestreamDatabase {
    let path: String
    let isReplicating: Bool
    let lastSync: Date?
}

/// Litestream's report on the replication of a database.
public struct LitestreamStatus: Sendable, Hashable {
    /// Whether Litestream runs and replicates this database.
    public internal(set) var isRunning = false

    /// The version of the running Litestream.
    public internal(set) var version: String?

    /// The process of the running Litestream.
    public internal(set) var processIdentifier: Int32?

    /// The last time at which the replica had all changes.
    ///
    /// Litestream checks the replica every few seconds, even if nothing was written.
    public internal(set) var lastSync: Date?

    /// The number of times the service has restarted Litestream.
    public internal(set) var restarts = 0

    /// The maximum age of the changes that the replica lacks; nil if it has never had all changes since the start.
    ///
    /// In normal operation, it stays below five seconds and the ``LitestreamReplica/syncInterval``.
    public var lag: Duration? {
        lastSync.map { .milliseconds(Int64(max(0, Date().timeIntervalSince($0)) * 1000)) }
    }
}
