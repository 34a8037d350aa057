// stress                      runs all parts, each in its own process, for STRESS_SECONDS seconds
// stress --list               lists the parts
// stress <part> ...           runs some parts
//     --seed <number>         starts with this seed rather than a random one
//     --seconds <number>      the total time
//     --cases <number>        stops early: blocked-tasks after this many steps for each width, out-of-memory after this
//                             many allocations, jobs after this many jobs, litestream after this many machines,
//                             cluster after this many faults,
//                             cluster-pauses after this many failures, cluster-answers after this many hostile answers

import Foundation
import Rowan

@main
enum Stress {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        var arguments = Array(CommandLine.arguments.dropFirst())
        if let child = arguments.first, child.hasPrefix("child-") {
            Children.endWithParent()
            await Children.run(child, Array(arguments.dropFirst()))
            exit(0)
        }
        func option(_ name: String) -> String? {
            guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
            defer { arguments.removeSubrange(index...index + 1) }
            return arguments[index + 1]
        }
        let seed = option("--seed").flatMap { UInt64($0) }
        let environment = ProcessInfo.processInfo.environment
        let seconds = (option("--seconds") ?? environment["STRESS_SECONDS"]).flatMap { Double($0) } ?? 180
        let cases = option("--cases").flatMap { Int($0) }
        if let name = option("--part"), let part = Part.all.first(where: { $0.name == name }), let seed {
            Children.endWithParent()
            exit(await part.run(seed: seed, seconds: seconds, cases: cases))
        }
        if arguments == ["--list"] {
            for part in Part.all { say("\(part.name): \(part.summary)") }
            return
        }
        let unknown = arguments.filter { name in !Part.all.contains { $0.name == name } }
        guard unknown.isEmpty else {
            say("there is no part \(unknown.joined(separator: ", ")): stress --list lists them")
            exit(2)
        }
        let parts = arguments.isEmpty ? Part.all : Part.all.filter { arguments.contains($0.name) }
        exit(Supervisor(parts: parts, seed: seed, seconds: seconds, cases: cases).run() ? 0 : 1)
    }
}

/// A kind of stress test.
struct Part: Sendable {
    let name: String
    let summary: String
    /// Its share of the time.
    var weight = 1.0
    /// The shim loaded before SQLite, if any.
    var shim: String?
    let round: @Sendable (Run) async throws -> Void

    static let all: [Part] = [
        .kill, .jobs, .tenants, .drills, .litestream, .cluster, .clusterPauses, .clusterFuzz, .clusterAnswers,
        .migrations, .faults, .outOfMemory, .fullDisk, .cancellation, .boundaries, .isolation, .observation,
        .reentrance, .lifetimes, .closed, .blockedTasks, .fuzzSQL, .fuzzFiles, .untrusted, .fuzzTokens, .values,
        .latency,
    ]

    /// Runs rounds until the time is over. Each round has its own seed, starting with the given one.
    func run(seed: UInt64, seconds: Double, cases: Int?) async -> CInt {
        let deadline = Date(timeIntervalSinceNow: seconds)
        var counts: [String: Int] = [:]
        var failedRounds = 0
        var number: UInt64 = 0
        var casesLeft = cases
        var memory = MemoryGrowth()
        repeat {
            let roundSeed = seed &+ number
            number += 1
            do {
                let run = try Run(seed: roundSeed, deadline: deadline, caseLimit: casesLeft)
                do { try await round(run) } catch { run.fail("unexpected error: \(error)") }
                casesLeft = run.casesLeft
                counts.merge(run.counts) { $0 + $1 }
                if !run.failures.isEmpty { failedRounds += 1 }
                for failure in run.failures { say("FAILED \(name), seed \(roundSeed): \(failure)") }
            } catch {
                say("FAILED \(name): \(error)")
                return 1
            }
            memory.roundDidEnd()
        } while Date() < deadline && failedRounds < 3 && casesLeft != 0
        let told = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        say("\(name): \(number) rounds, \(told); \(memory); seeds from \(seed)")
        if memory.isGrowing { say("FAILED \(name): \(memory)") }
        return failedRounds == 0 && !memory.isGrowing ? 0 : 1
    }
}
