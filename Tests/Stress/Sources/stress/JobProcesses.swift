// Processes run the jobs of one file, are killed and frozen, and have clocks that jump: each job ends, what it writes
// with its completion is written once, and what was rolled back never runs.

import Foundation
import Logging
import Rowan
import RowanJobs
import Synchronization

extension Part {
    static let jobs = Part(
        name: "jobs", summary: "jobs of processes that are killed and frozen: each ends, and writes once", weight: 1.5
    ) { run in
        let path = run.folder.path("jobs-\(run.seed).sqlite")
        let pool = try JobProcess.open(path)
        try await pool.write { db in
            try Jobs.createTables(db)
            try db.execute(
                sql: """
                    CREATE TABLE enqueued (number INTEGER PRIMARY KEY, kind TEXT NOT NULL);
                    CREATE TABLE ran (number INTEGER NOT NULL, batch INTEGER);
                    CREATE TABLE attempted (number INTEGER NOT NULL);
                    """)
        }
        let total = min(run.casesLeft ?? 600, 1_000_000)
        try await JobCrowd(run, path, pool, total).run()
        run.didCase(total)
        try pool.close()
    }
}

/// The processes of a round.
private final class JobCrowd {
    private let run: Run
    private let path: String
    private let pool: DatabasePool
    private let total: Int
    private var processes: [Process] = []
    private var number = 0

    init(_ run: Run, _ path: String, _ pool: DatabasePool, _ total: Int) {
        (self.run, self.path, self.pool, self.total) = (run, path, pool, total)
    }

    func run() async throws {
        defer { for process in processes { kill(process.processIdentifier, SIGKILL) } }
        for _ in 0..<3 { try start() }
        while number < total {
            try await enqueue()
            try await disturb()
        }
        let limit = ContinuousClock.now + .seconds(120 + total / 200)
        while try await remaining() > 0 {
            try await disturb()
            guard ContinuousClock.now < limit else {
                let rows = try await pool.read { db in
                    try Row.fetchAll(db, sql: "SELECT * FROM rowan_job LIMIT 5").map { "\($0)" }
                }
                run.fail("jobs don't end: \(rows)")
                return
            }
        }
        try await check()
    }

    private func start() throws {
        let seed = UInt64.random(in: 0...UInt64.max, using: &run.random)
        processes.append(try Children.start(["child-jobs", path, "\(seed)"]).process)
    }

    private func remaining() async throws -> Int {
        try await pool.read { try $0.int("SELECT count(*) FROM rowan_job") }
    }

    /// Enqueues some jobs, or rolls them back.
    private func enqueue() async throws {
        let (first, count) = (number, run.number(1...60))
        let isRolledBack = run.chance(10)
        var random = SplitMix64(seed: UInt64.random(in: 0...UInt64.max, using: &run.random))
        let kinds = (0..<count).map { _ in JobProcess.Kind.allCases.randomElement(using: &random)! }
        let (priority, delay, isBatch) = (run.number(-3...3), run.number(0...300), run.chance(20))
        do {
            try await pool.write { db in
                var jobs = JobProcess.jobs
                jobs.clock = SystemJobClock()
                let steps = zip(first..., kinds).map { Step(number: $0, kind: $1) }
                for step in steps {
                    try db.execute(
                        sql: "INSERT INTO enqueued VALUES (?, ?)", arguments: [step.number, step.kind.rawValue])
                }
                if isBatch, let last = steps.last {
                    try jobs.enqueue(batch: Array(steps.dropLast()), then: last, afterFailures: true, in: db)
                } else {
                    for (index, step) in steps.enumerated() {
                        try jobs.enqueue(
                            step, .priority(priority), .after(.milliseconds(index % 3 == 0 ? delay : 0)), in: db)
                    }
                }
                if isRolledBack { throw CancellationError() }
            }
            number += count
            run.count("jobs", count)
        } catch is CancellationError {
            run.count("rolled back", count)
        }
    }

    /// Kills or freezes a process now and then.
    private func disturb() async throws {
        try await Task.sleep(for: .milliseconds(run.number(0...30)))
        guard run.chance(10) else { return }
        let index = run.number(0...(processes.count - 1))
        let process = processes[index]
        if run.chance(50) {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            processes.remove(at: index)
            run.count("kills")
            try start()
        } else {
            // Longer than the lease, or shorter.
            kill(process.processIdentifier, SIGSTOP)
            try await Task.sleep(for: .milliseconds(run.number(10...1_500)))
            kill(process.processIdentifier, SIGCONT)
            run.count("freezes")
        }
    }

    private func check() async throws {
        let answers = try await pool.read { db in
            (
                lost: try db.int(
                    """
                    SELECT count(*) FROM enqueued WHERE kind <> 'fails' AND number NOT IN (SELECT number FROM ran)
                    AND NOT (kind = 'attempts' AND number IN (SELECT number FROM attempted))
                    """),
                doubled: try db.int("SELECT count(*) - count(DISTINCT number) FROM ran"),
                strays: try db.int("SELECT count(*) FROM ran WHERE number NOT IN (SELECT number FROM enqueued)"),
                failed: try db.int("SELECT count(*) FROM rowan_job_failed"),
                fails: try db.int("SELECT count(*) FROM enqueued WHERE kind = 'fails'"),
                otherFailures: try Row.fetchAll(
                    db,
                    sql: """
                        SELECT payload, error FROM rowan_job_failed WHERE payload ->> 'kind' <> 'fails' LIMIT 3
                        """
                ).map { "\($0)" },
                counts: try db.int("SELECT sum(abs(count)) FROM rowan_job_count"),
                batches: try db.int(
                    "SELECT count(*) FROM rowan_job_batch b WHERE next NOT IN (SELECT id FROM rowan_job_failed)"),
                integrity: try db.text("PRAGMA integrity_check")
            )
        }
        run.expect(answers.lost == 0, "\(answers.lost) jobs are lost")
        run.expect(answers.doubled == 0, "\(answers.doubled) jobs have written twice")
        run.expect(answers.strays == 0, "\(answers.strays) jobs ran that were rolled back")
        run.expect(answers.otherFailures.isEmpty, "jobs have failed: \(answers.otherFailures)")
        run.expect(answers.failed == answers.fails, "\(answers.failed) jobs have failed instead of \(answers.fails)")
        run.expect(answers.counts == 0, "the counts of jobs are wrong by \(answers.counts)")
        run.expect(answers.batches == 0, "\(answers.batches) batches are left")
        run.expect(answers.integrity == "ok", "integrity_check: \(answers.integrity)")
    }
}

/// A job of a round.
private struct Step: JobPayload {
    static let settings = JobSettings(
        retry: JobRetry(attempts: 1_000, firstDelay: .milliseconds(5), maximumDelay: .milliseconds(50)))

    var number: Int
    var kind: JobProcess.Kind
    var concurrencyKey: String? { kind == .keyed ? "\(number % 4)" : nil }
}

/// A process that runs jobs.
enum JobProcess {
    enum Kind: String, Codable, CaseIterable, Sendable {
        /// Writes with its completion.
        case writes
        case keyed
        /// Writes in a transaction of its own, and so at least once.
        case attempts
        /// Throws sometimes.
        case throwsSometimes
        case fails
        /// Takes longer than the lease.
        case slow
    }

    fileprivate static var jobs: Jobs {
        var jobs = Jobs()
        jobs.register(Step.self) { step, context in
            switch step.kind {
            case .fails: throw FailJob("as it should")
            case .attempts:
                return try await context.database.write { db in
                    try db.execute(sql: "INSERT INTO attempted VALUES (?)", arguments: [step.number])
                }
            case .throwsSometimes: if .random() { throw CancellationError() }
            case .slow: try await Task.sleep(for: .milliseconds(.random(in: 0...40)))
            case .writes, .keyed: break
            }
            try await context.write { db in
                try db.execute(
                    sql: "INSERT INTO ran VALUES (?, ?)", arguments: [step.number, context.batch?.total])
            }
        }
        return jobs
    }

    static func open(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        configuration.observesOtherProcesses = true
        return try DatabasePool(path: path, configuration: configuration)
    }

    static func run(path: String, seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var jobs = jobs
        jobs.clock = JumpingClock(seed: UInt64.random(in: 0...UInt64.max, using: &random))
        var options = JobService.Options()
        options.heartbeat = .milliseconds(100)
        options.lease = .milliseconds(600)
        let service = JobService(
            jobs, database: try open(path), options: options,
            logger: Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() })
        try await service.run()
    }
}

/// A clock whose time of day jumps. What is due by a clock that is ahead is late for the others, so it jumps by seconds.
private final class JumpingClock: JobClock {
    private let state: Mutex<(random: SplitMix64, offset: TimeInterval)>
    private let clock = SystemJobClock()

    init(seed: UInt64) { state = Mutex((SplitMix64(seed: seed), 0)) }

    var now: Date {
        state.withLock { state in
            if Int.random(in: 0..<200, using: &state.random) == 0 {
                state.offset = .random(in: -2...2, using: &state.random)
            }
            return clock.now + state.offset
        }
    }

    var uptime: Duration { clock.uptime }
    func sleep(for duration: Duration) async throws { try await clock.sleep(for: duration) }
}
