// Batches: jobs that are followed by another one; and jobs that have failed, which may be retried.

import Rowan

extension JobStore {
    // MARK: Batches

    /// Stores a batch, before its jobs.
    func insertBatch(of count: Int, afterFailures: Bool) throws -> Int64 {
        try db.execute(
            sql: "INSERT INTO rowan_job_batch (total, remaining, failed, afterFailures) VALUES (?1, ?1, 0, ?2)",
            arguments: [count, afterFailures])
        return db.lastInsertedRowID
    }

    /// Sets the job that follows a batch.
    func setNext(_ job: JobID, ofBatch batch: Int64) throws {
        try db.execute(
            sql: "UPDATE rowan_job_batch SET next = ? WHERE id = ?", arguments: [job.rawValue, batch])
        try settleBatch(batch)
    }

    func deleteBatch(_ batch: Int64) throws {
        try db.execute(sql: "DELETE FROM rowan_job_batch WHERE id = ?", arguments: [batch])
    }

    /// A job of the batch has ended.
    func batchJobDidEnd(_ batch: Int64, _ ending: Ending) throws {
        try db.execute(
            sql: "UPDATE rowan_job_batch SET remaining = remaining - 1, failed = failed + ? WHERE id = ?",
            arguments: [ending != .succeeded, batch])
        try settleBatch(batch)
    }

    /// If all jobs of a batch have ended, starts or cancels the job that follows.
    private func settleBatch(_ batch: Int64) throws {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT b.next, b.failed = 0 OR b.afterFailures, \
                EXISTS (SELECT 1 FROM rowan_job_failed WHERE batch = b.id) FROM rowan_job_batch b \
                JOIN rowan_job n ON n.id = b.next WHERE b.id = ? AND b.remaining = 0 AND n.state = 4
                """,
            arguments: [batch])
        guard let row else { return }
        let next = JobID(rawValue: row[0])
        if row[1] { return try wait(next) }
        // Failed jobs may be retried. Without any, the batch can't succeed any more.
        if row[2] { return }
        try cancelWaiting(next)
    }

    // MARK: Cancelling

    /// Deletes a job that is not running.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func cancelWaiting(_ id: JobID) throws -> Bool {
        guard let kind = try remove("id = ? AND state <> 3", [id.rawValue], .cancelled) else { return false }
        try keep(id, kind, result: nil, isCancelled: true, JobSettings().resultRetention)
        return true
    }

    // MARK: Failed jobs

    /// Moves a failed job back to those that wait.
    ///
    /// - Returns: whether there was one.
    func retryFailed(_ id: JobID) throws -> Bool {
        try db.execute(
            sql: """
                INSERT INTO rowan_job (id, kind, version, payload, queue, priority, state, due, attempt, attempts, \
                key, keyLimit, uniqueKey, batch, follows, trace, enqueued, error) \
                SELECT id, kind, version, payload, queue, priority, 0, ?, 0, attempts, key, keyLimit, uniqueKey, \
                batch, follows, trace, enqueued, error FROM rowan_job_failed WHERE id = ?
                """,
            arguments: [now, id.rawValue])
        guard db.changesCount == 1 else { return false }
        let batch = try Int64?.fetchOne(
            db, sql: "DELETE FROM rowan_job_failed WHERE id = ? RETURNING batch", arguments: [id.rawValue])
        try db.execute(
            sql: "UPDATE rowan_job_batch SET remaining = remaining + 1, failed = failed - 1 WHERE id = ?",
            arguments: [batch ?? nil])
        try wait(id)
        return true
    }

    /// Deletes a failed job.
    ///
    /// - Returns: whether there was one.
    func discardFailed(_ id: JobID) throws -> Bool {
        let row = try Row.fetchOne(
            db, sql: "DELETE FROM rowan_job_failed WHERE id = ? RETURNING batch, follows", arguments: [id.rawValue])
        guard let row else { return false }
        if let batch: Int64 = row[0] { try settleBatch(batch) }
        if let batch: Int64 = row[1] { try deleteBatch(batch) }
        return true
    }

    /// Deletes failed jobs and results that are no longer kept.
    ///
    /// - Returns: whether more remain.
    func deleteExpired(limit: Int = 500) throws -> Bool {
        let failed = try Int64.fetchAll(
            db, sql: "SELECT id FROM rowan_job_failed WHERE expires <= ? LIMIT ?", arguments: [now, limit])
        for id in failed { _ = try discardFailed(JobID(rawValue: id)) }
        try db.execute(
            sql: """
                DELETE FROM rowan_job_result WHERE id IN \
                (SELECT id FROM rowan_job_result WHERE expires <= ? LIMIT ?)
                """, arguments: [now, limit])
        return failed.count == limit || db.changesCount == limit
    }
}
