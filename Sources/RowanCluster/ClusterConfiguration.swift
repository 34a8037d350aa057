// How a client of a cluster behaves.

/// How fresh the reads of a cluster are.
public enum ReadConsistency: Sendable, Hashable {
    /// Reads ask the leader. A leader that has lost the others without noticing may answer with a state that is older than
    /// the last commit, for as long as an election takes.
    case leader
    /// A read also asks a majority of the nodes who leads, before it ends: its state contains all that was committed before it
    /// began. It takes one more round trip.
    case confirmed
}

/// The limits of a client of a cluster.
///
/// ```swift
/// var options = ClusterOptions()
/// options.failoverTimeout = .seconds(30)
/// let cluster = try DatabaseCluster(addresses: addresses, database: "app", options: options)
/// ```
public struct ClusterOptions: Sendable {
    /// How long to wait for a connection to one node.
    public var connectTimeout: Duration = .seconds(2)

    /// How long to wait for each answer of the leader. A statement that runs longer is given up.
    public var requestTimeout: Duration = .seconds(20)

    /// How long to look for a leader, and for the outcome of a commit.
    public var failoverTimeout: Duration = .seconds(20)

    /// How long a write transaction may take. Then it is rolled back, because all other clients wait for its end.
    public var transactionTimeout: Duration = .seconds(30)

    /// How often observations ask whether other clients have committed.
    public var observationInterval: Duration = .milliseconds(50)

    /// How fresh the reads are.
    public var consistency: ReadConsistency = .leader

    /// The options of a client on the network of the nodes.
    public init() {}
}

extension Duration {
    /// The instant after this duration.
    var deadline: ContinuousClock.Instant { ContinuousClock.now + self }
}
