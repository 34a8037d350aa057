// A database of a cluster from a file. Rows are sent in transactions of limited size, which a node replicates as one entry
// of its log each. An index is created after the rows, because each transaction would write most of its pages to the log,
// which is in memory; but before the rows of a long table, because a leader that runs a long statement loses the lead.

import RowanPlatform
import Rowan

/// Fills a database of a cluster with the content of a file.
@_spi(Node)
public struct ClusterRestore: Sendable {
    /// A completed restoration.
    public struct Result: Sendable {
        /// The number of tables, including those of virtual tables.
        public let tableCount: Int
        /// The number of rows in them.
        public let rowCount: Int
    }

    private let cluster: ClusterAdministration
    private let database: String

    /// The limits of a transaction: the number of its statements, and of bytes before its last one.
    private static let maximumStatementCount = 256
    private static let maximumByteCount = 1 << 22
    /// The maximum number of rows for which an index is created at once.
    private static let maximumIndexedCount = 100_000

    /// - Parameters:
    ///   - cluster: some nodes of the cluster.
    ///   - database: the name of the database. It must not have tables.
    public init(_ cluster: ClusterAdministration, database: String) {
        (self.cluster, self.database) = (cluster, database)
    }

    /// Sends the content of a file, and compares it with that of the cluster afterwards.
    ///
    /// - Throws: ``ClusterAdministrationError`` that says what was restored and what to do.
    public func run(from path: String) throws(ClusterAdministrationError) -> Result {
        var hasBegun = false
        do {
            guard FileManager.default.fileExists(atPath: path) else {
                throw ClusterAdministrationError("there is no file \(path): check --from")
            }
            let file = try DatabaseQueue(path: path, configuration: .ofCopies)
            defer { file.closeAfterUse() }
            return try file.read { db in try restore(db, path, &hasBegun) }
        } catch {
            let what = hasBegun ? "the database \(database) of the cluster is incomplete" : "nothing was restored"
            let advice =
                hasBegun ? "Restore again, under another name with --database or into a new cluster" : ""
            throw ClusterAdministrationError(
                "\(what): \((error as? ClusterAdministrationError)?.description ?? reason(of: error))"
                    + (advice.isEmpty ? "" : ". \(advice)"))
        }
    }

    private func restore(_ file: Database, _ path: String, _ hasBegun: inout Bool) throws -> Result {
        try checkIntegrity(file, "\(path) is damaged: use another copy")
        let pieces = try ScriptPieces(file)
        var configuration = DatabaseCluster.defaultConfiguration
        // Transactions don't contain all rows that refer to each other.
        configuration.foreignKeysEnabled = false
        var options = cluster.options
        // Each statement takes a round trip.
        options.transactionTimeout = .seconds(120)
        let cluster = try DatabaseCluster(
            addresses: cluster.addresses.map(\.description), database: database, configuration: configuration,
            options: options)
        defer { cluster.closeAfterUse() }
        // The rows of the file may be older than a constraint.
        try cluster.writeWithoutTransaction { try $0.execute(sql: "PRAGMA ignore_check_constraints = ON") }
        let own = TicketTable.name
        let tables = pieces.tables.filter { $0.name != own }
        let longTables = Set(
            try tables.filter { try !$0.isVirtual && count($0.name, file) > Self.maximumIndexedCount }.map(\.name))
        let early = pieces.indexes.filter { longTables.contains($0.table) }
        try createTables(tables, early, cluster, &hasBegun)
        var rows = RowSender(cluster)
        for table in tables where !table.isVirtual {
            try pieces.insertions(into: table.name) { try rows.send($0) }
        }
        try rows.finish()
        if pieces.tables.contains(where: { $0.name == own }) { try copyTickets(pieces) }
        for index in pieces.indexes where !longTables.contains(index.table) {
            try cluster.writeRetrying { try $0.execute(sql: index.definition.terminated) }
        }
        let end = try pieces.end()
        try cluster.writeRetrying { try $0.execute(sql: end) }
        let comparison = ContentComparison(file: file, cluster: cluster)
        try comparison.compareDefinitions(pieces)
        let rowCount = try comparison.compareRows(of: tables.filter { !$0.isVirtual }.map(\.name))
        return Result(tableCount: tables.count, rowCount: rowCount)
    }

    /// Copies the tickets, so that transactions of the original keep their outcome. Clients don't see their table.
    private func copyTickets(_ pieces: ScriptPieces) throws {
        let options = cluster.options
        let directory = NodeDirectory(cluster.addresses, options)
        let connection = try directory.connectToLeader(until: options.failoverTimeout.deadline)
        let session = try ClusterSession(connection, database: database, directory, foreignKeys: false)
        defer { session.end() }
        try pieces.insertions(into: TicketTable.name, verb: "INSERT OR IGNORE INTO") { try session.execute($0) }
    }

    private func count(_ table: String, _ file: Database) throws -> Int {
        try Int.fetchOne(file, sql: "SELECT count(*) FROM \(table.quotedDatabaseIdentifier)") ?? 0
    }

    /// Creates tables and indexes in one transaction.
    private func createTables(
        _ tables: [ScriptPieces.Table], _ indexes: [ScriptPieces.Index], _ cluster: DatabaseCluster,
        _ hasBegun: inout Bool
    ) throws {
        do {
            try cluster.writeRetrying { db in
                if let name = try Self.objects(db).first {
                    throw ClusterAdministrationError(
                        "the database \(database) of the cluster contains \(name) already: restore under another name "
                            + "with --database, or into a new cluster")
                }
                for table in tables where table.isVirtual { try db.execute(sql: table.definition.terminated) }
                // Virtual tables have created the tables of their content, and rows in them.
                let created = Set(try Self.objects(db))
                for table in tables where !table.isVirtual {
                    let sql =
                        created.contains(table.name)
                        ? "DELETE FROM \(table.name.quotedDatabaseIdentifier)" : table.definition.terminated
                    try db.execute(sql: sql)
                }
                for index in indexes { try db.execute(sql: index.definition.terminated) }
            }
        } catch {
            hasBegun = error is UnknownOutcomeError
            throw error
        }
        hasBegun = true
    }

    /// The names of all objects except Rowan's own ones.
    private static func objects(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_master WHERE tbl_name <> ? AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
            arguments: [TicketTable.name])
    }

    /// Sends statements in transactions of limited size.
    private struct RowSender {
        private let cluster: DatabaseCluster
        private var sql = ""
        private var count = 0

        init(_ cluster: DatabaseCluster) { self.cluster = cluster }

        mutating func send(_ statement: String) throws {
            sql += statement
            count += 1
            if count == maximumStatementCount || sql.utf8.count > maximumByteCount { try finish() }
        }

        mutating func finish() throws {
            guard count > 0 else { return }
            try cluster.writeRetrying { [sql] in try $0.execute(sql: sql) }
            (sql, count) = ("", 0)
        }
    }
}
