import Rowan
import Testing

private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score: Int?
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct NewPlayer: Codable, PersistableRecord {
    static let databaseTableName = "player"
    var name: String
}

private struct NumberedPlayer: Codable, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int64?
    var name: String
}

private struct Word: Codable, Equatable, FetchableRecord, PersistableRecord {
    var word: String
    var count = 1
}

private let playerTable = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER DEFAULT 7)"
private let wordTable = "CREATE TABLE word (word TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID"

private func sizes(_ log: SQLLog) -> [Int] {
    log.take().filter { $0.hasPrefix("INSERT") }.map { sql in sql.utf8.count { $0 == UInt8(ascii: "?") } }
}

struct InsertAllAndFetchTests {
    @Test func rowsComeInTheOrderOfTheRecords() throws {
        try inLoggedDatabase(playerTable) { db, log throws in
            let records = (0..<100).map { NumberedPlayer(id: $0 == 5 ? 500 : $0 == 9 ? 400 : nil, name: "p\($0)") }
            let stored = try NumberedPlayer.insertAllAndFetch(db, records, as: Player.self)
            #expect(stored.map(\.name) == records.map(\.name))
            #expect(stored.map(\.id) == [1, 2, 3, 4, 5, 500, 501, 502, 503, 400] + Array(504...593))
            #expect(stored.allSatisfy { $0.score == 7 })
            #expect(sizes(log) == [1, 64, 32, 2, 1].map { 2 * $0 })
            #expect(try NumberedPlayer.insertAllAndFetch(db, [], as: Player.self).isEmpty)
        }
    }

    @Test func theSQL() throws {
        try inLoggedDatabase(playerTable) { db, log throws in
            let records = ["a", "b"].map { NumberedPlayer(id: nil, name: $0) }
            _ = try NumberedPlayer.insertAllAndFetch(db, records, callbacks: .skipped, as: Player.self)
            #expect(
                log.take().last
                    == #"INSERT INTO "player" ("id", "name") VALUES (?,?),(?,?) RETURNING *, "rowid""#)
        }
    }

    @Test func recordsWithoutKeyColumnGoAlone() throws {
        try inLoggedDatabase(playerTable) { db, log throws in
            let stored = try NewPlayer.insertAllAndFetch(db, ["a", "b", "c"].map(NewPlayer.init), as: Player.self)
            #expect(stored == zip(1..., ["a", "b", "c"]).map { Player(id: $0, name: $1, score: 7) })
            #expect(sizes(log) == [1, 1, 1])
        }
    }

    @Test func tablesWithoutRowID() throws {
        try inLoggedDatabase(wordTable) { db, _ throws in
            let words = ["z", "a", "m"].map { Word(word: $0) }
            #expect(try Word.insertAllAndFetch(db, words) == words)
            #expect(
                try Word.insertAllAndFetch(db, ["z", "b"].map { Word(word: $0) }, onConflict: .ignore).map(\.word) == [
                    "b"
                ])
            #expect(throws: DatabaseError.self) { try Word.insertAllAndFetch(db, ["c", "z"].map { Word(word: $0) }) }
            #expect(try Word.fetchCount(db) == 4)
        }
    }

    @Test func recordsAreToldTheirIDs() throws {
        try inLoggedDatabase(playerTable) { db, _ throws in
            let stored = try Player.insertAllAndFetch(db, (0..<70).map { Player(id: nil, name: "\($0)", score: 1) })
            #expect(stored.map(\.id) == Array(1...70))
            let others = try Player.insertAllAndFetch(
                db, [Player(id: nil, name: "x", score: 1)], onConflict: .replace, callbacks: .skipped)
            #expect(others == [Player(id: 71, name: "x", score: 1)])
        }
    }
}

struct UpsertAllTests {
    @Test func insertsOrUpdates() throws {
        try inLoggedDatabase(wordTable) { db, log throws in
            try Word(word: "b", count: 5).insert(db)
            _ = log.take()
            try Word.upsertAll(db, ["a", "b", "c", "d", "a"].enumerated().map { Word(word: $1, count: 10 + $0) })
            let end = #" ON CONFLICT DO UPDATE SET "count" = "excluded"."count""#
            let start = #"INSERT INTO "word" ("word", "count") VALUES "#
            #expect(log.take() == Array(repeating: start + "(?,?)" + end, count: 5))
            let stored = try Word.fetchAll(db, sql: "SELECT * FROM word ORDER BY word")
            #expect(stored == zip(["a", "b", "c", "d"], [14, 11, 12, 13]).map { Word(word: $0, count: $1) })
        }
    }

    @Test func withTheOptionsOfUpserts() throws {
        try inLoggedDatabase(wordTable) { db, log throws in
            let words = ["a", "b", "a", "a"].map { Word(word: $0) }
            for _ in 1...2 {
                try Word.upsertAll(db, words, onConflict: ["word"], updating: .noColumnUnlessSpecified) { _ in
                    [Column("count") += 1]
                }
            }
            #expect(
                log.take().last
                    == #"INSERT INTO "word" ("word", "count") VALUES (?,?) "#
                    + #"ON CONFLICT("word") DO UPDATE SET "count" = "count" + ?"#)
            #expect(try Word.fetchAll(db, sql: "SELECT * FROM word ORDER BY word").map(\.count) == [6, 2])
        }
    }

    @Test func upsertedRowsComeInTheOrderOfTheRecords() throws {
        try inLoggedDatabase(wordTable) { db, _ throws in
            let words = ["b", "a", "b"].map { Word(word: $0) }
            let stored = try Word.upsertAllAndFetch(db, words, onConflict: ["word"]) { _ in [Column("count") += 1] }
            #expect(stored == [Word(word: "b", count: 1), Word(word: "a", count: 1), Word(word: "b", count: 2)])
            #expect(
                try Word.upsertAllAndFetch(db, words, as: Word.self, callbacks: .skipped).map(\.count) == [1, 1, 1])
        }
    }

    @Test func recordsWithCallbacksGoAlone() throws {
        try inLoggedDatabase(playerTable) { db, log throws in
            try Player.upsertAll(db, [3, 2, 3].map { Player(id: $0, name: "p", score: 1) })
            #expect(sizes(log) == [3, 3, 3])
            try Player.upsertAll(db, [3, 2, 4, 5].map { Player(id: $0, name: "q", score: 1) }, callbacks: .skipped)
            #expect(sizes(log) == [12])
            #expect(try Player.filter { _ in Column("name") == "q" }.fetchCount(db) == 4)
        }
    }

    @Test func anErrorLeavesNothing() throws {
        try inLoggedDatabase("CREATE TABLE word (word TEXT PRIMARY KEY, count INTEGER CHECK (count < 9))") {
            db, _ throws in
            let words = (0..<10).map { Word(word: "\($0)", count: $0) }
            #expect(databaseError { try Word.upsertAll(db, words) }?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
            #expect(throws: DatabaseError.self) { try Word.upsertAllAndFetch(db, words) }
            #expect(try Word.fetchCount(db) == 0)
        }
    }
}
