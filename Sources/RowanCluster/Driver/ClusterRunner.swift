// Runs the statements of a connection on the leader of a cluster. It manages the transaction and its possible outcomes;
// a session manages the requests.

import Foundation
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

    /// The schema version of the shadow; nil before the first one.
    private var schemaVersion: Int64?
    /// The schema version before the transaction, if the transaction has changed the schema.
    private var versionBeforeTransaction: Int64?
    private var newSchema: RemoteSchema?
    var hasNewSchema: Bool { newSchema != nil }
    private(set) var hasTicketTable = false

    var transaction = ClusterTransaction.none
    var lostTransaction = false
    var tickets: TicketWriter

    /// The open savepoints, the outermost one first.
    var savepoints: [String] = []
    /// The number of savepoints that were open when the transaction wrote its ticket. Rolling back to one of them
    /// removes it.
    var claimDepth = 0
    /// Whether the outermost savepoint is the transaction.
    var beganWithSavepoint = false

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

    func takeSchema() -> RemoteSchema? { newSchema.take() }

    func forgetSchema() { (schemaVersion, newSchema) = (nil, nil) }

    var knowsSchema: Bool { schemaVersion != nil }

    func takeLostTransaction() -> Bool {
        defer { lostTransaction = false }
        return lostTransaction
    }

    var isInTransaction: Bool { transaction != .none }

    func isUncertain(_ error: any Error) -> Bool { error is UnknownOutcomeError }

    func isOutage(_ error: any Error) -> Bool { (error as? DatabaseError)?.isLeaderChange == true }

    func forget(_ statements: [Int]) { session?.forget(statements) }

    func interrupt() { guardian.interrupt() }

    func close() {
        session?.end()
        session = nil
    }

    // MARK: Sessions

    /// The session, opened if necessary.
    ///
    /// - Precondition: no transaction has begun on the leader.
    func openSession(until deadline: ContinuousClock.Instant) throws -> ClusterSession {
        // An interruption may have come too late for the access that it was intended for.
        if let session, !session.isBroken, !session.connection.isBroken { return session }
        session?.end()
        session = nil
        defer { guardian.stopWaiting() }
        let connection = try directory.connectToLeader(until: deadline) { try guardian.wait(for: $0) }
        do {
            try guardian.wait(for: connection)
            let made = try ClusterSession(
                connection, database: databaseName, directory.options, foreignKeys: foreignKeys)
            made.guardian = guardian
            for (_, sql) in settings.sorted(by: { $0.key < $1.key }) { try made.execute(sql) }
            session = made
            sessionNumber += 1
            // The leader has changed: a removal of tickets may have preceded.
            if hasTicketTable, !isReader {
                do { try readGeneration(made) } catch let error as DatabaseError where !error.isLostLeader {
                    // The nodes have lost their data: the table is created again.
                    hasTicketTable = false
                    forgetSchema()
                }
            }
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
    /// - Precondition: no transaction has begun on the leader.
    func retryingLeader<T>(_ body: (ClusterSession) throws -> T) throws -> T {
        let deadline = directory.options.failoverTimeout.deadline
        while true {
            do {
                let session = try openSession(until: deadline)
                return try waiting(for: session) { try body(session) }
            } catch {
                guard dropSession(after: error) else { throw error }
                guard (error as? WireError) != .cancelled, (error as? WireError) != .timedOut,
                    ContinuousClock.now < deadline
                else { throw known(error, "Run the statement again") }
                try pause(.random(in: 0.005...0.02), "Run the statement again")
            }
        }
    }

    /// Sleeps for a short time before a retry.
    ///
    /// - Throws: SQLITE_INTERRUPT if another thread interrupts.
    func pause(_ seconds: Double, _ advice: String) throws {
        Thread.sleep(forTimeInterval: seconds)
        do { try guardian.checkInterruption() } catch { throw known(error, advice) }
    }

    /// Waits for responses, while another thread may interrupt.
    func waiting<T>(for session: ClusterSession, _ body: () throws -> T) throws -> T {
        let outer = try guardian.wait(for: session.connection)
        defer { guardian.stopWaiting(outer) }
        return try body()
    }

    /// Ends the session if an error makes it unusable.
    ///
    /// - Returns: whether the session was ended.
    @discardableResult
    func dropSession(after error: any Error) -> Bool {
        let isUseless = error is WireError || (error as? DatabaseError)?.isLostLeader == true
        guard isUseless else { return false }
        if let session {
            directory.forgetLeader(session.connection.address)
            session.end()
        }
        session = nil
        return true
    }

    /// The error for the program.
    func known(_ error: any Error, _ advice: String) -> any Error {
        if let error = error as? WireError { return DatabaseError.lost(error, "Nothing was changed. \(advice)") }
        if let error = error as? DatabaseError, error.isLostLeader, !error.namesNodes {
            return DatabaseError(
                resultCode: DatabaseError.notLeader,
                message: "the leader of the cluster has changed. Nothing was changed. \(advice)")
        }
        return error
    }

    // MARK: The schema

    /// Reads the version that a request has requested.
    ///
    /// - Returns: whether it is the version of the shadow.
    func receiveVersion(_ session: ClusterSession) throws -> Bool {
        guard case .int64(let version)? = try session.receiveRows().first?.first?.storage else {
            throw WireError.malformed("it did not tell the version of the schema")
        }
        return version == schemaVersion
    }

    /// Reads the schema, which has changed.
    func readSchema(_ session: ClusterSession) throws {
        session.forgetAll()
        var requests = RequestBuffer()
        try session.add(query: ClusterSession.version, to: &requests)
        try requests.querySQL(
            db: session.database, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
        try session.send(requests)
        guard case .int64(let version)? = try session.receiveRows().first?.first?.storage else {
            throw WireError.malformed("it did not tell the version of the schema")
        }
        let objects = try session.receiveRows().map { row in
            guard row.count == 4 else { throw WireError.malformed("the schema has \(row.count) columns") }
            func text(_ index: Int) -> String { String.fromDatabaseValue(row[index]) ?? "" }
            return RemoteSchema.Object(
                type: text(0), name: text(1), table: text(2), sql: String.fromDatabaseValue(row[3]))
        }
        schemaVersion = version
        hasTicketTable = objects.contains { $0.name == TicketTable.name }
        newSchema = RemoteSchema(
            version: version, objects: objects.filter { $0.table.lowercased() != TicketTable.name })
    }

    /// Records that the transaction has changed the schema, as the shadow is about to.
    func noteOwnSchemaChange(_ session: ClusterSession) throws {
        if transaction.isOpen, versionBeforeTransaction == nil { versionBeforeTransaction = schemaVersion }
        guard case .int64(let version)? = try session.receiveRows().first?.first?.storage else {
            throw WireError.malformed("it did not tell the version of the schema")
        }
        schemaVersion = version
        session.forgetAll()
    }

    /// Called after the transaction has ended.
    func endTransaction(committed: Bool) {
        transaction = .none
        tickets.end()
        (savepoints, beganWithSavepoint) = ([], false)
        guardian.endTransaction()
        defer { versionBeforeTransaction = nil }
        guard !committed, let before = versionBeforeTransaction else { return }
        schemaVersion = before
        session?.forgetAll()
    }

    /// Called after the transaction was lost.
    func loseTransaction() {
        guard transaction != .none else { return }
        endTransaction(committed: false)
        lostTransaction = true
    }

    func checkSchema() throws { try guardian.running { try readSchemaIfMoved(confirms: true) } }

    /// - Parameter confirms: whether the schema itself was requested, so that its read is confirmed.
    func readSchemaIfMoved(confirms: Bool) throws {
        switch transaction {
        case .open, .writing: return
        case .lazy: try beginLazily()
        case .none:
            let isFirst = schemaVersion == nil
            try retryingLeader { session in
                var requests = RequestBuffer()
                try session.add(query: ClusterSession.version, to: &requests)
                try session.send(requests)
                if try !receiveVersion(session) { try readSchema(session) }
                // Only an answer after the confirmation proves that the leadership was never interrupted.
                if try confirms && confirmRead(session) { _ = try session.rows("SELECT 1") }
            }
            if isFirst, !isReader, !routing.isReadonlyDatabase { try prepareTickets() }
        }
    }

    // MARK: Counters

    static let counters = "SELECT last_insert_rowid(), changes()"

    /// Reads the requested counters of a node.
    func count(_ counters: [[DatabaseValue]]) {
        guard case .int64(let rowID)? = counters.first?.first?.storage,
            case .int64(let changes)? = counters.first?.last?.storage
        else { return }
        count(rowID, Int(changes))
    }

    func count(_ rowID: Int64, _ changes: Int) {
        (lastInsertedRowID, changesCount) = (rowID, changes)
        totalChangesCount &+= changes
    }
}

/// The transaction of a connection to a cluster.
enum ClusterTransaction: Equatable {
    case none
    /// It has begun locally and begins on the leader with its first statement.
    case lazy
    /// It has begun on the leader.
    case open
    /// It has written its ticket.
    case writing

    var isOpen: Bool { self == .open || self == .writing }
}

extension DatabaseError {
    /// Whether the message lists the contacted nodes.
    var namesNodes: Bool {
        message?.hasPrefix("no leader") == true || message?.contains("nodes confirm the leader") == true
    }

    /// Whether a node has responded that it can't continue: the session is no longer usable.
    var isLostLeader: Bool { isLeaderChange || resultCode == .SQLITE_NOTFOUND && message == "no database opened" }
}
