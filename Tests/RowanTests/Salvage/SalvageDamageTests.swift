// Files that are damaged in one known place.

import Foundation
import Rowan
import RowanSalvage
import Testing

struct SalvageDamageTests {
    private let pageSize = 4_096

    private func ids(_ db: Database, _ table: String = "player", _ column: String = "id") throws -> [Int] {
        try Int.fetchAll(db, sql: "SELECT \(column) FROM \(table) ORDER BY \(column)")
    }

    @Test(arguments: [
        (0..<100, "UTF-8", 4_096), (0..<100, "UTF-16le", 512), (16..<18, "UTF-8", 1_024), (0..<24, "UTF-16be", 65_536),
    ])
    func header(range: Range<Int>, encoding: String, size: Int) throws {
        let file = try DamageableFile(pragmas: "PRAGMA encoding = '\(encoding)'; PRAGMA page_size = \(size)") {
            try fillPlayers($0)
        }
        try file.damage { bytes in for index in range { bytes[index] = 0 } }
        let (report, count) = try file.salvage { db in
            try expectTruePlayers(db)
            #expect(try String.fetchOne(db, sql: "PRAGMA encoding") == encoding)
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
        }
        #expect(count == 1_000)
        #expect(!report.isHeaderIntact && !report.isComplete)
        #expect(report.pageSize == size)
        #expect(report.description == "player: 1000 rows\nthe header of the file could not be read")
    }

    /// Without the page that names the tables, all rows are lost and found.
    @Test func firstPage() throws {
        let file = try DamageableFile { try fillPlayers($0) }
        try file.damage { bytes in for index in 0..<pageSize { bytes[index] = 0xAA } }
        let (report, rows) = try file.salvage { db in
            try Row.fetchAll(db, sql: "SELECT id, nfield, source, reason, c0, c1 FROM lost_and_found ORDER BY id")
        }
        #expect(rows.map { $0["id"] } == Array(1...1_000))
        #expect(
            rows[6] == [
                "id": 7, "nfield": 3, "source": nil, "reason": "the page belongs to no table", "c0": nil,
                "c1": "name 7",
            ])
        let roots = try file.salvage { db in try Int.fetchSet(db, sql: "SELECT rootpgno FROM lost_and_found") }.result
        #expect(roots.count == 1)
        #expect(report.tables.isEmpty && report.lostRowCount == 1_000 && report.damagedPages == [1])
    }

    /// The definitions of a schema with many pages are found without the page that leads to them.
    @Test func schemaOfManyPages() throws {
        let file = try DamageableFile { db in
            for number in 0..<200 {
                try db.execute(sql: "CREATE TABLE t\(number) (a, b); INSERT INTO t\(number) VALUES (\(number), 'x')")
            }
        }
        try file.damage { bytes in for index in 100..<pageSize { bytes[index] = 0 } }
        let (report, sum) = try file.salvage { db in
            var sum = 0
            for number in 0..<200 { sum += try Int.fetchOne(db, sql: "SELECT a FROM t\(number)") ?? 0 }
            return sum
        }
        #expect(sum == 199 * 100)
        #expect(report.tables.count == 200)
        #expect(report.damagedPages.contains(1))
    }

    @Test func rootPage() throws {
        let file = try DamageableFile { try fillPlayers($0) }
        let root = try file.root("player")
        try file.damage { bytes in for index in 0..<pageSize { bytes[(root - 1) * pageSize + index] = 0 } }
        let (report, lost) = try file.salvage { try ids($0, "lost_and_found") }
        #expect(lost == Array(1...1_000))
        #expect(report.rowCounts == ["player: 0, 0 lost, 1 unreadable pages"])
        #expect(report.damagedPages == [root])
    }

    /// A leaf of whose header only the kind is wrong is read.
    @Test func kindOfALeaf() throws {
        let file = try DamageableFile { try fillPlayers($0) }
        let root = try file.root("player")
        try file.damage { bytes in
            let cell = (root - 1) * pageSize + Int(bytes.number(at: (root - 1) * pageSize + 12, count: 2))
            bytes[(Int(bytes.number(at: cell, count: 4)) - 1) * pageSize] = 0xFF
        }
        let (report, count) = try file.salvage { try ids($0).count }
        #expect(count == 1_000)
        #expect(report.isComplete)
    }

    @Test func truncatedFile() throws {
        let file = try DamageableFile { try fillPlayers($0) }
        try file.damage { $0.removeLast($0.count / 3 + 100) }
        let (report, count) = try file.salvage { db in
            try expectTruePlayers(db)
            return try ids(db).count
        }
        #expect(count > 400 && count < 1_000)
        #expect(report.tables[0].damagedPageCount > 0)
        #expect(!report.isComplete)
    }

    /// A row without its end is no row of the table. Its first values are kept.
    @Test func endOfALongRow() throws {
        let file = try DamageableFile { try fillPlayers($0) }
        let page = try pageWithText("n97 n97", in: file)
        // The number of the page that follows.
        try file.damage { bytes in for index in 0..<4 { bytes[(page - 1) * pageSize + index] = 0xFF } }
        let (report, row) = try file.salvage { db in
            #expect(try ids(db) == (1...1_000).filter { $0 != 97 })
            return try Row.fetchOne(
                db, sql: "SELECT nfield, id, source, reason, c1, c2 FROM lost_and_found WHERE id = 97")
        }
        #expect(
            row == [
                "nfield": 3, "id": 97, "source": "player", "reason": "a part of the row is missing", "c1": "name 97",
                "c2": nil,
            ])
        #expect(report.rowCounts == ["player: 999, 1 lost, 0 unreadable pages"])
        #expect(report.incompleteRowCount == 1)
        #expect(report.description.hasPrefix("player: 999 rows, 1 more in lost_and_found\nlost_and_found: "))
    }

    /// The first page of `page` and behind that begins with a text after its four bytes.
    private func pageWithText(_ text: String, in file: DamageableFile) throws -> Int {
        let (bytes, text) = (try file.bytes, Array(text.utf8))
        return try #require(
            (2...(bytes.count / pageSize)).first { number in
                let start = (number - 1) * pageSize
                return bytes[start] == 0 && bytes[(start + 4)..<(start + 60)].firstRange(of: text) != nil
            })
    }

    /// Two tables whose root refers to the same page: its rows are in the table whose keys it continues.
    @Test func pageOfAnotherTable() throws {
        let file = try DamageableFile { db in
            try fillPlayers(db)
            try db.execute(sql: "CREATE TABLE other (id INTEGER PRIMARY KEY, a, b)")
            try db.execute(
                sql: """
                    INSERT INTO other WITH RECURSIVE n(i) AS (SELECT 5001 UNION ALL SELECT i + 1 FROM n LIMIT 1000)
                    SELECT i, 'other', hex(zeroblob(50)) FROM n
                    """)
        }
        let (player, other) = (try file.root("player"), try file.root("other"))
        try file.damage { bytes in
            func firstCell(_ root: Int) -> Int {
                (root - 1) * pageSize + Int(bytes.number(at: (root - 1) * pageSize + 12, count: 2))
            }
            // The first child of player is the second child of other.
            let second = (other - 1) * pageSize + Int(bytes.number(at: (other - 1) * pageSize + 14, count: 2))
            for index in 0..<4 { bytes[firstCell(player) + index] = bytes[second + index] }
        }
        let (report, lost) = try file.salvage { db in
            try expectTruePlayers(db)
            #expect(try ids(db, "other") == Array(5_001...6_000))
            return try ids(db, "lost_and_found")
        }
        #expect(lost == Array(1...lost.count) && !lost.isEmpty)
        #expect(report.tables.map(\.rowCount) == [1_000 - lost.count, 1_000])
        #expect(report.tables.map(\.damagedPageCount) == [1, 0])
    }

    /// Rows that violate a constraint are kept with the reason.
    @Test func constraints() throws {
        let file = try DamageableFile { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER);
                    INSERT INTO t VALUES (1, 'x', 1), (2, 'x', 2), (3, NULL, 3), (4, 'y', 4);
                    CREATE TABLE lost_and_found (a);
                    """)
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = 'CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INTEGER)'
                    WHERE name = 't';
                    PRAGMA writable_schema = RESET;
                    CREATE INDEX tA ON t (a);
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = 'CREATE UNIQUE INDEX tA ON t (a)' WHERE name = 'tA';
                    """)
        }
        let (report, rows) = try file.salvage { db in
            #expect(try ids(db, "t") == [1, 4])
            return try Row.fetchAll(db, sql: "SELECT id, source, reason, c1 FROM lost_and_found_0 ORDER BY id")
        }
        #expect(report.lostTable == "lost_and_found_0")
        #expect(
            rows == [
                ["id": 2, "source": "t", "reason": "UNIQUE constraint failed: t.a", "c1": "x"],
                ["id": 3, "source": "t", "reason": "NOT NULL constraint failed: t.a", "c1": nil],
            ])
    }

    /// What can't be created is reported, with its rows elsewhere. Hidden statements don't run.
    @Test func definitions() throws {
        let file = try DamageableFile { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a); INSERT INTO t VALUES (1);
                    CREATE TABLE u (a); INSERT INTO u VALUES (2);
                    CREATE TABLE w (a); INSERT INTO w VALUES (3);
                    CREATE VIEW v AS SELECT a FROM t;
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = 'CREATE TABLE t (a); CREATE TABLE evil (x)' WHERE name = 't';
                    UPDATE sqlite_master SET sql = 'CREATE TABLE u (a' WHERE name = 'u';
                    UPDATE sqlite_master SET sql = 'CREATE VIEW v AS SELECT FROM' WHERE name = 'v';
                    INSERT INTO sqlite_master VALUES ('junk', 'j', 'j', 0, 'CREATE TABLE j (a)');
                    """)
        }
        let (report, tables) = try file.salvage { db in
            #expect(try ids(db, "lost_and_found", "c0").filter { $0 > 0 } == [1, 2])
            return try String.fetchAll(db, sql: "SELECT name FROM sqlite_master ORDER BY name")
        }
        #expect(tables == ["lost_and_found", "w"])
        #expect(report.failures.map(\.name) == ["t", "u", "v"])
        #expect(
            report.failures.map(\.message) == [
                "the definition of table t in the schema is followed by other SQL, which a crafted file can use to run "
                    + "statements: copy its rows to a new table",
                "incomplete input", "near \"FROM\": syntax error",
            ])
        #expect(report.lostRowCount == 3)
    }

    /// Functions of the program are those of the configuration.
    @Test func functions() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("twice", argumentCount: 1, pure: true) { values in
                    (Int.fromDatabaseValue(values[0]) ?? 0) * 2
                })
            db.add(collation: DatabaseCollation("reversed") { $1.compare($0) })
        }
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a INTEGER, b AS (twice(a)) STORED, c TEXT COLLATE reversed UNIQUE);
                    INSERT INTO t (a, c) VALUES (1, 'x'), (2, 'y');
                    CREATE INDEX i ON t (twice(a));
                    """)
        }
        try queue.close()
        let file = folder.path("a.sqlite")
        let report = try Database.salvage(file, into: folder.path("b.sqlite"), configuration: configuration)
        #expect(report.isComplete, "\(report)")
        let other = try Database.salvage(file, into: folder.path("c.sqlite"))
        #expect(other.lostRowCount == 2 && other.incompleteRowCount == 0)
        #expect(other.failures.map(\.name) == ["t", "i"])
        #expect(other.failures.map(\.message) == ["no such collation sequence: reversed", "no such table: main.t"])
    }
}

extension [UInt8] {
    /// The big-endian number at an index.
    func number(at index: Int, count: Int) -> UInt64 {
        self[index..<(index + count)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
