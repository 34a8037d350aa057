// Threads of a pool that would wait for each other forever, and threads that only seem to.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct DeadlockConcurrencyTests {
    /// A read that writes, before it ends, when the gate opens.
    private final class WritingRead: Sendable {
        let mayWrite = Gate()
        private let ended = Gate()
        private let errors = Log<DatabaseError?>()

        init(_ pool: DatabasePool) async {
            let hasBegun = Gate()
            startThread { [self] in
                do {
                    try pool.unsafeRead { _ in
                        hasBegun.open()
                        mayWrite.wait()
                        do {
                            try pool.write { try $0.insert(9) }
                            errors.append(nil)
                        } catch {
                            errors.append(error as? DatabaseError)
                        }
                    }
                } catch {
                    Issue.record(error)
                }
                ended.open()
            }
            await hasBegun.opened()
        }

        func write() { mayWrite.open() }

        /// The error of the write.
        func result() async -> [DatabaseError?] {
            await ended.opened()
            return errors.elements
        }

        func expectDeadlock(_ location: SourceLocation = #_sourceLocation) async {
            let errors = await result()
            let message =
                "this access would wait forever for the writer, which waits for a read that this thread has begun: "
                + "write after the read"
            #expect(errors.map { $0?.resultCode } == [.SQLITE_MISUSE], sourceLocation: location)
            #expect(errors.map { $0?.message } == [message], sourceLocation: location)
        }
    }

    /// An access to the writer that blocks its thread when the gate opens.
    private func holdWriter(
        _ pool: DatabasePool, _ block: @escaping @Sendable (Database) throws -> Void
    ) async -> (mayBlock: Gate, ended: Gate) {
        let (hasBegun, mayBlock, ended) = (Gate(), Gate(), Gate())
        startThread {
            do {
                try pool.writeWithoutTransaction { db in
                    hasBegun.open()
                    mayBlock.wait()
                    try block(db)
                }
            } catch {
                Issue.record(error)
            }
            ended.open()
        }
        await hasBegun.opened()
        return (mayBlock, ended)
    }

    /// The ways in which the writer waits for a reader.
    enum Blocking: CaseIterable {
        case spawnedRead, nestedRead, barrier, invalidation

        func run(_ pool: DatabasePool, _ values: Log<Int>) throws {
            switch self {
            case .spawnedRead:
                let ended = Gate()
                pool.spawnConcurrentRead { result in
                    do { values.append(try result.get().values().count) } catch { Issue.record(error) }
                    ended.open()
                }
                ended.wait()
            case .nestedRead: values.append(try pool.read { try $0.values().count })
            case .barrier:
                values.append(try pool.unsafeReentrantWrite { try pool._routes.withBarrier($0) { _ in 2 } })
            case .invalidation:
                pool.invalidateReadOnlyConnections()
                values.append(2)
            }
        }
    }

    /// The second access detects the deadlock. The read is rejected, because its order is wrong.
    @Test(arguments: Blocking.allCases, [false, true])
    func aReadThatWaitsForTheWriterThatWaitsForIt(_ blocking: Blocking, _ readWaitsFirst: Bool) async throws {
        try await withPool { pool in
            let values = Log<Int>()
            let read = await WritingRead(pool)
            let (mayBlock, ended) = await holdWriter(pool) { _ in try blocking.run(pool, values) }
            func waits() -> Bool {
                pool.status.waitingReadCount == 1 || pool.readers.state.withLock { $0.exclusive != nil }
            }
            if readWaitsFirst {
                read.write()
                await eventually { pool.status.waitingWriteCount == 1 }
                mayBlock.open()
            } else {
                mayBlock.open()
                await eventually { waits() }
                read.write()
            }
            await read.expectDeadlock()
            await ended.opened()
            #expect(values.elements == [2])
            try await #expect(pool.values() == [1, 2])
        }
    }

    /// If several reads wait for the writer, rejecting one frees a reader for it.
    @Test func onlyAsManyAsNecessaryAreRefused() async throws {
        try await withPool(readers: 2) { pool in
            let values = Log<Int>()
            let reads = [await WritingRead(pool), await WritingRead(pool)]
            let (mayBlock, ended) = await holdWriter(pool) { _ in try Blocking.nestedRead.run(pool, values) }
            for (count, read) in reads.enumerated() {
                read.write()
                await eventually { pool.status.waitingWriteCount == count + 1 }
            }
            mayBlock.open()
            await ended.opened()
            #expect(values.elements == [2])
            // The last one.
            await reads[1].expectDeadlock()
            await #expect(reads[0].result().map { $0?.resultCode } == [nil])
            try await #expect(pool.values() == [1, 2, 9])
        }
    }

    /// An exclusive access needs all readers.
    @Test func aBarrierRefusesAllReadsThatWaitForIt() async throws {
        try await withPool(readers: 2) { pool in
            let values = Log<Int>()
            let reads = [await WritingRead(pool), await WritingRead(pool)]
            let (mayBlock, ended) = await holdWriter(pool) { _ in try Blocking.barrier.run(pool, values) }
            for read in reads { read.write() }
            await eventually { pool.status.waitingWriteCount == 2 }
            mayBlock.open()
            for read in reads { await read.expectDeadlock() }
            await ended.opened()
            #expect(values.elements == [2])
        }
    }

    /// A barrier that waits for another one.
    @Test func aReadBlocksABarrierBehindAnInvalidation() async throws {
        try await withPool { pool in
            let values = Log<Int>()
            let read = await WritingRead(pool)
            let (mayBlock, ended) = await holdWriter(pool) { _ in try Blocking.barrier.run(pool, values) }
            let invalidated = Gate()
            startThread {
                pool.invalidateReadOnlyConnections()
                invalidated.open()
            }
            await eventually { pool.readers.state.withLock { $0.exclusive != nil } }
            mayBlock.open()
            await eventually { pool.readers.state.withLock { $0.threadsBeforeTurn.count } == 1 }
            read.write()
            await read.expectDeadlock()
            await ended.opened()
            await invalidated.opened()
            #expect(values.elements == [2])
        }
    }

    /// An access that waits for all readers without holding the writer also waits for the write.
    @Test(arguments: [false, true])
    func aWriteInAReadWhileMemoryIsReleased(_ isMemory: Bool) async throws {
        try await withPool { pool in
            let read = await WritingRead(pool)
            let released = Gate()
            startThread {
                if isMemory { pool.releaseMemory() } else { pool.invalidateReadOnlyConnections() }
                released.open()
            }
            await eventually { pool.readers.state.withLock { $0.exclusive != nil } }
            read.write()
            let errors = await read.result()
            #expect(errors.map { $0?.message } == [nil])
            await released.opened()
            try await #expect(pool.values() == [1, 2, 9])
        }
    }

    /// Another reader is released, so no access is rejected.
    @Test func aReaderThatWillBecomeFree() async throws {
        try await withPool(readers: 2) { pool in
            let values = Log<Int>()
            let held = await HeldRead(pool)
            let read = await WritingRead(pool)
            let (mayBlock, ended) = await holdWriter(pool) { _ in try Blocking.nestedRead.run(pool, values) }
            read.write()
            await eventually { pool.status.waitingWriteCount == 1 }
            mayBlock.open()
            await eventually { pool.status.waitingReadCount == 1 }
            #expect(pool.status.waitingWriteCount == 1)
            await held.end()
            await ended.opened()
            let errors = await read.result()
            #expect(errors.map { $0?.message } == [nil])
            #expect(values.elements == [2])
            try await #expect(pool.values() == [1, 2, 9])
        }
    }

    /// A spawned read needs the reader that its own thread uses.
    @Test func aReadThatIsSpawnedInAReadOfItsThread() async throws {
        try await withPool { pool in
            let errors = Log<DatabaseError?>()
            try await onThread {
                try pool.writeWithoutTransaction { _ in
                    try pool.read { _ in
                        pool.spawnConcurrentRead { result in
                            do { _ = try result.get() } catch { errors.append(error as? DatabaseError) }
                        }
                    }
                }
            }
            await eventually { !errors.elements.isEmpty }
            #expect(errors.elements.map { $0?.resultCode } == [.SQLITE_MISUSE])
            #expect(errors.elements.first??.message?.hasPrefix("this access would wait forever") == true)
        }
    }
}
