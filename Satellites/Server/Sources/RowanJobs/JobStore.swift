// The steps in the life of a job, as SQL. Each runs within a transaction of its caller, and finds its rows by an index.

import Rowan

/// A job that a worker has claimed.
struct ClaimedJob: Sendable {
    let id: JobID
    let kind: String
    let version: Int
    let payload: String
    let queue: String
    let priority: Int
    /// The number of this attempt, beginning with 1.
    let attempt: Int
    let attempts: Int
    let due: Milliseconds
    let enqueued: Milliseconds
    let trace: String?
    let follows: Int64?
    /// Where the key is limited, or a batch counts its jobs, the end of a job concerns others.
    let isLinked: Bool
    /// A number that only this claim has: what has another one has been claimed again.
    let lease: Int64
}

/// A job that is enqueued.
struct NewJob {
    var kind: String
    var version: Int
    var payload: String
    var queue: String
    var priority: Int
    var due: Milliseconds
    var attempts: Int
    var key: String?
    var keyLimit: Int
    var uniqueKey: String?
    var batch: Int64?
    var trace: String?
}

/// The jobs that share a limit.
struct JobKey: Hashable {
    let queue: String
    let key: String
    let limit: Int
}

/// The stored jobs, at a time.
struct JobStore {
    let db: Database
    let now: Milliseconds

    // MARK: Waiting

    func insert(_ job: NewJob, _ state: StoredState, follows batch: Int64? = nil) throws -> JobID {
        try db.execute(
            sql: """
                INSERT INTO rowan_job (kind, version, payload, queue, priority, state, due, attempt, attempts, key, \
                keyLimit, uniqueKey, batch, follows, trace, enqueued) VALUES (?,?,?,?,?,?,?,0,?,?,?,?,?,?,?,?)
                """,
            arguments: [
                job.kind, job.version, job.payload, job.queue, job.priority, state.rawValue, job.due, job.attempts,
                job.key, job.keyLimit, job.uniqueKey, job.batch, batch, job.trace, now,
            ])
        let id = JobID(rawValue: db.lastInsertedRowID)
        if state == .held, let key = job.key { try settle(JobKey(queue: job.queue, key: key, limit: job.keyLimit)) }
        return id
    }

    /// The state of a job that nothing blocks.
    func waitingState(due: Milliseconds, key: String?) -> StoredState {
        due > now ? .delayed : key == nil ? .ready : .held
    }

    /// Lets a job wait: for its time, or its turn.
    ///
    /// - Parameters:
    ///   - due: the new time; nil for the one it has.
    ///   - error: the error of its last attempt; nil to keep the one before.
    func wait(_ id: JobID, due: Milliseconds? = nil, error: String? = nil) throws {
        let row = try Row.fetchOne(
            db,
            sql: """
                UPDATE rowan_job SET state = CASE WHEN ifnull(?2, due) > ?3 THEN 0 WHEN key IS NULL THEN 2 ELSE 1 END, \
                due = ifnull(?2, due), error = ifnull(?4, error), worker = NULL, lease = NULL, progress = NULL \
                WHERE id = ?1 RETURNING queue, key, keyLimit
                """,
            arguments: [id.rawValue, due, now, error])
        if let row { try settle(JobKey(row)) }
    }

    /// Makes due jobs ready.
    ///
    /// - Returns: whether more are due.
    func wakeDelayed(limit: Int = 500) throws -> Bool {
        let rows = try Row.fetchAll(
            db,
            sql: """
                UPDATE rowan_job SET state = CASE WHEN key IS NULL THEN 2 ELSE 1 END WHERE id IN \
                (SELECT id FROM rowan_job WHERE state = 0 AND due <= ? ORDER BY due LIMIT ?) \
                RETURNING queue, key, keyLimit
                """,
            arguments: [now, limit])
        for key in Set(rows.compactMap(JobKey.init)) { try settle(key) }
        return rows.count == limit
    }

    /// Of the waiting jobs with a key, makes those ready that come first, as many as may run.
    func settle(_ key: JobKey?) throws {
        guard let key else { return }
        let arguments: StatementArguments = [key.queue, key.key]
        while true {
            let active = try Int.fetchOne(
                db,
                sql: "SELECT count(*) FROM rowan_job WHERE queue = ? AND key = ? AND state IN (2, 3)",
                arguments: arguments)!
            guard
                let held = try Row.fetchOne(
                    db,
                    sql: """
                        SELECT id, priority FROM rowan_job WHERE queue = ? AND key = ? AND state = 1 \
                        ORDER BY priority DESC, id LIMIT 1
                        """, arguments: arguments)
            else { return }
            if active >= max(key.limit, 1) {
                // The last of those that are ready gives way to a job with a higher priority.
                let last = try Row.fetchOne(
                    db,
                    sql: """
                        SELECT id, priority FROM rowan_job WHERE queue = ? AND key = ? AND state = 2 \
                        ORDER BY priority, id DESC LIMIT 1
                        """, arguments: arguments)
                guard let last, (last[1] as Int) < (held[1] as Int) else { return }
                try move(last[0], to: .held)
            }
            try move(held[0], to: .ready)
        }
    }

    private func move(_ id: Int64, to state: StoredState) throws {
        try db.execute(sql: "UPDATE rowan_job SET state = ? WHERE id = ?", arguments: [state.rawValue, id])
    }

    // MARK: Running

    /// Claims the first jobs of a queue.
    func claim(_ count: Int, of queue: String, worker: Int64, lease: Int64) throws -> [ClaimedJob] {
        try Row.fetchAll(
            db,
            sql: """
                UPDATE rowan_job SET state = 3, worker = ?1, lease = ?2, started = ?3, attempt = attempt + 1, \
                cancelled = 0 WHERE id IN (SELECT id FROM rowan_job WHERE state = 2 AND queue = ?4 \
                ORDER BY priority DESC, id LIMIT ?5) RETURNING id, kind, version, payload, queue, priority, attempt, \
                attempts, due, enqueued, trace, follows, coalesce(key, batch, follows) IS NOT NULL
                """,
            arguments: [worker, lease, now, queue, count]
        ).map { row in
            ClaimedJob(
                id: JobID(rawValue: row[0]), kind: row[1], version: row[2], payload: row[3], queue: row[4],
                priority: row[5], attempt: row[6], attempts: row[7], due: row[8], enqueued: row[9], trace: row[10],
                follows: row[11], isLinked: row[12], lease: lease)
        }.sorted { ($1.priority, $0.id.rawValue) < ($0.priority, $1.id.rawValue) }
    }

    /// The number of jobs of a queue in a state.
    func count(_ state: StoredState, in queue: String) throws -> Int {
        try Int.fetchOne(
            db, sql: "SELECT count FROM rowan_job_count WHERE queue = ? AND state = ?",
            arguments: [queue, state.rawValue]) ?? 0
    }

    // MARK: Ending

    /// How a job ends.
    enum Ending {
        case succeeded
        case failed
        case cancelled
    }

    /// Deletes a job that has succeeded.
    ///
    /// - Returns: whether the job was still that of this claim.
    func succeed(_ job: ClaimedJob, result: String?, retention: Duration) throws -> Bool {
        guard try delete(job, .succeeded) else { return false }
        if let result { try keep(job.id, job.kind, result: result, isCancelled: false, retention) }
        return true
    }

    /// Deletes a job that was cancelled while it was running.
    ///
    /// - Returns: whether the job was still that of this claim.
    func cancel(_ job: ClaimedJob) throws -> Bool {
        guard try delete(job, .cancelled) else { return false }
        try keep(job.id, job.kind, result: nil, isCancelled: true, JobSettings().resultRetention)
        return true
    }

    private func delete(_ job: ClaimedJob, _ ending: Ending) throws -> Bool {
        let arguments: StatementArguments = [job.id.rawValue, job.lease]
        if job.isLinked { return try remove("id = ? AND lease = ?", arguments, ending) != nil }
        try db.execute(sql: "DELETE FROM rowan_job WHERE id = ? AND lease = ?", arguments: arguments)
        return db.changesCount == 1
    }

    /// Deletes a job, which lets others run that waited for it.
    ///
    /// - Returns: the kind of the job; nil if there was none.
    @discardableResult
    func remove(_ condition: String, _ arguments: StatementArguments, _ ending: Ending) throws -> String? {
        let row = try Row.fetchOne(
            db, sql: "DELETE FROM rowan_job WHERE \(condition) RETURNING kind, queue, key, keyLimit, batch, follows",
            arguments: arguments)
        guard let row else { return nil }
        try settle(JobKey(row))
        if let batch: Int64 = row["batch"] { try batchJobDidEnd(batch, ending) }
        // A job that has failed may be retried, and then still reads how its batch has ended.
        if let batch: Int64 = row["follows"], ending != .failed { try deleteBatch(batch) }
        return row["kind"]
    }

    /// Stores the outcome of a job that has ended.
    func keep(_ id: JobID, _ kind: String, result: String?, isCancelled: Bool, _ retention: Duration) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO rowan_job_result VALUES (?,?,?,?,?,?)",
            arguments: [id.rawValue, kind, isCancelled, result, now, now + Milliseconds(retention)])
    }

    /// Lets a job wait for its next attempt.
    ///
    /// - Parameter counts: whether the attempt counts.
    /// - Returns: whether the job was still that of this claim.
    func retry(_ job: ClaimedJob, at due: Milliseconds, error: String?, counts: Bool = true) throws -> Bool {
        try db.execute(
            sql: "UPDATE rowan_job SET attempt = attempt - ? WHERE id = ? AND lease = ?",
            arguments: [counts ? 0 : 1, job.id.rawValue, job.lease])
        guard db.changesCount == 1 else { return false }
        try wait(job.id, due: due, error: error)
        return true
    }

    /// Moves a job to the failed ones.
    ///
    /// - Returns: whether the job was still that of this claim.
    func fail(_ job: ClaimedJob, error: String, retention: Duration) throws -> Bool {
        try fail(job.id, lease: job.lease, error: error, retention: retention)
    }

    func fail(_ id: JobID, lease: Int64, error: String, retention: Duration) throws -> Bool {
        try db.execute(
            sql: """
                INSERT INTO rowan_job_failed SELECT id, kind, version, payload, queue, priority, attempt, attempts, \
                key, keyLimit, uniqueKey, batch, follows, trace, enqueued, ?, ?, ? FROM rowan_job \
                WHERE id = ? AND lease = ?
                """,
            arguments: [now, now + Milliseconds(retention), error, id.rawValue, lease])
        guard db.changesCount == 1 else { return false }
        try remove("id = ?", [id.rawValue], .failed)
        return true
    }
}

extension JobKey {
    /// Nil for a job without a key.
    init?(_ row: Row) {
        guard let key: String = row["key"] else { return nil }
        self.init(queue: row["queue"], key: key, limit: row["keyLimit"])
    }
}
