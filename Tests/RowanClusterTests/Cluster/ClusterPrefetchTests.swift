// Queries that prefetch rows share a round trip.

import Foundation
import Rowan
import Testing

@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing), .serialized, .timeLimit(.minutes(2)))
struct ClusterPrefetchTests {
    struct Author: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let books = hasMany(Book.self)
        static let prizes = hasMany(Prize.self)
        static let friends = hasMany(Author.self, key: "friends", using: ForeignKey(["friendId"]))
        var id: Int64
        var name: String
        var friendId: Int64?
    }

    struct Book: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let pages = hasMany(Page.self)
        static let notes = hasMany(Note.self)
        var id: Int64
        var authorId: Int64
    }

    struct Prize: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var authorId: Int64
    }

    struct Page: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var bookId: Int64
    }

    struct Note: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var bookId: Int64
    }

    struct BookInfo: Codable, FetchableRecord, Equatable {
        var id: Int64
        var pages: [Page]
        var notes: [Note]
    }

    struct Info: Codable, FetchableRecord, Equatable {
        var id: Int64
        var books: [BookInfo]
        var prizes: [Prize]
        var friends: [Author]
    }

    private static let request = Author.order(Column("id"))
        .including(
            all: Author.books.order(Column("id")).including(all: Book.pages.order(Column("id")))
                .including(all: Book.notes.order(Column("id")))
        )
        .including(all: Author.prizes.order(Column("id")))
        .including(all: Author.friends.order(Column("id")))

    private static func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, friendId INTEGER);
                CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author);
                CREATE TABLE prize (id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author);
                CREATE TABLE page (id INTEGER PRIMARY KEY, bookId INTEGER NOT NULL REFERENCES book);
                CREATE TABLE note (id INTEGER PRIMARY KEY, bookId INTEGER NOT NULL REFERENCES book);
                INSERT INTO author VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 1);
                INSERT INTO book VALUES (10, 1), (11, 1), (12, 3);
                INSERT INTO prize VALUES (20, 2), (21, 3), (22, 3);
                INSERT INTO page WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                    SELECT i, 10 + i % 3 FROM n;
                INSERT INTO note VALUES (1, 10), (2, 12);
                """)
    }

    private final class RoundTrips: Sendable {
        private let counts = Mutex<[Int]>([])
        var handler: @Sendable (ClusterEvent) -> Void {
            { event in if case .roundTrip(_, let count) = event { self.counts.withLock { $0.append(count) } } }
        }
        func take() -> [Int] {
            counts.withLock { counts in
                defer { counts = [] }
                return counts
            }
        }
    }

    private func withCluster(_ body: (DatabaseCluster, RoundTrips) throws -> Void) throws {
        let nodes = try TestCluster(count: 1)
        defer { nodes.stopAll() }
        let trips = RoundTrips()
        var options = ClusterOptions()
        options.eventHandler = trips.handler
        let cluster = try DatabaseCluster(
            addresses: nodes.addresses.map(\.description), database: "app", options: options)
        try cluster.write(Self.create)
        _ = trips.take()
        try body(cluster, trips)
        try cluster.close()
    }

    @Test func theyShareARoundTripAndEqualALocalFetch() throws {
        let queue = try DatabaseQueue()
        try queue.write(Self.create)
        let expected = try queue.read { db in try Info.fetchAll(db, Self.request) }
        #expect(expected.map { $0.books.map(\.pages.count) } == [[100, 100], [], [100]])
        try withCluster { cluster, trips in
            // The second time, the statements are compiled.
            for _ in 0..<2 {
                let found = try cluster.read { db in
                    // The transaction begins, with its own round trips.
                    _ = try Int.fetchOne(db, sql: "SELECT 1")
                    _ = trips.take()
                    let found = try Info.fetchAll(db, Self.request)
                    // The authors; books, prizes and friends; pages and notes.
                    #expect(trips.take().count == 3)
                    return found
                }
                #expect(found == expected)
            }
            let found = try cluster.write { db in
                _ = try Int.fetchOne(db, sql: "SELECT 1")
                _ = trips.take()
                let found = try Info.fetchAll(db, Self.request)
                #expect(trips.take().count == 3)
                return found
            }
            #expect(found == expected)
        }
    }

    /// Outside a transaction, each query has one of its own.
    @Test func outsideATransaction() throws {
        try withCluster { cluster, trips in
            let found = try cluster.unsafeRead { db in try Info.fetchAll(db, Self.request) }
            #expect(found.map(\.id) == [1, 2, 3])
            #expect(trips.take().count >= 6)
        }
    }

    @Test func aWriteBetweenFetches() throws {
        try withCluster { cluster, _ in
            try cluster.write { db in
                #expect(try Info.fetchAll(db, Self.request)[1].prizes.count == 1)
                try db.execute(sql: "INSERT INTO prize VALUES (30, 2)")
                #expect(try Info.fetchAll(db, Self.request)[1].prizes.count == 2)
                try db.execute(sql: "DELETE FROM prize")
                #expect(try Info.fetchAll(db, Self.request)[1].prizes == [])
            }
        }
    }

    /// A query that fails is the one that throws, and the transaction goes on.
    @Test func aQueryThatFails() throws {
        try withCluster { cluster, trips in
            try cluster.write { db in
                try db.execute(sql: "UPDATE prize SET id = id + 9223372036854775000 WHERE id = 22")
                let sum = SQL("abs(prize.id - 9223372036854775023 - 9223372036854775807)").sqlExpression
                let request = Author.order(Column("id")).including(all: Author.books)
                    .including(all: Author.prizes.annotated(with: sum.forKey("x")))
                _ = trips.take()
                let error = #expect(throws: DatabaseError.self) { try Row.fetchAll(db, request) }
                #expect(error?.message == "integer overflow")
                #expect(error?.sql?.contains("abs(prize.id") == true)
                #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM prize") == 3)
                try db.execute(sql: "DELETE FROM prize WHERE id > 100")
            }
            #expect(try cluster.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM prize") } == 2)
        }
    }
}
