// The values of rows before and after each kind of change, compared with those that SQLite reads from the table.

import Foundation
import Rowan
import Testing

@Suite(.enabled(if: Database.supportsPreUpdateEvents))
struct PreUpdateEventTests {
    private func check(
        _ schema: String, _ sql: String, _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withDatabase { db in
            try db.execute(sql: schema)
            let changes = try db.rowChanges(sql)
            #expect(changes == expected, sourceLocation: sourceLocation)
        }
    }

    // MARK: Kinds

    @Test func kinds() throws {
        try check(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)",
            """
            INSERT INTO t VALUES (1, 'a', NULL), (2, 'b', 1.5);
            UPDATE t SET a = 'c' WHERE id = 1;
            UPDATE t SET b = b WHERE id = 2;
            DELETE FROM t WHERE id = 1;
            DELETE FROM t;
            """,
            [
                "insert t 1 [1, 'a', NULL]", "insert t 2 [2, 'b', 1.5]", "update t 1 [1, 'a', NULL] -> [1, 'c', NULL]",
                "update t 2 [2, 'b', 1.5] -> [2, 'b', 1.5]", "delete t 1 [1, 'c', NULL]", "delete t 2 [2, 'b', 1.5]",
            ])
    }

    @Test func properties() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE Thing(id INTEGER PRIMARY KEY, Name TEXT)")
            let log = PreUpdateLog()
            db.add(transactionObserver: log)
            try db.execute(sql: "INSERT INTO thing VALUES (1, 'a'); UPDATE thing SET id = 5, name = 'b'")
            try db.execute(sql: "DELETE FROM thing")
            let events = log.events
            #expect(events.map(\.kind) == [.insert, .update, .delete])
            #expect(events.map(\.initialRowID) == [nil, 1, 5])
            #expect(events.map(\.finalRowID) == [1, 5, nil])
            #expect(
                events.map(\.initialDatabaseValues) == [
                    nil, [1.databaseValue, "a".databaseValue], [5.databaseValue, "b".databaseValue],
                ])
            #expect(
                events.map(\.finalDatabaseValues) == [
                    [1.databaseValue, "a".databaseValue], [5.databaseValue, "b".databaseValue], nil,
                ])
            for event in events {
                #expect(event.databaseName == "main")
                #expect(event.tableName == "Thing")
                #expect(event.columnNames == ["id", "Name"])
                #expect(event.count == 2)
                #expect(event.depth == 0)
                #expect(event.copy() == event)
                for index in 0..<2 {
                    #expect(event.initialDatabaseValue(atIndex: index) == event.initialDatabaseValues?[index])
                    #expect(event.finalDatabaseValue(atIndex: index) == event.finalDatabaseValues?[index])
                }
            }
            #expect(Set(events).count == 3)
        }
    }

    // MARK: Values

    @Test func storageClasses() throws {
        let values: [DatabaseValue] = [
            .null, 1.databaseValue, Int64.min.databaseValue, Int64.max.databaseValue, 0.5.databaseValue,
            Double.infinity.databaseValue, "".databaseValue, "é\u{0}👩‍👩‍👧".databaseValue, Data().databaseValue,
            Data([0, 1, 0xFF]).databaseValue, String(repeating: "long", count: 10_000).databaseValue,
        ]
        for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
            try withDatabase { db in
                try db.execute(sql: "PRAGMA encoding = '\(encoding)'")
                try db.execute(sql: "CREATE TABLE t(x); CREATE TABLE w(k PRIMARY KEY, x) WITHOUT ROWID")
                let log = PreUpdateLog()
                db.add(transactionObserver: log)
                var previous = DatabaseValue.null
                try db.execute(sql: "INSERT INTO t VALUES (NULL); INSERT INTO w VALUES ('a', NULL)")
                for value in values {
                    _ = log.take()
                    try db.execute(sql: "UPDATE t SET x = ?", arguments: [value])
                    try db.execute(sql: "UPDATE w SET x = ?", arguments: [value])
                    let events = log.events
                    #expect(events.map(\.initialDatabaseValues?.last?.literal) == [previous.literal, previous.literal])
                    #expect(events.map(\.finalDatabaseValues?.last?.literal) == [value.literal, value.literal])
                    previous = value
                }
                try db.execute(sql: "DELETE FROM t")
                for value in values {
                    _ = log.take()
                    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
                    try db.execute(sql: "DELETE FROM t")
                    #expect(log.events.first?.finalDatabaseValues?.map(\.literal) == [value.literal])
                    #expect(log.events.last?.initialDatabaseValues?.map(\.literal) == [value.literal])
                }
            }
        }
    }

    /// The values are the stored ones, rather than those in the statement.
    @Test func affinities() throws {
        try check(
            "CREATE TABLE t(r REAL, i INTEGER, t TEXT, n NUMERIC, b)",
            """
            INSERT INTO t VALUES (1, '2', 3, '4.0', '5');
            UPDATE t SET r = '7', i = 8.0, t = 9.5, n = '1e2', b = 1;
            DELETE FROM t;
            """,
            [
                "insert t 1 [1.0, 2, '3', 4, '5']",
                "update t 1 [1.0, 2, '3', 4, '5'] -> [7.0, 8, '9.5', 100, 1]",
                "delete t 1 [7.0, 8, '9.5', 100, 1]",
            ])
    }

    @Test func primaryKeys() throws {
        try check(
            "CREATE TABLE t(a, id INTEGER PRIMARY KEY); INSERT INTO t VALUES ('a', 1), ('b', 2)",
            "UPDATE t SET id = 7 WHERE id = 1; UPDATE t SET rowid = 8, a = 'c' WHERE id = 7; UPDATE t SET id = -id",
            [
                "update t 1->7 ['a', 1] -> ['a', 7]", "update t 7->8 ['a', 7] -> ['c', 8]",
                "update t 2->-2 ['b', 2] -> ['b', -2]", "update t 8->-8 ['c', 8] -> ['c', -8]",
            ])
        try check(
            "CREATE TABLE t(a); CREATE TABLE u(id INTEGER PRIMARY KEY DESC); INSERT INTO u VALUES ('x')",
            "INSERT INTO t DEFAULT VALUES; UPDATE t SET rowid = 77; DELETE FROM t; UPDATE u SET id = 3",
            [
                "insert t 1 [NULL]", "update t 1->77 [NULL] -> [NULL]", "delete t 77 [NULL]", "update u 1 ['x'] -> [3]",
            ])
    }

    /// Rows older than a column have its default value.
    @Test func addedColumns() throws {
        try check(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a);
            INSERT INTO t VALUES (1, 'a'), (2, NULL), (3, 'c');
            ALTER TABLE t ADD COLUMN b;
            ALTER TABLE t ADD COLUMN c DEFAULT 'it''s';
            ALTER TABLE t ADD COLUMN d REAL NOT NULL DEFAULT 5;
            ALTER TABLE t ADD COLUMN e INTEGER DEFAULT '-6';
            ALTER TABLE t ADD COLUMN f TEXT DEFAULT -7.5;
            ALTER TABLE t ADD COLUMN g DEFAULT x'0102';
            ALTER TABLE t ADD COLUMN h DEFAULT word;
            INSERT INTO t VALUES (4, NULL, NULL, NULL, 1, NULL, NULL, NULL, NULL);
            """,
            """
            UPDATE t SET a = 'b' WHERE id = 1;
            DELETE FROM t WHERE id = 2;
            UPDATE t SET c = NULL WHERE id = 3;
            DELETE FROM t WHERE id >= 3;
            """,
            [
                "update t 1 [1, 'a', NULL, 'it's', 5.0, -6, '-7.5', x'0102', 'word'] -> "
                    + "[1, 'b', NULL, 'it's', 5.0, -6, '-7.5', x'0102', 'word']",
                "delete t 2 [2, NULL, NULL, 'it's', 5.0, -6, '-7.5', x'0102', 'word']",
                "update t 3 [3, 'c', NULL, 'it's', 5.0, -6, '-7.5', x'0102', 'word'] -> "
                    + "[3, 'c', NULL, NULL, 5.0, -6, '-7.5', x'0102', 'word']",
                "delete t 3 [3, 'c', NULL, NULL, 5.0, -6, '-7.5', x'0102', 'word']",
                "delete t 4 [4, NULL, NULL, NULL, 1.0, NULL, NULL, NULL, NULL]",
            ])
        try check(
            """
            CREATE TABLE w(a, k PRIMARY KEY) WITHOUT ROWID;
            INSERT INTO w VALUES (1, 'x');
            ALTER TABLE w ADD COLUMN b DEFAULT 2;
            """,
            "UPDATE w SET a = 3", ["update w [1, 'x', 2] -> [3, 'x', 2]"])
    }

    /// The columns are those of the schema when the statement runs, even if it was prepared earlier.
    @Test func changedSchemas() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")
            let log = PreUpdateLog()
            db.add(transactionObserver: log)
            let statement = try db.makeStatement(sql: "UPDATE t SET b = b + 1")
            try statement.execute()
            try db.execute(sql: "ALTER TABLE t ADD COLUMN c DEFAULT 9")
            try statement.execute()
            try db.execute(sql: "ALTER TABLE t DROP COLUMN a")
            try statement.execute()
            #expect(
                log.take() == [
                    "update t 1 [1, 2] -> [1, 3]", "update t 1 [1, 3, 9] -> [1, 4, 9]",
                    "update t 1 [4, 9] -> [5, 9]",
                ])
        }
    }

    /// Virtual generated columns have no values.
    @Test func generatedColumns() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE g(a, b AS (a + 1), id INTEGER PRIMARY KEY, d AS (a * 2) STORED, e REAL);
                    CREATE TABLE h(id INTEGER PRIMARY KEY, a, b AS (a + 1), d AS (a * 2) STORED, e REAL);
                    CREATE TABLE w(a, b AS (a + 1), c PRIMARY KEY, d AS (c * 2) STORED, e REAL) WITHOUT ROWID;
                    CREATE TABLE z(a, b AS (a + 1));
                    """)
            let log = PreUpdateLog()
            db.add(transactionObserver: log)
            try db.execute(sql: "INSERT INTO h(id, a, e) VALUES (1, 2, 3); UPDATE h SET a = 5; DELETE FROM h")
            #expect(log.events.first?.columnNames == ["id", "a", "d", "e"])
            #expect(
                log.take() == [
                    "insert h 1 [1, 2, 4, 3.0]", "update h 1 [1, 2, 4, 3.0] -> [1, 5, 10, 3.0]",
                    "delete h 1 [1, 5, 10, 3.0]",
                ])
            try db.execute(sql: "INSERT INTO w(a, c, e) VALUES (1, 2, 3); UPDATE w SET a = 5; UPDATE w SET c = 6")
            try db.execute(sql: "DELETE FROM w")
            #expect(log.events.first?.columnNames == ["a", "c", "d", "e"])
            #expect(
                log.take() == [
                    "insert w [1, 2, 4, 3.0]", "update w [1, 2, 4, 3.0] -> [5, 2, 4, 3.0]",
                    "update w [5, 2, 4, 3.0] -> [5, 6, 12, 3.0]", "delete w [5, 6, 12, 3.0]",
                ])
            try db.execute(sql: "INSERT INTO z(a) VALUES (1); UPDATE z SET a = 2")
            #expect(log.take() == ["insert z 1 [1]", "update z 1 [1] -> [2]"])
            // If SQLite mistakes another column for the rowid, there is no event.
            try db.execute(sql: "INSERT INTO g(a, id, e) VALUES (1, 2, 3)")
            let entries = log.take()
            #expect(entries.isEmpty || entries == ["insert g 2 [1, 2, 2, 3.0]"])
            if isSQLite(3_053_000) { #expect(!entries.isEmpty) }
        }
    }

    // MARK: Where SQLite reports no ordinary events

    @Test func tablesWithoutRowID() throws {
        try check(
            "CREATE TABLE w(a, b, c REAL, PRIMARY KEY(b, a)) WITHOUT ROWID",
            """
            INSERT INTO w VALUES (1, 2, 3), (4, 5, 6);
            UPDATE w SET c = 9 WHERE b = 2;
            UPDATE w SET b = 7 WHERE b = 2;
            REPLACE INTO w VALUES (4, 5, 8);
            INSERT INTO w VALUES (4, 5, 0) ON CONFLICT DO UPDATE SET c = 11;
            DELETE FROM w;
            """,
            [
                "insert w [1, 2, 3.0]", "insert w [4, 5, 6.0]", "update w [1, 2, 3.0] -> [1, 2, 9.0]",
                "update w [1, 2, 9.0] -> [1, 7, 9.0]", "delete w [4, 5, 6.0]", "insert w [4, 5, 8.0]",
                "update w [4, 5, 8.0] -> [4, 5, 11.0]", "delete w [4, 5, 11.0]", "delete w [1, 7, 9.0]",
            ])
    }

    /// If SQLite mistakes another column for a REAL one, there is no event.
    @Test func misreadColumns() throws {
        for schema in [
            "CREATE TABLE t(a, c REAL, b, PRIMARY KEY(b, a)) WITHOUT ROWID",
            "CREATE TABLE t(a, v REAL AS (a), b, c REAL)",
        ] {
            try withDatabase { db in
                try db.execute(sql: schema)
                let changes = try db.rowChanges(
                    "INSERT INTO t(a, b, c) VALUES (9007199254740993, 9007199254740993, 3); DELETE FROM t")
                #expect(changes.isEmpty != isSQLite(3_053_000))
                // The nearest double would be another value.
                #expect(changes.last?.contains("9007199254740992.0") != true, "\(changes)")
            }
        }
        try check(
            "CREATE TABLE t(a REAL, b TEXT, c REAL, PRIMARY KEY(c, b)) WITHOUT ROWID",
            "INSERT INTO t VALUES (1, 2, 3); UPDATE t SET a = 4",
            ["insert t [1.0, '2', 3.0]", "update t [1.0, '2', 3.0] -> [4.0, '2', 3.0]"])
    }

    @Test func replacedRows() throws {
        try check(
            "CREATE TABLE u(a UNIQUE, b UNIQUE); INSERT INTO u VALUES (1, 1), (2, 2), (3, 3)",
            "REPLACE INTO u VALUES (1, 2); UPDATE OR REPLACE u SET a = 1 WHERE b = 3",
            [
                "delete u 2 [2, 2]", "delete u 1 [1, 1]", "insert u 4 [1, 2]", "delete u 4 [1, 2]",
                "update u 3 [3, 3] -> [1, 3]",
            ])
        // With triggers and foreign keys, SQLite deletes row by row.
        try check(
            """
            PRAGMA recursive_triggers = 1;
            CREATE TABLE p(id INTEGER PRIMARY KEY, a);
            CREATE TABLE c(p REFERENCES p ON DELETE CASCADE);
            CREATE TABLE l(a);
            CREATE TRIGGER t AFTER DELETE ON p BEGIN INSERT INTO l VALUES (OLD.a); END;
            INSERT INTO p VALUES (1, 'a');
            INSERT INTO c VALUES (1);
            """,
            "REPLACE INTO p VALUES (1, 'b')",
            ["delete p 1 [1, 'a']", "delete c 1 [1] at 1", "insert l 1 ['a'] at 1", "insert p 1 [1, 'b']"])
        try check(
            "CREATE TABLE u(a UNIQUE ON CONFLICT IGNORE); INSERT INTO u VALUES (1)",
            "INSERT INTO u VALUES (1), (2); INSERT INTO u VALUES (2) ON CONFLICT DO UPDATE SET a = 5",
            ["insert u 2 [2]", "update u 2 [2] -> [5]"])
    }

    @Test func copiedTables() throws {
        try check(
            """
            CREATE TABLE a(x REAL, y); CREATE TABLE b(x REAL, y);
            CREATE TABLE v(x PRIMARY KEY) WITHOUT ROWID; CREATE TABLE w(x PRIMARY KEY) WITHOUT ROWID;
            INSERT INTO a VALUES (1, 2), (3, 4); INSERT INTO v VALUES ('a');
            """,
            "INSERT INTO b SELECT * FROM a; INSERT INTO w SELECT * FROM v; CREATE TABLE c AS SELECT * FROM a",
            ["insert b 1 [1.0, 2]", "insert b 2 [3.0, 4]", "insert w ['a']"])
    }

    // MARK: Triggers

    @Test func depths() throws {
        try check(
            """
            CREATE TABLE a(id INTEGER PRIMARY KEY);
            CREATE TABLE b(id INTEGER PRIMARY KEY, a REFERENCES a ON DELETE CASCADE ON UPDATE CASCADE);
            CREATE TABLE c(b REFERENCES b ON DELETE SET NULL);
            CREATE TABLE l(x);
            CREATE TRIGGER t AFTER UPDATE ON c BEGIN INSERT INTO l VALUES (OLD.b); END;
            INSERT INTO a VALUES (1); INSERT INTO b VALUES (10, 1); INSERT INTO c VALUES (10);
            """,
            "UPDATE a SET id = 2; DELETE FROM a",
            [
                "update a 1->2 [1] -> [2]", "update b 10 [10, 1] -> [10, 2] at 1", "delete a 2 [2]",
                "delete b 10 [10, 2] at 1", "update c 1 [10] -> [NULL] at 2", "insert l 1 [10] at 3",
            ])
    }

    @Test func views() throws {
        try check(
            """
            CREATE TABLE t(x); CREATE VIEW v AS SELECT x FROM t;
            CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (NEW.x); END;
            """,
            "INSERT INTO v VALUES (1)", ["insert t 1 [1] at 1"])
    }

    @Test func schemas() throws {
        try check(
            """
            ATTACH ':memory:' AS aux;
            CREATE TABLE t(x); CREATE TABLE aux.t(x, y); CREATE TEMP TABLE t(x, y, z);
            """,
            "INSERT INTO main.t VALUES (1); INSERT INTO aux.t VALUES (1, 2); INSERT INTO t VALUES (1, 2, 3)",
            ["insert t 1 [1]", "insert aux.t 1 [1, 2]", "insert temp.t 1 [1, 2, 3]"])
    }

    /// SQLite's internal changes are not reported.
    @Test func internalChanges() throws {
        try check(
            "CREATE VIRTUAL TABLE d USING fts5(a); CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a)",
            """
            INSERT INTO d VALUES ('word'); INSERT INTO t(a) VALUES (1); ALTER TABLE t DROP COLUMN a; ANALYZE;
            CREATE INDEX i ON t(id); DROP TABLE t; DROP TABLE d;
            """,
            ["insert t 1 [1, 1]"])
    }
}
