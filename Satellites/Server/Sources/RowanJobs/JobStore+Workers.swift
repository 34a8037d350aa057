// Workers in the database: which of them are alive, and what they run.
//
// A worker increases its number of beats while it runs jobs. Another one that sees no new beat for a while, by its own
// monotonic clock, makes these jobs wait again. No time of one machine is compared with that of another.

import Rowan

/// A worker and its number of beats.
struct WorkerBeat: Hashable {
    let worker: Int64
    let beat: Int64
}

/// What a worker needs to know when it is woken.
struct JobOverview: Sendable {
    /// The queues that have ready jobs.
    var ready: Set<String> = []
    /// When the first delayed job is due.
    var nextDue: Milliseconds?
    /// When the schedules run.
    var schedules: [String: ScheduleTimes] = [:]
    /// The running jobs of this worker that are to be cancelled.
    var cancelled: [JobID] = []
    /// The other workers that run jobs.
    var others: [WorkerBeat] = []
}

/// When a schedule runs next, and when it last ran.
struct ScheduleTimes: Sendable {
    let definition: String
    let next: Milliseconds
    let last: Milliseconds?

    /// Whether the schedule last ran at a time that is far in the future, so that its next time can't be right either.
    /// Where the clock was set back by less, a time that it shows again is not repeated.
    func isFromWrongClock(at now: Milliseconds) -> Bool { last.map { $0 > now + 86_400_000 } ?? false }

    func isDue(at now: Milliseconds) -> Bool { next <= now || isFromWrongClock(at: now) }
}

extension JobStore {
    /// Reads what a worker needs to know.
    func overview(for worker: Int64?) throws -> JobOverview {
        var overview = JobOverview()
        overview.ready = try Set(
            String.fetchAll(db, sql: "SELECT queue FROM rowan_job_count WHERE state = 2 AND count > 0"))
        overview.nextDue = try Milliseconds.fetchOne(
            db, sql: "SELECT due FROM rowan_job WHERE state = 0 ORDER BY due LIMIT 1")
        overview.schedules = try Dictionary(
            uniqueKeysWithValues: Row.fetchAll(db, sql: "SELECT name, definition, next, last FROM rowan_job_schedule")
                .map { ($0[0], ScheduleTimes(definition: $0[1], next: $0[2], last: $0[3])) })
        if let worker {
            overview.cancelled = try Int64.fetchAll(
                db, sql: "SELECT id FROM rowan_job WHERE worker = ? AND state = 3 AND cancelled", arguments: [worker]
            ).map(JobID.init)
        }
        overview.others = try others(than: worker)
        return overview
    }

    private func others(than worker: Int64?) throws -> [WorkerBeat] {
        try Row.fetchAll(db, sql: "SELECT id, beat FROM rowan_job_worker WHERE id IS NOT ?", arguments: [worker])
            .map { WorkerBeat(worker: $0[0], beat: $0[1]) }
    }

    /// Stores a worker.
    func register(name: String) throws -> Int64 {
        try db.execute(sql: "INSERT INTO rowan_job_worker (name, beat) VALUES (?, 0)", arguments: [name])
        return db.lastInsertedRowID
    }

    /// Whether others have not given the jobs of a worker away.
    func isRegistered(_ worker: Int64) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT 1 FROM rowan_job_worker WHERE id = ?", arguments: [worker]) != nil
    }

    /// Deletes a worker without jobs.
    func unregister(_ worker: Int64) throws {
        try db.execute(
            sql: """
                DELETE FROM rowan_job_worker WHERE id = ?1 \
                AND NOT EXISTS (SELECT 1 FROM rowan_job WHERE worker = ?1 AND state = 3)
                """, arguments: [worker])
    }

    /// Shows others that a worker is alive.
    ///
    /// - Returns: false if others have given its jobs away.
    func beat(_ worker: Int64) throws -> Bool {
        try db.execute(sql: "UPDATE rowan_job_worker SET beat = beat + 1 WHERE id = ?", arguments: [worker])
        return db.changesCount == 1
    }

    /// The running jobs of a worker, with their leases.
    func running(of worker: Int64) throws -> [(id: JobID, lease: Int64)] {
        try Row.fetchAll(
            db, sql: "SELECT id, lease FROM rowan_job WHERE worker = ? AND state = 3", arguments: [worker]
        ).map { (JobID(rawValue: $0[0]), $0[1]) }
    }

    /// Ends a worker that has stopped responding. Its jobs wait again, or fail after their last attempt.
    ///
    /// - Parameters:
    ///   - beat: its last beat. If there is a later one, nothing happens.
    ///   - retention: how long failed jobs of a kind are kept.
    /// - Returns: the number of its jobs.
    func bury(_ beat: WorkerBeat, retention: (_ kind: String) -> Duration) throws -> Int {
        try db.execute(
            sql: "DELETE FROM rowan_job_worker WHERE id = ? AND beat = ?", arguments: [beat.worker, beat.beat])
        guard db.changesCount == 1 else { return 0 }
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT id, lease, attempt < attempts, cancelled, kind FROM rowan_job WHERE worker = ? AND state = 3
                """, arguments: [beat.worker])
        let error = "the worker has stopped responding"
        for row in rows {
            let id = JobID(rawValue: row[0])
            if row[3] {
                try remove("id = ?", [id.rawValue], .cancelled)
                try keep(id, row[4], result: nil, isCancelled: true, JobSettings().resultRetention)
            } else if row[2] {
                try wait(id, due: now, error: error)
            } else {
                _ = try fail(id, lease: row[1], error: error, retention: retention(row[4]))
            }
        }
        return rows.count
    }

    // MARK: Schedules

    /// Stores a schedule, unless it is stored.
    func setSchedule(_ name: String, _ schedule: JobSchedule) throws {
        let known = try Row.fetchOne(
            db, sql: "SELECT definition, next, last FROM rowan_job_schedule WHERE name = ?", arguments: [name])
        if let known, known[0] == schedule.definition,
            !ScheduleTimes(definition: known[0], next: known[1], last: known[2]).isFromWrongClock(at: now)
        {
            return
        }
        try db.execute(
            sql: "INSERT OR REPLACE INTO rowan_job_schedule VALUES (?, ?, ?, NULL)",
            arguments: [name, schedule.definition, schedule.next(after: now)])
    }

    /// Moves a schedule to its next time.
    ///
    /// - Returns: whether its job is to be enqueued, which it is once, even after several missed times.
    func advance(_ name: String, _ schedule: JobSchedule) throws -> Bool {
        let row = try Row.fetchOne(
            db, sql: "SELECT next, last FROM rowan_job_schedule WHERE name = ? AND definition = ?",
            arguments: [name, schedule.definition])
        // A newer program may have changed its definition.
        guard let row else { return false }
        let times = ScheduleTimes(definition: schedule.definition, next: row[0], last: row[1])
        if times.isFromWrongClock(at: now) { try setSchedule(name, schedule) }
        guard times.next <= now else { return false }
        try db.execute(
            sql: "UPDATE rowan_job_schedule SET next = ?, last = ? WHERE name = ?",
            arguments: [schedule.next(after: now, previous: times.next), now, name])
        return true
    }

    // MARK: Measuring

    /// The number of waiting jobs by queue.
    func waitingCounts() throws -> [String: Int] {
        try Dictionary(
            uniqueKeysWithValues: Row.fetchAll(
                db, sql: "SELECT queue, sum(count) FROM rowan_job_count WHERE state <> 3 GROUP BY queue"
            ).map { ($0[0], $0[1]) })
    }

    /// When the job of a queue that has been ready for longest was due.
    func oldestDue(in queue: String) throws -> Milliseconds? {
        // Of each priority, the first by id. There are few priorities.
        try Milliseconds.fetchOne(
            db,
            sql: """
                WITH RECURSIVE p(priority) AS (
                    SELECT max(priority) FROM rowan_job WHERE state = 2 AND queue = ?1
                    UNION ALL
                    SELECT (SELECT max(priority) FROM rowan_job WHERE state = 2 AND queue = ?1
                        AND priority < p.priority)
                    FROM p WHERE p.priority IS NOT NULL LIMIT 100)
                SELECT min((SELECT due FROM rowan_job WHERE state = 2 AND queue = ?1 AND priority = p.priority
                    ORDER BY id LIMIT 1)) FROM p
                """, arguments: [queue])
    }
}
