// Open transactions and pending commits: the state follows SQLite's own.

import RowanSQLite
import Foundation
import Testing

@testable import Rowan

@Suite(.tags(.runsOnClusters))
struct TransactionStateTests {
    /// A statement that fails after an explicit transaction affects nothing else.
    @Test(arguments: ConnectionKind.allCases)
    func aFailureAfterAnExplicitTransaction(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.insert(3)
                try db.commit()
                expectError(.SQLITE_ERROR) { try db.execute(sql: "INSERT INTO missing VALUES (1)") }
                expectError(.SQLITE_CONSTRAINT) {
                    try db.execute(sql: "CREATE TABLE u(x UNIQUE); INSERT INTO u VALUES (1), (1)")
                }
                try db.insert(4)
            }
            try #expect(writer.values() == [1, 2, 3, 4])
            try writer.write { try $0.insert(5) }
            try #expect(writer.values() == [1, 2, 3, 4, 5])
        }
    }

    /// After the operations of a scope have ended its transaction, no statement commits by itself.
    @Test(arguments: ConnectionKind.allCases)
    func aTransactionThatItsOperationsEnd(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            for end in ["ROLLBACK", "COMMIT"] {
                writer.writeWithoutTransaction { db in
                    expectError(.SQLITE_ABORT) {
                        try db.inTransaction {
                            try db.execute(sql: end)
                            try db.insert(3)
                            return .commit
                        }
                    }
                    #expect(!db.isInsideTransaction)
                }
                try #expect(writer.values() == [1, 2])
            }
            expectError(.SQLITE_ABORT) {
                try writer.write { db in
                    try db.insert(3)
                    try db.rollback()
                    try db.insert(4)
                }
            }
            // A rollback followed by success: the caller would assume a commit that did not happen.
            expectError(.SQLITE_ABORT) {
                try writer.write { db in
                    try db.insert(3)
                    try db.execute(sql: "ROLLBACK")
                }
            }
            try #expect(writer.values() == [1, 2])
            // Another transaction may replace it.
            try writer.write { db in
                try db.insert(3)
                try db.commit()
                try db.beginTransaction()
                try db.insert(4)
            }
            try writer.write { db in
                try db.insert(5)
                try db.execute(sql: "COMMIT")
            }
            try #expect(writer.values() == [1, 2, 3, 4, 5])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func anExplicitTransactionThatSQLiteRollsBack(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.write { try $0.execute(sql: "CREATE UNIQUE INDEX u ON t(x)") }
            try writer.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.insert(3)
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)") }
                expectError(.SQLITE_ABORT) { try db.insert(4) }
                expectError(.SQLITE_ABORT, "Transaction was aborted") { try db.commit() }
                try db.insert(5)
                try db.beginTransaction()
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)") }
                try db.rollback()
                try db.insert(6)
            }
            try #expect(writer.values() == [1, 2, 5, 6])
        }
    }

    /// An error during an explicit transaction is the error of the access.
    @Test(arguments: ConnectionKind.allCases)
    func anErrorInAnExplicitTransaction(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            expectRefusal {
                try writer.writeWithoutTransaction { db in
                    try db.beginTransaction()
                    try db.insert(3)
                    throw Refusal()
                }
            }
            try #expect(writer.values() == [1, 2])
            let error = expectError(.SQLITE_MISUSE) {
                try writer.writeWithoutTransaction { db in
                    try db.beginTransaction()
                    try db.insert(3)
                }
            }
            #expect(error?.message?.contains("left a transaction open") == true)
            try #expect(writer.values() == [1, 2])
        }
    }

    /// A program may begin and end transactions through the C API, as SQLite's autocommit flag shows.
    @Test(
        .disabled(if: ClusterUnderTest.isActive, "the C connection is that of the shadow"),
        arguments: ConnectionKind.allCases)
    func transactionsOfTheCConnection(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let ends = Log<String>()
            func listen(_ db: Database) {
                db.afterNextTransaction { _ in
                    ends.append("commit")
                } onRollback: { _ in
                    ends.append("rollback")
                }
            }
            try writer.writeWithoutTransaction { db in
                func run(_ sql: String) { #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK) }
                run("BEGIN")
                try db.insert(3)
                listen(db)
                try db.execute(sql: "COMMIT")
                #expect(ends.elements == ["commit"])
                run("BEGIN")
                listen(db)
                try db.rollback()
                #expect(ends.elements == ["commit", "rollback"])
                try db.execute(sql: "BEGIN")
                run("ROLLBACK")
                try db.insert(4)
                try db.inTransaction {
                    try db.insert(5)
                    return .commit
                }
            }
            try #expect(writer.values() == [1, 2, 3, 4, 5])
        }
    }

    // MARK: The schema

    /// A rollback without schema changes clears no cache.
    @Test(arguments: ConnectionKind.allCases)
    func aRollbackKeepsWhatIsKnown(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let epochs = Log<Int>()
            for _ in 0..<3 {
                expectRefusal {
                    try writer.read { db in
                        _ = try db.values()
                        epochs.append(db.connection.schemaEpoch)
                        throw Refusal()
                    }
                }
            }
            #expect(Set(epochs.elements).count == 1)
            expectRefusal {
                try writer.write { db in
                    epochs.append(db.connection.schemaEpoch)
                    try db.insert(3)
                    throw Refusal()
                }
            }
            let before = epochs.elements.last
            try writer.write { db in #expect(db.connection.schemaEpoch == before) }
        }
    }

    /// A transaction rolled back by SQLite ends with its access.
    @Test(arguments: ConnectionKind.allCases)
    func anEndedTransactionOfAFormerAccess(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.write { try $0.execute(sql: "CREATE UNIQUE INDEX u ON t(x)") }
            expectError(.SQLITE_CONSTRAINT) {
                try writer.writeWithoutTransaction { db in
                    try db.beginTransaction()
                    try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                }
            }
            try writer.write { try $0.insert(5) }
            try #expect(writer.values() == [1, 2, 5])
        }
    }
}
