// The metrics of jobs, with swift-metrics.

import Metrics
import Rowan

/// What is measured of a queue.
struct JobGauges: Sendable {
    let queue: String
    let waiting: Int
    /// In seconds.
    let oldestAge: Double

    static func read(_ store: JobStore) throws -> [JobGauges] {
        try store.waitingCounts().map { queue, count in
            let due = try store.oldestDue(in: queue)
            return JobGauges(
                queue: queue, waiting: count, oldestAge: due.map { Double(max(store.now - $0, 0)) / 1_000 } ?? 0)
        }
    }
}

/// The metrics of a worker.
struct JobMetrics: Sendable {
    private let factory: any MetricsFactory

    init(_ factory: (any MetricsFactory)?) { self.factory = factory ?? MetricsSystem.factory }

    var isEnabled: Bool { !(factory is NOOPMetricsHandler) }

    func set(_ gauges: [JobGauges]) {
        for gauge in gauges {
            let labels = [("queue", gauge.queue)]
            Gauge(label: "rowan.jobs.waiting", dimensions: labels, factory: factory).record(gauge.waiting)
            Gauge(label: "rowan.jobs.oldest_age", dimensions: labels, factory: factory).record(gauge.oldestAge)
        }
    }

    func record(_ job: ClaimedJob, _ end: JobEnd, _ duration: Duration, now: Milliseconds) {
        guard isEnabled else { return }
        let labels = [("queue", job.queue), ("kind", job.kind), ("outcome", end.label)]
        Timer(label: "rowan.job.duration", dimensions: labels, factory: factory).record(duration: duration)
    }
}

extension JobEnd {
    fileprivate var label: String {
        switch self {
        case .completed, .succeeded: "succeeded"
        case .retries: "retried"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .released: "released"
        }
    }
}
