import Foundation
import RowanRecords
import Testing

@testable import ClusterTour

/// The path of rowan-node, which Scripts/node builds in the folder of this build.
private let program: String? = {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<5 { root.deleteLastPathComponent() }
    let candidates =
        ProcessInfo.processInfo.environment["ROWAN_NODE"].map { [$0] }
        ?? [root.appendingPathComponent(".build/debug/rowan-node").path]
    return candidates.first(where: FileManager.default.isExecutableFile)
}()

@Test(.enabled(if: program != nil, "rowan-node isn't built: run Scripts/node"), .timeLimit(.minutes(3)))
func nothingIsLostOrDoubled() async throws {
    let program = try #require(program)
    let count = 60
    let result = try await Tour(nodes: LocalNodes(program: program), count: count) { _ in }.run()
    #expect(result.tally == Ledger.Tally(count: count, lost: 0, doubled: 0))
    #expect(result.leaderAfterwards != nil && result.leaderAfterwards != result.killed)
    #expect(result.observed == count)
    #expect(result.copied == count)
}

@Test func aMissingProgramIsAnError() async throws {
    await #expect(throws: (any Error).self) {
        try await Tour(nodes: LocalNodes(program: "/nowhere/rowan-node"), count: 1) { _ in }.run()
    }
}

@Test func losesAndDoublesAreSeen() async throws {
    let queue = try DatabaseQueue()
    try migrator.migrate(queue)
    try await queue.write { db in
        for number in [1, 3, 3] {
            var entry = Entry(number: number)
            try entry.insert(db)
        }
    }
    #expect(try await queue.read { try Ledger.tally(4, $0) } == Ledger.Tally(count: 3, lost: 2, doubled: 1))
}
