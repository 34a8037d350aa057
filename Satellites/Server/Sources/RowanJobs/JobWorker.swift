// A worker: claims jobs, runs them, and writes how they have ended.
//
// One task turns the worker: it reads what there is to do, and writes in one transaction what has ended, what is due and
// what it claims. It turns after a commit that concerns jobs, after the end of a job, and at the times that it knows. An
// idle worker executes no statement.

import Logging
import Rowan

/// What identifies a run of a job.
struct ClaimID: Hashable, Sendable {
    let job: JobID
    let lease: Int64
}

/// A worker of a process.
actor JobWorker {
    /// Why the task of a job is cancelled.
    private enum Stop {
        case request
        case shutdown
        /// Another worker has the job.
        case lost
    }

    private struct Running {
        let job: ClaimedJob
        let task: Task<Void, Never>
        var stop: Stop?
    }

    private struct Peer {
        var beat: Int64
        var since: Duration
        var looks = 0
    }

    private let jobs: Jobs
    private let database: any DatabaseWriter
    private let options: JobService.Options
    private let logger: Logger
    private let metrics: JobMetrics
    private let names: Set<String>
    /// Whether each transaction of this worker has a report of its own.
    private let reportsOwnCommits: Bool
    nonisolated let signal = JobSignal()

    private var worker: Int64?
    private var running: [ClaimID: Running] = [:]
    private var runningCounts: [String: Int] = [:]
    private var ended: [EndedJob] = []
    private var peers: [Int64: Peer] = [:]
    private var overview: JobOverview?
    /// When running jobs are cancelled; nil before the worker is stopped.
    private var stopDeadline: Duration?
    private var checksLeases = false
    /// Whether the last turn has found something to do, so that the next one writes without reading first.
    private var isBusy = false
    private var lastBeat: Duration
    private var lastRead: Duration
    private var lastCleanup: Duration?
    private var lastGauges: Duration?
    /// What has ended, for ``runAll()``. A service runs for too long to keep it.
    private var report: JobRunReport?

    init(
        _ jobs: Jobs, _ database: any DatabaseWriter, _ options: JobService.Options, _ logger: Logger
    ) {
        (self.jobs, self.database, self.options, self.logger) = (jobs, database, options, logger)
        metrics = JobMetrics(options.metricsFactory)
        reportsOwnCommits =
            !database.configuration.groupsAsyncWrites && (database is DatabasePool || database is DatabaseQueue)
        names = options.queues.map { $0.intersection(jobs.queues.keys) } ?? Set(jobs.queues.keys)
        (lastBeat, lastRead) = (jobs.clock.uptime, jobs.clock.uptime)
    }

    private var clock: any JobClock { jobs.clock }

    /// Checks the tables, and stores the schedules.
    func prepare() async throws {
        try await database.write { [jobs] db in
            try JobTables.check(db)
            let store = jobs.store(db)
            for (name, scheduled) in jobs.schedules { try store.setSchedule(name, scheduled.schedule) }
        }
    }

    // MARK: Running

    /// Runs until ``stop(within:)``.
    ///
    /// - Throws: the error of a closed connection.
    func run() async throws {
        var failures = 0
        var isSignal = true
        while !isStopping || !running.isEmpty || !ended.isEmpty {
            enforceStopDeadline()
            do {
                try await turn(isSignal: isSignal)
                failures = 0
            } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
                // Nothing more can be written. Other workers take over what is running.
                for id in running.keys { stop(id, .lost) }
                throw error
            } catch {
                failures += 1
                checksLeases = true
                logger.warning("jobs can't be read or written, and are retried: \(error)")
            }
            let pause = failures == 0 ? nextTurn : .milliseconds(min(50 << min(failures, 7), 5_000))
            // After an error, the signal of a job that has ended doesn't shorten the pause.
            if failures > 0 {
                try? await clock.sleep(for: pause!)
                isSignal = true
            } else {
                isSignal = await signal.wait(for: pause, clock)
                // Other jobs that end at the same time are written with the first one.
                if !running.isEmpty { await Task.yield() }
            }
        }
        try await leave()
    }

    /// Runs all jobs that are ready.
    func runAll() async throws -> JobRunReport {
        report = JobRunReport()
        var isSignal = true
        while true {
            try await turn(isSignal: isSignal)
            if running.isEmpty, ended.isEmpty {
                guard signal.take() else { break }
                isSignal = true
            } else {
                isSignal = await signal.wait(for: nextTurn, clock)
            }
        }
        try await leave()
        return report ?? JobRunReport()
    }

    /// Stops claiming jobs. ``run()`` returns once those that are running have ended.
    ///
    /// - Parameter timeout: after which time they are cancelled, and wait for another worker.
    func stop(within timeout: Duration) {
        let deadline = clock.uptime + timeout
        stopDeadline = min(stopDeadline ?? deadline, deadline)
        signal.set()
    }

    private var isStopping: Bool { stopDeadline != nil }

    /// Cancels the jobs that have not ended in time, then gives up those that ignore it.
    private func enforceStopDeadline() {
        guard let stopDeadline, clock.uptime >= stopDeadline else { return }
        for id in running.keys { stop(id, .shutdown) }
        guard clock.uptime >= stopDeadline + Self.abandonDelay else { return }
        for (id, run) in running {
            logger.error(
                "the job ignores its cancellation: another worker runs it again, and its writes are refused",
                metadata: ["job.id": "\(id.job)", "job.kind": "\(run.job.kind)"])
            ended.append(EndedJob(run.job, .released))
            forget(id)
        }
    }

    private static let abandonDelay = Duration.seconds(1)

    private func leave() async throws {
        if let worker { try await database.write { [jobs] db in try jobs.store(db).unregister(worker) } }
        worker = nil
    }

    private func stop(_ id: ClaimID, _ stop: Stop) {
        guard running[id]?.stop == nil else { return }
        running[id]?.stop = stop
        running[id]?.task.cancel()
    }

    private func forget(_ id: ClaimID) {
        guard let run = running.removeValue(forKey: id) else { return }
        runningCounts[run.job.queue, default: 0] -= 1
    }

    // MARK: Turning

    /// When to turn without a signal.
    private var nextTurn: Duration? {
        let (uptime, now) = (clock.uptime, Milliseconds(clock.now))
        var pauses: [Duration] = []
        if worker != nil { pauses.append(lastBeat + options.heartbeat - uptime) }
        if let stopDeadline {
            pauses.append((uptime < stopDeadline ? stopDeadline : stopDeadline + Self.abandonDelay) - uptime)
        }
        if let readInterval { pauses.append(lastRead + readInterval - uptime) }
        if let lastCleanup { pauses.append(lastCleanup + Self.cleanupInterval - uptime) }
        if !isStopping, let overview {
            let times = [overview.nextDue].compactMap(\.self) + scheduleTimes(overview).map(\.next)
            // The clock may be changed meanwhile.
            if let next = times.min() { pauses.append(min(.milliseconds(next - now), .seconds(30))) }
        }
        return pauses.min().map { max($0, .zero) }
    }

    /// How often to read without a signal: what other workers do, and what others have enqueued if nothing reports it.
    private var readInterval: Duration? {
        let intervals = [
            peers.isEmpty ? nil : options.heartbeat,
            database.configuration.observesOtherProcesses ? nil : .seconds(5),
        ]
        return intervals.compactMap(\.self).min()
    }

    /// The times of the schedules of this program. One that another version of it has changed belongs to that one.
    private func scheduleTimes(_ overview: JobOverview) -> [ScheduleTimes] {
        jobs.schedules.compactMap { name, scheduled in
            overview.schedules[name].flatMap { $0.definition == scheduled.schedule.definition ? $0 : nil }
        }
    }

    /// Does what there is to do.
    ///
    /// - Parameter isSignal: false if only the time has passed.
    private func turn(isSignal: Bool) async throws {
        let uptime = clock.uptime
        let isBeat = worker != nil && uptime >= lastBeat + options.heartbeat
        let isReadDue = readInterval.map { uptime >= lastRead + $0 } ?? false
        if ended.isEmpty, !isBeat, !(isBusy && isSignal) {
            if isSignal || overview == nil || isReadDue {
                let read = try await database.read { [jobs, worker] db in try jobs.store(db).overview(for: worker) }
                apply(read)
            }
            guard needsWrite else { return }
        }
        try await write(isBeat: isBeat)
    }

    private func apply(_ overview: JobOverview) {
        let uptime = clock.uptime
        (self.overview, lastRead) = (overview, uptime)
        let cancelled = Set(overview.cancelled)
        if !cancelled.isEmpty {
            for id in running.keys where cancelled.contains(id.job) { stop(id, .request) }
        }
        var peers: [Int64: Peer] = [:]
        for other in overview.others {
            var peer = self.peers[other.worker] ?? Peer(beat: other.beat, since: uptime)
            if peer.beat != other.beat { peer = Peer(beat: other.beat, since: uptime) }
            peer.looks += 1
            peers[other.worker] = peer
        }
        self.peers = peers
    }

    /// The workers that have stopped responding. A worker that was itself stopped looks several times first.
    private var silentPeers: [WorkerBeat] {
        let uptime = clock.uptime
        return peers.filter { uptime >= $0.value.since + options.lease && $0.value.looks >= 3 }
            .map { WorkerBeat(worker: $0.key, beat: $0.value.beat) }
    }

    private var freeSlots: [String: Int] {
        guard !isStopping else { return [:] }
        var slots: [String: Int] = [:]
        for name in names {
            let count = jobs.queues[name]!.concurrency - runningCounts[name, default: 0]
            if count > 0 { slots[name] = count }
        }
        return slots
    }

    /// Expired jobs are deleted once an hour.
    private var isCleanupDue: Bool { lastCleanup.map { clock.uptime >= $0 + Self.cleanupInterval } ?? true }

    private static let cleanupInterval = Duration.seconds(3_600)

    private var needsWrite: Bool {
        guard let overview else { return false }
        if checksLeases || !silentPeers.isEmpty || isCleanupDue { return true }
        if isStopping { return false }
        let now = Milliseconds(clock.now)
        if let due = overview.nextDue, due <= now { return true }
        if scheduleTimes(overview).contains(where: { $0.isDue(at: now) }) { return true }
        return !overview.ready.isDisjoint(with: freeSlots.keys)
    }

    private func write(isBeat: Bool) async throws {
        let uptime = clock.uptime
        let ended = ended
        self.ended = []
        let turn = JobTurn(
            jobs: jobs, worker: worker, isBeat: isBeat, isStopping: isStopping, ended: ended, slots: freeSlots,
            silentPeers: silentPeers, leases: isBeat || checksLeases ? Set(running.keys) : nil,
            cleans: isCleanupDue,
            gauges: metrics.isEnabled
                && (isBeat && running.isEmpty || lastGauges.map { uptime >= $0 + .seconds(15) } ?? true))
        let result: JobTurn.Result
        do {
            result = try await database.write { [signal, reportsOwnCommits] db in
                let result = try turn.run(db)
                if reportsOwnCommits, result.changesJobs { signal.expectOwnCommit() }
                return result
            }
        } catch {
            signal.forgetOwnCommit()
            // What has ended is written with the next turn. Where it was written already, nothing is found then.
            self.ended = ended + self.ended
            throw error
        }
        checksLeases = false
        if isBeat || result.worker != worker { lastBeat = uptime }
        worker = result.worker
        if turn.cleans, !result.isMore { lastCleanup = uptime }
        if turn.gauges {
            lastGauges = uptime
            metrics.set(result.gauges)
        }
        if result.isLost {
            logger.error("others have taken over the jobs of this worker, because it did not respond in time")
            for id in running.keys { stop(id, .lost) }
        }
        for job in result.lost {
            logger.notice(
                "the job was given to another worker, which decides how it ends", metadata: ["job.id": "\(job)"])
        }
        if result.buried > 0 {
            logger.warning("\(result.buried) jobs of a worker that has stopped responding run again")
        }
        for (name, id) in result.scheduled {
            logger.debug("the schedule has enqueued a job", metadata: ["schedule": "\(name)", "job.id": "\(id)"])
        }
        for (name, error) in result.failedSchedules {
            logger.error("the schedule can't make its job: \(error)", metadata: ["schedule": "\(name)"])
        }
        apply(result.overview)
        isBusy = !ended.isEmpty || !result.claimed.isEmpty
        for job in result.claimed { start(job, batch: result.batches[job.id]) }
        if result.isMore { signal.set() }
    }

    // MARK: Jobs

    private func start(_ job: ClaimedJob, batch: JobBatchStatus?) {
        let id = ClaimID(job: job.id, lease: job.lease)
        var logger = logger
        logger[metadataKey: "job.id"] = "\(job.id)"
        logger[metadataKey: "job.kind"] = "\(job.kind)"
        let run = JobRun(job, jobs, JobContext(job, jobs, database, logger, batch: batch), metrics)
        let task = Task {
            let end = await run.run()
            didEnd(id, end)
        }
        running[id] = Running(job: job, task: task)
        runningCounts[job.queue, default: 0] += 1
    }

    private func didEnd(_ id: ClaimID, _ end: JobEnd) {
        // It may have been abandoned.
        guard let run = running[id] else { return }
        forget(id)
        defer { signal.set() }
        let (job, end) = (run.job, resolved(end, run.stop))
        report?.count(end, job)
        log(end, job)
        switch end {
        case .completed: break
        case .released where run.stop == .lost: break
        default: ended.append(EndedJob(job, end))
        }
    }

    /// How a job has ended that may have been stopped.
    private func resolved(_ end: JobEnd, _ stop: Stop?) -> JobEnd {
        switch (end, stop) {
        case (.completed, _), (.succeeded, .request), (.succeeded, .shutdown), (_, nil): end
        case (_, .request): .cancelled
        case (_, .shutdown), (_, .lost): .released
        }
    }

    private func log(_ end: JobEnd, _ job: ClaimedJob) {
        let metadata: Logger.Metadata = ["job.id": "\(job.id)", "job.kind": "\(job.kind)"]
        switch end {
        case .completed, .succeeded: logger.debug("the job has succeeded", metadata: metadata)
        case .cancelled: logger.info("the job was cancelled", metadata: metadata)
        case .released: logger.info("the job waits for another worker", metadata: metadata)
        case .retries(_, let error, let counts):
            logger.log(
                level: counts ? .warning : .info,
                "attempt \(job.attempt) of \(job.attempts) of the job has failed: \(error)",
                metadata: metadata)
        case .failed(let error): logger.error("the job has failed: \(error)", metadata: metadata)
        }
    }
}
