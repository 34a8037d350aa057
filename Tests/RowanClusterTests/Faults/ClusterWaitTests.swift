// Accesses that wait: for a paused leader, for another client's lock, for their own end. An endless wait exceeds the
// test's time limit.

import Foundation
import Rowan
import Testing

@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing), .serialized, .timeLimit(.minutes(1)))
struct ClusterWaitTests {
    /// A client whose timeouts exceed the test's time limit.
    private func patientClient(_ cluster: FaultyCluster) throws -> DatabaseCluster {
        var configuration = DatabaseCluster.defaultConfiguration
        configuration.busyMode = .timeout(90)
        return try cluster.client(configuration: configuration) {
            $0.requestTimeout = .seconds(90)
            $0.transactionTimeout = .seconds(90)
        }
    }

    @Test func aReadThatWaitsForAPausedLeaderIsCancelled() async throws {
        let cluster = try FaultyCluster()
        let client = try patientClient(cluster)
        try await client.write { try $0.execute(sql: "CREATE TABLE entry (n INTEGER NOT NULL)") }
        let begun = Signal()
        let task = Task {
            try await client.read { db in
                _ = try Int.fetchAll(db, sql: "SELECT n FROM entry")
                for index in 0..<3 { cluster.nodes.pause(index) }
                begun.send()
                return try Int.fetchAll(db, sql: "SELECT n FROM entry")
            }
        }
        await begun.wait()
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        for index in 0..<3 { cluster.nodes.resume(index) }
        try await client.write(retrying: 5) { try $0.insert(1) }
        #expect(try await client.read { try Int.fetchAll($0, sql: "SELECT n FROM entry") } == [1])
    }

    /// Others wait for it as for a write.
    @Test func aTransactionThatReadsFirstTakesTooLong() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client { $0.transactionTimeout = .milliseconds(300) }
        try client.createEntries()
        let error = #expect(throws: DatabaseError.self) {
            try client.writeWithoutTransaction { db in
                try db.inTransaction(.deferred) {
                    _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM entry")
                    try db.insert(1)
                    Thread.sleep(forTimeInterval: 1)
                    return .commit
                }
            }
        }
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
        #expect(error?.message?.contains("took longer than") == true)
        #expect(try client.entries() == [])
        // Losing the leader later is not reported as taking too long.
        let later = #expect(throws: DatabaseError.self) {
            try client.writeWithoutTransaction { db in
                try db.inTransaction(.deferred) {
                    _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM entry")
                    cluster.nodes.kill(try cluster.nodes.leader())
                    try db.insert(1)
                    return .commit
                }
            }
        }
        #expect(later?.isLeaderChange == true, "\(later as Any)")
    }

    /// The unread rows are received first, which is a wait within a wait.
    @Test(arguments: [false, true])
    func aReadBehindAbandonedRowsIsCancelled(_ isWrite: Bool) async throws {
        let cluster = try FaultyCluster()
        let client = try patientClient(cluster)
        try client.createEntries()
        let begun = Signal()
        let sql = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 2000) SELECT x FROM c"
        let body: @Sendable (Database) throws -> Void = { db in
            _ = try Int.fetchOne(db, sql: sql)
            // They have all arrived when the next statement waits.
            Thread.sleep(forTimeInterval: 0.1)
            for index in 0..<3 { cluster.nodes.pause(index) }
            begun.send()
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM entry")
        }
        let task = Task { isWrite ? try await client.write(body) : try await client.read(body) }
        await begun.wait()
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for index in 0..<3 { cluster.nodes.resume(index) }
        try await client.write(retrying: 5) { try $0.insert(1) }
        #expect(try await client.read { try Int.fetchAll($0, sql: "SELECT n FROM entry") } == [1])
    }

    @Test func aConfirmationIsCancelled() async throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client {
            $0.consistency = .confirmed
            $0.connectTimeout = .seconds(90)
        }
        try client.createEntries()
        #expect(try client.entries() == [])
        let begun = Signal()
        let followers = try cluster.nodes.followers()
        let task = Task {
            try await client.read { db in
                _ = try Int.fetchAll(db, sql: "SELECT n FROM entry")
                for index in followers { cluster.nodes.pause(index) }
                begun.send()
            }
        }
        await begun.wait()
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// An endless statement would occupy the node, and only the node can stop it.
    @Test func aStatementWithoutAnEndIsInterrupted() throws {
        let cluster = try FaultyCluster(count: 1, options: ["--statement-limit", "1"])
        let client = try cluster.client { $0.requestTimeout = .seconds(50) }
        try client.createEntries()
        let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT COUNT(*) FROM c"
        func expectInterruption(_ body: (Database) throws -> Void) {
            let error = #expect(throws: DatabaseError.self) { try client.write(body) }
            #expect(error?.resultCode == .SQLITE_INTERRUPT)
            #expect(error?.message?.contains("--statement-limit") == true, "\(error as Any)")
        }
        expectInterruption { db in
            try db.insert(1)
            _ = try Int.fetchOne(db, sql: endless)
        }
        expectInterruption { db in
            try db.insert(1)
            try db.execute(sql: "INSERT INTO entry " + endless)
        }
        // Each row runs a trigger, and statements of FTS5, which don't count as new statements.
        try client.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE log (n INTEGER);
                    CREATE VIRTUAL TABLE word USING fts5(text);
                    CREATE TRIGGER logging AFTER INSERT ON entry BEGIN
                        INSERT INTO word VALUES ('a');
                        DELETE FROM log;
                    END;
                    """)
        }
        let rows = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x FROM c"
        expectInterruption { try $0.execute(sql: "INSERT INTO entry " + rows) }
        // The time that a client takes to read the rows does not count.
        let sql = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 200000) SELECT x FROM c"
        let last = try client.read { db in
            let cursor = try Int.fetchCursor(db, sql: sql)
            _ = try cursor.next()
            Thread.sleep(forTimeInterval: 2)
            var last = 0
            while let next = try cursor.next() { last = next }
            return last
        }
        #expect(last == 200_000)
        #expect(try client.entries() == [])
    }

    /// The others elect a leader in the meantime. The node that ran the statement rejoins afterwards.
    @Test(arguments: ["SELECT COUNT(*)", "INSERT INTO entry SELECT x"])
    func aNodeSurvivesAStatementWithoutAnEnd(_ verb: String) throws {
        let cluster = try FaultyCluster(options: ["--statement-limit", "2"])
        let client = try cluster.client()
        try client.createEntries()
        let old = try cluster.nodes.leader()
        let error = #expect(throws: DatabaseError.self) {
            try client.write { db in
                try db.insert(1)
                try db.execute(
                    sql: verb + " FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x FROM c)")
            }
        }
        #expect(error?.resultCode == .SQLITE_INTERRUPT || error?.isLeaderChange == true, "\(error as Any)")
        try client.insertPersistently(2)
        #expect(try client.entries() == [2])
        while cluster.nodes.leader(accordingTo: old) == nil { usleep(10_000) }
        for index in 0..<3 { #expect(cluster.nodes.isAlive(index)) }
    }

    @Test func rowsThatDoNotArriveAreCancelled() async throws {
        let cluster = try FaultyCluster()
        let client = try patientClient(cluster)
        let begun = Signal()
        let task = Task {
            try await client.read { db in
                let sql = """
                    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 5000000)
                    SELECT n FROM number
                    """
                let cursor = try Int.fetchCursor(db, sql: sql)
                _ = try cursor.next()
                for index in 0..<3 { cluster.nodes.pause(index) }
                begun.send()
                while try cursor.next() != nil {}
            }
        }
        await begun.wait()
        try await Task.sleep(for: .milliseconds(500))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for index in 0..<3 { cluster.nodes.resume(index) }
        #expect(try await client.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }

    @Test func aWriteThatWaitsForTheLockIsCancelled() async throws {
        let cluster = try FaultyCluster()
        let holder = try patientClient(cluster)
        let client = try patientClient(cluster)
        try await holder.write { try $0.execute(sql: "CREATE TABLE entry (n INTEGER NOT NULL)") }
        let (locked, release) = (Signal(), Signal())
        let holding = Task {
            try await holder.write { db in
                try db.insert(1)
                locked.send()
                release.block()
            }
        }
        await locked.wait()
        let task = Task { try await client.write { try $0.insert(2) } }
        try await Task.sleep(for: .milliseconds(300))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        release.send()
        try await holding.value
        try await client.write { try $0.insert(3) }
        #expect(try await client.read { try Int.fetchAll($0, sql: "SELECT n FROM entry ORDER BY n") } == [1, 3])
    }

    @Test func allKindsOfWritesWaitForTheLock() async throws {
        let cluster = try FaultyCluster()
        let holder = try patientClient(cluster)
        let client = try patientClient(cluster)
        try await holder.write { try $0.execute(sql: "CREATE TABLE entry (n INTEGER NOT NULL)") }
        let writes: [@Sendable (Database) throws -> Void] = [
            { try $0.execute(sql: "INSERT INTO entry VALUES (1)") },
            { _ = try Int.fetchAll($0, sql: "INSERT INTO entry VALUES (2) RETURNING n") },
            { try $0.execute(sql: "BEGIN; INSERT INTO entry VALUES (3); COMMIT") },
            { try $0.execute(sql: "SAVEPOINT s; INSERT INTO entry VALUES (4); RELEASE s") },
            { try $0.execute(sql: "BEGIN; SAVEPOINT s; INSERT INTO entry VALUES (5); RELEASE s; COMMIT") },
            { try $0.execute(sql: "BEGIN; CREATE TABLE other (n); INSERT INTO entry VALUES (6); COMMIT") },
            { try $0.execute(sql: "CREATE TABLE another (n); INSERT INTO entry VALUES (7)") },
        ]
        for write in writes {
            let locked = Signal()
            let holding = Task {
                try await holder.write { db in
                    try db.insert(0)
                    locked.send()
                    usleep(150_000)
                }
            }
            await locked.wait()
            try await client.writeWithoutTransaction(write)
            try await holding.value
        }
        let entries = try await client.read { try Int.fetchAll($0, sql: "SELECT n FROM entry WHERE n > 0 ORDER BY n") }
        #expect(entries == Array(1...7))
    }

    @Test func aTransactionThatHangsIsEnded() async throws {
        let cluster = try FaultyCluster()
        let client = try patientClient(cluster)
        let hanging = try cluster.client { $0.transactionTimeout = .milliseconds(300) }
        try await client.write { try $0.execute(sql: "CREATE TABLE entry (n INTEGER NOT NULL)") }
        let (locked, release) = (Signal(), Signal())
        let task = Task {
            try await hanging.write { db in
                try db.insert(1)
                locked.send()
                release.block()
            }
        }
        await locked.wait()
        try await client.write { try $0.insert(2) }
        release.send()
        let error = await #expect(throws: DatabaseError.self) { try await task.value }
        #expect(error?.message?.contains("the transaction took longer than") == true)
        try await hanging.write { try $0.insert(3) }
        #expect(try await client.read { try Int.fetchAll($0, sql: "SELECT n FROM entry ORDER BY n") } == [2, 3])
    }

    @Test func interruptEndsAWaitForAPausedLeader() async throws {
        let cluster = try FaultyCluster()
        let client = try patientClient(cluster)
        let begun = Signal()
        let task = Task {
            try await client.read { db in
                _ = try Int.fetchAll(db, sql: "SELECT count(*) FROM sqlite_schema, (SELECT 1)")
                for index in 0..<3 { cluster.nodes.pause(index) }
                begun.send()
                return try Int.fetchAll(db, sql: "SELECT 1 UNION SELECT 2")
            }
        }
        await begun.wait()
        try await Task.sleep(for: .milliseconds(100))
        client.interrupt()
        let error = await #expect(throws: DatabaseError.self) { _ = try await task.value }
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
        for index in 0..<3 { cluster.nodes.resume(index) }
        #expect(try await client.read { try Int.fetchAll($0, sql: "SELECT 1 UNION SELECT 2") } == [1, 2])
    }

    @Test func closeWaitsForAccesses() async throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try await client.write { try $0.execute(sql: "CREATE TABLE entry (n INTEGER NOT NULL)") }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 1...20 {
                group.addTask {
                    do {
                        if number % 2 == 0 {
                            try await client.write { try $0.insert(number) }
                            return true
                        }
                        _ = try await client.read { try Int.fetchAll($0, sql: "SELECT n FROM entry") }
                    } catch let error as DatabaseError {
                        #expect(error.resultCode == .SQLITE_MISUSE, "\(error)")
                    }
                    return false
                }
            }
            try await Task.sleep(for: .milliseconds(5))
            try client.close()
            let written = try await group.reduce(0) { $1 ? $0 + 1 : $0 }
            let other = try cluster.client()
            #expect(try await other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") } == written)
        }
        await #expect(throws: DatabaseError.self) { try await client.write { try $0.insert(0) } }
    }

    @Test func clientsIncrementConcurrently() async throws {
        let cluster = try FaultyCluster()
        let clients = [try patientClient(cluster), try patientClient(cluster)]
        try await clients[0].write { try $0.execute(sql: "CREATE TABLE sum (n INTEGER); INSERT INTO sum VALUES (0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients {
                group.addTask {
                    for _ in 1...200 {
                        try await client.write { db in
                            let sum = try Int.fetchOne(db, sql: "SELECT n FROM sum") ?? 0
                            try db.execute(sql: "UPDATE sum SET n = ?", arguments: [sum + 1])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await clients[1].read { try Int.fetchOne($0, sql: "SELECT n FROM sum") } == 400)
    }

    @Test func groupedWrites() async throws {
        let cluster = try FaultyCluster()
        var configuration = DatabaseCluster.defaultConfiguration
        configuration.groupsAsyncWrites = true
        let client = try cluster.client(configuration: configuration)
        try await client.write { try $0.execute(sql: "CREATE TABLE entry (n INTEGER NOT NULL)") }
        let killed = try cluster.nodes.leader()
        let acknowledged = try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 1...200 {
                group.addTask {
                    if number == 100 { cluster.nodes.kill(killed) }
                    do {
                        try await client.write { try $0.insert(number) }
                        return number
                    } catch let error as DatabaseError {
                        #expect(error.isLeaderChange, "\(error)")
                        return nil
                    }
                }
            }
            return try await group.reduce(into: [Int]()) { all, number in if let number { all.append(number) } }
        }
        let entries = try await client.read { try Int.fetchAll($0, sql: "SELECT n FROM entry ORDER BY n") }
        #expect(entries == acknowledged.sorted())
    }
}
