// The times at which observers receive the values of rows, on every kind of connection.

import RowanSQLite
import Rowan
import Testing

@Suite(.enabled(if: Database.supportsPreUpdateEvents))
struct PreUpdateObserverTests {
    @Test(arguments: ConnectionKind.allCases)
    func transactions(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = PreUpdateLog()
            log.isComplete = true
            writer.add(transactionObserver: log)
            try writer.write { db in
                try db.insert(3)
                try db.execute(sql: "UPDATE t SET x = x + 1 WHERE rowid = 1")
            }
            #expect(
                log.take() == [
                    "insert t 3 [3]", "did insert t 3", "update t 1 [1] -> [2]", "did update t 1", "willCommit",
                    "didCommit",
                ])
            expectRefusal {
                try writer.write { db in
                    try db.execute(sql: "DELETE FROM t WHERE rowid = 1")
                    throw Refusal()
                }
            }
            #expect(log.take() == ["delete t 1 [2]", "did delete t 1", "didRollback"])
            // A statement outside a transaction.
            try writer.writeWithoutTransaction { db in
                try db.insert(4)
                #expect(log.take() == ["insert t 4 [4]", "did insert t 4", "willCommit", "didCommit"])
                try db.execute(sql: "CREATE TABLE w(x PRIMARY KEY) WITHOUT ROWID")
                _ = log.take()
                try db.execute(sql: "INSERT INTO w VALUES (1)")
                #expect(log.take() == ["insert w [1]", "willCommit", "change", "didCommit"])
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO w VALUES (2), (1)") }
                #expect(log.take() == ["insert w [2]", "didRollback"])
            }
            writer.remove(transactionObserver: log)
            try writer.write { try $0.insert(5) }
            #expect(log.take() == [])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func asynchronousWrites(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let log = Held(PreUpdateLog())
            writer.add(transactionObserver: log.value!)
            try await writer.write { try $0.insert(3) }
            #expect(log.value?.take() == ["insert t 3 [3]"])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func reads(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = PreUpdateLog()
            writer.add(transactionObserver: log)
            _ = try writer.values()
            try writer.writeWithoutTransaction { db in
                try db.readOnly { expectError(.SQLITE_READONLY) { try db.insert(3) } }
            }
            #expect(log.take() == [])
        }
    }

    /// Values are delivered immediately, because SQLite does not keep them.
    @Test func savepoints() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = PreUpdateLog()
            log.isComplete = true
            db.add(transactionObserver: log)
            try db.inTransaction {
                try db.inSavepoint {
                    try db.insert(1)
                    #expect(log.take() == ["insert t 1 [1]"])
                    return .rollback
                }
                try db.inSavepoint {
                    try db.insert(2)
                    #expect(log.take() == ["insert t 1 [2]"])
                    return .commit
                }
                #expect(log.take() == ["did insert t 1"])
                return .commit
            }
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func kinds() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a UNIQUE, b, c AS (b + 1) STORED); CREATE TABLE u(a);
                    INSERT INTO t(a, b) VALUES (1, 1), (2, 2);
                    """)
            func changes(_ sql: String, _ observes: @escaping (DatabaseEventKind) -> Bool) throws -> [String] {
                let log = PreUpdateLog(observes: observes)
                db.add(transactionObserver: log)
                defer { db.remove(transactionObserver: log) }
                try db.execute(sql: sql)
                return log.take()
            }
            let updates = try changes("UPDATE t SET b = 5 WHERE a = 1; UPDATE t SET a = 3 WHERE a = 1") { kind in
                if case .update("t", let columns) = kind { columns.contains("b") } else { false }
            }
            #expect(updates == ["update t 1 [1, 1, 2] -> [1, 5, 6]"])
            let deletions = try changes("REPLACE INTO t(a, b) VALUES (2, 9); INSERT INTO u VALUES (1)") { kind in
                kind == .delete(tableName: "t")
            }
            #expect(deletions == ["delete t 2 [2, 2, 3]"])
            let none = try changes("DELETE FROM t; DELETE FROM u") { _ in false }
            #expect(none == [])
        }
    }

    /// An observer that has stopped receives nothing until the next transaction.
    @Test func stopping() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = PreUpdateLog()
            log.isComplete = true
            log.onEvent = { [unowned log] _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
            db.add(transactionObserver: log)
            for _ in 0..<2 {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
                    try db.execute(sql: "DELETE FROM t")
                    return .commit
                }
                #expect(log.take() == ["insert t 1 [1]", "willCommit", "didCommit"])
            }
        }
    }

    @Test func removalInTheCallback() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let (log, other) = (PreUpdateLog(), PreUpdateLog())
            log.onEvent = { [unowned log] _ in db.remove(transactionObserver: log) }
            db.add(transactionObserver: log)
            db.add(transactionObserver: other)
            try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
            #expect(log.take() == ["insert t 1 [1]"])
            #expect(other.take() == ["insert t 1 [1]", "insert t 2 [2]"])
            other.onEvent = { [unowned other] _ in db.remove(transactionObserver: other) }
            try db.execute(sql: "INSERT INTO t VALUES (3), (4)")
            #expect(other.take() == ["insert t 3 [3]"])
            try db.insert(5)
            #expect(other.take() == [])
            let values = try db.values()
            #expect(values == [1, 2, 3, 4, 5])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func extents(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let entries = Log<String>()
            func observer() -> PreUpdateLog {
                let log = PreUpdateLog()
                log.onEvent = { entries.append("\($0.kind) \($0.finalDatabaseValue(atIndex: 0)!.literal)") }
                return log
            }
            weak var weakObserver: PreUpdateLog?
            do {
                let observer = observer()
                weakObserver = observer
                writer.add(transactionObserver: observer)
            }
            #expect(weakObserver == nil)
            try writer.write { try $0.insert(3) }
            #expect(entries.elements == [])
            do {
                let observer = observer()
                weakObserver = observer
                writer.add(transactionObserver: observer, extent: .nextTransaction)
            }
            try writer.write { try $0.insert(4) }
            #expect(weakObserver == nil)
            try writer.write { try $0.insert(5) }
            #expect(entries.elements == ["insert 4"])
            do {
                let observer = observer()
                weakObserver = observer
                writer.add(transactionObserver: observer, extent: .databaseLifetime)
            }
            try writer.write { try $0.insert(6) }
            try writer.write { try $0.insert(7) }
            #expect(entries.elements == ["insert 4", "insert 6", "insert 7"])
            try writer.close()
            #expect(weakObserver == nil)
        }
    }

    /// An observer that doesn't adopt the protocol installs no hook, and receives the usual events.
    @Test func hooks() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let pointer = try #require(db.sqliteConnection)
            /// Whether the hook is installed: replacing it returns its context.
            func isHookInstalled() -> Bool { rowan_preupdate_hook(pointer, nil, nil) != nil }
            let ordinary = ObserverLog()
            db.add(transactionObserver: ordinary)
            try db.insert(1)
            #expect(!isHookInstalled())
            let log = PreUpdateLog()
            db.add(transactionObserver: log)
            try db.insert(2)
            db.remove(transactionObserver: log)
            #expect(!isHookInstalled())
            try db.insert(3)
            #expect(log.take() == ["insert t 2 [2]"])
            let commit = ["willCommit", "didCommit"]
            #expect(
                ordinary.take() == ["insert t 1"] + commit + ["insert t 2"] + commit + ["insert t 3"] + commit)
            db.add(transactionObserver: log)
            #expect(isHookInstalled())
        }
    }

    /// The program's own hook is preserved while no observer needs the hook.
    @Test func hooksOfTheProgram() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let pointer = try #require(db.sqliteConnection)
            let count = Log<Int>()
            let context = Unmanaged.passUnretained(count).toOpaque()
            rowan_preupdate_hook(
                pointer,
                { context, _, _, _, _, _, _ in
                    Unmanaged<Log<Int>>.fromOpaque(context!).takeUnretainedValue().append(1)
                }, context)
            let log = ObserverLog()
            db.add(transactionObserver: log)
            try db.insert(1)
            db.remove(transactionObserver: log)
            try db.insert(2)
            #expect(count.elements == [1, 1])
            #expect(rowan_preupdate_hook(pointer, nil, nil) == context)
        }
    }

    /// SQLite reports a write to an open blob as a deletion.
    @Test func blobs() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (x'0102')")
            let log = PreUpdateLog()
            log.isComplete = true
            db.add(transactionObserver: log)
            try db.withBlob(table: "t", column: "x", rowID: 1, access: .readWrite) { try $0.write(.init([9])) }
            #expect(log.take() == ["change", "willCommit", "didCommit"])
            // In the middle of a statement that deletes from the table.
            let held = Held(db)
            let function = DatabaseFunction("patch", argumentCount: 0) { _ in
                try held.value?.withBlob(table: "t", column: "x", rowID: 1, access: .readWrite) {
                    try $0.write(.init([8]))
                }
                return nil
            }
            db.add(function: function)
            try db.execute(sql: "INSERT INTO t VALUES (2); DELETE FROM t WHERE x = 2 AND patch() IS NULL")
            #expect(log.take().filter { $0.hasPrefix("delete") } == ["delete t 2 [2]"])
            db.remove(function: function)
        }
    }

    /// Functions called by the statement also write.
    @Test func functions() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); CREATE TABLE note(x)")
            let log = PreUpdateLog()
            db.add(transactionObserver: log)
            let held = Held(db)
            let function = DatabaseFunction("note", argumentCount: 1) { values in
                try held.value?.execute(sql: "INSERT INTO note VALUES (?)", arguments: [values[0]])
                return values[0]
            }
            db.add(function: function)
            try db.execute(sql: "INSERT INTO t VALUES (note(1)), (note(2))")
            #expect(log.take() == ["insert note 1 [1]", "insert t 1 [1]", "insert note 2 [2]", "insert t 2 [2]"])
            db.remove(function: function)
        }
    }

    /// Each registration is called.
    @Test func registeredTwice() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = PreUpdateLog()
            db.add(transactionObserver: log)
            db.add(transactionObserver: log)
            try db.insert(1)
            #expect(log.take() == ["insert t 1 [1]", "insert t 1 [1]"])
            db.remove(transactionObserver: log)
            try db.insert(2)
            #expect(log.take() == ["insert t 2 [2]"])
        }
    }
}
