import Testing

import Rowan

// Columns that are called like the rowid.

private struct P: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var rowid: Int64
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct Word: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var rowid: String
    var key: Int64?
    enum CodingKeys: CodingKey { case rowid }
    mutating func didInsert(_ inserted: InsertionSuccess) { key = inserted.rowID }
}

@Suite struct RowIDColumnTests {
    @Test func insertAllAndFetch() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT UNIQUE, rowid INTEGER)")
            let records = [P(name: "a", rowid: 7), P(name: "b", rowid: 7), P(name: "c", rowid: 1)]
            let stored = try P.insertAllAndFetch(db, records)
            #expect(stored.map(\.id) == [1, 2, 3])
            #expect(stored.map(\.rowid) == [7, 7, 1])
        }
    }

    @Test func upsert() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT UNIQUE, rowid INTEGER);
                    INSERT INTO p VALUES (1, 'a', 2), (2, 'b', 1)
                    """)
            var a = P(name: "a", rowid: 2)
            try a.upsert(db)
            #expect(a.id == 1)
            var b = P(name: "b", rowid: 3)
            let fetched = try b.upsertAndFetch(db)
            #expect(fetched == P(id: 2, name: "b", rowid: 3))
        }
    }

    @Test func hiddenRowIDs() throws {
        try withDatabase { db in
            try db.execute(
                sql: "CREATE TABLE word (rowid TEXT UNIQUE); INSERT INTO word (_rowid_, rowid) VALUES (5, 'five')")
            var word = Word(rowid: "five")
            try word.upsert(db)
            #expect(word.key == 5)
            try db.execute(sql: "DROP TABLE word; CREATE TABLE word (rowid TEXT UNIQUE, _rowid_, oid)")
            let error = expectError(.SQLITE_MISUSE) { try word.upsert(db) }
            #expect(error?.message?.hasPrefix("the rowid of table word has no name") == true)
        }
    }
}
