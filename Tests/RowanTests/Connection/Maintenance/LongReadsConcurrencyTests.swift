// Long reads, which prevent the write-ahead log from being reused.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct LongReadsConcurrencyTests {
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
            let site = "before the end of a read at RowanTests/LongReadsConcurrencyTests.swift:\(held.line) for "
            #expect(description.contains(site))
            #expect(description.hasSuffix("seconds, last statement: SELECT x FROM t ORDER BY rowid"))
            // Another read is reported separately.
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
            // Reports are ordered, so a wrong one would come first.
            let reported = await HeldRead(pool)
            try await pool.write { try $0.insert(3) }
            await eventually { !log.elements.isEmpty }
            #expect(log.elements.map { $0.access.callSite?.line } == [reported.line])
            await reported.end()
        }
    }

    /// The report may use the pool, including its writer.
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
}
