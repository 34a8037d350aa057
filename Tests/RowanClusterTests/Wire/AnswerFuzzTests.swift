// Hostile answers to a client in all of its states. `Tests/Stress/run cluster-answers` runs many more of them.

import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct AnswerFuzzTests {
    /// The client throws only documented errors, and neither traps, loops, nor reads without end.
    @Test func hostileAnswers() async throws {
        // Accesses of the fuzzer block their thread, which must not be one of those that tasks share.
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { ended.resume(with: Result { try Self.fuzz() }) }
        }
    }

    private static func fuzz() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rowan-answers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let seed = SeededGenerator(20).seed
        let fuzzer = AnswerFuzzer(seed: seed, folder: folder)
        var last = ""
        while fuzzer.hostileCount < 4_000, fuzzer.failures.isEmpty { fuzzer.step { last = $0 } }
        #expect(fuzzer.failures == [], "seed \(seed), \(last)")
        // The answers reach clients in all states, and let some accesses pass.
        #expect(fuzzer.untested == [])
    }
}
