// Changes reported by the program, and changes made without statements.

import RowanSQLite
import Rowan
import Testing

@Suite
struct NotifiedChangesTests {
    @Test(arguments: ConnectionKind.allCases)
    func transactions(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = ObserverLog()
            writer.add(transactionObserver: log)
            try writer.write { db in
                _ = sqlite3_exec(db.sqliteConnection, "UPDATE t SET x = 0", nil, nil, nil)
                try db.notifyChanges(in: Table("t"))
                try db.notifyChanges(in: .fullDatabase)
                try db.notifyChanges(in: DatabaseRegion())
            }
            #expect(
                log.take().filter { $0.hasPrefix("change") || $0.hasPrefix("did") } == [
                    "change", "change", "didCommit",
                ])
            try writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.notifyChanges(in: Table("t"))
                    return .rollback
                }
                #expect(log.take() == ["change", "didRollback"])
                // Outside a transaction, no commit follows.
                try db.notifyChanges(in: Table("t"))
                #expect(log.take() == ["change"])
                try db.readOnly { try db.notifyChanges(in: Table("t")) }
                #expect(log.take() == [])
            }
            _ = try writer.read { try $0.notifyChanges(in: Table("t")) }
            #expect(log.take() == [])
        }
    }

    /// An observer is notified if it observes any kind of change in the region.
    @Test func kinds() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, x, y);
                    CREATE TABLE u(x);
                    CREATE VIEW v AS SELECT x FROM t;
                    CREATE VIRTUAL TABLE doc USING fts5(x);
                    ATTACH ':memory:' AS aux;
                    CREATE TABLE aux.other(x);
                    CREATE TEMP TABLE temporary(x);
                    """)
            func isNotified(
                _ region: any DatabaseRegionConvertible, _ observes: @escaping (DatabaseEventKind) -> Bool
            ) throws -> Bool {
                let region = try region.databaseRegion(db)
                return try !db.observing(ObserverLog(observes: observes)) { try db.notifyChanges(in: region) }.isEmpty
            }
            func isUpdate(_ kind: DatabaseEventKind, _ column: String) -> Bool {
                if case .update("t", let columns) = kind { columns.contains(column) } else { false }
            }
            let x = Table("t").select(Column("x"))
            for region in [Table("t"), DatabaseRegion.fullDatabase, x] as [any DatabaseRegionConvertible] {
                for kind in [DatabaseEventKind.insert(tableName: "t"), .delete(tableName: "t")] {
                    let isNotified = try isNotified(region) { $0 == kind }
                    #expect(isNotified)
                }
                let updates = try isNotified(region) { isUpdate($0, "x") }
                #expect(updates)
                let nothing = try isNotified(region) { _ in false }
                #expect(!nothing)
            }
            let other = try isNotified(x) { isUpdate($0, "y") }
            #expect(!other)
            let table = try isNotified(Table("t")) { $0.tableName == "u" }
            #expect(!table)
            for name in ["t", "u", "doc", "other", "temporary"] {
                let isNotified = try isNotified(DatabaseRegion.fullDatabase) { $0.tableName == name }
                #expect(isNotified, "\(name)")
            }
            // The schema is unchanged unless the database is replaced.
            for name in ["sqlite_master", "sqlite_temp_master"] {
                let isNotified = try isNotified(DatabaseRegion.fullDatabase) { $0.tableName == name }
                #expect(!isNotified, "\(name)")
                let entries = try db.observing(ObserverLog { $0.tableName == name }) { try db.databaseWasReplaced() }
                #expect(entries == ["change"], "\(name)")
            }
        }
    }

    /// The rows of a region.
    @Test func rows() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
            let log = ChangeLog()
            try db.subscribe(log)
            try db.inTransaction {
                try db.notifyChanges(in: Table("t").filter(Column("id") == 1))
                try db.notifyChanges(in: Table("t").filter(Column("id") == 3).select(Column("x")))
                return .commit
            }
            #expect(log.take() == "t(id,x)[1,3]")
            try db.notifyChanges(in: Table("t"))
            #expect(log.take() == "t(*)")
            expectError(.SQLITE_ERROR) { try db.notifyChanges(in: SQLRequest<Row>(sql: "SELECT * FROM unknown")) }
        }
    }

    /// Outside a transaction, an observer that stops still receives the next transaction.
    @Test func stopping() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = ObserverLog()
            log.onChange = { [unowned log] in log.stopObservingDatabaseChangesUntilNextTransaction() }
            let entries = try db.observing(log) {
                try db.notifyChanges(in: Table("t"))
                try db.insert(1)
            }
            #expect(entries == ["change", "insert t 1", "willCommit", "didCommit"])
        }
    }

    // MARK: Without statements

    /// SQLite does not report writes to blobs.
    @Test func blobs() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x, y); INSERT INTO t VALUES (x'0102', 1), (x'0304', 2)")
            let log = ChangeLog()
            let observer = ObserverLog()
            try db.subscribe(log)
            db.add(transactionObserver: observer)
            try db.withBlob(table: "t", column: "x", rowID: 1, access: .readWrite) { try $0.write(.init([9])) }
            #expect(log.take() == "t(x)")
            #expect(observer.take() == ["change", "willCommit", "didCommit"])
            try db.inTransaction {
                try db.withBlob(table: "T", column: "X", rowID: 1, access: .readWrite) { blob in
                    try blob.write(.init([8]))
                    try blob.reopen(rowID: 2)
                    try blob.write(.init([7]))
                }
                return .commit
            }
            #expect(log.take().lowercased() == "t(x)")
            #expect(observer.take() == ["change", "willCommit", "didCommit"])
            try db.withBlob(table: "t", column: "x", rowID: 1) { _ = try $0.read() }
            #expect(observer.take() == [])
            observer.refusal = Refusal()
            expectRefusal {
                try db.withBlob(table: "t", column: "x", rowID: 1, access: .readWrite) { try $0.write(.init([1])) }
            }
            #expect(observer.take() == ["change", "willCommit", "didRollback"])
            observer.refusal = nil
            let hex = try String.fetchAll(db, sql: "SELECT hex(x) FROM t")
            #expect(hex == ["0802", "0704"])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func erasedDatabases(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = ChangeLog()
            try writer.subscribe(log)
            try writer.erase()
            #expect(log.take() == "full database")
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func restoredDatabases(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let log = ChangeLog()
            try writer.subscribe(log)
            let source = try DatabaseQueue()
            try source.write { try $0.execute(sql: "CREATE TABLE u(x)") }
            try source.backup(to: writer)
            #expect(log.take() == "full database")
        }
    }

    // MARK: Other connections

    /// Another connection adds a trigger, so SQLite recompiles the statement as it begins.
    @Test(arguments: ConnectionKind.files)
    func foreignSchemaChanges(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let writer = try kind.make(path: path)
        let other = try kind.make(path: path)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(x); CREATE TABLE u(x)") }
        let log = ChangeLog()
        try writer.subscribe(log)
        try writer.writeWithoutTransaction { try $0.cachedStatement(sql: "INSERT INTO t VALUES (1)").execute() }
        #expect(log.take() == "insert t 1")
        try other.write {
            try $0.execute(sql: "CREATE TRIGGER a AFTER INSERT ON t BEGIN INSERT INTO u VALUES (NEW.x); END")
        }
        try writer.writeWithoutTransaction { try $0.cachedStatement(sql: "INSERT INTO t VALUES (1)").execute() }
        #expect(log.take().contains("u"), "outside a transaction")
        try other.write {
            try $0.execute(sql: "CREATE TABLE w(x PRIMARY KEY) WITHOUT ROWID")
            try $0.execute(
                sql: "CREATE TRIGGER b AFTER INSERT ON t BEGIN INSERT INTO w VALUES (NEW.rowid); END")
        }
        try writer.write { try $0.cachedStatement(sql: "INSERT INTO t VALUES (1)").execute() }
        #expect(log.take() == "w(*) | insert t 3, insert u 2")
    }
}
