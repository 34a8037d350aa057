// Backups: a database file from a node that doesn't lead, if possible, so that the leader isn't kept from its clients.
// Such a node may be behind: the file is accepted only if it contains a transaction committed after the backup began.

import RowanPlatform
import Rowan

/// Copies a database of a cluster into a file.
@_spi(Node)
public struct ClusterBackup: Sendable {
    /// The node that may supply the file.
    public enum Source: Sendable {
        /// A voter or standby that doesn't lead; the leader only if no other node can.
        case follower
        /// The leader.
        case leader
        /// The first of the given nodes that has the database, even if the cluster has no leader.
        case anyNode
    }

    /// A completed backup.
    public struct Result: Sendable {
        /// The address of the node that has supplied the file.
        public let address: String
        /// Whether the node was the leader; nil if unknown.
        public let isLeader: Bool?
        /// The size of the file.
        public let byteCount: Int
    }

    private let cluster: ClusterAdministration
    private let database: String

    /// How long to wait for the first leader.
    private static let patience = Duration.seconds(20)
    /// How long followers may be behind before the leader supplies the file.
    private static let followerPatience = Duration.seconds(10)
    /// The maximum time for a node to send the files.
    private static let transferTime = Duration.seconds(300)

    /// - Parameters:
    ///   - cluster: some nodes of the cluster.
    ///   - database: the name of the database.
    public init(_ cluster: ClusterAdministration, database: String) {
        (self.cluster, self.database) = (cluster, database)
    }

    /// Writes the database to a file, which appears only when it is complete, checked, and on the disk.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - overwrites: whether to replace an existing file.
    ///   - source: the node that may supply it.
    /// - Throws: ``ClusterAdministrationError``.
    public func write(
        to path: String, overwrites: Bool, from source: Source
    ) throws(ClusterAdministrationError)
        -> Result
    {
        do {
            try Self.check(path, overwrites)
            let temporary = "\(path).rowan-\(getpid())"
            DumpedFiles.remove(temporary)
            defer { DumpedFiles.remove(temporary) }
            let result = try copy(to: temporary, from: source)
            guard rename(temporary, path) == 0 else { throw DumpedFiles.failure(path) }
            try DumpedFiles.synchronize(Self.folder(of: path))
            return result
        } catch let error as ClusterAdministrationError {
            throw error
        } catch {
            throw ClusterAdministrationError(reason(of: error))
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func check(_ path: String, _ overwrites: Bool) throws {
        var information = stat()
        if lstat(path, &information) == 0 {
            guard information.st_mode & S_IFMT == S_IFREG else {
                throw ClusterAdministrationError("\(path) isn't a file: choose another path")
            }
            guard overwrites else {
                throw ClusterAdministrationError("\(path) exists: choose another path, or pass --overwrite")
            }
        }
        // SQLite would apply the log of the replaced file to the new one.
        for suffix in ["-wal", "-journal"] where lstat(path + suffix, &information) == 0 {
            throw ClusterAdministrationError(
                "\(path)\(suffix) belongs to another database: close or remove that database, or choose another path")
        }
    }

    // MARK: Nodes

    private struct Candidate {
        let address: NodeAddress
        let isLeader: Bool?
    }

    private func copy(to path: String, from source: Source) throws -> Result {
        guard source != .anyNode else {
            let candidates = cluster.addresses.map { Candidate(address: $0, isLeader: nil) }
            var problems: [String] = []
            if let result = try copy(to: path, from: candidates, after: nil, &problems) { return result }
            throw failure(problems)
        }
        let ticket = try commitTicket()
        let (members, leader) = try cluster.members(within: Self.patience)
        let followers =
            source == .leader
            ? []
            : try members.filter { $0.id != leader.id && [.voter, .standby].contains($0.role) }.shuffled()
                .map { Candidate(address: try NodeAddress($0.address), isLeader: false) }
        let deadline = Self.followerPatience.deadline
        var problems: [String] = []
        repeat {
            problems = []
            if let result = try copy(to: path, from: followers, after: ticket, &problems) { return result }
            guard problems.contains(Self.behind) else { break }
            pauseThread(for: .milliseconds(200))
        } while ContinuousClock.now < deadline
        let last = Candidate(address: try NodeAddress(leader.address), isLeader: true)
        if let result = try copy(to: path, from: [last], after: ticket, &problems) { return result }
        throw failure(problems)
    }

    private static let behind = "a node is behind"

    private func failure(_ problems: [String]) -> ClusterAdministrationError {
        ClusterAdministrationError(
            "no node has supplied the database \(database): \(problems.joined(separator: "; ")). Try again")
    }

    /// Commits a transaction that changes only its ticket. A copy with the ticket contains everything committed earlier.
    private func commitTicket() throws -> TransactionTicket {
        let cluster = try DatabaseCluster(
            addresses: cluster.addresses.map(\.description), database: database, options: cluster.options)
        defer { cluster.closeAfterUse() }
        // A node creates an unknown database when it is opened.
        guard try cluster.read({ try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }) != 0 else {
            throw ClusterAdministrationError(
                "the cluster has no database named \(database), or it is empty: check --database")
        }
        return try cluster.writeRetrying { try cluster.ticket($0) }
    }

    /// The copy of the first node that has a current one.
    ///
    /// - Parameters:
    ///   - ticket: the ticket of a transaction that the copy must contain.
    ///   - problems: receives why nodes have supplied none.
    /// - Throws: an error of the file.
    private func copy(
        to path: String, from candidates: [Candidate], after ticket: TransactionTicket?, _ problems: inout [String]
    ) throws -> Result? {
        for candidate in candidates {
            let files: DumpedFiles
            do { files = try dump(from: candidate.address) } catch {
                problems.append("\(candidate.address): \(error)")
                continue
            }
            guard !files.isEmpty else {
                problems.append(ticket == nil ? "\(candidate.address) has no such database" : Self.behind)
                continue
            }
            do {
                try files.write(to: path)
                guard try Self.isCurrent(path, ticket) else { throw ClusterAdministrationError(Self.behind) }
            } catch {
                DumpedFiles.remove(path)
                guard let problem = Self.problem(of: error) else { throw error }
                problems.append(problem == Self.behind ? problem : "\(candidate.address): \(problem)")
                continue
            }
            var information = stat()
            guard stat(path, &information) == 0 else { throw DumpedFiles.failure(path) }
            return Result(
                address: candidate.address.description, isLeader: candidate.isLeader,
                byteCount: Int(information.st_size))
        }
        return nil
    }

    private func dump(from address: NodeAddress) throws -> DumpedFiles {
        let patience = ClusterOptions().connectTimeout.deadline
        let connection = try NodeConnection(
            address: address, deadline: patience, through: NodeConnector(transport: cluster.transport))
        defer { connection.close() }
        // A frozen node accepts connections, and the files may take long.
        _ = try connection.ask(.leader, deadline: patience)
        let name = ClusterSession.nameOnNodes(of: database)
        return DumpedFiles(try connection.ask(.files(of: name), deadline: Self.transferTime.deadline))
    }

    /// What is wrong with the copy of a node; nil if the file can't be written.
    private static func problem(of error: any Error) -> String? {
        switch error {
        case let error as ClusterAdministrationError: error.description
        case DatabaseError.SQLITE_CORRUPT, DatabaseError.SQLITE_NOTADB: "its copy is damaged"
        default: nil
        }
    }

    /// Checks a copy.
    ///
    /// - Returns: whether it contains the transaction.
    /// - Throws: ``ClusterAdministrationError`` if it is damaged.
    private static func isCurrent(_ path: String, _ ticket: TransactionTicket?) throws -> Bool {
        let queue = try DatabaseQueue(path: path, configuration: .ofCopies)
        defer { queue.closeAfterUse() }
        return try queue.read { db in
            try checkIntegrity(db, "its copy is damaged")
            guard let ticket else { return true }
            guard try db.tableExists(TicketTable.name) else { return false }
            let sql = "SELECT 1 FROM \(TicketTable.name) WHERE client = ? AND sequence >= ?"
            return try Row.fetchOne(db, sql: sql, arguments: [ticket.client, ticket.sequence]) != nil
        }
    }
}

extension Configuration {
    /// The configuration of a connection that only reads a copy.
    static var ofCopies: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        // Rows that are older than a constraint are no damage.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA ignore_check_constraints = ON") }
        return configuration
    }
}

/// Checks the structure of a database file.
///
/// - Throws: ``ClusterAdministrationError`` with the advice if it is damaged.
func checkIntegrity(_ db: Database, _ advice: String) throws {
    let report: [String]
    do { report = try String.fetchAll(db, sql: "PRAGMA integrity_check") } catch DatabaseError.SQLITE_CORRUPT {
        report = ["SQLite can't read it"]
    }
    // A full-text table without its content is no damage of the file.
    guard let problem = report.first(where: { $0 != "ok" && !$0.contains("inverted index") }) else { return }
    throw ClusterAdministrationError("\(advice) (\(problem))")
}

/// The reason of an error without its statement, which may be long.
func reason(of error: any Error) -> String {
    guard let error = error as? DatabaseError else { return "\(error)" }
    return error.message ?? "\(error.resultCode)"
}

extension DatabaseReader {
    /// Closes a connection without statements.
    func closeAfterUse() {
        // Only a held statement keeps it open, and there is none.
        try? close()
    }
}

extension DatabaseCluster {
    /// Writes in a transaction that is retried if it was not applied because the leader has changed, or because another
    /// client was writing.
    func writeRetrying<T>(_ updates: (Database) throws -> T) throws -> T {
        let deadline = options.failoverTimeout.deadline
        while ContinuousClock.now < deadline {
            do { return try write(updates) } catch let error as DatabaseError
                where error.isLeaderChange || error.resultCode == .SQLITE_BUSY
            {
                pauseThread(for: .milliseconds(.random(in: 10...50)))
            }
        }
        return try write(updates)
    }
}
