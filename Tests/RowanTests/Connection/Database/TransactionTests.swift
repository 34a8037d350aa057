// Transactions and savepoints: how they end, and what ends with them.

import Foundation
import Rowan
import Testing

@Suite(.tags(.runsOnClusters))
struct TransactionTests {
    struct Refusal: Error, Equatable {}

    private func inTransaction(
        _ writer: any DatabaseWriter, _ kind: Database.TransactionKind? = nil,
        _ body: (Database) throws -> Database.TransactionCompletion
    ) throws {
        switch writer {
        case let queue as DatabaseQueue: try queue.inTransaction(kind, body)
        case let pool as DatabasePool: try pool.writeInTransaction(kind, body)
        default: try writer.writeWithoutTransaction { db in try db.inTransaction(kind) { try body(db) } }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func completions(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            for transaction in [nil, .deferred, .immediate, .exclusive] as [Database.TransactionKind?] {
                try inTransaction(writer, transaction) { db in
                    try db.insert(3)
                    return .rollback
                }
                try #expect(writer.values() == [1, 2])
                #expect(throws: Refusal()) {
                    try inTransaction(writer, transaction) { db in
                        try db.insert(3)
                        throw Refusal()
                    }
                }
                try #expect(writer.values() == [1, 2])
                try inTransaction(writer, transaction) { db in
                    try db.insert(3)
                    return .commit
                }
                try #expect(writer.values() == [1, 2, 3])
                try writer.write { try $0.execute(sql: "DELETE FROM t WHERE x = 3") }
            }
        }
    }

    @Test func statementsOfTransactions() throws {
        try withDatabase { db in
            let log = Log<String>()
            db.trace { log.append($0.description) }
            try db.inTransaction { .commit }
            try db.inTransaction(.deferred) { .rollback }
            try db.inTransaction(.exclusive) {
                try db.inSavepoint { .commit }
                try db.inSavepoint { .rollback }
                return .commit
            }
            try db.inSavepoint { .commit }
            #expect(
                log.elements.filter { !$0.hasPrefix("PRAGMA") } == [
                    "BEGIN IMMEDIATE TRANSACTION", "COMMIT TRANSACTION",
                    "BEGIN DEFERRED TRANSACTION", "ROLLBACK TRANSACTION",
                    "BEGIN EXCLUSIVE TRANSACTION",
                    "SAVEPOINT rowan", "RELEASE SAVEPOINT rowan",
                    "SAVEPOINT rowan", "ROLLBACK TRANSACTION TO SAVEPOINT rowan", "RELEASE SAVEPOINT rowan",
                    "COMMIT TRANSACTION",
                    "BEGIN IMMEDIATE TRANSACTION", "COMMIT TRANSACTION",
                ])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func savepointsRollBackAlone(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.write { db in
                try db.insert(3)
                #expect(throws: Refusal()) {
                    try db.inSavepoint {
                        try db.insert(4)
                        try db.inSavepoint {
                            try db.insert(5)
                            return .commit
                        }
                        throw Refusal()
                    }
                }
                try db.inSavepoint {
                    try db.insert(6)
                    try db.inSavepoint {
                        try db.insert(7)
                        return .rollback
                    }
                    return .commit
                }
                #expect(db.isInsideTransaction)
            }
            try #expect(writer.values() == [1, 2, 3, 6])
        }
    }

    @Test func transactionsDoNotNest() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            try db.inTransaction {
                try db.insert(1)
                expectError(.SQLITE_ERROR, "cannot start a transaction within a transaction") {
                    try db.inTransaction { .commit }
                }
                #expect(db.isInsideTransaction)
                return .commit
            }
            try #expect(db.values() == [1])
        }
    }

    /// SQLite rolls back the transaction by itself: no later statement may commit by itself.
    @Test(arguments: ConnectionKind.allCases)
    func anImplicitRollbackIsNoticed(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.write { try $0.execute(sql: "CREATE UNIQUE INDEX u ON t(x)") }
            expectError(.SQLITE_CONSTRAINT_UNIQUE) {
                try writer.write { db in
                    try db.insert(3)
                    try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (3)")
                }
            }
            try #expect(writer.values() == [1, 2])
            let error = expectError(.SQLITE_ABORT, "Transaction was aborted") {
                try writer.write { db in
                    try db.insert(3)
                    expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (3)") }
                    #expect(!db.isInsideTransaction)
                    // The program continues despite the error.
                    expectError(.SQLITE_ABORT) { try db.insert(4) }
                    expectError(.SQLITE_ABORT) { try db.values() }
                }
            }
            #expect(error != nil)
            try #expect(writer.values() == [1, 2])
            // Also in a savepoint.
            expectError(.SQLITE_ABORT) {
                try writer.write { db in
                    try db.inSavepoint {
                        try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                        return .commit
                    }
                }
            }
            // The transaction has already been rolled back, so a rollback succeeds.
            try writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                    return .rollback
                }
                try db.insert(5)
            }
            try #expect(writer.values() == [1, 2, 5])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aCommitThatFailsRollsBack(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE p(id INTEGER PRIMARY KEY)")
                try db.execute(sql: "CREATE TABLE c(p REFERENCES p DEFERRABLE INITIALLY DEFERRED)")
            }
            let log = Log<String>()
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) {
                try writer.write { db in
                    db.afterNextTransaction { _ in
                        log.append("commit")
                    } onRollback: { _ in
                        log.append("rollback")
                    }
                    try db.execute(sql: "INSERT INTO c VALUES (1)")
                }
            }
            #expect(log.elements == ["rollback"])
            try #expect(writer.int("SELECT COUNT(*) FROM c") == 0)
        }
    }

    @Test func foreignKeysMayBeOff() throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try withDatabase(configuration) { db in
            try db.execute(sql: "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p)")
            try db.execute(sql: "INSERT INTO c VALUES (1)")
        }
    }

    // MARK: After the transaction

    @Test(arguments: ConnectionKind.allCases)
    func afterNextTransaction(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = Log<String>()
            @Sendable func register(_ db: Database, _ name: String) {
                db.afterNextTransaction { db in
                    #expect(!db.isInsideTransaction)
                    log.append("\(name) commit")
                } onRollback: { _ in
                    log.append("\(name) rollback")
                }
            }
            try writer.write { db in
                register(db, "a")
                register(db, "b")
                try db.insert(3)
                #expect(log.elements == [])
            }
            #expect(log.elements == ["a commit", "b commit"])
            try? writer.write { db in
                register(db, "c")
                try db.insert(4)
                throw Refusal()
            }
            try writer.write { try $0.insert(5) }
            #expect(log.elements == ["a commit", "b commit", "c rollback"])
            // Outside a transaction, the action runs after the next one, whatever its outcome.
            try writer.writeWithoutTransaction { db in
                register(db, "d")
                #expect(log.elements.last == "c rollback")
                try db.inTransaction { .rollback }
                #expect(log.elements.last == "d rollback")
                register(db, "d2")
                try db.execute(sql: "DELETE FROM t WHERE x = 5")
                #expect(log.elements.last == "d2 commit")
                register(db, "d3")
            }
            #expect(log.elements.last == "d2 commit")
            try writer.write { _ in }
            #expect(log.elements.last == "d3 commit")
            // A transaction without writes also ends.
            try writer.read { register($0, "e") }
            #expect(log.elements.last == "e commit")
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN")
                register(db, "f")
                try db.execute(sql: "ROLLBACK")
                try db.inTransaction(.deferred) {
                    register(db, "g")
                    return .commit
                }
                #expect(log.elements.suffix(2) == ["f rollback", "g commit"])
                // Savepoints are not transactions.
                try db.inTransaction {
                    try db.inSavepoint {
                        register(db, "h")
                        try db.insert(6)
                        return .rollback
                    }
                    #expect(log.elements.last == "g commit")
                    return .commit
                }
                #expect(log.elements.last == "h commit")
            }
            #expect(log.elements.count == 10)
        }
    }

    @Test func callbacksMayUseTheDatabase() throws {
        try withTable(.memoryQueue) { writer in
            try writer.write { db in
                db.afterNextTransaction { db in
                    #expect(throws: Never.self) { try db.insert(10) }
                    #expect(throws: Never.self) {
                        try db.inTransaction {
                            db.afterNextTransaction { _ in }
                            try db.insert(11)
                            return .commit
                        }
                    }
                }
                try db.insert(3)
            }
            try #expect(writer.values() == [1, 2, 3, 10, 11])
        }
    }

    // MARK: Dates

    @Test(arguments: ConnectionKind.allCases)
    func transactionDates(_ kind: ConnectionKind) throws {
        let calls = Log<Int>()
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in
            calls.append(1)
            return Date(timeIntervalSince1970: Double(calls.elements.count))
        }
        try withTable(kind, configuration) { writer in
            func seconds(_ db: Database) throws -> Double { try db.transactionDate.timeIntervalSince1970 }
            let first = try writer.write { [try seconds($0), try seconds($0)] }
            #expect(first == [1, 1])
            let second = try writer.read(seconds)
            #expect(second == 2)
            try writer.writeWithoutTransaction { db in
                // Outside a transaction, each date is the date of the call.
                try #expect(seconds(db) == 3)
                try #expect(seconds(db) == 4)
                for expected in [5.0, 6.0] {
                    try db.execute(sql: "BEGIN")
                    try #expect(seconds(db) == expected)
                    try db.inSavepoint {
                        try #expect(seconds(db) == expected)
                        return .rollback
                    }
                    try #expect(seconds(db) == expected)
                    try db.execute(sql: expected == 5 ? "COMMIT" : "ROLLBACK")
                }
            }
        }
    }

    @Test func theDefaultClockAndClocksThatFail() throws {
        let before = Date()
        let date = try DatabaseQueue().write { try $0.transactionDate }
        #expect(date >= before && date <= Date())
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in throw Refusal() }
        let queue = try DatabaseQueue(configuration: configuration)
        #expect(throws: Refusal()) { try queue.write { try $0.transactionDate } }
    }

    @Test func readOnlyBlocks() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)")
            try db.readOnly {
                try #expect(db.values() == [1])
                expectError(.SQLITE_READONLY) { try db.insert(2) }
                try db.readOnly { try #expect(db.values() == [1]) }
                expectError(.SQLITE_READONLY) { try db.insert(2) }
            }
            #expect(throws: Refusal()) { try db.readOnly { throw Refusal() } }
            try db.insert(2)
            try #expect(db.values() == [1, 2])
        }
    }

    /// Outside a transaction, the statement commits when it finishes, not before its last row.
    @Test func theCommitOfASingleFetch() throws {
        try withTable(.fileQueue) { writer in
            writer.writeWithoutTransaction { db in
                expectError(.SQLITE_CONSTRAINT) {
                    try db.execute(
                        sql: """
                            CREATE TABLE p(id INTEGER PRIMARY KEY);
                            CREATE TABLE c(id REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED)
                            """)
                    _ = try Int.fetchOne(db, sql: "INSERT INTO c VALUES (5) RETURNING id")
                }
            }
            let other = try DatabaseQueue(path: writer.path)
            try other.read { db in
                _ = try db.values()
                writer.writeWithoutTransaction { db in
                    expectError(.SQLITE_BUSY) { try Int.fetchOne(db, sql: "INSERT INTO t VALUES (5) RETURNING x") }
                }
            }
            try #expect(writer.values() == [1, 2])
        }
    }
}
