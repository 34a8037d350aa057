// Measures jobs: how many are enqueued and run in a second, and how soon one starts after its commit; also behind
// 10,000,000 others, and next to the loop that a program would have without the library.

import Foundation
import Logging
import Rowan
import RowanJobs
import Synchronization

private struct Tick: Job {
    let number: Int
    func run(_ context: JobContext) async throws { JobBench.done.add(1, ordering: .relaxed) }
}

/// Writes a row with its completion.
private struct WritingTick: Job {
    let number: Int
    func run(_ context: JobContext) async throws {
        try await context.write { db in try db.execute(sql: "INSERT INTO ticked VALUES (?)", arguments: [number]) }
        JobBench.done.add(1, ordering: .relaxed)
    }
}

private struct Ping: Job {
    let commits: UInt64
    func run(_ context: JobContext) async throws {
        JobBench.starts.withLock { $0.append(DispatchTime.now().uptimeNanoseconds) }
    }
}

struct JobBench {
    static let done = Atomic<Int>(0)
    static let starts = Mutex<[UInt64]>([])

    let isSmall: Bool
    private var count: Int { isSmall ? 500 : 100_000 }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("jobs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Configuration()
        configuration.observesOtherProcesses = true
        // As in a server: commits that wait at the same time are one, also for the loop by hand.
        configuration.groupsAsyncWrites = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        let pool = try DatabasePool(
            path: folder.appendingPathComponent("jobs.sqlite").path, configuration: configuration)
        try await pool.write { db in
            try Jobs.createTables(db)
            try db.execute(
                sql: """
                    CREATE TABLE ticked (number INTEGER PRIMARY KEY);
                    CREATE TABLE task (id INTEGER PRIMARY KEY, payload TEXT NOT NULL, taken INTEGER NOT NULL DEFAULT 0);
                    CREATE INDEX task_free ON task (id) WHERE taken = 0;
                    """)
        }
        var jobs = Jobs()
        jobs.register(Tick.self)
        jobs.register(WritingTick.self)
        jobs.register(Ping.self)
        jobs.queue("wide", concurrency: 64)
        let byHand = try await loopByHand(pool)
        say("{\"row\": \"jobs-by-hand\", \"perSecond\": \(Int(byHand))}")
        let service = JobService(
            jobs, database: pool, logger: Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() })
        let task = Task { try await service.run() }
        try await measure(pool, jobs, "", byHand)
        let waiting = isSmall ? 1_000 : 10_000_000
        try await pool.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO rowan_job (kind, version, payload, queue, priority, state, due, attempt, attempts, \
                    keyLimit, enqueued) SELECT 'Tick', 1, '{"number":1}', CASE i % 2 WHEN 0 THEN 'other' ELSE 'default' \
                    END, -1, 2 * (i % 2 = 0), CASE i % 2 WHEN 0 THEN 0 ELSE 9e15 END, 0, 10, 1, 0 FROM n
                    """, arguments: [waiting])
        }
        try await measure(pool, jobs, "-behind-10m", byHand)
        task.cancel()
        try await task.value
        try pool.close()
    }

    private func measure(_ pool: DatabasePool, _ jobs: Jobs, _ suffix: String, _ byHand: Double) async throws {
        try await rate("jobs-run\(suffix)", pool, byHand, atLeast: 8_000) { number, db in
            try jobs.enqueue(Tick(number: number), in: db)
        }
        try await rate("jobs-run-tens\(suffix)", pool, byHand, perTransaction: 10) { number, db in
            try jobs.enqueue(Tick(number: number), in: db)
        }
        try await rate("jobs-run-wide\(suffix)", pool, byHand) { number, db in
            try jobs.enqueue(Tick(number: number), .queue("wide"), in: db)
        }
        try await pool.write { try $0.execute(sql: "DELETE FROM ticked") }
        try await rate("jobs-write\(suffix)", pool, byHand) { number, db in
            try jobs.enqueue(WritingTick(number: number), in: db)
        }
        try await latency("jobs-latency\(suffix)", pool, jobs)
    }

    /// Eight tasks enqueue jobs while they run.
    private func rate(
        _ row: String, _ pool: DatabasePool, _ byHand: Double, atLeast: Int? = nil, perTransaction: Int = 1,
        enqueue: @escaping @Sendable (Int, Database) throws -> Void
    ) async throws {
        Self.done.store(0, ordering: .relaxed)
        let (start, count) = (ContinuousClock.now, count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in stride(from: task * perTransaction, to: count, by: 8 * perTransaction) {
                        try await pool.write { db in
                            for number in number..<min(number + perTransaction, count) { try enqueue(number, db) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        while Self.done.load(ordering: .relaxed) < count { try await Task.sleep(for: .milliseconds(1)) }
        let rate = Double(count) / (start.duration(to: .now) / .seconds(1))
        let limit = atLeast.map { ", \"atLeast\": \($0)" } ?? ""
        say(
            "{\"row\": \"\(row)\", \"perSecond\": \(Int(rate)), \"byHand\": \(String(format: "%.2f", rate / byHand))\(limit)}"
        )
    }

    /// From the commit of a job to its start, with nothing else to do.
    private func latency(_ row: String, _ pool: DatabasePool, _ jobs: Jobs) async throws {
        var latencies: [Double] = []
        for _ in 0..<(isSmall ? 20 : 1_000) {
            Self.starts.withLock { $0 = [] }
            try await pool.write { db in _ = try jobs.enqueue(Ping(commits: 0), in: db) }
            let commit = DispatchTime.now().uptimeNanoseconds
            while Self.starts.withLock({ $0.isEmpty }) { try await Task.sleep(for: .microseconds(100)) }
            latencies.append(Double(Self.starts.withLock { $0[0] }) / 1e6 - Double(commit) / 1e6)
            try await Task.sleep(for: .milliseconds(2))
        }
        latencies.sort()
        let (median, p99) = (latencies[latencies.count / 2], latencies[latencies.count * 99 / 100])
        say(
            String(
                format: "{\"row\": \"%@\", \"jobs\": %d, \"medianMs\": %.2f, \"p99Ms\": %.2f, \"atMost\": 20}", row,
                latencies.count, max(median, 0), max(p99, 0)))
    }

    /// Unbuffered, because some rows take minutes.
    private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// What a program does without the library: a table, a claim, and a deletion.
    private func loopByHand(_ pool: DatabasePool) async throws -> Double {
        let (start, count) = (ContinuousClock.now, count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var ended = 0
                while ended < count {
                    let task = try await pool.write { db in
                        try Row.fetchOne(
                            db,
                            sql: """
                                UPDATE task SET taken = 1 WHERE id = (SELECT id FROM task WHERE taken = 0 \
                                ORDER BY id LIMIT 1) RETURNING id, payload
                                """
                        ).map { (id: $0[0] as Int64, payload: $0[1] as String) }
                    }
                    guard let task else {
                        try await Task.sleep(for: .milliseconds(1))
                        continue
                    }
                    _ = try JSONDecoder().decode(Tick.self, from: Data(task.payload.utf8))
                    try await pool.write { try $0.execute(sql: "DELETE FROM task WHERE id = ?", arguments: [task.id]) }
                    ended += 1
                }
            }
            for task in 0..<8 {
                group.addTask {
                    for number in stride(from: task, to: count, by: 8) {
                        let payload = String(decoding: try JSONEncoder().encode(Tick(number: number)), as: UTF8.self)
                        try await pool.write { db in
                            try db.execute(sql: "INSERT INTO task (payload) VALUES (?)", arguments: [payload])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        return Double(count) / (start.duration(to: .now) / .seconds(1))
    }
}
