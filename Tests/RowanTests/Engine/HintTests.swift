// The advice in errors, in addition to their documented description.

import Foundation
import Rowan
import Testing

@Suite
struct HintTests {
    private struct Player: Codable, MutablePersistableRecord {
        var id: Int64?
        var name: String
        static let databaseTableName = "player"
    }

    private func hint(_ body: () throws -> Void) -> String? {
        do {
            try body()
            Issue.record("no error")
            return nil
        } catch let error as DatabaseError {
            let isShown = error.hint.map { String(reflecting: error) == "\(error): \($0)" }
            #expect(isShown ?? (String(reflecting: error) == error.description))
            #expect((error as NSError).localizedRecoverySuggestion == error.hint)
            if let hint = error.hint { #expect(!error.description.contains(hint)) }
            return error.hint
        } catch {
            Issue.record(error)
            return nil
        }
    }

    private func makeTables(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                CREATE TABLE player(
                    id INTEGER PRIMARY KEY, email TEXT, score INTEGER CHECK(score >= 0),
                    teamId INTEGER REFERENCES team(id), UNIQUE(email, teamId));
                """)
    }

    @Test(arguments: [
        ("SELECT * FROM plaver", "did you mean \"player\"?"),
        ("SELECT * FROM Taem", "did you mean \"team\"?"),
        ("SELECT * FROM main.plyer", "did you mean \"player\"?"),
        ("SELECT * FROM invoices", "check that its migration has run"),
        ("SELECT emial FROM player", "did you mean \"email\"?"),
        ("SELECT p.socre FROM player p", "did you mean \"score\"?"),
        ("INSERT INTO player(emal) VALUES (1)", "did you mean \"email\"?"),
        ("UPDATE player SET teamID2 = 1", "did you mean \"teamId\"?"),
        ("SELECT somethingElse FROM player", nil),
        // `name` is only a column of another table.
        ("SELECT nam FROM player", nil),
        ("SELECT FROM player", nil),
        ("SELECT p.name FROM player p JOIN \"team\" t ON t.id = p.teamId", "\"name\" is a column of \"team\""),
        ("SELECT name FROM player WHERE id IN (SELECT id FROM TEAM)", "\"name\" is a column of \"team\""),
        // The text contains the name of a table, but not as a name.
        ("SELECT names FROM player -- of a team", nil),
    ])
    func names(_ sql: String, _ expected: String?) throws {
        for kind in ConnectionKind.allCases {
            let folder = try TemporaryFolder()
            let writer = try kind.make(in: folder)
            try writer.write(makeTables)
            try #expect(writer.write { db in hint { try db.execute(sql: sql) } } == expected, "\(kind)")
            try #expect(writer.read { db in hint { _ = try db.makeStatement(sql: sql) } } == expected, "\(kind)")
        }
    }

    @Test func noTables() throws {
        try withDatabase { db in
            #expect(
                hint { try db.execute(sql: "DELETE FROM player") }
                    == "there are no tables in a database in memory: check its path, and that its migrations have run")
        }
        let folder = try TemporaryFolder()
        let path = folder.path("wrong.sqlite")
        let text = "there are no tables in \(path): check its path, and that its migrations have run"
        try DatabaseQueue(path: path).write { db in
            #expect(hint { try Table("player").deleteAll(db) } == text)
            #expect(hint { _ = try db.columns(in: "player") } == text)
        }
    }

    @Test func insertionIntoAMissingTable() throws {
        let sql = "INSERT INTO \"player\" (\"id\", \"name\") VALUES (?,?)"
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE players(id INTEGER PRIMARY KEY, name TEXT)")
            var player = Player(id: nil, name: "Arthur")
            for insert in [
                { try player.insert(db) }, { try player.upsert(db) }, { try Player.insertAll(db, [player]) },
            ] {
                let error = expectError(.SQLITE_ERROR, "no such table: player", insert)
                #expect(error?.sql == sql)
                #expect(error?.hint == "did you mean \"players\"?")
            }
        }
    }

    @Test(arguments: [
        (
            "INSERT INTO team VALUES (2, 'Reds')",
            "table \"team\" already has a row with the same \"name\": update that row, or choose what happens with "
                + "`onConflict` or `upsert`"
        ),
        (
            "INSERT INTO team VALUES (1, 'Blues')",
            "table \"team\" already has a row with the same \"id\": update that row, or choose what happens with "
                + "`onConflict` or `upsert`"
        ),
        (
            "INSERT INTO player VALUES (2, 'a', 1, 1)",
            "table \"player\" already has a row with the same \"email\", \"teamId\": update that row, or choose what "
                + "happens with `onConflict` or `upsert`"
        ),
        ("UPDATE player SET score = -1", "the row does not meet a condition of table \"player\""),
        (
            "INSERT INTO player VALUES (3, 'b', 1, 7)",
            "a row must exist for each of these references: \"player\".\"teamId\" to \"team\".\"id\""
        ),
        (
            "UPDATE player SET teamId = 7",
            "a row must exist for each of these references: \"player\".\"teamId\" to \"team\".\"id\""
        ),
        (
            "DELETE FROM team",
            "other rows still refer to the row by one of these references: \"player\".\"teamId\" to \"team\".\"id\""
        ),
        (
            "UPDATE team SET id = 5, name = 'Blues'",
            "other rows still refer to the row by one of these references: \"player\".\"teamId\" to \"team\".\"id\""
        ),
        ("INSERT INTO team VALUES (3, NULL)", nil),
    ])
    func constraints(_ sql: String, _ expected: String?) throws {
        try withDatabase { db in
            try makeTables(db)
            try db.execute(sql: "INSERT INTO team VALUES (1, 'Reds'); INSERT INTO player VALUES (1, 'a', 1, 1)")
            #expect(hint { try db.execute(sql: sql) } == expected)
        }
    }

    @Test(arguments: [
        (
            "UPDATE node SET parentA = 7",
            "a row must exist for each of these references: \"node\"(\"parentA\", \"parentB\") to \"node\"(\"a\", \"b\")"
        ),
        (
            "UPDATE node SET b = 7 WHERE b = 1",
            "other rows still refer to the row by one of these references: "
                + "\"node\"(\"parentA\", \"parentB\") to \"node\"(\"a\", \"b\")"
        ),
        (
            "UPDATE node SET a = 9, parentB = 8 WHERE b = 1",
            "a row must exist for each of these references: \"node\"(\"parentA\", \"parentB\") to \"node\"(\"a\", \"b\"); "
                + "other rows still refer to the row by one of these references: "
                + "\"node\"(\"parentA\", \"parentB\") to \"node\"(\"a\", \"b\")"
        ),
    ])
    func foreignKeysOfSeveralColumns(_ sql: String, _ expected: String) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE node(a, b, parentA, parentB, list REFERENCES list, PRIMARY KEY(a, b),
                        FOREIGN KEY(parentA, parentB) REFERENCES node);
                    CREATE TABLE list(id INTEGER PRIMARY KEY);
                    INSERT INTO node VALUES (1, 1, NULL, NULL, NULL), (1, 2, 1, 1, NULL)
                    """)
            #expect(hint { try db.execute(sql: sql) } == expected)
        }
    }

    @Test func deferredForeignKey() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY);
                    CREATE TABLE player(teamId REFERENCES team(id) DEFERRABLE INITIALLY DEFERRED);
                    """)
        }
        let hint = hint { try queue.write { try $0.execute(sql: "INSERT INTO player VALUES (1)") } }
        #expect(hint == "a row refers to a missing one: `checkForeignKeys()` before the commit names it")
    }

    @Test(arguments: ConnectionKind.allCases)
    func writeInARead(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try writer.write(makeTables)
        try writer.read { db in
            #expect(hint { try db.execute(sql: "DELETE FROM player") } == "this access only reads: use `write`")
        }
    }

    @Test func arguments() throws {
        try withDatabase { db in
            #expect(
                hint { _ = try Row.fetchAll(db, sql: "SELECT ?, ?", arguments: [1]) }
                    == "the statement has 2 parameters, but 1 argument was given")
            #expect(
                hint { _ = try Row.fetchAll(db, sql: "SELECT ?", arguments: [1, 2]) }
                    == "the statement has 1 parameter, but 2 arguments were given")
            #expect(
                hint { _ = try Row.fetchAll(db, sql: "SELECT :a") }
                    == "the statement has 1 parameter, but 0 arguments were given")
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func migrations(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("createPlayers") { db in try db.execute(sql: "CREATE TABLE player(id)") }
        migrator.registerMigration("fill") { db in try db.execute(sql: "INSERT INTO plaver VALUES (1)") }
        #expect(hint { try migrator.migrate(writer) } == "migration \"fill\" failed: did you mean \"player\"?")

        migrator = DatabaseMigrator()
        migrator.registerMigration("createPlayers") { _ in }
        migrator.registerMigration("syntax") { db in try db.execute(sql: "CREAT TABLE team(id)") }
        #expect(hint { try migrator.migrate(writer) } == "migration \"syntax\" failed")
        // Otherwise, the error is the one thrown by the migration.
        expectError(.SQLITE_ERROR, "near \"CREAT\": syntax error") { try migrator.migrate(writer) }

        struct Failure: Error {}
        migrator = DatabaseMigrator()
        migrator.registerMigration("own") { _ in throw Failure() }
        #expect(throws: Failure.self) { try migrator.migrate(writer) }
    }

    @Test func filesThatDoNotOpen() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path("missing/db.sqlite")
        #expect(
            hint { _ = try DatabaseQueue(path: missing) }
                == "the folder \(folder.path("missing")) doesn't exist: create it before")
        #expect(
            hint { _ = try DatabaseQueue(path: folder.url.path) }
                == "the path is that of a folder: add the name of a file")
        var readonly = Configuration()
        readonly.readonly = true
        #expect(
            hint { _ = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: readonly) }
                == "the file doesn't exist, and a connection that only reads doesn't create it")
        try Data("no database, but a text that is long enough to be one".utf8).write(
            to: URL(fileURLWithPath: folder.path("text")))
        #expect(
            hint { _ = try DatabaseQueue(path: folder.path("text")) }
                == "the file is not a database, or it is encrypted: check the path, or pass its passphrase in "
                + "`Configuration.prepareDatabase`")
        #expect(
            hint { _ = try DatabaseQueue(path: folder.path("text/db.sqlite")) }
                == "\(folder.path("text")) is a file, not a folder")
    }

    @Test func locks() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let (first, second) = (try DatabaseQueue(path: path), try DatabaseQueue(path: path))
        try first.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            let hint = hint { try second.write { try $0.execute(sql: "CREATE TABLE t(x)") } }
            #expect(
                hint == "another connection holds the lock: wait for it with `Configuration.busyMode`, and keep "
                    + "transactions short")
            try db.execute(sql: "ROLLBACK")
        }
    }

    @Test func locksOfOneConnection() throws {
        try withDatabase { db in
            try makeTables(db)
            try db.execute(sql: "INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues')")
            let teams = try Row.fetchCursor(db, sql: "SELECT * FROM team")
            _ = try teams.next()
            #expect(
                hint { try db.execute(sql: "DROP TABLE player") }
                    == "a statement of this connection is still reading the table: finish its cursor first")
        }
    }

    @Test func locksOfASharedCache() throws {
        let name = UUID().uuidString
        let (first, second) = (try DatabaseQueue(named: name), try DatabaseQueue(named: name))
        try first.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN; CREATE TABLE t(x)")
            let hint = hint { try second.write { try $0.execute(sql: "CREATE TABLE u(x)") } }
            #expect(
                hint?.hasPrefix("another connection holds the lock: wait for it with `Configuration.busyMode`") == true)
            try db.execute(sql: "ROLLBACK")
        }
    }

    /// The journal of an unfinished transaction, and a read-only connection, which can't roll it back.
    @Test func hotJournal() throws {
        let folder = try TemporaryFolder()
        let (path, copy) = (folder.path("db.sqlite"), folder.path("copy.sqlite"))
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (zeroblob(100000))") }
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA cache_size = 1; BEGIN; UPDATE t SET x = randomblob(100000)")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try FileManager.default.copyItem(atPath: path + "-journal", toPath: copy + "-journal")
            try db.execute(sql: "ROLLBACK")
        }
        var configuration = Configuration()
        configuration.readonly = true
        let hint = hint {
            try DatabaseQueue(path: copy, configuration: configuration).read {
                _ = try Row.fetchAll($0, sql: "SELECT * FROM t")
            }
        }
        #expect(
            hint == "a program that stopped has left the file in the middle of a transaction: open it once with a "
                + "connection that can write")
    }

    @Test func valuesStayPrivate() throws {
        try withDatabase { db in
            try makeTables(db)
            let hint = hint {
                try db.execute(
                    sql: "INSERT INTO player VALUES (1, ?, 1, ?)", arguments: ["canary", 71_283_912])
            }
            #expect(hint?.contains("canary") == false)
            #expect(hint?.contains("71283912") == false)
        }
    }
}
