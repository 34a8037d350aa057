// The measurements of all rounds, and their targets.

import Foundation

/// The samples of each workload and library, by round.
struct Measurements {
    private struct Key: Hashable {
        let workload: String
        let library: String
    }

    private var rounds: [(key: Key, samples: [Samples])] = []

    subscript(workload: String, library: String) -> [Samples] {
        get { rounds.first { $0.key == Key(workload: workload, library: library) }?.samples ?? [] }
        set {
            let key = Key(workload: workload, library: library)
            rounds.removeAll { $0.key == key }
            rounds.append((key, newValue))
        }
    }

    func rows() -> [ResultRow] {
        rounds.sorted { ($0.key.workload, $0.key.library) < ($1.key.workload, $1.key.library) }.map { key, samples in
            let means = samples.map(\.meanPerRow).sorted()
            let latencies = samples.flatMap(\.nanoseconds).sorted()
            return ResultRow(
                workload: key.workload, library: key.library, nsPerRow: means[0].rounded(),
                medianNsPerRow: means[means.count / 2].rounded(),
                medianLatencyNs: latencies[latencies.count / 2].rounded(),
                p99LatencyNs: latencies[min(latencies.count * 99 / 100, latencies.count - 1)].rounded(),
                runs: samples.count)
        }
    }
}

/// A row of results.json: the best round, the median of the rounds, and the latencies of all operations.
struct ResultRow: Codable, CustomStringConvertible {
    var workload: String
    var library: String
    var nsPerRow: Double
    var medianNsPerRow: Double
    var medianLatencyNs: Double
    var p99LatencyNs: Double
    var runs: Int

    var description: String {
        workload.padding(toLength: 30, withPad: " ", startingAt: 0)
            + library.padding(toLength: 8, withPad: " ", startingAt: 0)
            + String(
                format: "best %10.0f rows/s  median %10.0f rows/s  p50 %10.1f us  p99 %10.1f us  p99/p50 %5.1f",
                1e9 / nsPerRow,
                1e9 / medianNsPerRow, medianLatencyNs / 1e3,
                p99LatencyNs / 1e3, p99LatencyNs / medianLatencyNs)
    }

    /// The target missed by the median.
    var miss: String? {
        guard library == "rowan" else { return nil }
        let (value, limit) =
            switch workload {
            case "cluster-insert": (medianNsPerRow, 1e9 / 400)
            case "cluster-insert-100": (medianNsPerRow, 1e9 / 25_000)
            case "cluster-read": (medianLatencyNs, 120e3)
            case "cluster-scan": (medianNsPerRow, 1e9 / 700_000)
            case "cluster-failover": (medianLatencyNs, 1e9)
            default: (0, 0)
            }
        return value > limit ? "\(workload): \(Int(value)) ns, at most \(Int(limit)) ns" : nil
    }
}

extension [ResultRow] {
    /// Replaces the cluster rows in a file, if it exists.
    func write(to url: URL) throws {
        var all: [[String: Any]] = []
        if let data = FileManager.default.contents(atPath: url.path) {
            all = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
        }
        all.removeAll { ($0["workload"] as? String)?.hasPrefix("cluster-") == true }
        all += try JSONSerialization.jsonObject(with: JSONEncoder().encode(self)) as? [[String: Any]] ?? []
        let data = try JSONSerialization.data(withJSONObject: all, options: [.prettyPrinted, .sortedKeys])
        try (data + Data("\n".utf8)).write(to: url)
    }
}
