import Harness

/// The measurements of one side in one workload.
struct Measurement {
    let workload: Workload
    let library: String
    /// The duration of each run, in chronological order.
    let nanoseconds: [UInt64]
    /// The durations of the operations of all runs, sorted; empty if only whole runs are timed.
    let latencies: [UInt64]
    /// The durations of concurrent writes, sorted; empty if none are timed.
    let writeLatencies: [UInt64]
    /// The largest size of the write-ahead log; nil if the runs don't record it.
    let peakLogBytes: Int?
    let peakBytes: Int

    var bestPerRow: Double {
        Double(nanoseconds.min()!) / Double(workload.count)
    }

    var medianPerRow: Double {
        let sorted = nanoseconds.sorted()
        let middle = sorted.count / 2
        let median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        return Double(median) / Double(workload.count)
    }

    /// A percentile of the latencies; nil if only whole runs are timed.
    func latency(percent: Int) -> Double? { percentile(percent, of: latencies) }

    func writeLatency(percent: Int) -> Double? { percentile(percent, of: writeLatencies) }

    private func percentile(_ percent: Int, of latencies: [UInt64]) -> Double? {
        latencies.isEmpty ? nil : Double(latencies[(latencies.count - 1) * percent / 100])
    }
}

/// The sides of one workload, next to the floor.
struct Comparison {
    let workload: Workload
    let measurements: [Measurement]
    /// Rowan's measurement in the workload referenced by the target; nil if it has not run yet.
    var reference: Measurement?

    func measurement(of library: String) -> Measurement? {
        measurements.first { $0.library == library }
    }

    /// The ratio of the best times; nil if the floor was not measured.
    func ratioToFloor(of library: String) -> Double? {
        guard let side = measurement(of: library), let floor = measurement(of: "c") else { return nil }
        return side.bestPerRow / floor.bestPerRow
    }

    /// Whether Rowan reaches the target; nil if there is no target or it was not measured.
    var reachesTarget: Bool? {
        switch workload.target {
        case .ratio(let limit): ratioToFloor(of: "rowan").map { $0 <= limit }
        case .peakBytes(let limit): measurement(of: "rowan").map { $0.peakBytes <= limit }
        case .logBytes(let limit): measurement(of: "rowan")?.peakLogBytes.map { $0 <= limit }
        case .nanoseconds(let limit): measurement(of: "rowan").map { $0.bestPerRow <= limit }
        case .timesPeer(let times):
            measurement(of: "grdb").flatMap { peer in
                measurement(of: "rowan").map { peer.bestPerRow >= times * $0.bestPerRow }
            }
        case .latencyTimesPeer(let times):
            measurement(of: "grdb")?.latency(percent: 50).flatMap { peer in
                measurement(of: "rowan")?.latency(percent: 50).map { peer >= times * $0 }
            }
        case .timesWorkload(_, let limit):
            reference.flatMap { other in
                measurement(of: "rowan").map { $0.bestPerRow <= limit * other.bestPerRow }
            }
        case .overWorkload(_, let nanoseconds):
            reference.flatMap { other in
                measurement(of: "rowan").map { $0.bestPerRow <= other.bestPerRow + nanoseconds }
            }
        case nil: nil
        }
    }
}
