// Runs statements that read or write rows.

import RowanPlatform
import Rowan

extension ClusterRunner {
    func run(_ statement: RemoteStatement, _ arguments: RemoteArguments) throws -> any RemoteRows {
        try running(transaction.isPresent ? "Run the transaction again" : "Run the statement again") {
            try runStatement(statement, arguments)
        }
    }

    private func runStatement(_ statement: RemoteStatement, _ arguments: RemoteArguments) throws -> any RemoteRows {
        let values = try (0..<arguments.count).map { try DatabaseValue(arguments[$0]) }
        // What was read ahead may no longer be true.
        if !statement.isReadonly { ahead = [] }
        let isHeld = isHoldingLock
        isHoldingLock = false
        let action = transaction.apply(statement.isReadonly ? .read : .write)
        switch action {
        case .runAlone:
            return statement.isReadonly ? try readAlone(statement, values) : try writeAlone(statement, values)
        case .begin(let isImmediate):
            guard isImmediate else { return try retryingLeader { try runFirst(statement, values, $0) } }
            return try waitingForLock { turn in
                try retryingLeader { try runFirst(statement, values, $0, turn: turn) }
            }
        default:
            try refuseIfLost(action)
            guard isHeld else { return try runInTransaction(statement, values) }
            return try inOwnTransaction { try committing { try runInTransaction(statement, values) } }
        }
    }

    // MARK: A statement and its ticket

    /// A statement that was sent, with the ticket of its transaction if it is the first one that writes.
    private struct Sent {
        let statement: RemoteStatement
        let claim: (ticket: TransactionTicket, handle: Pipeline.Handle<RowCounts>)?
        let result: Pipeline.Handle<StatementReply>
        /// After rows of a statement that writes.
        let counters: Pipeline.Handle<RowCounts>?
    }

    /// - Parameters:
    ///   - version: the version of the schema without which the ticket is not written.
    ///   - isComplete: whether all rows arrive with the reply.
    private func append(
        _ statement: RemoteStatement, _ values: [DatabaseValue], claims: Bool, schema version: Int64? = nil,
        isComplete: Bool = false, to requests: inout SessionPipeline
    ) throws -> Sent {
        // A statement that writes runs to completion immediately, as in SQLite.
        let returns = !statement.isReadonly && statement.columnCount > 0
        let claim = try claims ? self.claim(&requests, schema: version) : nil
        let result = try requests.run(statement, values, isComplete: returns || isComplete)
        return Sent(
            statement: statement, claim: claim, result: result,
            counters: try returns ? requests.counters() : nil)
    }

    /// Writes the ticket of the transaction.
    func claim(
        _ requests: inout SessionPipeline, schema version: Int64? = nil
    ) throws -> (ticket: TransactionTicket, handle: Pipeline.Handle<RowCounts>) {
        let (ticket, values) = tickets.claim()
        guard let version else { return (ticket, try requests.execute(TicketTable.claim, values)) }
        return (ticket, try requests.execute(TicketTable.checkedClaim, values + [version.databaseValue]))
    }

    /// Reads the replies to a statement.
    private func receive(
        _ sent: Sent, _ replies: Pipeline.Replies, _ session: ClusterSession
    ) throws -> any RemoteRows {
        let reply = try replies[sent.result]
        if let counters = sent.counters { count(try replies[counters]) }
        if !sent.statement.isReadonly, case .done(let counts) = reply { count(counts) }
        return try rows(of: sent.statement, reply, session)
    }

    /// Reads the response to the ticket. What followed has not run without it.
    func didClaim(
        _ claim: (ticket: TransactionTicket, handle: Pipeline.Handle<RowCounts>)?, _ replies: Pipeline.Replies,
        _ session: ClusterSession
    ) throws {
        guard let claim else { return }
        do { _ = try replies[claim.handle] } catch {
            do { try session.execute("ROLLBACK") } catch { endSession(after: error) }
            loseTransaction()
            throw error
        }
        didClaim(claim.ticket, session)
    }

    /// Called after the transaction has written its ticket: others now wait for it.
    func didClaim(_ ticket: TransactionTicket, _ session: ClusterSession) {
        _ = transaction.apply(.claimed(ticket))
        guardian.beginTransaction(session.connection)
    }

    /// The rows of a statement, at the first one.
    private func rows(
        of statement: RemoteStatement, _ reply: StatementReply, _ session: ClusterSession
    ) throws -> ClusterRows {
        guard case .rows(let parts) = reply else { return ClusterRows() }
        let rows = session.rows(parts)
        try check(rows, statement)
        try rows.start()
        rows.watch(guardian)
        return rows
    }

    /// - Throws: SQLITE_SCHEMA if the rows don't have the columns of the statement on the shadow.
    private func check(_ rows: ClusterRows, _ statement: RemoteStatement) throws {
        guard let count = rows.columnCount, statement.columnCount > 0, count != statement.columnCount else { return }
        rows.close()
        schema.forget()
        throw DatabaseError(
            resultCode: .SQLITE_SCHEMA,
            message:
                "the statement has \(count) columns on the cluster, and \(statement.columnCount) here: run it again")
    }

    // MARK: In a transaction

    private func runInTransaction(_ statement: RemoteStatement, _ values: [DatabaseValue]) throws -> any RemoteRows {
        if !schema.isKnown {
            // The shadow could not apply the schema: the rows would be those of other columns.
            try inTransaction(readSchema)
            throw RemoteSchemaMoved()
        }
        if let reply = takeAhead(statement.number, values) {
            return try inTransaction { try rows(of: statement, reply.get(), $0) }
        }
        let claims = !statement.isReadonly && transaction.apply(.write) == .claimAndRun
        return try inTransaction(counts: { !statement.isReadonly && Self.counts($0, claims) }) { session in
            var requests = session.pipeline()
            // Some failures, such as a full disk, end the transaction: the statement would then commit alone.
            let sent =
                try claims
                ? requests.chain { try append(statement, values, claims: true, to: &$0) }.1
                : append(statement, values, claims: false, to: &requests)
            let replies = try session.send(requests)
            try didClaim(sent.claim, replies, session)
            return try receive(sent, replies, session)
        }
    }

    /// Whether a failed statement counts its changes. One that does not compile leaves those of the statement before it,
    /// which may be the ticket.
    private static func counts(_ refusal: NodeRefusal, _ claims: Bool) -> Bool {
        !claims || refusal.resultCode.primaryResultCode == .SQLITE_CONSTRAINT
    }

    /// Begins a transaction and runs its first statement, in one round trip.
    ///
    /// If the leader has another schema than the shadow, nothing is written. The schema is read, and the statement runs
    /// again in the transaction, which is open.
    ///
    /// - Parameters:
    ///   - turn: how long to wait for the lock; nil to begin without it.
    ///   - commits: whether the statement is also the last one.
    private func runFirst(
        _ statement: RemoteStatement, _ values: [DatabaseValue], _ session: ClusterSession, turn: Duration? = nil,
        commits: Bool = false
    ) throws -> any RemoteRows {
        var requests = session.pipeline()
        let (chain, (begin, version, sent, commit)) = try requests.chain(turn: turn) { requests in
            let begin = try requests.execute(turn == nil ? "BEGIN" : "BEGIN IMMEDIATE")
            let version = try requests.version()
            let sent = try append(
                statement, values, claims: !statement.isReadonly, schema: schema.version ?? 0, isComplete: commits,
                to: &requests)
            return (begin, version, sent, try commits ? requests.execute("COMMIT") : nil)
        }
        let replies: Pipeline.Replies
        do { replies = try session.send(requests) } catch {
            if commits, let ticket = sent.claim?.ticket { try resolveLost(ticket, error) }
            throw error
        }
        try replies[chain]
        _ = try replies[begin]
        let isMoved: Bool
        do {
            isMoved = try replies[version] != schema.version
            if isMoved { try readSchema(session) }
        } catch {
            // The transaction is open.
            endSession(after: error)
            throw error
        }
        let writes = turn != nil
        if isMoved {
            try didBegin(session, writes: writes)
            throw RemoteSchemaMoved()
        }
        if let commit { return try finishAlone(sent, commit, replies, session) }
        let rows = Result {
            if let claim = sent.claim { _ = try replies[claim.handle] }
            return try receive(sent, replies, session)
        }
        // Nothing is committed, so the next leader can begin anew.
        if let error = rows.failure, ClusterFailure(error)?.endsSession == true { throw error }
        try didBegin(session, writes: writes)
        return try settling(session, counts: { !statement.isReadonly && Self.counts($0, true) }) {
            try didClaim(sent.claim, replies, session)
            return try rows.get()
        }
    }

    /// Reads the replies to a statement and its COMMIT.
    private func finishAlone(
        _ sent: Sent, _ commit: Pipeline.Handle<RowCounts>, _ replies: Pipeline.Replies, _ session: ClusterSession
    ) throws -> any RemoteRows {
        try didBegin(session)
        try committingChangesOfFailure {
            try settling(session, counts: { Self.counts($0, true) }) {
                try didClaim(sent.claim, replies, session)
                _ = try replies[sent.result]
            }
        }
        if let ticket = sent.claim?.ticket {
            do { try finishCommit(ticket, session) { _ = try replies[commit] } } catch {
                throw known(error, "Run the statement again")
            }
        }
        return try receive(sent, replies, session)
    }

    /// Finds out whether a statement that commits itself has run: the connection has ended without a response.
    ///
    /// - Throws: ``UnknownOutcomeError`` if it may have run.
    private func resolveLost(_ ticket: TransactionTicket, _ error: any Error) throws {
        endSession(forgettingLeader: true)
        for event in [.began, .claimed(ticket), .didNotRespondToCommit] as [ClusterTransaction.Event] {
            _ = transaction.apply(event)
        }
        do { try resolve(ticket, error) } catch is DatabaseError {
            // Nothing was changed.
            throw known(error, "Run the statement again")
        }
        tickets.leaveRow()
        throw UnknownOutcomeError(ticket: ticket, reason: "the statement was committed, but its response was lost")
    }

    // MARK: Ahead

    func runAhead(_ statements: [(RemoteStatement, [DatabaseValue])]) throws {
        // Outside a transaction, each statement has one of its own.
        guard transaction.isOpen, schema.isKnown else { return }
        try running("Run the transaction again") {
            try inTransaction { session in
                var requests = session.pipeline()
                let handles = try statements.map { try requests.run($0, $1, isComplete: true) }
                let replies = try session.send(requests)
                // Those of other queries may still wait for their run.
                ahead += zip(statements, handles).map { statement, handle in
                    ReplyAhead(number: statement.0.number, values: statement.1, reply: Result { try replies[handle] })
                }
            }
        }
    }

    private func takeAhead(_ number: Int, _ values: [DatabaseValue]) -> Result<StatementReply, any Error>? {
        guard let index = ahead.firstIndex(where: { $0.number == number && $0.values == values }) else { return nil }
        return ahead.remove(at: index).reply
    }

    // MARK: Outside a transaction

    /// A separate transaction. Otherwise, another client could change the schema between its version and the rows.
    private func readAlone(_ statement: RemoteStatement, _ values: [DatabaseValue]) throws -> any RemoteRows {
        try retryingLeader { session in
            let isConfirmed = directory.options.consistency == .confirmed
            var requests = session.pipeline()
            let (_, (begin, version, sent)) = try requests.chain { requests in
                (
                    try requests.execute("BEGIN"), try requests.version(),
                    try append(statement, values, claims: false, isComplete: isConfirmed, to: &requests)
                )
            }
            let replies = try session.send(requests)
            _ = try replies[begin]
            do {
                guard try replies[version] == schema.version else {
                    try session.endReadAfterRows()
                    try readSchema(session)
                    throw RemoteSchemaMoved()
                }
            } catch let error where !(error is RemoteSchemaMoved) {
                // The transaction may still be open.
                session.end()
                throw error
            }
            let rows: any RemoteRows
            do { rows = try receive(sent, replies, session) } catch {
                if ClusterFailure(error)?.endsSession != true { try session.endReadAfterRows() }
                throw error
            }
            // Only an answer after the confirmation proves that the leadership was never interrupted.
            guard try confirmRead(session) else {
                try session.endReadAfterRows()
                return rows
            }
            do { try session.execute("COMMIT") } catch {
                // The transaction may still be open.
                session.end()
                throw error
            }
            return rows
        }
    }

    /// Runs a statement that writes in a transaction of its own: in one round trip if no other client writes.
    private func writeAlone(_ statement: RemoteStatement, _ values: [DatabaseValue]) throws -> any RemoteRows {
        if !schema.isKnown || needsTicketTable { try readSchemaIfMoved(confirms: false) }
        guard !schema.hasNew else { throw RemoteSchemaMoved() }
        _ = transaction.apply(.begin(isImmediate: true))
        return try inOwnTransaction {
            do {
                // What it retries has not begun.
                return try retryingLeader { try runFirst(statement, values, $0, turn: .zero, commits: true) }
            } catch let error where ClusterFailure(error)?.isBusy == true && !transaction.isOpen {
                // What waits does not commit, so that the wait can be interrupted.
                return try committing {
                    try waitingForLock { turn in
                        try retryingLeader { try runFirst(statement, values, $0, turn: turn) }
                    }
                }
            }
        }
    }

    /// Ends the transaction of a single statement if the statement fails. If only the schema has moved, the transaction
    /// stays open for the next attempt: without the lock, the schema could move again.
    private func inOwnTransaction<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch is RemoteSchemaMoved where transaction.isOpen {
            isHoldingLock = true
            throw RemoteSchemaMoved()
        } catch {
            abandonTransaction()
            throw error
        }
    }

    /// Commits the transaction of a single statement after it has run.
    private func committing<T>(_ body: () throws -> T) throws -> T {
        let value = try committingChangesOfFailure(body)
        try commitImplicitTransaction()
        return value
    }

    /// Commits the changes that a failed statement keeps: see ON CONFLICT FAIL.
    private func committingChangesOfFailure<T>(_ body: () throws -> T) throws -> T {
        let before = totalChangesCount
        do { return try body() } catch let refusal as NodeRefusal
            where transaction.isOpen && totalChangesCount != before
        {
            try commitImplicitTransaction()
            throw refusal
        }
    }
}

/// The reply to a statement that has run ahead, until its run.
struct ReplyAhead {
    let number: Int
    let values: [DatabaseValue]
    let reply: Result<StatementReply, any Error>
}

extension DatabaseValue {
    fileprivate init(_ column: StoredColumn) throws {
        switch column {
        case .null: self = .null
        case .integer(let integer): self = integer.databaseValue
        case .real(let double): self = double.databaseValue
        case .text(let bytes): self = String(decoding: bytes, as: UTF8.self).databaseValue
        case .blob(let bytes): self = Data(bytes).databaseValue
        }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
