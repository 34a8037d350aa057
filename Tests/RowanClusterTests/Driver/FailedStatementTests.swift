// Statements that fail in a transaction: what the leader has kept of it, which the protocol does not report, decides
// what follows.

import Testing

@testable import Rowan
@testable import RowanCluster

@Suite(.timeLimit(.minutes(2))) struct FailedStatementTests {
    private let node = RecordingNode()
    private let scripted: ScriptedNode
    private let cluster: DatabaseCluster

    init() throws {
        (scripted, cluster) = try node.client()
        try cluster.write { try $0.execute(sql: "INSERT INTO t VALUES (0)") }
        node.clearLog()
    }

    /// Runs accesses, then ends the node.
    private func run(_ body: () throws -> Void) rethrows {
        defer { scripted.stop() }
        try body()
    }

    private func error(_ access: (Database) throws -> Void) -> DatabaseError? {
        cluster.unsafeReentrantWrite { db in
            do {
                try db.inTransaction(.immediate) {
                    try access(db); return .commit
                }
            } catch {
                return error as? DatabaseError ?? DatabaseError(resultCode: .SQLITE_INTERNAL)
            }
            return nil
        }
    }

    private func insert(_ number: Int) -> (Database) throws -> Void {
        { try $0.execute(sql: "INSERT INTO t VALUES (\(number))") }
    }

    /// Whether the leader still has the transaction is unknown, so its session ends.
    @Test func theCheckOfTheTransactionFails() {
        run {
            node.refuse("INSERT INTO t VALUES (1)", 19, "constraint failed")
            node.answer("BEGIN", nil, RecordingNode.refusal(10, "disk I/O error"))
            #expect(error(insert(1))?.resultCode == .SQLITE_CONSTRAINT)
            node.clearLog()
            #expect(error(insert(2)) == nil)
            #expect(node.log.first == "open")
        }
    }

    /// What followed without a ticket must not be committed, even if the leader does not roll back.
    @Test func theTicketAndItsRollbackAreRefused() {
        run {
            node.refuse(TicketTable.checkedClaim, 10, "disk I/O error")
            node.refuse("ROLLBACK", 1, "cannot rollback - no transaction is active")
            #expect(error(insert(1))?.resultCode == .SQLITE_IOERR)
            #expect(!node.log.contains { $0.hasPrefix("COMMIT") })
            node.clearLog()
            #expect(error(insert(2)) == nil)
            #expect(node.log.first == "open")
        }
    }

    /// A ticket whose failure has ended the transaction: the statement behind it does not run.
    @Test(arguments: ["INSERT INTO t VALUES (1)", "CREATE TABLE u (a)"])
    func theTicketEndsTheTransaction(_ sql: String) {
        run {
            // A change of the schema has its own BEGIN.
            let claim = sql.hasPrefix("CREATE") ? TicketTable.claim : TicketTable.checkedClaim
            node.refuse(claim, 13, "database or disk is full")
            #expect(error { try $0.execute(sql: sql) }?.resultCode == .SQLITE_FULL)
            #expect(node.statements == ["BEGIN IMMEDIATE", claim, "ROLLBACK"])
        }
    }

    /// The rows of an earlier query end the session: the leader has changed, and nothing was interrupted.
    @Test func theLeaderIsLostBeforeCommit() {
        run {
            let part = rowsFrame(["a"], [[.integer(1)]], isLast: false)
            let error = error { db in
                try insert(1)(db)
                node.answer("SELECT a") { part + frame(255, words(0)) }
                _ = try Int.fetchOne(db, sql: "SELECT a FROM t ORDER BY a")
            }
            #expect(error?.isLeaderChange == true, "\(error as Any)")
            #expect(!node.log.contains { $0.hasPrefix("COMMIT") })
        }
    }

    /// The next leader gives the rows that the first one could not, if no row has arrived.
    @Test func theFirstRowFails() throws {
        try run {
            let failure = frame(0, words(10_250) + text("not leader"))
            node.answer("SELECT a") { rowsFrame(["a"], [], isLast: false) + failure }
            let rows = try cluster.unsafeRead { try Int.fetchAll($0, sql: "SELECT a FROM t") }
            #expect(rows == [1])
        }
    }

    /// SQLite ignores the setting inside a transaction, so the next session must not have it.
    @Test func foreignKeysInATransaction() {
        run {
            #expect(error { try $0.execute(sql: "PRAGMA foreign_keys = OFF") } == nil)
            node.refuse("BEGIN IMMEDIATE", 10_250, "not leader")
            #expect(error(insert(1)) == nil)
            #expect(node.log.filter { $0.hasPrefix("PRAGMA foreign_keys") }.last == "PRAGMA foreign_keys = ON")
        }
    }

    /// A transaction that is lost, which the program does not know yet: a setting does not run outside it.
    @Test func aPragmaInALostTransaction() {
        run {
            let sql = "PRAGMA recursive_triggers = ON"
            let error = error { db in
                try insert(1)(db)
                _ = try db.connection.request { runner in
                    _ = (runner as? ClusterRunner)?.transaction.apply(.lost)
                }
                try db.execute(sql: sql)
            }
            #expect(error?.resultCode == .SQLITE_ABORT)
            #expect(!node.log.contains(sql))
        }
    }

    // MARK: Counters

    /// The changes of a statement that returns rows are counted once, whether it fails or not.
    @Test func aFailedStatementThatReturnsRows() {
        run {
            node.refuse("INSERT INTO t VALUES (1)", 19, "constraint failed")
            node.answer("SELECT last_insert_rowid") { rowsFrame(["n", "m"], [[.integer(9), .integer(3)]]) }
            var (before, after) = (0, 0)
            let error = error { db in
                before = db.totalChangesCount
                do { _ = try Row.fetchAll(db, sql: "INSERT INTO t VALUES (1) RETURNING a") } catch {
                    after = db.totalChangesCount
                    throw error
                }
            }
            #expect(error?.resultCode == .SQLITE_CONSTRAINT)
            #expect(after - before == 3)
        }
    }

    /// A statement that can't be sent has changed nothing.
    @Test func aStatementThatCannotBeSent() {
        run {
            var (before, after) = (0, 0)
            let error = error { db in
                try insert(1)(db)
                before = db.totalChangesCount
                do { try db.execute(sql: "UPDATE t SET a = ?", arguments: ["a\0b"]) } catch {
                    after = db.totalChangesCount
                    throw error
                }
            }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(after == before)
        }
    }

    // MARK: The schema

    /// One's own change does not hide that of another client, which the shadow doesn't have.
    @Test(arguments: [false, true]) func anotherClientChangesTheSchema(_ hasAnother: Bool) throws {
        try run {
            try cluster.writeWithoutTransaction { db in
                if hasAnother {
                    node.answer("CREATE TABLE u") { [node] in
                        node.setTables(["t", "rowan_client", "u", "v"])
                        return frame(6, words(0, 0))
                    }
                }
                try db.execute(sql: "CREATE TABLE u (a)")
                node.clearLog()
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
            #expect(node.log.contains(SchemaState.query) == hasAnother)
        }
    }

    /// A schema that was read in a transaction is read again after its rollback.
    @Test func theSchemaIsReadInATransaction() throws {
        try run {
            var schema = SchemaState()
            try schema.set(1, [])
            _ = schema.take()
            schema.didChange(to: 2, inTransaction: true)
            try schema.set(3, [])
            _ = schema.transactionDidEnd(committed: false)
            #expect(!schema.isKnown)
        }
    }

    /// The nodes have lost their data: the next transaction creates the table of the tickets again.
    @Test func theTableOfTheTicketsIsMissing() {
        run {
            node.setTables(["t"])
            node.refuse("BEGIN IMMEDIATE", 10_250, "not leader")
            node.refuse(TicketTable.generation, 1, "no such table: rowan_client")
            // This one may fail, because it has begun before.
            _ = error(insert(1))
            #expect(error(insert(2)) == nil)
            #expect(node.log.contains(TicketTable.creation))
        }
    }
}
