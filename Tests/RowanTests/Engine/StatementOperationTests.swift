// The operations and tables of statements, as reported by SQLite's compiler.

import Testing

@testable import Rowan

struct StatementOperationTests {
    @Test(
        "Operation and table",
        arguments: [
            ("SELECT * FROM a", "SELECT", "a"), ("SELECT COUNT(*) FROM a", "SELECT", "a"), ("SELECT 1", "SELECT", nil),
            ("SELECT * FROM a, b", "SELECT", nil), ("SELECT * FROM v", "SELECT", "v"),
            // If no columns are read, SQLite reports the table behind the view.
            ("SELECT COUNT(*) FROM v", "SELECT", "a"),
            ("SELECT a.x FROM a WHERE x IN (SELECT x FROM a)", "SELECT", "a"),
            ("/* UPDATE */ WITH t AS (SELECT 1) SELECT * FROM a", "SELECT", "a"),
            ("WITH t AS (SELECT 1) INSERT INTO a (x) SELECT * FROM t", "INSERT", "a"),
            ("INSERT INTO a SELECT * FROM b", "INSERT", "a"), ("REPLACE INTO a VALUES (1)", "INSERT", "a"),
            ("INSERT INTO u VALUES (1) ON CONFLICT (x) DO UPDATE SET x = 2", "INSERT", "u"),
            ("UPDATE a SET x = (SELECT MAX(x) FROM b)", "UPDATE", "a"), ("DELETE FROM a WHERE x = 1", "DELETE", "a"),
            ("DELETE FROM a", "DELETE", "a"), ("INSERT INTO logged VALUES (1)", "INSERT", "logged"),
            ("UPDATE logged SET x = 1", "UPDATE", "logged"), ("DELETE FROM parent", "DELETE", "parent"),
            ("INSERT INTO v VALUES (1)", "INSERT", "v"), ("CREATE TABLE c(x)", "CREATE TABLE", "c"),
            ("CREATE TABLE c AS SELECT * FROM a", "CREATE TABLE", "c"), ("CREATE INDEX i ON a(x)", "CREATE INDEX", "i"),
            ("CREATE TEMP VIEW w AS SELECT 1", "CREATE VIEW", "w"),
            ("CREATE VIRTUAL TABLE f USING fts5(x)", "CREATE VIRTUAL TABLE", "f"), ("DROP TABLE a", "DROP TABLE", "a"),
            ("ALTER TABLE a ADD COLUMN y", "ALTER TABLE", "a"), ("PRAGMA user_version", "PRAGMA", nil),
            ("PRAGMA table_info(a)", "PRAGMA", nil), ("BEGIN", "BEGIN", nil), ("COMMIT", "COMMIT", nil),
            ("ROLLBACK", "ROLLBACK", nil), ("SAVEPOINT s", "SAVEPOINT", nil), ("RELEASE s", "RELEASE", nil),
            ("ROLLBACK TO s", "ROLLBACK TO", nil), ("ATTACH ':memory:' AS m", "ATTACH", nil),
            ("DETACH m", "DETACH", nil), ("ANALYZE", "ANALYZE", nil), ("REINDEX a", "REINDEX", nil),
            ("VACUUM", "_OTHER", nil),
        ] as [(String, String, String?)])
    func operation(sql: String, operation: String, table: String?) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE u(x UNIQUE); CREATE INDEX ax ON a(x);
                    CREATE VIEW v AS SELECT * FROM a;
                    CREATE TRIGGER vi INSTEAD OF INSERT ON v BEGIN INSERT INTO b VALUES (1); END;
                    CREATE TABLE logged(x); CREATE TABLE log(x);
                    CREATE TRIGGER li BEFORE INSERT ON logged BEGIN DELETE FROM log; END;
                    CREATE TRIGGER lu BEFORE UPDATE ON logged BEGIN INSERT INTO log SELECT x FROM b; END;
                    CREATE TABLE parent(id INTEGER PRIMARY KEY);
                    CREATE TABLE child(p REFERENCES parent ON DELETE CASCADE);
                    """)
            let profile = try db.makeStatement(sql: sql).profile
            #expect(profile.operation == operation)
            #expect(profile.tableName == table)
        }
    }
}
