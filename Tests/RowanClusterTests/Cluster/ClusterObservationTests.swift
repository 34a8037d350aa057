// Observations of a cluster: own commits, those of other clients, those after a failover, and the end of the database.

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

    /// Neither the start nor an own commit is taken for the commit of another client.
    @Test func nothingIsNotifiedTwice() async throws {
        let cluster = try DatabaseCluster.new()
        try await cluster.write { try $0.createPlayers() }
        var counts = ValueObservation.tracking { db in try Player.fetchCount(db) }.values(in: cluster)
            .makeAsyncIterator()
        #expect(try await counts.next() == 0)
        for number in 1...5 {
            // Several checks for the commits of others.
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

    /// The columns that the observation reads are others than when it began.
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
        // It ends, or says that the database is closed: it may ask at this moment whether others have committed.
        do { #expect(try await counts.next() == nil) } catch let error as DatabaseError {
            #expect(error.resultCode == .SQLITE_MISUSE)
        }
    }
}
