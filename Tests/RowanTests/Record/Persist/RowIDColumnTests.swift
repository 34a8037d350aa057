import Testing

import Rowan

// Columns with names of the rowid.

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

private struct T: Codable, FetchableRecord, PersistableRecord {
    var rowid: Int
    var oid = 0
}

private func expectNoKey(_ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) {
    let error = expectError(.SQLITE_MISUSE, sourceLocation: sourceLocation) { try body() }
    let message =
        "the rowid of table t has no name because its columns are called rowid, _rowid_ and oid: add a column INTEGER PRIMARY "
        + "KEY"
    #expect(error?.message == message, sourceLocation: sourceLocation)
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

    /// A column named rowid is not a key.
    @Test func keysOfTablesWithoutPrimaryKey() throws {
        try inLoggedDatabase(
            "CREATE TABLE t (rowid TEXT, x); INSERT INTO t (_rowid_, rowid, x) VALUES (1, '2', 'a'), (2, '2', 'b')"
        ) { db, log throws in
            #expect(try db.primaryKey("t").columns == ["_rowid_"])
            #expect(try Table("t").filter(key: 2).select(Column("x"), as: String.self).fetchAll(db) == ["b"])
            #expect(try Table("t").exists(db, key: 3) == false)
            let names = Table("t").orderByPrimaryKey().reversed().select(Column("x"), as: String.self)
            #expect(try names.fetchAll(db) == ["b", "a"])
            #expect(throws: DatabaseError.self) { try Table("t").filter(key: ["rowid": "2"]).fetchCount(db) }
            #expect(try Table("t").deleteOne(db, key: 2))
            #expect(log.takeExpanded().last == #"DELETE FROM "t" WHERE "_rowid_" = 2"#)
            #expect(try Table("t").fetchCount(db) == 1)
        }
    }

    /// Nothing distinguishes the rows, so nothing is changed.
    @Test func rowsWithoutAnyKey() throws {
        let schema = "CREATE TABLE t (rowid, _rowid_, oid); INSERT INTO t VALUES (1, 1, 1), (1, 2, 2), (1, 3, 3)"
        try inLoggedDatabase(schema) { db, _ throws(any Error) in
            #expect(try db.primaryKey("t").columns.isEmpty)
            expectNoKey { try Table("t").filter(Column("rowid") == 1).limit(1).deleteAll(db) }
            expectNoKey { try Table("t").limit(1).updateAll(db, Column("oid").set(to: 0)) }
            expectNoKey { _ = try Table("t").filter(key: 1).fetchCount(db) }
            expectNoKey { _ = try Table("t").filter(keys: [1, 2]).fetchCount(db) }
            expectNoKey { _ = try Table("t").deleteOne(db, key: 1) }
            expectNoKey { _ = try T.fetchOne(db, key: 1) }
            expectNoKey { _ = try T.find(db, key: 1) }
            expectNoKey { _ = try Row.fetchAll(db, Table("t").orderByPrimaryKey()) }
            do {
                try T(rowid: 1).update(db)
                Issue.record("the record was updated")
            } catch is RecordError {}
            let isDeleted = try T(rowid: 1).delete(db)
            #expect(!isDeleted)
            try T(rowid: 4).insert(db)
            #expect(try Int.fetchAll(db, sql: "SELECT oid FROM t") == [1, 2, 3, 0])
            #expect(try T.fetchCount(db) == 4)
        }
    }
}
