// The accesses reported in a pool's status.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct PoolStatusConcurrencyTests {
    @Test func theStatusShowsTheAccesses() async throws {
        try await withPool(readers: 3) { pool in
            #expect(pool.status.reads.isEmpty)
            #expect(pool.status.write == nil)
            let snapshot = try pool.makeSnapshot()
            let line = #line - 1
            // The coarse clock advances in steps.
            let opening = Uptime.coarse
            await eventually { Uptime.coarse > opening }
            let held = await HeldRead(pool)
            let status = pool.status
            #expect(status.reads.map(\.kind) == [.snapshot, .read])
            #expect(status.reads.map { $0.callSite?.line } == [line, held.line])
            let fileIDs = Set(status.reads.map { $0.callSite?.fileID })
            #expect(fileIDs == ["RowanTests/PoolStatusConcurrencyTests.swift"])
            #expect(status.reads[0].duration > status.reads[1].duration)
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
            await eventually { pool.status.longestReadWait >= .milliseconds(5) }
            let before = pool.status.longestReadWait
            #expect(before >= .milliseconds(5))
            await held.end()
            for read in reads { try await #expect(read.value == [1, 2]) }
            #expect(pool.status.waitingReadCount == 0)
            #expect(pool.status.longestReadWait >= before)
            #expect(pool.status.longestWriteWait < before)
        }
    }

    /// The statement of an earlier read is not reported for a read that has run none yet.
    @Test func theStatementOfAnEarlierReadIsForgotten() async throws {
        try await withPool(timeout: .seconds(60)) { pool in
            _ = try await pool.values()
            try await onThread {
                try pool.unsafeRead { _ in #expect(pool.status.reads.map(\.sql) == [nil]) }
            }
        }
    }

    /// The statements of reads are recorded only if reads are reported.
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
