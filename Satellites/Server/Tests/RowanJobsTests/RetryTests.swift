import Foundation
import Rowan
import RowanJobs
import RowanJobsTestKit
import Testing

@Suite struct RetryTests {
    @Test func failedAttemptsAreRepeatedWithGrowingDelays() async throws {
        let attempts = Shared([Int]())
        let test = try await JobTest { jobs in
            jobs.register(Work.self) { _, context in
                attempts.change { $0.append(context.attempt) }
                #expect(context.isLastAttempt == (context.attempt == 3))
                throw TestError()
            }
        }
        let id = try await test.enqueue(Work())
        #expect(try await test.runAll().errors.map(\.error) == ["it does not work"])
        for (delay, attempt) in [(10, 2), (20, 3)] {
            test.clock.advance(by: .seconds(delay) - .milliseconds(1))
            try await test.runAll()
            #expect(attempts.value.last == attempt - 1)
            test.clock.advance(by: .milliseconds(1))
            try await test.runAll()
            #expect(attempts.value.last == attempt)
        }
        let status = try await test.database.read { try test.jobs.status(of: id, in: $0) }
        #expect(status?.state == .failed && status?.error == "it does not work" && status?.attempt == 3)
        #expect(try await test.rows("SELECT * FROM rowan_job").isEmpty)
    }

    @Test func failedJobsAreListedRetriedAndDiscarded() async throws {
        let fails = Shared(true)
        let test = try await JobTest { jobs in
            jobs.register(Work.self) { _, _ in if fails.value { throw FailJob("the address is unknown") } }
        }
        let ids = [try await test.enqueue(Work(text: "a")), try await test.enqueue(Work(text: "b"), .queue("default"))]
        try await test.runAll()
        let failed = try await test.database.read { try test.jobs.failed(in: $0) }
        #expect(failed.map(\.id) == ids.reversed())
        #expect(failed[0].kind == "Work" && failed[0].payload == #"{"text":"b"}"# && failed[0].attempts == 1)
        #expect(failed[0].error == "the address is unknown" && failed[0].failedAt == test.clock.now)
        #expect(try await test.database.read { try test.jobs.failed(in: $0, queue: "mail") }.isEmpty)
        #expect(
            try await test.database.read { try test.jobs.failed(in: $0, limit: 1, before: ids[1]) }.map(\.id) == [
                ids[0]
            ])

        fails.change { $0 = false }
        #expect(try await test.database.write { try test.jobs.retry(ids[0], in: $0) })
        #expect(try await test.database.write { try !test.jobs.retry(ids[0], in: $0) })
        #expect(try await test.database.write { try test.jobs.discard(ids[1], in: $0) })
        #expect(try await test.database.write { try !test.jobs.discard(ids[1], in: $0) })
        #expect(try await test.runAll().succeeded == 1)
        #expect(try await test.rows("SELECT * FROM rowan_job_failed").isEmpty)
    }

    @Test func aJobMaySetItsOwnDelayWithoutUsingAnAttempt() async throws {
        let attempts = Shared([Int]())
        let test = try await JobTest { jobs in
            jobs.register(Work.self) { _, context in
                attempts.change { $0.append(context.attempt) }
                if attempts.value.count <= 5 { throw RetryJob(after: .seconds(7), "too many requests") }
            }
        }
        let id = try await test.enqueue(Work())
        for _ in 0..<5 {
            try await test.runAll()
            #expect(try await test.database.read { try test.jobs.status(of: id, in: $0)?.error } == "too many requests")
            test.clock.advance(by: .seconds(7))
        }
        #expect(try await test.runAll().succeeded == 1)
        #expect(attempts.value == [1, 1, 1, 1, 1, 1])
    }

    @Test func nothingIsWrittenByAWriteThatThrows() async throws {
        let test = try await JobTest { jobs in
            jobs.register(Work.self) { _, context in
                try await context.write { db in
                    try db.execute(sql: "INSERT INTO note VALUES ('x')")
                    if context.attempt == 1 { throw TestError() }
                }
            }
        }
        try await test.enqueue(Work())
        try await test.runAll()
        #expect(try await test.notes.isEmpty)
        test.clock.advance(by: .seconds(10))
        try await test.runAll()
        #expect(try await test.notes == ["x"])
    }

    @Test func aJobIsCompletedOnceByItsWrite() async throws {
        let test = try await JobTest { jobs in
            jobs.register(Work.self) { _, context in
                try await context.write { try $0.execute(sql: "INSERT INTO note VALUES ('x')") }
                let error = await #expect(throws: JobError.self) {
                    try await context.write { try $0.execute(sql: "INSERT INTO note VALUES ('y')") }
                }
                #expect(error?.code == .lost)
                // What follows the commit doesn't matter.
                throw TestError()
            }
        }
        try await test.enqueue(Work())
        let report = try await test.runAll()
        #expect(report.succeeded == 1 && report.errors.isEmpty)
        #expect(try await test.notes == ["x"])
    }

    @Test func unknownAndUndecodableJobsAreKeptAndBlockNoOthers() async throws {
        struct Old: JobPayload { static let kind = "Note"; static let version = 2; var other = 1 }
        struct Unknown: JobPayload {}
        struct Broken: JobPayload { static let kind = "Note"; var other = 1 }
        let test = try await JobTest { $0.queue("default", concurrency: 1) }
        let ids = [
            try await test.enqueue(Old(), .priority(9)), try await test.enqueue(Unknown(), .priority(9)),
            try await test.enqueue(Broken(), .priority(9)),
        ]
        try await test.enqueue(Note(text: "a"))
        try await test.runAll()
        #expect(try await test.notes == ["a"])
        for _ in 0..<20 {
            test.clock.advance(by: .seconds(7_200))
            try await test.runAll()
        }
        let failed = try await test.database.read { try test.jobs.failed(in: $0) }
        #expect(failed.map(\.id) == ids.reversed())
        #expect(failed[0].error.contains("text"))
        #expect(
            failed[1].error
                == "this program has no jobs of the kind \"Unknown\": register its type, or discard the job")
        #expect(
            failed[2].error
                == "the job Note was stored with version 2, and this program decodes up to version 1: deploy the newer program"
        )
        #expect(failed.allSatisfy { $0.attempts == 10 })
    }

    @Test func aVersionDecodesWhatEarlierOnesHaveStored() async throws {
        struct First: JobPayload { static let kind = "Renamed"; var name: String }
        struct Second: JobPayload {
            static let (kind, version) = ("Renamed", 2)
            var title: String
            static func decode(_ payload: Data, version: Int) throws -> Second {
                if version == 1 { return Second(title: try JSONDecoder().decode(First.self, from: payload).name) }
                return try JSONDecoder().decode(Second.self, from: payload)
            }
        }
        let titles = Shared([String]())
        let test = try await JobTest { $0.register(Second.self) { job, _ in titles.change { $0.append(job.title) } } }
        try await test.enqueue(First(name: "a"))
        try await test.enqueue(Second(title: "b"))
        try await test.runAll()
        #expect(titles.value.sorted() == ["a", "b"])
    }

    @Test func aJobIsCancelledAfterItsTimeLimit() async throws {
        struct Slow: JobPayload { static let settings = JobSettings(retry: .never, timeout: .seconds(30)) }
        let gate = Gate()
        let test = try await JobTest { $0.register(Slow.self) { _, _ in try await gate.pass() } }
        let id = try await test.enqueue(Slow())
        async let report = test.runAll()
        await eventually { gate.count == 1 }
        // The job sleeps first, or the time has passed when it begins to.
        try await eventually {
            test.clock.advance(by: .seconds(10)); return try await test.state(of: id) == .failed
        }
        #expect(try await report.errors.map(\.error) == ["the job was cancelled after its time limit of 30.0 seconds"])
    }

    @Test func resultsAndProgressAreKeptForTheirTime() async throws {
        struct Sum: Job {
            let numbers: [Int]
            func run(_ context: JobContext) async throws {
                try await context.setProgress(0.25)
                try await context.setProgress(0.5)
                try context.setResult(["sum": numbers.reduce(0, +)])
                let progress = try await context.database.read {
                    try context.jobs.status(of: context.id, in: $0)?.progress
                }
                #expect(progress == 0.25)
            }
        }
        let test = try await JobTest { $0.register(Sum.self) }
        let id = try await test.enqueue(Sum(numbers: [1, 2, 3]))
        try await test.runAll()
        #expect(try await test.state(of: id) == .succeeded)
        let result = {
            try await test.database.read { db in try test.jobs.result(of: id, as: [String: Int].self, in: db) }
        }
        #expect(try await result() == ["sum": 6])
        test.clock.advance(by: .seconds(86_400))
        try await test.runAll()
        #expect(try await result() == nil)
        #expect(try await test.state(of: id) == nil)
    }

    @Test func failedJobsAreKeptForTheirTime() async throws {
        let test = try await JobTest { $0.register(Work.self) { _, _ in throw FailJob("no") } }
        let id = try await test.enqueue(Work())
        try await test.runAll()
        test.clock.advance(by: .seconds(30 * 86_400 - 1))
        try await test.runAll()
        #expect(try await test.state(of: id) == .failed)
        test.clock.advance(by: .seconds(1))
        try await test.runAll()
        #expect(try await test.state(of: id) == nil)
    }

    @Test func waitingAndRunningJobsAreCancelled() async throws {
        let gate = Gate()
        let test = try await JobTest { $0.register(Work.self) { _, _ in try await gate.pass() } }
        let waiting = try await test.enqueue(Work(), .after(.seconds(5)))
        #expect(try await test.database.write { try test.jobs.cancel(waiting, in: $0) })
        #expect(try await test.state(of: waiting) == .cancelled)
        #expect(try await test.database.write { try !test.jobs.cancel(waiting, in: $0) })
        #expect(try await test.database.write { try !test.jobs.cancel(JobID(rawValue: 99), in: $0) })
    }
}
