// The process whose tasks make accesses: see BlockedTasks.swift.

import Foundation
import Rowan

/// Tasks that access four databases.
final class Crossing: Sendable {
    static let tasks = 32
    let folder: String
    let width: Int
    let seed: UInt64
    /// The number of steps of all tasks.
    let steps: Int
    let seconds: Double
    private let tally = Locked(Tally())

    private struct Tally {
        var steps = 0
        var counts: [String: Int] = [:]
        /// The current step of each task.
        var current = Array(repeating: "", count: Crossing.tasks)
        /// The number of tasks inside a blocking call.
        var blocked = 0
        var problems = 0
    }

    init(folder: String, width: Int, seed: UInt64, steps: Int, seconds: Double) {
        (self.folder, self.width, self.seed) = (folder, width, seed)
        (self.steps, self.seconds) = (steps, seconds)
    }

    convenience init(arguments: [String]) {
        self.init(
            folder: arguments[0], width: Int(arguments[1])!, seed: UInt64(arguments[2])!, steps: Int(arguments[3])!,
            seconds: Double(arguments[4])!)
    }

    var arguments: [String] { [folder, "\(width)", "\(seed)", "\(steps)", "\(seconds)"] }

    // MARK: Reports

    func fail(_ problem: String) {
        let isShown = tally.with { tally in
            tally.problems += 1
            return tally.problems <= 20
        }
        if isShown { say("problem \(problem)") }
    }

    func count(_ name: String) { tally.with { $0.counts[name, default: 0] += 1 } }

    func begin(_ task: Int, _ what: String) { tally.with { $0.current[task] = what } }

    func endStep(of task: Int) {
        tally.with { tally in
            tally.current[task] = ""
            tally.steps += 1
        }
    }

    /// Runs a closure that blocks the thread of a task.
    func blocking<T>(_ body: () throws -> T) rethrows -> T {
        let blocked = tally.with { tally in
            tally.blocked += 1
            if tally.blocked == width { tally.counts["times that all threads were blocked", default: 0] += 1 }
            return tally.blocked
        }
        if blocked > width { fail("\(blocked) tasks block threads at the same time") }
        defer { tally.with { $0.blocked -= 1 } }
        return try body()
    }

    /// Prints the number of steps whenever it has increased, on a thread outside the pool.
    private func reportProgress() {
        Thread.detachNewThread { [self] in
            var (steps, since) = (0, Date())
            while true {
                usleep(200_000)
                let tally = tally.current
                if tally.steps != steps {
                    (steps, since) = (tally.steps, Date())
                    say("steps \(steps)")
                } else if Date().timeIntervalSince(since) > 10 {
                    since = .distantFuture
                    let current = tally.current.enumerated().filter { $1 != "" }.map { "\($0): \($1)" }
                    say("stuck \(tally.blocked) tasks block threads; \(current.joined(separator: ", "))")
                }
            }
        }
    }

    // MARK: Running

    func run() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var random = SplitMix64(seed: seed)
        reportProgress()
        let readers = Int.random(in: 1...3, using: &random)
        let databases = try CrossedDatabase.all(folder, readers: readers)
        // Each priority has its own threads. The timer of timeouts has the priority of these tasks.
        await detached(.high) {
            await self.measureWidth()
            await self.expireReads()
        }
        // The default priority of jobs.
        await detached(.medium) {
            await self.measureWidth()
            await self.cross(databases)
        }
        let tally = tally.current
        say("steps \(tally.steps)")
        if tally.counts["times that all threads were blocked"] == nil {
            say("problem the \(width) threads were never blocked at the same time")
        }
        for (name, count) in tally.counts { say("count \(count) \(name)") }
        say("end")
    }

    /// Runs a closure in a task whose priority isn't escalated, because no task awaits it.
    private func detached(_ priority: TaskPriority, _ body: @escaping @Sendable () async -> Void) async {
        await withCheckedContinuation { continuation in
            Task.detached(priority: priority) {
                await body()
                continuation.resume()
            }
        }
    }

    private func cross(_ databases: [CrossedDatabase]) async {
        let deadline = Date(timeIntervalSinceNow: seconds)
        let walkers = await withTaskGroup(of: CrossingWalker.self) { group in
            for number in 0..<Self.tasks {
                // The first tasks run one step more if the number of steps isn't divisible.
                let share = steps / Self.tasks + (number < steps % Self.tasks ? 1 : 0)
                group.addTask {
                    var walker = CrossingWalker(crossing: self, databases: databases, number: number)
                    var step = 0
                    while step < share, Date() < deadline {
                        await walker.walk(step)
                        step += 1
                    }
                    return walker
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for (index, database) in databases.enumerated() {
            do {
                try await database.check(Set(walkers.flatMap { $0.acknowledged[index] }))
            } catch {
                fail("\(database.name): \(error)")
            }
        }
    }

    /// Counts the tasks that block threads simultaneously.
    private func measureWidth() async {
        let running = Locked((now: 0, most: 0))
        let end = Date(timeIntervalSinceNow: 5)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 * width + 1 {
                group.addTask {
                    running.with { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    while running.current.most < self.width, Date() < end { usleep(500) }
                    // Enough time for another task to start.
                    usleep(20_000)
                    running.with { $0.now -= 1 }
                }
            }
        }
        let most = running.current.most
        say("count 1 proofs that the pool has \(most) threads")
        if most != width { fail("the cooperative pool runs \(most) tasks that block, instead of \(width)") }
    }

    /// Reads that wait for the only reader, and block all threads, time out.
    private func expireReads() async {
        do {
            var configuration = Configuration()
            configuration.maximumReaderCount = 1
            configuration.readerTimeout = .milliseconds(5)
            let pool = try DatabasePool(path: folder + "/timeouts.sqlite", configuration: configuration)
            let (isHeld, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                do {
                    try pool.read { _ in
                        isHeld.signal()
                        mayEnd.wait()
                    }
                } catch {
                    self.fail("the read that holds the reader: \(error)")
                }
            }
            await onThread { isHeld.wait() }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<2 * width {
                    group.addTask {
                        self.begin(number, "a read with a timeout")
                        self.readInVain(pool)
                        self.begin(number, "")
                    }
                }
            }
            mayEnd.signal()
        } catch {
            fail("reads with a timeout: \(error)")
        }
    }

    private func readInVain(_ pool: DatabasePool) {
        do {
            try blocking { try pool.read { _ in } }
            fail("a read has no reader, and returns")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            count("reads that time out")
        } catch {
            fail("a read without reader throws \(error)")
        }
    }
}

/// A database written by tasks: a row for each write, and the number of rows.
struct CrossedDatabase: Sendable {
    let name: String
    let writer: any DatabaseWriter

    static func all(_ folder: String, readers: Int) throws -> [CrossedDatabase] {
        try [Kind.queue, .pool].flatMap { kind in
            try [false, true].map { isGrouped in
                var configuration = Configuration()
                configuration.maximumReaderCount = readers
                configuration.groupsAsyncWrites = isGrouped
                // In WAL mode, a reader that coincides with a commit briefly locks out the writer: SQLite rereads the
                // header of the index while holding the writer's lock.
                if kind == .pool { configuration.busyMode = .timeout(20) }
                // The disk is not tested.
                configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
                let name = "\(kind)\(isGrouped ? "-grouped" : "")"
                let writer = try kind.open("\(folder)/\(name).sqlite", configuration)
                try writer.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE t(id INTEGER PRIMARY KEY, task INTEGER, step INTEGER);
                            CREATE TABLE total(n INTEGER);
                            INSERT INTO total VALUES (0);
                            CREATE TRIGGER count AFTER INSERT ON t BEGIN UPDATE total SET n = n + 1; END;
                            """)
                }
                return CrossedDatabase(name: name, writer: writer)
            }
        }
    }

    /// Checks that the rows are those of the acknowledged writes, and closes the database.
    func check(_ acknowledged: Set<CrossingStep>) async throws {
        let (rows, count, integrity) = try await writer.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT task, step FROM t")
                .map { CrossingStep(task: $0[0], number: $0[1]) }
            return (Set(rows), rows.count, try db.text("PRAGMA integrity_check"))
        }
        guard count == rows.count else { throw CrossingProblem("\(count - rows.count) rows are there twice") }
        let (lost, unexpected) = (acknowledged.subtracting(rows), rows.subtracting(acknowledged))
        guard lost.isEmpty else { throw CrossingProblem("\(lost.count) writes have returned, and are lost: \(lost)") }
        guard unexpected.isEmpty else {
            throw CrossingProblem("\(unexpected.count) writes have failed, and are stored: \(unexpected)")
        }
        guard integrity == "ok" else { throw CrossingProblem("integrity_check: \(integrity)") }
        try close()
    }

    private func close() throws { try writer.close() }
}

struct CrossingStep: Hashable, Sendable {
    let task: Int
    let number: Int
}

struct CrossingProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
