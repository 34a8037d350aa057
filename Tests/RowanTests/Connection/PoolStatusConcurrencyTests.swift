// What a pool tells about its accesses: its status, the deadline of reads, and long reads.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct PoolStatusConcurrencyTests {
    /// A read that holds a reader until the gate opens, and the line of its call.
    private struct HeldRead {
        let line: Int
        let mayEnd = Gate()
        let ended = Gate()

        init(_ pool: DatabasePool, line: UInt = #line) async {
            self.line = Int(line)
            let (hasBegun, mayEnd, ended) = (Gate(), mayEnd, ended)
            startThread {
                do {
                    try pool.atCallSite(line: line).read { db in
                        _ = try db.values()
                        hasBegun.open()
                        mayEnd.wait()
                    }
                } catch {
                    Issue.record(error)
                }
                ended.open()
            }
            await hasBegun.opened()
        }

        func end() async {
            mayEnd.open()
            await ended.opened()
        }
    }

    private func withPool(
        readers: Int = 1, timeout: Duration? = nil, _ configure: (inout Configuration) -> Void = { _ in },
        _ body: (DatabasePool) async throws -> Void
    ) async throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = readers
        configuration.readerTimeout = timeout
        configure(&configuration)
        try await withTable(.pool, configuration) { writer in
            let pool = try #require(writer as? DatabasePool)
            try await body(pool)
        }
    }

    // MARK: The deadline of reads

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
                for read in held { #expect(message.contains("PoolStatusConcurrencyTests.swift:\(read.line) for ")) }
                #expect(message.contains("seconds, last statement: SELECT x FROM t ORDER BY rowid; read at "))
                let end = "Make these accesses shorter, or raise Configuration.maximumReaderCount, which is 2"
                #expect(message.hasSuffix(end))
            }
            // The deadline concerns waiting reads only.
            for read in held { await read.end() }
            try await #expect(pool.values() == [1, 2])
            #expect(pool.status.waitingReadCount == 0)
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
                "no reader was free for 30 milliseconds: a barrier, or the closing of connections, uses all of them. "
                + "Make it shorter"
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
            try await Task.sleep(for: .milliseconds(20))
            mayEnd.open()
            try await first
            try await second
            try await #expect(pool.values() == [1, 2, 3])
        }
    }

    /// Each waiter has its own deadline, and those that may wait for ever have none.
    @Test func waitersExpireOneByOne() async throws {
        let lane = AccessLane(
            capacity: 1, isWriter: false, label: "test", qos: .default, target: nil, waitLimit: .milliseconds(50)
        ) { executor in
            try PooledConnection(path: ":memory:", configuration: Configuration(), executor: executor)
        }
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
        try await Task.sleep(for: .milliseconds(10))
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
        let lane = AccessLane(
            capacity: 1, isWriter: false, label: "test", qos: .default, target: nil, waitLimit: .milliseconds(50)
        ) { executor in
            try PooledConnection(path: ":memory:", configuration: Configuration(), executor: executor)
        }
        let connection = try lane.acquire()
        let log = Log<Int>()
        // Not one look at all waiters for each of them.
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
            try await Task.sleep(for: .milliseconds(5))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // Its wait counts nevertheless.
            #expect(pool.status.longestReadWait >= .milliseconds(5))
            await held.end()
        }
    }

    /// The look that was scheduled for a cancelled waiter finds others.
    @Test func waitersAfterACancelledOneExpire() async throws {
        let lane = AccessLane(
            capacity: 1, isWriter: false, label: "test", qos: .default, target: nil, waitLimit: .milliseconds(50)
        ) { executor in
            try PooledConnection(path: ":memory:", configuration: Configuration(), executor: executor)
        }
        let connection = try lane.acquire()
        let log = Log<String>()
        func waiter(_ name: String) -> AccessLane.Waiter {
            AccessLane.Waiter { result in
                if case .failure = result { log.append(name) }
            }
        }
        let cancelled = waiter("cancelled")
        try lane.enqueue(cancelled)
        // False if this thread has paused for longer than the limit.
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

    // MARK: Status

    @Test func theStatusShowsTheAccesses() async throws {
        try await withPool(readers: 3) { pool in
            #expect(pool.status.reads.isEmpty)
            #expect(pool.status.write == nil)
            let snapshot = try pool.makeSnapshot()
            let line = #line - 1
            // The clock of accesses goes on in steps.
            try await Task.sleep(for: .milliseconds(20))
            let held = await HeldRead(pool)
            let status = pool.status
            #expect(status.reads.map(\.kind) == [.snapshot, .read])
            #expect(status.reads.map { $0.callSite?.line } == [line, held.line])
            let fileIDs = Set(status.reads.map { $0.callSite?.fileID })
            #expect(fileIDs == ["RowanTests/PoolStatusConcurrencyTests.swift"])
            #expect(status.reads[0].duration >= status.reads[1].duration)
            let start = "snapshot at RowanTests/PoolStatusConcurrencyTests.swift:\(line) for "
            #expect(status.reads[0].description.hasPrefix(start))
            #expect((status.maximumReaderCount, status.waitingReadCount, status.waitingWriteCount) == (3, 0, 0))
            #expect(status.openReaderCount >= 1)
            #expect(status.walSize > 0)
            await held.end()
            #expect(pool.status.reads.map(\.kind) == [.snapshot])
            try snapshot.close()
            #expect(pool.status.reads.isEmpty)
        }
    }

    @Test func aDeallocatedSnapshotIsGone() async throws {
        try await withPool { pool in
            do {
                let snapshot = try pool.makeSnapshotPool()
                #expect(pool.status.reads.map(\.kind) == [.snapshot])
                withExtendedLifetime(snapshot) {}
            }
            #expect(pool.status.reads.isEmpty)
        }
    }

    @Test func waitsAreCountedAndTimed() async throws {
        try await withPool { pool in
            let held = await HeldRead(pool)
            let reads = [Task { try await pool.values() }, Task { try await pool.values() }]
            await eventually { pool.status.waitingReadCount == 2 }
            #expect(pool.status.waitingReadCount == 2)
            try await Task.sleep(for: .milliseconds(5))
            let before = pool.status.longestReadWait
            #expect(before >= .milliseconds(5))
            await held.end()
            for read in reads { try await #expect(read.value == [1, 2]) }
            #expect(pool.status.waitingReadCount == 0)
            #expect(pool.status.longestReadWait >= before)
            #expect(pool.status.longestWriteWait < before)
        }
    }

    // MARK: Long reads

    @Test func aLongReadIsReportedOnce() async throws {
        let log = Log<LongRead>()
        try await withPool(readers: 2, { $0.reportLongReads(after: .zero) { log.append($0) } }) { pool in
            let held = await HeldRead(pool)
            #expect(log.elements.isEmpty)
            for value in 3...5 { try await pool.write { try $0.insert(value) } }
            await eventually { !log.elements.isEmpty }
            #expect(log.elements.map { $0.access.callSite?.line } == [held.line])
            #expect(log.elements.first?.access.kind == .read)
            #expect(log.elements.first.map { $0.walSize > 0 } == true)
            let description = log.elements.first?.description ?? ""
            #expect(description.hasPrefix("the write-ahead log, which has "))
            let site = "before the end of a read at RowanTests/PoolStatusConcurrencyTests.swift:\(held.line) for "
            #expect(description.contains(site))
            #expect(description.hasSuffix("seconds, last statement: SELECT x FROM t ORDER BY rowid"))
            // Another read is another report.
            let second = await HeldRead(pool)
            try await pool.write { try $0.insert(6) }
            await eventually { log.elements.count == 2 }
            #expect(log.elements.map { $0.access.callSite?.line } == [held.line, second.line])
            for read in [held, second] { await read.end() }
            try await pool.write { try $0.insert(7) }
            let snapshot = try pool.makeSnapshot()
            try await pool.write { try $0.insert(8) }
            await eventually { log.elements.count == 3 }
            #expect(log.elements.map(\.access.kind) == [.read, .read, .snapshot])
            withExtendedLifetime(snapshot) {}
        }
    }

    @Test func shortReadsAndReadsWithoutWritesAreNotReported() async throws {
        let log = Log<LongRead>()
        try await withPool({ $0.reportLongReads(after: .seconds(3600)) { log.append($0) } }) { pool in
            let held = await HeldRead(pool)
            try await pool.write { try $0.insert(3) }
            await held.end()
        }
        try await withPool({ $0.reportLongReads(after: .zero) { log.append($0) } }) { pool in
            let held = await HeldRead(pool)
            try await pool.writeWithoutTransaction { _ = try $0.values() }
            await held.end()
            // Reports come in their order: one that was wrong would come first.
            let reported = await HeldRead(pool)
            try await pool.write { try $0.insert(3) }
            await eventually { !log.elements.isEmpty }
            #expect(log.elements.map { $0.access.callSite?.line } == [reported.line])
            await reported.end()
        }
    }

    /// The statement of an earlier read is not that of a read that has run none yet.
    @Test func theStatementOfAnEarlierReadIsForgotten() async throws {
        try await withPool(timeout: .seconds(60)) { pool in
            _ = try await pool.values()
            try await onThread {
                try pool.unsafeRead { _ in #expect(pool.status.reads.map(\.sql) == [nil]) }
            }
        }
    }

    /// The report may use the pool, also its writer.
    @Test func theReportMayUseThePool() async throws {
        let (log, box) = (Log<Int>(), Log<DatabasePool>())
        try await withPool(
            readers: 2,
            {
                $0.reportLongReads(after: .zero) { _ in
                    guard let pool = box.elements.first else { return }
                    do { log.append(try pool.write { try $0.values().count }) } catch { Issue.record(error) }
                }
            }
        ) { pool in
            box.append(pool)
            let held = await HeldRead(pool)
            try await pool.write { try $0.insert(3) }
            await eventually { !log.elements.isEmpty }
            #expect(log.elements == [3])
            await held.end()
        }
    }

    /// Only what is configured to report reads records their statements.
    @Test func statementsAreRecordedOnDemand() async throws {
        try await withPool { pool in
            let held = await HeldRead(pool)
            #expect(pool.status.reads.map(\.sql) == [nil])
            await held.end()
        }
        try await withPool(timeout: .seconds(60)) { pool in
            let held = await HeldRead(pool)
            #expect(pool.status.reads.map(\.sql) == ["SELECT x FROM t ORDER BY rowid"])
            await held.end()
        }
    }

    @Test func makingASnapshotIsAReference() async throws {
        try await withPool(readers: 2) { pool in
            let makers: [() throws -> any DatabaseSnapshotReader] = [pool.makeSnapshot, pool.makeSnapshotPool]
            for make in makers {
                let values = try await make().values()
                #expect(values == [1, 2])
            }
        }
    }
}
