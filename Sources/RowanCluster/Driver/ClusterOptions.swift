// The behavior of a client of a cluster, and what it reports about its work.

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
    /// nodes that no longer exist. It takes two more round trips, and throws a ``Rowan/DatabaseError`` whose `isLeaderChange` is
    /// true if the majority follows another node or does not respond within ``ClusterOptions/connectTimeout``. In an access without
    /// a transaction, such as `unsafeRead`, all rows of a statement arrive before the program gets the first one.
    case confirmed
}

/// An event of a client of a cluster: see ``ClusterOptions/eventHandler``.
///
/// Later versions may add events: handle unknown ones with `default`.
///
/// Article: <doc:PastOneMachine>.
public enum ClusterEvent: Sendable, Hashable {
    /// The reason for a retry.
    public enum RetryReason: String, Sendable, Hashable, CaseIterable {
        /// The leader is gone, or leads no longer.
        case leader
        /// Another client is writing.
        case lock
    }

    /// The leader has replied to requests that were sent together. The time ends with the last reply; if that is the
    /// rows of a query, with the first part of them. Requests whose reply nothing waits for are not reported.
    case roundTrip(duration: Duration, requestCount: Int)
    /// The client has found a leader other than the previous one.
    case leaderChange(from: NodeAddress, to: NodeAddress)
    /// Requests that have changed nothing are sent again.
    case retry(RetryReason)
    /// No leader was found in time: see ``ClusterOptions/failoverTimeout``.
    case failedSearch
}

/// The timeouts of a client of a cluster, the consistency of its reads, and the handler of its events.
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

    /// The maximum time to wait for each response of the leader. A statement that takes longer fails. A leader that is
    /// silent for a second while the other nodes follow another one is left earlier.
    public var requestTimeout: Duration = .seconds(20)

    /// The maximum time to search for a leader, and for the outcome of a commit whose leader is gone.
    public var failoverTimeout: Duration = .seconds(20)

    /// The maximum duration of a write transaction. A longer one is rolled back and throws SQLITE_INTERRUPT. All other
    /// clients wait for its end.
    public var transactionTimeout: Duration = .seconds(30)

    /// The time for which a thread polls for a response before it sleeps. Zero to sleep immediately.
    ///
    /// A short read takes less time than waking a thread. While it polls, the thread yields to others. At most one thread
    /// for every two processors polls at a time.
    public var spinDuration: Duration = .microseconds(300)

    /// The interval at which observations poll for commits by other clients. At least a millisecond.
    public var observationInterval: Duration = .milliseconds(50)

    /// The consistency of reads. A write that changes rows has seen the last commit.
    public var consistency: ReadConsistency = .leader

    /// Called for each round trip, retry, change of the leader, and search that has failed.
    ///
    /// ```swift
    /// options.eventHandler = { event in
    ///     if case .leaderChange(_, let leader) = event { logger.notice("the leader is now \(leader)") }
    /// }
    /// ```
    ///
    /// It is called on the thread of the access, which waits for it, and must not use the cluster.
    public var eventHandler: (@Sendable (ClusterEvent) -> Void)?

    /// Secures the connections to the nodes. Without one, they are neither authenticated nor encrypted.
    ///
    /// The product `RowanClusterTLS` sets it: `options.tls = try ClusterTLS(...)`.
    public var transport: (any ClusterTransport)?

    /// Peers in this process that take the part of the nodes. Only tests set it.
    @_spi(Node) public var localPeers: LocalPeers?

    /// How its connections are made.
    var connector: NodeConnector { NodeConnector(transport: transport, peers: localPeers) }

    /// The options of a client in the same network as the nodes.
    public init() {}
}

extension Duration {
    /// The instant after this duration.
    var deadline: ContinuousClock.Instant { ContinuousClock.now + self }
}
