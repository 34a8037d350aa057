// The extent of observation, and the absence of costs on a connection without observers.

import RowanSQLite
import Rowan
import Testing

@Suite
struct ObserverExtentTests {
    @Test(arguments: ConnectionKind.allCases)
    func lifetimes(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let shared = ObserverLog()
            func observer() -> ObserverLog {
                let observer = ObserverLog()
                observer.shared = shared
                return observer
            }
            weak var weakObserver: ObserverLog?
            do {
                let observer = observer()
                weakObserver = observer
                writer.add(transactionObserver: observer)
            }
            #expect(weakObserver == nil)
            try writer.write { try $0.insert(3) }
            #expect(shared.take() == [])

            do {
                let observer = observer()
                weakObserver = observer
                writer.add(transactionObserver: observer, extent: .nextTransaction)
            }
            _ = try writer.values()
            #expect(weakObserver != nil)
            try writer.write { try $0.insert(4) }
            #expect(shared.take() == ["insert t 4", "willCommit", "didCommit"])
            #expect(weakObserver == nil)

            do {
                let observer = observer()
                weakObserver = observer
                writer.add(transactionObserver: observer, extent: .databaseLifetime)
            }
            for _ in 0..<2 {
                try? writer.write { db in
                    try db.insert(5)
                    throw Refusal()
                }
                #expect(shared.take() == ["insert t 5", "didRollback"])
            }
            try writer.close()
            #expect(weakObserver == nil)
            #expect(shared.take() == [])
        }
    }

    /// The database is released without having been closed.
    @Test(arguments: ConnectionKind.allCases)
    func releasedDatabases(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        weak var observer: ObserverLog?
        do {
            let writer = try kind.make(in: folder)
            let log = ObserverLog()
            observer = log
            writer.add(transactionObserver: log, extent: .databaseLifetime)
            try writer.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        }
        #expect(observer == nil)
    }

    @Test(arguments: ConnectionKind.allCases)
    func closedDatabases(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.close()
            let log = ObserverLog()
            writer.add(transactionObserver: log, extent: .databaseLifetime)
            writer.remove(transactionObserver: log)
            expectError(.SQLITE_MISUSE) { try writer.write { try $0.insert(3) } }
            #expect(log.take() == [])
        }
    }

    /// Inside a transaction, the next transaction is the current one. A failed commit does not end it.
    @Test func nextTransaction() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = ObserverLog()
            try db.inTransaction {
                try db.insert(1)
                db.add(transactionObserver: log, extent: .nextTransaction)
                try db.insert(2)
                return .rollback
            }
            try db.insert(3)
            #expect(log.take() == ["insert t 2", "didRollback"])
            // In the callback of its last transaction, an observer can begin another extent.
            log.onCommit = { [unowned log] db in
                log.onCommit = nil
                db.add(transactionObserver: log, extent: .nextTransaction)
            }
            db.add(transactionObserver: log, extent: .nextTransaction)
            for value in 1...3 { try db.insert(value) }
            let commit = ["willCommit", "didCommit"]
            #expect(log.take() == ["insert t 2"] + commit + ["insert t 3"] + commit)
        }
    }

    /// Each registration is called.
    @Test func registeredTwice() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = ObserverLog()
            db.add(transactionObserver: log)
            db.add(transactionObserver: log, extent: .databaseLifetime)
            try db.insert(1)
            #expect(log.take() == ["insert t 1", "insert t 1", "willCommit", "willCommit", "didCommit", "didCommit"])
            db.remove(transactionObserver: log)
            try db.insert(2)
            #expect(log.take() == ["insert t 2", "willCommit", "didCommit"])
            db.remove(transactionObserver: log)
            db.remove(transactionObserver: log)
            try db.insert(3)
            #expect(log.take() == [])
        }
    }

    /// The observer is queried for its kinds once per statement; the columns are those that change.
    @Test func kinds() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, x, y AS (x + 1), z AS (x * 2) STORED);
                    CREATE TABLE u(x);
                    CREATE TRIGGER tr AFTER UPDATE OF x ON t BEGIN DELETE FROM u; END;
                    INSERT INTO t(x) VALUES (1), (2), (3);
                    INSERT INTO u VALUES (1);
                    """)
            var kinds: [DatabaseEventKind] = []
            let log = ObserverLog { kind in
                kinds.append(kind)
                return kind.tableName == "u"
            }
            let entries = try db.observing(log) {
                try db.execute(sql: "UPDATE t SET x = x + 1")
                try db.execute(sql: "SELECT * FROM t; CREATE INDEX i ON u(x)")
            }
            #expect(entries == ["delete u 1", "willCommit", "didCommit", "willCommit", "didCommit"])
            let expected: Set<DatabaseEventKind> = [
                .update(tableName: "t", columnNames: ["x", "y", "z"]), .delete(tableName: "u"),
            ]
            #expect(Set(kinds.prefix(2)) == expected)
            #expect(kinds.dropFirst(2).allSatisfy { $0.tableName == "sqlite_master" })
        }
    }

    /// An observer of no kinds is notified of transactions, and doesn't make SQLite delete row by row.
    @Test func observersOfNothing() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); CREATE TABLE w(x PRIMARY KEY) WITHOUT ROWID")
            let entries = try db.observing(ObserverLog { _ in false }) {
                try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1); INSERT INTO w VALUES (1); COMMIT; DELETE FROM w")
                try db.execute(sql: "BEGIN; ROLLBACK")
            }
            #expect(entries == ["willCommit", "didCommit", "willCommit", "didCommit", "didRollback"])
        }
    }

    @Test func stopping() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); CREATE TABLE w(x PRIMARY KEY) WITHOUT ROWID")
            let log = ObserverLog()
            log.onChange = { [unowned log] in log.stopObservingDatabaseChangesUntilNextTransaction() }
            db.add(transactionObserver: log)
            try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1), (2); INSERT INTO t VALUES (3); COMMIT")
            #expect(log.take() == ["insert t 1", "willCommit", "didCommit"])
            try db.execute(sql: "BEGIN; INSERT INTO w VALUES (1), (2); INSERT INTO t VALUES (3); ROLLBACK")
            #expect(log.take() == ["change", "didRollback"])
            try db.execute(sql: "INSERT INTO t VALUES (1), (2); INSERT INTO t VALUES (3)")
            #expect(log.take() == ["insert t 4", "willCommit", "didCommit", "insert t 6", "willCommit", "didCommit"])
            // After the transaction, there is nothing to ignore.
            log.onChange = nil
            log.onCommit = { [unowned log] _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
            try db.insert(1)
            try db.insert(2)
            #expect(log.take() == ["insert t 7", "willCommit", "didCommit", "insert t 8", "willCommit", "didCommit"])
        }
    }

    // MARK: Without observers

    /// The instructions of a statement, newly compiled.
    private func instructions(_ db: Database, _ sql: String) throws -> [String] {
        try Row.fetchAll(db, sql: "EXPLAIN \(sql)").map { $0["opcode"] }
    }

    /// The number of instructions that a statement has run.
    private func stepCount(_ statement: Statement) -> CInt {
        sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 1)
    }

    /// A DELETE without a condition empties its table at once, before the first observer and after the last one.
    @Test(arguments: ConnectionKind.allCases)
    func truncation(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.writeWithoutTransaction { db in
                let statement = try db.makeStatement(sql: "DELETE FROM t")
                func deletedSteps() throws -> CInt {
                    for value in 0..<100 { try db.insert(value) }
                    _ = stepCount(statement)
                    try statement.execute()
                    return stepCount(statement)
                }
                func expectTruncation(_ truncates: Bool) throws {
                    let opcodes = try instructions(db, "DELETE FROM t")
                    #expect(opcodes.contains("Clear") == truncates)
                    let steps = try deletedSteps()
                    #expect((steps < 50) == truncates, "\(steps)")
                }
                try expectTruncation(true)
                let log = ObserverLog { $0.tableName == "t" }
                db.add(transactionObserver: log)
                try expectTruncation(false)
                db.remove(transactionObserver: log)
                try expectTruncation(true)
                db.add(transactionObserver: log, extent: .nextTransaction)
                try db.insert(1)
                try expectTruncation(true)
                do {
                    let log = ObserverLog()
                    db.add(transactionObserver: log)
                }
                try db.insert(1)
                try expectTruncation(true)
            }
        }
    }

    /// No hooks are called, statements don't read the schema, and nothing is recompiled.
    @Test func noHooks() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); CREATE TABLE w(x PRIMARY KEY) WITHOUT ROWID")
            let pointer = try #require(db.sqliteConnection)
            /// Whether a hook is installed: replacing it returns its context.
            func areHooksInstalled() -> Bool {
                let update = sqlite3_update_hook(pointer, nil, nil)
                let commit = sqlite3_commit_hook(pointer, nil, nil)
                let rollback = sqlite3_rollback_hook(pointer, nil, nil)
                return update != nil || commit != nil || rollback != nil
            }
            #expect(!areHooksInstalled())
            let log = Log<String>()
            db.trace { log.append($0.description) }
            let statement = try db.makeStatement(sql: "INSERT INTO w VALUES (?)")
            for value in 1...3 { try statement.execute(arguments: [value]) }
            #expect(log.elements == (1...3).map { _ in "INSERT INTO w VALUES (?)" })
            #expect(sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0) == 0)
            let observer = ObserverLog()
            db.add(transactionObserver: observer)
            try statement.execute(arguments: [4])
            #expect(sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0) == 1)
            db.remove(transactionObserver: observer)
            #expect(!areHooksInstalled())
            #expect(observer.take() == ["willCommit", "change", "didCommit"])
        }
    }
}
