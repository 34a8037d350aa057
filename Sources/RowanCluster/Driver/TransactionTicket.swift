// What a client writes with each transaction in order to determine later whether it was committed. A leader that
// disappears during a commit may have committed: a blind retry would write twice.

public import RowanPlatform
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
    /// The number of removals of old tickets from the database, as the connection knew it, at most that of the row. The
    /// next removal keeps the row, so that a missing one proves that the transaction was not committed. Clocks play no
    /// role.
    var generation: Int64
    /// The time at which the ticket was created, by the clock of the client. It has no effect on the outcome.
    public let date: Date
}

/// The outcome of a transaction.
///
/// Article: <doc:PastOneMachine>.
public enum TransactionOutcome: String, Sendable, Hashable {
    /// The transaction was committed and must not run again.
    case committed
    /// The transaction was not committed and never will be: it may run again.
    case rolledBack
    /// The outcome can no longer be determined: the cluster has removed old tickets since this one was created.
    case unknown
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
///     switch try await cluster.outcome(of: ticket) {
///     case .committed: break
///     case .rolledBack: try await pay()
///     case .unknown: throw error
///     }
/// }
/// ```
///
/// Article: <doc:PastOneMachine>.
public struct UnknownOutcomeError: Error, Sendable, CustomStringConvertible {
    /// The ticket of the transaction; nil for a change of the schema outside a transaction, whose outcome can't be found.
    public let ticket: TransactionTicket?
    /// What happened.
    public let reason: String

    /// What happened and what to do.
    public var description: String {
        let advice =
            ticket == nil
            ? "Read the schema to find out; change it in transactions, whose outcome can be found"
            : "Ask outcome(of:) with the ticket before the transaction runs again"
        return "it is unknown whether the changes were committed: \(reason). \(advice)"
    }
}

/// The table that determines whether transactions were committed. Each connection that writes has one row.
///
/// Rows of connections that no longer exist are removed after some time, which is measured by the number of new
/// connections: the clocks of clients may be wrong. A removal begins a new generation. Each ticket writes the current
/// generation into its row, and a removal deletes the rows that have not been written since the removal before it. The
/// row without a client stores the generation in `sequence`, and in `fence` the number of rows that the last removal has
/// left.
struct TicketTable {
    static let name = "rowan_client"

    static let creation = """
        CREATE TABLE IF NOT EXISTS \(name) (
            client TEXT PRIMARY KEY, sequence INTEGER NOT NULL, fence INTEGER NOT NULL DEFAULT 0,
            generation INTEGER NOT NULL
        ) WITHOUT ROWID
        """
    private static let currentGeneration = "ifnull((SELECT sequence FROM \(name) WHERE client = ''), 0)"
    /// Written first in each transaction that writes. It fails, because an integer overflows, if the row is fenced: the
    /// program already knows that the transaction is not committed.
    static let claim = claim(sequence: "?2")
    /// The same, if the schema has the version ?3. Otherwise, it fails, too.
    static let checkedClaim = claim(
        sequence: "?2 + \(zero(if: "(SELECT schema_version FROM pragma_schema_version) = ?3"))")

    private static func claim(sequence: String) -> String {
        """
        INSERT INTO \(name) (client, sequence, generation) VALUES (?1, \(sequence), \(currentGeneration))
        ON CONFLICT (client) DO UPDATE SET sequence = ?2 + \(zero(if: "fence = 0")), generation = excluded.generation
        """
    }

    private static func zero(if condition: String) -> String {
        "abs(-9223372036854775808 + (\(condition))) * 0"
    }

    /// The current generation, and the last transaction of a client.
    static let question = "SELECT \(currentGeneration), (SELECT sequence FROM \(name) WHERE client = ?)"
    /// Prevents the transaction from being committed after the query: both write the same row.
    static let fence = """
        INSERT INTO \(name) (client, sequence, fence, generation) VALUES (?1, -1, 1, \(currentGeneration))
        ON CONFLICT (client) DO UPDATE SET fence = fence + 1
        """
    static let generation = "SELECT \(currentGeneration)"

    // MARK: Removal

    /// The number of rows that are always kept. After a removal, the next one waits until the table has doubled.
    static let keptCount = 10_000
    static let isFull = """
        SELECT (SELECT count(*) FROM \(name))
            > max(\(keptCount), 2 * ifnull((SELECT fence FROM \(name) WHERE client = ''), 0))
        """
    static let removal = [
        """
        INSERT INTO \(name) (client, sequence, generation) VALUES ('', 1, 0)
        ON CONFLICT (client) DO UPDATE SET sequence = sequence + 1
        """,
        "DELETE FROM \(name) WHERE client <> '' AND generation < \(currentGeneration) - 1",
        "UPDATE \(name) SET fence = (SELECT count(*) FROM \(name)) WHERE client = ''",
    ]
}
