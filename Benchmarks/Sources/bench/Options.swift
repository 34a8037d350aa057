import Foundation
import Harness

/// The command line.
struct Options {
    var workloads = Workload.ID.allCases.filter(\.isRunByDefault)
    /// The names of sides, or nil for all sides in the build.
    var sides: [String]?
    var runs = 7
    var isSmall = false
    var enforcesTargets = false
    /// The path of the JSON results. Only a complete run has a default, so that a partial one replaces nothing.
    var output: URL?
    var directory = FileManager.default.temporaryDirectory

    static let usage = """
        usage: bench [options]

          --only <id,id>       run these workloads: \(Workload.ID.allCases.map(\.rawValue).joined(separator: " "))
          --side <name,name>   run these sides: c rowan grdb
          --runs <n>           best and median of n runs (7)
          --small              a twentieth of the rows, to check the sides against each other; sets no target
          --enforce            exit with status 1 when Rowan misses a target
          --output <path>      write the results there (Benchmarks/results.json for a complete run)
          --directory <path>   where the databases go (the system's temporary directory)
          --help               print this
        """

    /// The divisor of the workloads' sizes.
    var divisor: Int { isSmall ? 20 : 1 }

    init(arguments: [String]) throws {
        var isComplete = true
        var remaining = arguments[...]
        while let option = remaining.popFirst() {
            func value() throws -> String {
                guard let value = remaining.popFirst() else { throw Failure("\(option) needs a value") }
                return value
            }
            switch option {
            case "--only":
                workloads = try Self.list(value()).flatMap(Self.workloads)
                isComplete = false
            case "--side":
                sides = try Self.list(value())
                isComplete = false
            case "--runs":
                guard let count = try Int(value()), count > 0 else { throw Failure("--runs needs a positive number") }
                runs = count
            case "--small":
                isSmall = true
                isComplete = false
            case "--enforce":
                enforcesTargets = true
            case "--output":
                output = try URL(filePath: value())
            case "--directory":
                directory = try URL(filePath: value(), directoryHint: .isDirectory)
            default:
                throw Failure("unknown option \(option)\n\n\(Self.usage)")
            }
        }
        if isComplete, output == nil {
            output = Self.packageDirectory.appending(path: "results.json")
        }
    }

    /// The workloads with a name or prefix, such as `aggregate-plan`.
    private static func workloads(named name: String) throws -> [Workload.ID] {
        if let id = Workload.ID(rawValue: name) { return [id] }
        let ids = Workload.ID.allCases.filter { $0.rawValue.hasPrefix(name + "-") }
        guard !ids.isEmpty else { throw Failure("no workload is called \(name)") }
        return ids
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map(String.init)
    }

    /// The sqlite-vec extension installed by `Scripts/extensions`.
    static var vectorLibrary: URL {
        packageDirectory.deletingLastPathComponent().appending(path: ".build/extensions/sqlite_vec/vec0.so")
    }

    private static var packageDirectory: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }
}

/// An error with a message for the user.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
