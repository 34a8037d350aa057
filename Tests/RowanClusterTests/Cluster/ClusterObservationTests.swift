// Observations of a cluster: own commits, commits by other clients, commits after a failover, and closing the database.

import Foundation
import Rowan
import Testing

@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing), .timeLimit(.minutes(2)))
struct ClusterObservationTests {
    private let count = ValueObservation.tracking { db in try Player.fetchCount(db) }.removeDuplicates()

    private func insert(_ names: String..., into writer: some DatabaseWriter) async throws {
        let players = names.map { Player(name: $0, score: 0) }
        try await writer.write { db in for var player in players { try player.insert(db) } }
    }

    @Test func ownCommitsAndThoseOfOthers() async throws {
        let cluster = try DatabaseCluster.new()
        let other = try cluster.another()
        try await cluster.write { try $0.createPlayers() }
        var counts = count.values(in: cluster).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await insert("Arthur", "Barbara", into: cluster)
        #expect(try await counts.next() == 2)
        try await insert("Craig", into: other)
        #expect(try await counts.next() == 3)
    }

    /// Neither the start nor the client's own commit is mistaken for another client's commit.
    @Test func nothingIsNotifiedTwice() async throws {
        let cluster = try DatabaseCluster.new()
        try await cluster.write { try $0.createPlayers() }
        var counts = ValueObservation.tracking { db in try Player.fetchCount(db) }.values(in: cluster)
            .makeAsyncIterator()
        #expect(try await counts.next() == 0)
        for number in 1...5 {
            // Long enough for several checks for commits by others.
            try await Task.sleep(for: .milliseconds(200))
            try await insert("\(number)", into: cluster)
            #expect(try await counts.next() == number)
        }
    }

    @Test func refusedTransactionsChangeNothing() async throws {
        let cluster = try DatabaseCluster.new()
        try await cluster.write { try $0.createPlayers() }
        var counts = count.values(in: cluster).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        await #expect(throws: DatabaseError.self) { try await insert("Arthur", "Arthur", into: cluster) }
        try await insert("Barbara", into: cluster)
        #expect(try await counts.next() == 1)
    }

    /// The observed columns change after the observation begins.
    @Test func anotherClientChangesTheSchema() async throws {
        let cluster = try DatabaseCluster.new()
        let other = try cluster.another()
        try await cluster.write { try $0.createPlayers() }
        let names = ValueObservation.tracking { db in
            try Row.fetchAll(db, sql: "SELECT * FROM player").map { $0["name"] as String? }
        }
        .removeDuplicates()
        var values = names.values(in: cluster).makeAsyncIterator()
        #expect(try await values.next() == [])
        try await other.write { db in
            try db.execute(
                sql: """
                    DROP TABLE player;
                    CREATE TABLE player (score INTEGER, age INTEGER, name TEXT);
                    INSERT INTO player VALUES (1, 2, 'Arthur');
                    """)
        }
        #expect(try await values.next() == ["Arthur"])
    }

    @Test func theLeaderIsKilled() async throws {
        let cluster = try FaultyCluster()
        let (client, other) = (try cluster.client(), try cluster.client())
        try await client.write { try $0.createPlayers() }
        var counts = count.values(in: client).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        for number in 1...3 {
            let leader = try cluster.nodes.leader()
            cluster.nodes.kill(leader)
            try await other.write(retrying: 20) { db in
                var player = Player(name: "\(number)", score: 0)
                try player.insert(db)
            }
            #expect(try await counts.next() == number)
            try cluster.nodes.start(leader)
        }
    }

    @Test func closingEndsIt() async throws {
        let cluster = try DatabaseCluster.new()
        try await cluster.write { try $0.createPlayers() }
        var counts = count.values(in: cluster).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try cluster.close()
        // It may be checking for commits by others at this moment, and then throws that the database is closed.
        do { #expect(try await counts.next() == nil) } catch let error as DatabaseError {
            #expect(error.resultCode == .SQLITE_MISUSE)
        }
    }
}
