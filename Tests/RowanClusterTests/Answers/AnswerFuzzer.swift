// Accesses to a hostile node, in all states of a connection: opening, the search for the leader, the schema, BEGIN,
// statements, unread rows, savepoints, COMMIT, tickets, the status and dumps.

import Foundation
import Rowan
@_spi(Node) import RowanCluster

/// Runs accesses until a hostile node has given many hostile answers.
///
/// The node answers in the memory of this process, so that there is no network, and no wait for it.
final class AnswerFuzzer {
    private var random: SeededRandom
    private var node: HostileNode
    private var cluster: DatabaseCluster?
    private var tickets: [TransactionTicket] = []
    private let folder: URL

    /// The number of hostile answers of earlier nodes.
    private var earlierCount = 0
    /// The number of hostile answers.
    var hostileCount: Int { earlierCount + node.hostileCount }
    /// The number of accesses, by their name and their outcome.
    private(set) var counts: [String: Int] = [:]
    /// What must not happen.
    private(set) var failures: [String] = []

    /// The accesses that have not both succeeded and failed.
    var untested: [String] {
        Access.allCases.map(\.rawValue).filter { name in
            counts["\(name) succeeds"] == nil || counts["\(name) fails"] == nil
        }
    }

    /// - Parameters:
    ///   - seed: determines the answers and the accesses.
    ///   - folder: for copies of databases.
    init(seed: UInt64, folder: URL) {
        let random = SeededRandom(seed: seed)
        self.random = random
        self.folder = folder
        node = HostileNode(random, allowsSilence: false)
    }

    /// Runs one access, or opens the next client.
    ///
    /// - Parameter willRun: called with the name of the access, for the report of a crash.
    func step(_ willRun: (String) -> Void = { _ in }) {
        guard let cluster, Int.random(in: 0..<40, using: &random) > 0 else {
            willRun("opening")
            return open()
        }
        let access = Access.allCases.randomElement(using: &random)!
        willRun(access.rawValue)
        node.accessWillBegin()
        run(access.rawValue) { try self.run(access, cluster) }
    }

    private func run(_ name: String, _ body: () throws -> Void) {
        let start = ContinuousClock.now
        do {
            try body()
            counts["\(name) succeeds", default: 0] += 1
        } catch {
            counts["\(name) fails", default: 0] += 1
            let isDocumented = error is DatabaseError || error is UnknownOutcomeError
            if !isDocumented { failures.append("\(name) throws \(type(of: error)): \(error)") }
        }
        if let offence = node.offence { failures.append("\(name): \(offence)") }
        // Nothing in here waits: this is far more than a loaded machine needs.
        let duration = ContinuousClock.now - start
        if duration > .seconds(300) { failures.append("\(name) takes \(duration)") }
    }

    private func open() {
        earlierCount += node.hostileCount
        let allowsSilence = Bool.random(using: &random)
        let node = HostileNode(SeededRandom(seed: random.next()), allowsSilence: allowsSilence)
        self.node = node
        var options = ClusterOptions()
        options.localPeers = { node.peer($0.description) }
        options.spinDuration = .zero
        // A peer in memory has answered when the client looks for the answer.
        options.connectTimeout = .zero
        options.requestTimeout = allowsSilence ? .milliseconds(1) : .seconds(20)
        // Some clients try again for a moment, with pauses.
        options.failoverTimeout = Int.random(in: 0..<50, using: &random) == 0 ? .milliseconds(20) : .zero
        options.consistency = Int.random(in: 0..<4, using: &random) == 0 ? .confirmed : .leader
        node.accessWillBegin()
        // Half of the clients open without hostility, so that they get further.
        if Bool.random(using: &random) { node.rarity = 1_000 }
        cluster = nil
        tickets = []
        run("opening") {
            let opened = try DatabaseCluster(
                addresses: ["127.0.0.1:9001"], database: "app", configuration: Configuration(), options: options)
            node.interrupt = { [weak opened] in opened?.interrupt() }
            cluster = opened
        }
    }

    // MARK: Accesses

    private enum Access: String, CaseIterable {
        case read, readTwice, unsafeRead, write, savepoints, returning, alone, schema, pragmas, deferred, cursor, ticket
        case outcome, status, dump, introspection, transactions
    }

    private func run(_ access: Access, _ cluster: DatabaseCluster) throws {
        switch access {
        case .read: try cluster.read { try Self.read($0, "SELECT a, b FROM t ORDER BY a") }
        case .readTwice:
            try cluster.read { db in
                // The rows of the first query are left unread.
                _ = try Row.fetchOne(db, sql: "SELECT a, b FROM t ORDER BY b")
                try Self.read(db, "SELECT a FROM t WHERE b = ?", [1])
                try Self.read(db, "SELECT a FROM t WHERE b = ?", [2])
            }
        case .unsafeRead:
            try cluster.unsafeRead { db throws in
                try Self.read(db, "SELECT a, b FROM t ORDER BY a")
                _ = try Row.fetchOne(db, sql: "SELECT a, b FROM t ORDER BY b")
            }
        case .write:
            try cluster.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
                try db.execute(sql: "UPDATE t SET b = ?", arguments: ["x"])
                _ = (db.changesCount, db.totalChangesCount, db.lastInsertedRowID)
            }
        case .savepoints: try savepoints(cluster)
        case .returning:
            try cluster.write { try Self.read($0, "INSERT INTO t VALUES (1, 2) RETURNING a, b") }
            try cluster.writeWithoutTransaction { try Self.read($0, "DELETE FROM t WHERE a = 1 RETURNING a") }
        case .alone:
            try cluster.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
                try db.execute(sql: "UPDATE t SET a = 3")
            }
        case .schema:
            try cluster.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS u (a)") }
            try cluster.writeWithoutTransaction { try $0.execute(sql: "DROP TABLE IF EXISTS u") }
        case .pragmas:
            try cluster.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA recursive_triggers = ON")
                try db.execute(sql: "PRAGMA user_version = 3")
                _ = try Row.fetchOne(db, sql: "PRAGMA user_version")
            }
        case .deferred:
            try cluster.writeWithoutTransaction { db in
                try db.inTransaction(.deferred) {
                    try Self.read(db, "SELECT a, b FROM t ORDER BY a")
                    try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
                    return .commit
                }
            }
        case .cursor: try cursor(cluster)
        case .ticket:
            let ticket = try cluster.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
                return try cluster.ticket(db)
            }
            tickets = tickets.suffix(10) + [ticket]
        case .outcome:
            guard let ticket = tickets.last else { return }
            _ = try Self.wait { try await cluster.outcome(of: ticket) }
        case .status: _ = try Self.wait { try await cluster.status() }.toleratesFailure
        case .dump: try dump(cluster)
        case .introspection:
            try cluster.read { db in
                _ = try db.tableExists("t")
                for column in try db.columns(in: "t") { _ = column.name }
            }
        case .transactions: try transactions(cluster)
        }
    }

    /// Reads all values.
    private static func read(_ db: Database, _ sql: String, _ arguments: StatementArguments = []) throws {
        for row in try Row.fetchAll(db, sql: sql, arguments: arguments) {
            for (_, value) in row { _ = value.storage }
        }
    }

    private func savepoints(_ cluster: DatabaseCluster) throws {
        try cluster.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
                return .rollback
            }
            try db.inSavepoint {
                _ = try Row.fetchOne(db, sql: "SELECT a, b FROM t ORDER BY b")
                try db.execute(sql: "INSERT INTO t VALUES (3, 4)")
                return .commit
            }
        }
        try cluster.writeWithoutTransaction { db in
            // The savepoint is the transaction.
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (5, 6)")
                return .commit
            }
        }
    }

    private func cursor(_ cluster: DatabaseCluster) throws {
        try cluster.write { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT a, b FROM t ORDER BY a")
            _ = try rows.next()
            try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
            while let row = try rows.next() { _ = row.count }
        }
    }

    private func dump(_ cluster: DatabaseCluster) throws {
        let path = folder.appendingPathComponent("dump.sqlite").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        try Self.wait { try await cluster.dump(to: path) }
    }

    /// Statements in any order, each of which may fail.
    private func transactions(_ cluster: DatabaseCluster) throws {
        let statements = [
            "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s", "ROLLBACK TO s",
            "INSERT INTO t VALUES (1, 2)", "CREATE TABLE IF NOT EXISTS u (a)", "PRAGMA defer_foreign_keys = ON",
            "SELECT a, b FROM t ORDER BY a",
        ]
        let chosen = (0..<Int.random(in: 2...8, using: &random)).map { _ in statements.randomElement(using: &random)! }
        try cluster.unsafeReentrantWrite { db in
            for sql in chosen { run(sql) { try db.execute(sql: sql) } }
            if db.isInsideTransaction { try db.rollback() }
            try db.execute(sql: "INSERT INTO t VALUES (7, 8)")
        }
    }

    /// Waits for a value of an asynchronous method.
    private static func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let result = Outcome<Value>()
        Task {
            do { result.value = .success(try await body()) } catch { result.value = .failure(error) }
            done.signal()
        }
        done.wait()
        return try result.value!.get()
    }

    /// Written before the semaphore is signalled, and read afterwards.
    private final class Outcome<Value: Sendable>: @unchecked Sendable {
        var value: Result<Value, any Error>?
    }
}

/// SplitMix64.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
