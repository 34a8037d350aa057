// Nested and consecutive transaction scopes, whose operations end transactions that they did not begin.

import Rowan
import Testing

@Suite(.tags(.runsOnClusters))
struct TransactionScopeTests {
    /// A scope detects that its transaction has ended, even if another one has begun.
    @Test func aScopeAfterACommitInAScope() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            try? db.inTransaction {
                try db.execute(sql: "COMMIT")
                try db.inTransaction { .commit }
                try db.insert(1)
                return .rollback
            }
            let values = try db.values()
            #expect(values == [])
        }
    }

    /// The scope of a committed transaction is not that of the next one.
    @Test func aTransactionInACallback() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            try db.inTransaction {
                db.afterNextTransaction { db in
                    try? db.inTransaction {
                        try db.execute(sql: "ROLLBACK")
                        try db.insert(1)
                        return .rollback
                    }
                }
                return .commit
            }
            let values = try db.values()
            #expect(values == [])
        }
    }

    /// In a savepoint whose transaction has ended, no statement commits by itself.
    @Test func aSavepointInAProgramTransaction() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            try db.beginTransaction()
            try? db.inSavepoint {
                try db.execute(sql: "COMMIT")
                try db.insert(1)
                return .rollback
            }
            try? db.rollback()
            let values = try db.values()
            #expect(values == [])
        }
    }

    /// A committed transaction can't be rolled back: a scope that tries throws an error.
    @Test(arguments: ConnectionKind.allCases)
    func aRollbackAfterACommitInItsScope(_ kind: ConnectionKind) throws {
        let message =
            "the transaction was committed by a statement in it, and can't be rolled back: "
            + "commit or roll back only with the result of the closure"
        try withTable(kind) { writer in
            try writer.writeWithoutTransaction { db in
                expectError(.SQLITE_ABORT, message) {
                    try db.inTransaction {
                        try db.insert(3)
                        try db.commit()
                        return .rollback
                    }
                }
                try db.insert(4)
                try db.beginTransaction()
                expectError(.SQLITE_ABORT, message) {
                    try db.inSavepoint {
                        try db.insert(5)
                        try db.commit()
                        return .rollback
                    }
                }
                try db.insert(6)
            }
            try #expect(writer.values() == [1, 2, 3, 4, 5, 6])
        }
    }

    /// A scope may request a rollback that its operations have already made.
    @Test func aRollbackAfterARollbackInItsScope() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            try db.inTransaction {
                try db.insert(1)
                try db.rollback()
                return .rollback
            }
            try db.insert(2)
            let values = try db.values()
            #expect(values == [2])
        }
    }
}
