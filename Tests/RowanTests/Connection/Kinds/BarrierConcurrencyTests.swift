// A barrier that waits for readers or another barrier stops when its task is cancelled, and doesn't block other
// accesses.

import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct BarrierConcurrencyTests {
    enum Barrier: CaseIterable {
        case write, erase

        func run(_ pool: DatabasePool) async throws {
            switch self {
            case .write: try await pool.barrierWriteWithoutTransaction { _ in Issue.record("the barrier runs") }
            case .erase: try await pool.erase()
            }
        }
    }

    @Test(arguments: Barrier.allCases)
    func aCancelledBarrier(_ barrier: Barrier) async throws {
        try await withPool(readers: 2) { pool in
            let read = await HeldRead(pool)
            for _ in 1...3 {
                let task = Task { try await barrier.run(pool) }
                await eventually { pool.readers.state.withLock { $0.exclusive != nil } }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                // While the read is still running.
                try await pool.write { try $0.execute(sql: "UPDATE t SET x = x") }
                let values = try await pool.values()
                #expect(values == [1, 2])
            }
            await read.end()
            try await pool.barrierWriteWithoutTransaction { try $0.insert(3) }
            let values = try await pool.values()
            #expect(values == [1, 2, 3])
            try pool.close()
        }
    }

    /// Reads that wait for the barrier run after its cancellation.
    @Test func waitingReadsRun() async throws {
        try await withPool(readers: 2) { pool in
            let read = await HeldRead(pool)
            let task = Task { try await Barrier.write.run(pool) }
            await eventually { pool.readers.state.withLock { $0.exclusive != nil } }
            let waiting = Task { try await pool.values() }
            await eventually { pool.readers.waits.count == 1 }
            task.cancel()
            let values = try await waiting.value
            #expect(values == [1, 2])
            await read.end()
        }
    }

    /// Cancellations at any time, also when the last reader is returned.
    @Test func cancellationsAtRandomMoments() async throws {
        try await withPool(readers: 2) { pool in
            var random = SeededGenerator(seed: 7)
            for _ in 1...200 {
                let read = Task { try await pool.read { try $0.values() } }
                let barrier = Task { try await pool.barrierWriteWithoutTransaction { try $0.values() } }
                for _ in 0..<Int.random(in: 0...20, using: &random) { await Task.yield() }
                barrier.cancel()
                // It may or may not have been cancelled.
                _ = await barrier.result
                let values = try await read.value
                #expect(values == [1, 2])
            }
            try await pool.barrierWriteWithoutTransaction { try $0.insert(3) }
            try pool.close()
        }
    }
}
