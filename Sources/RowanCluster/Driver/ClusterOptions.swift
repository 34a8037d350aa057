// The behavior of a client of a cluster.

/// The consistency of the reads of a cluster.
///
/// Article: <doc:PastOneMachine>.
public enum ReadConsistency: Sendable, Hashable {
    /// Reads use the leader.
    ///
    /// A leader that has lost contact with the others, but has not noticed it yet, may respond with a state from before
    /// the last commits, for about as long as an election takes.
    case leader
    /// Before it finishes, a read also has a majority of the nodes confirm the leader: it sees everything that was
    /// committed before it started.
    ///
    /// The majority is that of the members, and of all addresses that the program has given: remove the addresses of
    /// nodes that no longer exist. It takes two more round trips, and throws a ``Rowan/DatabaseError`` whose `isLeaderChange` is true if the
    /// majority follows another node or does not respond within ``ClusterOptions/connectTimeout``. In an access without
    /// a transaction, such as `unsafeRead`, all rows of a statement arrive before the program gets the first one.
    case confirmed
}

/// The timeouts of a client of a cluster, and the consistency of its reads.
///
/// ```swift
/// var options = ClusterOptions()
/// options.failoverTimeout = .seconds(30)
/// let cluster = try DatabaseCluster(addresses: addresses, database: "app", options: options)
/// ```
///
/// Article: <doc:PastOneMachine>.
public struct ClusterOptions: Sendable {
    /// The maximum time to wait for one node. While other nodes may respond, a node that does not is skipped early and
    /// retried.
    public var connectTimeout: Duration = .seconds(2)

    /// The maximum time to wait for each response of the leader. A statement that takes longer fails.
    public var requestTimeout: Duration = .seconds(20)

    /// The maximum time to search for a leader, and for the outcome of a commit whose leader is gone.
    public var failoverTimeout: Duration = .seconds(20)

    /// The maximum duration of a write transaction. A longer one is rolled back and throws SQLITE_INTERRUPT. All other
    /// clients wait for its end.
    public var transactionTimeout: Duration = .seconds(30)

    /// The time for which a thread polls for a response before it sleeps. Zero to sleep immediately.
    ///
    /// A short read takes less time than waking a thread. While it polls, the thread yields to others.
    public var spinDuration: Duration = .microseconds(100)

    /// The interval at which observations poll for commits by other clients. At least a millisecond.
    public var observationInterval: Duration = .milliseconds(50)

    /// The consistency of reads. A write that changes rows has seen the last commit.
    public var consistency: ReadConsistency = .leader

    /// The options of a client in the same network as the nodes.
    public init() {}
}

extension Duration {
    /// The instant after this duration.
    var deadline: ContinuousClock.Instant { ContinuousClock.now + self }
}
