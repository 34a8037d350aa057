// The metrics of a directory, with swift-metrics. They have no label for the tenant: there may be thousands.

import Metrics

struct DirectoryMetrics: Sendable {
    private let open: Gauge
    private let opening: Timer

    init(_ factory: (any MetricsFactory)?) {
        let factory = factory ?? MetricsSystem.factory
        open = Gauge(label: "rowan.tenants.open", factory: factory)
        opening = Timer(label: "rowan.tenants.opening", factory: factory)
    }

    func set(_ count: Int) { open.record(count) }

    func didOpen(_ duration: Duration) { opening.record(duration: duration) }
}
