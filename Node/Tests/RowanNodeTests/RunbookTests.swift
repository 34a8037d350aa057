// The procedures of the article "Past one machine", with its commands, while a client writes.

import Foundation
import Rowan
import RowanCluster
import Synchronization
import Testing

@Suite(.serialized)
struct RunbookTests {
    let home: NodeHome

    init() throws { home = try NodeHome() }

    private func addresses(_ ids: Int...) -> String { ids.map(home.address).joined(separator: ",") }

    /// Waits until the cluster tolerates a failure, as the procedures do.
    private func waitUntilHealthy(_ cluster: String) throws {
        while try Program(["status", "--check", "--cluster", cluster]).end().code != 0 { usleep(100_000) }
    }

    @Test func aRollingUpgradeLosesNothing() throws {
        for id in 1...3 { try home.start(id) }
        let ledger = try Ledger([home.address(1), home.address(2), home.address(3)])
        for id in 1...3 {
            try waitUntilHealthy(addresses(1, 2, 3))
            ledger.waitForCommits(10)
            #expect(try #require(home.node(id)).end(by: SIGTERM) == 0)
            ledger.waitForCommits(10)
            // The new version has the same options.
            try home.start(id)
        }
        try waitUntilHealthy(addresses(1, 2, 3))
        ledger.waitForCommits(10)
        try ledger.check()
    }

    @Test(arguments: [1, 2]) func aLostMachineIsReplaced(_ lost: Int) throws {
        for id in 1...3 { try home.start(id) }
        let ledger = try Ledger([home.address(1), home.address(2), home.address(3)])
        ledger.waitForCommits(10)
        try #require(home.node(lost)).end(by: SIGKILL)
        try FileManager.default.removeItem(atPath: home.path(lost))
        ledger.waitForCommits(10)

        let others = [1, 2, 3].filter { $0 != lost }.map(home.address).joined(separator: ",")
        let status = try Program(["status", "--check", "--cluster", others]).end()
        #expect(status.code == 1 && status.errors.contains("does not tolerate another failure"), "\(status.errors)")
        #expect(status.output.contains("\(lost) \(home.address(lost)) voter unreachable\n"), "\(status.output)")

        let removal = try Program(["remove", "--cluster", others, "--id", "\(lost)"]).end()
        #expect(removal.code == 0, "\(removal.errors)")
        try home.start(4, joining: others)
        try waitUntilHealthy(others)
        let rest = try home.status(4).map { String($0.prefix(1)) }
        #expect(rest == ["1", "2", "3", "4"].filter { $0 != "\(lost)" })
        ledger.waitForCommits(10)
        try ledger.check()
    }
}

/// A client that inserts one number after another, with retries.
private final class Ledger: Sendable {
    private struct State {
        var acknowledged: [Int] = []
        /// Numbers with an unknown outcome.
        var unknown: Set<Int> = []
        var isStopped = false
        var failure: (any Error)?
    }

    private let cluster: DatabaseCluster
    private let state = Mutex(State())
    private let end = DispatchSemaphore(value: 0)

    init(_ addresses: [String]) throws {
        cluster = try DatabaseCluster(addresses: addresses, database: "ledger")
        try cluster.write { try $0.execute(sql: "CREATE TABLE entry(number INTEGER NOT NULL)") }
        Thread.detachNewThread { [self] in
            defer { end.signal() }
            var number = 0
            while !state.withLock({ $0.isStopped }) {
                do {
                    try insert(number)
                    number += 1
                } catch {
                    return state.withLock { $0.failure = error }
                }
            }
        }
    }

    private func insert(_ number: Int) throws {
        do {
            try cluster.write { db in
                try db.execute(sql: "INSERT INTO entry VALUES (?)", arguments: [number])
            }
            state.withLock { $0.acknowledged.append(number) }
        } catch let error as DatabaseError where error.isLeaderChange || error.resultCode == .SQLITE_BUSY {
            // Nothing was applied.
            try insert(number)
        } catch is UnknownOutcomeError {
            state.withLock { _ = $0.unknown.insert(number) }
        }
    }

    /// Waits for further commits, or for the end of the client.
    func waitForCommits(_ count: Int) {
        let start = state.withLock { $0.acknowledged.count }
        while state.withLock({ $0.failure == nil && $0.acknowledged.count < start + count }) { usleep(1000) }
    }

    /// Stops the client, and compares the rows with what was acknowledged.
    func check() throws {
        state.withLock { $0.isStopped = true }
        end.wait()
        let (acknowledged, unknown, failure) = state.withLock { ($0.acknowledged, $0.unknown, $0.failure) }
        if let failure { throw failure }
        let rows = try cluster.read { try Int.fetchAll($0, sql: "SELECT number FROM entry ORDER BY number") }
        #expect(Set(rows).count == rows.count)
        #expect(rows.filter { !unknown.contains($0) } == acknowledged)
        try cluster.close()
    }
}
