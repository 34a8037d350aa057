import Foundation
import Rowan
import RowanJobs
import RowanJobsTestKit
import Testing

@Suite struct EnqueueTests {
    @Test func jobsAreStoredWithTheTransactionOrNotAtAll() async throws {
        let test = try await JobTest()
        await #expect(throws: TestError.self) {
            try await test.database.write { db in
                try test.jobs.enqueue(Note(text: "lost"), in: db)
                throw TestError()
            }
        }
        try await test.enqueue(Note(text: "kept"))
        let report = try await test.runAll()
        #expect(report.succeeded == 1 && report.errors.isEmpty)
        #expect(try await test.notes == ["kept"])
        // Nothing is left of a job that has succeeded.
        #expect(try await test.rows("SELECT * FROM rowan_job").isEmpty)
        #expect(try await test.rows("SELECT * FROM rowan_job_worker").isEmpty)
        #expect(try await test.rows("SELECT sum(count) FROM rowan_job_count") == ["0"])
    }

    @Test func whatIsStored() async throws {
        let test = try await JobTest { $0.register(Work.self) { _, _ in } }
        try await test.enqueue(Work(text: "a", concurrencyKey: "k"), .priority(3), .queue("mail"))
        #expect(
            try await test.rows(
                "SELECT kind, version, queue, priority, state, attempt, attempts, key, due, enqueued FROM rowan_job")
                == [#""Work"|1|"mail"|3|2|0|3|"k"|1735689600000|1735689600000"#])
        let payload = try await test.database.read { db in
            try String.fetchOne(db, sql: "SELECT payload FROM rowan_job")!
        }
        #expect(
            try JSONDecoder().decode([String: String].self, from: Data(payload.utf8))
                == ["text": "a", "concurrencyKey": "k"])
    }

    @Test func jobsRunByPriorityThenInTheirOrder() async throws {
        let test = try await JobTest { $0.queue("default", concurrency: 1) }
        for (text, priority) in [
            ("b1", 0), ("a1", 5), ("c1", -5), ("b2", 0), ("a2", 5), ("max", Int.max), ("min", .min),
        ] {
            try await test.enqueue(Note(text: text), .priority(priority))
        }
        try await test.runAll()
        #expect(try await test.notes == ["max", "a1", "a2", "b1", "b2", "c1", "min"])
    }

    @Test func delayedJobsWaitForTheirTime() async throws {
        let test = try await JobTest()
        let id = try await test.enqueue(Note(text: "late"), .after(.seconds(60)))
        try await test.enqueue(Note(text: "at"), .at(test.clock.now + 30))
        try await test.enqueue(Note(text: "past"), .at(.distantPast))
        try await test.enqueue(Note(text: "never"), .at(.distantFuture))
        try await test.enqueue(Note(text: "never"), .after(.seconds(Int64.max)))
        #expect(try await test.state(of: id) == .delayed)
        try await test.runAll()
        #expect(try await test.notes == ["past"])
        test.clock.advance(by: .milliseconds(29_999))
        try await test.runAll()
        #expect(try await test.notes == ["past"])
        test.clock.advance(by: .milliseconds(1))
        try await test.runAll()
        #expect(try await test.notes == ["past", "at"])
        test.clock.advance(by: .seconds(30))
        try await test.runAll()
        #expect(try await test.notes == ["past", "at", "late"])
        test.clock.advance(by: .seconds(3_600 * 24 * 365 * 100))
        try await test.runAll()
        #expect(try await test.notes.count == 3)
    }

    @Test func manyJobsThatAreDueAtOnce() async throws {
        let test = try await JobTest()
        try await test.database.write { db in
            for index in 0..<1_234 { try test.jobs.enqueue(Note(text: "\(index)"), .after(.seconds(1)), in: db) }
        }
        test.clock.advance(by: .seconds(1))
        let report = try await test.runAll()
        #expect(report.succeeded == 1_234)
    }

    @Test func jobsEnqueueOthersInTheirWrite() async throws {
        let test = try await JobTest { jobs in
            jobs.register(Work.self) { _, context in
                try await context.write { db in _ = try context.jobs.enqueue(Note(text: "second"), in: db) }
            }
        }
        try await test.enqueue(Work())
        #expect(try await test.runAll().succeeded == 2)
        #expect(try await test.notes == ["second"])
    }

    @Test func uniqueJobsAreIgnoredReplacedOrBothKept() async throws {
        let test = try await JobTest()
        let first = try await test.enqueue(Note(text: "1"), .unique(by: "k"))
        #expect(try await test.enqueue(Note(text: "2"), .unique(by: "k")) == first)
        #expect(try await test.enqueue(Note(text: "3"), .unique(by: "k", .replace), .priority(7)) == first)
        #expect(
            try await test.rows("SELECT payload ->> 'text', priority FROM rowan_job") == [#""3"|7"#])
        let second = try await test.enqueue(Note(text: "4"), .unique(by: "k", .keepBoth))
        #expect(second != first)
        #expect(try await test.enqueue(Note(text: "5"), .unique(by: "other")) != first)
        try await test.runAll()
        #expect(try await test.notes == ["3", "4", "5"])
        // Jobs that have ended don't count.
        #expect(try await test.enqueue(Note(text: "6"), .unique(by: "k")) != first)
    }

    @Test func aReplacedJobHasTheNewTime() async throws {
        let test = try await JobTest()
        let id = try await test.enqueue(Note(text: "soon"), .unique(by: "k"))
        try await test.enqueue(Note(text: "later"), .unique(by: "k", .replace), .after(.seconds(60)))
        #expect(try await test.state(of: id) == .delayed)
        try await test.runAll()
        #expect(try await test.notes.isEmpty)
        try await test.enqueue(Note(text: "now"), .unique(by: "k", .replace))
        try await test.runAll()
        #expect(try await test.notes == ["now"])
    }

    @Test func runningJobsAreNotReplaced() async throws {
        let gate = Gate()
        let test = try await JobTest { jobs in jobs.register(Work.self) { _, _ in try await gate.pass() } }
        let first = try await test.enqueue(Work(text: "1"), .unique(by: "k"))
        async let report = test.runAll()
        await eventually { gate.count == 1 }
        #expect(try await test.enqueue(Work(text: "2"), .unique(by: "k", whileRunning: true)) == first)
        let second = try await test.enqueue(Work(text: "3"), .unique(by: "k", .replace))
        #expect(second != first)
        #expect(try await test.enqueue(Work(text: "4"), .unique(by: "k")) == second)
        gate.open()
        #expect(try await report.succeeded == 2)
    }

    @Test func idsAreNotUsedAgain() async throws {
        let test = try await JobTest()
        let first = try await test.enqueue(Note(text: "1"))
        try await test.runAll()
        #expect(try await test.enqueue(Note(text: "2")).rawValue > first.rawValue)
    }

    @Test func missingTables() async throws {
        let (jobs, database) = (Jobs(), try DatabaseQueue())
        let error = await #expect(throws: JobError.self) { try await jobs.runAll(on: database) }
        #expect(error?.code == .tables)
        #expect(
            "\(error!)" == "the database has no tables of jobs: call `Jobs.createTables(db)` in a migration")
    }

    @Test func tablesOfANewerVersion() async throws {
        let test = try await JobTest()
        try await test.database.write { try $0.execute(sql: "UPDATE rowan_job_version SET version = 2") }
        let error = await #expect(throws: JobError.self) { try await test.runAll() }
        #expect("\(error!)" == "the tables of jobs have version 2, and this program uses version 1: update it")
    }

    /// What another program writes can be read, or is refused.
    @Test(arguments: [
        ("priority = 'high'", ResultCode.SQLITE_CONSTRAINT_DATATYPE), ("state = 9", .SQLITE_CONSTRAINT_CHECK),
        ("state = NULL", .SQLITE_CONSTRAINT_NOTNULL), ("payload = x'00ff'", .SQLITE_CONSTRAINT_DATATYPE),
    ])
    func valuesThatCanNotBeRead(_ change: String, _ code: ResultCode) async throws {
        let test = try await JobTest()
        try await test.enqueue(Note(text: "a"))
        let error = await #expect(throws: DatabaseError.self) {
            try await test.database.write { try $0.execute(sql: "UPDATE rowan_job SET \(change)") }
        }
        #expect(error?.extendedResultCode == code)
    }

    @Test func aPayloadThatIsNoJSON() async throws {
        let test = try await JobTest()
        let id = try await test.enqueue(Note(text: "a"))
        try await test.enqueue(Note(text: "b"))
        try await test.database.write {
            try $0.execute(
                sql: "UPDATE rowan_job SET payload = 'nothing', trace = 'nothing' WHERE id = ?",
                arguments: [id.rawValue])
        }
        let report = try await test.runAll()
        #expect(report.succeeded == 1)
        #expect(report.errors.map(\.error) == ["a value could not be decoded: the value is invalid"])
        #expect(try await test.notes == ["b"])
    }

    /// Swift's error of a payload quotes the value.
    @Test func errorsOfPayloadsDoNotQuoteValues() async throws {
        enum Color: String, Codable { case red }
        struct Paint: Job {
            var colors: [String: Color]
            func run(_ context: JobContext) async throws {}
        }
        let test = try await JobTest { $0.register(Paint.self) }
        let id = try await test.enqueue(Paint(colors: ["secret": .red]))
        try await test.database.write {
            try $0.execute(
                sql: "UPDATE rowan_job SET payload = replace(payload, 'red', 'canary') WHERE id = ?",
                arguments: [id.rawValue])
        }
        let report = try await test.runAll()
        #expect(report.errors.map(\.error) == ["a value could not be decoded: the value is invalid at colors.…"])
    }
}
