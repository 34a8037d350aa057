// Observers that receive all rows reported by SQLite, regardless of the statement that changes them.

import RowanSQLite
import Rowan
import Testing

/// An observer that requests no kinds of events.
private final class AllChanges: TransactionObserver {
    var entries: [String] = []
    var databaseEventObservationStrategy: DatabaseEventObservationStrategy {
        var strategy = DatabaseEventObservationStrategy.default
        strategy.requiresDatabaseEventKind = false
        return strategy
    }
    func take() -> [String] {
        defer { entries = [] }
        return entries
    }
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        Issue.record("kinds are not asked for")
        return false
    }
    func databaseDidChange() { entries.append("change") }
    func databaseDidChange(with event: DatabaseEvent) {
        let schema = event.databaseName == "main" ? "" : "\(event.databaseName)."
        entries.append("\(event.kind) \(schema)\(event.tableName) \(event.rowID)")
    }
    func databaseWillCommit() { entries.append("willCommit") }
    func databaseDidCommit(_ db: Database) { entries.append("didCommit") }
    func databaseDidRollback(_ db: Database) { entries.append("didRollback") }
}

@Suite struct ObservationStrategyTests {
    private func withTable(_ body: (Database, AllChanges) throws -> Void) throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t(x) VALUES (1), (2)")
            let observer = AllChanges()
            db.add(transactionObserver: observer, extent: .databaseLifetime)
            try body(db, observer)
        }
    }

    private func run(_ db: Database, _ sql: String) {
        #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
    }

    @Test func ordinaryStatements() throws {
        try withTable { db, observer throws in
            try db.execute(sql: "INSERT INTO t(x) VALUES (3)")
            #expect(observer.take() == ["insert t 3", "willCommit", "didCommit"])
            try db.execute(sql: "BEGIN; UPDATE t SET x = 0 WHERE id = 1; DELETE FROM t WHERE id > 1; ROLLBACK")
            #expect(observer.take() == ["update t 1", "delete t 2", "delete t 3", "didRollback"])
            try db.execute(sql: "DELETE FROM t")
            #expect(observer.take() == ["delete t 1", "delete t 2", "delete t 3", "willCommit", "didCommit"])
        }
    }

    @Test func statementsOfTheCAPI() throws {
        try withTable { db, observer throws in
            try db.inTransaction {
                run(db, "UPDATE t SET x = 9 WHERE id = 1; INSERT INTO t(x) VALUES (3)")
                #expect(observer.take() == ["update t 1", "insert t 3"])
                return .commit
            }
            #expect(observer.take() == ["willCommit", "didCommit"])
            // In one of Rowan's savepoints, events wait for its end.
            try db.inTransaction {
                try db.inSavepoint {
                    run(db, "UPDATE t SET x = 9 WHERE id = 2")
                    #expect(observer.take() == [])
                    return .rollback
                }
                try db.inSavepoint {
                    run(db, "UPDATE t SET x = 9 WHERE id = 3")
                    return .commit
                }
                #expect(observer.take() == ["update t 3"])
                return .rollback
            }
            #expect(observer.take() == ["didRollback"])
        }
    }

    /// A function changes a table while a read-only query runs.
    @Test func functions() throws {
        try withTable { db, observer throws in
            let address = UInt(bitPattern: db.sqliteConnection)
            db.add(
                function: DatabaseFunction("change", argumentCount: 1, pure: false) { values in
                    let id = Int.fromDatabaseValue(values[0])!
                    #expect(
                        sqlite3_exec(
                            OpaquePointer(bitPattern: address), "UPDATE t SET x = -x WHERE id = \(id)", nil, nil, nil)
                            == SQLITE_OK)
                    return id
                })
            #expect(try Int.fetchAll(db, sql: "SELECT change(id) FROM (SELECT 1 AS id UNION ALL SELECT 2)") == [1, 2])
            let entries = observer.take()
            #expect(entries.filter { $0.hasPrefix("update") } == ["update t 1", "update t 2"])
            #expect(entries.last == "didCommit")
            #expect(try Int.fetchAll(db, sql: "SELECT x FROM t ORDER BY id") == [-1, -2])
        }
    }

    /// Other observers receive what they request, and no more than before.
    @Test func otherObservers() throws {
        try withTable { db, observer throws in
            let (log, none) = (ObserverLog(), ObserverLog { _ in false })
            for other in [log, none] { db.add(transactionObserver: other, extent: .databaseLifetime) }
            try db.inTransaction {
                run(db, "UPDATE t SET x = 9 WHERE id = 1")
                try db.execute(sql: "UPDATE t SET x = 9 WHERE id = 2")
                return .commit
            }
            #expect(observer.take() == ["update t 1", "update t 2", "willCommit", "didCommit"])
            #expect(log.take() == ["update t 2", "willCommit", "didCommit"])
            #expect(none.take() == ["willCommit", "didCommit"])
            // Without the observer, SQLite reports only the rows needed by others.
            db.remove(transactionObserver: observer)
            try db.inTransaction {
                run(db, "UPDATE t SET x = 9 WHERE id = 1")
                return .commit
            }
            #expect(observer.take() == [])
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func pauses() throws {
        try withTable { db, observer throws in
            try db.inTransaction {
                observer.stopObservingDatabaseChangesUntilNextTransaction()
                run(db, "UPDATE t SET x = 9 WHERE id = 1")
                try db.execute(sql: "UPDATE t SET x = 9 WHERE id = 2")
                return .commit
            }
            #expect(observer.take() == ["willCommit", "didCommit"])
            try db.execute(sql: "CREATE TABLE w(a PRIMARY KEY) WITHOUT ROWID; INSERT INTO w VALUES (1)")
            #expect(observer.take().filter { $0 == "change" }.count >= 1)
        }
    }
}
