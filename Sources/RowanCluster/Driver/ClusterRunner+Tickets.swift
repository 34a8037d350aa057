// Tickets: the row that each transaction writes, and the outcome of a commit without a response.

import Foundation
import Rowan

extension ClusterRunner {
    /// Creates the table of the tickets and removes old tickets.
    func prepareTickets() throws {
        if !hasTicketTable {
            try waitingForLock { try retryingLeader { try $0.execute(TicketTable.creation) } }
            try retryingLeader(readSchema)
        }
        // Another client is writing or removing tickets itself. The next start will remove them.
        try? retryingLeader(removeOldTickets)
        try retryingLeader(readGeneration)
    }

    func removeOldTickets(_ session: ClusterSession) throws {
        func isFull() throws -> Bool { try session.rows(TicketTable.isFull) == [[1.databaseValue]] }
        guard try isFull() else { return }
        try session.execute("BEGIN IMMEDIATE")
        do {
            // Another client may have removed them in the meantime.
            if try isFull() { for statement in TicketTable.removal { try session.execute(statement) } }
            try session.execute("COMMIT")
        } catch {
            // Without the connection, the leader rolls back.
            try? session.execute("ROLLBACK")
            throw error
        }
    }

    func readGeneration(_ session: ClusterSession) throws {
        guard case .int64(let generation)? = try session.rows(TicketTable.generation).first?.first?.storage else {
            throw WireError.malformed("it did not report the generation of the tickets")
        }
        tickets.generation = generation
    }

    /// The ticket of the open transaction, written now if the transaction has not written yet.
    ///
    /// - Throws: SQLITE_MISUSE outside a transaction and in a reader.
    func ticketOfTransaction() throws -> TransactionTicket {
        try guardian.running {
            if transaction == .lazy, !isReader { try waitingForLock { try beginLazily("BEGIN IMMEDIATE") } }
            if transaction == .open, !isReader {
                try inTransaction { try $0.execute(TicketTable.claim, tickets.claim()) }
                didClaim()
            }
            guard transaction == .writing else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "a ticket belongs to a transaction that writes: call it in `write`")
            }
            // The lock is held, so this is the generation of the row.
            try inTransaction(readGeneration)
            guard let ticket = tickets.share() else { throw WireError.malformed("a transaction has no ticket") }
            return ticket
        }
    }

    /// Called after the transaction has written its ticket: others now wait for it.
    func didClaim() {
        guard let session else { return }
        transaction = .writing
        claimDepth = savepoints.count
        guardian.beginTransaction(session.connection)
    }

    /// Determines, on the next leader, whether a transaction was committed.
    func resolve(_ ticket: TransactionTicket, _ error: any Error) throws {
        let deadline = directory.options.failoverTimeout.deadline
        let outcome: TransactionOutcome
        do {
            outcome = try TicketQuestion(directory, ticket).answer(until: deadline)
        } catch {
            loseTransaction()
            tickets.leaveRow()
            throw UnknownOutcomeError(ticket: ticket, reason: "\(error)")
        }
        switch outcome {
        case .committed: endTransaction(committed: true)
        case .unknown:
            loseTransaction()
            tickets.leaveRow()
            throw UnknownOutcomeError(
                ticket: ticket, reason: "the cluster has removed old tickets since the transaction began")
        case .rolledBack:
            loseTransaction()
            throw DatabaseError(
                resultCode: DatabaseError.notLeader,
                message: "the leader of the cluster has changed during the commit. Nothing was changed. "
                    + "Run the transaction again")
        }
    }
}
