// Names that could mean something else in the statement of a user, and rows outside that foreign keys could reveal.

import Rowan
import Testing

@Suite struct ScopeNameTests {
    func make(_ schema: String, _ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { try $0.execute(sql: schema) }
        return queue
    }

    private static let notes = """
        CREATE TABLE note(id INTEGER PRIMARY KEY, tenantID INTEGER, body TEXT);
        INSERT INTO note VALUES (1, 1, 'a'), (2, 1, 'b'), (300, 1, 'launch');
        """

    /// Another table can have a column called rowid, which a condition must not mean.
    @Test(arguments: ["rowid", "oid", "_ROWID_", "\"rowid\"", "note.rowid"])
    func conditionsOfTheRowID(_ name: String) throws {
        let queue = try make(Self.notes)
        let note = Table("note")
        let scope = DatabaseScope().reading(note.filter(sql: "\(name) < 100")).writing(note.filter(sql: "tenantID = 1"))
        let writing = DatabaseScope().writing(note.filter(sql: "\(name) < 100"))
        for source in [
            "(SELECT 1 AS rowid, 1 AS oid, 1 AS _rowid_)", "(SELECT 1 AS rowid) AS note", "(SELECT 1 AS id)",
        ] {
            for scope in [scope, writing] {
                for condition in ["body = 'launch'", "body = 'launcx'"] {
                    try queue.write(in: scope) { db throws in
                        let sql = "UPDATE note SET body = abs(-9223372036854775808) FROM \(source) WHERE \(condition)"
                        try db.execute(sql: sql)
                        #expect(db.changesCount == 0)
                    }
                }
            }
        }
        // The condition holds for new values, too.
        try queue.write(in: writing) { try $0.execute(sql: "UPDATE note SET body = 'y' WHERE id = 1") }
        try queue.write(in: writing) { try $0.execute(sql: "INSERT INTO note VALUES (3, 1, 'c')") }
        expectError(.SQLITE_CONSTRAINT_TRIGGER, "the scope can't store this row in note") {
            try queue.write(in: writing) { try $0.execute(sql: "INSERT INTO note VALUES (100, 1, 'c')") }
        }
        #expect(try queue.read { try String.fetchAll($0, sql: "SELECT body FROM note") } == ["y", "b", "c", "launch"])
    }

    @Test func conditionsOfAHiddenRowID() throws {
        let queue = try make("CREATE TABLE note(tenantID INTEGER, body TEXT); INSERT INTO note VALUES (1, 'a')")
        let scope = DatabaseScope().writing(Table("note").filter(Column.rowID == 1))
        expectError(
            .SQLITE_MISUSE,
            "a scope can't write note: the request has the rowid, which is no column of the table: give the table an "
                + "INTEGER PRIMARY KEY"
        ) {
            try queue.write(in: scope) { try $0.execute(sql: "UPDATE note SET body = 'y'") }
        }
        let reading = DatabaseScope().reading(Table("note").filter(Column.rowID == 1))
        #expect(try queue.read(in: reading) { try String.fetchAll($0, sql: "SELECT body FROM note") } == ["a"])
    }

    /// A text in double quotes is a name if there is one.
    @Test func conditionsWithTextsInDoubleQuotes() throws {
        var configuration = Configuration()
        configuration.acceptsDoubleQuotedStringLiterals = true
        let queue = try make(Self.notes, configuration)
        for text in ["a", "note"] {
            let scope = DatabaseScope().writing(Table("note").filter(sql: "\"body\" = \"\(text)\""))
            expectError(
                .SQLITE_MISUSE,
                "a scope can't write note: the request has the text \"\(text)\": use single quotes, or an argument"
            ) {
                try queue.write(in: scope) { try $0.execute(sql: "UPDATE note SET body = 'y'") }
            }
        }
    }

    /// A function of the program may fail, whatever its name.
    @Test(arguments: [false, true]) func functionsWithNamesOfSQLite(isAddedLater: Bool) throws {
        let queue = try make(
            """
            CREATE TABLE note(id INTEGER PRIMARY KEY, tenantID INTEGER, body TEXT); CREATE INDEX i ON note(body, id);
            INSERT INTO note VALUES (1, 1, 'a'), (2, 2, 'launch');
            """)
        struct Failure: Error {}
        let function = DatabaseFunction("sign", argumentCount: 1, pure: true) { _ in throw Failure() }
        let scope = DatabaseScope().reading(Table("note").filter(Column("tenantID") == 1))
        let sql = "SELECT id FROM note WHERE body >= 'launch' AND body < 'm' AND sign(body) = 1"
        if isAddedLater { #expect(try queue.read(in: scope) { try Int.fetchAll($0, sql: sql) } == []) }
        try queue.write { $0.add(function: function) }
        #expect(try queue.read(in: scope) { try Int.fetchAll($0, sql: sql) } == [])
        #expect(throws: DatabaseError.self) { try queue.read { try Int.fetchAll($0, sql: sql) } }
    }

    /// SQLite counts missing references: one outside would make up for one that a statement breaks.
    @Test(arguments: ["", " DEFERRABLE INITIALLY DEFERRED", " ON UPDATE CASCADE", " ON UPDATE SET NULL"])
    func orphansOutside(_ clause: String) throws {
        let queue = try make(
            """
            CREATE TABLE par(id INTEGER PRIMARY KEY, tenantID INTEGER, name TEXT);
            CREATE TABLE d(id INTEGER PRIMARY KEY, tenantID INTEGER, p INTEGER REFERENCES par(id)\(clause));
            INSERT INTO par VALUES (1, 1, 'x'), (2, 2, 'y'), (3, 1, 'z'); INSERT INTO d VALUES (1, 1, 1);
            PRAGMA foreign_keys = OFF;
            """)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF; INSERT INTO d VALUES (50, 2, 77); PRAGMA foreign_keys = ON")
        }
        let (par, d) = (Table("par").filter(Column("tenantID") == 1), Table("d").filter(Column("tenantID") == 1))
        let scope = DatabaseScope().writing(par).writing(d)
        for key in [77, 78] {
            expectError(.SQLITE_CONSTRAINT_TRIGGER, "the scope can't change a key of par to which d refers") {
                try queue.write(in: scope) { try $0.execute(sql: "UPDATE par SET id = \(key) WHERE id = 1") }
            }
            expectError(.SQLITE_CONSTRAINT_TRIGGER, "FOREIGN KEY constraint failed") {
                try queue.write(in: scope) {
                    try $0.execute(sql: "DELETE FROM par WHERE id = 1; INSERT INTO par VALUES (\(key), 1, 'w')")
                }
            }
        }
        try queue.write(in: scope) {
            try $0.execute(sql: "UPDATE par SET id = id, name = 'v' WHERE id = 1; DELETE FROM par WHERE id = 3")
        }
        #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT id FROM par") } == [1, 2])
    }

    @Test func namesOfColumnsWithTheirTable() throws {
        let queue = try make(Self.notes)
        let scope = DatabaseScope().reading(Table("note").filter(Column("tenantID") == 1))
        #expect(try queue.read(in: scope) { try Row.fetchAll($0, sql: "SELECT id FROM note").count } == 3)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA short_column_names = OFF; PRAGMA full_column_names = ON")
        }
        expectError(
            .SQLITE_AUTH, "in a scope, a column can't have the name of its table: set no PRAGMA full_column_names"
        ) {
            try queue.read(in: scope) { try Row.fetchAll($0, sql: "SELECT * FROM note") }
        }
    }
}

extension ScopeNameTests {
    /// Tables that a condition names after a comma, or in parentheses, are those of the database, whatever the statement names.
    @Test(arguments: [
        "usr AS u, blocked AS b WHERE b.u = u.id", "usr AS u JOIN blocked AS b ON b.u = u.id",
        "(usr AS u, (blocked) AS b) WHERE b.u = u.id", "usr u LEFT JOIN blocked b ON (b.u = u.id), one WHERE b.u > 0",
        "(SELECT id FROM usr) AS u, blocked AS b WHERE b.u IS NOT DISTINCT FROM u.id",
    ])
    func tablesInConditions(_ source: String) throws {
        let queue = try make(
            """
            CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT); INSERT INTO note VALUES (1, 'mine'), (2, 'launch');
            CREATE TABLE usr(id INTEGER PRIMARY KEY, t INTEGER); INSERT INTO usr VALUES (1, 1), (2, 2);
            CREATE TABLE blocked(noteID INTEGER, u INTEGER); INSERT INTO blocked VALUES (2, 2);
            CREATE TABLE one(id); INSERT INTO one VALUES (1);
            """)
        let condition = "id NOT IN (SELECT b.noteID FROM \(source))"
        let scope = DatabaseScope().reading(Table("note").filter(sql: condition)).reading(
            Table("blocked").filter(Column("u") == 1))
        for sql in [
            "SELECT body FROM note", "SELECT body AS blocked FROM note",
            "SELECT body FROM note WHERE id NOT IN (SELECT noteID FROM blocked)",
        ] {
            #expect(try queue.read(in: scope) { try Row.fetchAll($0, sql: sql).count } == 1, "\(sql)")
        }
        // The rows of a table that only the condition reads are not counted.
        for sql in ["SELECT count(*) FROM usr", "SELECT 1 FROM note, usr", "SELECT EXISTS (SELECT 1 FROM usr)"] {
            expectError(.SQLITE_AUTH, "the scope does not include usr") {
                try queue.read(in: scope) { try Row.fetchAll($0, sql: sql) }
            }
        }
    }

    @Test(arguments: ["new", "OLD"]) func tablesWithTheNamesOfRows(_ name: String) throws {
        let queue = try make("CREATE TABLE \"\(name)\"(id INTEGER PRIMARY KEY, tenantID INTEGER)")
        let table = Table(name)
        expectError(
            .SQLITE_MISUSE,
            "a scope can't write \(name): the request is of a table called \(name), which means a row in triggers: rename it"
        ) {
            try queue.write(in: DatabaseScope().writing(table.filter(Column("id") < 100))) {
                try $0.execute(sql: "INSERT INTO \"\(name)\"(tenantID) VALUES (7)")
            }
        }
    }

    /// A row that SQLite's foreign keys do not compare as equal does not keep another one, and does not stand for one.
    @Test(arguments: [
        ("k TEXT UNIQUE", "p TEXT COLLATE NOCASE", "'Ada'", "ADA"), ("k TEXT UNIQUE", "p", "x'414441'", "ADA"),
    ])
    func referencesThatOnlySeemEqual(parent: String, child: String, value: String, own: String) throws {
        let queue = try make(
            """
            CREATE TABLE par(\(parent), tenantID INTEGER); CREATE TABLE d(id INTEGER PRIMARY KEY, tenantID INTEGER, \(child) REFERENCES par(k));
            INSERT INTO par VALUES (\(value), 2); INSERT INTO d VALUES (1, 2, \(value));
            """)
        let tenant = Column("tenantID") == 1
        let scope = DatabaseScope().writing(Table("par").filter(tenant)).reading(Table("d").filter(tenant))
        for key in [own, "BEN"] {
            try queue.write(in: scope) { db in
                try db.execute(sql: "INSERT INTO par VALUES (?, 1)", arguments: [key])
                try db.execute(sql: "DELETE FROM par WHERE k = ?", arguments: [key])
            }
        }
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM par") } == 1)
    }

    @Test func referencesFromTheRowID() throws {
        let queue = try make(
            """
            CREATE TABLE par(k TEXT UNIQUE, tenantID INTEGER); INSERT INTO par VALUES ('03', 1), ('2', 2), ('02', 1), ('4', 1);
            CREATE TABLE d(id INTEGER PRIMARY KEY REFERENCES par(k), tenantID INTEGER);
            """)
        let tenant = Column("tenantID") == 1
        let scope = DatabaseScope().reading(Table("par").filter(tenant)).writing(Table("d").filter(tenant))
        for id in [2, 3, 5] {
            expectError(.SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed") {
                try queue.write(in: scope) { try $0.execute(sql: "INSERT INTO d VALUES (\(id), 1)") }
            }
        }
        try queue.write(in: scope) { try $0.execute(sql: "INSERT INTO d VALUES (4, 1)") }
    }

    /// A deferred key of a table to itself.
    @Test func orphansOfTheSameTable() throws {
        let queue = try make("")
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE n(id INTEGER PRIMARY KEY, tenantID INTEGER, p INTEGER REFERENCES n(id) DEFERRABLE INITIALLY DEFERRED);
                    PRAGMA foreign_keys = OFF;
                    INSERT INTO n VALUES (1, 1, NULL), (2, 1, 1), (3, 1, NULL), (50, 2, 77);
                    PRAGMA foreign_keys = ON;
                    """)
        }
        let scope = DatabaseScope().writing(Table("n").filter(Column("tenantID") == 1))
        for id in [77, 78] {
            expectError(.SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed") {
                try queue.write(in: scope) {
                    try $0.execute(sql: "DELETE FROM n WHERE id = 1; INSERT INTO n VALUES (\(id), 1, NULL)")
                }
            }
        }
        try queue.write(in: scope) { try $0.execute(sql: "DELETE FROM n WHERE id = 3") }
        #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT id FROM n") } == [1, 2, 50])
    }
}
