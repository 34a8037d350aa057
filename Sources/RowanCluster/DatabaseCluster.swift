// A database on several machines, as a writer: the same methods, records and requests as for a local file.

import Dispatch
public import Rowan

/// A database that several nodes store. A majority of them has each commit before it returns.
///
/// The nodes run `rowan-node`, and the program is their client. Its statements run on the leader. If that node fails,
/// the others elect a new leader, which the client finds.
///
/// ```swift
/// let cluster = try DatabaseCluster(addresses: ["10.0.0.1:9001", "10.0.0.2:9001"], database: "app")
///
/// // INSERT INTO "player" ("id", "name") VALUES (?,?)
/// try await cluster.write { db in try Player(name: "Arthur").insert(db) }
///
/// // SELECT * FROM "player"
/// let players = try await cluster.read { db in try Player.fetchAll(db) }
/// ```
///
/// A write transaction that throws has changed nothing, unless the error is an ``UnknownOutcomeError``. Each fetch is a
/// round trip to the leader, and so is each commit. A synchronous access blocks its thread meanwhile.
///
/// Functions and collations in Swift, `VACUUM`, `ATTACH`, temporary tables and some pragmas throw SQLITE_MISUSE before
/// anything is sent.
///
/// Article: <doc:PastOneMachine>. Source: <https://dqlite.io/docs>.
public final class DatabaseCluster: DatabaseWriter {
    /// The configuration of the connections, in which observation of other clients is enabled.
    public let configuration: Configuration
    /// The timeouts of this client, and the consistency of its reads.
    public let options: ClusterOptions
    /// The name of the database in the cluster.
    public let path: String
    private let lanes: RemoteLanes
    let directory: NodeDirectory

    /// A configuration whose writes wait up to five seconds while another client writes.
    ///
    /// Start from this configuration: a plain `Configuration` does not wait, and its writes throw SQLITE_BUSY.
    ///
    /// ```swift
    /// var configuration = DatabaseCluster.defaultConfiguration
    /// configuration.maximumReaderCount = 8
    /// ```
    public static var defaultConfiguration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        return configuration
    }

    /// Connects to the leader of a cluster and reads the schema of the database.
    ///
    /// Blocks the current thread, for up to ``ClusterOptions/failoverTimeout`` if the cluster has no leader.
    ///
    /// - Parameters:
    ///   - addresses: some of the nodes, as `host:port`. The client finds the others.
    ///   - database: the name of the database: up to 200 ASCII letters, digits, dots, underscores and hyphens. It is
    ///     created if it does not exist.
    ///   - configuration: the configuration of the connections. It must not set options of a file, such as
    ///     `journalMode`.
    ///   - options: the timeouts of this client, and the consistency of its reads.
    /// - Throws: SQLITE_MISUSE for a malformed address or name, without an address, or for an option of a file; a
    ///   ``Rowan/DatabaseError`` whose `isLeaderChange` is true if no leader is found in time.
    public init(
        addresses: [String], database: String, configuration: Configuration = DatabaseCluster.defaultConfiguration,
        options: ClusterOptions = ClusterOptions()
    ) throws {
        let nodes = try addresses.map(NodeAddress.init)
        guard !nodes.isEmpty else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a cluster needs the address of at least one node")
        }
        try Self.check(name: database)
        try Self.check(configuration)
        var configuration = configuration
        configuration.observesOtherProcesses = true
        configuration.pollingInterval = options.observationInterval
        let directory = NodeDirectory(nodes, options)
        self.configuration = configuration
        self.options = options
        self.directory = directory
        path = database
        lanes = try RemoteLanes(path: database, configuration: configuration) { [configuration] isReader in
            ClusterRunner(directory, database: database, configuration: configuration, isReader: isReader)
        }
    }

    private static func check(_ configuration: Configuration) throws {
        guard let option = configuration.firstFileOption else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a cluster has no file of its own, so `\(option)` has no effect: remove it from the configuration")
    }

    /// Nodes interpret other names as files outside their folder or as databases in memory.
    private static func check(name: String) throws {
        let isPlain = name.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                || "._-".unicodeScalars.contains($0)
        }
        guard isPlain, (1...200).contains(name.utf8.count),
            !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix), !name.hasPrefix(".")
        else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "\"\(name.prefix(100))\" is not the name of a database in a cluster: use up to 200 letters, digits, "
                    + "dots, underscores and hyphens of ASCII")
        }
    }

    /// How accesses reach their connections. Not for users.
    public var _routes: DatabaseAccessRoutes { lanes.routes }

    /// Closes the connections after running accesses have finished. Later accesses throw SQLITE_MISUSE. The nodes keep
    /// running. ``status()`` and ``dump(to:)`` open their own connections and still work.
    ///
    /// - Throws: SQLITE_BUSY if the program holds a statement or a cursor: all connections stay open.
    public func close() throws { try lanes.close() }

    /// Interrupts the running statements, which throw SQLITE_INTERRUPT. A commit is not interrupted.
    ///
    /// A node can't be interrupted, so the client closes its connection and opens another one for the next access.
    public func interrupt() { lanes.interrupt() }

    /// Releases as much memory as possible after running accesses have finished.
    public func releaseMemory() { lanes.releaseMemory() }

    /// Reads the last committed state on the writing connection before the method returns.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        lanes.readFromWriter(value)
    }

    // MARK: Outcomes

    /// Whether a transaction was committed, after ``UnknownOutcomeError``.
    ///
    /// ```swift
    /// switch try await cluster.outcome(of: ticket) {
    /// case .committed: break
    /// case .rolledBack: try await pay()
    /// case .unknown: throw error
    /// }
    /// ```
    ///
    /// The result is final: a transaction that was not applied can't be committed afterwards. The cluster keeps the
    /// tickets of at least the last 10,000 connections that have written. Afterwards, the outcome is
    /// ``TransactionOutcome/unknown``.
    ///
    /// - Throws: SQLITE_MISUSE for a ticket of another database; a ``Rowan/DatabaseError`` whose `isLeaderChange` is true
    ///   if no leader responds within ``ClusterOptions/failoverTimeout``. Retry in this case.
    public func outcome(of ticket: TransactionTicket) async throws -> TransactionOutcome {
        guard ticket.database == path else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the ticket is one of the database \(ticket.database): ask a client of that database")
        }
        let question = TicketQuestion(directory, ticket)
        let deadline = options.failoverTimeout.deadline
        return try await offThread {
            do { return try question.answer(until: deadline) } catch { throw known(error, "Ask again") }
        }
    }

    /// The ticket of a transaction, before its commit. A program that stores it elsewhere can ask for the outcome even
    /// if it ends during the commit.
    ///
    /// ```swift
    /// try await cluster.write { db in
    ///     try payment.insert(db)
    ///     try store(cluster.ticket(db))
    /// }
    /// ```
    ///
    /// It takes one or two round trips.
    ///
    /// - Parameter db: the connection of a write access.
    /// - Throws: SQLITE_MISUSE outside a write transaction of this cluster; the errors of a write.
    public func ticket(_ db: Database) throws -> TransactionTicket {
        let ticket = try db.connection.request { runner -> TransactionTicket? in
            guard let runner = runner as? ClusterRunner, runner.directory === directory else { return nil }
            return try runner.ticketOfTransaction()
        }
        guard let ticket = ticket ?? nil else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the connection belongs to another database: use that of `write`")
        }
        return ticket
    }

    /// Writes in a transaction that is retried if it was not applied because the leader changed before the commit, or
    /// because another client was writing for too long.
    ///
    /// ```swift
    /// // UPDATE "account" SET "balance"=? WHERE "id"=?
    /// try await cluster.write(retrying: 3) { db in try account.update(db) }
    /// ```
    ///
    /// The closure may run several times. Its effects outside the database must then be harmless.
    ///
    /// - Parameters:
    ///   - count: the maximum number of retries.
    ///   - updates: the closure that writes.
    /// - Returns: the value of the run that was committed.
    /// - Throws: the error of the last run, or ``UnknownOutcomeError``, after which the transaction is not retried.
    public func write<T: Sendable>(
        retrying count: Int, _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        for _ in 0..<max(count, 0) {
            do { return try await write(updates) } catch let error as DatabaseError
                where error.isLeaderChange || error.resultCode == .SQLITE_BUSY
            {
                try await Task.sleep(for: .milliseconds(.random(in: 10...50)))
            }
        }
        return try await write(updates)
    }
}

/// Runs work that waits for the network without blocking the thread of a task.
func offThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        onOtherThread { continuation.resume(with: Result(catching: body)) }
    }
}
