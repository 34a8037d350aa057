import FloorSide
import Foundation
import Harness

@main
struct Main {
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.contains("--help") {
                return print(Options.usage)
            }
            try run(Options(arguments: arguments))
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ options: Options) throws {
        #if DEBUG
        print("This is a debug build: its figures mean nothing. Use -c release.")
        #endif
        let sides = try Sides.selected(options.sides)
        let bench = try Bench(options: options, sides: sides)
        defer { bench.databases.removeAll() }
        try bench.checkSettings()

        let table = Table(libraries: sides.map(\.name), showsTargets: !options.isSmall)
        try print("SQLite \(FloorSide().sqliteVersion), best of \(options.runs) runs, nanoseconds per row, ratios to C")
        print(table.header)
        var comparisons: [Comparison] = []
        for id in options.workloads {
            let workload = Workload(id, dividedBy: options.divisor)
            let reference = workload.target?.reference.flatMap { id in
                comparisons.first { $0.workload.id == id }?.measurement(of: "rowan")
            }
            guard let measurements = try measure(id, bench) else { continue }
            let comparison = try Comparison(workload: workload, measurements: measurements, reference: reference)
            comparisons.append(comparison)
            print(table.row(comparison))
            table.latencies(comparison).map { print($0) }
            table.logs(comparison).map { print($0) }
            fflush(nil)
        }

        if let output = options.output {
            try Results(comparisons).write(to: output)
        }
        if options.enforcesTargets, !options.isSmall {
            try enforceTargets(comparisons)
        }
    }

    /// - Returns: nil if the extension that the workload needs is missing.
    private static func measure(_ id: Workload.ID, _ bench: Bench) throws -> [Measurement]? {
        guard id.needsVectors else { return try bench.measure(id) }
        let library = Options.vectorLibrary
        guard FileManager.default.fileExists(atPath: library.path) else {
            print("\(id.rawValue): skipped, because sqlite-vec is not installed: run Scripts/extensions")
            return nil
        }
        return try FloorSide().withVectors(library.path) { try bench.measure(id) }
    }

    private static func enforceTargets(_ comparisons: [Comparison]) throws {
        let missed = comparisons.filter { $0.reachesTarget == false }.map(\.workload.name)
        guard missed.isEmpty else {
            throw Failure("missed targets: \(missed.joined(separator: ", "))")
        }
    }
}
