// Observers that reject commits, and observers that write, add and remove observers in their callbacks.

import Rowan
import Testing

@Suite
struct ObserverCommitTests {
    private static let refused = ["willCommit", "didRollback"]

    @Test(arguments: ConnectionKind.allCases)
    func refusedCommits(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = ObserverLog()
            log.refusal = Refusal()
            writer.add(transactionObserver: log)
            expectRefusal { try writer.write { try $0.insert(3) } }
            #expect(log.take() == ["insert t 3"] + Self.refused)
            // A write without changes.
            expectRefusal { try writer.write { _ in } }
            #expect(log.take() == Self.refused)
            try writer.writeWithoutTransaction { db in
                expectRefusal { try db.insert(3) }
                #expect(log.take() == ["insert t 3"] + Self.refused)
                for begin in [Database.TransactionKind.deferred, .immediate, .exclusive] {
                    try db.beginTransaction(begin)
                    expectRefusal { try db.commit() }
                    #expect(!db.isInsideTransaction)
                    // As after any failed commit.
                    try db.rollback()
                    #expect(log.take() == Self.refused)
                    expectRefusal {
                        try db.inTransaction(begin) {
                            try db.insert(3)
                            return .commit
                        }
                    }
                    #expect(log.take() == ["insert t 3"] + Self.refused)
                }
                log.refusal = nil
                try db.insert(3)
                #expect(log.take() == ["insert t 3", "willCommit", "didCommit"])
            }
            try #expect(writer.values() == [1, 2, 3])
        }
    }

    /// The savepoint is the transaction, and is rolled back as a whole.
    @Test func refusedReleases() throws {
        for change in ["", "INSERT INTO t VALUES (1);"] {
            try withDatabase { db in
                try db.execute(sql: "CREATE TABLE t(x)")
                let log = ObserverLog()
                log.refusal = Refusal()
                db.add(transactionObserver: log)
                try db.execute(sql: "SAVEPOINT a; SAVEPOINT b; \(change)")
                expectRefusal { try db.execute(sql: "RELEASE a") }
                #expect(!db.isInsideTransaction)
                #expect(log.take() == (change.isEmpty ? [] : ["insert t 1"]) + Self.refused)
                log.refusal = nil
                try db.execute(sql: "SAVEPOINT a; INSERT INTO t VALUES (2); RELEASE a")
                #expect(log.take() == ["insert t 1", "willCommit", "didCommit"])
                let values = try db.values()
                #expect(values == [2])
            }
        }
    }

    /// The error belongs to the statement whose commit is rejected, and to no later one.
    @Test func refusedCursors() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x UNIQUE)")
            let log = ObserverLog()
            log.refusal = Refusal()
            db.add(transactionObserver: log)
            expectRefusal { _ = try Int.fetchAll(db, sql: "INSERT INTO t VALUES (1) RETURNING x") }
            #expect(log.take() == ["insert t 1"] + Self.refused)
            expectRefusal {
                let cursor = try Int.fetchCursor(db, sql: "INSERT INTO t VALUES (1), (2) RETURNING x")
                while try cursor.next() != nil {}
            }
            #expect(log.take() == ["insert t 1", "insert t 2"] + Self.refused)
            do {
                let cursor = try Int.fetchCursor(db, sql: "INSERT INTO t VALUES (1), (2) RETURNING x")
                _ = try cursor.next()
            }
            #expect(log.take() == ["insert t 1", "insert t 2"] + Self.refused)
            log.refusal = nil
            try db.insert(1)
            expectError(.SQLITE_CONSTRAINT_UNIQUE) { try db.insert(1) }
            let values = try db.values()
            #expect(values == [1])
        }
    }

    /// A method that returns a value still reports that the row was not inserted.
    @Test func refusedSingleRows() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = ObserverLog()
            log.refusal = Refusal()
            db.add(transactionObserver: log)
            expectRefusal { _ = try Int.fetchOne(db, sql: "INSERT INTO t VALUES (1) RETURNING x") }
            expectRefusal { _ = try Row.fetchOne(db, sql: "INSERT INTO t VALUES (1), (2) RETURNING x") }
            let values = try db.values()
            #expect(values == [])
        }
    }

    /// When one observer rejects the commit, the others are notified of the rollback.
    @Test func severalObservers() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = ObserverLog()
            let observers = ["a", "b", "c"].map { ObserverLog($0) }
            for observer in observers {
                observer.shared = log
                db.add(transactionObserver: observer)
            }
            try db.insert(1)
            #expect(
                log.take() == [
                    "a: insert t 1", "b: insert t 1", "c: insert t 1", "a: willCommit", "b: willCommit",
                    "c: willCommit", "a: didCommit", "b: didCommit", "c: didCommit",
                ])
            observers[1].refusal = Refusal()
            expectRefusal { try db.insert(2) }
            #expect(
                log.take() == [
                    "a: insert t 2", "b: insert t 2", "c: insert t 2", "a: willCommit", "b: willCommit",
                    "a: didRollback", "b: didRollback", "c: didRollback",
                ])
        }
    }

    // MARK: Callbacks

    /// An observer can write once the transaction has ended.
    @Test(arguments: ConnectionKind.allCases)
    func writesInCallbacks(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = ObserverLog()
            var count = 0
            log.onCommit = { db in
                count += 1
                #expect(!db.isInsideTransaction)
                if count == 1 {
                    try? db.inTransaction {
                        try db.insert(4); return .commit
                    }
                }
                if count == 2 { try? db.insert(5) }
            }
            writer.add(transactionObserver: log)
            try writer.write { try $0.insert(3) }
            let commit = ["willCommit", "didCommit"]
            #expect(log.take() == ["insert t 3"] + commit + ["insert t 4"] + commit + ["insert t 5"] + commit)
            try #expect(writer.values() == [1, 2, 3, 4, 5])
        }
    }

    @Test func writesAfterRollbacks() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = ObserverLog()
            log.onRollback = { db in try? db.insert(9) }
            let entries = try db.observing(log) {
                try db.inTransaction {
                    try db.insert(1)
                    return .rollback
                }
            }
            #expect(entries == ["insert t 1", "didRollback", "insert t 1", "willCommit", "didCommit"])
            let values = try db.values()
            #expect(values == [9])
        }
    }

    /// A transaction begun by an observer has its own callbacks.
    @Test func afterNextTransaction() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let calls = Log<String>()
            let log = ObserverLog()
            var isFirst = true
            log.onCommit = { db in
                guard isFirst else { return }
                isFirst = false
                try? db.inTransaction {
                    db.afterNextTransaction { _ in
                        calls.append("inner commit")
                    } onRollback: { _ in
                        calls.append("inner rollback")
                    }
                    try db.insert(2)
                    return .rollback
                }
            }
            db.add(transactionObserver: log)
            try db.inTransaction {
                db.afterNextTransaction { _ in
                    calls.append("outer commit")
                } onRollback: { _ in
                    calls.append("outer rollback")
                }
                try db.insert(1)
                return .commit
            }
            #expect(calls.elements == ["inner rollback", "outer commit"])
            #expect(log.take() == ["insert t 1", "willCommit", "didCommit", "insert t 2", "didRollback"])
        }
    }

    /// A removed observer is no longer called, even if the transaction is just ending.
    @Test func removalInCallbacks() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = ObserverLog()
            let (first, second) = (ObserverLog("a"), ObserverLog("b"))
            for observer in [first, second] {
                observer.shared = log
                db.add(transactionObserver: observer)
            }
            first.onCommit = { db in db.remove(transactionObserver: second) }
            try db.insert(1)
            #expect(
                log.take() == ["a: insert t 1", "b: insert t 1", "a: willCommit", "b: willCommit", "a: didCommit"])
            first.onCommit = { db in db.remove(transactionObserver: first) }
            try db.insert(2)
            #expect(log.take() == ["a: insert t 2", "a: willCommit", "a: didCommit"])
            try db.insert(3)
            #expect(log.take() == [])
        }
    }

    /// Changes pending in a savepoint are not sent to an observer that has been removed.
    @Test func removalDuringChanges() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); CREATE TABLE w(x PRIMARY KEY) WITHOUT ROWID")
            let log = ObserverLog()
            db.add(transactionObserver: log)
            try db.execute(sql: "BEGIN; SAVEPOINT a; INSERT INTO t VALUES (1)")
            db.remove(transactionObserver: log)
            try db.execute(sql: "RELEASE a; COMMIT")
            #expect(log.take() == [])
            // In the middle of a statement.
            for sql in ["INSERT INTO t VALUES (2), (3)", "INSERT INTO w VALUES (2), (3)"] {
                let log = ObserverLog()
                log.onChange = { [unowned log] in db.remove(transactionObserver: log) }
                db.add(transactionObserver: log)
                try db.execute(sql: sql)
                let changes = log.take().filter { $0 != "willCommit" }
                #expect(changes.count == 1, "\(changes)")
                try db.execute(sql: "DELETE FROM t; DELETE FROM w")
                #expect(log.take() == [])
            }
        }
    }

    @Test func additionInCallbacks() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let (first, second, third) = (ObserverLog(), ObserverLog(), ObserverLog())
            first.onChange = {
                first.onChange = nil
                db.add(transactionObserver: second)
            }
            first.onCommit = { db in
                first.onCommit = nil
                db.add(transactionObserver: third)
            }
            db.add(transactionObserver: first)
            try db.insert(1)
            #expect(second.take() == ["willCommit", "didCommit"])
            #expect(third.take() == [])
            try db.insert(2)
            for observer in [second, third] { #expect(observer.take() == ["insert t 2", "willCommit", "didCommit"]) }
        }
    }

    /// An observer added while a statement is running.
    @Test func additionInAFunction() throws {
        try withDatabase { db in
            let (log, database) = (Held(ObserverLog()), Held(db))
            db.add(
                function: DatabaseFunction("observe", argumentCount: 1) { values in
                    if let log = log.value { database.value?.add(transactionObserver: log) }
                    return values[0]
                })
            try db.execute(sql: "CREATE TABLE t(x)")
            try db.execute(sql: "INSERT INTO t VALUES (observe(1))")
            _ = log.value?.take()
            log.value.map { db.remove(transactionObserver: $0) }
            try db.insert(2)
            #expect(log.value?.take() == [])
            try db.inTransaction {
                _ = try Int.fetchOne(db, sql: "SELECT observe(1)")
                try db.insert(3)
                return .commit
            }
            #expect(log.value?.take() == ["insert t 3", "willCommit", "didCommit"])
        }
    }
}
