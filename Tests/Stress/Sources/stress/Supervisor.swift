// Runs each part in its own process, so that a crash only fails that part.

import Foundation

struct Supervisor {
    let parts: [Part]
    let seed: UInt64?
    let seconds: Double
    let cases: Int?

    /// Runs the parts; returns false if one has failed.
    func run() -> Bool {
        let weights = parts.reduce(0) { $0 + $1.weight }
        var failed: [String] = []
        for part in parts {
            let seed = seed ?? UInt64.random(in: 0...UInt64.max)
            let share = seconds * part.weight / weights
            if !run(part, seed: seed, seconds: share) {
                failed.append(part.name)
                say("FAILED: \(part.name). To run it again: Tests/Stress/run \(part.name) --seed \(seed)")
            }
        }
        say(failed.isEmpty ? "stress: all parts passed" : "stress: FAILED: \(failed.joined(separator: ", "))")
        return failed.isEmpty
    }

    /// Runs a part, and repeats it without the cases that crash it, to find all of them.
    private func run(_ part: Part, seed: UInt64, seconds: Double) -> Bool {
        var skipped: [String] = []
        // Enough time for all cases of a part that crashes immediately, and for two cases of one that hangs.
        let end = Date(timeIntervalSinceNow: seconds * 4 + 120)
        while Date() < end {
            guard let outcome = runOnce(part, seed, seconds, skipped) else { return false }
            switch outcome.reason {
            case .exit(let code): return code == 0 && skipped.isEmpty
            case .crash(let signal):
                say("FAILED \(part.name), seed \(seed): the process died of signal \(signal) in: \(outcome.note)")
            case .hang:
                say("FAILED \(part.name), seed \(seed): no end in sight, in: \(outcome.note)")
            }
            guard !outcome.note.isEmpty, !skipped.contains(outcome.note), skipped.count < 100 else { return false }
            skipped.append(outcome.note)
        }
        return false
    }

    private enum Reason {
        case exit(CInt)
        case crash(CInt)
        case hang
    }

    private func runOnce(
        _ part: Part, _ seed: UInt64, _ seconds: Double, _ skipped: [String]
    ) -> (reason: Reason, note: String)? {
        do {
            let folder = try TemporaryFolder()
            let process = Process()
            process.executableURL = Children.executable
            process.currentDirectoryURL = folder.url
            process.arguments = ["--part", part.name, "--seed", "\(seed)", "--seconds", "\(seconds)"]
            if let cases { process.arguments?.append(contentsOf: ["--cases", "\(cases)"]) }
            var environment = ProcessInfo.processInfo.environment
            environment["STRESS_TRAIL"] = folder.path("trail")
            environment["STRESS_SKIP"] = skipped.joined(separator: "\n")
            environment["TMPDIR"] = folder.url.path
            // The recorded note shows where it crashed.
            environment["SWIFT_BACKTRACE"] = environment["SWIFT_BACKTRACE"] ?? "enable=no"
            if let shim = part.shim {
                guard let shims = environment["STRESS_SHIMS"] else {
                    say("FAILED \(part.name): STRESS_SHIMS is the folder of the shims, and is not set")
                    return nil
                }
                environment["LD_PRELOAD"] = "\(shims)/\(shim).so"
            }
            process.environment = environment
            try process.run()
            let isDone = wait(process, seconds: seconds * 2 + 60)
            if !isDone { kill(process.processIdentifier, SIGKILL) }
            process.waitUntilExit()
            let text = (try? String(contentsOfFile: folder.path("trail"), encoding: .utf8)) ?? ""
            let note = text.split(separator: "\n").first.map(String.init) ?? ""
            if !isDone { return (.hang, note) }
            let isCrash = process.terminationReason == .uncaughtSignal
            return (isCrash ? .crash(process.terminationStatus) : .exit(process.terminationStatus), note)
        } catch {
            say("FAILED \(part.name): \(error)")
            return nil
        }
    }

    private func wait(_ process: Process, seconds: Double) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while process.isRunning {
            if Date() >= end { return false }
            usleep(10_000)
        }
        return true
    }
}
