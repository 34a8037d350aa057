// What can't be written in a scope.

import Rowan
import Testing

extension ScopedWriteTests {
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
            ("INSERT OR ROLLBACK INTO note VALUES (1, 1, NULL, 'd')", "a scope can't begin or end transactions"),
            ("UPDATE OR ROLLBACK note SET id = 3", "a scope can't begin or end transactions"),
            ("INSERT INTO tag(_rowid_, tenantID, name) VALUES (2, 1, 'd')", "the scope does not include tag._rowid_"),
            ("INSERT OR IGNORE INTO tag('oid', tenantID) VALUES (2, 1)", "the scope does not include tag.oid"),
            ("UPDATE tag SET \"RowID\" = 2", "the scope does not include tag.rowid"),
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
            DatabaseScope().writing(note.filter(sql: "id IN /* a table */ \"secret\"")),
            "a scope can't write note: the request has a subquery")
        refuse(
            DatabaseScope().writing(note.all()).reading(note.select(Column("id"))),
            "a scope can't write note: the request has columns that can't be read: a scope writes whole rows")
        refuse(
            DatabaseScope().writing(note.all()).writing(note.all()),
            "a scope can't write note: the request is the second one of this table")
    }
}
