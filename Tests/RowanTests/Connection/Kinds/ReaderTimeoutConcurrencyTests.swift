// Reads that wait for a reader, and the duration of their wait.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct ReaderTimeoutConcurrencyTests {
    /// A lane with a single connection and a timeout of 50 milliseconds.
    private func makeLane() -> AccessLane {
        AccessLane(
            capacity: 1, isWriter: false, label: "test", qos: .default, target: nil, waitLimit: .milliseconds(50)
        ) { queues in
            try PooledConnection(path: ":memory:", configuration: Configuration(), queues: queues)
        }
    }

    @Test func aReadThatWaitsTooLongNamesTheReadsInUse() async throws {
        try await withPool(readers: 2, timeout: .milliseconds(30)) { pool in
            let held = [await HeldRead(pool), await HeldRead(pool)]
            let errors = [
                await expectError(.SQLITE_BUSY) { try await onThread { try pool.read { try $0.values() } } },
                await expectError(.SQLITE_BUSY) { try await pool.read { try $0.values() } },
                await expectError(.SQLITE_BUSY) { try await pool.unsafeRead { try $0.values() } },
                await expectError(.SQLITE_BUSY) {
                    try await withCheckedThrowingContinuation { continuation in
                        pool.asyncRead { continuation.resume(with: $0.map { _ in () }) }
                    }
                },
            ]
            for error in errors {
                let message = error?.message ?? ""
                #expect(message.hasPrefix("no reader was free for 30 milliseconds. In use: read at RowanTests/"))
                for read in held { #expect(message.contains("ReaderTimeoutConcurrencyTests.swift:\(read.line) for ")) }
                #expect(message.contains("seconds, last statement: SELECT x FROM t ORDER BY rowid; read at "))
                let end = "Make these accesses shorter, or raise Configuration.maximumReaderCount, which is 2"
                #expect(message.hasSuffix(end))
            }
            // The timeout applies only to waiting reads.
            for read in held { await read.end() }
            try await #expect(pool.values() == [1, 2])
            #expect(pool.status.waitingReadCount == 0)
        }
    }

    /// The limit also applies when the program's own work blocks all threads of the system's queues.
    @Test(.timeLimit(.minutes(1))) func theSystemsQueuesAreBlocked() async throws {
        try await withPool(readers: 1, timeout: .milliseconds(30)) { pool in
            let held = await HeldRead(pool)
            let mayEnd = Gate()
            for _ in 0..<50 { DispatchQueue.global(qos: .userInitiated).async { mayEnd.wait() } }
            defer { mayEnd.open() }
            await expectError(.SQLITE_BUSY) { try await onThread { try pool.read { try $0.values() } } }
            await held.end()
        }
    }

    @Test func aBarrierIsNamed() async throws {
        try await withPool(timeout: .milliseconds(30)) { pool in
            let (hasBegun, mayEnd) = (Gate(), Gate())
            async let barrier: Void = onThread {
                try pool.barrierWriteWithoutTransaction { _ in
                    hasBegun.open()
                    mayEnd.wait()
                }
            }
            await hasBegun.opened()
            let error = await expectError(.SQLITE_BUSY) { try await pool.values() }
            let message =
                "no reader was free for 30 milliseconds because a barrier, or the closing of connections, uses all of "
                + "them: make it shorter"
            #expect(error?.message == message)
            mayEnd.open()
            try await barrier
            try await #expect(pool.values() == [1, 2])
        }
    }

    @Test func writesWaitAsLongAsNecessary() async throws {
        try await withPool(timeout: .milliseconds(1)) { pool in
            let (hasBegun, mayEnd) = (Gate(), Gate())
            async let first: Void = onThread {
                try pool.write { _ in
                    hasBegun.open()
                    mayEnd.wait()
                }
            }
            await hasBegun.opened()
            async let second: Void = pool.write { try $0.insert(3) }
            await eventually { pool.status.waitingWriteCount == 1 }
            #expect(pool.status.write?.kind == .write)
            // A read that started waiting later has waited too long.
            let held = await HeldRead(pool)
            await expectError(.SQLITE_BUSY) { try await pool.values() }
            await held.end()
            #expect(pool.status.waitingWriteCount == 1)
            mayEnd.open()
            try await first
            try await second
            try await #expect(pool.values() == [1, 2, 3])
        }
    }

    /// Each waiter has its own deadline, or none if it may wait without limit.
    @Test func waitersExpireOneByOne() async throws {
        let lane = makeLane()
        let connection = try lane.acquire()
        let log = Log<String>()
        func wait(_ name: String, isPatient: Bool = false) throws {
            try lane.enqueue(
                AccessLane.Waiter(isPatient: isPatient) { result in
                    switch result {
                    case .success: log.append(name)
                    case .failure(let error):
                        log.append("\(name): \((error as? DatabaseError)?.resultCode.rawValue ?? 0)")
                    }
                })
        }
        try wait("patient", isPatient: true)
        try wait("a")
        // The next one starts after the first check of the waiters.
        let beginning = Uptime.now
        await eventually { Uptime.now > beginning + 10_000_000 }
        try wait("b")
        await eventually { log.elements.count == 2 }
        #expect(log.elements == ["a: 5", "b: 5"])
        #expect(lane.waits.longest >= .milliseconds(50))
        lane.release(connection)
        #expect(log.elements == ["a: 5", "b: 5", "patient"])
        #expect(lane.waits.count == 0)
        lane.release(connection)
    }

    @Test func manyWaitersExpireAtOnce() async throws {
        let lane = makeLane()
        let connection = try lane.acquire()
        let log = Log<Int>()
        // The waiters must not be scanned once for each of them.
        for number in 0..<20_000 {
            try lane.enqueue(
                AccessLane.Waiter { result in
                    if case .failure = result { log.append(number) }
                })
        }
        await eventually { lane.waits.count == 0 && log.elements.count == 20_000 }
        #expect(log.elements.sorted() == Array(0..<20_000))
        lane.release(connection)
    }

    @Test func cancellingAWaitingReadComesBeforeItsDeadline() async throws {
        try await withPool(timeout: .seconds(600)) { pool in
            let held = await HeldRead(pool)
            let task = Task { try await pool.values() }
            await eventually { pool.status.waitingReadCount == 1 }
            await eventually { pool.status.longestReadWait >= .milliseconds(5) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // Its wait is still counted.
            #expect(pool.status.longestReadWait >= .milliseconds(5))
            await held.end()
        }
    }

    /// The check scheduled for a cancelled waiter applies to others.
    @Test func waitersAfterACancelledOneExpire() async throws {
        let lane = makeLane()
        let connection = try lane.acquire()
        let log = Log<String>()
        func waiter(_ name: String) -> AccessLane.Waiter {
            AccessLane.Waiter { result in
                if case .failure = result { log.append(name) }
            }
        }
        let cancelled = waiter("cancelled")
        try lane.enqueue(cancelled)
        // False if this thread was paused for longer than the limit.
        let expected = lane.cancel(cancelled) ? ["late"] : ["cancelled", "late"]
        await eventually { lane.waits.count == 0 && log.elements.count == expected.count - 1 }
        try lane.enqueue(waiter("late"))
        await eventually { log.elements.count == expected.count }
        #expect(log.elements == expected)
        lane.release(connection)
    }

    @Test func observationsWaitForAReader() async throws {
        try await withPool(timeout: .milliseconds(20)) { pool in
            let held = await HeldRead(pool)
            let log = Log<String>()
            let cancellable = ValueObservation.tracking { try $0.values() }.start(
                in: pool, scheduling: .task, onError: { log.append("\($0)") }, onChange: { log.append("\($0)") })
            await expectError(.SQLITE_BUSY) { try await pool.values() }
            #expect(log.elements == [])
            await held.end()
            await eventually { !log.elements.isEmpty }
            #expect(log.elements == ["[1, 2]"])
            cancellable.cancel()
        }
    }

    @Test(arguments: [
        Duration.zero, .seconds(-1), .seconds(Int64.max), .seconds(18_446_744_073) + .milliseconds(800),
    ])
    func anyDurationIsATimeout(_ timeout: Duration) async throws {
        try await withPool(timeout: timeout) { pool in
            let held = await HeldRead(pool)
            let read = Task { try await pool.values() }
            if timeout > .seconds(1) {
                await eventually { pool.status.waitingReadCount == 1 }
                await held.end()
                try await #expect(read.value == [1, 2])
            } else {
                await expectError(.SQLITE_BUSY) { try await read.value }
                await held.end()
            }
        }
    }
}
