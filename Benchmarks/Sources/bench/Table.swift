import Foundation
import Harness

/// The results as text: one line for each workload.
struct Table {
    private let libraries: [String]
    private let showsTargets: Bool
    private let widths: [Int]

    init(libraries: [String], showsTargets: Bool) {
        self.libraries = libraries
        self.showsTargets = showsTargets
        let nameWidth = Workload.ID.allCases.map(\.rawValue.count).max()!
        widths = [nameWidth, 8] + libraries.flatMap { $0 == "c" ? [9, 9, 9] : [9, 9, 7, 9] } + [8, 6]
    }

    var header: String {
        let columns = libraries.flatMap { library in
            ["\(library) ns", "median"] + (library == "c" ? [] : ["ratio"]) + ["peak"]
        }
        return line(["workload", "rows"] + columns + (showsTargets ? ["target", ""] : []))
    }

    func row(_ comparison: Comparison) -> String {
        let workload = comparison.workload
        let columns = libraries.flatMap { library -> [String] in
            guard let measurement = comparison.measurement(of: library) else { return [] }
            let ratio = comparison.ratioToFloor(of: library).map { decimal($0, digits: 2) } ?? "-"
            return [decimal(measurement.bestPerRow, digits: 1), decimal(measurement.medianPerRow, digits: 1)]
                + (library == "c" ? [] : [ratio])
                + [bytes(measurement.peakBytes)]
        }
        let verdict = comparison.reachesTarget.map { $0 ? "pass" : "FAIL" } ?? "-"
        return line(
            [workload.name, String(workload.count)] + columns
                + (showsTargets ? [target(workload.target), verdict] : []))
    }

    /// A line for workloads that time each operation.
    func latencies(_ comparison: Comparison) -> String? {
        let texts = comparison.measurements.compactMap { measurement -> String? in
            guard let median = measurement.latency(percent: 50), let p99 = measurement.latency(percent: 99) else {
                return nil
            }
            return "\(measurement.library) median \(decimal(median, digits: 0)), p99 \(decimal(p99, digits: 0))"
        }
        return texts.isEmpty ? nil : "  each operation: " + texts.joined(separator: "; ")
    }

    /// A line for workloads that record the write-ahead log.
    func logs(_ comparison: Comparison) -> String? {
        let texts = comparison.measurements.compactMap { measurement -> String? in
            guard let peak = measurement.peakLogBytes, let p99 = measurement.writeLatency(percent: 99) else {
                return nil
            }
            return "\(measurement.library) \(bytes(peak)), p99 of a write \(decimal(p99, digits: 0))"
        }
        return texts.isEmpty ? nil : "  write-ahead log: " + texts.joined(separator: "; ")
    }

    private func target(_ target: Workload.Target?) -> String {
        switch target {
        case .ratio(let limit): decimal(limit, digits: 2)
        case .peakBytes(let limit): bytes(limit)
        case .logBytes(let limit): bytes(limit) + " log"
        case .nanoseconds(let limit): decimal(limit, digits: 0) + " ns"
        case .timesPeer(let times), .latencyTimesPeer(let times): decimal(times, digits: 0) + "x grdb"
        case .timesWorkload(let id, let limit): "\(decimal(limit, digits: 2)) \(id.rawValue)"
        case .overWorkload(let id, let limit): "\(id.rawValue) +\(decimal(limit, digits: 0))"
        case nil: "-"
        }
    }

    private func line(_ cells: [String]) -> String {
        let cells = cells.last?.isEmpty == true ? Array(cells.dropLast()) : cells
        return zip(cells, widths).enumerated().map { index, pair in
            let (cell, width) = pair
            let padding = String(repeating: " ", count: max(0, width - cell.count))
            return index == 0 ? cell + padding : padding + cell
        }
        .joined(separator: " ")
    }

    private func decimal(_ value: Double, digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }

    private func bytes(_ count: Int) -> String {
        switch count {
        case ..<(1 << 10): "\(count) B"
        case ..<(1 << 20): decimal(Double(count) / Double(1 << 10), digits: 1) + " K"
        default: decimal(Double(count) / Double(1 << 20), digits: 1) + " M"
        }
    }
}
