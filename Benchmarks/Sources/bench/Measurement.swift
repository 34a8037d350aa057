import Harness

/// What one side did in one workload.
struct Measurement {
    let workload: Workload
    let library: String
    /// The duration of each run, in the order of time.
    let nanoseconds: [UInt64]
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
}

/// The sides of one workload, next to the floor.
struct Comparison {
    let workload: Workload
    let measurements: [Measurement]

    func measurement(of library: String) -> Measurement? {
        measurements.first { $0.library == library }
    }

    /// Best over best, or nil when the floor was not measured.
    func ratioToFloor(of library: String) -> Double? {
        guard let side = measurement(of: library), let floor = measurement(of: "c") else { return nil }
        return side.bestPerRow / floor.bestPerRow
    }

    /// Whether Rowan reaches the target, or nil when that was not measured.
    var reachesTarget: Bool? {
        switch workload.target {
        case .ratio(let limit): ratioToFloor(of: "rowan").map { $0 <= limit }
        case .peakBytes(let limit): measurement(of: "rowan").map { $0.peakBytes <= limit }
        case .nanoseconds(let limit): measurement(of: "rowan").map { $0.bestPerRow <= limit }
        case .timesPeer(let times):
            measurement(of: "grdb").flatMap { peer in
                measurement(of: "rowan").map { peer.bestPerRow >= times * $0.bestPerRow }
            }
        }
    }
}
