// How a client of a cluster behaves.

/// How fresh the reads of a cluster are.
///
/// Article: <doc:PastOneMachine>.
public enum ReadConsistency: Sendable, Hashable {
    /// Reads ask the leader.
    ///
    /// A leader that has lost the others, and has not noticed it yet, may answer with a state from before the last
    /// commits, for about as long as an election takes.
    case leader
    /// A read also asks a majority of the nodes who leads, before it ends: it sees all that was committed before it began.
    ///
    /// It takes one more round trip, and throws a ``Rowan/DatabaseError`` whose `isLeaderChange` is true if the majority
    /// follows another node, or does not answer within ``ClusterOptions/connectTimeout``. In an access without a transaction,
    /// such as `unsafeRead`, all rows of a statement arrive before the program gets the first one.
    case confirmed
}

/// The timeouts of a client of a cluster, and how fresh its reads are.
///
/// ```swift
/// var options = ClusterOptions()
/// options.failoverTimeout = .seconds(30)
/// let cluster = try DatabaseCluster(addresses: addresses, database: "app", options: options)
/// ```
///
/// Article: <doc:PastOneMachine>.
public struct ClusterOptions: Sendable {
    /// How long to wait for one node, at most: while others may answer, a node that does not is left sooner, and asked again.
    public var connectTimeout: Duration = .seconds(2)

    /// How long to wait for each answer of the leader. A statement that takes longer fails.
    public var requestTimeout: Duration = .seconds(20)

    /// How long to look for a leader, and for the outcome of a commit whose leader has gone away.
    public var failoverTimeout: Duration = .seconds(20)

    /// How long a write transaction may take, before it is rolled back, and throws SQLITE_INTERRUPT. All other clients
    /// wait for its end.
    public var transactionTimeout: Duration = .seconds(30)

    /// How long a thread asks the system again and again whether an answer has arrived, before it sleeps. Zero to sleep at
    /// once.
    ///
    /// A short read takes less time than waking a thread does. While it asks, the thread lets others run first.
    public var spinDuration: Duration = .microseconds(100)

    /// How long observations wait until they ask again whether other clients have committed. At least a millisecond.
    public var observationInterval: Duration = .milliseconds(50)

    /// How fresh the reads are. A write that changes rows has seen the last commit.
    public var consistency: ReadConsistency = .leader

    /// The options of a client whose network is that of the nodes.
    public init() {}
}

extension Duration {
    /// The instant after this duration.
    var deadline: ContinuousClock.Instant { ContinuousClock.now + self }
}
