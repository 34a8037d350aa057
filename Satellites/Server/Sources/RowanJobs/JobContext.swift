// What a running job knows, and how it writes.

public import Foundation
public import Logging
public import Rowan
import Synchronization

/// The context of a running job.
public final class JobContext: Sendable {
    private struct State {
        var result: String?
        var isCompleted = false
        var progressTime: Duration?
    }

    private let job: ClaimedJob
    /// The jobs of the program, to enqueue others.
    public let jobs: Jobs
    /// The database of the jobs.
    public let database: any DatabaseWriter
    /// A logger with the id and the kind of the job.
    public let logger: Logger
    /// How the batch has ended that this job follows; nil if it follows none.
    public let batch: JobBatchStatus?
    private let state = Mutex(State())

    init(_ job: ClaimedJob, _ jobs: Jobs, _ database: any DatabaseWriter, _ logger: Logger, batch: JobBatchStatus?) {
        (self.job, self.jobs, self.database, self.logger, self.batch) = (job, jobs, database, logger, batch)
    }

    /// The id of the job.
    public var id: JobID { job.id }
    /// The queue of the job.
    public var queue: String { job.queue }
    /// The number of this attempt. The first one is 1.
    public var attempt: Int { job.attempt }
    /// Whether an error of this attempt is final.
    public var isLastAttempt: Bool { job.attempt >= job.attempts }
    /// When the job was enqueued.
    public var enqueuedAt: Date { job.enqueued.date }
    /// When the job was due: its delay, or the time of its last retry.
    public var dueAt: Date { job.due.date }

    /// Writes and completes the job in the same transaction, so that it is written exactly once.
    ///
    /// ```swift
    /// func run(_ context: JobContext) async throws {
    ///     let rate = try await bank.rate()
    ///     // Even if the process is killed at any time, the balance is changed once.
    ///     try await context.write { db in try account.updateChanges(db) { $0.balance *= rate } }
    /// }
    /// ```
    ///
    /// After the commit, the job has succeeded, whatever its function then does. If the closure throws, nothing is
    /// written, and the job is not completed.
    ///
    /// - Throws: a ``JobError`` of the code `lost` if another worker has taken the job, because this one didn't respond
    ///   for too long, or if the job is already completed; the error of the closure; the errors of the connection.
    public func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        let result = state.withLock { $0.result }
        let value = try await database.write { [job, jobs] db in
            let retention = jobs.settings(of: job.kind).resultRetention
            guard try jobs.store(db).succeed(job, result: result, retention: retention) else {
                throw JobError(
                    .lost, "job \(job.id) is completed, or was given to another worker: nothing has been written")
            }
            return try updates(db)
        }
        state.withLock { $0.isCompleted = true }
        return value
    }

    /// Sets the result of the job, which is stored when the job succeeds, for ``JobSettings/resultRetention``.
    ///
    /// - Throws: the error of the encoder.
    public func setResult(_ result: some Encodable) throws {
        let text = String(decoding: try JSONEncoder().encode(result), as: UTF8.self)
        state.withLock { $0.result = text }
    }

    /// Stores the progress of the job, which its status has. Within a quarter of a second, only the first value is
    /// stored.
    ///
    /// - Parameter fraction: from 0 to 1.
    /// - Throws: the errors of the connection.
    public func setProgress(_ fraction: Double) async throws {
        let uptime = jobs.clock.uptime
        let isDue = state.withLock { state in
            if let last = state.progressTime, uptime - last < .milliseconds(250) { return false }
            state.progressTime = uptime
            return true
        }
        guard isDue else { return }
        let value = min(max(fraction.isNaN ? 0 : fraction, 0), 1)
        try await database.write { [job] db in
            try db.execute(
                sql: "UPDATE rowan_job SET progress = ? WHERE id = ? AND lease = ?",
                arguments: [value, job.id.rawValue, job.lease])
        }
    }

    /// The result to store, and whether the job is completed.
    var outcome: (result: String?, isCompleted: Bool) { state.withLock { ($0.result, $0.isCompleted) } }
}
