// Cursors, arguments, names and interruptions while other clients change the database.

import Foundation
import Rowan
import Synchronization
import Testing

@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing), .timeLimit(.minutes(2)))
struct ClusterReaderTests {
    private func new(_ name: String = #function) throws -> (DatabaseCluster, other: DatabaseCluster) {
        let cluster = try DatabaseCluster.new(name)
        try cluster.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, n INTEGER);
                    INSERT INTO t VALUES (1, 'a', 10), (2, 'b', 20), (3, NULL, 30);
                    """)
        }
        return (cluster, try cluster.another())
    }

    /// SQLite compares the hidden columns of a virtual table only after the 16th.
    @Test(arguments: [1, 14, 15, 16, 17, 63, 64, 65, 128, 129, 254, 255])
    func manyArguments(_ count: Int) throws {
        let (cluster, _) = try new("manyArguments\(count)(")
        let marks = (1...count).map { _ in "?" }.joined(separator: ", ")
        var values: [DatabaseValue] = (1...count).map { $0.databaseValue }
        try cluster.write { db in
            let ids = try Int.fetchAll(
                db, sql: "SELECT id FROM t WHERE id IN (\(marks)) ORDER BY id", arguments: StatementArguments(values))
            #expect(ids == Array([1, 2, 3].prefix(count)))
            values[count - 1] = .null
            let row = try Row.fetchOne(db, sql: "SELECT \(marks)", arguments: StatementArguments(values))
            #expect(row.map { Array($0.databaseValues) } == values)
            let rows = (1...count).map { _ in "(?)" }.joined(separator: ", ")
            try db.execute(
                sql: "INSERT INTO t (name, n) SELECT 'x', count(*) FROM (VALUES \(rows))",
                arguments: StatementArguments(values))
            #expect(try Int.fetchOne(db, sql: "SELECT n FROM t WHERE name = 'x'") == count)
        }
    }

    @Test func tracesOfManyArguments() throws {
        let (cluster, _) = try new()
        try cluster.write { db in
            let marks = (1...70).map { _ in "?" }.joined(separator: ", ")
            let statement = try db.makeStatement(sql: "SELECT id FROM t WHERE name IN (\(marks))")
            var values: [DatabaseValue] = (1...70).map { $0.databaseValue }
            values[0] = "a, (b)".databaseValue
            values[69] = .null
            nonisolated(unsafe) var text = ""
            db.trace(options: .statement) { text = $0.expandedDescription }
            _ = try Int.fetchAll(statement, arguments: StatementArguments(values))
            db.trace(options: [])
            let literals = ["'a, (b)'"] + (2...69).map(String.init) + ["NULL"]
            #expect(text == "SELECT id FROM t WHERE name IN (\(literals.joined(separator: ", ")))")
        }
    }

    /// Neither rows that have already arrived nor rows still arriving are read.
    @Test(arguments: [3, 200_000], [false, true])
    func anInterruptionBetweenTwoRows(_ count: Int, _ isRead: Bool) throws {
        let (cluster, _) = try new("anInterruption\(count)\(isRead)(")
        func body(_ db: Database) throws {
            let sql =
                "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < \(count)) SELECT x FROM c"
            let (first, second) = (try Int.fetchCursor(db, sql: sql), try Int.fetchCursor(db, sql: sql))
            #expect(try first.next() == 1)
            #expect(try second.next() == 1)
            #expect(try second.next() == 2)
            cluster.interrupt()
            for cursor in [first, second] {
                let error = #expect(throws: DatabaseError.self) { try cursor.next() }
                #expect(error?.resultCode == .SQLITE_INTERRUPT)
            }
            // Accesses that begin afterwards are not interrupted.
            #expect(try Int.fetchCursor(db, sql: sql).next() == 1)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 3)
        }
        if isRead { try cluster.read(body) } else { try cluster.write(body) }
        try cluster.write { try $0.execute(sql: "DELETE FROM t") }
        #expect(try cluster.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 0)
    }

    /// The shadow can't switch schemas while a cursor is open, but must not keep the old one afterwards.
    @Test func theSchemaMovesWhileACursorIsOpen() throws {
        let (cluster, other) = try new()
        try cluster.writeWithoutTransaction { db in
            do {
                let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
                _ = try cursor.next()
                try other.write { db in
                    try db.execute(
                        sql: "ALTER TABLE t DROP COLUMN name; ALTER TABLE t ADD COLUMN extra TEXT DEFAULT 'e'")
                }
                #expect(throws: DatabaseError.self) { try Row.fetchAll(db, sql: "SELECT * FROM t") }
            }
            let row = try Row.fetchOne(db, sql: "SELECT * FROM t")
            #expect(row == ["id": 1, "n": 10, "extra": "e"])
        }
        try other.write { try $0.execute(sql: "ALTER TABLE t DROP COLUMN extra") }
        #expect(try cluster.write { try Row.fetchOne($0, sql: "SELECT * FROM t") } == ["id": 1, "n": 10])
    }

    /// A statement that fails on the client holds no lock on the leader.
    @Test func aStatementThatFailsHoldsNoLock() throws {
        let (cluster, other) = try new()
        try cluster.writeWithoutTransaction { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
            _ = try cursor.next()
            try other.write { try $0.execute(sql: "CREATE TABLE other (a)") }
            for sql in ["UPDATE t SET n = n + 1", "BEGIN IMMEDIATE"] {
                let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
                #expect(error?.resultCode == .SQLITE_SCHEMA)
                #expect(!db.isInsideTransaction)
            }
            try other.write { try $0.execute(sql: "UPDATE t SET n = 11 WHERE id = 1") }
        }
        try cluster.writeWithoutTransaction { try $0.execute(sql: "UPDATE t SET n = n + 1") }
        #expect(try other.read { try Int.fetchAll($0, sql: "SELECT n FROM t ORDER BY id") } == [12, 21, 31])
    }

    @Test func nothingIsDroppedWhileACursorIsOpen() throws {
        let (cluster, other) = try new()
        try cluster.write { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
            _ = try cursor.next()
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "DROP TABLE t") }
            #expect(error?.resultCode == .SQLITE_LOCKED)
            #expect(error?.message == "database table is locked")
        }
        #expect(try cluster.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 3)
        #expect(try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 3)
    }

    @Test func tablesFromQueriesWithArguments() throws {
        let (cluster, _) = try new()
        let row = try cluster.write { db in
            try db.execute(sql: "CREATE TABLE copy AS SELECT ? AS a, :b AS b", arguments: [5, "x"])
            return try Row.fetchOne(db, sql: "SELECT * FROM copy")
        }
        #expect(row == ["a": 5, "b": "x"])
    }

    @Test(arguments: ["rowan_remote", "rowan_values"])
    func tablesWithNamesOfModules(_ name: String) throws {
        let (cluster, other) = try new("tablesWithNamesOfModules\(name.filter(\.isLetter))(")
        try cluster.write { db in
            try db.create(table: name) { $0.column("a") }
            try db.execute(sql: "INSERT INTO \(name) VALUES (7)")
        }
        for client in [cluster, other] {
            #expect(try client.read { try Int.fetchAll($0, sql: "SELECT a FROM \(name)") } == [7])
        }
    }

    /// Pages of an open transaction stay in SQLite's cache of 2 MB.
    @Test func readsAfterLargeWrites() throws {
        let (cluster, _) = try new()
        let sizes = try cluster.write { db in
            try (0..<4).map { _ in
                try db.execute(
                    sql: """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                        INSERT INTO t (name) SELECT hex(zeroblob(512)) FROM n
                        """)
                return try Int.fetchOne(db, sql: "SELECT sum(length(name)) FROM t WHERE id > 3")
            }
        }
        #expect(sizes == (1...4).map { $0 * 3000 * 1024 })
    }

    @Test func interruptionsOfNothing() throws {
        let (cluster, _) = try new()
        try cluster.write { db in
            let count = try Row.fetchAll(
                db,
                sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i FROM n"
            ).count
            #expect(count == 3000)
            cluster.interrupt()
            try db.execute(sql: "UPDATE t SET n = 0")
        }
        #expect(try cluster.read { try Int.fetchOne($0, sql: "SELECT sum(n) FROM t") } == 0)
    }

    @Test(arguments: ["a-wal", "a-shm", "a-journal"])
    func namesOfFilesBesideADatabase(_ name: String) {
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseCluster(addresses: TestCluster.shared.addresses.map(\.description), database: name)
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero])
    func anyObservationInterval(_ interval: Duration) async throws {
        var options = ClusterOptions()
        options.observationInterval = interval
        let cluster = try DatabaseCluster.new("anyObservationInterval(", options: options)
        try await cluster.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
        var values = observation.values(in: cluster).makeAsyncIterator()
        #expect(try await values.next() == 0)
    }
}

extension ClusterReaderTests {
    @Test func erasing() throws {
        let cluster = try DatabaseCluster.new()
        try cluster.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent);
                    CREATE VIRTUAL TABLE search USING fts5(text);
                    CREATE VIEW all_children AS SELECT * FROM child;
                    INSERT INTO parent VALUES (1);
                    INSERT INTO child VALUES (1, 1);
                    INSERT INTO search VALUES ('words');
                    """)
        }
        try cluster.erase()
        for client in [cluster, try cluster.another()] {
            let names = try client.read { db in
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'")
            }
            #expect(names == [])
        }
        try cluster.write { try $0.execute(sql: "CREATE TABLE parent (a); INSERT INTO parent VALUES (1)") }
        #expect(try cluster.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM parent") } == 1)
    }
}

extension ClusterReaderTests {
    /// Cancels the task of each transaction at its commit.
    private final class Canceller: TransactionObserver {
        let task = Synchronization.Mutex<Task<Void, any Error>?>(nil)
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() { task.withLock { $0?.cancel() } }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    /// The shadow must not reject what the cluster has committed: SQLite calls the progress handler every 500
    /// instructions of a statement, counted over all its runs.
    @Test func commitsOfCancelledTasks() async throws {
        let (cluster, _) = try new()
        let canceller = Canceller()
        cluster.add(transactionObserver: canceller)
        var expected = Set<Int>()
        for number in 100..<500 {
            let task = Task {
                try await cluster.write { db in
                    try db.execute(sql: "INSERT INTO t (id) VALUES (?)", arguments: [number])
                }
            }
            canceller.task.withLock { $0 = task }
            if case .success = await task.result { expected.insert(number) }
        }
        canceller.task.withLock { $0 = nil }
        let ids = try await cluster.read { try Set(Int.fetchAll($0, sql: "SELECT id FROM t WHERE id >= 100")) }
        #expect(ids == expected)
        #expect(!ids.isEmpty)
    }
}

extension ClusterReaderTests {
    /// A remote statement has at most 255 arguments.
    @Test(arguments: [63, 64, 65, 129, 300, 999, 1_000, 2_000])
    func longLists(_ count: Int) throws {
        let (cluster, _) = try new("longLists\(count)(")
        struct Item: Codable, FetchableRecord, PersistableRecord {
            static let databaseTableName = "t"
            var id: Int
            var name: String?
        }
        try cluster.write { (db: Database) throws in
            let ids = Array(2...(count + 1))
            #expect(try Item.filter(ids.contains(Column("id"))).order(Column("id")).fetchAll(db).map(\.id) == [2, 3])
            let both = Item.filter(ids.contains(Column("id")) && ids.map { "\($0)" }.contains(Column("n")))
            #expect(try both.fetchCount(db) == 2)
            #expect(try Item.fetchAll(db, keys: ids).map(\.id).sorted() == [2, 3])
            let keys: [[String: (any DatabaseValueConvertible)?]] = ids.map { ["id": $0, "name": "b"] }
            #expect(try Item.filter(keys: keys).fetchCount(db) == 1)
            #expect(try Item.deleteAll(db, keys: ids) == 2)
        }
    }
}

extension ClusterReaderTests {
    @Test func aDumpThatCannotBeWritten() async throws {
        let (cluster, _) = try new()
        let error = await #expect(throws: DatabaseError.self) {
            try await cluster.dump(to: "/there/is/no/such/folder/dump.sqlite")
        }
        #expect(error?.resultCode == .SQLITE_CANTOPEN)
        #expect(error?.message?.hasSuffix(" - /there/is/no/such/folder/dump.sqlite") == true)
    }
}

extension ClusterReaderTests {
    /// The schema version and the rows belong to the same state: the values are the names of their columns.
    @Test func rowsOfASchemaThatKeepsMoving() async throws {
        let cluster = try DatabaseCluster.new()
        let other = try cluster.another()
        func define(_ number: Int) async throws {
            let columns = (0..<(number % 2 + 2)).map { "c\(number % 5)_\($0)" }
            try await other.write { db in
                try db.execute(sql: "DROP TABLE IF EXISTS t; CREATE TABLE t (\(columns.joined(separator: ", ")))")
                let values = columns.map { "'\($0)'" }.joined(separator: ", ")
                try db.execute(sql: "INSERT INTO t VALUES (\(values)), (\(values))")
            }
        }
        try await define(0)
        let changes = Task { for number in 1...150 { try await define(number) } }
        let end = Synchronization.Mutex(false)
        Task {
            _ = await changes.result
            end.withLock { $0 = true }
        }
        @Sendable func mismatches(_ db: Database) throws -> [String] {
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM t")
            guard rows.count == 2 else { return ["\(rows.count) rows"] }
            return rows.filter { $0.contains { name, value in value != name.databaseValue } }.map { "\($0)" }
        }
        var count = 0
        while !end.withLock({ $0 }) {
            #expect(try await cluster.writeWithoutTransaction { try mismatches($0) } == [])
            #expect(try await cluster.read { try mismatches($0) } == [])
            #expect(try await cluster.unsafeRead { try mismatches($0) } == [])
            count += 1
        }
        try await changes.value
        #expect(count > 20)
    }
}

extension ClusterReaderTests {
    /// A node mistakes a new name for an existing database whose name begins with it.
    @Test func namesThatBeginWithEachOther() throws {
        let base = TestCluster.newDatabaseName("prefix")
        for name in ["\(base)-12", "\(base)-1", base, "\(base)-123"] {
            let cluster = try DatabaseCluster(
                addresses: TestCluster.shared.addresses.map(\.description), database: name)
            #expect(try cluster.read { try $0.tableExists("t") } == false)
            try cluster.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        }
    }
}
