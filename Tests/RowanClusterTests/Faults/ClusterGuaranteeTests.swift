// The guarantees of tickets and of confirmed reads: they depend on no clock, and on no node alone.

import Foundation
import Rowan
import Testing

@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing), .serialized, .timeLimit(.minutes(1)))
struct ClusterGuaranteeTests {
    private struct Stop: Error {}

    // MARK: Tickets

    /// A transaction that arrives after the question about its ticket is not committed: its connection was slow.
    @Test(arguments: [TicketTable.claim, TicketTable.checkedClaim])
    func aTransactionAfterItsQuestion(_ claim: String) throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try client.createEntries()
        let connection = try client.directory.connectToLeader(until: .now + .seconds(20))
        let session = try ClusterSession(connection, database: client.path, client.directory, foreignKeys: true)
        let version = try #require(try session.rows("PRAGMA schema_version").first?.first)
        func write(_ name: String) throws {
            let values = [name.databaseValue, 1.databaseValue] + (claim == TicketTable.claim ? [] : [version])
            try session.execute(claim, values)
        }
        try write("early")
        try write("early")
        for name in ["early", "late"] {
            try session.execute(TicketTable.fence, [name.databaseValue])
            let refusal = #expect(throws: NodeRefusal.self) { try write(name) }
            #expect(refusal?.message == "integer overflow")
        }
        session.end()
    }

    @Test func aTicketBeforeTheCommit() async throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try client.createEntries()
        let first = try await client.write { db in
            try db.insert(1)
            return try client.ticket(db)
        }
        // The transaction has not written yet.
        let second = try await client.write { db in
            let ticket = try client.ticket(db)
            #expect(try client.ticket(db) == ticket)
            try db.insert(2)
            return ticket
        }
        let third = Mutex<TransactionTicket?>(nil)
        await #expect(throws: Stop.self) {
            try await client.write { db in
                try db.insert(3)
                let ticket = try client.ticket(db)
                third.withLock { $0 = ticket }
                throw Stop()
            }
        }
        // The ticket survives the savepoint in which it was requested.
        let fourth = try await client.write { db in
            var ticket: TransactionTicket?
            try db.inSavepoint {
                try db.insert(100)
                ticket = try client.ticket(db)
                return .rollback
            }
            try db.insert(4)
            return try #require(ticket)
        }
        try client.insert(5)
        #expect(try client.entries() == [1, 2, 4, 5])
        let rolledBack = try #require(third.withLock { $0 })
        #expect(Set([first, second, rolledBack, fourth].map(\.client)).count == 4)
        let other = try cluster.client()
        #expect(try await other.outcome(of: first) == .committed)
        #expect(try await other.outcome(of: second) == .committed)
        #expect(try await other.outcome(of: rolledBack) == .rolledBack)
        #expect(try await other.outcome(of: fourth) == .committed)
    }

    @Test func ticketsBelongToWrites() throws {
        let cluster = try FaultyCluster()
        let (client, other) = (try cluster.client(), try cluster.client())
        let queue = try DatabaseQueue()
        func message(_ body: () throws -> Void) -> String? {
            let error = #expect(throws: DatabaseError.self) { try body() }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            return error?.message
        }
        let writes = "a ticket belongs to a transaction that writes: call it in `write`"
        #expect(message { try client.read { _ = try client.ticket($0) } } == writes)
        #expect(message { try client.writeWithoutTransaction { _ = try client.ticket($0) } } == writes)
        let foreign = "the connection belongs to another database: use that of `write`"
        #expect(message { try other.write { _ = try client.ticket($0) } } == foreign)
        #expect(message { try queue.write { _ = try client.ticket($0) } } == foreign)
    }

    /// Runs the SQL of the driver on the leader.
    private func execute(_ client: DatabaseCluster, _ sql: String...) throws {
        let connection = try client.directory.connectToLeader(until: .now + .seconds(20)) { _ in }
        let session = try ClusterSession(connection, database: "faults", client.directory, foreignKeys: true)
        defer { session.end() }
        for statement in sql { try session.execute(statement) }
    }

    /// A removal never turns a committed transaction into one that was rolled back.
    @Test func removedTicketsAreUnknown() async throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try client.createEntries()
        func ticket(_ client: DatabaseCluster, _ number: Int, commits: Bool = true) throws -> TransactionTicket {
            let ticket = Mutex<TransactionTicket?>(nil)
            do {
                try client.write { db in
                    try db.insert(number)
                    let current = try client.ticket(db)
                    ticket.withLock { $0 = current }
                    if !commits { throw Stop() }
                }
            } catch is Stop {}
            return try #require(ticket.withLock { $0 })
        }
        let (committed, rolledBack) = (try ticket(client, 1), try ticket(client, 2, commits: false))
        #expect(try await client.outcome(of: committed) == .committed)
        func addClients(_ prefix: String) throws {
            try execute(
                client,
                """
                WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n <= \(TicketTable.keptCount))
                INSERT INTO rowan_client (client, sequence, generation)
                SELECT '\(prefix)' || n, 1, ifnull((SELECT sequence FROM rowan_client WHERE client = ''), 0) FROM c
                """)
        }
        try addClients("a")
        // The first removal keeps the rows that were written since the one before it.
        _ = try cluster.client().entries()
        try cluster.client().insert(3)
        #expect(try await client.outcome(of: committed) == .committed)
        try execute(client, "UPDATE rowan_client SET fence = 0 WHERE client = ''")
        try cluster.client().insert(4)
        #expect(try await client.outcome(of: committed) == .unknown)
        #expect(try await client.outcome(of: rolledBack) == .unknown)
        // A client that is older than the removals continues.
        #expect(try await client.outcome(of: ticket(client, 5)) == .committed)
        #expect(try await client.outcome(of: ticket(client, 6, commits: false)) == .rolledBack)
        let young = try cluster.client()
        #expect(try await client.outcome(of: ticket(young, 7, commits: false)) == .rolledBack)
        #expect(try client.entries() == [1, 3, 4, 5])
    }

    /// The leader is gone when the ticket is requested: what follows must not be committed on its own.
    @Test func aTicketOfALostTransaction() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try client.createEntries()
        func fails(_ body: () throws -> Void) -> Bool {
            do { try body() } catch { return error is DatabaseError }
            return false
        }
        let results = Mutex<[Bool]>([])
        let isLost = fails {
            try client.write { db in
                _ = try Int.fetchAll(db, sql: "SELECT n FROM entry")
                cluster.nodes.kill(try cluster.nodes.leader())
                let failures = [fails { _ = try client.ticket(db) }, fails { try db.insert(1) }]
                results.withLock { $0 = failures + [!db.isInsideTransaction] }
            }
        }
        #expect(isLost)
        #expect(results.withLock { $0 } == [true, true, true])
        try client.insertPersistently(2)
        #expect(try client.entries() == [2])
    }

    /// Another client has changed the order of the columns since the client has read the schema.
    @Test func aTicketAfterASchemaChange() throws {
        let cluster = try FaultyCluster()
        let (client, other) = (try cluster.client(), try cluster.client())
        try client.write { db in
            try db.execute(sql: "CREATE TABLE pair (a TEXT, b TEXT)")
            try db.execute(sql: "INSERT INTO pair VALUES ('a', 'b')")
        }
        #expect(try client.read { try Row.fetchOne($0, sql: "SELECT * FROM pair") } == ["a": "a", "b": "b"])
        try other.write { db in
            try db.execute(sql: "DROP TABLE pair")
            try db.execute(sql: "CREATE TABLE pair (b TEXT, a TEXT)")
            try db.execute(sql: "INSERT INTO pair VALUES ('b', 'a')")
        }
        let row = try client.write { db in
            _ = try client.ticket(db)
            return try Row.fetchOne(db, sql: "SELECT * FROM pair")
        }
        #expect(row == ["b": "b", "a": "a"])
    }

    // MARK: Confirmed reads

    /// The client lists a node by two names, and a voter is down.
    @Test func confirmationsWithAnotherNameOfANode() throws {
        let cluster = try FaultyCluster()
        try cluster.client().createEntries()
        let leader = try cluster.nodes.leader()
        let follower = try #require(try cluster.nodes.followers().first)
        let alias = cluster.nodes.addresses[leader].description.replacingOccurrences(of: "127.0.0.1", with: "localhost")
        var options = ClusterOptions()
        options.connectTimeout = .milliseconds(500)
        options.consistency = .confirmed
        let client = try DatabaseCluster(
            addresses: cluster.nodes.addresses.map(\.description) + [alias], database: "faults", options: options)
        #expect(try client.entries() == [])
        cluster.nodes.kill(follower)
        #expect(try client.entries() == [])
        // The frozen node is not waited for more than once in a while.
        try cluster.nodes.restart(follower)
        cluster.nodes.pause(follower)
        #expect(try client.entries() == [])
        cluster.nodes.resume(follower)
    }

    @Test func aLeaderThatWasDeposedDuringARead() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client { $0.consistency = .confirmed }
        try client.createEntries()
        try client.insert(1)
        func lead(_ index: Int) throws {
            while try cluster.nodes.leader() != index {
                do { try cluster.transferLeader(to: index) } catch is NodeProcess.Failure { usleep(10_000) }
            }
        }
        let leader = try cluster.nodes.leader()
        let next = try #require(try cluster.nodes.followers().first)
        #expect(try client.entries() == [1])
        let error = #expect(throws: DatabaseError.self) {
            try client.read { db in
                #expect(try Int.fetchAll(db, sql: "SELECT n FROM entry") == [1])
                try lead(next)
                try lead(leader)
            }
        }
        #expect(error?.isLeaderChange == true)
        #expect(try client.entries() == [1])
    }

    /// A node that has lost its data founds a cluster of its own, whose only member it is.
    @Test func anEmptiedNodeConfirmsNothing() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try client.createEntries()
        try client.insert(1)
        cluster.nodes.kill(0)
        _ = try cluster.nodes.leader()
        for index in 1..<3 { cluster.nodes.pause(index) }
        try FileManager.default.removeItem(at: cluster.nodes.folder.appendingPathComponent("node1"))
        try cluster.nodes.start(0)
        let error = #expect(throws: DatabaseError.self) {
            let reader = try cluster.client {
                $0.consistency = .confirmed
                $0.failoverTimeout = .seconds(1)
            }
            return try reader.read { try $0.tableExists("entry") }
        }
        #expect(error?.isLeaderChange == true)
        #expect(error?.message?.contains("only 1 of 3 nodes confirm the leader") == true, "\(error as Any)")
        for index in 1..<3 { cluster.nodes.resume(index) }
    }
}
