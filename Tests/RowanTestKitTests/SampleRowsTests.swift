// Rows that are made from a schema.

import Foundation
import Rowan
import RowanTestKit
import Testing

/// Schemas whose tables all get rows.
private let schemas = [
    // Types and names.
    """
    CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, size REAL, flag BOOLEAN, price DECIMAL(10, 2), raw BLOB, x,
        createdAt DATETIME, day DATE, time TIME, updated_at INTEGER, json TEXT, uuid BLOB, guid TEXT, isOpen INTEGER);
    CREATE TABLE noKey (a); CREATE TABLE textKey (code TEXT PRIMARY KEY); CREATE TABLE "odd ""name" ("a ""b" TEXT, "select");
    CREATE TABLE auto (id INTEGER PRIMARY KEY AUTOINCREMENT, a NOT NULL); CREATE TABLE uuids (id BLOB PRIMARY KEY, uuid UNIQUE)
    """,
    // Keys.
    """
    CREATE TABLE pair (a TEXT, b INTEGER, c, PRIMARY KEY (b, a)) WITHOUT ROWID;
    CREATE TABLE child (id TEXT PRIMARY KEY, a TEXT, b INTEGER, FOREIGN KEY (b, a) REFERENCES pair) WITHOUT ROWID;
    CREATE TABLE strictly (i INT, j INTEGER NOT NULL, r REAL, t TEXT, b BLOB, a ANY) STRICT;
    CREATE TABLE uniques (a TEXT UNIQUE, b INTEGER NOT NULL UNIQUE, c TEXT COLLATE NOCASE UNIQUE, flag BOOLEAN);
    CREATE UNIQUE INDEX i ON uniques (a, flag); CREATE UNIQUE INDEX lowered ON uniques (lower(a)) WHERE flag
    """,
    // Generated columns, defaults, conflict clauses.
    """
    CREATE TABLE g (a INTEGER, b AS (a * 2), c TEXT AS (a || 'x') STORED NOT NULL, d TEXT DEFAULT 'd' NOT NULL ON CONFLICT REPLACE,
        e INTEGER UNIQUE ON CONFLICT REPLACE, f INTEGER CHECK (f <> 2) , UNIQUE (a, e) ON CONFLICT IGNORE);
    CREATE TABLE document (id INTEGER PRIMARY KEY, body TEXT, title TEXT AS (json_extract(body, '$.text')));
    CREATE INDEX title ON document (json_extract(body, '$.text'))
    """,
    // Children before parents, self references, cycles.
    """
    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author(id), seriesId REFERENCES series);
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE series (id INTEGER PRIMARY KEY);
    CREATE TABLE tag (bookId NOT NULL REFERENCES book, word TEXT, PRIMARY KEY (bookId, word)) WITHOUT ROWID;
    CREATE TABLE profile (id INTEGER PRIMARY KEY REFERENCES author(id), text TEXT);
    CREATE TABLE tree (id INTEGER PRIMARY KEY, parentId REFERENCES tree);
    CREATE TABLE chain (id INTEGER PRIMARY KEY, nextId INTEGER NOT NULL REFERENCES chain);
    CREATE TABLE hen (id INTEGER PRIMARY KEY, eggId REFERENCES egg); CREATE TABLE egg (id INTEGER PRIMARY KEY, henId NOT NULL REFERENCES hen);
    CREATE TABLE left (id INTEGER PRIMARY KEY, rightId NOT NULL REFERENCES right(id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE right (id INTEGER PRIMARY KEY, leftId NOT NULL REFERENCES left(id) DEFERRABLE INITIALLY DEFERRED)
    """,
    // Foreign keys that share columns.
    """
    CREATE TABLE tenant (id TEXT PRIMARY KEY);
    CREATE TABLE team (tenant TEXT NOT NULL REFERENCES tenant, id INTEGER, leader INTEGER, PRIMARY KEY (tenant, id),
        FOREIGN KEY (tenant, leader) REFERENCES member(tenant, id));
    CREATE TABLE member (tenant TEXT NOT NULL REFERENCES tenant, id INTEGER, team INTEGER, boss INTEGER, PRIMARY KEY (tenant, id),
        FOREIGN KEY (tenant, team) REFERENCES team(tenant, id), FOREIGN KEY (tenant, boss) REFERENCES member(tenant, id))
    """,
    // Checks.
    """
    CREATE TABLE c1 (status TEXT NOT NULL CHECK (status IN ('open', 'closed')), age INTEGER CHECK (age BETWEEN 18 AND 120),
        code TEXT NOT NULL UNIQUE CONSTRAINT codes CHECK (length(code) = 3 AND code = upper(code)), share REAL CHECK (share > 0 AND share < 1));
    CREATE TABLE c2 (starts TEXT NOT NULL, ends TEXT NOT NULL, CONSTRAINT period CHECK (starts < ends));
    CREATE TABLE c3 (a, b, c, CHECK ((a IS NULL) + (b IS NULL) + (c IS NULL) = 2));
    CREATE TABLE c4 (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL);
    CREATE TABLE c5 (email TEXT NOT NULL CHECK (email LIKE '%_@_%.__%'), plate TEXT CHECK (plate GLOB '[A-Z][A-Z]-[0-9]*'),
        zip TEXT CHECK (length(zip) = 5 AND zip NOT GLOB '*[^0-9]*'), data TEXT NOT NULL CHECK (json_type(data) = 'array'),
        hash BLOB NOT NULL CHECK (typeof(hash) = 'blob' AND length(hash) = 32), even INTEGER NOT NULL CHECK (even % 2 = 0));
    CREATE TABLE c6 (kind TEXT NOT NULL CHECK (kind IN ('card', 'cash')), number TEXT,
        CHECK ((kind = 'card' AND number IS NOT NULL) OR (kind = 'cash' AND number IS NULL)));
    CREATE TABLE c7 (quantity INTEGER NOT NULL CHECK (quantity > 0), price INTEGER NOT NULL CHECK (price >= 0), total INTEGER NOT NULL,
        CHECK (total = quantity * price));
    CREATE TABLE c8 (updated TEXT NOT NULL CHECK (updated IS datetime(updated)), offset INTEGER NOT NULL CHECK (offset BETWEEN -720 AND -60),
        dayAt TEXT NOT NULL CHECK (date(dayAt) = dayAt), isoAt TEXT NOT NULL CHECK (isoAt GLOB '????-??-??T*Z' AND julianday(isoAt) > 0))
    """,
    // Triggers.
    """
    CREATE TABLE item (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, count INTEGER);
    CREATE TABLE log (id INTEGER PRIMARY KEY, text TEXT);
    CREATE TRIGGER logged AFTER INSERT ON item BEGIN INSERT INTO log (text) VALUES ('item ' || new.id); END;
    CREATE TRIGGER checked BEFORE INSERT ON item WHEN new.kind <> 'good' BEGIN SELECT RAISE(ABORT, 'not good'); END;
    CREATE TABLE quiet (a INTEGER NOT NULL);
    CREATE TRIGGER ignored BEFORE INSERT ON quiet WHEN new.a <> 77 BEGIN SELECT RAISE(IGNORE); END;
    CREATE VIEW items AS SELECT * FROM item
    """,
    // Full-text tables.
    """
    CREATE TABLE article (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT);
    CREATE VIRTUAL TABLE words USING fts5(title, body, content='article', content_rowid='id');
    CREATE VIRTUAL TABLE own USING fts5(text, extra UNINDEXED); CREATE VIRTUAL TABLE contentless USING fts5(text, content='');
    CREATE VIRTUAL TABLE synchronized USING fts5(title);
    CREATE TRIGGER synchronize AFTER INSERT ON article BEGIN INSERT INTO synchronized (rowid, title) VALUES (new.id, new.title); END;
    CREATE VIRTUAL TABLE old USING fts4(text)
    """,
]

@Suite("Sample rows")
struct SampleRowsTests {
    private func queue(_ schema: String, foreignKeys: Bool = true) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = foreignKeys
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { try $0.execute(sql: schema) }
        return queue
    }

    private func script(_ db: Database) throws -> String {
        final class Script: TextOutputStream {
            var text = ""
            func write(_ string: String) { text += string }
        }
        let script = Script()
        try db.dumpScript(to: script)
        return script.text
    }

    /// The values of the only column of a query.
    private func values(_ queue: DatabaseQueue, _ sql: String) throws -> [DatabaseValue] {
        try queue.read { try DatabaseValue.fetchAll($0, sql: sql) }
    }

    @Test("Each table gets rows, which satisfy all constraints", arguments: schemas, [true, false])
    func tables(schema: String, foreignKeys: Bool) throws {
        let queues = try (0..<2).map { _ in try queue(schema, foreignKeys: foreignKeys) }
        for queue in queues { try queue.write { try $0.insertSampleRows() } }
        try queues[0].read { db throws in
            for table in try db.tables(in: "main") {
                let count =
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table.name.quotedDatabaseIdentifier)") ?? 0
                // A check of `c4` allows one row, and `c3` needs no unique value.
                #expect(count >= (table.name == "c4" ? 1 : 2), "\(table.name)")
            }
            try db.checkForeignKeys()
            #expect(try db.integrityCheck() == [])
            #expect(try script(db) == queues[1].read(script))
        }
    }

    @Test("Values are those that migrations break") func usualValues() throws {
        let queue = try queue(schemas[0])
        try queue.write { try $0.insertSampleRows() }
        let names = try values(queue, "SELECT name FROM a")
        #expect(names.count == 10 && names.contains(.null) && names.contains("".databaseValue))
        #expect(try values(queue, "SELECT max(length(name)) >= 1000 FROM a") == [1.databaseValue])
        #expect(try values(queue, "SELECT min(id) < 0 AND max(id) > 9007199254740992 FROM a") == [1.databaseValue])
        #expect(try values(queue, "SELECT min(size) < 0 AND max(size) = 1e300 FROM a") == [1.databaseValue])
        #expect(
            try values(queue, "SELECT DISTINCT flag FROM a ORDER BY 1") == [.null, 0.databaseValue, 1.databaseValue])
        #expect(try values(queue, "SELECT DISTINCT typeof(x) FROM a").count == 5)
        #expect(
            try values(queue, "SELECT count(*) FROM a WHERE createdAt IS NOT strftime('%Y-%m-%d %H:%M:%f', createdAt)")
                == [0.databaseValue])
        #expect(try values(queue, "SELECT min(day), max(day) FROM a") == ["1969-12-31".databaseValue])
        #expect(try values(queue, "SELECT max(updated_at) FROM a") == [253_402_300_799.databaseValue])
        #expect(
            try values(queue, "SELECT DISTINCT json_valid(json) FROM a WHERE json IS NOT NULL") == [1.databaseValue])
        #expect(try values(queue, "SELECT DISTINCT length(uuid) FROM a ORDER BY 1") == [.null, 16.databaseValue])
        #expect(try values(queue, "SELECT DISTINCT length(guid) FROM a ORDER BY 1") == [.null, 36.databaseValue])
        #expect(try values(queue, "SELECT DISTINCT isOpen FROM a ORDER BY 1").count == 3)
    }

    @Test("Parents have children, and cycles are closed") func foreignKeys() throws {
        let queue = try queue(schemas[3])
        try queue.write { try $0.insertSampleRows() }
        for (child, parent) in [("book.authorId", "author"), ("book.seriesId", "series"), ("tag.bookId", "book")] {
            let table = child.split(separator: ".")[0]
            #expect(
                try values(
                    queue,
                    "SELECT count(*) FROM \(parent) WHERE id NOT IN (SELECT \(child) FROM \(table) WHERE \(child) IS NOT NULL)"
                )
                    == [(child == "book.seriesId" ? 2 : 0).databaseValue], "\(child)")
        }
        for column in ["book.seriesId", "tree.parentId", "hen.eggId"] {
            let table = column.split(separator: ".")[0]
            let sql = "SELECT count(*) > 0 FROM \(table) WHERE \(column) IS"
            #expect(try values(queue, "\(sql) NULL") == [1.databaseValue], "\(column)")
            #expect(try values(queue, "\(sql) NOT NULL") == [1.databaseValue], "\(column)")
        }
        #expect(try values(queue, "SELECT count(DISTINCT rightId) > 1 FROM left") == [1.databaseValue])
    }

    @Test("Checks get each of the values that they list") func checks() throws {
        let queue = try queue(schemas[5])
        try queue.write { try $0.insertSampleRows() }
        #expect(try values(queue, "SELECT DISTINCT status FROM c1 ORDER BY 1").count == 2)
        #expect(try values(queue, "SELECT DISTINCT kind FROM c6 ORDER BY 1").count == 2)
        #expect(try values(queue, "SELECT count(DISTINCT code) > 5 FROM c1") == [1.databaseValue])
    }

    @Test("A table that no row fits is named, and the program gives its rows") func unsatisfiable() throws {
        let schema = """
            CREATE TABLE hard (a TEXT NOT NULL, CONSTRAINT secret CHECK (a || a || a = 'xyzxyzxyz'));
            CREATE TABLE child (hardRow INTEGER NOT NULL REFERENCES hard(rowID)); DROP TABLE child;
            CREATE TABLE easy (a); CREATE TABLE key (k TEXT PRIMARY KEY CHECK (k || k = 'qq!qq!'));
            CREATE TABLE dependent (k NOT NULL REFERENCES key)
            """
        let queue = try queue(schema)
        let error = #expect(throws: SampleRowsError.self) { try queue.write { try $0.insertSampleRows() } }
        try queue.write { db throws in
            #expect(throws: SampleRowsError.self) { try db.insertSampleRows() }
            #expect(try Bool.fetchOne(db, sql: "PRAGMA defer_foreign_keys") == false)
        }
        #expect(
            error?.description == """
                no sample row fits table hard (CHECK constraint failed: secret), table key (CHECK constraint failed: \
                k || k = 'qq!qq!'), table dependent (it needs a row of key): insert a row first, then call \
                insertSampleRows()
                """)
        #expect(error?.reasons.map(\.table) == ["hard", "key", "dependent"])
        #expect(try values(queue, "SELECT count(*) FROM easy") == [0.databaseValue])
        try queue.write { db in
            try db.execute(sql: "INSERT INTO hard VALUES ('xyz'); INSERT INTO key VALUES ('qq!')")
            try db.insertSampleRows(except: ["EASY"])
        }
        #expect(try values(queue, "SELECT count(*) > 5 FROM dependent") == [1.databaseValue])
        #expect(try values(queue, "SELECT count(*) FROM easy") == [0.databaseValue])
        #expect(try values(queue, "SELECT count(*) FROM hard") == [1.databaseValue])
    }

    @Test("Triggers keep their rows, and text is indexed") func triggersAndText() throws {
        let triggers = try queue(schemas[6])
        try triggers.write { try $0.insertSampleRows() }
        #expect(
            try values(triggers, "SELECT count(*) FROM log WHERE text LIKE 'item %'")
                == values(triggers, "SELECT count(*) FROM item"))
        #expect(try values(triggers, "SELECT DISTINCT kind FROM item") == ["good".databaseValue])
        let texts = try queue(schemas[7])
        try texts.write { try $0.insertSampleRows() }
        #expect(try values(texts, "SELECT count(*) > 2 FROM words WHERE words MATCH 'title'") == [1.databaseValue])
        #expect(
            try values(texts, "SELECT count(*) FROM synchronized") == values(texts, "SELECT count(*) FROM article"))
        for table in ["own", "contentless", "old"] {
            #expect(
                try values(texts, "SELECT count(*) > 0 FROM \(table) WHERE \(table) MATCH 'text'") == [1.databaseValue])
        }
    }

    /// A transaction that was rolled back is no reason to insert the next row outside of it.
    @Test func triggersThatRollBack() throws {
        let queue = try queue(
            """
            CREATE TABLE t (a INTEGER);
            CREATE TRIGGER r BEFORE INSERT ON t BEGIN SELECT RAISE(ROLLBACK, 'no'); END; CREATE TABLE u (a)
            """)
        #expect(throws: DatabaseError.self) { try queue.write { try $0.insertSampleRows() } }
        #expect(try values(queue, "SELECT count(*) FROM u") == [0.databaseValue])
    }
}
