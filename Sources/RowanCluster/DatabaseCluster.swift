// A database on several machines, as a writer: the same verbs, records and requests as for a local file.

import Foundation
public import Rowan

/// A database that several nodes keep, of which a majority has each commit.
///
/// The nodes run `rowan-node`; the program is their client. Its statements run on the node that leads; if that node fails, the
/// others elect another one, and the client finds it.
///
/// ```swift
/// let cluster = try DatabaseCluster(addresses: ["10.0.0.1:9001", "10.0.0.2:9001", "10.0.0.3:9001"], database: "app")
/// try await cluster.write { db in try Player(name: "Arthur").insert(db) }
/// let players = try await cluster.read { db in try Player.fetchAll(db) }
/// ```
///
/// A write that throws has changed nothing, unless the error is a ``TransactionOutcomeUnknown``.
public final class DatabaseCluster: DatabaseWriter {
    /// The configuration of the connections.
    public let configuration: Configuration
    /// The limits of this client.
    public let options: ClusterOptions
    /// The name of the database in the cluster.
    public let path: String
    private let lanes: RemoteLanes
    let directory: NodeDirectory

    /// A configuration that waits five seconds for the writes of other clients.
    public static var defaultConfiguration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        return configuration
    }

    /// Connects to the leader of a cluster.
    ///
    /// - Parameters:
    ///   - addresses: some of the nodes, as `host:port`. The others are found.
    ///   - database: the name of the database, which is created if it does not exist.
    ///   - configuration: the configuration of the connections. Options that concern a file have no effect.
    ///   - options: the limits of this client.
    /// - Throws: SQLITE_MISUSE for a malformed address; an error with ``Rowan/DatabaseError/isLeaderChange`` if no leader is
    ///   found in time.
    public init(
        addresses: [String], database: String, configuration: Configuration = DatabaseCluster.defaultConfiguration,
        options: ClusterOptions = ClusterOptions()
    ) throws {
        let nodes = try addresses.map(NodeAddress.init)
        guard !nodes.isEmpty else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a cluster needs the address of at least one node")
        }
        try Self.check(name: database)
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

    /// Nodes take other names for files outside of their folder, or for databases in memory.
    private static func check(name: String) throws {
        let isPlain = name.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                || "._-".unicodeScalars.contains($0)
        }
        guard isPlain, (1...200).contains(name.utf8.count), !name.hasSuffix("-wal"), !name.hasPrefix(".") else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "\"\(name.prefix(100))\" is not the name of a database in a cluster: use up to 200 letters, digits, "
                    + "dots, underscores and hyphens of ASCII")
        }
    }

    /// How accesses reach their connections. Not for users.
    public var _routes: DatabaseAccessRoutes { lanes.routes }

    /// Closes the connections, after the running accesses. Later accesses throw SQLITE_MISUSE.
    ///
    /// - Throws: SQLITE_BUSY if the program holds a statement or a cursor: all connections stay open.
    public func close() throws { try lanes.close() }

    /// Ends the running statements: they throw SQLITE_INTERRUPT. A commit is not interrupted.
    public func interrupt() { lanes.interrupt() }

    /// Releases as much memory as possible, after the running accesses.
    public func releaseMemory() { lanes.releaseMemory() }

    /// Reads the last committed state on the connection that writes, before the method returns.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        lanes.readFromWriter(value)
    }

    // MARK: Outcomes

    /// Whether a transaction was committed, after ``TransactionOutcomeUnknown``.
    ///
    /// The answer is final: a transaction that was not applied can't be committed afterwards. It can be found for seven days.
    ///
    /// - Throws: SQLITE_MISUSE for a ticket that is too old, or of another database; an error with
    ///   ``Rowan/DatabaseError/isLeaderChange`` if no leader answers in time: ask again.
    public func outcome(of ticket: TransactionTicket) async throws -> TransactionOutcome {
        guard ticket.database == path else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the ticket is one of the database \(ticket.database): ask a client of that database")
        }
        // A day less than its row is kept: the clocks of clients differ.
        guard -ticket.date.timeIntervalSinceNow < TransactionTicket.lifetime - 86_400 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the ticket is too old: outcomes are kept for six days")
        }
        let question = TicketQuestion(directory, ticket)
        let deadline = options.failoverTimeout.deadline
        return try await offThread { try question.answer(until: deadline) }
    }

    /// Writes in a transaction, which runs again if the leader goes away before it has committed, or if another client holds the
    /// lock of the writer for too long.
    ///
    /// ```swift
    /// try await cluster.write(retrying: 3) { db in try account.update(db) }
    /// ```
    ///
    /// The closure may run several times: all its effects outside of the database must be harmless then.
    ///
    /// - Parameter count: how many times it runs again, at most.
    /// - Throws: the error of the last run; ``TransactionOutcomeUnknown``, after which nothing runs again.
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

/// Runs what waits for the network, without blocking the thread of a task.
func offThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
    }
}
