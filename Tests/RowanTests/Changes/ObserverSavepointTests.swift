// Changes in savepoints are delivered on release, because a savepoint can be rolled back separately.

import Rowan
import Testing

@Suite
struct ObserverSavepointTests {
    /// The notifications of an observer after each step; `|` ends a step.
    private func steps(_ steps: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = ObserverLog()
            db.add(transactionObserver: log)
            return try steps.map { sql in
                try db.execute(sql: sql)
                return log.take().joined(separator: ", ")
            }
        }
    }

    private let one = "INSERT INTO t VALUES (1)"
    private let two = "INSERT INTO t VALUES (2)"

    @Test func released() throws {
        let steps = try steps("BEGIN", one, "SAVEPOINT a", two, "RELEASE a", "COMMIT")
        #expect(steps == ["", "insert t 1", "", "", "insert t 2", "willCommit, didCommit"])
    }

    @Test func rolledBack() throws {
        let steps = try steps("BEGIN", "SAVEPOINT a", one, "ROLLBACK TO a", one, "RELEASE a", "COMMIT")
        #expect(steps == ["", "", "", "", "", "insert t 1", "willCommit, didCommit"])
    }

    @Test func nested() throws {
        let steps = try steps(
            "BEGIN", "SAVEPOINT a", one, "SAVEPOINT b", one, "SAVEPOINT c", one, "ROLLBACK TO b", two, "RELEASE b",
            "RELEASE a", "COMMIT")
        #expect(
            steps == ["", "", "", "", "", "", "", "", "", "", "insert t 1, insert t 2", "willCommit, didCommit"])
    }

    /// The release of an outer savepoint releases the inner ones; so does a commit.
    @Test func outerReleases() throws {
        let release = try steps("BEGIN", "SAVEPOINT a", one, "SAVEPOINT b", one, "RELEASE a", "ROLLBACK")
        #expect(release == ["", "", "", "", "", "insert t 1, insert t 2", "didRollback"])
        let commit = try steps("BEGIN", "SAVEPOINT a", one, "SAVEPOINT b", one, "COMMIT")
        #expect(commit == ["", "", "", "", "", "insert t 1, insert t 2, willCommit, didCommit"])
    }

    /// A savepoint outside a transaction is a transaction.
    @Test func transactions() throws {
        let release = try steps("SAVEPOINT a", one, "RELEASE a", one)
        #expect(
            release == ["", "", "insert t 1, willCommit, didCommit", "insert t 2, willCommit, didCommit"])
        let rollback = try steps("SAVEPOINT a", one, "ROLLBACK TO a", "RELEASE a")
        #expect(rollback == ["", "", "", "willCommit, didCommit"])
        let end = try steps("SAVEPOINT a", one, "ROLLBACK", one)
        #expect(end == ["", "", "didRollback", "insert t 1, willCommit, didCommit"])
    }

    /// SQLite uses the last savepoint with a name, and ignores case.
    @Test func sameNames() throws {
        let steps = try steps(
            "BEGIN", "SAVEPOINT a", one, "SAVEPOINT \"A\"", one, "ROLLBACK TO a", "RELEASE A", "RELEASE a", "COMMIT")
        #expect(steps == ["", "", "", "", "", "", "", "insert t 1", "willCommit, didCommit"])
    }

    @Test func unknownNames() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); BEGIN; SAVEPOINT outer; INSERT INTO t VALUES (1)")
            let log = ObserverLog()
            db.add(transactionObserver: log)
            try db.execute(sql: "SAVEPOINT inner; INSERT INTO t VALUES (2)")
            #expect(log.take() == [])
            expectError(.SQLITE_ERROR) { try db.execute(sql: "RELEASE unknown") }
            expectError(.SQLITE_ERROR) { try db.execute(sql: "ROLLBACK TO unknown") }
            #expect(log.take() == [])
            try db.execute(sql: "RELEASE outer")
            #expect(log.take() == ["insert t 2"])
            try db.execute(sql: "COMMIT")
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    /// A rollback to a savepoint that is older than the observer.
    @Test func olderSavepoints() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); BEGIN; SAVEPOINT outer")
            let entries = try db.observing {
                try db.execute(sql: "SAVEPOINT inner; INSERT INTO t VALUES (2); ROLLBACK TO outer; COMMIT")
            }
            #expect(entries == ["willCommit", "didCommit"])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func scopes(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = ObserverLog()
            writer.add(transactionObserver: log)
            try writer.write { db in
                try db.inSavepoint {
                    try db.insert(3)
                    try db.inSavepoint {
                        try db.insert(4)
                        return .rollback
                    }
                    expectRefusal {
                        try db.inSavepoint {
                            try db.insert(4)
                            throw Refusal()
                        }
                    }
                    try db.inSavepoint {
                        try db.insert(5)
                        return .commit
                    }
                    #expect(log.take() == [])
                    return .commit
                }
                #expect(log.take() == ["insert t 3", "insert t 4"])
            }
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    /// The savepoints of a read within a write are savepoints, too.
    @Test(arguments: ConnectionKind.allCases)
    func savepointsOfReads(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = ObserverLog()
            writer.add(transactionObserver: log)
            try writer.write { db in
                try db.inSavepoint {
                    try db.insert(3)
                    try db.readOnly { try db.inSavepoint { .commit } }
                    #expect(log.take() == [])
                    try db.readOnly { try db.inSavepoint { .rollback } }
                    return .commit
                }
                #expect(log.take() == ["insert t 3"])
            }
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    /// A rejected release or commit leaves the savepoints open, so their changes can still be undone.
    @Test func failedReleases() throws {
        for end in ["RELEASE a", "COMMIT"] {
            try withDatabase { db in
                try db.execute(
                    sql: """
                        CREATE TABLE parent (id INTEGER PRIMARY KEY);
                        CREATE TABLE child (parentId REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED);
                        """)
                let log = ObserverLog()
                db.add(transactionObserver: log)
                try db.execute(sql: "SAVEPOINT a; SAVEPOINT b; INSERT INTO child VALUES (1)")
                expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.execute(sql: end) }
                #expect(log.take() == [])
                try db.execute(sql: "ROLLBACK TO b; INSERT INTO parent VALUES (2)")
                #expect(log.take() == [])
                try db.execute(sql: end)
                #expect(log.take() == ["insert parent 2", "willCommit", "didCommit"])
            }
        }
    }

    /// The observer stops observing while its changes are pending.
    @Test func stoppedObservers() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = ObserverLog()
            log.onChange = { [unowned log] in log.stopObservingDatabaseChangesUntilNextTransaction() }
            let entries = try db.observing(log) {
                try db.execute(sql: "BEGIN; SAVEPOINT a; INSERT INTO t VALUES (1), (2); RELEASE a")
                try db.execute(sql: "INSERT INTO t VALUES (3); COMMIT; INSERT INTO t VALUES (4), (5)")
            }
            #expect(entries == ["insert t 1", "willCommit", "didCommit", "insert t 4", "willCommit", "didCommit"])
        }
    }

    @Test func hiddenChanges() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x PRIMARY KEY) WITHOUT ROWID")
            let entries = try db.observing {
                try db.execute(sql: "BEGIN; SAVEPOINT a; INSERT INTO t VALUES (1); ROLLBACK TO a")
                try db.notifyChanges(in: Table("t"))
                try db.execute(sql: "RELEASE a; COMMIT")
            }
            #expect(entries == ["change", "willCommit", "didCommit"])
        }
    }
}
