// Tasks that use all kinds of accesses, many of which block their thread of Swift's cooperative pool. No access needs a
// thread of the pool to continue, so all of them finish, however few threads the pool has. Each pool width runs in its
// own process, which verifies the width.

import Foundation
import Rowan

extension Part {
    static let blockedTasks = Part(
        name: "blocked-tasks", summary: "accesses that await and that block, with 1, 2 and 8 threads for tasks",
        weight: 1.8, shim: "processors"
    ) { run in
        let widths = [1, 2, 8]
        let limit = run.casesLeft
        var steps: [Int] = []
        for (index, width) in widths.enumerated() {
            run.note("\(width) threads")
            let seconds = max(0.5, run.deadline.timeIntervalSinceNow / Double(widths.count - index))
            let seed = UInt64.random(in: 0...UInt64.max, using: &run.random)
            let crossing = Crossing(
                folder: run.folder.path("width-\(width)"), width: width, seed: seed, steps: limit ?? .max,
                seconds: seconds)
            steps.append(try watch(run, crossing))
            // A process that hangs would hang again, which takes long each time.
            guard run.failures.isEmpty else { return }
        }
        run.didCase(steps.min() ?? 0)
    }
}

/// The number of seconds without progress after which a process is considered to hang.
private let patience = 30.0

/// Runs a crossing in another process, until it exits or hangs.
///
/// - Returns: the number of steps that it has run.
private func watch(_ run: Run, _ crossing: Crossing) throws -> Int {
    let (process, output) = try Children.start(
        ["child-blocked-tasks"] + crossing.arguments, environment: ["STRESS_PROCESSORS": "\(crossing.width)"])
    var report = CrossingReport()
    let hasEnded = report.read(output)
    if !hasEnded { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    let title = "with \(crossing.width) threads"
    run.expect(hasEnded, "\(title): no progress for \(Int(patience)) s after \(report.steps) steps; \(report.stuck)")
    for problem in report.problems { run.fail("\(title): \(problem)") }
    if hasEnded {
        run.expect(report.isComplete, "\(title): the process ends early, with status \(process.terminationStatus)")
    }
    run.count("steps \(title)", report.steps)
    for (name, count) in report.counts { run.count(name, count) }
    return report.steps
}

/// The output of a crossing.
private struct CrossingReport {
    var steps = 0
    var stuck = ""
    var counts: [(name: String, count: Int)] = []
    var problems: [String] = []
    var isComplete = false

    /// Reads lines until the end of the output.
    ///
    /// - Returns: false if the process makes no progress.
    mutating func read(_ output: FileHandle) -> Bool {
        var lastProgress = Date()
        var rest = Data()
        while true {
            let left = lastProgress.addingTimeInterval(patience).timeIntervalSinceNow
            guard left > 0 else { return false }
            var descriptor = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, CInt(left * 1_000) + 1) > 0 else { continue }
            let data = output.availableData
            guard !data.isEmpty else { return true }
            rest += data
            while let end = rest.firstIndex(of: 10) {
                if add(String(decoding: rest[..<end], as: UTF8.self)) { lastProgress = Date() }
                rest = Data(rest[(end + 1)...])
            }
        }
    }

    /// - Returns: whether the line shows progress.
    private mutating func add(_ line: String) -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let text = words.count > 1 ? words[1] : ""
        switch words.first {
        case "steps":
            defer { steps = Int(text) ?? 0 }
            return Int(text) != steps
        case "stuck": stuck = text
        case "count":
            let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
            counts.append((parts[1], Int(parts[0]) ?? 0))
        case "end": isComplete = true
        case "problem": problems.append(text)
        default: problems.append(line)
        }
        return false
    }
}
