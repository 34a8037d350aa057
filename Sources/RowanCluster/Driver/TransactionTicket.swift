// What a client writes with each transaction in order to determine later whether it was committed. A leader that
// disappears during a commit may have committed: a blind retry would write twice.

public import Foundation
import Rowan

/// Identifies a transaction whose outcome is unknown. Part of ``UnknownOutcomeError``.
///
/// ``DatabaseCluster/outcome(of:)`` determines whether the transaction was committed. A program can store a ticket and
/// query it after a restart.
///
/// ```swift
/// let stored = try JSONEncoder().encode(ticket)
/// let ticket = try JSONDecoder().decode(TransactionTicket.self, from: stored)
/// ```
///
/// Article: <doc:PastOneMachine>.
public struct TransactionTicket: Hashable, Codable, Sendable {
    /// The database of the transaction.
    public let database: String
    /// The connection that wrote: a random number.
    let client: String
    /// The number of the transaction among those of the connection.
    let sequence: Int64
    /// The time at which the transaction began, by the clock of the client.
    public let date: Date

    /// The time for which an outcome can be found.
    static let lifetime: TimeInterval = 7 * 86_400
}

/// The outcome of a transaction. It is final.
///
/// Article: <doc:PastOneMachine>.
public enum TransactionOutcome: String, Sendable, Hashable {
    /// The transaction was committed and must not run again.
    case committed
    /// The transaction was not committed and never will be: it may run again.
    case rolledBack
}

/// The leader was lost during a commit, and no other leader reported in time whether the transaction was committed.
///
/// Blindly running the transaction again may write twice. Query its outcome with the ticket:
///
/// ```swift
/// do {
///     try await cluster.write { db in try payment.insert(db) }
/// } catch let error as UnknownOutcomeError {
///     guard let ticket = error.ticket else { throw error }
///     // Later, when a leader is there again:
///     if try await cluster.outcome(of: ticket) == .rolledBack { /* run it again */ }
/// }
/// ```
///
/// Article: <doc:PastOneMachine>.
public struct UnknownOutcomeError: Error, Sendable, CustomStringConvertible {
    /// The ticket of the transaction; nil for a statement outside a transaction, whose outcome can't be found.
    public let ticket: TransactionTicket?
    /// What happened.
    public let reason: String

    /// What happened and what to do.
    public var description: String {
        let advice =
            ticket == nil
            ? "Read the rows to find out; run writes in transactions, whose outcome can be found"
            : "Ask outcome(of:) with the ticket before the transaction runs again"
        return "it is unknown whether the changes were committed: \(reason). \(advice)"
    }
}

/// The table that determines whether transactions were committed. Each connection that writes has one row.
struct TicketTable {
    static let name = "rowan_client"

    static let creation = """
        CREATE TABLE IF NOT EXISTS \(name) (
            client TEXT PRIMARY KEY, sequence INTEGER NOT NULL, fence INTEGER NOT NULL DEFAULT 0, at REAL NOT NULL
        ) WITHOUT ROWID
        """
    /// Written first in each transaction that writes.
    static let claim = """
        INSERT INTO \(name) (client, sequence, at) VALUES (?1, ?2, ?3)
        ON CONFLICT (client) DO UPDATE SET sequence = ?2, at = ?3
        """
    static let question = "SELECT sequence FROM \(name) WHERE client = ?"
    /// Prevents the transaction from being committed after the query: both write the same row.
    static let fence = """
        INSERT INTO \(name) (client, sequence, fence, at) VALUES (?1, -1, 1, ?2)
        ON CONFLICT (client) DO UPDATE SET fence = fence + 1
        """
    static let oldest = "SELECT 1 FROM \(name) WHERE at < ? LIMIT 1"
    static let cleaning = "DELETE FROM \(name) WHERE at < ?"
}
