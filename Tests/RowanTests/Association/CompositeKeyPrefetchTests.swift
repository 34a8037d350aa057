// Prefetching by keys of two columns: equal keys, keys that only SQLite considers equal, and NULL keys.

import Rowan
import Testing

private struct Shelf: TableRecord {
    static let volumes = hasMany(Volume.self)
}

private struct Volume: TableRecord {}

@Suite struct CompositeKeyPrefetchTests {
    private func volumes(_ schema: String, _ rows: String, filtered: Bool) throws -> [[Int]] {
        try withDatabase { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF; \(schema); \(rows)")
            let shelves = Shelf.including(all: Shelf.volumes.order(Column("id"))).order(Column("rowid"))
            let request = filtered ? shelves.filter(sql: "rowid > 0") : shelves
            return try Row.fetchAll(db, request).map { row in
                (row.prefetchedRows["volumes"] ?? []).map { $0["id"] }
            }
        }
    }

    private let plain = """
        CREATE TABLE shelf (room TEXT, number INTEGER, PRIMARY KEY (room, number));
        CREATE TABLE volume (
            id INTEGER PRIMARY KEY, room TEXT, number INTEGER,
            FOREIGN KEY (room, number) REFERENCES shelf(room, number))
        """

    @Test(arguments: [false, true])
    func equalKeys(_ filtered: Bool) throws {
        let found = try volumes(
            plain,
            """
            INSERT INTO shelf VALUES ('a', 1), ('a', 2), ('', 1), (NULL, 1), ('é', 1), ('a longer name of a room', 1);
            INSERT INTO volume VALUES (1, 'a', 1), (2, 'a', 2), (3, 'a', 1), (4, '', 1), (5, NULL, 1), (6, 'a', NULL),
                (7, 'é', 1), (8, 'e' || char(769), 1), (9, 'a longer name of a room', 1), (10, 'b', 1)
            """, filtered: filtered)
        // Of the two encodings of é, SQLite finds the stored one.
        #expect(found == [[1, 3], [2], [4], [], [7], [9]])
    }

    @Test(arguments: [false, true])
    func keysThatSQLiteCallsEqual(_ filtered: Bool) throws {
        let found = try volumes(
            """
            CREATE TABLE shelf (room TEXT COLLATE NOCASE, number REAL, PRIMARY KEY (room, number));
            CREATE TABLE volume (
                id INTEGER PRIMARY KEY, room TEXT COLLATE NOCASE, number,
                FOREIGN KEY (room, number) REFERENCES shelf(room, number))
            """,
            """
            INSERT INTO shelf VALUES ('Hall', 1), ('attic', 1.5);
            INSERT INTO volume VALUES (1, 'HALL', 1), (2, 'Hall', 1.0), (3, 'Attic', 1.5), (4, 'attic', 1)
            """, filtered: filtered)
        #expect(found == [[1, 2], [3]])
    }

    @Test func manyKeys() throws {
        let found = try volumes(
            plain,
            """
            INSERT INTO shelf
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT 'r' || (i / 10), i % 10 FROM n;
            INSERT INTO volume
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
            SELECT i, 'r' || (i % 1000 / 10), i % 10 FROM n
            """, filtered: false)
        #expect(found == (0..<1000).map { [$0, $0 + 1000, $0 + 2000] })
    }
}
