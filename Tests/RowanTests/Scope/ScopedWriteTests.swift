// What can be written in a scope.

import Rowan
import Testing

@Suite struct ScopedWriteTests {
    private struct Note: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
        var id: Int?
        var tenantID: Int
        var customerID: Int?
        var body: String

        mutating func didInsert(_ inserted: InsertionSuccess) { id = Int(inserted.rowID) }
    }

    private let folder = try! TemporaryFolder()
    private static let schema = """
        CREATE TABLE note(
            id INTEGER PRIMARY KEY, tenantID INTEGER NOT NULL, customerID INTEGER REFERENCES customer(id),
            body TEXT NOT NULL CHECK (body <> ''));
        CREATE UNIQUE INDEX note_body ON note(tenantID, body);
        CREATE TABLE pair(tenantID INTEGER, name TEXT, value, PRIMARY KEY (tenantID, name)) WITHOUT ROWID;
        INSERT INTO note VALUES (1, 1, 2, 'a'), (2, 2, 1, 'b'), (3, 1, NULL, 'c');
        INSERT INTO pair VALUES (1, 'x', 1), (2, 'x', 2);
        """

    private func make(_ kind: ConnectionKind = .memoryQueue) throws -> any DatabaseWriter {
        let writer = try kind.make(in: folder)
        try writer.write { db in
            try Tenants.fill(db)
            try db.execute(sql: Self.schema)
        }
        return writer
    }

    private func scope(_ tenant: Int) -> DatabaseScope {
        Tenants.scope(tenant)
            .writing(Table<Note>("note").filter(Column("tenantID") == tenant))
            .writing(Table("pair").filter(Column("tenantID") == tenant))
    }

    private func notes(_ writer: some DatabaseWriter) throws -> [String] {
        try writer.read {
            try String.fetchAll($0, sql: "SELECT id || ' ' || tenantID || ' ' || body FROM note ORDER BY id")
        }
    }

    @Test(arguments: ConnectionKind.allCases) func records(kind: ConnectionKind) throws {
        let writer = try make(kind)
        for round in 1...2 {
            try writer.write(in: scope(1)) { db throws in
                var note = Note(tenantID: 1, customerID: 2, body: "new \(round)")
                try note.insert(db)
                #expect(note.id == (round == 1 ? 4 : 102))
                note.body = "newer \(round)"
                try note.update(db)
                #expect(try Note.fetchCount(db) == 1 + round * 2)
                #expect(try Note.fetchOne(db, key: 2) == nil)
                #expect(try !Note.deleteOne(db, key: 2))
                #expect(
                    try Table<Note>("note").filter(Column("id") == 2).updateAll(db, Column("body").set(to: "z")) == 0)
                #expect(
                    try db.inSavepoint {
                        try note.delete(db); return .rollback
                    } == ())
                var other = Note(id: note.id, tenantID: 1, body: "upserted")
                try other.upsert(db)
                #expect(try Note.fetchOne(db, key: note.id)?.body == "upserted")
                try note.update(db)
                var saved = Note(id: 98 + round * 3, tenantID: 1, body: "saved \(round)")
                try saved.save(db)
            }
        }
        #expect(
            try notes(writer) == [
                "1 1 a", "2 2 b", "3 1 c", "4 1 newer 1", "101 1 saved 1", "102 1 newer 2", "104 1 saved 2",
            ])
        try writer.write(in: scope(2)) { db throws in
            #expect(try Note.deleteAll(db) == 1)
        }
        #expect(try notes(writer).count == 6)
        // Without a scope, everything can be written, and no trigger remains.
        try writer.write { db throws in
            try db.execute(sql: "INSERT INTO note VALUES (50, 9, NULL, 'x'); DELETE FROM note WHERE tenantID = 1")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_temp_master") == 0)
        }
        #expect(try notes(writer) == ["50 9 x"])
    }

    /// Statements, with the notes and pairs that they leave.
    @Test(
        arguments: [
            ("UPDATE note SET body = body || '!'", "1 1 a! 2 2 b 3 1 c!"),
            ("UPDATE note SET body = 'z' WHERE id = 2", "1 1 a 2 2 b 3 1 c"),
            ("UPDATE note SET body = 'z' WHERE id = 2 OR 1 -- all", "error"),
            ("UPDATE note SET body = 'z' WHERE id = 3 OR id = 2", "1 1 a 2 2 b 3 1 z"),
            ("UPDATE note SET body = (SELECT max(body) || count(*) FROM note) WHERE id = 1", "1 1 c2 2 2 b 3 1 c"),
            (
                "UPDATE note SET body = c.name FROM customer c WHERE c.id = note.customerID",
                "1 1 customer 2 2 2 b 3 1 c"
            ),
            ("UPDATE note SET body = 'z' WHERE id IN (SELECT id FROM note) AND id < 3", "1 1 z 2 2 b 3 1 c"),
            (
                "WITH a AS (SELECT 3 AS id) UPDATE note SET body = 'z' WHERE id = (SELECT id FROM a)",
                "1 1 a 2 2 b 3 1 z"
            ),
            ("UPDATE note SET body = 'z' WHERE (id = 1) RETURNING id", "1 1 z 2 2 b 3 1 c"),
            ("DELETE FROM note", "2 2 b"), ("DELETE FROM note WHERE 1", "2 2 b"),
            ("DELETE FROM note RETURNING *", "2 2 b"),
            ("DELETE FROM note WHERE body LIKE 'a%' OR body LIKE 'b%'", "2 2 b 3 1 c"),
            ("DELETE FROM note WHERE id = 1 OR abs(id) = 2", "2 2 b 3 1 c"),
            ("INSERT INTO note VALUES (4, 1, NULL, 'd')", "1 1 a 2 2 b 3 1 c 4 1 d"),
            (
                "INSERT INTO note SELECT id + 10, tenantID, customerID, body || '2' FROM note",
                "1 1 a 2 2 b 3 1 c 11 1 a2 13 1 c2"
            ),
            ("INSERT OR IGNORE INTO note VALUES (1, 1, NULL, 'd'), (4, 1, NULL, 'e')", "1 1 a 2 2 b 3 1 c 4 1 e"),
            ("INSERT INTO note VALUES (1, 1, NULL, 'd') ON CONFLICT DO NOTHING", "1 1 a 2 2 b 3 1 c"),
            (
                "INSERT INTO note VALUES (1, 1, NULL, 'd') ON CONFLICT (id) DO UPDATE SET body = body || excluded.body",
                "1 1 ad 2 2 b 3 1 c"
            ),
            (
                "INSERT INTO note VALUES (1, 1, NULL, 'd'), (3, 1, NULL, 'e') ON CONFLICT (id) DO UPDATE SET body = 'z' || id WHERE body = 'c'",
                "1 1 a 2 2 b 3 1 z3"
            ),
            (
                "INSERT INTO note SELECT 3, tenantID, customerID, 'd' FROM note WHERE id = 1 ON CONFLICT (id) DO UPDATE SET body = 'z' ON CONFLICT (tenantID, body) DO UPDATE SET body = 'y' RETURNING id",
                "1 1 a 2 2 b 3 1 z"
            ),
            (
                "INSERT INTO note VALUES (9, 1, 2, 'a') ON CONFLICT (id) DO UPDATE SET body = 'z' ON CONFLICT (tenantID, body) DO UPDATE SET body = (SELECT max(body) || count(*) FROM note)",
                "1 1 c2 2 2 b 3 1 c"
            ),
            // A row outside: its values are neither changed nor revealed.
            ("INSERT INTO note VALUES (2, 1, NULL, 'd') ON CONFLICT DO UPDATE SET body = 'z'", "1 1 a 2 2 b 3 1 c"),
            (
                "INSERT INTO note VALUES (2, 1, NULL, 'd') ON CONFLICT DO UPDATE SET body = 'z' WHERE body = 'b' OR 1",
                "1 1 a 2 2 b 3 1 c"
            ),
            (
                "INSERT INTO note VALUES (2, 1, NULL, 'd') ON CONFLICT DO UPDATE SET id = 7, body = abs(-9223372036854775807 - tenantID + 1)",
                "1 1 a 2 2 b 3 1 c"
            ),
            (
                "INSERT INTO note VALUES (2, 1, NULL, 'd') ON CONFLICT (id) DO UPDATE SET body = 'z' WHERE abs(-9223372036854775806 - tenantID) OR json(body) -- )",
                "1 1 a 2 2 b 3 1 c"
            ),
            ("DELETE FROM note WHERE id = 1; INSERT INTO note VALUES (1, 1, 4, 'q')", "1 1 q 2 2 b 3 1 c"),
        ])
    func written(sql: String, expected: String) throws {
        let writer = try make()
        if expected == "error" {
            #expect(throws: DatabaseError.self) { try writer.write(in: scope(1)) { try $0.execute(sql: sql) } }
        } else {
            try writer.write(in: scope(1)) { db in try db.execute(sql: sql) }
            #expect(try notes(writer).joined(separator: " ") == expected)
        }
    }

    @Test(
        arguments: [
            ("INSERT INTO note VALUES (4, 2, NULL, 'd')", "the scope can't store this row in note"),
            ("INSERT OR IGNORE INTO note VALUES (4, 2, NULL, 'd')", "the scope can't store this row in note"),
            ("INSERT OR FAIL INTO note VALUES (4, 1, NULL, NULL)", "NOT NULL constraint failed: note.body"),
            (
                "INSERT INTO note VALUES (1, 1, NULL, 'd') ON CONFLICT DO UPDATE SET tenantID = 2",
                "the scope can't store this row in note"
            ),
            (
                "INSERT INTO note VALUES (1, 2, NULL, 'd') ON CONFLICT DO UPDATE SET body = 'z'",
                "the scope can't store this row in note"
            ),
            (
                "INSERT INTO note VALUES (1, 1, NULL, 'd') ON CONFLICT DO UPDATE SET customerID = 1",
                "FOREIGN KEY constraint failed"
            ),
            ("UPDATE note SET tenantID = 2", "the scope can't store this row in note"),
            ("UPDATE OR IGNORE note SET tenantID = 2 WHERE id = 1", "the scope can't store this row in note"),
            ("UPDATE note SET id = 2 WHERE id = 1", "UNIQUE constraint failed: note.id"),
            ("UPDATE pair SET tenantID = 3", "the scope can't store this row in pair"),
            ("INSERT INTO pair VALUES (2, 'y', 1)", "the scope can't store this row in pair"),
            // A row outside the scope, and one that doesn't exist, are the same.
            ("INSERT INTO note VALUES (4, 1, 1, 'd')", "FOREIGN KEY constraint failed"),
            ("INSERT INTO note VALUES (4, 1, 99, 'd')", "FOREIGN KEY constraint failed"),
            ("UPDATE note SET customerID = 1", "FOREIGN KEY constraint failed"),
            ("UPDATE note SET customerID = 99", "FOREIGN KEY constraint failed"),
        ])
    func rejected(sql: String, message: String) throws {
        let writer = try make()
        let code: ResultCode =
            message.hasPrefix("NOT NULL")
            ? .SQLITE_CONSTRAINT_NOTNULL
            : message.hasPrefix("UNIQUE") ? .SQLITE_CONSTRAINT_PRIMARYKEY : .SQLITE_CONSTRAINT_TRIGGER
        try writer.write(in: scope(1)) { db throws in
            expectError(code, message) { try db.execute(sql: sql) }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM note") == 2)
        }
        #expect(try notes(writer) == ["1 1 a", "2 2 b", "3 1 c"])
    }

    private static let limited = "in a scope, an UPDATE or a DELETE can't have a LIMIT"
    private static let renamed = "in a scope, a statement can't give the table that it writes another name"

    @Test(
        arguments: [
            (
                "INSERT OR REPLACE INTO note VALUES (2, 1, NULL, 'd')",
                "a scope can't replace rows, which may be outside of it: update or delete them"
            ),
            (
                "REPLACE INTO note VALUES (2, 1, NULL, 'd')",
                "a scope can't replace rows, which may be outside of it: update or delete them"
            ),
            (
                "UPDATE OR REPLACE note SET id = 2 WHERE id = 1",
                "a scope can't replace rows, which may be outside of it: update or delete them"
            ),
            (
                "INSERT INTO note VALUES (1, 1, 2, 'd') ON CONFLICT DO UPDATE SET body = (SELECT word FROM secret)",
                "the scope does not include secret.word"
            ),
            ("UPDATE note AS n SET body = 'z'", renamed), ("DELETE FROM note AS n WHERE n.id = 2", renamed),
            ("INSERT INTO note AS n VALUES (4, 1, 2, 'd')", renamed),
            ("INSERT INTO note AS n VALUES (2, 1, 2, 'd') ON CONFLICT DO UPDATE SET body = n.body", renamed),
            ("DELETE FROM main.note", "a scope's tables have no schema: write the name without \"main.\""),
            ("UPDATE invoice SET total = 1", "the scope can't change invoice"),
            ("DELETE FROM customer", "the scope can't change customer"),
            ("DELETE FROM secret", "the scope can't change secret"),
            ("UPDATE note SET body = (SELECT word FROM secret)", "the scope does not include secret.word"),
            ("DELETE FROM note WHERE EXISTS (SELECT 1 FROM secret)", "the scope does not include secret"),
            ("DELETE FROM note WHERE EXISTS (SELECT 1 FROM hidden)", "the scope does not include hidden"),
            ("DELETE FROM note WHERE id IN (SELECT id FROM secret)", "the scope does not include secret.id"),
            ("INSERT INTO note SELECT id, 1, NULL, word FROM secret", "the scope does not include secret.id"),
            (
                "INSERT INTO note VALUES (4, 1, NULL, 'd') RETURNING (SELECT word FROM secret)",
                "the scope does not include secret.word"
            ),
            ("DELETE FROM note WHERE id = 1 LIMIT 1", limited),
            ("UPDATE note SET body = 'z' ORDER BY id LIMIT 1", limited),
            ("SAVEPOINT a", "a scope can't begin or end transactions"),
            ("ROLLBACK TO rowan", "a scope can't begin or end transactions"),
            ("ROLLBACK", "a scope can't begin or end transactions"), ("END", "a scope can't begin or end transactions"),
            (
                "CREATE TEMP TRIGGER t AFTER INSERT ON note BEGIN SELECT 1; END",
                "a scope can neither read nor change the schema"
            ),
            ("DROP TRIGGER IF EXISTS x", "no error"),
            ("PRAGMA writable_schema = 1", "a scope can't run PRAGMA writable_schema"),
            ("PRAGMA recursive_triggers", "a scope can't run PRAGMA recursive_triggers"),
            ("PRAGMA defer_foreign_keys = 1", "a scope can't run PRAGMA defer_foreign_keys"),
            ("VACUUM", "a scope can neither read nor change the schema"),
            ("EXPLAIN DELETE FROM note", "a scope can't show plans, which name what it hides"),
            ("DELETE FROM note WHERE tenantID = rowan_scope(0)", "a scope can't call the function rowan_scope"),
        ])
    func refused(sql: String, message: String) throws {
        let writer = try make()
        try writer.write(in: scope(1)) { db throws in
            guard message != "no error" else { return try db.execute(sql: sql) }
            expectError(.SQLITE_AUTH, message) { try db.execute(sql: sql) }
            expectError(.SQLITE_AUTH, message) { try Row.fetchAll(db, sql: sql) }
        }
        #expect(try notes(writer) == ["1 1 a", "2 2 b", "3 1 c"])
    }

    /// A condition ends where the text says, and the checks of the rows remain.
    @Test(
        arguments: [
            "DELETE FROM note WHERE 0) OR (1", "DELETE FROM note WHERE 0 /*) OR (1 */) OR (1",
            "DELETE FROM note WHERE 0 OR",
            "DELETE FROM note WHERE id = 'x' ' OR 1", "DELETE FROM note WHERE 0) OR 1; --",
            "UPDATE note SET body = 'z' WHERE 0) OR (id = 2",
            "INSERT INTO note VALUES (2, 1, 2, 'd') ON CONFLICT DO UPDATE SET body = 'z' WHERE 0) OR (id = 2",
            "INSERT INTO note VALUES (2, 1, 2, 'd') ON CONFLICT DO UPDATE SET body = 'z' WHERE 0) OR (1 /*",
        ])
    func conditionsThatEndEarly(sql: String) throws {
        let writer = try make()
        #expect(throws: DatabaseError.self) { try writer.write(in: scope(1)) { try $0.execute(sql: sql) } }
        #expect(try notes(writer) == ["1 1 a", "2 2 b", "3 1 c"])
    }

    /// Changes by foreign keys are checked, too.
    @Test func cascades() throws {
        let writer = try make()
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE thread(id INTEGER PRIMARY KEY, tenantID INTEGER);
                    CREATE TABLE message(
                        id INTEGER PRIMARY KEY, tenantID INTEGER, threadID INTEGER REFERENCES thread ON DELETE CASCADE);
                    INSERT INTO thread VALUES (1, 1), (2, 1), (3, 2);
                    INSERT INTO message VALUES (1, 1, 1), (2, 1, 2), (3, 2, 2), (4, 2, 3);
                    """)
        }
        let thread = Table("thread").filter(Column("tenantID") == 1)
        let message = Table("message").filter(Column("tenantID") == 1)
        let delete = { (id: Int, db: Database) in
            try db.execute(sql: "DELETE FROM thread WHERE id = ?", arguments: [id])
        }
        try writer.write(in: DatabaseScope().writing(thread)) { db throws in
            expectError(.SQLITE_AUTH, "the scope does not include message.threadID") { try delete(1, db) }
        }
        try writer.write(in: DatabaseScope().writing(thread).reading(message)) { db throws in
            expectError(.SQLITE_AUTH, "the scope can't change message") { try delete(1, db) }
        }
        try writer.write(in: DatabaseScope().writing(thread).writing(message)) { db throws in
            try delete(1, db)
            // One of the messages belongs to the other tenant.
            expectError(.SQLITE_CONSTRAINT_TRIGGER, "the scope can't change this row of message") { try delete(2, db) }
        }
        #expect(try writer.read { try Int.fetchAll($0, sql: "SELECT id FROM message") } == [2, 3, 4])
    }

    /// Errors of conditions reveal no row outside.
    @Test(
        arguments: [
            "(SELECT 1 LIMIT 1 OFFSET 'a')", "(SELECT count(*) OVER (ROWS -1 PRECEDING))",
            "(SELECT sum(column1) FROM (VALUES (9223372036854775807), (1)))",
            "(SELECT group_concat(column1) FROM (VALUES (zeroblob(600000000)), (zeroblob(600000000))))",
        ])
    func errorsOfConditions(term: String) throws {
        let writer = try make()
        try writer.write { try $0.execute(sql: "CREATE INDEX body ON note(body)") }
        for body in ["b", "z"] {
            let condition = "body IN ('\(body)', 'x') AND CASE WHEN body = '\(body)' THEN \(term) END IS NULL"
            try writer.write(in: scope(1)) { db in
                try db.execute(sql: "DELETE FROM note WHERE \(condition)")
                try db.execute(sql: "UPDATE note SET body = 'q' WHERE \(condition)")
                try db.execute(
                    sql:
                        "INSERT INTO note VALUES (2, 1, NULL, 'd') ON CONFLICT DO UPDATE SET body = 'q' WHERE \(condition)"
                )
                try db.execute(sql: "DELETE FROM note WHERE id = 2")
            }
        }
    }

    /// A condition on the rowid, which SQLite has not chosen when a row is first checked.
    @Test(
        arguments: [
            "INSERT INTO note(tenantID, body) VALUES (2, 'BODY')", "INSERT INTO note VALUES (-1, 2, NULL, 'BODY')",
            "INSERT OR IGNORE INTO note(tenantID, body) VALUES (2, 'BODY')",
            "INSERT INTO note(tenantID, body) VALUES (2, 'BODY') ON CONFLICT DO NOTHING",
            "UPDATE note SET id = -1, tenantID = 2, body = 'BODY' WHERE id = 1",
        ])
    func takenKeysWithConditionsOnRowIDs(sql: String) throws {
        let writer = try make()
        let scope = DatabaseScope().reading(Customer.select { [$0.id] })
            .writing(Table("note").filter(Column("tenantID") == 1 && Column("id") < 1000))
        try writer.write(in: scope) { db throws in
            for body in ["b", "z"] {
                expectError(.SQLITE_CONSTRAINT_TRIGGER, "the scope can't store this row in note") {
                    try db.execute(sql: sql.replacing("BODY", with: body))
                }
            }
            try db.execute(sql: "INSERT INTO note(tenantID, body) VALUES (1, 'new')")
            #expect(db.lastInsertedRowID == 4)
        }
    }

    /// Only a deletion or an update of the row that others refer to depends on these.
    @Test func rowsThatOthersReferTo() throws {
        let writer = try make()
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE thread(id INTEGER PRIMARY KEY, tenantID INTEGER);
                    CREATE TABLE message(id INTEGER PRIMARY KEY, "thread ID" INTEGER REFERENCES THREAD(id));
                    INSERT INTO thread VALUES (1, 1);
                    INSERT INTO message VALUES (1, 1);
                    """)
        }
        let scope = DatabaseScope().writing(Table("thread").filter(Column("tenantID") == 1))
        for _ in 1...2 {
            try writer.write(in: scope) { db throws in
                try db.execute(sql: "INSERT INTO thread(tenantID) VALUES (1), (1)")
                for sql in ["DELETE FROM thread WHERE id = 1", "UPDATE thread SET id = id + 1 WHERE id = 1"] {
                    expectError(.SQLITE_AUTH, "the scope does not include message.thread ID") {
                        try db.execute(sql: sql)
                    }
                }
            }
        }
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM thread") } == 5)
    }

    @Test func errorsRollBackAndLeaveNothing() throws {
        let writer = try make()
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try writer.write(in: scope(1)) { db in
                try db.execute(sql: "DELETE FROM note")
                throw Failure()
            }
        }
        #expect(try notes(writer) == ["1 1 a", "2 2 b", "3 1 c"])
        try writer.write { db throws in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_temp_master") == 0)
            try db.execute(sql: "INSERT INTO note VALUES (4, 2, NULL, 'd')")
        }
        // A statement that rolls the transaction back takes the checks with it: nothing can be written afterwards.
        #expect(throws: DatabaseError.self) {
            try writer.write(in: scope(1)) { db in
                try? db.execute(sql: "INSERT OR ROLLBACK INTO note VALUES (1, 1, NULL, 'd')")
                try? db.execute(sql: "INSERT INTO note VALUES (5, 2, NULL, 'd')")
                try? db.execute(sql: "DELETE FROM note")
            }
        }
        #expect(try notes(writer) == ["1 1 a", "2 2 b", "3 1 c", "4 2 d"])
    }

    /// The program has begun the transaction that a statement rolls back.
    @Test func rollbackOfTheProgramsTransaction() throws {
        let writer = try make()
        try writer.writeWithoutTransaction { db in
            try db.beginTransaction()
            try db.write(in: scope(1)) { db throws in
                expectError(.SQLITE_CONSTRAINT_PRIMARYKEY, "UNIQUE constraint failed: note.id") {
                    try db.execute(sql: "INSERT OR ROLLBACK INTO note VALUES (1, 1, NULL, 'd')")
                }
                // It acknowledges the loss, so that statements would run again.
                try db.rollback()
                expectError(.SQLITE_ABORT, "the transaction of the scope has been rolled back") {
                    try db.execute(sql: "INSERT INTO note VALUES (5, 2, NULL, 'd')")
                }
            }
        }
        #expect(try notes(writer) == ["1 1 a", "2 2 b", "3 1 c"])
    }

    @Test func invalidScopes() throws {
        let writer = try make()
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE logged(id INTEGER PRIMARY KEY, tenantID INTEGER);
                    CREATE TRIGGER log AFTER INSERT ON logged BEGIN SELECT 1; END;
                    CREATE TABLE unique_(id INTEGER PRIMARY KEY, n UNIQUE ON CONFLICT REPLACE);
                    """)
        }
        func refuse(_ scope: DatabaseScope, _ message: String) {
            expectError(.SQLITE_MISUSE, message) { () throws in
                try writer.write(in: scope) { _ in Issue.record("not refused") }
            }
        }
        let note = Table<Note>("note")
        refuse(
            DatabaseScope().writing(Table("logged").all()),
            "a scope can't write logged: the request is of a table with triggers, which may use what the scope does not include"
        )
        refuse(
            DatabaseScope().writing(Table("unique_").all()),
            "a scope can't write unique_: the request is of a table whose constraints replace rows, which may be those outside the scope"
        )
        refuse(
            DatabaseScope().writing(note.limit(1)), "a scope can't write note: the request has more than conditions")
        refuse(
            DatabaseScope().writing(note.filter(sql: "id IN (SELECT id FROM secret)")),
            "a scope can't write note: the request has a subquery")
        refuse(
            DatabaseScope().writing(note.all()).reading(note.select(Column("id"))),
            "a scope can't write note: the request has columns that can't be read: a scope writes whole rows")
        refuse(
            DatabaseScope().writing(note.all()).writing(note.all()),
            "a scope can't write note: the request is the second one of this table")
    }

    /// More rows can be read than written.
    @Test func differentRowsToReadAndToWrite() throws {
        let writer = try make()
        let note = Table<Note>("note")
        let scope = DatabaseScope().reading(note.all()).writing(note.filter(Column("tenantID") == 1))
            .reading(Customer.select { [$0.id] })
        try writer.write(in: scope) { db throws in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM note") == 3)
            #expect(try Int.fetchAll(db, sql: "DELETE FROM note RETURNING id") == [1, 3])
        }
        #expect(try notes(writer) == ["2 2 b"])
    }

    @Test func asynchronousWritesAndObservers() async throws {
        let writer = try make(.pool)
        let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") }
        var counts = observation.values(in: writer).makeAsyncIterator()
        #expect(try await counts.next() == 3)
        try await writer.write(in: scope(1)) { try $0.execute(sql: "DELETE FROM note WHERE id = 1") }
        #expect(try await counts.next() == 2)
    }
}
