// Opening and closing a server's database.

import Foundation
import InMemoryLogging
import Logging
import Rowan
import RowanLifecycle
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DatabaseServiceTests {
    private let handler: InMemoryLogHandler
    private let logger: Logger

    init() {
        var handler = InMemoryLogHandler()
        handler.logLevel = .trace
        self.handler = handler
        logger = Logger(label: "test") { [handler] _ in handler }
    }

    private var messages: [String] { handler.entries.map { "\($0.message)" } }

    /// Runs the service until a graceful shutdown, which starts when the body has finished.
    private func run(_ service: DatabaseService, _ body: @escaping @Sendable () async throws -> Void = {}) async throws
    {
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                try await body()
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
    }

    private func expectClosed(_ pool: DatabasePool) async {
        let error = await #expect(throws: DatabaseError.self) { try await pool.read { _ in } }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }

    @Test("Opens, migrates, and closes with an empty log")
    func life() async throws {
        try await withPool { other in
            let path = other.path + ".service"
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE t(x)") }
            let steps = Elements<String>()
            let service = try await DatabaseService.open(path: path, migrator: migrator, logger: logger) { path in
                steps.append("before opening")
                #expect(!FileManager.default.fileExists(atPath: path))
            } beforeClosing: { pool in
                steps.append("before closing")
                let size = try? FileManager.default.attributesOfItem(atPath: pool.path + "-wal")[.size] as? Int
                #expect(size == 0)
            }
            #expect(messages == ["the database is ready"])
            try await run(service) { try await service.pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
            #expect(steps.elements == ["before opening", "before closing"])
            #expect(messages.last == "the database is closed")
            await expectClosed(service.pool)
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            let value = try await DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT x FROM t") }
            #expect(value == 1)
        }
    }

    @Test("Errors during opening leave nothing open")
    func openingErrors() async throws {
        struct Refusal: Error {}
        try await withPool { other in
            let path = other.path + ".service"
            await #expect(throws: Refusal.self) {
                _ = try await DatabaseService.open(path: path, logger: logger, beforeOpening: { _ in throw Refusal() })
            }
            #expect(!FileManager.default.fileExists(atPath: path))
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE") }
            await #expect(throws: DatabaseError.self) {
                _ = try await DatabaseService.open(path: path, migrator: migrator, logger: logger)
            }
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        }
    }

    @Test("Ends the observations and waits for running accesses")
    func draining() async throws {
        try await withPool { pool in
            let service = DatabaseService(pool, logger: logger)
            let (values, steps) = (Elements<[String]>(), Elements<String>())
            let loop = Task {
                for try await names in ValueObservation.tracking({ try $0.names() }).values(in: pool) {
                    values.append(names)
                }
            }
            await eventually { values.elements == [["Arthur", "Barbara"]] }
            let mayEnd = DispatchSemaphore(value: 0)
            let (hasBegun, begin) = AsyncStream.makeStream(of: Void.self)
            let write = Task.detached {
                try await pool.write { db in
                    try db.execute(sql: "DELETE FROM player")
                    begin.finish()
                    mayEnd.wait()
                    steps.append("the write finishes")
                }
            }
            for await _ in hasBegun {}
            async let closing: Void = run(service)
            await eventually { messages.contains("the database is closing") }
            // Time for closing in spite of the write.
            try await Task.sleep(for: .milliseconds(50))
            #expect(!messages.contains("the database is closed"))
            mayEnd.signal()
            try await closing
            steps.append("the service finishes")
            try await write.value
            try await loop.value
            #expect(steps.elements == ["the write finishes", "the service finishes"])
            // The deletion may be notified before the observation ends.
            #expect([[["Arthur", "Barbara"]], [["Arthur", "Barbara"], []]].contains(values.elements))
            await expectClosed(pool)
            let names = try await DatabaseQueue(path: pool.path).read { try $0.names() }
            #expect(names == [])
        }
    }

    @Test("Interrupts and reports accesses that take too long")
    func interruption() async throws {
        try await withPool(nil, { $0.readerTimeout = .seconds(60) }) { pool in
            var options = DatabaseService.Options()
            options.shutdownTimeout = .milliseconds(50)
            let service = DatabaseService(pool, logger: logger, options: options)
            let (hasBegun, begin) = AsyncStream.makeStream(of: Void.self)
            let read = Task.detached {
                try await pool.atCallSite(fileID: "App/Report.swift", line: 9).read { db in
                    begin.finish()
                    let endless =
                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
                    _ = try Int.fetchOne(db, sql: endless)
                }
            }
            for await _ in hasBegun {}
            try await run(service)
            let error = await #expect(throws: DatabaseError.self) { try await read.value }
            #expect(error?.resultCode == .SQLITE_INTERRUPT)
            let entry = try #require(handler.entries.first { $0.level == .error })
            #expect("\(entry.message)" == "accesses are still running after 0.05 seconds, and are interrupted")
            let accesses = "\(entry.metadata["accesses"] ?? "")"
            #expect(accesses.contains("read at App/Report.swift:9 for "))
            #expect(accesses.contains("last statement: WITH RECURSIVE"))
            await expectClosed(pool)
        }
    }

    @Test("Gives up on an access that can't be interrupted, and reports it")
    func givingUp() async throws {
        try await withPool { pool in
            var options = DatabaseService.Options()
            options.shutdownTimeout = .milliseconds(20)
            let service = DatabaseService(pool, logger: logger, options: options)
            let mayEnd = DispatchSemaphore(value: 0)
            let (hasBegun, begin) = AsyncStream.makeStream(of: Void.self)
            Thread.detachNewThread {
                try? pool.atCallSite(fileID: "App/Stuck.swift", line: 3).read { _ in
                    begin.finish()
                    mayEnd.wait()
                }
            }
            for await _ in hasBegun {}
            let error = await #expect(throws: DatabaseServiceError.self) { try await run(service) }
            #expect(error?.accesses.count == 1)
            #expect("\(error as Any)".contains("read at App/Stuck.swift:3 for "))
            mayEnd.signal()
        }
    }

    @Test("A cancelled service closes its database, and a failed step throws after closing")
    func otherEnds() async throws {
        struct Refusal: Error {}
        try await withPool { pool in
            let service = DatabaseService(pool, logger: logger) { _ in throw Refusal() }
            let task = Task { try await service.run() }
            task.cancel()
            await #expect(throws: Refusal.self) { try await task.value }
            await expectClosed(pool)
            // The program may have closed the database itself.
            try await run(DatabaseService(pool, logger: logger))
        }
    }

    @Test("Steps before closing have a time limit, and so do accesses that begin late")
    func limits() async throws {
        try await withPool { pool in
            var options = DatabaseService.Options()
            options.shutdownTimeout = .milliseconds(50)
            let (late, begin) = AsyncStream.makeStream(of: Void.self)
            let service = DatabaseService(pool, logger: logger, options: options) { pool in
                Task.detached {
                    try await pool.read { db in
                        begin.finish()
                        let endless =
                            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
                        _ = try Int.fetchOne(db, sql: endless)
                    }
                }
                for await _ in late {}
                // It ignores its cancellation.
                while true { await Task.detached { try? await Task.sleep(for: .milliseconds(5)) }.value }
            }
            await #expect(throws: CancellationError.self) { try await run(service) }
            await expectClosed(pool)
            #expect(
                messages.contains(
                    "the database closes, although what should precede it has not ended after 0.05 seconds"))
            #expect(messages.contains("accesses are still running after 0.05 seconds, and are interrupted"))
        }
    }

    @Test("A loop that restarts its observation finishes")
    func restartedObservation() async throws {
        try await withPool { pool in
            let values = Elements<[String]>()
            let loop = Task {
                while true {
                    do {
                        for try await names in ValueObservation.tracking({ try $0.names() }).values(in: pool) {
                            values.append(names)
                        }
                    } catch {
                        return error
                    }
                }
            }
            await eventually { !values.elements.isEmpty }
            try await run(DatabaseService(pool, logger: logger))
            let error = await loop.value
            #expect((error as? DatabaseError)?.resultCode == .SQLITE_MISUSE, "\(error)")
            #expect(values.elements.allSatisfy { $0 == ["Arthur", "Barbara"] })
        }
    }

    @Test("PRAGMA optimize runs at its interval and at the end")
    func optimize() async throws {
        let statements = Elements<String>()
        try await withPool(nil, { $0.prepareDatabase { $0.trace { statements.append("\($0)") } } }) { pool in
            var options = DatabaseService.Options()
            try await run(DatabaseService(pool, logger: logger, options: options))
            #expect(!statements.elements.contains("PRAGMA optimize"))
            let second = try DatabasePool(path: pool.path, configuration: pool.configuration)
            options.optimizeInterval = .milliseconds(20)
            try await run(DatabaseService(second, logger: logger, options: options)) {
                await eventually { statements.elements.filter { $0 == "PRAGMA optimize" }.count >= 2 }
            }
            let last = statements.elements.lastIndex(of: "PRAGMA optimize") ?? 0
            #expect(statements.elements[last...].count <= 6)
        }
    }
}
