// Tickets: the row that each transaction writes, and the outcome of a commit without a response.

import RowanPlatform
import Rowan

extension ClusterRunner {
    /// Creates the table of the tickets and removes old tickets.
    func prepareTickets() throws {
        if !schema.hasTicketTable {
            try waitingForLock { _ in try retryingLeader { try $0.execute(TicketTable.creation) } }
            try retryingLeader(readSchema)
        }
        // Another client is writing or removing tickets itself. The next start will remove them.
        try? retryingLeader(removeOldTickets)
        try retryingLeader(readGeneration)
    }

    func removeOldTickets(_ session: ClusterSession) throws {
        func isFull() throws -> Bool { try session.rows(TicketTable.isFull) == [[1.databaseValue]] }
        guard try isFull() else { return }
        try session.beginImmediate(turn: .seconds(1))
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
        var requests = session.pipeline()
        let generation = try requests.integers(TicketTable.generation, count: 1, "the generation of the tickets")
        tickets.generation = try session.send(requests)[generation][0]
    }

    /// The ticket of the open transaction, written now if the transaction has not written yet.
    ///
    /// - Throws: SQLITE_MISUSE outside a transaction and in a reader.
    func ticketOfTransaction() throws -> TransactionTicket {
        try running("Run the transaction again") {
            guard transaction.isPresent, !isReader else { throw Self.noWriteTransaction }
            let action = transaction.apply(.write)
            try beginIfNeeded(action)
            if action != .run {
                try inTransaction { session in
                    let (ticket, values) = tickets.claim()
                    try session.execute(TicketTable.claim, values)
                    didClaim(ticket, session)
                }
            }
            // The lock is held, so this is the generation of the row.
            try inTransaction(readGeneration)
            let ticket = try tickets.share()
            _ = transaction.apply(.claimed(ticket))
            return ticket
        }
    }

    private static var noWriteTransaction: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a ticket belongs to a transaction that writes: call it in `write`")
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
            // The row is fenced.
            tickets.leaveRow()
            throw DatabaseError(
                resultCode: .notLeader,
                message: "the leader of the cluster has changed during the commit. Nothing was changed. "
                    + "Run the transaction again")
        }
    }
}
