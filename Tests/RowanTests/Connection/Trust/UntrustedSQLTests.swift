// SQL that was written to attack the program: what is refused, and what each statement may cost.

import Foundation
import Rowan
import Testing

@Suite struct UntrustedSQLTests {
    func configuration(_ change: (inout SQLLimits) -> Void = { _ in }) -> Configuration {
        var limits = SQLLimits()
        change(&limits)
        var configuration = Configuration()
        configuration.trust = .untrustedSQL(limits)
        configuration.prepareDatabase { db in
            db.add(function: DatabaseFunction("launch", argumentCount: 0) { _ in "launched" })
            db.add(
                function: DatabaseFunction("half", argumentCount: 1, pure: true, safety: .innocuous) { values in
                    Double.fromDatabaseValue(values[0]).map { $0 / 2 }
                })
            try db.register([1, 2], as: "secrets")
            try db.register([1, 2], as: "numbers", safety: .innocuous)
            try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS session(user); INSERT INTO temp.session VALUES ('me')")
        }
        return configuration
    }

    // MARK: Refusals

    /// Statements, and what their error says.
    private static let refused = [
        ("ATTACH 'FOLDER/new.db' AS n", "untrusted SQL can't attach a database, or run VACUUM"),
        ("DETACH main", "untrusted SQL can't detach a database"),
        ("VACUUM INTO 'FOLDER/copy.db'", "untrusted SQL can't attach a database, or run VACUUM"),
        ("VACUUM", "untrusted SQL can't attach a database, or run VACUUM"),
        ("PRAGMA writable_schema = 1", "untrusted SQL can't run PRAGMA writable_schema with an argument"),
        ("PRAGMA trusted_schema = 1", "untrusted SQL can't run PRAGMA trusted_schema with an argument"),
        ("PRAGMA main.journal_mode = off", "untrusted SQL can't run PRAGMA journal_mode with an argument"),
        ("PRAGMA query_only = 0", "untrusted SQL can't run PRAGMA query_only with an argument"),
        (
            "PRAGMA temp_store_directory = '/etc'",
            "untrusted SQL can't run PRAGMA temp_store_directory with an argument"
        ),
        ("PRAGMA database_list", "untrusted SQL can't run PRAGMA database_list"),
        ("PRAGMA wal_checkpoint", "untrusted SQL can't run PRAGMA wal_checkpoint"),
        ("PRAGMA optimize", "untrusted SQL can't run PRAGMA optimize"),
        ("PRAGMA no_such_pragma", "untrusted SQL can't run PRAGMA no_such_pragma"),
        (
            "SELECT load_extension('x')",
            "untrusted SQL can't call the function load_extension()"
        ),
        (
            "SELECT fts3_tokenizer('simple')",
            "untrusted SQL can't call the function fts3_tokenizer()"
        ),
        (
            "SELECT sqlite_log(1, 'x')",
            "untrusted SQL can't call the function sqlite_log()"
        ),
        ("SELECT launch()", "untrusted SQL can't call the function launch(): declare it as innocuous if it is"),
        (
            "SELECT 1 ORDER BY launch()",
            "untrusted SQL can't call the function launch(): declare it as innocuous if it is"
        ),
        ("CREATE TEMP TABLE x(a)", "untrusted SQL can't change temporary tables, indexes, triggers or views"),
        ("CREATE TEMP VIEW x AS SELECT 1", "untrusted SQL can't change temporary tables, indexes, triggers or views"),
        ("CREATE TABLE temp.x AS SELECT 1", "untrusted SQL can't change temporary tables, indexes, triggers or views"),
        (
            "CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END",
            "untrusted SQL can't change temporary tables, indexes, triggers or views: \"x\""
        ),
        ("DROP TABLE session", "untrusted SQL can't change temporary tables, indexes, triggers or views"),
        (
            "ALTER TABLE session RENAME TO other",
            "untrusted SQL can't change temporary tables, indexes, triggers or views: \"session\""
        ),
        (
            "UPDATE session SET user = 'root'",
            "untrusted SQL can't change temporary tables, indexes, triggers or views: \"session\""
        ),
        (
            "DELETE FROM temp.session",
            "untrusted SQL can't change temporary tables, indexes, triggers or views: \"session\""
        ),
        (
            "INSERT INTO session VALUES ('root')",
            "untrusted SQL can't change temporary tables, indexes, triggers or views: \"session\""
        ),
        (
            "CREATE VIRTUAL TABLE x USING csv(filename='/etc/passwd')",
            "untrusted SQL can't create or drop a virtual table of the module \"csv\""
        ),
        ("SELECT * FROM secrets", "untrusted SQL can't read the virtual table \"secrets\""),
        ("SELECT count(*) FROM secrets", "untrusted SQL can't read the virtual table \"secrets\""),
        ("SELECT 1 FROM secrets a NATURAL JOIN Secrets b", "untrusted SQL can't read the virtual table \"secrets\""),
        (
            "SELECT 1 FROM (SELECT 1 AS value) JOIN \"Secrets\" USING (value)",
            "untrusted SQL can't read the virtual table \"secrets\""
        ),
        ("SELECT * FROM pragma_database_list", "untrusted SQL can't run PRAGMA database_list"),
    ]

    @Test(arguments: refused, ConnectionKind.allCases.filter { $0 != .cluster })
    func refusals(_ attack: (sql: String, message: String), _ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder, configuration())
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        let sql = attack.sql.replacingOccurrences(of: "FOLDER", with: folder.url.path)
        func run(_ db: Database) throws {
            expectError(.SQLITE_AUTH, attack.message) { try db.execute(sql: sql) }
        }
        try writer.writeWithoutTransaction(run)
        // A read refuses writes before they are compiled, or run.
        if !sql.hasPrefix("CREATE VIEW"), !sql.hasPrefix("VACUUM") { try writer.read(run) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == files)
        // The connection remains usable.
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 1)
    }

    /// SQLite does not ask its authorizer about these.
    @Test func definitionsThatTheTextHasWritten() throws {
        let attacks = [
            "CREATE VIEW v AS SELECT launch() AS a; SELECT a FROM v",
            "CREATE TABLE x(a, b DEFAULT (launch())); INSERT INTO x(a) VALUES (1)",
            "CREATE TABLE x(a); ALTER TABLE x ADD COLUMN b AS (launch()); SELECT b FROM x",
            "CREATE TABLE x(a); ALTER TABLE x ADD COLUMN b CHECK (launch() > -1); INSERT INTO x(a) VALUES (2)",
            "CREATE TABLE x(a); CREATE INDEX i ON x(a) WHERE launch(); INSERT INTO x VALUES (1)",
        ]
        for attack in attacks {
            var configuration = Configuration()
            configuration.trust = .untrustedSQL(SQLLimits())
            configuration.prepareDatabase { db in
                db.add(
                    function: DatabaseFunction("launch", argumentCount: 0, pure: true) { _ in
                        Issue.record("launched by \(attack)")
                        return 1
                    })
            }
            let queue = try DatabaseQueue(configuration: configuration)
            #expect(throws: DatabaseError.self, "\(attack)") { try queue.write { try $0.execute(sql: attack) } }
        }
        let queue = try DatabaseQueue(configuration: configuration())
        expectError(.SQLITE_ERROR, "table f_data may not be modified") {
            try queue.write {
                try $0.execute(sql: "CREATE VIRTUAL TABLE f USING fts5(a); UPDATE f_data SET block = x'ff'")
            }
        }
    }

    /// A file may give the tables of a module any name.
    /// Tables that the setup or a check has used would keep their modules.
    @Test func modulesUnderOtherNames() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("modules.sqlite")
        try DatabaseQueue(path: path).writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 0, 'CREATE VIRTUAL TABLE x USING secrets');
                    INSERT INTO sqlite_master VALUES ('table', 'y', 'y', 0, 'CREATE VIRTUAL TABLE y USING sqlite_stmt')
                    """)
        }
        var plain = Configuration()
        plain.trust = .untrustedSQL(SQLLimits())
        var checked = plain
        checked.checksFileOnOpen = .seconds(60)
        var used = configuration()
        // The module is an option of SQLite.
        used.prepareDatabase { _ = try? Row.fetchAll($0, sql: "SELECT * FROM y") }
        for configuration in [configuration(), plain, checked, used] {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            for table in ["x", "y", "secrets", "sqlite_stmt"] {
                #expect(throws: DatabaseError.self, "\(table)") {
                    try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM \(table)") }
                }
            }
        }
    }

    @Test func memoryCantBeShared() throws {
        expectError(.SQLITE_MISUSE) { try DatabaseQueue(named: "shared", configuration: configuration()) }
    }

    /// A read-only connection alone is not enough.
    @Test func readOnlyConnectionsWriteFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var readonly = Configuration()
        readonly.readonly = true
        let trusting = try DatabaseQueue(path: path, configuration: readonly)
        try trusting.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO '\(folder.path("copy.sqlite"))'") }
        #expect(FileManager.default.fileExists(atPath: folder.path("copy.sqlite")))
        readonly.trust = .untrustedSQL(SQLLimits())
        let restricted = try DatabaseQueue(path: path, configuration: readonly)
        expectError(.SQLITE_AUTH) {
            try restricted.writeWithoutTransaction {
                try $0.execute(sql: "VACUUM INTO '\(folder.path("other.sqlite"))'")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("other.sqlite")))
    }

    @Test(arguments: ConnectionKind.allCases.filter { $0 != .cluster }) func whatIsAllowed(
        _ kind: ConnectionKind
    ) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder, configuration())
        try writer.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT DEFAULT (upper('x')));
                    CREATE VIEW v AS SELECT half(id) AS h FROM t;
                    CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET a = lower(a) WHERE id = new.id; END;
                    CREATE VIRTUAL TABLE f USING fts5(body);
                    INSERT INTO t(id) VALUES (2), (4);
                    INSERT INTO f VALUES ('one two'), ('two three');
                    ALTER TABLE t ADD COLUMN b; CREATE INDEX i ON t(a)
                    """)
        }
        try writer.read { db throws in
            #expect(try Double.fetchAll(db, sql: "SELECT h FROM v ORDER BY h") == [1, 2])
            #expect(try String.fetchAll(db, sql: "SELECT a FROM t") == ["x", "x"])
            #expect(
                try String.fetchAll(db, sql: "SELECT highlight(f, 0, '<', '>') FROM f WHERE f MATCH 'one'") == [
                    "<one> two"
                ])
            #expect(try Int.fetchAll(db, sql: "SELECT value FROM json_each('[1,2]')") == [1, 2])
            #expect(try Int.fetchAll(db, sql: "SELECT * FROM numbers") == [1, 2])
            #expect(try String.fetchAll(db, sql: "SELECT user FROM session") == ["me"])
            #expect(try Row.fetchAll(db, sql: "PRAGMA table_info(t)").count == 3)
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM pragma_table_info('t')").count == 3)
            #expect(try String.fetchOne(db, sql: "PRAGMA quick_check") == "ok")
            #expect(try Int.fetchOne(db, sql: "SELECT row_number() OVER (ORDER BY id) FROM t") == 1)
            #expect(try db.columns(in: "t").map(\.name) == ["id", "a", "b"])
            #expect(try Table("t").fetchCount(db) == 2)
        }
    }

    /// A statement that the setup has compiled is checked, too.
    @Test func statementsOfTheSetupAreNotReused() throws {
        var configuration = configuration()
        configuration.prepareDatabase { db in
            _ = try String.fetchOne(db, sql: "SELECT launch()")
            try db.execute(sql: "PRAGMA database_list")
        }
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.read { db throws in
            expectError(.SQLITE_AUTH) { try String.fetchOne(db, sql: "SELECT launch()") }
            expectError(.SQLITE_AUTH) { try db.execute(sql: "PRAGMA database_list") }
        }
    }

    /// The name of a function counts, because SQLite does not report the number of arguments.
    @Test func functionsThatAreAddedLater() throws {
        let queue = try DatabaseQueue(configuration: configuration())
        try queue.read { db throws in
            #expect(try Int.fetchOne(db, sql: "SELECT abs(-1)") == 1)
            db.add(function: DatabaseFunction("abs", argumentCount: 2) { _ in "launched" })
            expectError(.SQLITE_AUTH) { try db.makeStatement(sql: "SELECT abs(-1)") }
            db.add(function: DatabaseFunction("twice", argumentCount: 1, safety: .innocuous) { $0[0] })
            #expect(try Int.fetchOne(db, sql: "SELECT twice(1)") == 1)
        }
    }

    @Test func oneStatementWhereOneIsExpected() throws {
        let queue = try DatabaseQueue(configuration: configuration())
        expectError(.SQLITE_MISUSE) { try queue.read { try Row.fetchAll($0, sql: "SELECT 1; SELECT 2") } }
        expectError(.SQLITE_MISUSE) { try queue.read { try $0.makeStatement(sql: "SELECT 1; SELECT 2") } }
    }
}
