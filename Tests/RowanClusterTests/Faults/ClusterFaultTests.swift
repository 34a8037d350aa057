// Leaders that disappear before, during and after transactions: acknowledged writes are kept, and rejected ones are
// not.

import Foundation
import Rowan
import Testing

@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing), .serialized, .timeLimit(.minutes(2)))
struct ClusterFaultTests {
    @Test func theLeaderIsKilledBetweenTransactions() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try client.createEntries()
        for number in 1...3 {
            try client.insert(number)
            let leader = try cluster.nodes.leader()
            cluster.nodes.kill(leader)
            // The write finds the next leader.
            try client.insert(10 * number)
            try cluster.nodes.start(leader)
        }
        #expect(try client.entries() == [1, 2, 3, 10, 20, 30])
    }

    @Test func theLeaderIsKilledDuringATransaction() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try client.createEntries()
        try client.insert(1)
        let error = #expect(throws: DatabaseError.self) {
            try client.write { db in
                try db.insert(2)
                cluster.nodes.kill(try cluster.nodes.leader())
                try db.insert(3)
            }
        }
        #expect(error?.isLeaderChange == true)
        try client.insert(4)
        #expect(try client.entries() == [1, 4])
    }

    @Test func aLostTransactionDoesNotGoOn() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try client.createEntries()
        #expect(throws: DatabaseError.self) {
            try client.write { db in
                try db.insert(1)
                cluster.nodes.kill(try cluster.nodes.leader())
                // Swallowing the error does not help: the next statements are not in a transaction.
                for number in 2...4 { try? db.insert(number) }
                try db.insert(5)
            }
        }
        #expect(try client.entries() == [])
    }

    @Test func savepointsAfterALostLeader() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try client.createEntries()
        let error = #expect(throws: DatabaseError.self) {
            try client.write { db in
                try db.insert(1)
                try db.inSavepoint {
                    try db.insert(2)
                    cluster.nodes.kill(try cluster.nodes.leader())
                    try db.insert(3)
                    return .commit
                }
            }
        }
        #expect(error?.isLeaderChange == true)
        try client.writeWithoutTransaction { db in
            #expect(!db.isInsideTransaction)
            try db.inSavepoint {
                try db.insert(4)
                try db.inSavepoint {
                    try db.insert(5)
                    return .rollback
                }
                return .commit
            }
            #expect(!db.isInsideTransaction)
        }
        #expect(try client.entries() == [4])
    }

    @Test func theLeaderStopsBeforeACommit() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client { $0.requestTimeout = .seconds(1) }
        try client.createEntries()
        let leader = try cluster.nodes.leader()
        let outcome = Result {
            try client.write { db in
                try db.insert(1)
                // The paused leader receives the COMMIT but does not process it.
                cluster.nodes.pause(leader)
            }
        }
        // The others have elected a new leader, which knows the outcome.
        try client.insert(2)
        cluster.nodes.resume(leader)
        try client.insert(3)
        #expect(try client.entries() == [2, 3])
        let error = #expect(throws: DatabaseError.self) { try outcome.get() }
        #expect(error?.isLeaderChange == true)
    }

    @Test(arguments: [150, 450]) func theLeaderIsKilledDuringACommit(milliseconds: Int) throws {
        let cluster = try FaultyCluster(hasRelays: true)
        let network = try #require(cluster.nodes.network)
        let client = try cluster.client()
        try client.createEntries()
        let leader = try cluster.nodes.leader()
        let killed = Signal()
        let outcome = Result {
            try client.write { db in
                try db.insert(1)
                network.set(.delayed(.milliseconds(300)), fromClientsTo: leader)
                // Either the COMMIT or its response is in flight.
                Thread.detachNewThread {
                    usleep(UInt32(milliseconds) * 1_000)
                    cluster.nodes.kill(leader)
                    killed.send()
                }
            }
        }
        killed.block()
        let isThere = try client.entries() == [1]
        switch outcome {
        case .success: #expect(isThere)
        case .failure(let error):
            #expect((error as? DatabaseError)?.isLeaderChange == true)
            #expect(!isThere)
        }
        try client.insert(2)
        #expect(try client.entries() == (isThere ? [1, 2] : [2]))
    }

    @Test func noLeaderKnowsTheOutcome() async throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client {
            $0.requestTimeout = .milliseconds(500)
            $0.failoverTimeout = .seconds(2)
        }
        try await client.write { try $0.execute(sql: "CREATE TABLE entry (n INTEGER NOT NULL)") }
        let unknown = try await #require(throws: UnknownOutcomeError.self) {
            try await client.write { db in
                try db.insert(1)
                for index in 0..<3 { cluster.nodes.pause(index) }
            }
        }
        let ticket = try #require(unknown.ticket)
        let stored = try JSONDecoder().decode(TransactionTicket.self, from: JSONEncoder().encode(ticket))
        for index in 0..<3 { cluster.nodes.resume(index) }
        _ = try cluster.nodes.leader()
        // Writes by other clients, and later transactions of the same client, do not change the outcome.
        try await client.write(retrying: 5) { try $0.insert(2) }
        let outcome = try await cluster.client().outcome(of: stored)
        #expect(try await client.outcome(of: ticket) == outcome)
        let entries = try await client.read { try Int.fetchAll($0, sql: "SELECT n FROM entry ORDER BY n") }
        #expect(entries == (outcome == .committed ? [1, 2] : [2]))
    }

    /// Writes that share a transaction share its outcome. None of them is retried separately.
    @Test func noLeaderKnowsTheOutcomeOfAGroup() async throws {
        let cluster = try FaultyCluster()
        var configuration = DatabaseCluster.defaultConfiguration
        configuration.groupsAsyncWrites = true
        let client = try cluster.client(configuration: configuration) {
            $0.requestTimeout = .milliseconds(500)
            $0.failoverTimeout = .seconds(2)
        }
        try client.createEntries()
        let observer = CommitObserver { for index in 0..<3 { cluster.nodes.pause(index) } }
        client.add(transactionObserver: observer)
        let (isHeld, mayEnd) = (Signal(), Signal())
        Thread.detachNewThread {
            client.writeWithoutTransaction { _ in
                isHeld.send()
                mayEnd.block()
            }
        }
        await isHeld.wait()
        let tasks = (1...3).map { number in
            Task {
                try await client.write { try $0.insert(number) }
            }
        }
        try await eventually { client.waitingGroupedWriteCount == 3 }
        mayEnd.send()
        var tickets: [Int: TransactionTicket?] = [:]
        for (number, task) in zip(1..., tasks) {
            do { try await task.value } catch let unknown as UnknownOutcomeError {
                tickets[number] = unknown.ticket
            }
        }
        for index in 0..<3 { cluster.nodes.resume(index) }
        _ = try cluster.nodes.leader()
        withExtendedLifetime(observer) { client.remove(transactionObserver: observer) }
        #expect(tickets.count == 3)
        for (number, ticket) in tickets {
            let outcome = try await client.outcome(of: #require(ticket))
            let count = try await client.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM entry WHERE n = \(number)")
            }
            #expect(count == (outcome == .committed ? 1 : 0))
        }
    }

    /// The COMMIT times out and is applied later. The ticket reveals this, even if a savepoint that contained it was
    /// rolled back.
    @Test(arguments: 0..<4)
    func theTicketOfARolledBackSavepoint(_ kind: Int) throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client { $0.requestTimeout = .milliseconds(150) }
        try client.createEntries()
        func refuse(_ db: Database, _ body: () throws -> Void) throws {
            try db.inSavepoint {
                try body()
                return .rollback
            }
        }
        let followers = try cluster.nodes.followers()
        for number in 1...3 {
            let resumed = Signal()
            let result = Result {
                try client.write { db in
                    switch kind {
                    case 0: try refuse(db) { try db.insert(100) }
                    case 1: try refuse(db) { try refuse(db) { try db.insert(100) } }
                    case 2:
                        // The savepoint that wrote the ticket is released into another one, which is rolled back.
                        try refuse(db) {
                            try db.inSavepoint {
                                try db.insert(100)
                                return .commit
                            }
                        }
                    default: try refuse(db) { try db.execute(sql: "CREATE TABLE other (x)") }
                    }
                    try db.insert(number)
                    try refuse(db) { try db.insert(100) }
                    for index in followers { cluster.nodes.pause(index) }
                    Thread.detachNewThread {
                        usleep(260_000)
                        for index in followers { cluster.nodes.resume(index) }
                        resumed.send()
                    }
                }
            }
            resumed.block()
            _ = try cluster.nodes.leader()
            var entries: [Int]?
            while entries == nil { entries = try? client.entries() }
            switch result {
            case .success: #expect(entries?.contains(number) == true)
            case .failure(let error):
                #expect((error as? DatabaseError)?.isLeaderChange == true, "\(error)")
                #expect(entries?.contains(number) == false, "\(error)")
            }
            #expect(entries?.contains(100) == false)
        }
    }

    /// The leader disappears before a savepoint is rolled back: the error says so, and the transaction is retried.
    @Test func theLeaderIsKilledBeforeASavepointIsRolledBack() async throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try client.createEntries()
        let runs = Mutex(0)
        try await client.write(retrying: 3) { db in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            try db.inSavepoint {
                try db.insert(1)
                if run == 1 { cluster.nodes.kill(try cluster.nodes.leader()) }
                return .rollback
            }
            try db.insert(2)
        }
        #expect(runs.withLock(\.self) == 2)
        #expect(try client.entries() == [2])
    }

    /// A write of a group commits the shared transaction itself, and the outcome is unknown.
    @Test func aGroupedWriteThatCommitsWithAnUnknownOutcome() async throws {
        let cluster = try FaultyCluster()
        var configuration = DatabaseCluster.defaultConfiguration
        configuration.groupsAsyncWrites = true
        let client = try cluster.client(configuration: configuration) {
            $0.requestTimeout = .milliseconds(500)
            $0.failoverTimeout = .seconds(1)
        }
        try client.createEntries()
        let runs = Mutex(0)
        let unknown = try await #require(throws: UnknownOutcomeError.self) {
            try await client.write { db in
                runs.withLock { $0 += 1 }
                try db.insert(1)
                for index in 0..<3 { cluster.nodes.pause(index) }
                try db.execute(sql: "COMMIT")
            }
        }
        for index in 0..<3 { cluster.nodes.resume(index) }
        _ = try cluster.nodes.leader()
        #expect(runs.withLock(\.self) == 1)
        let outcome = try await client.outcome(of: #require(unknown.ticket))
        #expect(
            try await client.read { try Int.fetchAll($0, sql: "SELECT n FROM entry") }
                == (outcome == .committed ? [1] : []))
    }

    @Test func noLeaderAtAll() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client { $0.failoverTimeout = .seconds(1) }
        try client.createEntries()
        for index in 0..<3 { cluster.nodes.kill(index) }
        for access in [{ try client.insert(1) }, { _ = try client.entries() }] {
            let error = #expect(throws: DatabaseError.self) { try access() }
            #expect(error?.isLeaderChange == true)
        }
        for index in 0..<3 { try cluster.nodes.restart(index) }
        _ = try cluster.nodes.leader()
        try client.insert(2)
        #expect(try client.entries() == [2])
    }

    @Test func theLeaderHandsOverDuringTransactions() throws {
        let cluster = try FaultyCluster()
        let client = try cluster.client()
        try client.createEntries()
        var applied: [Int] = []
        for number in 1...6 {
            do {
                try client.write { db in
                    try db.insert(number)
                    if number % 2 == 0 {
                        let next = try #require(try cluster.nodes.followers().first)
                        try cluster.transferLeader(to: next)
                    }
                }
                applied.append(number)
            } catch let error as DatabaseError {
                #expect(error.isLeaderChange, "\(error)")
            }
        }
        #expect(applied.starts(with: [1]) && applied.contains(5))
        #expect(try client.entries() == applied)
        for index in 0..<3 { #expect(cluster.nodes.isAlive(index)) }
    }
}

/// Signals that a transaction is about to be committed.
private final class CommitObserver: TransactionObserver {
    private let willCommit: @Sendable () -> Void
    init(_ willCommit: @escaping @Sendable () -> Void) { self.willCommit = willCommit }
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { willCommit() }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
