// Files that are whole: everything is recovered.

import Foundation
import Rowan
import RowanSalvage
import Testing

struct SalvageTests {
    @Test(arguments: [
        "", "PRAGMA page_size = 512", "PRAGMA page_size = 65536", "PRAGMA encoding = 'UTF-16le'",
        "PRAGMA encoding = 'UTF-16be'", "PRAGMA auto_vacuum = FULL", "PRAGMA page_size = 512; PRAGMA auto_vacuum = 2",
    ])
    func everyKindOfObject(pragmas: String) throws {
        let file = try DamageableFile(pragmas: pragmas) { db in
            try db.execute(
                sql: """
                    PRAGMA foreign_keys = OFF; PRAGMA user_version = -7; PRAGMA application_id = 42;
                    CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE COLLATE NOCASE);
                    CREATE TABLE child (a TEXT, parentId INTEGER REFERENCES parent(id), b REAL NOT NULL DEFAULT 2.5);
                    CREATE TABLE pair (b, a INT, c, d, PRIMARY KEY (a DESC, b, a)) WITHOUT ROWID;
                    CREATE TABLE strict (i INTEGER, t TEXT, b BLOB, r REAL, a ANY) STRICT;
                    CREATE TABLE computed (v AS (x + 1), x INTEGER, s AS (x * 2) STORED, y TEXT);
                    CREATE TABLE reverse (id INTEGER PRIMARY KEY DESC, x);
                    CREATE TABLE hidden (rowid TEXT, _rowid_ TEXT, oid TEXT);
                    CREATE TABLE "odd "" name;" (" " TEXT, "select" INTEGER CHECK ("select" > 0));
                    CREATE UNIQUE INDEX childA ON child (a, lower(a));
                    CREATE INDEX childB ON child (b) WHERE b > 1;
                    CREATE VIEW names AS SELECT name FROM parent;
                    CREATE TRIGGER log AFTER INSERT ON parent BEGIN INSERT INTO child (a, parentId, b) VALUES ('t' || new.id, new.id, 1); END;
                    INSERT INTO parent VALUES (1, 'a'), (500, 'b');
                    DELETE FROM parent WHERE id = 500;
                    INSERT INTO child (rowid, a) VALUES (-5, 'x'), (9223372036854775807, NULL);
                    INSERT INTO pair VALUES (1, 2, 3, 4), ('x', 3, x'00ff', 1e300), ('', 2, '', x'');
                    INSERT INTO strict VALUES (1, 't', x'01', 3, 'any'), (-9223372036854775808, '', x'', 1e-300, 5);
                    INSERT INTO computed (x, y) VALUES (5, 'five'), (NULL, NULL);
                    INSERT INTO reverse VALUES (3, 'x'), (NULL, 'y');
                    INSERT INTO hidden VALUES ('1', '2', '3');
                    INSERT INTO "odd "" name;" VALUES ('s', 1);
                    PRAGMA ignore_check_constraints = ON; INSERT INTO "odd "" name;" VALUES ('broken', -1);
                    ALTER TABLE child ADD COLUMN added TEXT DEFAULT 'later';
                    ALTER TABLE pair ADD COLUMN added DEFAULT 7;
                    INSERT INTO child (a, added) VALUES ('y', NULL);
                    CREATE VIRTUAL TABLE page USING fts5(title, body);
                    CREATE VIRTUAL TABLE box USING rtree(id, x0, x1);
                    INSERT INTO box VALUES (1, 2, 3);
                    INSERT INTO parent (name) VALUES (CAST(x'ff61' AS TEXT));
                    """)
            for index in 0..<300 {
                try db.execute(
                    sql: "INSERT INTO page VALUES (?, ?)",
                    arguments: ["title \(index)", String(repeating: "w ", count: index)])
            }
            try db.execute(sql: "ANALYZE")
        }
        let original = try DatabaseQueue(path: file.path).read(DatabaseContent.init)
        let (report, content) = try file.salvage(DatabaseContent.init)
        #expect(content == original)
        #expect(report.isComplete, "\(report)")
        #expect(report.foreignKeyViolationCount == 1)
        #expect(report.tables.first { $0.name == "child" }?.rowCount == original.rows["child"]?.count)
        try file.salvage { db in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM page WHERE page MATCH 'w'") == 299)
            #expect(try Int.fetchOne(db, sql: "SELECT id FROM box WHERE x0 < 3") == 1)
            // AUTOINCREMENT continues.
            try db.execute(sql: "INSERT INTO parent (name) VALUES ('next')")
            #expect(db.lastInsertedRowID == 502)
        }
    }

    @Test(arguments: 0..<40)
    func randomSchemas(round: Int) throws {
        var random = SeededGenerator(UInt64(0x5A_00 + round))
        let size = [512, 1_024, 4_096].randomElement(using: &random)!
        let file = try DamageableFile(pragmas: "PRAGMA page_size = \(size)") { db in
            var schema = RandomSchema(random: random)
            for _ in 0..<Int.random(in: 1...5, using: &random) { try schema.addTable(db) }
            try schema.addObjects(db)
        }
        let original = try DatabaseQueue(path: file.path).read(DatabaseContent.init)
        let (report, content) = try file.salvage(DatabaseContent.init)
        // Statistics are new.
        for (table, rows) in original.rows where table != "sqlite_stat1" {
            #expect(content.rows[table] == rows, "\(table)")
        }
        #expect(content.schema == original.schema)
        #expect(report.isComplete, "\(report)")
    }

    /// What a write-ahead log has committed counts, and what it has not doesn't.
    @Test func writeAheadLog() throws {
        let file = try DamageableFile { try fillPlayers($0, count: 10) }
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        let pool = try DatabasePool(path: file.path, configuration: configuration)
        try pool.write { try $0.execute(sql: "DELETE FROM player WHERE id > 5; CREATE TABLE other (a)") }
        try pool.unsafeReentrantWrite { db in
            try db.execute(sql: "BEGIN; DELETE FROM player; PRAGMA cache_spill = 1; PRAGMA cache_size = 1")
            try db.execute(
                sql: """
                    INSERT INTO other WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
                    SELECT randomblob(300) FROM n
                    """)
            let (report, ids) = try file.salvage { db in
                #expect(try db.tableExists("other"))
                return try Int.fetchAll(db, sql: "SELECT id FROM player")
            }
            #expect(ids == [1, 2, 3, 4, 5])
            #expect(report.isComplete, "\(report)")
            try db.execute(sql: "ROLLBACK")
        }
        try pool.close()
    }

    /// The pages of a transaction that a crash has interrupted are those of its journal.
    @Test func rollbackJournal() throws {
        let file = try DamageableFile { try fillPlayers($0) }
        let queue = try DatabaseQueue(path: file.path)
        let copy = try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA cache_size = 1; BEGIN; UPDATE player SET name = 'torn', note = note || name")
            let copy = (try file.bytes, try Data(contentsOf: URL(fileURLWithPath: file.path + "-journal")))
            try db.execute(sql: "ROLLBACK")
            return copy
        }
        try queue.close()
        try file.write(copy.0)
        try copy.1.write(to: URL(fileURLWithPath: file.path + "-journal"))
        let (report, names) = try file.salvage { db in
            try expectTruePlayers(db)
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
        }
        #expect(names == 1_000)
        #expect(report.isComplete, "\(report)")
        #expect(FileManager.default.fileExists(atPath: file.path + "-journal"))
    }

    @Test func freePages() throws {
        let file = try DamageableFile { db in
            try fillPlayers(db)
            try db.execute(sql: "PRAGMA secure_delete = OFF; DELETE FROM player WHERE id BETWEEN 200 AND 400")
        }
        let (report, count) = try file.salvage { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") }
        #expect(count == 799)
        #expect(report.isComplete, "\(report)")
        let (all, lost) = try file.salvage(freePages: true) { db in
            try Int.fetchAll(
                db, sql: "SELECT DISTINCT id FROM lost_and_found WHERE nfield = 3 AND reason LIKE '%no table'")
        }
        #expect(all.lostTable == "lost_and_found")
        #expect(lost.contains { (200...400).contains($0) })
    }
}
