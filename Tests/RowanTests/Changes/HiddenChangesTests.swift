// Changes that SQLite's update hook does not report completely: the table is reported as a whole.

import Rowan
import Testing

@Suite
struct HiddenChangesTests {
    private static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE);
        INSERT INTO player VALUES (1, 'Arthur', 'a'), (2, 'Barbara', 'b'), (3, 'Craig', 'c');
        CREATE TABLE setting (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
        INSERT INTO setting VALUES ('x', 1), ('y', 2);
        CREATE TABLE tag (name TEXT UNIQUE ON CONFLICT REPLACE, note);
        INSERT INTO tag VALUES ('red', 1), ('blue', 2);
        CREATE TABLE odd (id INTEGER PRIMARY KEY, rowid);
        INSERT INTO odd VALUES (1, 5);
        CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, x UNIQUE);
        """

    private func check(_ expected: String, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let changes = try db.changes(sql)
            #expect(changes == expected, sourceLocation: sourceLocation)
        }
    }

    private func expectNotice(
        _ query: String, _ sql: String, _ isNoticed: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let notices = try db.notices(query, sql)
            #expect(notices == isNoticed, sourceLocation: sourceLocation)
        }
    }

    // MARK: Counters

    /// The counters of AUTOINCREMENT tables are themselves rows of a table.
    @Test func autoincrement() throws {
        let query = "SELECT seq FROM sqlite_sequence WHERE name = 'counted'"
        try expectNotice(query, "INSERT INTO counted (x) VALUES (1)")
        try expectNotice(query, "INSERT OR IGNORE INTO counted (x) SELECT NULL WHERE 0", false)
        try expectNotice(query, "INSERT INTO player (name) VALUES ('D')", false)
        try expectNotice(query, "INSERT INTO main.COUNTED (x) VALUES (1)")
        try expectNotice(
            query,
            """
            CREATE TEMP TRIGGER t AFTER INSERT ON player BEGIN INSERT INTO counted (x) VALUES (new.id); END;
            INSERT INTO player (name) VALUES ('D')
            """)
        try expectNotice("SELECT x FROM counted", "INSERT INTO counted (x) VALUES (1)")
    }

    // MARK: WITHOUT ROWID

    @Test func tablesWithoutRowID() throws {
        try check("setting(*)", "INSERT INTO setting VALUES ('z', 3)")
        try check("setting(value)", "UPDATE setting SET value = 3 WHERE key = 'x'")
        try check("setting(*)", "DELETE FROM setting WHERE key = 'x'")
        try check("setting(*)", "DELETE FROM setting")
        try check("", "DELETE FROM setting WHERE key = 'unknown'")
        try check("", "UPDATE setting SET value = 3 WHERE key = 'unknown'")
        try check("setting(*)", "INSERT INTO setting VALUES ('x', 3) ON CONFLICT DO UPDATE SET value = 4")
    }

    /// Unchanged columns are not reported.
    @Test func columnsOfTablesWithoutRowID() throws {
        try expectNotice("SELECT key FROM setting", "UPDATE setting SET value = 3", false)
        try expectNotice("SELECT value FROM setting", "UPDATE setting SET value = 3")
        try expectNotice("SELECT COUNT(*) FROM setting", "DELETE FROM setting")
    }

    /// SQLite counts a statement's changes when it finishes, possibly after its first row.
    @Test func returnedRows() throws {
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let log = ChangeLog()
            try db.subscribe(log)
            try db.inTransaction {
                let key = try String.fetchOne(db, sql: "INSERT INTO setting VALUES ('z', 3) RETURNING key")
                #expect(key == "z")
                return .commit
            }
            #expect(log.take() == "setting(*)")
            let keys = try String.fetchAll(db, sql: "DELETE FROM setting RETURNING key")
            #expect(keys == ["x", "y", "z"])
            #expect(log.take() == "setting(*)")
            let cursor = try String.fetchCursor(
                db, sql: "REPLACE INTO tag VALUES ('red', 3), ('blue', 4) RETURNING name")
            let name = try cursor.next()
            #expect(name == "red")
            #expect(log.take() == "")
            let next = try cursor.next()
            #expect(next == "blue")
            let end = try cursor.next()
            #expect(end == nil)
            #expect(log.take() == "tag(*) | insert tag 3, insert tag 4")
        }
    }

    /// A statement that fails with FAIL keeps the changes before the failure.
    @Test func failures() throws {
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let log = ChangeLog()
            try db.subscribe(log)
            try db.inTransaction {
                expectError(.SQLITE_CONSTRAINT) {
                    try db.execute(sql: "INSERT OR FAIL INTO setting VALUES ('w', 1), ('x', 1)")
                }
                return .commit
            }
            #expect(log.take() == "setting(*)")
            expectError(.SQLITE_CONSTRAINT) {
                try db.execute(sql: "INSERT OR FAIL INTO setting VALUES ('v', 1), ('x', 1)")
            }
            #expect(log.take() == "setting(*)")
            expectError(.SQLITE_CONSTRAINT) {
                try db.execute(sql: "INSERT OR FAIL INTO player VALUES (4, 'd', 'd'), (1, 'e', 'e')")
            }
            #expect(log.take() == "insert player 4")
            let keys = try String.fetchAll(db, sql: "SELECT key FROM setting UNION ALL SELECT id FROM player")
            #expect(keys == ["v", "w", "x", "y", "1", "2", "3", "4"])
            // ABORT undoes the statement.
            expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO setting VALUES ('u', 1), ('x', 1)") }
            #expect(log.take() == "")
            // A trigger fails as well.
            try db.execute(
                sql: """
                    CREATE TRIGGER refuse AFTER INSERT ON setting WHEN NEW.key = 'no'
                    BEGIN SELECT RAISE(FAIL, 'no'); END
                    """)
            _ = log.take()
            expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO setting VALUES ('s', 1), ('no', 1)") }
            #expect(log.take() == "setting(*)")
        }
    }

    // MARK: REPLACE

    @Test func replacements() throws {
        try check("player(*) | insert player 4", "INSERT OR REPLACE INTO player VALUES (4, 'D', 'a')")
        try check("player(*) | update player 1", "UPDATE OR REPLACE player SET email = 'b' WHERE id = 1")
        try check("tag(*) | insert tag 3", "INSERT INTO tag VALUES ('red', 3)")
        try check("tag(*) | update tag 1", "UPDATE tag SET name = 'blue' WHERE name = 'red'")
        try check("insert player 4", "INSERT INTO player VALUES (4, 'D', 'd')")
    }

    /// A replaced row is deleted: all columns change.
    @Test func columnsOfReplacedRows() throws {
        for sql in [
            "UPDATE OR REPLACE player SET email = 'b' WHERE id = 1", "REPLACE INTO player VALUES (4, 'D', 'a')",
        ] {
            try expectNotice("SELECT name FROM player", sql)
            try expectNotice("SELECT COUNT(*) FROM player", sql)
        }
        try expectNotice("SELECT note FROM tag", "UPDATE tag SET name = 'blue' WHERE name = 'red'")
        try expectNotice("SELECT name FROM player", "UPDATE player SET email = 'z' WHERE id = 1", false)
    }

    /// An observer of deletions receives replaced rows.
    @Test func observersOfDeletions() throws {
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let log = ObserverLog { if case .delete("player") = $0 { true } else { false } }
            let entries = try db.observing(log) {
                try db.execute(sql: "REPLACE INTO player VALUES (4, 'D', 'a')")
                try db.execute(sql: "INSERT INTO player VALUES (5, 'E', 'e')")
            }
            #expect(entries == ["willCommit", "change", "didCommit", "willCommit", "didCommit"])
        }
    }

    /// A trigger replaces rows of another table, and so does one hidden from LIKE by an earlier pragma.
    @Test func replacingTriggers() throws {
        for setup in ["", "PRAGMA case_sensitive_like = ON;"] {
            try withDatabase { db in
                try db.execute(sql: setup + Self.schema)
                try db.execute(
                    sql: """
                        CREATE TRIGGER rename AFTER UPDATE OF name ON player
                        BEGIN INSERT OR REPLACE INTO tag VALUES ('red', NEW.name); END;
                        """)
                let changes = try db.changes("UPDATE player SET name = 'Z' WHERE id = 1")
                #expect(changes == "player(*),tag(*) | update player 1, insert tag 3")
                let tags = try db.changes("INSERT INTO tag VALUES ('blue', 3)")
                #expect(tags == "tag(*) | insert tag 4")
            }
        }
    }

    // MARK: Rowids

    @Test func changedRowIDs() throws {
        try check("player(id,rowid) | update player 9", "UPDATE player SET id = 9 WHERE id = 1")
        // The table replaces rows, so all its columns are reported.
        try check("tag(*) | update tag 9", "UPDATE tag SET rowid = 9 WHERE name = 'red'")
        for name in ["rowid", "oid", "_ROWID_"] {
            try expectNotice("SELECT name FROM player WHERE id = 1", "UPDATE player SET \(name) = 9 WHERE id = 1")
            try expectNotice("SELECT rowid FROM tag", "UPDATE tag SET \(name) = 9 WHERE rowid = 1")
        }
        try expectNotice("SELECT name FROM player WHERE oid = 1", "UPDATE player SET id = 9 WHERE id = 1")
        // A column hides the rowid.
        try expectNotice("SELECT rowid FROM odd WHERE id = 1", "UPDATE odd SET oid = 9 WHERE id = 1")
    }

    // MARK: Virtual tables

    @Test func fullTextTables() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE doc USING fts5(title, body);
                    INSERT INTO doc VALUES ('a', 'one'), ('b', 'two');
                    """)
            for sql in [
                "INSERT INTO doc VALUES ('c', 'three')", "UPDATE doc SET title = 'z' WHERE rowid = 1",
                "DELETE FROM doc WHERE rowid = 2", "INSERT INTO doc(doc) VALUES ('rebuild')", "DELETE FROM doc",
            ] {
                let changes = try db.changes(sql)
                #expect(changes == "doc(*)", "\(sql)")
            }
            let nothing = try db.changes("DELETE FROM doc")
            #expect(nothing == "")
            try db.execute(sql: "INSERT INTO doc VALUES ('a', 'one'), ('b', 'two')")
            // The hidden columns depend on all others.
            for query in [
                "SELECT rowid FROM doc WHERE doc MATCH 'z'", "SELECT rank FROM doc WHERE doc MATCH 'z'",
                "SELECT COUNT(*) FROM doc", "SELECT body FROM doc('z')",
            ] {
                let notices = try db.notices(query, "UPDATE doc SET title = title || ' z'")
                #expect(notices, "\(query)")
            }
        }
    }

    // MARK: DELETE without condition

    @Test func truncation() throws {
        // SQLite empties the table at once unless each row is observed.
        try check("player(*)", "DELETE FROM player")
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            // Compiled before the observer is added.
            let statement = try db.makeStatement(sql: "DELETE FROM player")
            let log = ObserverLog()
            let entries = try db.observing(log) { try statement.execute() }
            #expect(
                entries == ["delete player 1", "delete player 2", "delete player 3", "willCommit", "didCommit"])
        }
    }

    /// The observers request each row, but dropping a table must still work.
    @Test func droppedTables() throws {
        try withDatabase { db in
            try db.execute(sql: Self.schema + "CREATE VIEW v AS SELECT 1; CREATE TEMP TABLE temporary(x);")
            try db.execute(sql: "CREATE VIRTUAL TABLE doc USING fts5(title)")
            for (kind, name) in [
                ("TABLE", "player"), ("TABLE", "setting"), ("VIEW", "v"), ("TABLE", "temporary"), ("TABLE", "doc"),
            ] {
                let changes = try db.changes("DROP \(kind) \(name)")
                #expect(changes.contains("\(name)(*)"), "\(changes)")
                let exists = try db.tableExists(name) || db.viewExists(name)
                #expect(!exists)
            }
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'doc%'")
            #expect(count == 0)
        }
    }

    // MARK: Pragmas that change what statements do

    /// A cached statement has more effects once foreign keys are enforced or triggers are recursive.
    @Test func pragmasAfterCompilation() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (id INTEGER PRIMARY KEY, parentId REFERENCES parent(id) ON DELETE CASCADE);
                    PRAGMA foreign_keys = OFF;
                    INSERT INTO parent VALUES (1), (2), (3);
                    INSERT INTO child VALUES (1, 1), (2, 2), (3, 3);
                    """)
            let log = ChangeLog()
            try db.subscribe(log)
            let statement = try db.makeStatement(sql: "DELETE FROM parent WHERE id = ?")
            try statement.execute(arguments: [1])
            #expect(log.take() == "delete parent 1")
            try db.execute(sql: "PRAGMA foreign_keys = ON")
            _ = log.take()
            try statement.execute(arguments: [2])
            #expect(log.take() == "delete parent 2, delete child 2")
        }
    }

    @Test func recursiveTriggers() throws {
        try withDatabase { db in
            try db.execute(
                sql: Self.schema + """
                    CREATE TABLE log (id INTEGER PRIMARY KEY, name);
                    CREATE TRIGGER deletion AFTER DELETE ON player BEGIN INSERT INTO log(name) VALUES (OLD.name); END;
                    """)
            let log = ChangeLog()
            try db.subscribe(log)
            let statement = try db.makeStatement(sql: "REPLACE INTO player VALUES (?, 'Z', 'z')")
            try statement.execute(arguments: [1])
            #expect(log.take() == "player(*) | insert player 1")
            try db.execute(sql: "PRAGMA recursive_triggers = ON")
            _ = log.take()
            try statement.execute(arguments: [1])
            let taken = log.take()
            #expect(taken.contains("insert log 1"), "\(taken)")
        }
    }
}
