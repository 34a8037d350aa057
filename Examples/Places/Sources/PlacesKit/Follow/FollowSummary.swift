import Foundation

/// The number of changes that a process has followed, and their delays after the commits.
public struct FollowSummary: Equatable, Sendable {
    public private(set) var count = 0
    private var latencies: [Duration] = []

    public init() {}

    public mutating func add(_ change: PlaceChange) {
        count += 1
        if let latency = change.latency { latencies.append(latency) }
    }

    /// Nil without latencies.
    public var median: Duration? {
        latencies.isEmpty ? nil : latencies.sorted()[(latencies.count - 1) / 2]
    }

    public var worst: Duration? { latencies.max() }
}

extension FollowSummary: CustomStringConvertible {
    public var description: String {
        let changes = count == 1 ? "1 change" : "\(count) changes"
        guard let median, let worst else { return changes }
        return "\(changes), shown after a median of \(median.inMilliseconds), \(worst.inMilliseconds) at worst"
    }
}

extension Duration {
    /// `1.25 ms`
    public var inMilliseconds: String { String(format: "%.2f ms", self / .milliseconds(1)) }
}
