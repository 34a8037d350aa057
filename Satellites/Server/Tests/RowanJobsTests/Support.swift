// Jobs of the tests, and a database for them.

import Foundation
import Logging
import Rowan
import RowanJobs
import RowanJobsTestKit
import Synchronization
import Testing

/// Writes a line, with its completion.
struct Note: Job, Equatable {
    var text: String
    func run(_ context: JobContext) async throws {
        try await context.write { db in try db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text]) }
    }
}

/// Runs what a test says.
struct Work: JobPayload {
    static let settings = JobSettings(retry: JobRetry(attempts: 3, firstDelay: .seconds(10), jitter: 0))
    var text = ""
    var concurrencyKey: String?
}

struct TestError: Error, CustomStringConvertible { var description = "it does not work" }

/// A database with the tables of jobs and a table `note`, and jobs with a clock that stands still.
struct JobTest<Database: DatabaseWriter> {
    let database: Database
    let clock = ManualJobClock()
    var jobs = Jobs()

    init(_ database: Database, _ configure: (inout Jobs) -> Void = { _ in }) async throws {
        self.database = database
        jobs.clock = clock
        configure(&jobs)
        jobs.register(Note.self)
        try await database.write { db in
            try Jobs.createTables(db)
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS note (text TEXT)")
        }
    }

    @discardableResult
    func enqueue(_ job: some JobPayload, _ options: EnqueueOption...) async throws -> JobID {
        try await enqueue(job, options)
    }

    @discardableResult
    func enqueue(_ job: some JobPayload, _ options: [EnqueueOption]) async throws -> JobID {
        try await database.write { [jobs] db in
            // A list of options can't be passed to a variadic parameter.
            switch options.count {
            case 0: try jobs.enqueue(job, in: db)
            case 1: try jobs.enqueue(job, options[0], in: db)
            default: try jobs.enqueue(job, options[0], options[1], in: db)
            }
        }
    }

    @discardableResult
    func runAll() async throws -> JobRunReport { try await jobs.runAll(on: database) }

    var notes: [String] {
        get async throws {
            try await database.read { try String.fetchAll($0, sql: "SELECT text FROM note ORDER BY rowid") }
        }
    }

    func state(of id: JobID) async throws -> JobState? {
        try await database.read { [jobs] db in try jobs.status(of: id, in: db)?.state }
    }

    /// The rows of a query, with bars between the values.
    func rows(_ sql: String) async throws -> [String] {
        try await database.read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { "\($0)" }.joined(separator: "|")
            }
        }
    }
}

extension JobTest where Database == DatabaseQueue {
    init(_ configure: (inout Jobs) -> Void = { _ in }) async throws { try await self.init(DatabaseQueue(), configure) }
}

/// Runs the body with the path of a database that does not exist.
func withPath<T>(_ body: (String) async throws -> T) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rowan-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.appendingPathComponent("db.sqlite").path)
}

/// Waits for a condition, for at most a minute.
func eventually(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool) async rethrows
{
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("it has not happened in a minute", sourceLocation: sourceLocation)
            return
        }
        try? await Task.sleep(for: .milliseconds(2))
    }
}

/// A value that threads share.
final class Shared<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>
    init(_ value: Value) { storage = Mutex(value) }
    var value: Value { storage.withLock { $0 } }
    func change(_ body: (inout sending Value) -> Void) { storage.withLock { body(&$0) } }
}

/// A gate that jobs wait at until a test opens it.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let arrived = Shared(0)

    init() { (stream, continuation) = AsyncStream.makeStream() }

    var count: Int { arrived.value }
    func open() { continuation.finish() }
    func pass() async throws {
        arrived.change { $0 += 1 }
        for await _ in stream {}
        try Task.checkCancellation()
    }
}
