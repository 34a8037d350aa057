// What is known about jobs, and what a program or its operator does with them.

public import Foundation
public import Rowan

/// The state of a job.
public enum JobState: Sendable, Hashable {
    /// The job is not due.
    case delayed
    /// As many jobs with the same key as allowed are ready or running.
    case held
    /// The job can start.
    case ready
    case running
    /// The job follows a batch that has not ended.
    case blocked
    /// The job has failed for the last time. It is kept for ``JobSettings/failureRetention``.
    case failed
    /// The job has succeeded. Only jobs with a result are kept, for ``JobSettings/resultRetention``.
    case succeeded
    /// The job was cancelled, within the last day.
    case cancelled
}

/// How many jobs of a batch have ended.
public struct JobBatchStatus: Sendable, Hashable {
    /// The number of jobs.
    public let total: Int
    /// The number of jobs that have not ended.
    public let remaining: Int
    /// The number of jobs that have failed or were cancelled.
    public let failed: Int

    init?(_ row: Row?) {
        guard let row else { return nil }
        (total, remaining, failed) = (row[0], row[1], row[2])
    }
}

/// What is known about a job.
public struct JobStatus: Sendable {
    /// The id of the job.
    public let id: JobID
    /// The kind of the job.
    public let kind: String
    /// The queue of the job; nil after it has succeeded or was cancelled.
    public let queue: String?
    /// The state of the job.
    public let state: JobState
    /// The number of attempts that were started.
    public let attempt: Int
    /// When the job is due; nil after it has ended.
    public let dueAt: Date?
    /// From 0 to 1; nil if it is not known.
    public let progress: Double?
    /// The error of the last attempt that failed.
    public let error: String?
    /// The batch that the job follows.
    public let batch: JobBatchStatus?
}

/// A job that has failed.
public struct FailedJob: Sendable {
    /// The id of the job.
    public let id: JobID
    /// The kind of the job.
    public let kind: String
    /// The queue of the job.
    public let queue: String
    /// The values of the job, as JSON.
    public let payload: String
    /// The number of attempts.
    public let attempts: Int
    /// The last error.
    public let error: String
    /// When the job was enqueued.
    public let enqueuedAt: Date
    /// When the job has failed.
    public let failedAt: Date
}

/// The numbers of jobs in a queue.
public struct JobQueueStatus: Sendable, Hashable {
    /// The name of the queue.
    public let name: String
    /// The number of jobs that can start.
    public let ready: Int
    /// The number of jobs that are running.
    public let running: Int
    /// The number of jobs that wait for their time, for others with the same key, or for a batch.
    public let waiting: Int
    /// The number of failed jobs, up to 10,000.
    public let failed: Int
    /// How long the oldest ready job has been ready; nil without any.
    public let oldestAge: Duration?
}

extension Jobs {
    /// What is known about a job.
    ///
    /// ```swift
    /// if let status = try await dbPool.read({ db in try jobs.status(of: id, in: db) }) {
    ///     print(status.state, status.progress ?? 0)
    /// }
    /// ```
    ///
    /// - Returns: nil for a job that has succeeded without a result, or that is no longer kept.
    public func status(of id: JobID, in db: Database) throws -> JobStatus? {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT kind, queue, state, attempt, due, progress, error, follows FROM rowan_job WHERE id = ?1 \
                UNION ALL SELECT kind, queue, 5, attempt, NULL, NULL, error, follows FROM rowan_job_failed \
                WHERE id = ?1 \
                UNION ALL SELECT kind, NULL, 6 + cancelled, 0, NULL, NULL, NULL, NULL FROM rowan_job_result \
                WHERE id = ?1
                """, arguments: [id.rawValue])
        guard let row else { return nil }
        let states: [JobState] = [.delayed, .held, .ready, .running, .blocked, .failed, .succeeded, .cancelled]
        return JobStatus(
            id: id, kind: row[0], queue: row[1], state: states[row[2]], attempt: row[3],
            dueAt: (row[4] as Milliseconds?)?.date, progress: row[5], error: row[6],
            batch: try store(db).batch(row[7]))
    }

    /// The result of a job that has succeeded.
    ///
    /// - Returns: nil if the job has not succeeded, has set no result, or is no longer kept.
    /// - Throws: the error of the decoder; the errors of the connection.
    public func result<T: Decodable>(of id: JobID, as type: T.Type = T.self, in db: Database) throws -> T? {
        let text = try String?.fetchOne(
            db, sql: "SELECT result FROM rowan_job_result WHERE id = ?", arguments: [id.rawValue])
        guard let text = text ?? nil else { return nil }
        return try JSONDecoder().decode(T.self, from: Data(text.utf8))
    }

    /// Cancels a job.
    ///
    /// A job that waits is deleted. The task of a running one is cancelled by its worker; if it then throws any error,
    /// the job is cancelled.
    ///
    /// - Returns: whether the job had not ended.
    @discardableResult
    public func cancel(_ id: JobID, in db: Database) throws -> Bool {
        if try store(db).cancelWaiting(id) { return true }
        try db.execute(sql: "UPDATE rowan_job SET cancelled = 1 WHERE id = ?", arguments: [id.rawValue])
        return db.changesCount == 1
    }

    /// The queues, by name.
    public func queues(in db: Database) throws -> [JobQueueStatus] {
        let store = store(db)
        var counts: [String: [StoredState: Int]] = [:]
        for name in queues.keys { counts[name] = [:] }
        for row in try Row.fetchAll(db, sql: "SELECT queue, state, count FROM rowan_job_count") {
            if let state = StoredState(rawValue: row[1]) { counts[row[0], default: [:]][state] = row[2] }
        }
        return try counts.keys.sorted().map { name in
            let count = { (state: StoredState) in counts[name]?[state] ?? 0 }
            return JobQueueStatus(
                name: name, ready: count(.ready), running: count(.running),
                waiting: count(.delayed) + count(.held) + count(.blocked),
                failed: try Int.fetchOne(
                    db,
                    sql: "SELECT count(*) FROM (SELECT 1 FROM rowan_job_failed WHERE queue = ? LIMIT 10000)",
                    arguments: [name])!,
                oldestAge: try store.oldestDue(in: name).map { .milliseconds(max(store.now - $0, 0)) })
        }
    }

    /// The failed jobs, the newest first.
    ///
    /// - Parameters:
    ///   - queue: the name of a queue; nil for all.
    ///   - limit: the maximum number of jobs.
    ///   - id: returns the jobs before this one.
    public func failed(
        in db: Database, queue: String? = nil, limit: Int = 100, before id: JobID? = nil
    ) throws -> [FailedJob] {
        let condition = queue == nil ? "" : " AND queue = :queue"
        return try Row.fetchAll(
            db,
            sql: """
                SELECT id, kind, queue, payload, attempt, error, enqueued, failed FROM rowan_job_failed \
                WHERE id < :id\(condition) ORDER BY id DESC LIMIT :limit
                """,
            arguments: (queue.map { ["queue": $0] } ?? [:]) + ["id": id?.rawValue ?? .max, "limit": limit]
        ).map {
            FailedJob(
                id: JobID(rawValue: $0[0]), kind: $0[1], queue: $0[2], payload: $0[3], attempts: $0[4], error: $0[5],
                enqueuedAt: ($0[6] as Milliseconds).date, failedAt: ($0[7] as Milliseconds).date)
        }
    }

    /// Has a failed job run again, with all of its attempts.
    ///
    /// - Returns: false if there is no such failed job.
    @discardableResult
    public func retry(_ id: JobID, in db: Database) throws -> Bool { try store(db).retryFailed(id) }

    /// Deletes a failed job.
    ///
    /// - Returns: false if there is no such failed job.
    @discardableResult
    public func discard(_ id: JobID, in db: Database) throws -> Bool { try store(db).discardFailed(id) }
}

extension JobStore {
    func batch(_ id: Int64?) throws -> JobBatchStatus? {
        JobBatchStatus(
            try Row.fetchOne(
                db, sql: "SELECT total, remaining, failed FROM rowan_job_batch WHERE id = ?", arguments: [id]))
    }
}
