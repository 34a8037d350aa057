// Runs the statements of a connection on the leader of a cluster. It manages the transaction and its possible outcomes;
// a session manages the requests.

import RowanPlatform
import Rowan

/// Runs the statements of one connection on the leader.
final class ClusterRunner: StatementRunner {
    let directory: NodeDirectory
    let databaseName: String
    let isReader: Bool
    let busyMode: Database.BusyMode
    private let routing: StatementRouting
    private let foreignKeys: Bool
    /// Ends the requests of a cancelled access and transactions that take too long.
    let guardian: SessionGuard
    /// Confirms the leader, for confirmed reads.
    lazy var confirmation = LeaderConfirmation(directory)

    var session: ClusterSession?
    private(set) var sessionNumber = 0
    /// The settings of the connection, for the next session.
    private var settings: [String: String] = [:]

    var schema = SchemaState()
    var transaction = ClusterTransaction.none
    var tickets: TicketWriter
    /// Whether the open transaction is that of a single statement, which is about to run again.
    var isHoldingLock = false

    /// The replies to statements that have run ahead.
    var ahead: [ReplyAhead] = []

    private(set) var lastInsertedRowID: Int64 = 0
    private(set) var changesCount = 0
    private(set) var totalChangesCount = 0

    init(_ directory: NodeDirectory, database: String, configuration: Configuration, isReader: Bool) {
        self.directory = directory
        self.databaseName = database
        self.isReader = isReader
        busyMode =
            (isReader ? configuration.readonlyBusyMode : configuration.writerBusyMode) ?? configuration.busyMode
        foreignKeys = configuration.foreignKeysEnabled
        routing = StatementRouting(isReadonlyDatabase: configuration.readonly)
        guardian = SessionGuard(directory.options.transactionTimeout)
        tickets = TicketWriter(database)
    }

    // MARK: Seam

    func place(of candidate: RemoteCandidate) throws -> StatementPlace { try routing.place(of: candidate) }

    func concernsSchema(_ pragma: StatementProfile.Pragma) -> Bool { routing.concernsSchema(pragma) }

    func definition(_ sql: String) -> String { ColumnDefinitions.withLengths(sql) }

    func takeSchema() -> RemoteSchema? { schema.take() }

    func forgetSchema() { schema.forget() }

    func takeLostTransaction() -> Bool {
        defer { _ = transaction.apply(.reported) }
        return transaction == .lost
    }

    var isInTransaction: Bool { transaction.isPresent }

    func isUncertain(_ error: any Error) -> Bool { error is UnknownOutcomeError }

    func isOutage(_ error: any Error) -> Bool { (error as? DatabaseError)?.isLeaderChange == true }

    func forget(_ statements: [Int]) { session?.forget(statements) }

    func interrupt() { guardian.interrupt() }

    func close() { endSession() }

    /// Runs a request of the connection. Errors about the cluster become errors for the program.
    func running<T>(_ advice: String, _ body: () throws -> T) throws -> T {
        do { return try guardian.running(body) } catch { throw known(error, advice) }
    }

    // MARK: Sessions

    /// The session, opened if necessary.
    ///
    /// - Precondition: no transaction has begun on the leader.
    func openSession(until deadline: ContinuousClock.Instant) throws -> ClusterSession {
        // An interruption may have come too late for the access that it was intended for.
        if let session, !session.isBroken { return session }
        endSession()
        defer { guardian.stopWaiting() }
        let connection = try directory.connectToLeader(until: deadline) { try guardian.wait(for: $0) }
        do {
            try guardian.wait(for: connection)
            let made = try ClusterSession(connection, database: databaseName, directory, foreignKeys: foreignKeys)
            made.guardian = guardian
            for (_, sql) in settings.sorted(by: { $0.key < $1.key }) { try made.execute(sql) }
            // The leader has changed: a removal of tickets may have preceded.
            if schema.hasTicketTable, !isReader {
                do { try readGeneration(made) } catch let refusal as NodeRefusal
                    where refusal.resultCode == .SQLITE_ERROR
                {
                    // The nodes have lost their data: the table is created again.
                    schema.forgetTicketTable()
                }
            }
            session = made
            sessionNumber += 1
            return made
        } catch {
            connection.close()
            directory.forgetLeader(connection.address)
            throw error
        }
    }

    func remember(_ setting: StatementProfile.Pragma, _ sql: String) { settings[setting.name] = sql }

    /// Runs a request that changes nothing, on the next leader if the current one is gone.
    ///
    /// A node that runs a long statement does not respond, and loses the lead. On one leader after another, such a
    /// statement would take all of them away from the other clients.
    ///
    /// - Precondition: no transaction has begun on the leader.
    /// - Throws: SQLITE_INTERRUPT if the request has silenced two leaders.
    func retryingLeader<T>(_ body: (ClusterSession) throws -> T) throws -> T {
        let deadline = directory.options.failoverTimeout.deadline
        var hasSilencedLeader = false
        while true {
            do {
                let session = try openSession(until: deadline)
                return try waiting(for: session) { try body(session) }
            } catch {
                guard let failure = dropSession(after: error), failure.isWorthRetrying, ContinuousClock.now < deadline
                else { throw error }
                if case .noResponse(.replaced) = failure {
                    guard !hasSilencedLeader else { throw DatabaseError.silencesLeaders }
                    hasSilencedLeader = true
                }
                directory.options.eventHandler?(.retry(.leader))
                try pause(.random(in: 0.005...0.02))
            }
        }
    }

    /// Sleeps for a short time before a retry.
    ///
    /// - Throws: `WireError.cancelled` if another thread interrupts.
    func pause(_ seconds: Double) throws {
        pauseThread(for: .seconds(seconds))
        try guardian.checkInterruption()
    }

    /// Waits for responses, while another thread may interrupt.
    func waiting<T>(for session: ClusterSession, _ body: () throws -> T) throws -> T {
        let outer = try guardian.wait(for: session.connection)
        defer { guardian.stopWaiting(outer) }
        return try body()
    }

    /// Ends the session if an error makes it unusable.
    ///
    /// - Returns: the failure that has ended it; nil if it was not ended.
    @discardableResult
    func dropSession(after error: any Error) -> ClusterFailure? {
        guard let failure = ClusterFailure(error), failure.endsSession else { return nil }
        endSession(forgettingLeader: true)
        return failure
    }

    /// Ends the session after any error, because the leader may have kept a transaction, which it then rolls back.
    func endSession(after error: any Error) {
        if dropSession(after: error) == nil { endSession() }
    }

    /// - Parameter forgettingLeader: whether the next session first searches for the leader.
    func endSession(forgettingLeader: Bool = false) {
        if forgettingLeader, let session { directory.forgetLeader(session.connection.address) }
        session?.end()
        session = nil
    }

    // MARK: The schema

    /// Reads the schema, which has changed.
    func readSchema(_ session: ClusterSession) throws {
        session.forgetAll()
        var requests = session.pipeline()
        let version = try requests.version()
        let objects = try requests.rows(SchemaState.query)
        let replies = try session.send(requests)
        try schema.set(replies[version], replies[objects])
    }

    func checkSchema() throws { try running("Run the statement again") { try readSchemaIfMoved(confirms: true) } }

    private var writesTickets: Bool { !isReader && !routing.isReadonlyDatabase }

    /// Whether the writer misses the table of its tickets: the nodes may have lost their data.
    var needsTicketTable: Bool { writesTickets && !schema.hasTicketTable }

    /// - Parameter confirms: whether the schema itself was requested, so that its read is confirmed.
    func readSchemaIfMoved(confirms: Bool) throws {
        switch transaction {
        case .announced(.deferred), .announced(.savepoint): try beginIfNeeded(transaction.apply(.read))
        // Without the lock, for which a statement waits: a wait outside statements can't be interrupted.
        case .announced(.immediate), .none:
            let isFirst = !schema.isKnown
            try retryingLeader { session in
                var requests = session.pipeline()
                let version = try requests.version()
                if try session.send(requests)[version] != schema.version { try readSchema(session) }
                // Only an answer after the confirmation proves that the leadership was never interrupted.
                if try confirms && confirmRead(session) { _ = try session.rows("SELECT 1") }
            }
            if writesTickets, isFirst || !schema.hasTicketTable { try prepareTickets() }
        case .open, .writing, .lost, .uncertain: return
        }
    }

    // MARK: Changes of the schema, and settings

    /// Runs a statement that changes the schema or a setting of the connection.
    func change(_ statement: Statement) throws {
        if let pragma = statement.profile.settingPragma { return try set(pragma, statement) }
        let values = try statement.bindings(for: statement.arguments)
        let action = transaction.apply(.write)
        try refuseIfLost(action)
        guard action != .runAlone else {
            try readSchemaIfMoved(confirms: false)
            return try committingAlone { try change(statement, values, $0) }
        }
        try beginIfNeeded(action)
        try inTransaction { try change(statement, values, $0) }
    }

    private func change(_ statement: Statement, _ values: [DatabaseValue], _ session: ClusterSession) throws {
        var requests = session.pipeline()
        let claims = transaction.apply(.write) == .claimAndRun
        let (_, (claim, done)) = try requests.chain { requests in
            let claim = try claims ? self.claim(&requests) : nil
            let done = try requests.execute(statement.sql, values)
            // The statistics would contain a table that the program does not know. Not all nodes have both kinds.
            if SQLTokens.first(1, of: statement.sql).first == .word("analyze") {
                for table in ["sqlite_stat1", "sqlite_stat4"] {
                    try requests.execute("DELETE FROM \(table) WHERE tbl = '\(TicketTable.name)'")
                }
            }
            return (claim, done)
        }
        let version = try requests.version()
        let replies = try session.send(requests)
        try didClaim(claim, replies, session)
        let result = Result { try replies[done] }
        // The schema may have changed, whatever the response about its version: the change must not run again.
        let current = try? replies[version]
        schemaDidChange(session, to: current, isCertain: transaction.isOpen || current == expected(result))
        _ = try result.get()
    }

    /// The version after a change by this connection alone. Outside a transaction, others may have changed the schema
    /// as well, and the shadow does not have their changes.
    private func expected(_ result: Result<RowCounts, any Error>) -> Int64? {
        schema.version.map { result.failure == nil ? $0 &+ 1 : $0 }
    }

    private func set(_ pragma: StatementProfile.Pragma, _ statement: Statement) throws {
        try beginIfNeeded(transaction.apply(.read))
        guard transaction.isOpen else {
            try retryingLeader { try $0.execute(statement.sql) }
            return remember(pragma, statement.sql)
        }
        try inTransaction { try $0.execute(statement.sql) }
        // Inside a transaction, SQLite ignores it: https://sqlite.org/pragma.html#pragma_foreign_keys
        if pragma.name != "foreign_keys" { remember(pragma, statement.sql) }
    }

    /// Runs a change of the schema that commits.
    ///
    /// - Throws: ``UnknownOutcomeError`` without a ticket if there is no response.
    private func committingAlone<T>(_ body: (ClusterSession) throws -> T) throws -> T {
        try waitingForLock { _ in
            let session = try retryingLeader { $0 }
            var mayHaveRun = false
            do {
                return try waiting(for: session) {
                    mayHaveRun = true
                    return try body(session)
                }
            } catch {
                dropSession(after: error)
                guard mayHaveRun, let failure = ClusterFailure(error), failure.mayHaveCommitted else { throw error }
                throw UnknownOutcomeError(ticket: nil, reason: "\(failure)")
            }
        }
    }

    // MARK: Counters

    func count(_ counts: RowCounts) {
        (lastInsertedRowID, changesCount) = (counts.lastInsertedRowID, counts.changes)
        totalChangesCount &+= counts.changes
    }
}
