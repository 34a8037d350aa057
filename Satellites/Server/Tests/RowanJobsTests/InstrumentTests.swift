import Foundation
import InMemoryTracing
import Logging
import Metrics
import MetricsTestKit
import Rowan
import RowanJobsTestKit
import Testing
import Tracing

@testable import RowanJobs

/// What a service measures.
@Suite struct InstrumentTests {
    @Test func attemptsAndQueuesAreMeasured() async throws {
        let metrics = TestMetrics()
        var test = try await JobTest {
            $0.register(Work.self) { work, _ in if work.text == "fail" { throw FailJob("no") } }
        }
        test.jobs.clock = SystemJobClock()
        struct Unknown: JobPayload { static let settings = JobSettings(retry: .never) }
        for text in ["a", "b", "fail"] { try await test.enqueue(Work(text: text)) }
        try await test.enqueue(Unknown())
        try await test.enqueue(Work(), .after(.seconds(1_000)))
        try await test.enqueue(Work(), .queue("other"))
        var options = JobService.Options()
        options.metricsFactory = metrics
        let service = JobService(
            test.jobs, database: test.database, options: options,
            logger: Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() })
        let task = Task { try await service.run() }
        try await eventually { try await test.rows("SELECT id FROM rowan_job").count == 2 }
        task.cancel()
        try await task.value
        func count(_ kind: String, _ outcome: String) -> Int {
            let labels = [("queue", "default"), ("kind", kind), ("outcome", outcome)]
            return (try? metrics.expectTimer("rowan.job.duration", labels).values.count) ?? 0
        }
        #expect(count("Work", "succeeded") == 2)
        #expect(count("Work", "failed") == 1)
        // Its name is that of the stored job, and may be anything.
        #expect(count("unknown", "failed") == 1)
        #expect(try metrics.expectGauge("rowan.jobs.waiting", [("queue", "other")]).lastValue == 1)
        #expect(try metrics.expectGauge("rowan.jobs.oldest_age", [("queue", "other")]).lastValue != nil)
    }

    /// A job continues the trace of its enqueuer, also in another process, and each attempt is a span.
    @Test(arguments: [false, true])
    func traces(isPool: Bool) async throws {
        let tracer = InMemoryTracer()
        func configure(_ jobs: inout Jobs) {
            jobs.tracer = tracer
            jobs.register(Work.self) { work, context in
                if work.text == "fail", context.attempt == 1 { throw TestError() }
                tracer.withSpan("inner") { _ in }
            }
        }
        func check<D: DatabaseWriter>(_ test: JobTest<D>) async throws {
            let ids = try await tracer.withSpan("request") { _ in
                // The closures of grouped writes run outside of their tasks.
                let context = ServiceContext.current
                let options = isPool ? [EnqueueOption.trace(context)] : []
                return [
                    try await test.enqueue(Work(text: "a"), options),
                    try await test.enqueue(Work(text: "fail"), options),
                ]
            }
            try await test.runAll()
            test.clock.advance(by: .seconds(100))
            try await test.runAll()
            let request = try #require(tracer.finishedSpans.first { $0.operationName == "request" })
            let attempts = tracer.finishedSpans.filter { $0.operationName == "Work" }
            #expect(attempts.count == 3)
            for span in attempts {
                #expect(span.traceID == request.traceID && span.parentSpanID == request.spanID)
                #expect(span.kind == .consumer)
                #expect(span.attributes["rowan.job.queue"]?.toSpanAttribute() == .string("default"))
            }
            #expect(
                attempts.map { $0.attributes["rowan.job.attempt"]?.toSpanAttribute() }
                    .filter { $0 == .int64(2) }.count == 1)
            #expect(attempts.filter { !$0.errors.isEmpty }.count == 1)
            let inner = tracer.finishedSpans.filter { $0.operationName == "inner" }
            #expect(inner.count == 2 && inner.allSatisfy { $0.traceID == request.traceID })
            #expect(tracer.activeSpans.isEmpty && ids.count == 2)

            // Without a trace, or with one that is not one, a job has its own.
            tracer.clearFinishedSpans()
            let last = try await test.enqueue(Work(text: "b"))
            try await test.database.write { db in
                try db.execute(sql: "UPDATE rowan_job SET trace = '{' WHERE id = ?", arguments: [last.rawValue])
            }
            try await test.runAll()
            let span = try #require(tracer.finishedSpans.first { $0.operationName == "Work" })
            #expect(span.parentSpanID == nil && span.traceID != request.traceID)
        }
        if isPool {
            try await withPath { path in
                var configuration = Configuration()
                configuration.groupsAsyncWrites = true
                let pool = try DatabasePool(path: path, configuration: configuration)
                try await check(JobTest(pool, configure))
                try pool.close()
            }
        } else {
            try await check(JobTest(configure))
        }
    }

    /// The jobs of a batch, and the one that follows, have the trace that is given.
    @Test func theTraceOfABatch() async throws {
        let tracer = InMemoryTracer()
        let test = try await JobTest { jobs in
            jobs.tracer = tracer
            jobs.register(Work.self) { _, _ in }
        }
        let context = try tracer.withSpan("request") { _ in try #require(ServiceContext.current) }
        try await test.database.write { db in
            let works = [Work(text: "a"), Work(text: "b")]
            try test.jobs.enqueue(batch: works, then: Work(text: "c"), trace: context, in: db)
            try test.jobs.enqueue(batch: works, then: Work(text: "c"), in: db)
        }
        try await test.runAll()
        let request = try #require(tracer.finishedSpans.first { $0.operationName == "request" })
        let attempts = tracer.finishedSpans.filter { $0.operationName == "Work" }
        #expect(attempts.count == 6)
        #expect(attempts.filter { $0.traceID == request.traceID && $0.parentSpanID == request.spanID }.count == 3)
    }

    @Test func queuesOfAnOperator() async throws {
        let test = try await JobTest {
            $0.register(Work.self) { _, _ in throw FailJob("no") }
            $0.queue("empty", concurrency: 1)
        }
        try await test.enqueue(Work())
        try await test.runAll()
        try await test.enqueue(Work(), .priority(2))
        test.clock.advance(by: .seconds(5))
        try await test.enqueue(Work(), .priority(7))
        try await test.enqueue(Work(), .after(.seconds(1)))
        let queues = try await test.database.read { try test.jobs.queues(in: $0) }
        #expect(queues.map(\.name) == ["default", "empty"])
        #expect(queues[0].ready == 2 && queues[0].waiting == 1 && queues[0].running == 0 && queues[0].failed == 1)
        // Of all priorities.
        #expect(queues[0].oldestAge == .seconds(5))
        #expect(queues[1].oldestAge == nil)
    }

    /// Each step of a worker finds its rows by an index, without statistics.
    @Test func plans() async throws {
        let test = try await JobTest()
        let plans: [(sql: String, index: String)] = [
            (
                "SELECT id FROM rowan_job WHERE state = 2 AND queue = ? ORDER BY priority DESC, id LIMIT ?",
                "rowan_job_ready"
            ),
            ("SELECT due FROM rowan_job WHERE state = 0 ORDER BY due LIMIT 1", "rowan_job_delayed"),
            ("SELECT id FROM rowan_job WHERE state = 0 AND due <= ? ORDER BY due LIMIT ?", "rowan_job_delayed"),
            ("SELECT id FROM rowan_job WHERE worker = ? AND state = 3 AND cancelled", "rowan_job_running"),
            (
                "SELECT id, priority FROM rowan_job WHERE queue = ? AND key = ? AND state = 1 ORDER BY priority DESC, id LIMIT 1",
                "rowan_job_key"
            ),
            (
                "SELECT id, priority FROM rowan_job WHERE queue = ? AND key = ? AND state = 2 ORDER BY priority, id DESC LIMIT 1",
                "rowan_job_key"
            ),
            ("SELECT count(*) FROM rowan_job WHERE queue = ? AND key = ? AND state IN (2, 3)", "rowan_job_key"),
            // All columns of the index: with `keepBoth`, there may be many jobs with a key.
            (JobStore.uniqueJobQuery, "rowan_job_unique (kind=? AND uniqueKey=? AND <expr><?)"),
            ("SELECT id FROM rowan_job_failed WHERE expires <= ? LIMIT ?", "rowan_job_failed_expires"),
            ("SELECT id FROM rowan_job_result WHERE expires <= ? LIMIT ?", "rowan_job_result_expires"),
        ]
        for (sql, index) in plans {
            let plan = try await test.database.read { db in
                try Row.fetchAll(
                    db, sql: "EXPLAIN QUERY PLAN \(sql)",
                    arguments: StatementArguments([Int?](repeating: nil, count: sql.count { $0 == "?" }))
                )
                .map { $0["detail"] as String }.joined(separator: "; ")
            }
            #expect(plan.contains("INDEX \(index)"), "\(sql): \(plan)")
            #expect(!plan.contains("TEMP B-TREE"), "\(sql): \(plan)")
        }
    }
}
