// Statements outside transactions that write: one round trip, with a ticket.

import Testing

@testable import Rowan
@testable import RowanCluster

@Suite(.timeLimit(.minutes(2))) struct AloneStatementTests {
    private let node = RecordingNode()
    private let scripted: ScriptedNode
    private let cluster: DatabaseCluster

    init() throws {
        (scripted, cluster) = try node.client()
        node.clearLog()
    }

    /// Runs a statement outside a transaction, then ends the node.
    private func run(
        _ sql: String = "INSERT INTO t VALUES (1)", before: (Database) throws -> Void = { _ in }
    ) -> (any Error)? {
        defer { scripted.stop() }
        do {
            try cluster.writeWithoutTransaction { db in
                try before(db)
                node.clearLog()
                try db.execute(sql: sql)
            }
            return nil
        } catch { return error }
    }

    private static let insertion = "INSERT INTO t VALUES (1)"

    @Test(arguments: [insertion, insertion + " RETURNING a"])
    func oneRoundTrip(_ sql: String) {
        #expect(run(sql) == nil)
        let counters = sql.hasSuffix("a") ? [SessionPipeline.counters] : []
        #expect(
            node.log
                == ["BEGIN IMMEDIATE", SessionPipeline.version, TicketTable.checkedClaim, sql] + counters + ["COMMIT"])
    }

    /// A statement that fails changes nothing.
    @Test func theStatementFails() {
        node.refuse(Self.insertion, 19, "constraint failed")
        node.answer(SessionPipeline.counters) { rowsFrame(["n", "m"], [[.integer(1), .integer(0)]]) }
        // The transaction is still open.
        node.answer("BEGIN", nil, RecordingNode.refusal(1, "cannot start a transaction within a transaction"))
        #expect((run() as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT)
        #expect(
            node.statements
                == ["BEGIN IMMEDIATE", TicketTable.checkedClaim, Self.insertion, "BEGIN", "ROLLBACK"])
    }

    /// Of a statement with ON CONFLICT FAIL, the changes before the failure stay.
    @Test func theStatementFailsAndKeepsChanges() {
        node.refuse(Self.insertion, 19, "constraint failed")
        node.answer(SessionPipeline.counters) { rowsFrame(["n", "m"], [[.integer(1), .integer(2)]]) }
        node.answer("BEGIN", nil, RecordingNode.refusal(1, "cannot start a transaction within a transaction"))
        var changes = 0
        let error = run { db in changes = db.totalChangesCount }
        #expect((error as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT)
        #expect(node.statements.suffix(2) == ["BEGIN", "COMMIT"])
        #expect(changes == 0)
    }

    /// A deferred constraint fails with COMMIT.
    @Test func theCommitFails() {
        node.refuse("COMMIT", 787, "FOREIGN KEY constraint failed")
        node.answer("BEGIN", nil, RecordingNode.refusal(1, "cannot start a transaction within a transaction"))
        #expect((run() as? DatabaseError)?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
        #expect(node.statements.suffix(3) == ["COMMIT", "BEGIN", "ROLLBACK"])
    }

    /// Another client writes. What waits for it does not commit, and has two round trips.
    @Test func anotherClientWrites() {
        node.answer("BEGIN IMMEDIATE", RecordingNode.refusal(5, "database is locked"))
        #expect(run() == nil)
        #expect(
            node.statements
                == ["BEGIN IMMEDIATE", "BEGIN IMMEDIATE", TicketTable.checkedClaim, Self.insertion, "COMMIT"])
    }

    /// The statement runs again with the new schema, without giving the lock away.
    @Test func theSchemaHasMoved() throws {
        let error = run { [node] db in
            try db.execute(sql: Self.insertion)
            node.setTables(["t", "u", "rowan_client"])
            // As the node does: the version is another one.
            node.refuse(TicketTable.checkedClaim, 1, "integer overflow")
        }
        #expect(error == nil)
        #expect(
            node.statements == [
                "BEGIN IMMEDIATE", TicketTable.checkedClaim, TicketTable.claim, Self.insertion, "COMMIT",
            ])
    }

    /// The connection ends before the response: the ticket says what has happened.
    @Test(arguments: [TransactionOutcome.committed, .rolledBack])
    func theLeaderIsLost(_ outcome: TransactionOutcome) {
        // An unknown type ends the session.
        node.answer("COMMIT") { frame(255, words(0)) }
        node.answer(TicketTable.question) {
            rowsFrame(["g", "s"], [[.integer(0), outcome == .committed ? .integer(1) : .null]])
        }
        let error = run()
        // The row of a ticket that is answered "rolled back" is fenced, and not used again.
        #expect(node.log.contains(TicketTable.fence) == (outcome == .rolledBack))
        if outcome == .committed {
            #expect((error as? UnknownOutcomeError)?.ticket != nil, "\(error as Any)")
        } else {
            #expect((error as? DatabaseError)?.isLeaderChange == true, "\(error as Any)")
        }
        // It does not run a second time.
        #expect(node.log.count { $0 == Self.insertion } == 1)
    }

    /// A node that does not know chains.
    @Test func anOlderNode() throws {
        let old = try ScriptedNode(requests: { [node] in node.respond($0) }, knowsChains: false)
        defer { old.stop() }
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseCluster(addresses: [old.address], database: "app")
        }
        #expect(error?.resultCode == .SQLITE_PROTOCOL)
        #expect(error?.message?.hasSuffix("update the nodes before the clients") == true)
    }

    /// The next leader runs it, if the first one has not begun.
    @Test(arguments: ["BEGIN IMMEDIATE", SessionPipeline.version])
    func theLeaderChangesBefore(_ refused: String) {
        let error = run { [node] _ in node.refuse(refused, 10_250, "not leader") }
        #expect(error == nil)
        #expect(node.log.contains("open"))
        #expect(node.log.count { $0 == Self.insertion } == 1)
    }

    /// A refusal after BEGIN leaves a transaction on the node, which only the end of the session ends.
    @Test(arguments: [insertion, "SELECT a FROM t"])
    func theVersionIsRefused(_ sql: String) {
        let error = run(sql) { [node] db in
            _ = try Int.fetchAll(db, sql: "SELECT a FROM t")
            node.refuse(SessionPipeline.version, 10, "disk I/O error")
        }
        #expect((error as? DatabaseError)?.resultCode == .SQLITE_IOERR)
        #expect(!node.log.contains(sql))
    }

    /// A statement that does not compile counts no changes: those of the ticket are not the program's.
    @Test func theStatementDoesNotCompile() {
        node.refuse(Self.insertion, 1, "no such function: f")
        node.answer("BEGIN", nil, RecordingNode.refusal(1, "cannot start a transaction within a transaction"))
        var counts: [Int] = []
        defer { scripted.stop() }
        cluster.unsafeReentrantWrite { db in
            do { try db.execute(sql: Self.insertion) } catch {}
            counts = [db.changesCount, db.totalChangesCount]
        }
        #expect(counts == [0, 0])
        #expect(node.statements.suffix(2) == ["BEGIN", "ROLLBACK"])
    }

    /// A statement that is not tried again gives the lock back, and what follows is not committed with it.
    @Test func theSchemaHasMovedAndTheTableIsGone() throws {
        defer { scripted.stop() }
        try cluster.writeWithoutTransaction { db in
            try db.execute(sql: Self.insertion)
            node.setTables(["u", "rowan_client"])
            node.refuse(TicketTable.checkedClaim, 1, "integer overflow")
            #expect(throws: DatabaseError.self) { try db.execute(sql: Self.insertion) }
            node.setTables(["t", "u", "rowan_client"])
            node.clearLog()
            try db.execute(sql: "BEGIN")
            try db.execute(sql: "SAVEPOINT s")
            try db.execute(sql: "INSERT INTO u VALUES (1)")
            #expect(!node.log.contains { $0.hasPrefix("COMMIT") })
            try db.execute(sql: "ROLLBACK")
        }
        #expect(node.log.last == "ROLLBACK")
    }
}
