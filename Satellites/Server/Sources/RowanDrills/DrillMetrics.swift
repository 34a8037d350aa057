// The metrics of drills, with swift-metrics.

import Foundation
import Metrics

struct DrillMetrics {
    private let factory: any MetricsFactory

    init(_ factory: (any MetricsFactory)?) { self.factory = factory ?? MetricsSystem.factory }

    /// Creates the counter, so that the first failure is an increase.
    func begin() { Counter(label: "rowan.drill.failures", factory: factory).increment(by: 0) }

    func didPass(_ report: RestoreDrill.Report) {
        record(report.duration, "passed")
        Gauge(label: "rowan.drill.age", factory: factory).record(report.age / .seconds(1))
        Gauge(label: "rowan.drill.last_success", factory: factory).record(Date().timeIntervalSince1970)
    }

    func didFail(_ duration: Duration) {
        record(duration, "failed")
        Counter(label: "rowan.drill.failures", factory: factory).increment()
    }

    private func record(_ duration: Duration, _ outcome: String) {
        Timer(label: "rowan.drill.duration", dimensions: [("outcome", outcome)], factory: factory)
            .record(duration: duration)
    }
}
