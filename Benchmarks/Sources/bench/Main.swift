import FloorSide
import Foundation
import Harness

#if ROWAN_SIDE
    import RowanSide
#endif
#if GRDB_SIDE
    import GRDBSide
#endif

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
        let sides = try selectedSides(options.sides)
        let bench = try Bench(options: options, sides: sides)
        defer { bench.databases.removeAll() }
        try bench.checkSettings()

        let table = Table(libraries: sides.map(\.name), showsTargets: !options.isSmall)
        try print("SQLite \(FloorSide().sqliteVersion), best of \(options.runs) runs, nanoseconds per row")
        print(table.header)
        var comparisons: [Comparison] = []
        for id in options.workloads {
            let workload = Workload(id, dividedBy: options.divisor)
            let comparison = try Comparison(workload: workload, measurements: bench.measure(id))
            comparisons.append(comparison)
            print(table.row(comparison))
            fflush(nil)
        }

        if let output = options.output {
            try Results(comparisons).write(to: output)
        }
        let missed = comparisons.filter { $0.reachesTarget == false }.map(\.workload.name)
        if options.enforcesTargets, !options.isSmall, !missed.isEmpty {
            throw Failure("missed targets: \(missed.joined(separator: ", "))")
        }
    }

    private static func selectedSides(_ names: [String]?) throws -> [any Side] {
        var built: [any Side] = [FloorSide()]
        #if ROWAN_SIDE
            built.append(RowanSide())
        #endif
        #if GRDB_SIDE
            built.append(GRDBSide())
        #endif
        guard let names else { return built }
        for name in names where !built.contains(where: { $0.name == name }) {
            throw Failure("no side is called \(name), or it was left out of the build")
        }
        return built.filter { names.contains($0.name) }
    }
}
