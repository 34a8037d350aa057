// Support for the fault tests: clusters of their own, their clients, and a table that counts the applied writes.

import Foundation
import Testing

@testable import Rowan
@testable import RowanCluster

/// A cluster that a test may damage.
struct FaultyCluster {
    let nodes: TestCluster

    init(count: Int = 3, latency: Int = 20, options: [String] = [], hasRelays: Bool = false) throws {
        nodes = try TestCluster(count: count, latency: latency, options: options, hasRelays: hasRelays)
    }

    /// A client.
    ///
    /// - Parameter only: the index of the only node that it knows initially.
    func client(
        only: Int? = nil, configuration: Configuration = DatabaseCluster.defaultConfiguration,
        _ change: (inout ClusterOptions) -> Void = { _ in }
    ) throws -> DatabaseCluster {
        var options = ClusterOptions()
        options.connectTimeout = .milliseconds(500)
        change(&options)
        let addresses = only.map { [nodes.addresses[$0]] } ?? nodes.addresses
        return try DatabaseCluster(
            addresses: addresses.map(\.description), database: "faults", configuration: configuration, options: options)
    }

    /// Makes the leader hand over, and waits for it.
    ///
    /// - Throws: `NodeProcess.Failure` if the leader refuses.
    func transferLeader(to index: Int) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        let leader = try NodeConnection(address: nodes.addresses[nodes.leader()], deadline: deadline)
        defer { leader.close() }
        var requests = RequestBuffer()
        requests.transfer(id: UInt64(index + 1))
        try leader.send(requests, deadline: deadline)
        if case .failure(let refusal) = try leader.receive(deadline: deadline) {
            throw NodeProcess.Failure(description: "\(refusal.message) (\(refusal.code))")
        }
    }
}

extension DatabaseWriter {
    /// A table of numbers.
    func createEntries() throws {
        try write { try $0.execute(sql: "CREATE TABLE entry (n INTEGER NOT NULL)") }
    }

    func insert(_ number: Int) throws {
        try write { try $0.insert(number) }
    }

    /// Inserts a number exactly once, despite changes of leader.
    func insertPersistently(_ number: Int) throws {
        while true {
            do { return try insert(number) } catch let error as DatabaseError where error.isLeaderChange {
                usleep(10_000)
            }
        }
    }

    func entries() throws -> [Int] {
        try read { try Int.fetchAll($0, sql: "SELECT n FROM entry ORDER BY n") }
    }

    /// Reads again after a change of leader.
    func persistentEntries() throws -> [Int] {
        while true {
            do { return try entries() } catch let error as DatabaseError where error.isLeaderChange { usleep(10_000) }
        }
    }
}

extension Database {
    func insert(_ number: Int) throws {
        try execute(sql: "INSERT INTO entry (n) VALUES (?)", arguments: [number])
    }
}

extension DatabaseCluster {
    /// The number of grouped writes that wait for their transaction.
    var waitingGroupedWriteCount: Int { _routes.write.lane.groupedWrites.waitingCount }
}

/// Waits until a condition holds. After a minute, the test fails.
func eventually(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("the condition does not hold after a minute", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Waits until a closure on another thread has reached a point.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func send() { semaphore.signal() }
    func wait() async {
        await withCheckedContinuation { continuation in
            // The threads of the global queues belong to tasks.
            Thread.detachNewThread {
                self.semaphore.wait()
                continuation.resume()
            }
        }
    }
    /// Blocks the thread.
    func block() { semaphore.wait() }
}
