// Metrics of a client of a cluster.

import Metrics
import MetricsTestKit
import RowanCluster
import RowanMetrics
import Testing

struct ClusterMetricsTests {
    @Test("Each event is measured")
    func events() throws {
        let factory = TestMetrics()
        let labels = [("db.system.name", "sqlite"), ("db.namespace", "app")]
        var options = ClusterOptions()
        options.eventHandler = ClusterMetrics(database: "app", factory: factory).record
        let handler = try #require(options.eventHandler)
        handler(.roundTrip(duration: .milliseconds(3), requestCount: 4))
        handler(.roundTrip(duration: .milliseconds(5), requestCount: 1))
        handler(.leaderChange(from: try NodeAddress("127.0.0.1:9001"), to: try NodeAddress("127.0.0.1:9002")))
        for reason in [ClusterEvent.RetryReason.leader, .lock, .lock] { handler(.retry(reason)) }
        handler(.failedSearch)
        #expect(
            try factory.expectTimer("rowan.cluster.round_trip.duration", labels).values == [3_000_000, 5_000_000])
        #expect(try factory.expectCounter("rowan.cluster.requests", labels).totalValue == 5)
        #expect(try factory.expectCounter("rowan.cluster.leader_changes", labels).totalValue == 1)
        #expect(try factory.expectCounter("rowan.cluster.failed_searches", labels).totalValue == 1)
        for (reason, count) in [("leader", 1), ("lock", 2)] as [(String, Int64)] {
            let counter = try factory.expectCounter(
                "rowan.cluster.retries", labels + [("rowan.cluster.retry.reason", reason)])
            #expect(counter.totalValue == count)
        }
    }
}
