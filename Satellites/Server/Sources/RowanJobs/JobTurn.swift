// What a worker writes in one transaction.

import Foundation
import Rowan

/// A job whose end is to be written.
struct EndedJob: Sendable {
    let job: ClaimedJob
    let end: JobEnd

    init(_ job: ClaimedJob, _ end: JobEnd) { (self.job, self.end) = (job, end) }
}

/// A turn of a worker.
struct JobTurn: Sendable {
    struct Result: Sendable {
        var worker: Int64?
        /// Whether others have given the jobs of this worker away.
        var isLost = false
        /// The jobs that were given to another worker before their end was written.
        var lost: [JobID] = []
        var claimed: [ClaimedJob] = []
        var batches: [JobID: JobBatchStatus] = [:]
        var scheduled: [(String, JobID)] = []
        /// The errors of jobs that could not be encoded. They concern no other job.
        var failedSchedules: [(String, String)] = []
        /// The number of jobs of workers that have stopped responding.
        var buried = 0
        /// Whether more is due.
        var isMore = false
        /// Whether the state of a job has certainly changed.
        var changesJobs = false
        var overview = JobOverview()
        var gauges: [JobGauges] = []
    }

    let jobs: Jobs
    let worker: Int64?
    let isBeat: Bool
    let isStopping: Bool
    let ended: [EndedJob]
    let slots: [String: Int]
    let silentPeers: [WorkerBeat]
    /// What is running, if other jobs of this worker are to be released. A claim whose commit was not reported has none.
    let leases: Set<ClaimID>?
    let cleans: Bool
    let gauges: Bool

    func run(_ db: Database) throws -> Result {
        let store = jobs.store(db)
        var result = Result()
        result.worker = worker
        for ended in ended {
            if try end(ended, store) { result.changesJobs = true } else { result.lost.append(ended.job.id) }
        }
        // Others may have ended this worker since its last heartbeat. Jobs that it claimed under its old number would never
        // be taken over.
        if let worker, try !(isBeat ? store.beat(worker) : store.isRegistered(worker)) {
            (result.worker, result.isLost) = (nil, true)
        }
        if let leases, let worker = result.worker { try release(worker, except: leases, store) }
        for peer in silentPeers {
            result.buried += try store.bury(peer) { jobs.settings(of: $0).failureRetention }
        }
        if !isStopping {
            result.isMore = try store.wakeDelayed()
            try advanceSchedules(store, &result)
            try claim(store, &result)
            if !result.claimed.isEmpty { result.changesJobs = true }
        }
        if cleans, try store.deleteExpired() { result.isMore = true }
        if isBeat, let worker = result.worker, leases?.isEmpty == true, result.claimed.isEmpty {
            try store.unregister(worker)
            result.worker = nil
        }
        result.overview = try store.overview(for: result.worker)
        if gauges { result.gauges = try JobGauges.read(store) }
        return result
    }

    private func end(_ ended: EndedJob, _ store: JobStore) throws -> Bool {
        let (job, settings) = (ended.job, jobs.settings(of: ended.job.kind))
        return switch ended.end {
        case .completed: true
        case .succeeded(let result): try store.succeed(job, result: result, retention: settings.resultRetention)
        case .cancelled: try store.cancel(job)
        case .released: try store.retry(job, at: store.now, error: nil, counts: false)
        case .retries(let delay, let error, let counts):
            try store.retry(job, at: store.now + Milliseconds(delay), error: error, counts: counts)
        case .failed(let error): try store.fail(job, error: error, retention: settings.failureRetention)
        }
    }

    private func release(_ worker: Int64, except leases: Set<ClaimID>, _ store: JobStore) throws {
        for (id, lease) in try store.running(of: worker) where !leases.contains(ClaimID(job: id, lease: lease)) {
            try store.wait(id, due: store.now)
        }
    }

    private func advanceSchedules(_ store: JobStore, _ result: inout Result) throws {
        for (name, scheduled) in jobs.schedules where try store.advance(name, scheduled.schedule) {
            do { result.scheduled.append((name, try scheduled.enqueue(jobs, store.db))) } catch let error
                as EncodingError
            {
                result.failedSchedules.append((name, error.reported))
            }
        }
    }

    private func claim(_ store: JobStore, _ result: inout Result) throws {
        for (name, free) in slots {
            var count = free
            if let total = jobs.queues[name]?.total {
                count = min(count, total - (try store.count(.running, in: name)))
            }
            guard count > 0, try store.count(.ready, in: name) > 0 else { continue }
            let worker =
                try result.worker ?? store.register(name: "process \(ProcessInfo.processInfo.processIdentifier)")
            result.worker = worker
            result.claimed += try store.claim(
                count, of: name, worker: worker, lease: .random(in: 1...Int64.max))
        }
        for job in result.claimed where job.follows != nil {
            result.batches[job.id] = try store.batch(job.follows)
        }
    }
}
