// Transactions on the leader. What fails before COMMIT has changed nothing. A COMMIT without a response may have: the
// ticket of the transaction determines it.

import RowanPlatform
import Rowan

extension ClusterRunner {
    func control(_ statement: Statement) throws {
        try running("Run the transaction again") {
            switch statement.transactionOperation {
            case .begin: try begin(statement)
            case .commit: try commit(transaction.apply(.commit), statement.sql)
            case .rollback: rollBack()
            case .savepoint(let name): try openSavepoint(name, statement)
            case .release(let name): try release(name, statement)
            case .rollbackTo(let name): try rollBack(to: name, statement)
            case nil: try change(statement)
            }
        }
    }

    // MARK: Beginning

    private func begin(_ statement: Statement) throws {
        guard transaction == .none else { return }
        // The nodes may have lost their data.
        if !schema.isKnown || needsTicketTable { try readSchemaIfMoved(confirms: false) }
        // Another client is writing or removing tickets itself. Later rows will lead to the next attempt.
        if tickets.takeFullness() { try? retryingLeader(removeOldTickets) }
        let words = SQLTokens.first(2, of: statement.sql)
        let isImmediate = words.dropFirst().first.map { $0 == .word("immediate") || $0 == .word("exclusive") } ?? false
        try beginIfNeeded(transaction.apply(.begin(isImmediate: isImmediate)))
    }

    /// Begins on the leader if the transaction requires it.
    func beginIfNeeded(_ action: ClusterTransaction.Action) throws {
        guard case .begin(let isImmediate) = action else { return try refuseIfLost(action) }
        do {
            if isImmediate {
                try waitingForLock { try begin(turn: $0) }
            } else {
                try begin(turn: nil)
            }
        } catch {
            _ = transaction.apply(.refusedToBegin)
            throw error
        }
    }

    /// Begins on the leader, and reads the schema if the shadow has another one.
    ///
    /// - Parameter turn: how long to wait for the lock; nil to begin without it.
    private func begin(turn: Duration?) throws {
        try retryingLeader { session in
            var requests = session.pipeline()
            let (chain, (begin, version)) = try requests.chain(turn: turn) { requests in
                (try requests.execute(turn == nil ? "BEGIN" : "BEGIN IMMEDIATE"), try requests.version())
            }
            let replies = try session.send(requests)
            try replies[chain]
            _ = try replies[begin]
            do {
                if try replies[version] != schema.version { try readSchema(session) }
                try didBegin(session)
            } catch {
                endSession(after: error)
                throw error
            }
        }
    }

    /// Called once an attempt to begin has succeeded in full: until then, the next one may have another leader.
    ///
    /// - Parameter writes: whether others wait for its end.
    func didBegin(_ session: ClusterSession, writes: Bool = true) throws {
        _ = transaction.apply(.began)
        try refuseIfLost(transaction.isOpen ? .run : .refuse)
        guardian.forgetTimeout()
        if writes, !isReader { guardian.beginTransaction(session.connection) }
    }

    /// Retries while another client writes, according to the busy mode.
    ///
    /// - Parameter body: receives how long the node may let it wait for its turn. The node lets clients write in the
    ///   order in which they asked.
    func waitingForLock<T>(_ body: (Duration) throws -> T) throws -> T {
        // Afterwards, the node may be gone.
        let longestTurn = directory.options.requestTimeout / 2
        var deadline = ContinuousClock.now
        if case .timeout(let seconds) = busyMode {
            // An infinite wait and NaN have no Duration.
            deadline = Duration.seconds(seconds.isNaN ? 0 : min(max(seconds, 0), 1e9)).deadline
        }
        var pause = 0.001
        var count = 0
        while true {
            do { return try body(max(.zero, min(longestTurn, deadline - .now))) } catch {
                guard let failure = ClusterFailure(error), failure.isBusy, !transaction.isOpen else { throw error }
                switch busyMode {
                case .immediateError: throw error
                case .timeout: guard ContinuousClock.now < deadline else { throw error }
                case .callback(let callback): guard callback(count) else { throw error }
                }
                count += 1
                directory.options.eventHandler?(.retry(.lock))
                try self.pause(.random(in: pause / 2...pause))
                pause = min(2 * pause, 0.05)
            }
        }
    }

    // MARK: Savepoints

    private func openSavepoint(_ name: String, _ statement: Statement) throws {
        try beginIfNeeded(transaction.apply(.savepoint(isImmediate: !isReader)))
        try inTransaction { try $0.execute(statement.sql) }
        _ = transaction.apply(.openedSavepoint(name))
    }

    private func release(_ name: String, _ statement: Statement) throws {
        switch transaction.apply(.release(name)) {
        case .run:
            try inTransaction { try $0.execute(statement.sql) }
            _ = transaction.apply(.released(name))
        // SQLite itself refuses an unknown name.
        case .nothing: return
        // The savepoint was the transaction.
        case let action: try commit(action, "COMMIT")
        }
    }

    private func rollBack(to name: String, _ statement: Statement) throws {
        let action = transaction.apply(.rollBackTo(name))
        try refuseIfLost(action)
        guard action == .run else { return }
        try inTransaction { session in
            var requests = session.pipeline()
            let done = try requests.execute(statement.sql)
            let version = try requests.version()
            let replies = try session.send(requests)
            _ = try replies[done]
            _ = transaction.apply(.rolledBackTo(name))
            // The savepoint was rolled back, whatever the response about the version.
            schemaDidChange(session, to: try? replies[version], isCertain: true)
        }
    }

    /// - Parameter isCertain: whether the shadow is about to have the same schema.
    func schemaDidChange(_ session: ClusterSession, to version: Int64?, isCertain: Bool) {
        schema.didChange(to: isCertain ? version : nil, inTransaction: transaction.isOpen)
        ahead = []
        session.forgetAll()
    }

    // MARK: In a transaction

    /// Runs requests in the open transaction. Without the leader, the transaction is lost.
    ///
    /// - Parameter counts: whether a failed statement counts its changes.
    func inTransaction<T>(
        counts: (NodeRefusal) -> Bool = { _ in false }, _ body: (ClusterSession) throws -> T
    ) throws -> T {
        guard let session, transaction.isOpen else {
            let wasOpen = transaction.isOpen
            loseTransaction()
            throw wasOpen ? lostTransactionError(WireError.closed("the connection to the leader has ended")) : aborted
        }
        return try settling(session, counts: counts) {
            try waiting(for: session) {
                try checkLateFailure(session)
                return try body(session)
            }
        }
    }

    /// Determines after a failure whether the open transaction still exists.
    ///
    /// - Parameter counts: whether a failed statement counts its changes.
    func settling<T>(
        _ session: ClusterSession, counts: (NodeRefusal) -> Bool, _ body: () throws -> T
    ) throws -> T {
        do { return try body() } catch {
            if dropSession(after: error) != nil {
                loseTransaction()
                throw lostTransactionError(error)
            }
            // A statement that could not be sent has changed nothing.
            checkTransaction(session, counts: (error as? NodeRefusal).map(counts) ?? false)
            throw error
        }
    }

    private var aborted: DatabaseError {
        DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted")
    }

    /// - Throws: SQLITE_ABORT if the transaction is lost.
    func refuseIfLost(_ action: ClusterTransaction.Action) throws {
        if action == .refuse { throw aborted }
    }

    private func lostTransactionError(_ error: any Error) -> any Error {
        guard !guardian.hasTimedOut else {
            return DatabaseError(
                resultCode: .SQLITE_INTERRUPT,
                message:
                    "the transaction took longer than \(directory.options.transactionTimeout), and was rolled back: "
                    + "keep transactions short, because other clients wait for them")
        }
        return known(error, "Run the transaction again")
    }

    /// Some row failures, such as running out of memory, end the transaction. What follows must not run outside it.
    private func checkLateFailure(_ session: ClusterSession) throws {
        guard session.takeLateFailure() else { return }
        if let error = checkTransaction(session) { throw lostTransactionError(error) }
        guard !transaction.isOpen else { return }
        throw aborted
    }

    /// Determines whether a failure has ended the transaction, which the protocol doesn't report.
    ///
    /// - Parameter counts: whether the failed statement counts its changes.
    /// - Returns: why there is no response, in which case the transaction is lost.
    @discardableResult
    func checkTransaction(_ session: ClusterSession, counts: Bool = false) -> (any Error)? {
        guard transaction.isOpen else { return nil }
        do {
            var requests = session.pipeline()
            // A transaction within a transaction is rejected.
            let begin = try requests.execute("BEGIN")
            let counters = try requests.counters()
            let replies = try session.send(requests)
            // A failed statement may keep changes: see ON CONFLICT FAIL.
            if counts { count(try replies[counters]) }
            do { _ = try replies[begin] } catch let refusal as NodeRefusal where refusal.resultCode == .SQLITE_ERROR {
                return nil
            }
            try session.execute("ROLLBACK")
            loseTransaction()
            return nil
        } catch {
            endSession(after: error)
            loseTransaction()
            return error
        }
    }

    // MARK: Ending

    /// Commits the transaction of a single statement.
    func commitImplicitTransaction() throws { try commit(transaction.apply(.commit), "COMMIT") }

    /// Rolls back a transaction that the shadow doesn't have: that of a single statement, or one that it has rolled
    /// back.
    func abandonTransaction() {
        rollBack()
        _ = transaction.apply(.reported)
    }

    private func rollBack() {
        let action = transaction.apply(.rollBack)
        defer { endTransaction(committed: false) }
        guard action == .rollBack, let session else { return }
        do {
            try waiting(for: session) {
                // An abandoned cursor may have many rows.
                guard !session.hasAbandonedRows else { throw WireError.cancelled }
                try session.execute("ROLLBACK")
            }
        } catch {
            // Without the connection, the leader rolls back.
            endSession()
        }
    }

    private func commit(_ action: ClusterTransaction.Action, _ sql: String) throws {
        try refuseIfLost(action)
        switch action {
        case .endRead: try endRead()
        case .commit(let ticket): try commit(ticket, sql)
        default: endTransaction(committed: true)
        }
    }

    /// Called after the transaction has ended.
    func endTransaction(committed: Bool) {
        _ = transaction.apply(.ended)
        didEndTransaction(committed: committed)
    }

    /// Called after the transaction was lost.
    func loseTransaction() {
        guard transaction.isPresent else { return }
        _ = transaction.apply(.lost)
        didEndTransaction(committed: false)
    }

    private func didEndTransaction(committed: Bool) {
        tickets.end()
        ahead = []
        guardian.endTransaction()
        isHoldingLock = false
        if schema.transactionDidEnd(committed: committed) { session?.forgetAll() }
    }

    /// Ends a transaction that has not written.
    private func endRead() throws {
        defer { endTransaction(committed: true) }
        guard let session else { return }
        do {
            if try confirmRead(session) {
                // Only an answer after the confirmation proves that the leadership was never interrupted.
                guard !session.hasAbandonedRows else { throw WireError.cancelled }
                return try waiting(for: session) { try session.execute("COMMIT") }
            }
        } catch {
            // The transaction is still open on a leader that may have lost contact with the others.
            endSession(forgettingLeader: true)
            throw known(error, "Read again")
        }
        do {
            guard !session.hasAbandonedRows else { throw WireError.cancelled }
            var requests = session.pipeline()
            try requests.execute("COMMIT")
            // The next request reads the response, on which nothing depends.
            try session.post(requests)
        } catch {
            // Nothing was written, so the rows that were read stay valid.
            endSession()
        }
    }

    /// Has a majority confirm the leader, if the program requires it.
    ///
    /// The majority may name a leader that was deposed and elected again since the rows were read. Its node then closes
    /// the database of the session: the caller has to wait for an answer of the session after the confirmation.
    ///
    /// - Returns: whether the program requires it.
    func confirmRead(_ session: ClusterSession) throws -> Bool {
        guard directory.options.consistency == .confirmed else { return false }
        try confirmation.confirm(session.connection.address) { try guardian.checkInterruption() }
        return true
    }

    private func commit(_ ticket: TransactionTicket, _ sql: String) throws {
        guard let session else {
            loseTransaction()
            throw aborted
        }
        defer { guardian.setCommitting(false) }
        do {
            try waiting(for: session) { try checkLateFailure(session) }
            guardian.setCommitting(true)
            // A transaction that was ended because of its duration, or with an access, was not committed.
            guard !session.isBroken else { throw session.failure ?? WireError.cancelled }
        } catch {
            dropSession(after: error)
            loseTransaction()
            throw lostTransactionError(error)
        }
        try finishCommit(ticket, session) { try session.execute(sql) }
    }

    /// Ends the transaction after its COMMIT, or finds out whether it was committed.
    ///
    /// - Parameter body: reads the response to COMMIT.
    func finishCommit(_ ticket: TransactionTicket, _ session: ClusterSession, _ body: () throws -> Void) throws {
        do { try body() } catch {
            guard let failure = ClusterFailure(error), failure.isWithoutCommit else {
                endSession(forgettingLeader: true)
                _ = transaction.apply(.didNotRespondToCommit)
                return try resolve(ticket, error)
            }
            if dropSession(after: error) != nil {
                loseTransaction()
            } else {
                checkTransaction(session)
            }
            throw error
        }
        endTransaction(committed: true)
    }
}
