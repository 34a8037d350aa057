import Dispatch
import Foundation
import InMemoryLogging
import Logging
import Rowan
import RowanJobs
import RowanJobsTestKit
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

/// Services that run jobs: several of them, stopped, or dead.
@Suite struct WorkerTests {
    /// A service that runs until the body returns.
    private func withService<D: DatabaseWriter, T>(
        _ test: JobTest<D>, on database: (any DatabaseWriter)? = nil,
        _ configure: (inout JobService.Options) -> Void = { _ in }, _ body: () async throws -> T
    ) async throws -> T {
        var options = JobService.Options()
        configure(&options)
        let service = JobService(
            test.jobs, database: database ?? test.database, options: options,
            logger: Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() })
        return try await testGracefulShutdown { trigger in
            async let run: Void = service.run()
            let result: Result<T, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            trigger.triggerGracefulShutdown()
            try await run
            return try result.get()
        }
    }

    private func pool(_ path: String, _ configure: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.observesOtherProcesses = true
        configuration.busyMode = .timeout(30)
        configure(&configuration)
        return try DatabasePool(path: path, configuration: configuration)
    }

    private func systemTest<D: DatabaseWriter>(
        _ database: D, _ configure: (inout Jobs) -> Void = { _ in }
    ) async throws -> JobTest<D> {
        var test = try await JobTest(database, configure)
        test.jobs.clock = SystemJobClock()
        return test
    }

    @Test func aServiceRunsJobsAsTheyAreCommitted() async throws {
        try await withPath { path in
            let test = try await systemTest(pool(path))
            try await withService(test) {
                for index in 1...5 {
                    try await test.enqueue(Note(text: "\(index)"))
                    try await eventually { try await test.notes.count == index }
                }
                try await test.enqueue(Note(text: "6"), .after(.milliseconds(30)))
                try await eventually { try await test.notes.count == 6 }
            }
            #expect(try await test.rows("SELECT * FROM rowan_job_worker").isEmpty)
            // A service that has stopped runs nothing.
            let id = try await test.enqueue(Note(text: "7"))
            try await Task.sleep(for: .milliseconds(20))
            #expect(try await test.state(of: id) == .ready)
            try test.database.close()
        }
    }

    @Test func anIdleServiceExecutesNoStatement() async throws {
        let statements = Shared([String]())
        let test = try await systemTest(
            DatabaseQueue(
                configuration: {
                    var configuration = Configuration()
                    configuration.observesOtherProcesses = true
                    configuration.prepareDatabase { db in
                        db.trace { event in statements.change { $0.append("\(event)") } }
                    }
                    return configuration
                }())
        ) { $0.schedule("later", .every(.seconds(3_600))) { Note(text: "later") } }
        try await withService(test, { $0.heartbeat = .milliseconds(20) }) {
            try await test.enqueue(Note(text: "1"))
            try await eventually { try await test.notes.count == 1 }
            try await eventually { try await test.rows("SELECT * FROM rowan_job_worker").isEmpty }
            try await comesToRest { statements.value.count }
        }
    }

    /// Expects half a second in which nothing is counted, once what has begun has ended.
    private func comesToRest(
        sourceLocation: SourceLocation = #_sourceLocation, _ count: () -> Int
    ) async throws {
        try await eventually(sourceLocation: sourceLocation) {
            let before = count()
            try await Task.sleep(for: .milliseconds(500))
            return count() == before
        }
    }

    /// Another version of the program has changed a schedule, which is overdue: a worker leaves it alone, at rest.
    @Test func aForeignScheduleKeepsNoWorkerBusy() async throws {
        let statements = Shared(0)
        var configuration = Configuration()
        configuration.observesOtherProcesses = true
        configuration.prepareDatabase { db in db.trace { _ in statements.change { $0 += 1 } } }
        let test = try await systemTest(DatabaseQueue(configuration: configuration)) {
            $0.schedule("changed", .every(.seconds(3_600))) { Note(text: "x") }
        }
        try await withService(test, { $0.heartbeat = .seconds(3_600) }) {
            try await eventually { try await test.rows("SELECT * FROM rowan_job_schedule").count == 1 }
            try await test.database.write {
                try $0.execute(sql: "UPDATE rowan_job_schedule SET definition = 'another', next = 0")
            }
            try await test.enqueue(Note(text: "wakes"))
            try await eventually { try await test.notes == ["wakes"] }
            try await comesToRest { statements.value }
        }
        #expect(try await test.notes == ["wakes"])
    }

    @Test func jobsOfOtherConnectionsAreNoticed() async throws {
        try await withPath { path in
            let test = try await systemTest(pool(path))
            let other = try pool(path)
            try await withService(test) {
                try await test.enqueue(Note(text: "1"))
                try await eventually { try await test.notes.count == 1 }
                try await other.write { db in _ = try test.jobs.enqueue(Note(text: "2"), in: db) }
                try await eventually { try await test.notes.count == 2 }
            }
        }
    }

    @Test func severalServicesShareTheJobs() async throws {
        try await withPath { path in
            let workers = Shared(Set<String>())
            let test = try await systemTest(pool(path) { $0.label = "first" }) { jobs in
                jobs.register(Work.self) { work, context in
                    workers.change { $0.insert(context.database.configuration.label!) }
                    // None of them runs all jobs before the other has begun.
                    await eventually { workers.value.count == 2 }
                    try await context.write { db in
                        try db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [work.text])
                    }
                }
            }
            let other = try pool(path) { $0.label = "second" }
            try await test.database.write { db in
                for index in 0..<100 { try test.jobs.enqueue(Work(text: "\(index)"), in: db) }
            }
            try await withService(test) {
                try await withService(test, on: other) {
                    try await eventually { try await test.notes.count == 100 }
                }
            }
            #expect(Set(try await test.notes).count == 100)
            #expect(workers.value == ["first", "second"])
            #expect(try await test.rows("SELECT * FROM rowan_job").isEmpty)
        }
    }

    @Test func aGracefulShutdownWaitsForJobs() async throws {
        let gate = Gate()
        let test = try await systemTest(DatabaseQueue()) {
            $0.register(Work.self) { work, context in
                try await gate.pass()
                try await context.write { try $0.execute(sql: "INSERT INTO note VALUES ('done')") }
            }
        }
        try await test.enqueue(Work())
        try await withService(test) {
            await eventually { gate.count == 1 }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { gate.open() }
        }
        #expect(try await test.notes == ["done"])
        #expect(try await test.rows("SELECT * FROM rowan_job").isEmpty)
    }

    @Test func aShutdownReleasesJobsThatTakeTooLong() async throws {
        let gate = Gate()
        let test = try await systemTest(DatabaseQueue()) { $0.register(Work.self) { _, _ in try await gate.pass() } }
        try await test.enqueue(Work())
        try await withService(test, { $0.shutdownTimeout = .milliseconds(20) }) {
            await eventually { gate.count == 1 }
        }
        // The attempt doesn't count.
        #expect(try await test.rows("SELECT state, attempt, worker, lease FROM rowan_job") == ["2|0|NULL|NULL"])
        #expect(try await test.rows("SELECT * FROM rowan_job_worker").isEmpty)
    }

    @Test func aShutdownGivesUpJobsThatIgnoreIt() async throws {
        let (isReleased, result) = (Shared(false), Shared<String?>(nil))
        let test = try await systemTest(DatabaseQueue()) {
            $0.register(Work.self) { _, context in
                while !isReleased.value { await Task.yield() }
                do {
                    try await context.write { try $0.execute(sql: "INSERT INTO note VALUES ('late')") }
                    result.change { $0 = "written" }
                } catch { result.change { $0 = "\(error)" } }
            }
        }
        let id = try await test.enqueue(Work())
        try await withService(test, { $0.shutdownTimeout = .milliseconds(20) }) {
            try await eventually { try await test.state(of: id) == .running }
        }
        #expect(try await test.rows("SELECT state, attempt FROM rowan_job") == ["2|0"])
        isReleased.change { $0 = true }
        await eventually { result.value != nil }
        // Its task was cancelled, and its write would be refused.
        #expect(result.value != "written")
        #expect(try await test.notes.isEmpty)
    }

    @Test func aCancelledServiceReleasesItsJobs() async throws {
        let gate = Gate()
        let test = try await systemTest(DatabaseQueue()) { $0.register(Work.self) { _, _ in try await gate.pass() } }
        try await test.enqueue(Work())
        let service = JobService(
            test.jobs, database: test.database, logger: Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() })
        let task = Task { try await service.run() }
        await eventually { gate.count == 1 }
        task.cancel()
        try await task.value
        #expect(try await test.rows("SELECT state, attempt FROM rowan_job") == ["2|0"])
    }

    @Test func aServiceOfAClosedDatabaseThrows() async throws {
        let test = try await systemTest(DatabaseQueue())
        let service = JobService(
            test.jobs, database: test.database, logger: Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() })
        let task = Task { try await service.run() }
        try await test.enqueue(Note(text: "1"))
        try await eventually { try await test.notes.count == 1 }
        try await test.enqueue(Note(text: "2"), .after(.milliseconds(50)))
        try test.database.close()
        let error = await #expect(throws: DatabaseError.self) { try await task.value }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }

    @Test func aRunningJobIsCancelled() async throws {
        let gate = Gate()
        let test = try await systemTest(DatabaseQueue()) { $0.register(Work.self) { _, _ in try await gate.pass() } }
        let id = try await test.enqueue(Work())
        try await withService(test) {
            await eventually { gate.count == 1 }
            #expect(try await test.database.write { try test.jobs.cancel(id, in: $0) })
            try await eventually { try await test.state(of: id) == .cancelled }
        }
    }

    // MARK: Dead workers

    /// A worker that has claimed jobs and was killed.
    private func kill(_ test: JobTest<DatabaseQueue>, claiming count: Int = 1, attempt: Int = 1) async throws {
        try await test.database.write { db in
            try db.execute(sql: "INSERT INTO rowan_job_worker (id, name, beat) VALUES (99, 'killed', 5)")
            try db.execute(
                sql: """
                    UPDATE rowan_job SET state = 3, worker = 99, lease = 1234, attempt = ? WHERE id IN \
                    (SELECT id FROM rowan_job WHERE state = 2 LIMIT ?)
                    """, arguments: [attempt, count])
        }
    }

    private func withFastService<T>(_ test: JobTest<DatabaseQueue>, _ body: () async throws -> T) async throws -> T {
        try await withService(
            test,
            {
                $0.heartbeat = .milliseconds(20)
                $0.lease = .milliseconds(100)
            }, body)
    }

    @Test func theJobsOfAKilledWorkerRunAgain() async throws {
        let attempts = Shared([Int]())
        let test = try await systemTest(DatabaseQueue()) {
            $0.register(Work.self) { _, context in attempts.change { $0.append(context.attempt) } }
        }
        let id = try await test.enqueue(Work())
        try await kill(test)
        try await withFastService(test) {
            try await eventually { try await test.state(of: id) == nil }
        }
        #expect(attempts.value == [2])
        #expect(try await test.rows("SELECT * FROM rowan_job_worker").isEmpty)
    }

    @Test func aJobThatKillsItsWorkersFails() async throws {
        let test = try await systemTest(DatabaseQueue()) { $0.register(Work.self) { _, _ in } }
        let id = try await test.enqueue(Work())
        try await kill(test, attempt: 3)
        try await withFastService(test) {
            try await eventually { try await test.state(of: id) == .failed }
        }
        let failed = try await test.database.read { try test.jobs.failed(in: $0) }
        #expect(failed.map(\.error) == ["the worker has stopped responding"])
    }

    @Test func aWorkerThatBeatsKeepsItsJobs() async throws {
        let test = try await systemTest(DatabaseQueue()) { $0.register(Work.self) { _, _ in } }
        let id = try await test.enqueue(Work())
        try await kill(test)
        try await withFastService(test) {
            for _ in 0..<30 {
                try await test.database.write { try $0.execute(sql: "UPDATE rowan_job_worker SET beat = beat + 1") }
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try await test.state(of: id) == .running)
        }
    }

    /// A worker that was frozen finds its jobs with others: what it then writes is refused.
    @Test func aFrozenWorkerWritesNothing() async throws {
        let gate = Gate()
        let error = Shared<(any Error)?>(nil)
        let test = try await systemTest(DatabaseQueue()) {
            $0.register(Work.self) { _, context in
                for await _ in AsyncStream<Void>(unfolding: {
                    try? await gate.pass(); return nil
                }) {}
                do { try await context.write { try $0.execute(sql: "INSERT INTO note VALUES ('x')") } } catch let
                    failure
                {
                    error.change { $0 = failure }
                    throw failure
                }
            }
        }
        try await test.enqueue(Work())
        try await withService(test) {
            await eventually { gate.count == 1 }
            // Another worker has taken the job, and completed it.
            try await test.database.write { try $0.execute(sql: "DELETE FROM rowan_job") }
            gate.open()
            await eventually { error.value != nil }
        }
        let lost = try #require(error.value as? JobError)
        #expect(lost.code == .lost)
        #expect(lost.message == "job 1 is completed, or was given to another worker: nothing has been written")
        #expect(try await test.notes.isEmpty)
    }

    /// A worker that others have ended registers again before it claims jobs.
    @Test func aWorkerThatOthersHaveEndedClaimsAsANewOne() async throws {
        // The cancellation of a job also opens its gate.
        let (firstGate, gate) = (Gate(), Gate())
        let cancelled = Shared(false)
        let test = try await systemTest(DatabaseQueue()) {
            $0.register(Work.self) { work, _ in
                do { try await (work.text == "first" ? firstGate : gate).pass() } catch {
                    cancelled.change { $0 = work.text == "first" }
                    throw error
                }
            }
        }
        try await test.enqueue(Work(text: "first"))
        try await withService(test) {
            await eventually { firstGate.count == 1 }
            try await test.database.write { db in
                try db.execute(sql: "DELETE FROM rowan_job_worker; DELETE FROM rowan_job")
                _ = try test.jobs.enqueue(Work(text: "second"), in: db)
            }
            await eventually { gate.count == 1 }
            let rows = try await test.rows(
                "SELECT j.state, w.id FROM rowan_job j LEFT JOIN rowan_job_worker w ON w.id = j.worker")
            #expect(rows == ["3|2"])
            await eventually { cancelled.value }
            gate.open()
        }
        #expect(try await test.rows("SELECT * FROM rowan_job").isEmpty)
        #expect(try await test.rows("SELECT * FROM rowan_job_worker").isEmpty)
    }

    /// A claim whose commit was not reported is released by the next heartbeat.
    @Test func claimsThatNobodyRunsAreReleased() async throws {
        let gate = Gate()
        let test = try await systemTest(DatabaseQueue()) {
            $0.register(Work.self) { work, _ in if work.text == "slow" { try await gate.pass() } }
        }
        try await test.enqueue(Work(text: "slow"))
        try await withService(test, { $0.heartbeat = .milliseconds(20) }) {
            await eventually { gate.count == 1 }
            let id = try await test.database.write { db in
                let id = try test.jobs.enqueue(Work(text: "fast"), .after(.seconds(1_000)), in: db)
                try db.execute(
                    sql:
                        "UPDATE rowan_job SET state = 3, lease = 77, worker = (SELECT id FROM rowan_job_worker) WHERE id = ?",
                    arguments: [id.rawValue])
                return id
            }
            try await eventually { try await test.state(of: id) == nil }
            gate.open()
        }
    }
}
