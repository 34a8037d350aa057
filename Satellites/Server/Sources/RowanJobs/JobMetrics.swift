// The metrics of jobs, with swift-metrics.

import Metrics
import Rowan
import Synchronization

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
final class JobMetrics: Sendable {
    /// The labels of an attempt. The kinds are those of the program, so that there are as many series as kinds.
    struct Labels: Hashable {
        let queue: String
        let kind: String
        let outcome: String
    }

    private let factory: any MetricsFactory
    /// A backend may register a timer whenever one is made.
    private let timers = Mutex<[Labels: Timer]>([:])

    init(_ factory: (any MetricsFactory)?) { self.factory = factory ?? MetricsSystem.factory }

    var isEnabled: Bool { !(factory is NOOPMetricsHandler) }

    func set(_ gauges: [JobGauges]) {
        for gauge in gauges {
            let labels = [("queue", gauge.queue)]
            Gauge(label: "rowan.jobs.waiting", dimensions: labels, factory: factory).record(gauge.waiting)
            Gauge(label: "rowan.jobs.oldest_age", dimensions: labels, factory: factory).record(gauge.oldestAge)
        }
    }

    func record(_ labels: Labels, _ duration: Duration) {
        guard isEnabled else { return }
        let timer = timers.withLock { timers in
            if let timer = timers[labels] { return timer }
            let timer = Timer(
                label: "rowan.job.duration",
                dimensions: [("queue", labels.queue), ("kind", labels.kind), ("outcome", labels.outcome)],
                factory: factory)
            timers[labels] = timer
            return timer
        }
        timer.record(duration: duration)
    }
}

extension JobEnd {
    var label: String {
        switch self {
        case .completed, .succeeded: "succeeded"
        case .retries: "retried"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .released: "released"
        }
    }
}
