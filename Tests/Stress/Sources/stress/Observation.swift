// Observations start and are cancelled at any time, while threads write: each value is a committed state in commit
// order, the last state is notified, and the objects of a cancelled observation are released.

import Foundation
import Rowan

extension Part {
    static let observation = Part(
        name: "observation",
        summary: "observed values against the order of commits, observations cancelled at any time",
        weight: 1.5
    ) { run in
        for kind in Kind.allCases {
            var configuration = Configuration()
            configuration.groupsAsyncWrites = run.chance(50)
            configuration.observesOtherProcesses = run.chance(50)
            configuration.maximumReaderCount = run.number(1...4)
            configuration.busyMode = .timeout(10)
            // Observations wait longer than this timeout.
            if run.chance(30) { configuration.readerTimeout = .milliseconds(run.number(0...20)) }
            if run.chance(30) { configuration.reportLongReads(after: .milliseconds(run.number(0...5))) { _ in } }
            let writer = try kind.open(run.folder.path("\(kind).sqlite"), configuration)
            try await writer.write { try $0.execute(sql: schema) }
            run.note("\(kind): observations under writes")
            try await observeWrites(run, writer, "\(kind)")
            try writer.close()
        }
    }
}

/// Each commit adds a row to one of the tables, and increments its count.
private let schema = """
    CREATE TABLE state(number INTEGER NOT NULL);
    INSERT INTO state VALUES (0);
    CREATE TABLE plain(id INTEGER PRIMARY KEY, x);
    CREATE TABLE keyed(x PRIMARY KEY) WITHOUT ROWID;
    CREATE VIRTUAL TABLE document USING fts5(x);
    CREATE TABLE copied(x);
    CREATE TRIGGER copy AFTER INSERT ON plain WHEN new.x % 7 = 0 BEGIN INSERT INTO copied VALUES (new.x); END;
    """

/// A state of the database.
private struct Observed: Sendable, Equatable {
    var number: Int
    var rows: Int

    static func fetch(_ db: Database) throws -> Observed {
        let rows = try ["plain", "keyed", "document"].map { try db.int("SELECT COUNT(*) FROM \($0)") }.reduce(0, +)
        return Observed(number: try db.int("SELECT number FROM state"), rows: rows)
    }
}

/// An object that observations capture.
private final class Captured: Sendable {
    static let alive = Locked(0)
    init() { Self.alive.with { $0 += 1 } }
    deinit { Self.alive.with { $0 -= 1 } }
    func touch() {}
}

/// The notifications of an observation.
private final class Notified: Sendable {
    let values = Locked<[Observed]>([])
    let errors = Locked<[String]>([])
}

/// A copy of a table, kept up to date with deltas.
private final class CopiedTable: Sendable {
    struct Row: Codable, Equatable, Identifiable, FetchableRecord, Sendable {
        var id: Int
        var x: Int
    }

    private let storage = Locked<[Row]>([])
    let isEqual = Locked(true)
    var rows: [Row] { storage.current }

    @Sendable static func fetch(_ db: Database) throws -> [Row] {
        try Row.fetchAll(db, sql: "SELECT id, x FROM plain ORDER BY x % 13, id")
    }

    func start(in writer: any DatabaseWriter) -> AnyDatabaseCancellable {
        ValueObservation.tracking(Self.fetch).deltas().start(in: writer, scheduling: .task) { error in
            say("unexpected error of deltas: \(error)")
        } onChange: { delta in
            let isEqual = self.storage.with { rows in
                delta.apply(to: &rows)
                return rows == delta.elements
            }
            if !isEqual { self.isEqual.with { $0 = false } }
        }
    }
}

private func observeWrites(_ run: Run, _ writer: any DatabaseWriter, _ what: String) async throws {
    let shared = ValueObservation.tracking(Observed.fetch)
    var kept = (0..<6).map { index in start(index % 2 == 0 ? shared : .tracking(Observed.fetch), in: writer) }
    kept.append(start(shared.throttle(for: .milliseconds(run.number(0...20))), in: writer))
    kept.append(start(shared.debounce(for: .milliseconds(run.number(0...2))), in: writer))
    let copy = CopiedTable()
    let copying = copy.start(in: writer)
    let seeds = (0..<3).map { _ in run.random.next() }
    let writers = seeds.enumerated().map { index, seed in
        Task { await onThread { write(writer, base: index * 1_000_000, seed: seed) } }
    }
    let cancellations = try await cancel(run, shared, in: writer)
    run.count("cancelled observations", cancellations)
    var commits = 0
    for writer in writers { commits += await writer.value }
    run.count("commits", commits)
    for (_, notified) in kept {
        let isComplete = eventually { notified.values.current.last?.number == commits }
        let values = notified.values.current
        run.count("values", values.count)
        run.expect(isComplete, "\(what): the last value is \(String(describing: values.last)), not \(commits) commits")
        run.expect(values.map(\.number) == values.map(\.number).sorted(), "\(what): values are out of order")
        run.expect(values.allSatisfy { $0.number == $0.rows }, "\(what): a value is no committed state")
        run.expect(notified.errors.current.isEmpty, "\(what): errors \(notified.errors.current)")
    }
    let rows = try await writer.read(CopiedTable.fetch)
    run.expect(
        eventually { copy.rows == rows }, "\(what): applied deltas give \(copy.rows.count) of \(rows.count) rows")
    run.expect(copy.isEqual.current, "\(what): a delta does not give its array")
    copying.cancel()
    for (cancellable, _) in kept { cancellable.cancel() }
    run.expect(eventually { Captured.alive.current == 0 }, "\(what): \(Captured.alive.current) objects are kept")
    run.expect(try !writer.isInTransaction(), "\(what): a transaction is open")
}

private func start(
    _ observation: ValueObservation<ValueReducers.Fetch<Observed>>, in reader: any DatabaseReader
) -> (AnyDatabaseCancellable, Notified) {
    let notified = Notified()
    let captured = Captured()
    let cancellable = observation.start(in: reader, scheduling: .task) { error in
        captured.touch()
        notified.errors.with { $0.append("\(error)") }
    } onChange: { value in
        captured.touch()
        notified.values.with { $0.append(value) }
    }
    return (cancellable, notified)
}

/// Starts observations, and cancels them after a random time.
private func cancel(
    _ run: Run, _ shared: ValueObservation<ValueReducers.Fetch<Observed>>, in writer: any DatabaseWriter
) async throws -> Int {
    var count = 0
    for _ in 0..<60 {
        var started: [AnyDatabaseCancellable] = []
        for _ in 0..<run.number(1...6) {
            let captured = Captured()
            let own = ValueObservation.tracking { db in
                captured.touch()
                return try Observed.fetch(db)
            }
            started.append(start(run.chance(50) ? shared : own, in: writer).0)
        }
        let tasks = (0..<2).map { _ in
            Task {
                for try await value in shared.map(\.number).removeDuplicates().values(in: writer) where value < 0 {
                    break
                }
            }
        }
        usleep(UInt32(run.number(0...3_000)))
        for cancellable in started.shuffled(using: &run.random) { cancellable.cancel() }
        for task in tasks { task.cancel() }
        count += started.count + tasks.count
    }
    return count
}

/// Runs random transactions.
///
/// - Returns: the number of committed ones.
private func write(_ writer: any DatabaseWriter, base: Int, seed: UInt64) -> Int {
    struct Refused: Error {}
    var random = SplitMix64(seed: seed)
    var commits = 0
    for index in 0..<120 {
        let number = base + index
        let choice = Int.random(in: 0..<8, using: &random)
        do {
            try writer.write { db in
                switch choice {
                case 0: try db.execute(sql: "INSERT INTO keyed VALUES (?)", arguments: [number])
                case 1: try db.execute(sql: "INSERT INTO document VALUES (?)", arguments: ["word \(number)"])
                case 2:
                    try db.inSavepoint {
                        try db.execute(sql: "DELETE FROM plain")
                        return .rollback
                    }
                    try db.execute(sql: "INSERT INTO plain(x) VALUES (?)", arguments: [number])
                case 3:
                    try db.execute(sql: "INSERT INTO plain(x) VALUES (?)", arguments: [number])
                    throw Refused()
                case 4: try db.execute(sql: "REPLACE INTO keyed VALUES (?)", arguments: [number])
                case 5:
                    try db.execute(sql: "INSERT INTO plain(x) VALUES (?)", arguments: [number])
                    try db.execute(sql: "UPDATE plain SET x = x + 1 WHERE id % 11 = 3")
                default: try db.execute(sql: "INSERT INTO plain(x) VALUES (?)", arguments: [number])
                }
                try db.execute(sql: "UPDATE state SET number = number + 1")
            }
            commits += 1
        } catch is Refused {} catch { say("unexpected error of a write: \(error)") }
    }
    return commits
}
