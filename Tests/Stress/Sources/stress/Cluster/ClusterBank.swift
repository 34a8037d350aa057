// The clients of a cluster with faults: their writes and the reported outcomes.

import Foundation
import Rowan
import RowanCluster

/// The state known to the clients. Its methods can be called on any thread.
final class ClusterBank: Sendable {
    static let accountCount = 10
    static let total = 1_000

    private struct State: Codable {
        var acknowledged: Set<String> = []
        /// With the reported errors.
        var refused: [String: String] = [:]
        var tickets: [String: TransactionTicket] = [:]
        /// Autocommit writes without a response: both outcomes are valid.
        var unknownCount = 0
        /// The highest number reported as committed.
        var counter = 0
        var counts: [String: Int] = [:]
        var failures: [String] = []
    }

    private let state = Locked(State())

    func count(_ name: String) { state.with { $0.counts[name, default: 0] += 1 } }

    func fail(_ message: String) { state.with { if $0.failures.count < 20 { $0.failures.append(message) } } }

    /// Reports the counts and failures.
    func report(to run: Run) {
        let state = state.current
        for (name, number) in state.counts { run.count(name, number) }
        for failure in state.failures { run.fail(failure) }
        run.count("acknowledged", state.acknowledged.count)
        run.count("refused", state.refused.count)
        run.count("unknown with ticket", state.tickets.count)
        run.count("unknown without", state.unknownCount)
    }

    /// What the clients of another process know, as JSON.
    func report() throws -> Data { try JSONEncoder().encode(state.current) }

    /// Takes over what the clients of another process know.
    func merge(_ report: Data) throws {
        let other = try JSONDecoder().decode(State.self, from: report)
        state.with { state in
            state.acknowledged.formUnion(other.acknowledged)
            state.refused.merge(other.refused) { $1 }
            state.tickets.merge(other.tickets) { $1 }
            state.unknownCount += other.unknownCount
            state.counter = max(state.counter, other.counter)
            state.counts.merge(other.counts, uniquingKeysWith: +)
            state.failures += other.failures
        }
    }

    static func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
                CREATE TABLE entry (id TEXT PRIMARY KEY, n INTEGER);
                CREATE TABLE counter (n INTEGER NOT NULL);
                INSERT INTO counter VALUES (0);
                """)
        for id in 1...accountCount {
            try db.execute(
                sql: "INSERT INTO account VALUES (?, ?)", arguments: [id, total / accountCount])
        }
    }

    // MARK: Clients

    /// Moves money and increments the counter in transactions until the time is over.
    func write(_ client: DatabaseCluster, _ name: String, _ seed: UInt64, until end: Date) async {
        var random = SplitMix64(seed: seed)
        var number = 0
        while Date() < end {
            number += 1
            let id = "\(name)-\(number)"
            let kind = Int.random(in: 0..<20, using: &random)
            if kind < 3 { await writeAlone(client, id) } else { await transfer(client, id, kind, &random) }
        }
    }

    private func transfer(_ client: DatabaseCluster, _ id: String, _ kind: Int, _ random: inout SplitMix64) async {
        let from = Int.random(in: 1...Self.accountCount, using: &random)
        let to = Int.random(in: 1...Self.accountCount, using: &random)
        let amount = Int.random(in: 1...50, using: &random)
        let task = Task {
            try await client.write { db in
                if kind == 19 { usleep(20_000) }
                try db.execute(sql: "UPDATE account SET balance = balance - ? WHERE id = ?", arguments: [amount, from])
                try db.inSavepoint {
                    try db.execute(
                        sql: "UPDATE account SET balance = balance + ? WHERE id = ?", arguments: [amount, to])
                    return .commit
                }
                let counter = try Int.fetchOne(db, sql: "UPDATE counter SET n = n + 1 RETURNING n") ?? -1
                try db.execute(sql: "INSERT INTO entry (id, n) VALUES (?, ?)", arguments: [id, counter])
                return counter
            }
        }
        if kind == 3 {
            // Cancelled in the queue, while waiting, or too late.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...30, using: &random)))
            task.cancel()
        }
        switch await task.result {
        case .success(let counter): acknowledge(id, counter)
        case .failure(let error): refuse(id, error, isTransaction: true)
        }
    }

    private func writeAlone(_ client: DatabaseCluster, _ id: String) async {
        do {
            try await client.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO entry (id) VALUES (?)", arguments: [id])
            }
            acknowledge(id, nil)
        } catch { refuse(id, error, isTransaction: false) }
    }

    private func acknowledge(_ id: String, _ counter: Int?) {
        state.with { state in
            state.acknowledged.insert(id)
            if let counter { state.counter = max(state.counter, counter) }
        }
    }

    private func refuse(_ id: String, _ error: any Error, isTransaction: Bool) {
        if let unknown = error as? UnknownOutcomeError {
            if isTransaction, unknown.ticket == nil { fail("\(id): unknown, and no ticket: \(unknown)") }
            return state.with { state in
                guard let ticket = unknown.ticket else { return state.unknownCount += 1 }
                state.tickets[id] = ticket
            }
        }
        if !Self.isExpected(error) { fail("\(id): \(error)") }
        count(error is CancellationError ? "cancelled" : "refused writes")
        state.with { $0.refused[id] = "\(error)" }
    }

    /// Errors that are explained by faults.
    static func isExpected(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is CancellationError }
        return error.isLeaderChange || [.SQLITE_BUSY, .SQLITE_INTERRUPT].contains(error.resultCode)
    }

    /// Checks the sum, and that previously acknowledged writes are there.
    func read(_ client: DatabaseCluster, until end: Date) async {
        while Date() < end {
            let known = state.current.counter
            do {
                let (sum, counter, last) = try await client.read { db in
                    (
                        try db.int("SELECT sum(balance) FROM account"), try db.int("SELECT n FROM counter"),
                        try db.int("SELECT ifnull(max(n), 0) FROM entry")
                    )
                }
                count("confirmed reads")
                if sum != Self.total { fail("a read has the sum \(sum)") }
                if counter < known { fail("a confirmed read has \(counter), and \(known) was committed before") }
                if counter != last { fail("a read has the counter \(counter), and the entry \(last)") }
            } catch {
                count("refused reads")
                if !Self.isExpected(error) { fail("a read: \(error)") }
            }
        }
    }

    /// Changes the schema.
    func changeSchema(_ client: DatabaseCluster, _ seed: UInt64, until end: Date) async {
        var random = SplitMix64(seed: seed)
        let changes = [
            "CREATE INDEX IF NOT EXISTS byNumber ON entry (n)", "DROP INDEX IF EXISTS byNumber",
            "CREATE TABLE IF NOT EXISTS other (a, b)", "DROP TABLE IF EXISTS other",
            "ALTER TABLE account ADD COLUMN extra DEFAULT 7", "ALTER TABLE account DROP COLUMN extra",
        ]
        while Date() < end {
            let sql = changes[Int.random(in: 0..<changes.count, using: &random)]
            do {
                try await client.write { try $0.execute(sql: sql) }
                count("changes of the schema")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                // The column already exists, or no longer exists.
            } catch {
                if !(error is UnknownOutcomeError), !Self.isExpected(error) { fail("\(sql): \(error)") }
            }
            // Cancelled only at the end of the program.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 20...300, using: &random)))
        }
    }

    // MARK: Final check

    /// Compares the database with the reported outcomes.
    func check(_ client: DatabaseCluster) async throws {
        var present = Set<String>()
        for (id, ticket) in state.current.tickets {
            let outcome = try await client.outcome(of: ticket)
            present = Set(try await client.read { try String.fetchAll($0, sql: "SELECT id FROM entry") })
            count("tickets answered \(outcome.rawValue)")
            if (outcome == .committed) != present.contains(id) {
                fail("the ticket of \(id) says \(outcome), and the entry is\(present.contains(id) ? "" : " not") there")
            }
        }
        present = Set(try await client.read { try String.fetchAll($0, sql: "SELECT id FROM entry") })
        let state = state.current
        let lost = state.acknowledged.subtracting(present)
        if !lost.isEmpty { fail("\(lost.count) acknowledged writes are lost: \(lost.sorted().prefix(5))") }
        let undead = state.refused.filter { present.contains($0.key) }
        if !undead.isEmpty { fail("\(undead.count) refused writes are there: \(undead.prefix(5))") }
        let (sum, counter, numbered, integrity) = try await client.read { db in
            (
                try db.int("SELECT sum(balance) FROM account"), try db.int("SELECT n FROM counter"),
                try db.int("SELECT count(n) FROM entry"), try db.text("PRAGMA integrity_check")
            )
        }
        if sum != Self.total { fail("the sum is \(sum) at the end") }
        if counter != numbered { fail("the counter is \(counter), and there are \(numbered) transactions") }
        if integrity != "ok" { fail("integrity_check: \(integrity)") }
    }
}
