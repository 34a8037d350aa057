import Foundation
import Harness

/// The results as JSON.
struct Results: Encodable {
    private struct Entry: Encodable {
        let workload: String
        let library: String
        let nsPerRow: Double
        let medianNsPerRow: Double
        /// Missing if the floor was not measured.
        let ratioToC: Double?
        /// Missing unless the workload times each operation.
        let medianLatencyNs: Double?
        let p99LatencyNs: Double?
        /// Missing unless the workload records the write-ahead log.
        let p99WriteLatencyNs: Double?
        let peakLogBytes: Int?
        let peakBytes: Int
        let runs: Int
    }

    private let entries: [Entry]

    init(_ comparisons: [Comparison]) {
        entries = comparisons.flatMap { comparison in
            comparison.measurements.map { measurement in
                Entry(
                    workload: measurement.workload.name,
                    library: measurement.library,
                    nsPerRow: rounded(measurement.bestPerRow),
                    medianNsPerRow: rounded(measurement.medianPerRow),
                    ratioToC: comparison.ratioToFloor(of: measurement.library).map(rounded),
                    medianLatencyNs: measurement.latency(percent: 50),
                    p99LatencyNs: measurement.latency(percent: 99),
                    p99WriteLatencyNs: measurement.writeLatency(percent: 99),
                    peakLogBytes: measurement.peakLogBytes,
                    peakBytes: measurement.peakBytes,
                    runs: measurement.nanoseconds.count)
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(entries)
    }

    /// Writes the results, and keeps those of a cluster, which another program measures.
    func write(to url: URL) throws {
        let rows = try JSONSerialization.jsonObject(with: JSONEncoder().encode(self)) as? [[String: Any]] ?? []
        var others: [[String: Any]] = []
        if let data = FileManager.default.contents(atPath: url.path) {
            others = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
        }
        let all = rows + others.filter { ($0["workload"] as? String)?.hasPrefix("cluster-") == true }
        let data = try JSONSerialization.data(withJSONObject: all, options: [.prettyPrinted, .sortedKeys])
        try (data + Data("\n".utf8)).write(to: url)
    }
}

/// The clock is not more precise than three decimals.
private func rounded(_ value: Double) -> Double {
    (value * 1000).rounded() / 1000
}
