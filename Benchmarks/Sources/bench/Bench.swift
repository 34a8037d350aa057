import CProbe
import FloorSide
import Foundation
import Harness

/// Runs the sides in turn, and checks that they did the same work.
struct Bench {
    let options: Options
    let sides: [any Side]
    let samples: Samples
    let databases: Databases
    private let floor = FloorSide()

    init(options: Options, sides: [any Side]) throws {
        probe_keep_freed_memory()
        self.options = options
        self.sides = sides
        samples = Samples(dividedBy: options.divisor)
        databases = try Databases(in: options.directory, samples: samples)
    }

    /// The sides alternate, so that slow moments of the machine affect all of them.
    func measure(_ id: Workload.ID) throws -> [Measurement] {
        let workload = Workload(id, dividedBy: options.divisor)
        var times: [[UInt64]] = Array(repeating: [], count: sides.count)
        var latencies = times
        var logs: [[BoundedLog]] = Array(repeating: [], count: sides.count)
        for _ in 0..<options.runs {
            var checksums: [UInt64] = []
            for (index, side) in sides.enumerated() {
                let execution = try execute(workload, on: side, measuring: nanoseconds)
                times[index].append(UInt64(execution.figure))
                latencies[index] += execution.latencies
                logs[index] += execution.log.map { [$0] } ?? []
                checksums.append(execution.checksum)
            }
            try expectEqual(checksums, in: workload)
        }
        return try sides.indices.map { index in
            let peak = try execute(workload, on: sides[index], measuring: peakBytes).figure
            return Measurement(
                workload: workload, library: sides[index].name, nanoseconds: times[index],
                latencies: latencies[index].sorted(), writeLatencies: logs[index].flatMap(\.writeLatencies).sorted(),
                peakLogBytes: logs[index].map(\.peakBytes).max(), peakBytes: peak)
        }
    }

    /// Fails if a side opens its databases with different settings than the first one.
    func checkSettings() throws {
        let pragmas = ["journal_mode", "synchronous", "cache_size", "page_size", "mmap_size", "foreign_keys"]
        for access in Access.allCases {
            let fixture = access == .queue ? Fixture.emptyPlaces : Fixture.emptyPlaces.writtenAhead()
            try databases.withDatabase(for: fixture) { path in
                let settings = try sides.map { try $0.settings(pragmas, of: access, path: path) }
                for (side, values) in zip(sides, settings) where values != settings[0] {
                    let expected = zip(pragmas, settings[0]).map { "\($0) \($1)" }.joined(separator: ", ")
                    let found = zip(pragmas, values).map { "\($0) \($1)" }.joined(separator: ", ")
                    throw Failure("\(access.rawValue): \(sides[0].name) has \(expected), \(side.name) has \(found)")
                }
            }
        }
    }

    private func execute(
        _ workload: Workload,
        on side: any Side,
        measuring instrument: (any Run) throws -> Int
    ) throws -> (figure: Int, checksum: UInt64, latencies: [UInt64], log: BoundedLog?) {
        try databases.withDatabase(for: workload.fixture) { path in
            let run = try side.prepare(Assignment(workload: workload, path: path, samples: samples))
            let figure = try instrument(run)
            var checksum = Checksum()
            try checksum.add(run.checksum())
            let (latencies, log) = (run.latencies(), run.log())
            try run.close()
            if workload.fixture.isFresh {
                try checksum.add(floor.checksum(of: workload.fixture.table, path: path))
            }
            return (figure, checksum.value, latencies, log)
        }
    }

    private func nanoseconds(_ run: any Run) throws -> Int {
        let start = probe_nanoseconds()
        try run.start()
        return Int(probe_nanoseconds() - start)
    }

    private func peakBytes(_ run: any Run) throws -> Int {
        guard probe_peak_start() == 0 else { throw Failure("cannot start the thread that samples memory") }
        do {
            try run.start()
        } catch {
            _ = probe_peak_stop()
            throw error
        }
        return Int(probe_peak_stop())
    }

    private func expectEqual(_ checksums: [UInt64], in workload: Workload) throws {
        for (side, checksum) in zip(sides, checksums) where checksum != checksums[0] {
            throw Failure("\(workload.name): \(side.name) and \(sides[0].name) have different results")
        }
    }
}
