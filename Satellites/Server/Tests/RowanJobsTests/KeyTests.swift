import Foundation
import Rowan
import RowanJobs
import RowanJobsTestKit
import Testing

/// Concurrency per queue and per key.
@Suite struct KeyTests {
    struct Step: JobPayload {
        static let settings = JobSettings(
            retry: JobRetry(attempts: 2, firstDelay: .seconds(1), jitter: 0), limitPerKey: 2)
        var number: Int
        var concurrencyKey: String?
    }

    /// The largest number of jobs that were running at the same time, by key.
    private func largest(
        _ count: Int, atOnce expected: Int? = nil, _ key: @escaping @Sendable (Int) -> String?,
        _ configure: (inout Jobs) -> Void = { _ in }
    ) async throws -> ([String?: Int], [Int]) {
        let gate = Gate()
        let state = Shared((running: [String?: Int](), largest: [String?: Int](), order: [Int]()))
        let test = try await JobTest { jobs in
            jobs.register(Step.self) { step, _ in
                let keys = Set([step.concurrencyKey, "all"])
                state.change { state in
                    state.order.append(step.number)
                    for key in keys {
                        state.running[key, default: 0] += 1
                        state.largest[key] = max(state.largest[key] ?? 0, state.running[key]!)
                    }
                }
                // All that may run at the same time do, before the first one ends.
                if expected == nil { try await Task.sleep(for: .milliseconds(2)) } else { try await gate.pass() }
                state.change { state in for key in keys { state.running[key, default: 0] -= 1 } }
            }
            configure(&jobs)
        }
        try await test.database.write { db in
            for number in 0..<count {
                try test.jobs.enqueue(Step(number: number, concurrencyKey: key(number)), in: db)
            }
        }
        async let report = test.runAll()
        if let expected { await eventually { gate.count == expected } }
        gate.open()
        #expect(try await report.succeeded == count)
        return (state.value.largest, state.value.order)
    }

    @Test func aQueueRunsAsManyJobsAsItMay() async throws {
        #expect(try await largest(40, atOnce: 8) { _ in nil }.0["all"] == 8)
        #expect(
            try await largest(40, atOnce: 3) { _ in
                nil
            } _: {
                $0.queue("default", concurrency: 3)
            }.0["all"] == 3)
        #expect(
            try await largest(40, atOnce: 2) { _ in
                nil
            } _: {
                $0.queue("default", concurrency: 8, total: 2)
            }.0["all"] == 2)
    }

    @Test func aKeyRunsAsManyJobsAsItMay() async throws {
        let largest = try await largest(40, atOnce: 8) { ["a", "b", nil][$0 % 3] }.0
        #expect(largest["a"] == 2 && largest["b"] == 2 && largest["all"] == 8)
    }

    @Test func aHigherPriorityTakesTheTurnOfItsKey() async throws {
        struct One: JobPayload {
            var number: Int
            var concurrencyKey: String? { "k" }
        }
        let order = Shared([Int]())
        let test = try await JobTest { $0.register(One.self) { job, _ in order.change { $0.append(job.number) } } }
        let ids = [
            try await test.enqueue(One(number: 1)), try await test.enqueue(One(number: 2)),
            try await test.enqueue(One(number: 3), .priority(1)), try await test.enqueue(One(number: 4), .priority(1)),
        ]
        #expect(try await test.state(of: ids[0]) == .held)
        #expect(try await test.state(of: ids[2]) == .ready)
        #expect(try await test.rows("SELECT state, count FROM rowan_job_count ORDER BY 1") == ["1|3", "2|1"])
        try await test.runAll()
        #expect(order.value == [3, 4, 1, 2])
    }

    /// Each end of a job lets the next one with its key run.
    @Test func everyEndGivesTheKeyBack() async throws {
        struct One: JobPayload {
            static let settings = JobSettings(retry: JobRetry(attempts: 2, firstDelay: .seconds(1), jitter: 0))
            var end: String
            var concurrencyKey: String? { "k" }
        }
        let test = try await JobTest { jobs in
            jobs.register(One.self) { job, context in
                try await context.database.write {
                    try $0.execute(sql: "INSERT INTO note VALUES (?)", arguments: [job.end])
                }
                switch job.end {
                case "write": try await context.write { _ in }
                case "throw": throw TestError()
                case "fail": throw FailJob("no")
                case "retry": if context.dueAt == context.enqueuedAt { throw RetryJob(after: .seconds(1)) }
                default: break
                }
            }
        }
        let ends = ["write", "throw", "return", "fail", "retry", "end"]
        for end in ends { try await test.enqueue(One(end: end)) }
        let cancelled = try await test.enqueue(One(end: "cancelled"), .priority(1))
        #expect(try await test.state(of: cancelled) == .ready)
        #expect(try await test.database.write { try test.jobs.cancel(cancelled, in: $0) })
        try await test.runAll()
        #expect(try await test.notes == ends)
        test.clock.advance(by: .seconds(1))
        try await test.runAll()
        #expect(try await test.notes == ends + ["throw", "retry"])
        #expect(try await test.rows("SELECT id FROM rowan_job").isEmpty)
    }

    /// Random jobs with keys, priorities and delays: after each step, as many jobs of each key are ready or running as
    /// may be, and none waits behind one with a lower priority.
    @Test func randomJobsWithKeys() async throws {
        var generator = SplitMix(seed: 7)
        for _ in 0..<8 {
            let test = try await JobTest { jobs in
                jobs.queue("default", concurrency: 3)
                jobs.register(Step.self) { step, _ in
                    if step.number % 5 == 0 { throw TestError() }
                    if step.number % 7 == 0 { throw RetryJob(after: .seconds(3)) }
                }
            }
            var ids: [JobID] = []
            for step in 0..<60 {
                let number = Int.random(in: 1...100, using: &generator)
                let key = ["a", "b", "c", nil].randomElement(using: &generator)!
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: test.clock.advance(by: .seconds(2))
                case 1:
                    if let id = ids.randomElement(using: &generator) {
                        _ = try await test.database.write { try test.jobs.cancel(id, in: $0) }
                    }
                case 2:
                    ids.append(try await test.enqueue(Step(number: number, concurrencyKey: key), .after(.seconds(3))))
                case 3:
                    ids.append(
                        try await test.enqueue(
                            Step(number: number, concurrencyKey: key), .unique(by: "\(number % 3)", .replace),
                            .priority(number % 4)))
                case 4: if step % 3 == 0 { try await test.runAll() }
                default:
                    ids.append(
                        try await test.enqueue(Step(number: number, concurrencyKey: key), .priority(number % 4)))
                }
                try await expectKeysAreSettled(test)
            }
            for _ in 0..<200
            where try await test.rows("SELECT id FROM rowan_job WHERE payload NOT LIKE '%7%'").count > 0 {
                test.clock.advance(by: .seconds(3))
                try await test.runAll()
            }
            try await expectKeysAreSettled(test)
        }
    }

    private func expectKeysAreSettled(_ test: JobTest<DatabaseQueue>) async throws {
        let wrong = try await test.rows(
            """
            SELECT key, sum(state = 1) AS held, sum(state IN (2, 3)) AS active FROM rowan_job WHERE key IS NOT NULL
            GROUP BY queue, key HAVING (held > 0 AND active < 2) OR active > 2
            """)
        #expect(wrong.isEmpty)
        let overtaken = try await test.rows(
            """
            SELECT h.id FROM rowan_job h JOIN rowan_job r ON r.key = h.key AND r.queue = h.queue
            WHERE h.state = 1 AND r.state = 2 AND h.priority > r.priority
            """)
        #expect(overtaken.isEmpty)
        let miscounted = try await test.rows(
            """
            SELECT queue, state, count FROM rowan_job_count WHERE count <>
            (SELECT count(*) FROM rowan_job j WHERE j.queue = rowan_job_count.queue AND j.state = rowan_job_count.state)
            """)
        #expect(miscounted.isEmpty)
    }
}

/// A generator with a fixed seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
