// Names that aren't UTF-8, which SQL text can't contain: other programs may create them.

import RowanSQLite
import Foundation
import Rowan
import Testing

struct UnreadableNameTests {
    /// Runs SQL in Latin-1.
    private func execute(_ sql: String, _ db: Database) throws {
        var bytes = try #require(sql.data(using: .isoLatin1)).map { CChar(bitPattern: $0) }
        bytes.append(0)
        #expect(sqlite3_exec(db.sqliteConnection, bytes, nil, nil, nil) == SQLITE_OK, "\(db.lastErrorMessage ?? "")")
    }

    private func check(_ schema: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try withDatabase { db throws in
            try execute(schema, db)
            let script = try dumped { try db.dumpScript(to: $0) }
            for isInTransaction in [true, false] {
                let queue = try DatabaseQueue()
                if isInTransaction {
                    try queue.write { try $0.execute(sql: script) }
                } else {
                    try queue.writeWithoutTransaction { try $0.execute(sql: script) }
                }
                try queue.read { restored throws in
                    let sql = """
                        SELECT type, hex(name), hex(tbl_name), hex(sql), rootpage = 0 FROM sqlite_master
                        ORDER BY type, hex(name)
                        """
                    let expected = try Row.fetchAll(db, sql: sql)
                    #expect(
                        try Row.fetchAll(restored, sql: sql) == expected, "\(script)", sourceLocation: sourceLocation)
                    // The same rows, too. Virtual tables are created last.
                    let second = try dumped { try restored.dumpScript(to: $0) }
                    #expect(
                        second.split(separator: "\n").sorted() == script.split(separator: "\n").sorted(),
                        sourceLocation: sourceLocation)
                    #expect(try restored.integrityCheck() == [], sourceLocation: sourceLocation)
                }
            }
        }
    }

    @Test func tables() throws {
        try check(
            """
            CREATE TABLE "café" (id INTEGER PRIMARY KEY, "prénom" TEXT UNIQUE DEFAULT 'é');
            INSERT INTO "café" VALUES (1, 'a'), (3, 'é'), (7, NULL);
            CREATE TABLE plain (a, é);
            INSERT INTO plain(rowid, a, é) VALUES (5, 1, 2), (9, x'00', 1.5);
            CREATE TABLE "ê" (a, "rowid", "î", PRIMARY KEY (a, "î")) WITHOUT ROWID;
            INSERT INTO "ê" VALUES (1, 2, 3);
            CREATE TABLE "ë" (id INTEGER PRIMARY KEY AUTOINCREMENT, b AS (id + 1), c DEFAULT 'é');
            INSERT INTO "ë"(id) VALUES (4), (8); DELETE FROM "ë" WHERE id = 8;
            CREATE TABLE child (a REFERENCES "café"(id));
            INSERT INTO child VALUES (3);
            CREATE TABLE usual (a DEFAULT 'naïve' CHECK (a <> 'é'));
            INSERT INTO usual VALUES (1)
            """)
    }

    @Test func otherObjects() throws {
        try check(
            """
            CREATE TABLE "t é" (a, "b é");
            INSERT INTO "t é" VALUES (1, 2);
            CREATE INDEX "i é" ON "t é"("b é");
            CREATE UNIQUE INDEX u ON "t é"(a, "b é");
            CREATE VIEW "v é" AS SELECT "b é" FROM "t é" WHERE 'é' <> '';
            CREATE TRIGGER r AFTER INSERT ON "t é" BEGIN SELECT 'é'; END;
            CREATE VIRTUAL TABLE "d é" USING fts5(body);
            INSERT INTO "d é" VALUES ('one');
            CREATE TABLE "\u{00EE}\u{0080}\u{00A9}" (a)
            """)
    }
}
