// The ends of accesses: each closure is called once, and each transaction is reported once.

import Foundation
import Testing

@testable import Rowan

@Suite
struct AccessEndTests {
    /// The closure of a spawned read ends the read's transaction: ending it again fails, but the closure was called.
    @Test(arguments: ConnectionKind.allCases)
    func aSpawnedReadIsCalledOnce(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let calls = Log<Bool>()
            let isCalled = Gate()
            writer.writeWithoutTransaction { _ in
                writer.spawnConcurrentRead { result in
                    let db = try? result.get()
                    _ = db.map { try? $0.execute(sql: "COMMIT; BEGIN; ROLLBACK") }
                    calls.append(db != nil)
                    isCalled.open()
                }
            }
            isCalled.wait()
            try writer.barrierWriteWithoutTransaction { _ in }
            #expect(calls.elements == [true])
        }
    }

    // MARK: Observed transactions

    @Test func theReleaseOfTheOutermostSavepointIsACommit() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let log = ObserverLog()
            var entries = try db.observing(log) {
                try db.execute(sql: "SAVEPOINT a; INSERT INTO t VALUES (1); RELEASE a")
            }
            #expect(entries == ["insert t 1", "willCommit", "didCommit"])
            entries = try db.observing(log) {
                try db.execute(
                    sql: "SAVEPOINT a; SAVEPOINT b; INSERT INTO t VALUES (2); RELEASE b; RELEASE SAVEPOINT A")
            }
            #expect(entries == ["insert t 2", "willCommit", "didCommit"])
            entries = try db.observing(log) { try db.execute(sql: "SAVEPOINT a; RELEASE a") }
            #expect(entries == ["willCommit", "didCommit"])
            entries = try db.observing(log) {
                try db.execute(sql: "SAVEPOINT a; INSERT INTO t VALUES (3); ROLLBACK TO a; RELEASE a")
            }
            #expect(entries == ["willCommit", "didCommit"])
        }
    }

    @Test func aReadOnlyConnectionHasNoTransactionsToObserve() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t(x)") }
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let log = ObserverLog()
        queue.add(transactionObserver: log, extent: .databaseLifetime)
        try queue.inDatabase { db in
            try db.inTransaction {
                _ = try Row.fetchAll(db, sql: "SELECT * FROM t")
                return .commit
            }
        }
        #expect(log.take() == [])
    }

    // MARK: Row reports

    /// A statement whose changes are known has no cost for an observation until they can be undone.
    @Test func regionsAreReportedOnce() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); CREATE TABLE u(x)")
            let log = ChangeLog(interest: { _, _ in .region })
            try db.subscribe(log)
            defer { db.unsubscribe(log) }
            let tracker = try #require(db.state[ChangeTracker.self])
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            try db.inTransaction {
                try statement.execute(arguments: [1])
                #expect(log.region.description == "t(*)")
                let writes = StatementWrites.of(statement, db)
                #expect(writes.reported == tracker.currentReport)
                #expect(tracker.rowToken == nil)
                try db.inSavepoint {
                    try statement.execute(arguments: [2])
                    return .rollback
                }
                // The savepoint may have undone the reported changes.
                #expect(writes.reported != tracker.currentReport)
                try db.execute(sql: "UPDATE u SET x = 1")
                return .commit
            }
            #expect(log.take() == "t(*)")
            try db.inTransaction {
                try statement.execute(arguments: [3])
                return .commit
            }
            #expect(log.take() == "t(*)")
        }
    }

    /// Subscribers to rows receive them, although others subscribe to regions.
    @Test func rowsAndRegions() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let (regions, rows) = (ChangeLog(interest: { _, _ in .region }), ChangeLog())
            try db.subscribe(regions)
            try db.subscribe(rows)
            try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
            #expect(regions.take() == "t(*)")
            #expect(rows.take() == "insert t 1, insert t 2")
            db.unsubscribe(rows)
            try db.execute(sql: "DELETE FROM t")
            #expect(regions.take() == "t(*)")
            db.unsubscribe(regions)
        }
    }

    // MARK: Groups of writes

    /// Writes that share a transaction wait for its lock once, rather than one after another.
    @Test func aGroupWaitsOnceForALock() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let other = try DatabaseQueue(path: path)
        try await other.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        let waits = Log<Int>()
        var configuration = Configuration()
        configuration.groupsAsyncWrites = true
        configuration.busyMode = .callback { attempts in
            waits.append(attempts)
            return false
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let (isLocked, mayEnd) = (Gate(), Gate())
        startThread {
            try? other.inTransaction(.exclusive) { _ in
                isLocked.open()
                mayEnd.wait()
                return .rollback
            }
        }
        await isLocked.opened()
        let (isHeld, mayGoOn) = (Gate(), Gate())
        startThread {
            queue.writeWithoutTransaction { _ in
                isHeld.open()
                mayGoOn.wait()
            }
        }
        await isHeld.opened()
        let tasks = (0..<5).map { _ in
            Task { try await queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
        }
        await eventually { queue.waitingCount(\.write) == tasks.count + 1 }
        mayGoOn.open()
        for task in tasks {
            let result = await task.result
            #expect(throws: DatabaseError.self) { try result.get() }
        }
        mayEnd.open()
        #expect(waits.elements == [0])
    }
}
