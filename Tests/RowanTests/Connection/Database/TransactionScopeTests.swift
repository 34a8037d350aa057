// Scopes of transactions, one in another or one after another, whose operations end what they did not begin.

import Rowan
import Testing

@Suite
struct TransactionScopeTests {
    /// A transaction in the place of one that has ended doesn't hide from the scope that it has ended.
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

    /// The scope of a transaction that has just committed is not that of the next one.
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

    /// No statement commits on its own in a savepoint whose transaction has ended.
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

    /// A committed transaction can't be rolled back: the scope that tries throws an error.
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

    /// A rollback that its operations have made is what the scope asks for.
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
