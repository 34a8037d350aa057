// Asynchronous accesses need no thread of Swift's pool, even if synchronous accesses block all of them.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct BlockedTasksConcurrencyTests {
    /// An asynchronous access is first in line, and as many blocking tasks as there are threads wait behind it.
    @Test(arguments: ConnectionKind.allCases)
    func aGrantNeedsNoThread(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let lane = writer._routes.write.lane
            let (isHeld, isOver) = (Gate(), Mutex(false))
            defer { isOver.withLock { $0 = true } }
            let count = ProcessInfo.processInfo.activeProcessorCount
            startThread {
                writer.writeWithoutTransaction { _ in
                    isHeld.open()
                    // A thread outside Swift's pool. It has no deadline, because the clock may jump.
                    while lane.waits.count < count + 1, !isOver.withLock({ $0 }) { usleep(500) }
                }
            }
            await isHeld.opened()
            let first = Task { try await writer.write { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } }
            while lane.waits.count < 1 {
                try Task.checkCancellation()
                await Task.yield()
            }
            let blocked = (0..<count).map { _ in
                Task.detached { @Sendable in try Self.blockingCount(writer) }
            }
            let counted = try await first.value
            #expect(counted == 2)
            for task in blocked {
                let value = try await task.value
                #expect(value == 2)
            }
        }
    }

    /// A synchronous access, which overload resolution would not choose in an asynchronous context.
    private static func blockingCount(_ writer: any DatabaseWriter) throws -> Int? {
        try writer.write { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    /// Accesses of all kinds, from more tasks than there are threads.
    @Test(arguments: ConnectionKind.concurrent)
    func accessesThatBlockAndOthers(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let pool = writer as? DatabasePool
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<16 {
                    group.addTask {
                        for _ in 0..<40 {
                            switch index % 4 {
                            case 0: try await writer.write { try $0.execute(sql: "UPDATE t SET x = x + 1") }
                            case 1: _ = try await writer.read { try Int.fetchAll($0, sql: "SELECT x FROM t") }
                            case 2: _ = try Self.blockingCount(writer)
                            default: try Self.snapshot(pool)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let values = try await writer.read { try Int.fetchAll($0, sql: "SELECT x FROM t") }
            #expect(values == [161, 162])
        }
    }

    private static func snapshot(_ pool: DatabasePool?) throws {
        guard let pool else { return }
        let snapshot = try pool.makeSnapshotPool()
        #expect(try snapshot.read { try Int.fetchAll($0, sql: "SELECT x FROM t") }.count == 2)
    }

    /// Many waiters are cancelled at once, and the others are served in order.
    @Test func cancelledWaiters() async throws {
        let queue = try DatabaseQueue()
        let lane = queue._routes.write.lane
        let (isHeld, mayEnd) = (Gate(), Gate())
        startThread {
            queue.writeWithoutTransaction { _ in
                isHeld.open()
                mayEnd.wait()
            }
        }
        await isHeld.opened()
        let tasks = (0..<2_000).map { number in Task { try await queue.write { _ in number } } }
        await eventually { lane.waits.count == 2_000 }
        for task in tasks[..<1_000] { task.cancel() }
        await eventually { lane.waits.count == 1_000 }
        mayEnd.open()
        for (number, task) in tasks.enumerated() {
            switch await task.result {
            case .success(let value): #expect(value == number && number >= 1_000)
            case .failure(let error): #expect(error is CancellationError && number < 1_000)
            }
        }
    }
}
