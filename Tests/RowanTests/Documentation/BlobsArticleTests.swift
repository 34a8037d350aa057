import Foundation
import Rowan
import Testing

private struct Candidate: Encodable, EncodableRecord {
    var name: String
    var score: Int
}

struct BlobsArticleTests {
    @Test func article() throws {
        let (dbQueue, log) = try loggedQueue(
            """
            CREATE TABLE photo (id INTEGER PRIMARY KEY, data BLOB);
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara'), (3, 'Craig')
            """)
        try blobs(dbQueue, (0..<3).map { Data(repeating: $0, count: 1000) })
        try collections(
            dbQueue,
            [
                Candidate(name: "Arthur", score: 500), Candidate(name: "Diane", score: 200),
                Candidate(name: "Eric", score: 50),
            ])
        try bytes(dbQueue)
        try Article("BlobsAndCollections").check(ran: log.take())
    }

    private func blobs(_ dbQueue: DatabaseQueue, _ chunks: [Data]) throws {
        try dbQueue.write { db in
            // INSERT INTO photo (id, data) VALUES (1, zeroblob(3000))
            try db.execute(sql: "INSERT INTO photo (id, data) VALUES (1, zeroblob(3000))")
            try db.withBlob(table: "photo", column: "data", rowID: 1, access: .readWrite) { blob in
                for (index, chunk) in chunks.enumerated() {
                    try blob.write(chunk, at: 1000 * index)
                }
            }
        }
        let header = try dbQueue.read { db in
            try db.withBlob(table: "photo", column: "data", rowID: 1) { blob in
                try blob.read(0..<4)
            }
        }
        #expect(header == Data(count: 4))
        let all = try dbQueue.read { try Data.fetchOne($0, sql: "SELECT data FROM photo") }
        #expect(all == chunks.reduce(Data(), +))
    }

    private func collections(_ dbQueue: DatabaseQueue, _ candidates: [Candidate]) throws {
        let names = try dbQueue.read { db in
            try db.register(candidates, as: "candidate")
            // SELECT name FROM candidate WHERE score > 100 EXCEPT SELECT name FROM player
            return try String.fetchAll(
                db, sql: "SELECT name FROM candidate WHERE score > 100 EXCEPT SELECT name FROM player")
        }
        #expect(names == ["Diane"])
        let players = try dbQueue.read { db in
            try db.register([1, 3], as: "wanted")
            // SELECT * FROM player WHERE id IN (SELECT value FROM wanted)
            return try Row.fetchAll(db, sql: "SELECT * FROM player WHERE id IN (SELECT value FROM wanted)")
        }
        #expect(players.map { $0["name"] as String } == ["Arthur", "Craig"])
    }

    private func bytes(_ dbQueue: DatabaseQueue) throws {
        let data = try dbQueue.serialize()
        let copy = try DatabaseQueue(deserializing: data)
        #expect(try copy.int("SELECT count(*) FROM player") == 3)
    }
}
