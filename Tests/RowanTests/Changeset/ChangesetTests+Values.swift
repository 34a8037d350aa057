// Changesets as values: typed, as JSON, in files, combined, and from damaged bytes.

import Foundation
import Rowan
import RowanChangesets
import Testing

extension ChangesetTests {
    // MARK: Values

    @Test func typedChanges() throws {
        let queue = try make(.memoryQueue, in: TemporaryFolder())
        try queue.write { db throws in
            let changes = try db.recordChanges {
                try db.execute(
                    sql:
                        "INSERT INTO player VALUES (3, 'C', 1); UPDATE player SET score = 7 WHERE id = 1; DELETE FROM player WHERE id = 2"
                )
            }
            let rows = try changes.rows(of: Player.self)
            #expect(rows.map(\.kind) == [.insert, .update, .delete])
            #expect(try rows[0].new() == Player(id: 3, name: "C", score: 1))
            #expect(try rows[0].old() == nil)
            #expect(try rows[2].old() == Player(id: 2, name: "Barbara", score: 200))
            #expect(try rows[2].new() == nil)
            #expect(rows[1].row.changedColumnNames == ["score"])
            #expect(throws: RowDecodingError.self) { try rows[1].new() }
            let (old, new) = try rows[1].records(db)
            #expect(old == Player(id: 1, name: "Arthur", score: 100))
            #expect(new == Player(id: 1, name: "Arthur", score: 7))
            try db.execute(sql: "DELETE FROM player")
            #expect(throws: RecordError.self) { try rows[1].records(db) }
        }
    }

    @Test func json() throws {
        let queue = try make(.memoryQueue, in: TemporaryFolder())
        try queue.write { db throws in
            let changes = try db.recordChanges {
                try db.execute(sql: "UPDATE note SET text = 1.5 WHERE number = 2; DELETE FROM note WHERE player = 2")
            }
            #expect(
                String(decoding: try changes.json(), as: UTF8.self)
                    == #"[{"indirect":false,"kind":"update","new":{"number":2,"player":1,"text":1.5},"old":{"number":2,"player":1,"text":"AP8="},"table":"note"},"#
                    + #"{"indirect":false,"kind":"delete","old":{"number":1,"player":2,"text":null},"table":"note"}]"#)
        }
    }

    @Test func changesAreCodable() throws {
        let queue = try make(.memoryQueue, in: TemporaryFolder())
        let changes = try queue.write { db in
            try db.recordChanges { try db.execute(sql: "UPDATE player SET score = 1") }
        }
        let decoded = try JSONDecoder().decode(Changeset.self, from: JSONEncoder().encode(changes))
        #expect(decoded == changes)
        #expect(try list(decoded) == list(changes))
        let patchset = try changes.patchset()
        #expect(try JSONDecoder().decode(Patchset.self, from: JSONEncoder().encode(patchset)) == patchset)
        #expect(
            try list(patchset) == ["update player [id:1] [id:1 score:1]", "update player [id:2] [id:2 score:1]"])
        #expect(patchset.data.count < changes.data.count)
    }

    @Test func files() throws {
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.path("changes"))
        let queue = try make(.memoryQueue, in: folder)
        try queue.write { db throws in
            let recorder = try db.makeChangesetRecorder()
            // More than a part.
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                    INSERT INTO player SELECT i, hex(zeroblob(500)), i FROM n; UPDATE note SET text = 'c' WHERE number = 2
                    """)
            try Data().write(to: url)
            let file = try FileHandle(forWritingTo: url)
            var partCount = 0
            try recorder.write(db) { part in
                partCount += 1
                try file.write(contentsOf: part)
            }
            try file.close()
            #expect(partCount == 3)
            let changes = try Changeset(contentsOf: url, columnsFrom: db)
            #expect(changes.data.count > 2 << 20)
            #expect(try changes == recorder.changeset(db))
            try db.apply(changes.inverted())
            try db.apply(changes)
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") == 2_993)
            try db.execute(sql: "DROP TABLE note")
            expectError(.SQLITE_SCHEMA, "the changes don't fit the schema: there is no table \"note\"") {
                try Changeset(contentsOf: url, columnsFrom: db)
            }
        }
    }

    @Test func combining() throws {
        let queue = try make(.memoryQueue, in: TemporaryFolder())
        try queue.write { db throws in
            func record(_ sql: String) throws -> Changeset { try db.recordChanges { try db.execute(sql: sql) } }
            let first = try record("UPDATE player SET score = 1 WHERE id = 1; INSERT INTO player VALUES (3, 'C', 0)")
            let second = try record("UPDATE player SET name = 'A' WHERE id = 1; DELETE FROM player WHERE id = 3")
            #expect(
                try list(first.combined(with: second))
                    == ["update player [id:1 name:\"Arthur\" score:100] [id:1 name:\"A\" score:1]"])
            #expect(try first.combined(with: Changeset()) == first)
            #expect(try first.combined(with: first.inverted()).isEmpty)
            let other = Changeset(data: first.data, columnNames: ["player": ["a", "b", "c"]])
            expectError(.SQLITE_SCHEMA, "the changesets have different columns of table \"player\"") {
                try first.combined(with: other)
            }
        }
    }

    @Test func filtering() throws {
        let queue = try make(.memoryQueue, in: TemporaryFolder())
        try queue.write { db throws in
            let changes = try db.recordChanges {
                try db.execute(sql: "DELETE FROM player; INSERT INTO player VALUES (1, 'A', 1)")
            }
            #expect(try changes.changes().count == 5)
            #expect(try list(changes.filter { $0.tableName == "note" }).count == 3)
            #expect(try list(changes.filter { !$0.isIndirect }).count == 2)
            #expect(try changes.filter { _ in true } == changes)
            #expect(try changes.filter { _ in false }.isEmpty)
        }
    }

    // MARK: Damaged bytes

    @Test func damagedBytesAreErrors() throws {
        let queue = try make(.memoryQueue, in: TemporaryFolder())
        let changes = try queue.write { db throws in
            try db.recordChanges { try db.execute(sql: "DELETE FROM player; INSERT INTO player VALUES (1, 'A', 1)") }
        }
        for count in 1..<changes.data.count {
            let damaged = Changeset(data: changes.data.prefix(count), columnNames: changes.columnNames)
            // A prefix may end after a change.
            guard (try? damaged.changes()) == nil else { continue }
            expectError(.SQLITE_CORRUPT) { try damaged.changes() }
            expectError(.SQLITE_CORRUPT) { try damaged.inverted() }
            expectError(.SQLITE_CORRUPT) { try queue.write { try $0.apply(damaged) } }
        }
        var random = SeededGenerator(45)
        for _ in 0..<3_000 {
            var data = changes.data
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let damaged = Changeset(data: data, columnNames: changes.columnNames)
            // A key that is NULL makes SQLite 3.40 read beyond the bytes: its bytes are not passed on.
            // They are rejected, or are changes, which conflict or not.
            _ = try? damaged.changes()
            _ = try? damaged.inverted()
            _ = try? damaged.combined(with: changes)
            _ = try? queue.write { db throws in
                try db.inTransaction {
                    try db.apply(damaged) { _ in .omit }
                    return .rollback
                }
            }
        }
        expectError(.SQLITE_CORRUPT, "these bytes are a patchset: create a Patchset") {
            try Changeset(data: changes.patchset().data, columnNames: [:]).inverted()
        }
    }
}
