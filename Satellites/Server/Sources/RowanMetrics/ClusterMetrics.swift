// Metrics of a client of a cluster with swift-metrics.

public import Metrics
public import RowanCluster

/// Measures the round trips, retries and changes of the leader of a cluster, as its client sees them.
///
/// ```swift
/// MetricsSystem.bootstrap(factory)
/// var options = ClusterOptions()
/// options.eventHandler = ClusterMetrics(database: "app").record
/// let cluster = try DatabaseCluster(addresses: addresses, database: "app", options: options)
/// ```
///
/// | Metric | Type | What it measures |
/// | --- | --- | --- |
/// | `rowan.cluster.round_trip.duration` | timer | requests that are sent together, until the leader has replied |
/// | `rowan.cluster.requests` | counter | the requests in them |
/// | `rowan.cluster.retries` | counter | retries (`rowan.cluster.retry.reason` is `leader` or `lock`) |
/// | `rowan.cluster.leader_changes` | counter | changes of the leader |
/// | `rowan.cluster.failed_searches` | counter | searches that have found no leader in time |
///
/// All have the labels `db.system.name` and `db.namespace`. Statements and connections are measured by a
/// ``MetricsInstrument`` in the configuration of the cluster, as with a file.
public struct ClusterMetrics: Sendable {
    private let duration: Timer
    private let requests: Counter
    private let retries: [ClusterEvent.RetryReason: Counter]
    private let leaderChanges: Counter
    private let failedSearches: Counter

    /// Creates the metrics.
    ///
    /// - Parameters:
    ///   - database: the name of the database, for the label `db.namespace`.
    ///   - factory: the destination of the metrics; nil for the metrics system of the process.
    public init(database: String, factory: (any MetricsFactory)? = nil) {
        let factory = factory ?? MetricsSystem.factory
        let labels = [("db.system.name", "sqlite"), ("db.namespace", database)]
        func counter(_ label: String, _ dimensions: [(String, String)] = []) -> Counter {
            Counter(label: label, dimensions: labels + dimensions, factory: factory)
        }
        duration = Timer(
            label: "rowan.cluster.round_trip.duration", dimensions: labels, preferredDisplayUnit: .seconds,
            factory: factory)
        requests = counter("rowan.cluster.requests")
        retries = Dictionary(
            uniqueKeysWithValues: ClusterEvent.RetryReason.allCases.map { reason in
                (reason, counter("rowan.cluster.retries", [("rowan.cluster.retry.reason", reason.rawValue)]))
            })
        leaderChanges = counter("rowan.cluster.leader_changes")
        failedSearches = counter("rowan.cluster.failed_searches")
    }

    /// Measures an event, for ``RowanCluster/ClusterOptions/eventHandler``.
    @Sendable public func record(_ event: ClusterEvent) {
        switch event {
        case .roundTrip(let duration, let requestCount):
            self.duration.record(duration: duration)
            requests.increment(by: requestCount)
        case .retry(let reason): retries[reason]?.increment()
        case .leaderChange: leaderChanges.increment()
        case .failedSearch: failedSearches.increment()
        }
    }
}
