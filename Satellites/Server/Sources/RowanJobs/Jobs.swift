// The jobs of a program: their kinds, queues and schedules.

import Foundation
import Rowan
public import Tracing

/// The jobs of a program, which it stores in its database and runs with a ``JobService``.
///
/// ```swift
/// var jobs = Jobs()
/// jobs.register(SendReceipt.self)
/// jobs.queue("mail", concurrency: 4)
/// jobs.schedule("cleanup", .daily(hour: 3, in: berlin)) { RemoveExpiredSessions() }
///
/// // The job is stored with the order, or not at all.
/// try await dbPool.write { db in
///     try order.insert(db)
///     try jobs.enqueue(SendReceipt(orderID: order.id), in: db)
/// }
/// ```
///
/// The tables of jobs belong to the database: see ``createTables(_:)``.
///
/// Article: <doc:BackgroundJobs>.
public struct Jobs: Sendable {
    /// The limits of a queue.
    struct Queue: Sendable {
        var concurrency = 8
        var total: Int?
    }

    /// How a kind of job runs.
    struct Handler: Sendable {
        let settings: JobSettings
        let run: @Sendable (ClaimedJob, JobContext) async throws -> Void
    }

    /// A job that is enqueued at the times of a schedule.
    struct Scheduled: Sendable {
        let schedule: JobSchedule
        let enqueue: @Sendable (Jobs, Database) throws -> JobID
    }

    /// The clock of delays and schedules.
    public var clock: any JobClock = SystemJobClock()
    /// The tracer of jobs, which continue the trace of their enqueuer. Nil by default: that of the program.
    public var tracer: (any Tracer)?
    private(set) var handlers: [String: Handler] = [:]
    private(set) var queues: [String: Queue] = ["default": Queue()]
    private(set) var schedules: [String: Scheduled] = [:]

    var currentTracer: any Tracer { tracer ?? InstrumentationSystem.tracer }

    /// Creates an empty list of jobs.
    public init() {}

    /// Adds a kind of job, which the workers of this program run.
    ///
    /// - Precondition: No other type has the same ``JobPayload/kind``.
    public mutating func register<J: Job>(_ type: J.Type) {
        register(type) { job, context in try await job.run(context) }
    }

    /// Adds a kind of job with the function that runs it.
    ///
    /// ```swift
    /// jobs.register(SendReceipt.self) { receipt, context in try await mailer.send(receipt.orderID) }
    /// ```
    ///
    /// - Precondition: No other type has the same ``JobPayload/kind``.
    public mutating func register<P: JobPayload>(
        _ type: P.Type, run: @escaping @Sendable (P, JobContext) async throws -> Void
    ) {
        precondition(
            handlers[P.kind] == nil,
            "jobs of the kind \"\(P.kind)\" are already registered: each type needs a `kind` of its own")
        handlers[P.kind] = Handler(settings: P.settings) { job, context in
            try await run(try P.decode(Data(job.payload.utf8), version: job.version), context)
        }
        if queues[P.settings.queue] == nil { queues[P.settings.queue] = Queue() }
    }

    /// Sets the limits of a queue, and has workers run its jobs.
    ///
    /// Without this method, the queue `default` and those of the registered kinds have a concurrency of 8.
    ///
    /// - Parameters:
    ///   - name: the name of the queue.
    ///   - concurrency: the number of jobs that a process runs at the same time, at least 1.
    ///   - total: the number of jobs that all processes run at the same time; nil for no limit.
    public mutating func queue(_ name: String, concurrency: Int, total: Int? = nil) {
        queues[name] = Queue(concurrency: max(concurrency, 1), total: total.map { max($0, 1) })
    }

    /// Enqueues a job at the times of a schedule, by one of the processes that run a ``JobService``.
    ///
    /// - Parameters:
    ///   - name: the name of the schedule, which is stored.
    ///   - schedule: the times.
    ///   - options: the options of each job.
    ///   - job: makes the job.
    /// - Precondition: No other schedule has the same name.
    public mutating func schedule<P: JobPayload>(
        _ name: String, _ schedule: JobSchedule, _ options: EnqueueOption..., job: @escaping @Sendable () -> P
    ) {
        precondition(
            schedules[name] == nil, "the schedule \"\(name)\" exists already: each one needs a name of its own")
        schedules[name] = Scheduled(schedule: schedule) { jobs, db in
            try jobs.enqueue(job(), options: options, in: db)
        }
    }

    /// The settings of a kind; those by default for an unknown one.
    func settings(of kind: String) -> JobSettings { handlers[kind]?.settings ?? JobSettings() }

    /// The jobs of a database, now.
    func store(_ db: Database) -> JobStore { JobStore(db: db, now: Milliseconds(clock.now)) }
}
