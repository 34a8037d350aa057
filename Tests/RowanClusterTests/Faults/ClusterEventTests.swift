// The events that a client of a cluster reports.

import Foundation
import Rowan
import Testing

@testable import RowanCluster

/// Collects events.
private final class Events: Sendable {
    private let state = Mutex<[ClusterEvent]>([])

    var handler: @Sendable (ClusterEvent) -> Void { { event in self.state.withLock { $0.append(event) } } }

    /// The events since the last call.
    func take() -> [ClusterEvent] {
        state.withLock { events in
            defer { events = [] }
            return events
        }
    }
}

extension [ClusterEvent] {
    fileprivate var requestCounts: [Int] {
        compactMap { if case .roundTrip(_, let count) = $0 { count } else { nil } }
    }

    fileprivate var others: [ClusterEvent] {
        filter { if case .roundTrip = $0 { false } else { true } }
    }
}

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing), .serialized, .timeLimit(.minutes(2)))
struct ClusterEventTests {
    private let events = Events()

    private var options: ClusterOptions {
        var options = ClusterOptions()
        options.eventHandler = events.handler
        return options
    }

    @Test func roundTripsAndTheirRequests() throws {
        let cluster = try TestCluster(count: 1)
        defer { cluster.stopAll() }
        let client = try DatabaseCluster(
            addresses: cluster.addresses.map(\.description), database: "app", options: options)
        try client.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        _ = events.take()
        try client.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            let first = events.take()
            // BEGIN, the ticket, and the statement.
            #expect(first.requestCounts.reduce(0, +) >= 3)
            #expect(first.others == [])
            for number in 2...4 {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
                #expect(events.take().requestCounts.count == 1)
            }
        }
        let commit = events.take()
        #expect(commit.requestCounts == [1])
        for case .roundTrip(let duration, _) in commit { #expect(duration > .zero) }
        try client.close()
    }

    @Test func aWriteThatWaitsForAnotherClient() throws {
        let cluster = try TestCluster(count: 1)
        defer { cluster.stopAll() }
        let (addresses, database) = (cluster.addresses.map(\.description), "app")
        let other = try DatabaseCluster(addresses: addresses, database: database)
        try other.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        var configuration = DatabaseCluster.defaultConfiguration
        configuration.busyMode = .callback { $0 < 3 }
        let client = try DatabaseCluster(
            addresses: addresses, database: database, configuration: configuration, options: options)
        _ = events.take()
        try other.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            let error = #expect(throws: DatabaseError.self) {
                try client.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
            }
            #expect(error?.resultCode == .SQLITE_BUSY)
        }
        #expect(events.take().others == Array(repeating: .retry(.lock), count: 3))
        try client.close()
        try other.close()
    }

    @Test func anotherLeaderAndNoLeader() throws {
        let cluster = try TestCluster()
        defer { cluster.stopAll() }
        var options = options
        options.failoverTimeout = .seconds(60)
        let client = try DatabaseCluster(
            addresses: cluster.addresses.map(\.description), database: "app", options: options)
        try client.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        let first = try cluster.leader()
        _ = events.take()
        cluster.kill(first)
        try client.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        let changes = events.take().others
        let leaders = changes.compactMap { event -> [NodeAddress]? in
            if case .leaderChange(let from, let to) = event { [from, to] } else { nil }
        }
        #expect(leaders.first?.first == cluster.addresses[first])
        #expect(leaders.first?.last != cluster.addresses[first])
        #expect(changes.contains(.retry(.leader)))
        for index in 0..<cluster.count { cluster.kill(index) }
        var impatient = self.options
        impatient.failoverTimeout = .milliseconds(200)
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseCluster(
                addresses: cluster.addresses.map(\.description), database: "app", options: impatient)
        }
        #expect(error?.isLeaderChange == true)
        #expect(events.take().contains(.failedSearch))
    }
}
