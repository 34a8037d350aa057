// Hostile answers of a node to a client, in the memory of one process. `--cases` is their number.

import Foundation

extension Part {
    static let clusterAnswers = Part(
        name: "cluster-answers", summary: "hostile answers of a node: no crash, no loop, no growth"
    ) { run in
        let fuzzer = AnswerFuzzer(seed: run.seed, folder: run.folder.url)
        var counted = 0
        // A round is long enough for the rare states, and short enough to repeat.
        while counted < 100_000, !run.isOver, fuzzer.failures.isEmpty {
            fuzzer.step { run.note("\($0) after \(fuzzer.hostileCount) answers, seed \(run.seed)") }
            run.didCase(fuzzer.hostileCount - counted)
            counted = fuzzer.hostileCount
        }
        run.count("hostile answers", counted)
        for (name, count) in fuzzer.counts {
            run.count(name.hasSuffix("succeeds") ? "accesses that succeed" : "accesses that fail", count)
        }
        for failure in fuzzer.failures { run.fail(failure) }
        guard let peak = peakMegabytes else { return }
        say("cluster-answers: at most \(peak) MB")
        run.expect(!isOptimized || peak < 100, "the process had \(peak) MB")
    }
}

/// The most memory that the process has had; nil if the system does not report it.
private var peakMegabytes: Int? {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 >> 10 }
}

/// Whether the program takes the memory that programs of users take: a sanitizer takes more, and so does a build without
/// optimization.
private var isOptimized: Bool {
    #if DEBUG
    return false
    #else
    return dlsym(nil, "__asan_init") == nil
    #endif
}
