// A copy that follows the replica, and connections that read it during changes.

import Foundation
import Rowan
import RowanLitestream
import ServiceLifecycle
import Testing

@Suite(.litestream)
struct FollowerTests {
    /// Runs a follower during a replication.
    private func following(
        _ site: Site, _ body: (DatabasePool, LitestreamReplication, DatabasePool) async throws -> Void
    ) async throws {
        let source = try site.open("one/places.sqlite")
        try await source.write { db in
            try db.execute(sql: "CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER, padding BLOB)")
            for id in 1...200 {
                try db.execute(sql: "INSERT INTO counter VALUES (?, 0, zeroblob(300))", arguments: [id])
            }
        }
        let replication = site.replication(of: "one/places.sqlite")
        let follower = site.replica.follower(
            at: site.path("two.sqlite"), interval: .milliseconds(50), logger: site.log.logger)
        try await site.replicating(replication) {
            try await replication.sync()
            let task = Task { try await follower.run() }
            let result = await Swift.Result { try await body(source, replication, try await follower.openPool()) }
            task.cancel()
            try await task.value
            try result.get()
        }
    }

    /// An open pool sees new rows, and updates that change no other page; each read sees complete commits.
    @Test func readersSeeNewCommits() async throws {
        let site = try Site()
        try await following(site) { source, replication, copy in
            for round in 1...5 {
                try await source.write { try $0.execute(sql: "UPDATE counter SET value = \(round)") }
                try source.add(round * 100...round * 100 + 50)
                try await replication.sync()
                try await eventually("The copy does not follow") {
                    let (least, greatest, n) = try await copy.read { db in
                        let values = try Int.fetchAll(
                            db,
                            sql: """
                                SELECT min(value) FROM counter UNION ALL SELECT max(value) FROM counter
                                UNION ALL SELECT ifnull(max(n), 0) FROM number
                                """)
                        return (values[0], values[1], values[2])
                    }
                    #expect(least == greatest)
                    return greatest == round && n == round * 100 + 50
                }
            }
            #expect(try await copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
            await #expect(throws: DatabaseError.self) {
                try await copy.write { try $0.execute(sql: "DELETE FROM number") }
            }
        }
    }

    /// The copy made by an earlier start is restored again; another database is left alone.
    @Test func path() async throws {
        let site = try Site()
        for count in 1...2 {
            try await following(site) { source, replication, copy in
                if count == 1 { try source.add(1...10) }
                try await replication.sync()
                try await eventually("The copy does not follow") {
                    try await copy.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM number") } == 10
                }
            }
            try FileManager.default.removeItem(atPath: site.path("one"))
            try await site.replica.restore(to: site.path("one/places.sqlite"))
            let source = try site.open("one/places.sqlite")
            try await source.write { try $0.execute(sql: "DROP TABLE counter") }
            try source.close()
        }
        let own = try site.open("own.sqlite")
        try own.add(1...3)
        let error = await #expect(throws: LitestreamError.self) {
            try await site.replica.follower(at: site.path("own.sqlite")).run()
        }
        #expect(error?.kind == .databaseExists)
        #expect(try numbers(at: site.path("own.sqlite")) == [1, 2, 3])
    }

    /// If Litestream exits, so does the service, because its connections would no longer be updated.
    @Test func endsWithLitestream() async throws {
        let site = try Site()
        let error = await #expect(throws: LitestreamError.self) {
            try await site.replica.follower(at: site.path("two.sqlite"), logger: site.log.logger).run()
        }
        #expect(error?.kind == .commandFailed)
        #expect(error?.message.contains("no matching backup") == true)
    }
}

extension Swift.Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
