// The notifications of transaction observers, and their order, on every kind of connection.

import Rowan
import Testing

@Suite
struct TransactionObserverTests {
    @Test(arguments: ConnectionKind.allCases)
    func transactions(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = ObserverLog()
            writer.add(transactionObserver: log)
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (3)")
                try db.execute(sql: "UPDATE t SET x = x + 1 WHERE rowid <= 2")
            }
            #expect(log.take() == ["insert t 3", "update t 1", "update t 2", "willCommit", "didCommit"])
            try writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.execute(sql: "DELETE FROM t WHERE rowid = 3")
                    return .rollback
                }
            }
            #expect(log.take() == ["delete t 3", "didRollback"])
            expectRefusal {
                try writer.write { db in
                    try db.insert(4)
                    throw Refusal()
                }
            }
            #expect(log.take() == ["insert t 4", "didRollback"])
            try writer.writeWithoutTransaction { db in
                try db.insert(4)
                try db.execute(sql: "UPDATE t SET x = 5 WHERE rowid = 4")
            }
            let expected = ["insert t 4", "willCommit", "didCommit", "update t 4", "willCommit", "didCommit"]
            #expect(log.take() == expected)
            writer.remove(transactionObserver: log)
            try writer.write { try $0.insert(5) }
            #expect(log.take() == [])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func reads(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = ObserverLog()
            writer.add(transactionObserver: log)
            _ = try writer.values()
            _ = try writer.unsafeRead { try $0.values() }
            try writer.writeWithoutTransaction { db in
                _ = try db.values()
                try db.readOnly {
                    _ = try db.values()
                    expectError(.SQLITE_READONLY) { try db.insert(3) }
                }
                _ = try db.values()
            }
            #expect(log.take() == [])
            // A transaction that only reads may be part of a write.
            try writer.write { _ = try $0.values() }
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    /// A transaction without writes is committed like any other, although SQLite does not report it.
    @Test func emptyTransactions() throws {
        try withDatabase { db in
            let entries = try db.observing {
                for begin in ["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s"] {
                    try db.execute(sql: begin)
                    try db.execute(sql: begin.hasPrefix("S") ? "RELEASE S" : "COMMIT")
                }
                try db.execute(sql: "BEGIN; ROLLBACK")
                try db.execute(sql: "SAVEPOINT a; SAVEPOINT b; RELEASE b; ROLLBACK TO a; RELEASE a")
            }
            let commit = ["willCommit", "didCommit"]
            #expect(entries == commit + commit + commit + ["didRollback"] + commit)
        }
    }

    /// The savepoints began before the observer was added.
    @Test func observersOfOpenSavepoints() throws {
        try withDatabase { db in
            let log = ObserverLog()
            try db.execute(sql: "SAVEPOINT a; SAVEPOINT A")
            db.add(transactionObserver: log)
            try db.execute(sql: "RELEASE a")
            #expect(log.take() == [])
            try db.execute(sql: "SAVEPOINT b; SAVEPOINT c; ROLLBACK TO b; RELEASE b")
            #expect(log.take() == [])
            try db.execute(sql: "RELEASE a")
            #expect(log.take() == ["willCommit", "didCommit"])

            db.remove(transactionObserver: log)
            try db.execute(sql: "BEGIN; SAVEPOINT a")
            db.add(transactionObserver: log)
            try db.execute(sql: "RELEASE a")
            #expect(log.take() == [])
            try db.execute(sql: "COMMIT")
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func failures(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.write { try $0.execute(sql: "CREATE UNIQUE INDEX u ON t(x)") }
            let log = ObserverLog()
            writer.add(transactionObserver: log)
            try writer.writeWithoutTransaction { db in
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO t VALUES (3), (1)") }
                #expect(log.take() == ["insert t 3", "didRollback"])
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR FAIL INTO t VALUES (3), (1)") }
                #expect(log.take() == ["insert t 3", "willCommit", "didCommit"])
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (4), (1)") }
                #expect(log.take() == ["insert t 4", "didRollback"])
                try db.execute(sql: "INSERT OR IGNORE INTO t VALUES (1)")
                #expect(log.take() == ["willCommit", "didCommit"])
                try db.beginTransaction()
                try db.insert(5)
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (6), (1)") }
                #expect(log.take() == ["insert t 4", "insert t 5", "didRollback"])
                try db.rollback()
                #expect(log.take() == [])
            }
            try #expect(writer.values() == [1, 2, 3])
        }
    }

    /// A violation of deferred foreign keys leaves an explicit transaction open, but ends an implicit one.
    @Test func deferredForeignKeys() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (parentId REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED);
                    """)
            let log = ObserverLog()
            db.add(transactionObserver: log)
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.execute(sql: "INSERT INTO child VALUES (1)") }
            #expect(log.take() == ["insert child 1", "didRollback"])
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO child VALUES (1)")
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.commit() }
            try db.execute(sql: "INSERT INTO parent VALUES (1)")
            try db.commit()
            #expect(log.take() == ["insert child 1", "insert parent 1", "willCommit", "didCommit"])
        }
    }

    /// Observers of a statement that returns rows are notified of its commit when it finishes.
    @Test(arguments: ConnectionKind.allCases)
    func cursors(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = ObserverLog()
            writer.add(transactionObserver: log)
            try writer.writeWithoutTransaction { db in
                do {
                    let cursor = try Int.fetchCursor(db, sql: "INSERT INTO t VALUES (3), (4) RETURNING x")
                    _ = try cursor.next()
                    #expect(log.take() == ["insert t 3", "insert t 4"])
                }
                #expect(log.take() == ["willCommit", "didCommit"])
                let value = try Int.fetchOne(db, sql: "INSERT INTO t VALUES (5), (6) RETURNING x")
                #expect(value == 5)
                #expect(log.take() == ["insert t 5", "insert t 6", "willCommit", "didCommit"])
                // A reading cursor does not delay commits.
                let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
                _ = try cursor.next()
                try db.insert(7)
                #expect(log.take() == ["insert t 7", "willCommit", "didCommit"])
                _ = try cursor.next()
                #expect(log.take() == [])
            }
            try #expect(writer.values() == [1, 2, 3, 4, 5, 6, 7])
        }
    }

    /// While a statement is writing, other statements can't commit.
    @Test func writesDuringACursor() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = ObserverLog()
            db.add(transactionObserver: log)
            do {
                let cursor = try Int.fetchCursor(db, sql: "INSERT INTO t VALUES (1), (2) RETURNING x")
                _ = try cursor.next()
                try db.insert(3)
                #expect(log.take() == ["insert t 1", "insert t 2", "insert t 3"])
                // It fails without beginning anything.
                expectError(.SQLITE_BUSY) { try db.execute(sql: "SAVEPOINT s") }
                try db.insert(4)
                #expect(log.take() == ["insert t 4"])
                while try cursor.next() != nil {}
            }
            #expect(log.take() == ["willCommit", "didCommit"])
            let values = try db.values()
            #expect(values == [1, 2, 3, 4])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func openTransactions(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = ObserverLog()
            writer.add(transactionObserver: log)
            expectError(.SQLITE_MISUSE) {
                try writer.writeWithoutTransaction { db in
                    try db.beginTransaction()
                    try db.insert(3)
                }
            }
            #expect(log.take() == ["insert t 3", "didRollback"])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func cancelledAccesses(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let log = Held(ObserverLog())
            writer.add(transactionObserver: log.value!)
            let task = Task {
                try await writer.write { db in
                    try db.insert(3)
                    withUnsafeCurrentTask { $0?.cancel() }
                    try db.insert(4)
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(log.value?.take() == ["insert t 3", "didRollback"])
            try await writer.write { try $0.insert(5) }
            #expect(log.value?.take() == ["insert t 3", "willCommit", "didCommit"])
        }
    }

    // MARK: Statements in statements

    /// A function called by a writing statement also writes.
    @Test(arguments: ConnectionKind.allCases)
    func functions(_ kind: ConnectionKind) throws {
        let database = Held<Database>()
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("note", argumentCount: 1) { values in
                    try database.value?.execute(sql: "INSERT INTO note VALUES (?)", arguments: [values[0]])
                    return values[0]
                })
        }
        try withTable(kind, configuration) { writer in
            try writer.write {
                try $0.execute(sql: "CREATE TABLE note(x); CREATE TABLE wide(x PRIMARY KEY) WITHOUT ROWID")
            }
            let log = ObserverLog()
            writer.add(transactionObserver: log)
            try writer.writeWithoutTransaction { db in
                database.value = db
                defer { database.value = nil }
                try db.execute(sql: "INSERT INTO t VALUES (note(3))")
                #expect(log.take() == ["insert note 1", "insert t 3", "willCommit", "didCommit"])
                try db.execute(sql: "UPDATE t SET x = note(x) WHERE rowid <= 2")
                #expect(
                    log.take() == [
                        "insert note 2", "update t 1", "insert note 3", "update t 2", "willCommit", "didCommit",
                    ])
                // SQLite counts the changes of a statement after its commit.
                try db.execute(sql: "INSERT INTO wide VALUES (note(1))")
                #expect(log.take() == ["insert note 4", "willCommit", "change", "didCommit"])
                // The statement only reads: the function commits.
                _ = try Int.fetchAll(db, sql: "SELECT note(x) FROM t WHERE rowid <= 2")
                let commit = ["willCommit", "didCommit"]
                #expect(log.take() == ["insert note 5"] + commit + ["insert note 6"] + commit)
            }
        }
    }

    // MARK: Other kinds of changes

    @Test func foreignKeyActions() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE a (id INTEGER PRIMARY KEY);
                    CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES a(id) ON DELETE CASCADE ON UPDATE CASCADE);
                    CREATE TABLE c (id INTEGER PRIMARY KEY, b REFERENCES b(id) ON DELETE SET NULL);
                    INSERT INTO a VALUES (1), (2);
                    INSERT INTO b VALUES (10, 1), (11, 1), (12, 2);
                    INSERT INTO c VALUES (20, 10), (21, 12);
                    """)
            let cascade = try db.changes("DELETE FROM a WHERE id = 1")
            #expect(cascade == "delete a 1, delete b 10, update c 20, delete b 11")
            let all = try db.changes("UPDATE a SET id = 3")
            #expect(all == "a(id,rowid) | update a 3, update b 12")
        }
    }

    /// A trigger that does nothing reports nothing.
    @Test func conditionalTriggers() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (x);
                    CREATE TABLE log (x);
                    CREATE TABLE wide (x PRIMARY KEY) WITHOUT ROWID;
                    CREATE TRIGGER big AFTER INSERT ON t WHEN NEW.x > 10 BEGIN
                        INSERT INTO log VALUES (NEW.x);
                    END;
                    CREATE TRIGGER bigger AFTER INSERT ON t WHEN NEW.x > 100 BEGIN
                        INSERT INTO wide VALUES (NEW.x);
                    END;
                    """)
            let small = try db.changes("INSERT INTO t VALUES (1), (20)")
            #expect(small == "wide(*) | insert t 1, insert t 2, insert log 1")
            let none = try db.changes("INSERT INTO t SELECT 1 WHERE 0")
            #expect(none == "")
        }
    }

    @Test func views() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (x);
                    CREATE VIEW v AS SELECT x FROM t;
                    CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (NEW.x); END;
                    CREATE TRIGGER d INSTEAD OF DELETE ON v BEGIN DELETE FROM t WHERE x = OLD.x; END;
                    """)
            let insertion = try db.changes("INSERT INTO v VALUES (1), (2)")
            #expect(insertion == "v(*) | insert t 1, insert t 2")
            let deletion = try db.changes("DELETE FROM v")
            #expect(deletion == "v(*) | delete t 1, delete t 2")
            // Copied from table to table.
            let copy = try db.changes("CREATE TABLE u(x); INSERT INTO t VALUES (7); INSERT INTO u SELECT * FROM t")
            #expect(copy.hasSuffix("insert t 1, insert u 1"), "\(copy)")
        }
    }

    @Test func attachedDatabases() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS aux;
                    CREATE TABLE t (x);
                    CREATE TABLE aux.t (x);
                    CREATE TEMP TABLE t (x);
                    """)
            let entries = try db.observing {
                try db.execute(sql: "INSERT INTO main.t VALUES (1); INSERT INTO aux.t VALUES (1); DELETE FROM aux.t")
                try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
            }
            let commit = ["willCommit", "didCommit"]
            #expect(
                entries == ["insert t 1"] + commit + ["insert aux.t 1"] + commit + ["delete aux.t 1"] + commit
                    + ["insert temp.t 1", "insert temp.t 2"] + commit)
            let other = try db.notices("SELECT x FROM main.t", "INSERT INTO aux.t VALUES (1); INSERT INTO t VALUES (1)")
            #expect(!other)
        }
    }
}
