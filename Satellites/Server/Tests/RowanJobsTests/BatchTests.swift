import Foundation
import Rowan
import RowanJobs
import RowanJobsTestKit
import Testing

@Suite struct BatchTests {
    /// Succeeds or fails as its text says, and can be mended.
    private func batchTest(_ mended: Shared<Bool> = Shared(false)) async throws -> JobTest<DatabaseQueue> {
        struct Next: JobPayload {}
        return try await JobTest { jobs in
            jobs.register(Work.self) { work, context in
                if work.text == "fail", !mended.value { throw FailJob("no") }
                if work.text == "next" {
                    let batch = try #require(context.batch)
                    let line = "\(batch.total) \(batch.remaining) \(batch.failed)"
                    try await context.write { try $0.execute(sql: "INSERT INTO note VALUES (?)", arguments: [line]) }
                }
            }
        }
    }

    private func enqueue(
        _ texts: [String], afterFailures: Bool = false, _ test: JobTest<DatabaseQueue>
    ) async throws -> JobID {
        try await test.database.write { db in
            try test.jobs.enqueue(
                batch: texts.map { Work(text: $0) }, then: Work(text: "next"), afterFailures: afterFailures, in: db)
        }
    }

    private func status(_ id: JobID, _ test: JobTest<DatabaseQueue>) async throws -> JobStatus? {
        try await test.database.read { try test.jobs.status(of: id, in: $0) }
    }

    @Test func theNextJobFollowsTheLastOne() async throws {
        let test = try await batchTest()
        let id = try await enqueue(["a", "b", "c"], test)
        let status = try await status(id, test)
        #expect(status?.state == .blocked && status?.batch?.total == 3 && status?.batch?.remaining == 3)
        #expect(try await test.runAll().succeeded == 4)
        #expect(try await test.notes == ["3 0 0"])
        #expect(try await test.rows("SELECT * FROM rowan_job_batch").isEmpty)
    }

    @Test func anEmptyBatchIsFollowedAtOnce() async throws {
        let test = try await batchTest()
        _ = try await enqueue([], test)
        #expect(try await test.runAll().succeeded == 1)
        #expect(try await test.notes == ["0 0 0"])
    }

    @Test func theNextJobFollowsFailuresIfItShould() async throws {
        let test = try await batchTest()
        _ = try await enqueue(["a", "fail", "c"], afterFailures: true, test)
        try await test.runAll()
        #expect(try await test.notes == ["3 0 1"])
    }

    @Test func theNextJobWaitsForRetriesOfFailedJobs() async throws {
        let mended = Shared(false)
        let test = try await batchTest(mended)
        let id = try await enqueue(["fail", "b", "fail"], test)
        try await test.runAll()
        #expect(try await status(id, test)?.state == .blocked)
        #expect(try await status(id, test)?.batch?.failed == 2)
        mended.change { $0 = true }
        for job in try await test.database.read({ try test.jobs.failed(in: $0) }) {
            #expect(try await status(id, test)?.state == .blocked)
            #expect(try await test.database.write { try test.jobs.retry(job.id, in: $0) })
            try await test.runAll()
        }
        #expect(try await test.notes == ["3 0 0"])
        #expect(try await test.rows("SELECT * FROM rowan_job_batch").isEmpty)
    }

    @Test func theNextJobIsCancelledOnceTheFailedOnesAreDiscarded() async throws {
        let test = try await batchTest()
        let id = try await enqueue(["fail", "b", "fail"], test)
        try await test.runAll()
        let failed = try await test.database.read { try test.jobs.failed(in: $0) }
        for (index, job) in failed.enumerated() {
            #expect(try await status(id, test)?.state == .blocked)
            #expect(try await test.database.write { try test.jobs.discard(job.id, in: $0) })
            #expect((try await status(id, test)?.state == .cancelled) == (index == 1))
        }
        #expect(try await test.rows("SELECT * FROM rowan_job_batch").isEmpty)
        #expect(try await test.rows("SELECT * FROM rowan_job").isEmpty)
    }

    @Test func aCancelledJobOfABatchHasFailed() async throws {
        let test = try await batchTest()
        let id = try await enqueue(["a"], test)
        let first = JobID(rawValue: id.rawValue - 1)
        #expect(try await test.database.write { try test.jobs.cancel(first, in: $0) })
        #expect(try await status(id, test)?.state == .cancelled)
    }

    @Test func theNextJobOfFailuresIsNotStartedTwice() async throws {
        let mended = Shared(false)
        let test = try await batchTest(mended)
        _ = try await enqueue(["fail", "fail"], afterFailures: true, test)
        try await test.runAll()
        #expect(try await test.notes == ["2 0 2"])
        mended.change { $0 = true }
        for job in try await test.database.read({ try test.jobs.failed(in: $0) }) {
            #expect(try await test.database.write { try test.jobs.retry(job.id, in: $0) })
        }
        #expect(try await test.runAll().succeeded == 2)
        #expect(try await test.notes == ["2 0 2"])
    }

    @Test func aFailedNextJobStillKnowsItsBatch() async throws {
        let fails = Shared(true)
        let test = try await JobTest { jobs in
            jobs.register(Work.self) { work, context in
                guard work.text == "next" else { return }
                if fails.value { throw FailJob("no") }
                #expect(context.batch?.total == 2)
            }
        }
        let id = try await enqueue(["a", "b"], test)
        try await test.runAll()
        #expect(try await status(id, test)?.state == .failed)
        fails.change { $0 = false }
        #expect(try await test.database.write { try test.jobs.retry(id, in: $0) })
        #expect(try await test.runAll().succeeded == 1)
        #expect(try await test.rows("SELECT * FROM rowan_job_batch").isEmpty)
    }
}
