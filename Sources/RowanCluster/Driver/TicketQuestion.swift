// Determines the outcome of a transaction after its leader is gone.

import RowanPlatform
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
    /// - Throws: `ClusterFailure.noLeader` if no leader responds before the deadline.
    func answer(until deadline: ContinuousClock.Instant) throws -> TransactionOutcome {
        while true {
            let last: ClusterFailure
            do { return try ask(deadline) } catch {
                guard let failure = ClusterFailure(error), failure.endsSession || failure.isBusy else { throw error }
                last = failure
            }
            guard ContinuousClock.now < deadline else { throw ClusterFailure.noLeader(["\(last)"]) }
            pauseThread(for: .seconds(.random(in: 0.01...0.05)))
        }
    }

    private func ask(_ deadline: ContinuousClock.Instant) throws -> TransactionOutcome {
        let connection = try directory.connectToLeader(until: deadline)
        let session = try ClusterSession(connection, database: ticket.database, directory, foreignKeys: true)
        defer { session.end() }
        try session.beginImmediate(turn: max(.zero, min(directory.options.requestTimeout / 2, deadline - .now)))
        let row = try session.rows(TicketTable.question, [ticket.client.databaseValue]).first ?? []
        guard row.count == 2, case .int64(let generation) = row[0].storage else {
            throw WireError.malformed("it did not report the tickets")
        }
        // A node that has lost its data knows no tickets. What follows is answered after the confirmation.
        try LeaderConfirmation(directory).confirm(connection.address) {}
        guard case .int64(let sequence) = row[1].storage, sequence >= ticket.sequence else {
            // A removal deletes rows that were written before the removal preceding it.
            let isRecent = generation <= ticket.generation || generation &- 1 == ticket.generation
            guard !row[1].isNull || isRecent else {
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
