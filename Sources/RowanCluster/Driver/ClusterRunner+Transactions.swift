// Transactions on the leader. What fails before COMMIT has changed nothing. A COMMIT without a response may have: the
// ticket of the transaction determines it.

import Foundation
import Rowan

extension ClusterRunner {
    func control(_ statement: Statement) throws { try guardian.running { try controlTransaction(statement) } }

    private func controlTransaction(_ statement: Statement) throws {
        switch statement.transactionOperation {
        case .begin: try begin(statement)
        case .commit: try commit(statement.sql)
        case .rollback: rollback()
        case .savepoint(let name): try savepoint(name, statement)
        case .release(let name): try release(name, statement)
        case .rollbackTo(let name): try rollback(to: name, statement)
        case nil: try change(statement)
        }
    }

    // MARK: Beginning

    private func begin(_ statement: Statement) throws {
        guard transaction == .none else { return }
        // The nodes may have lost their data.
        if !knowsSchema { try readSchemaIfMoved(confirms: false) }
        // Another client is writing or removing tickets itself. Later rows will lead to the next attempt.
        if tickets.takeFullness() { try? retryingLeader(removeOldTickets) }
        let words = SQLTokens.first(2, of: statement.sql)
        let isImmediate = words.dropFirst().first.map { $0 == .word("immediate") || $0 == .word("exclusive") } ?? false
        guard isImmediate else { return transaction = .lazy }
        do {
            try waitingForLock {
                try retryingLeader { session in
                    if try !begin("BEGIN IMMEDIATE", session) { try readSchema(session) }
                }
            }
        } catch {
            endTransaction(committed: false)
            throw error
        }
    }

    /// Begins on the leader and requests the version of its schema.
    ///
    /// - Returns: whether the shadow has the same schema.
    private func begin(_ sql: String, _ session: ClusterSession) throws -> Bool {
        var requests = RequestBuffer()
        try session.add(exec: sql, to: &requests)
        try session.add(query: ClusterSession.version, to: &requests)
        try session.send(requests)
        return try receiveBegin(session)
    }

    /// Reads the responses to BEGIN and to the schema version request.
    private func receiveBegin(_ session: ClusterSession) throws -> Bool {
        let begin = try session.receive()
        if case .failure(let code, let message) = begin {
            _ = try session.receiveRows()
            throw DatabaseError.refused(code, message)
        }
        transaction = .open
        guardian.forgetTimeout()
        if !isReader { guardian.beginTransaction(session.connection) }
        return try receiveVersion(session)
    }

    /// Begins a transaction on the leader that has already begun locally.
    ///
    /// - Parameter sql: BEGIN IMMEDIATE if the first statement writes: it waits for the lock, which a transaction that
    ///   has begun can't.
    func beginLazily(_ sql: String = "BEGIN") throws {
        try retryingLeader { session in
            if try !begin(sql, session) { try readSchema(session) }
        }
    }

    /// Retries while another client writes, according to the busy mode.
    func waitingForLock<T>(_ body: () throws -> T) throws -> T {
        var deadline: ContinuousClock.Instant?
        var pause = 0.001
        var count = 0
        while true {
            do { return try body() } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                guard !transaction.isOpen else { throw error }
                switch busyMode {
                case .immediateError: throw error
                case .timeout(let seconds):
                    // An infinite wait and NaN have no Duration.
                    let end = deadline ?? Duration.seconds(seconds.isNaN ? 0 : min(max(seconds, 0), 1e9)).deadline
                    deadline = end
                    guard ContinuousClock.now < end else { throw error }
                case .callback(let callback):
                    guard callback(count) else { throw error }
                }
                count += 1
                try self.pause(.random(in: pause / 2...pause), "Run the transaction again")
                pause = min(2 * pause, 0.05)
            }
        }
    }

    // MARK: Savepoints

    private func savepoint(_ name: String, _ statement: Statement) throws {
        switch transaction {
        case .none:
            transaction = .lazy
            do { try beginForSavepoint() } catch {
                endTransaction(committed: false)
                throw error
            }
            beganWithSavepoint = true
        case .lazy: try beginForSavepoint()
        case .open, .writing: break
        }
        try inTransaction { try $0.execute(statement.sql) }
        savepoints.append(name)
    }

    /// The writer is about to write. In a transaction that has begun, it could no longer wait for the lock.
    private func beginForSavepoint() throws {
        guard !isReader else { return try beginLazily() }
        try waitingForLock { try beginLazily("BEGIN IMMEDIATE") }
    }

    private func release(_ name: String, _ statement: Statement) throws {
        guard let index = index(of: name) else { return }
        // The shadow rejects an unknown name.
        guard index > 0 || !beganWithSavepoint else { return try commit("COMMIT") }
        try inTransaction { try $0.execute(statement.sql) }
        savepoints.removeSubrange(index...)
        claimDepth = min(claimDepth, index)
    }

    /// SQLite compares names byte by byte, except for the case of ASCII letters.
    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private func index(of savepoint: String) -> Int? {
        savepoints.lastIndex { $0.utf8.lazy.map(Self.folded).elementsEqual(savepoint.utf8.lazy.map(Self.folded)) }
    }

    private func rollback(to name: String, _ statement: Statement) throws {
        guard let index = index(of: name) else { return }
        try inTransaction { session in
            var requests = RequestBuffer()
            try requests.execSQL(db: session.database, sql: statement.sql)
            try session.add(query: ClusterSession.version, to: &requests)
            try session.send(requests)
            let answer = Result { try session.answer() }
            if answer.failure == nil { didRollBack(toSavepoint: index) }
            let version = Result { try noteOwnSchemaChange(session) }
            _ = try answer.get()
            // The savepoint was rolled back, whatever the response about the version.
            if version.failure != nil { forgetSchema() }
        }
    }

    private func didRollBack(toSavepoint index: Int) {
        savepoints.removeSubrange((index + 1)...)
        guard transaction == .writing, claimDepth >= savepoints.count else { return }
        // The row of the ticket is gone, as is everything written after it.
        transaction = .open
    }

    /// Runs requests in the open transaction. Without the leader, the transaction is lost.
    ///
    /// - Parameter counts: whether a failed statement counts its changes.
    func inTransaction<T>(counts: Bool = false, _ body: (ClusterSession) throws -> T) throws -> T {
        guard let session else {
            loseTransaction()
            throw lostTransactionError(WireError.closed("the connection to the leader has ended"))
        }
        do {
            return try waiting(for: session) {
                try checkLateFailure(session)
                return try body(session)
            }
        } catch {
            if dropSession(after: error) {
                loseTransaction()
                throw lostTransactionError(error)
            }
            checkTransaction(session, counts: counts)
            throw error
        }
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
        throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted")
    }

    /// Determines whether a failure has ended the transaction, which the protocol doesn't report.
    ///
    /// - Parameter counts: whether the failed statement counts its changes.
    /// - Returns: why there is no response, in which case the transaction is lost.
    @discardableResult
    private func checkTransaction(_ session: ClusterSession, counts: Bool = false) -> (any Error)? {
        guard transaction.isOpen else { return nil }
        do {
            var requests = RequestBuffer()
            try session.add(exec: "BEGIN", to: &requests)
            try session.add(query: Self.counters, to: &requests)
            try session.send(requests)
            let begin = try session.receive()
            // A failed statement may keep changes: see ON CONFLICT FAIL.
            let counters = try session.receiveRows()
            if counts { count(counters) }
            // A transaction within a transaction is rejected.
            if case .failure = begin { return nil }
            try session.execute("ROLLBACK")
            loseTransaction()
            return nil
        } catch {
            dropSession(after: error)
            loseTransaction()
            return error
        }
    }

    // MARK: Ending

    /// Commits the transaction of a single statement.
    func commitImplicitTransaction() throws { try commit("COMMIT") }

    /// Rolls back a transaction that the shadow doesn't have: that of a single statement, or one that it has rolled
    /// back.
    func abandonTransaction() {
        rollback()
        lostTransaction = false
    }

    private func rollback() {
        defer { endTransaction(committed: false) }
        guard transaction.isOpen, let session else { return }
        do {
            try waiting(for: session) {
                // An abandoned cursor may have many rows.
                guard !session.hasAbandonedRows else { throw WireError.cancelled }
                try session.execute("ROLLBACK")
            }
        } catch {
            // Without the connection, the leader rolls back.
            session.end()
            self.session = nil
        }
    }

    private func commit(_ sql: String) throws {
        switch transaction {
        case .none, .lazy: endTransaction(committed: true)
        case .open: try commitRead()
        case .writing: try commitWrite(sql)
        }
    }

    /// Ends a transaction that has not written.
    private func commitRead() throws {
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
            directory.forgetLeader(session.connection.address)
            session.end()
            self.session = nil
            throw known(error, "Read again")
        }
        do {
            guard !session.hasAbandonedRows else { throw WireError.cancelled }
            var requests = RequestBuffer()
            try session.add(exec: "COMMIT", to: &requests)
            // The next request reads the response, on which nothing depends.
            try session.sendWithoutAnswer(requests)
        } catch {
            // Nothing was written, so the rows that were read stay valid.
            session.end()
            self.session = nil
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

    private func commitWrite(_ sql: String) throws {
        guard let session, let ticket = tickets.current else {
            loseTransaction()
            throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted")
        }
        defer { guardian.setCommitting(false) }
        do {
            try waiting(for: session) { try checkLateFailure(session) }
            guardian.setCommitting(true)
            // A transaction that was ended because of its duration, or with an access, was not committed.
            guard !session.connection.isBroken else { throw session.failure ?? WireError.cancelled }
        } catch {
            dropSession(after: error)
            loseTransaction()
            throw lostTransactionError(error)
        }
        do {
            try session.execute(sql)
        } catch {
            if let refusal = error as? DatabaseError, isCertain(refusal) {
                if dropSession(after: error) {
                    loseTransaction()
                    throw known(error, "Run the transaction again")
                }
                checkTransaction(session)
                throw error
            }
            session.end()
            directory.forgetLeader(session.connection.address)
            self.session = nil
            return try resolve(ticket, error)
        }
        endTransaction(committed: true)
    }

    /// Whether an error of a COMMIT means that nothing was committed.
    private func isCertain(_ error: DatabaseError) -> Bool {
        if error.extendedResultCode == DatabaseError.notLeader { return true }
        return [.SQLITE_BUSY, .SQLITE_CONSTRAINT].contains(error.resultCode)
            || error.isLostLeader
                && error.resultCode == .SQLITE_NOTFOUND
    }
}
