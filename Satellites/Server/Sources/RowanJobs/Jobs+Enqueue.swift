// Enqueuing: in the transaction of the caller.

import Foundation
public import Rowan
public import Tracing

extension Jobs {
    /// Stores a job, which runs after the commit.
    ///
    /// ```swift
    /// try await dbPool.write { db in
    ///     try order.insert(db)
    ///     // INSERT INTO rowan_job ...
    ///     try jobs.enqueue(SendReceipt(orderID: order.id), .after(.seconds(60)), in: db)
    /// }
    /// ```
    ///
    /// The kind of the job need not be registered in this process.
    ///
    /// - Parameters:
    ///   - job: the values of the job.
    ///   - options: settings of this job, which replace those of its kind.
    ///   - db: the connection of a write.
    /// - Returns: the id of the job; that of the waiting one, if `unique` keeps that one.
    /// - Throws: the error of the encoder; the errors of the connection.
    @discardableResult
    public func enqueue(_ job: some JobPayload, _ options: EnqueueOption..., in db: Database) throws -> JobID {
        try enqueue(job, options: options, in: db)
    }

    func enqueue(_ job: some JobPayload, options: [EnqueueOption], in db: Database) throws -> JobID {
        let store = store(db)
        var new = try NewJob(job, at: store.now, ServiceContext.current, currentTracer)
        var (policy, countsRunning) = (UniqueJob.keepBoth, false)
        for option in options {
            switch option.setting {
            case .after(let delay): new.due = store.now + Milliseconds(delay)
            case .at(let date): new.due = Milliseconds(date)
            case .priority(let priority): new.priority = priority
            case .queue(let name): new.queue = name
            case .trace(let context): new.trace = TraceContext.stored(context, currentTracer)
            case .unique(let key, let other, let whileRunning):
                new.uniqueKey = key
                (policy, countsRunning) = (other, whileRunning)
            }
        }
        switch policy {
        case .ignore: if let known = try store.uniqueJob(new, orRunning: countsRunning) { return known }
        case .replace: if let known = try store.replaceUniqueJob(with: new) { return known }
        case .keepBoth: break
        }
        return try store.insert(new, store.waitingState(due: new.due, key: new.key))
    }

    /// Stores jobs, and another one that runs after them.
    ///
    /// ```swift
    /// let report = try await dbPool.write { db in
    ///     try jobs.enqueue(batch: chapters.map { RenderChapter(id: $0.id) }, then: JoinChapters(), in: db)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - batch: the jobs.
    ///   - next: the job that follows. Its ``JobContext/batch`` has the numbers of jobs that have succeeded and failed.
    ///   - afterFailures: whether it also follows if some of the jobs have failed or were cancelled. Otherwise it waits
    ///     until they are retried with success, and is cancelled once they are discarded.
    ///   - trace: the trace of the jobs; by default, that of the current task. See ``EnqueueOption/trace(_:)``.
    ///   - db: the connection of a write.
    /// - Returns: the id of the job that follows. Its status has the progress of the batch.
    /// - Throws: the error of the encoder; the errors of the connection.
    @discardableResult
    public func enqueue(
        batch: [any JobPayload], then next: some JobPayload, afterFailures: Bool = false,
        trace: ServiceContext? = ServiceContext.current, in db: Database
    ) throws -> JobID {
        let store = store(db)
        let id = try store.insertBatch(of: batch.count, afterFailures: afterFailures)
        for job in batch {
            var new = try NewJob(job, at: store.now, trace, currentTracer)
            new.batch = id
            _ = try store.insert(new, store.waitingState(due: new.due, key: new.key))
        }
        let job = try store.insert(NewJob(next, at: store.now, trace, currentTracer), .blocked, follows: id)
        try store.setNext(job, ofBatch: id)
        return job
    }
}

extension NewJob {
    fileprivate init<P: JobPayload>(
        _ job: P, at now: Milliseconds, _ trace: ServiceContext?, _ tracer: any Tracer
    ) throws {
        let settings = P.settings
        self.init(
            kind: P.kind, version: P.version, payload: String(decoding: try JSONEncoder().encode(job), as: UTF8.self),
            queue: settings.queue, priority: settings.priority, due: now, attempts: max(settings.retry.attempts, 1),
            key: job.concurrencyKey, keyLimit: max(settings.limitPerKey, 1),
            trace: TraceContext.stored(trace, tracer))
    }
}

extension JobStore {
    /// The first job with a kind and a key: one that waits, or else one that is running if the last argument is 1.
    static let uniqueJobQuery = """
        SELECT id FROM rowan_job WHERE kind = ? AND uniqueKey = ? AND (state = 3) <= ? ORDER BY state = 3, id LIMIT 1
        """

    /// The job of the same kind with the same key, if any.
    func uniqueJob(_ job: NewJob, orRunning: Bool) throws -> JobID? {
        try Int64.fetchOne(db, sql: Self.uniqueJobQuery, arguments: [job.kind, job.uniqueKey, orRunning])
            .map(JobID.init)
    }

    /// Puts a job in the place of one that waits with its key.
    ///
    /// - Returns: the id of that job; nil if there is none.
    func replaceUniqueJob(with job: NewJob) throws -> JobID? {
        guard let id = try uniqueJob(job, orRunning: false) else { return nil }
        let old = try Row.fetchOne(
            db, sql: "SELECT queue, key, keyLimit, state FROM rowan_job WHERE id = ?", arguments: [id.rawValue])!
        // What follows a batch still does.
        let state = old[3] == StoredState.blocked.rawValue ? .blocked : waitingState(due: job.due, key: job.key)
        try db.execute(
            sql: """
                UPDATE rowan_job SET version = ?, payload = ?, queue = ?, priority = ?, due = ?, attempt = 0, \
                attempts = ?, key = ?, keyLimit = ?, trace = ?, error = NULL, state = ? WHERE id = ?
                """,
            arguments: [
                job.version, job.payload, job.queue, job.priority, job.due, job.attempts, job.key, job.keyLimit,
                job.trace, state.rawValue, id.rawValue,
            ])
        try settle(JobKey(old))
        if let key = job.key { try settle(JobKey(queue: job.queue, key: key, limit: job.keyLimit)) }
        return id
    }
}
