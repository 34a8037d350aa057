// Determines the outcome of a transaction after its leader is gone.

import Foundation
import Rowan

/// A query about one transaction.
struct TicketQuestion {
    private let directory: NodeDirectory
    private let ticket: TransactionTicket

    init(_ directory: NodeDirectory, _ ticket: TransactionTicket) {
        self.directory = directory
        self.ticket = ticket
    }

    /// The outcome. To make it final, the query also writes the row that the transaction has written, so that the
    /// transaction can't be committed afterwards.
    ///
    /// - Throws: ``DatabaseError`` if no leader responds before the deadline.
    func answer(until deadline: ContinuousClock.Instant) throws -> TransactionOutcome {
        var last: any Error = WireError.timedOut
        repeat {
            do { return try ask(deadline) } catch let error as WireError {
                last = error
            } catch let error as DatabaseError where error.isLostLeader || error.resultCode == .SQLITE_BUSY {
                last = error
            }
            Thread.sleep(forTimeInterval: .random(in: 0.01...0.05))
        } while ContinuousClock.now < deadline
        throw DatabaseError(
            resultCode: DatabaseError.notLeader, message: "no leader of the cluster answered in time (\(last))")
    }

    private func ask(_ deadline: ContinuousClock.Instant) throws -> TransactionOutcome {
        let connection = try directory.connectToLeader(until: deadline) { _ in }
        let session = try ClusterSession(
            connection, database: ticket.database, directory.options, foreignKeys: true)
        defer { session.end() }
        try session.execute("BEGIN IMMEDIATE")
        let row = try session.rows(TicketTable.question, [ticket.client.databaseValue]).first ?? []
        guard row.count == 2, case .int64(let generation) = row[0].storage else {
            throw WireError.malformed("it did not report the tickets")
        }
        // A node that has lost its data knows no tickets. What follows is answered after the confirmation.
        try LeaderConfirmation(directory).confirm(connection.address) {}
        guard case .int64(let sequence) = row[1].storage, sequence >= ticket.sequence else {
            // A removal deletes rows that were written before the removal preceding it.
            guard !row[1].isNull || generation <= ticket.generation + 1 else {
                try session.execute("ROLLBACK")
                return .unknown
            }
            try session.execute(TicketTable.fence, [ticket.client.databaseValue])
            // Only a commit excludes the transaction. Without a response, the query is retried.
            try session.execute("COMMIT")
            return .rolledBack
        }
        // The row is committed; otherwise, this leader would not show it to another connection.
        try session.execute("ROLLBACK")
        return .committed
    }
}
