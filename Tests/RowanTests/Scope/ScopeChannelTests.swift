// Ways other than results in which rows outside a scope might show.

import RowanSQLite
import Rowan
import Testing

@Suite struct ScopeChannelTests {
    private func make(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { try Tenants.fill($0) }
        return queue
    }

    /// SQLite may evaluate conditions of a statement before that of the scope, if an index makes them cheaper. An error
    /// would reveal that a row outside matches.
    @Test(
        arguments: [
            "CASE WHEN note = 'note 2' THEN abs(-9223372036854775808) END",
            "CASE WHEN note = 'note 2' THEN json('{') END", "CASE WHEN note = 'note 2' THEN note -> '$[' END",
            "CASE WHEN note = 'note 2' THEN 'a' LIKE :pattern END",
            "CASE WHEN note = 'note 2' THEN zeroblob(9000000000) END",
            "CASE WHEN note = 'note 2' THEN fails(note) END",
            "id IN (SELECT CASE WHEN i.note = 'note 2' THEN abs(-9223372036854775808) END FROM invoice i)",
            "id > (SELECT sum(CASE WHEN i.note = 'note 2' THEN 9223372036854775807 ELSE 1 END) FROM invoice i)",
            "EXISTS (SELECT 1 FROM json_each(CASE WHEN note = 'note 2' THEN '{' ELSE '[]' END))",
            "CASE WHEN note = 'note 2' THEN id || :big || :big END",
            "CASE WHEN note = 'note 2' THEN (SELECT 1 LIMIT 1 OFFSET 'a') END",
            "CASE WHEN note = 'note 2' THEN (SELECT count(*) OVER (ROWS -1 PRECEDING)) END",
            "CASE WHEN note = 'note 2' THEN (SELECT sum(column1) FROM (VALUES (9223372036854775807), (1))) END",
        ])
    func errorsOfConditions(condition: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            struct Failure: Error {}
            db.add(function: DatabaseFunction("fails", argumentCount: 1, pure: true) { _ in throw Failure() })
        }
        configuration.prepareDatabase { db in sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 100_000) }
        let queue = try make(configuration)
        try queue.write {
            try $0.execute(sql: "CREATE UNIQUE INDEX note ON invoice(note)")
        }
        let arguments: StatementArguments = [
            "pattern": String(repeating: "a", count: 60_000), "big": String(repeating: "a", count: 60_000),
        ]
        func fetch(_ db: Database, _ condition: String) throws -> [Int] {
            let statement = try db.makeStatement(
                sql:
                    "SELECT id FROM invoice WHERE note IN ('note 2', 'x') AND (\(condition)) IS NULL"
            )
            let used = arguments.namedValues.filter { condition.contains(":\($0.key)") }
            return try Int.fetchAll(statement, arguments: StatementArguments(used.mapValues { $0.databaseValue }))
        }
        // Without the scope, the row fails; inside it, the row is not there.
        #expect(throws: DatabaseError.self) { try queue.read { try fetch($0, condition) } }
        try queue.read(in: Tenants.scope(1)) { db throws in
            _ = try fetch(db, condition)
        }
        #expect(throws: DatabaseError.self) { try queue.read(in: Tenants.scope(2)) { try fetch($0, condition) } }
    }

    /// Swift takes these names for the same, SQLite doesn't.
    @Test func namesWithOtherCharacters() throws {
        let queue = try make()
        try queue.write {
            try $0.execute(sql: "CREATE TABLE \"donn\u{E9}es\"(word); INSERT INTO \"donn\u{E9}es\" VALUES ('x')")
        }
        let query = "SELECT 1 FROM (SELECT 'x' AS word) JOIN \"donn\u{E9}es\" USING (word)"
        try queue.read(in: Tenants.scope(1)) { db throws in
            for other in ["donne\u{301}es", "DONN\u{C9}ES"] {
                #expect(throws: DatabaseError.self) {
                    try Row.fetchAll(db, sql: "WITH \"\(other)\" AS (SELECT 1) \(query)")
                }
                #expect(throws: DatabaseError.self) { try Row.fetchAll(db, sql: "\(query), (SELECT 1) \"\(other)\"") }
            }
            expectError(.SQLITE_AUTH, "the scope does not include donn\u{E9}es") { try Row.fetchAll(db, sql: query) }
        }
    }

    @Test func statementsOutsideOfTheirScope() throws {
        let queue = try make()
        let message =
            "a statement can't run outside of the scope that it was prepared in, or in one it was not prepared in"
        try queue.read { db in
            let outer = try db.makeStatement(sql: "SELECT count(*) FROM invoice")
            let inner = try db.read(in: Tenants.scope(1)) { db in
                expectError(.SQLITE_MISUSE, message) { try Int.fetchOne(outer) }
                let inner = try db.makeStatement(sql: "SELECT count(*) FROM invoice")
                #expect(try Int.fetchOne(inner) == 10)
                return inner
            }
            expectError(.SQLITE_MISUSE, message) { try Int.fetchOne(inner) }
            #expect(try Int.fetchOne(outer) == 20)
            // The same scope with other values.
            try db.read(in: Tenants.scope(3)) { db throws in #expect(try Int.fetchOne(inner) == 0) }
            try db.read(in: DatabaseScope().reading(Invoice.all())) { db throws in
                expectError(.SQLITE_MISUSE, message) { try Int.fetchOne(inner) }
                #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM invoice") == 20)
            }
        }
    }

    @Test func cursorsThatLeaveTheirScope() throws {
        let queue = try make()
        try queue.read { db in
            let cursor = try db.read(in: Tenants.scope(1)) { db in
                let cursor = try Int.fetchCursor(db, sql: "SELECT id FROM invoice ORDER BY id")
                #expect(try cursor.next() == 1)
                return cursor
            }
            #expect(try cursor.next() == Tenants.invoices.filter { $0.1 == 1 }[1].0)
        }
    }

    @Test func nesting() throws {
        let queue = try make()
        try queue.read(in: Tenants.scope(1)) { db throws in
            expectError(.SQLITE_AUTH, "a scope can't begin another one") {
                try db.read(in: Tenants.scope(2)) { try Invoice.fetchCount($0) }
            }
            #expect(try Invoice.fetchCount(db) == 10)
        }
        // An error leaves the scope.
        struct Failure: Error {}
        try queue.write { db in
            #expect(throws: Failure.self) { try db.read(in: Tenants.scope(1)) { _ in throw Failure() } }
            try db.execute(sql: "DELETE FROM invoice WHERE id = 1")
            #expect(try Invoice.fetchCount(db) == 19)
        }
    }

    @Test func theSchemaAsSeenInAScope() throws {
        let queue = try make()
        try queue.read(in: Tenants.scope(1)) { db throws in
            #expect(try db.tables().map(\.name) == ["customer", "invoice"])
            #expect(try db.schemaObjects().map(\.sql) == [nil, nil])
            #expect(try db.views().isEmpty)
            #expect(try !db.tableExists("secret"))
            #expect(try !db.viewExists("hidden"))
            #expect(try !db.tableExists("sqlite_master"))
            #expect(try db.columns(in: "customer").map(\.name) == ["id", "tenantID", "name"])
            #expect(try db.primaryKey("invoice").columns == ["id"])
            #expect(try db.indexes(on: "invoice").map(\.name) == ["invoice_tenant"])
            #expect(try db.foreignKeys(on: "invoice").map(\.destinationTable) == ["customer"])
            expectError(.SQLITE_ERROR, "no such table: secret") { try db.columns(in: "secret") }
            expectError(.SQLITE_ERROR, "no such table: secrets") { try db.columns(in: "secrets") }
            #expect(try !db.tableExists("secret", in: "temp"))
        }
        try queue.read(in: DatabaseScope().reading(Invoice.select { [$0.total] })) { db throws in
            #expect(try db.indexes(on: "invoice").isEmpty)
            #expect(try db.foreignKeys(on: "invoice").isEmpty)
            #expect(try db.primaryKey("invoice").columns == ["rowid"])
        }
        #expect(try queue.read { try $0.tables().count } == 3)
    }

    @Test func dumps() throws {
        let queue = try make()
        try queue.read(in: DatabaseScope().reading(Customer.filter(key: 1).select { [$0.id, $0.name] })) { db throws in
            let stream = Stream()
            try db.dumpContent(to: stream)
            #expect(stream.text == "customer\n1|customer 1\n")
            for dump in [db.dumpSchema(to:), { try db.dumpScript(to: $0) }] as [(any TextOutputStream) throws -> Void] {
                let schema = Stream()
                #expect { try dump(schema) } throws: { ($0 as? DatabaseError)?.resultCode == .SQLITE_AUTH }
                #expect(schema.text.isEmpty)
            }
        }
    }

    private final class Stream: TextOutputStream {
        var text = ""
        func write(_ string: String) { text += string }
    }

    /// A function that makes a text fails if it is too long, which reveals for which rows it was called.
    @Test func functionsOfLongTexts() throws {
        var configuration = Configuration()
        var limits = SQLLimits()
        limits.valueBytes = 10_000
        configuration.trust = .untrustedSQL(limits)
        let folder = try TemporaryFolder()
        let path = folder.path("long.sqlite")
        try DatabaseQueue(path: path).write { db in
            try Tenants.fill(db)
            try db.execute(
                sql: """
                    CREATE INDEX invoice_note ON invoice(note, total);
                    INSERT INTO invoice VALUES (100, 1, 2, 1000, ?)
                    """, arguments: [String(repeating: "x", count: 1_200)])
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let other = try #require(Tenants.invoices.first { $0.1 == 2 })
        try queue.read(in: Tenants.scope(1)) { db throws in
            for call in [
                "trim(i.note, n.note)", "ltrim(i.note, n.note)", "rtrim(i.note, n.note)", "upper(?)", "lower(?)",
            ] {
                let call = call.replacing("?", with: "CASE WHEN i.note = '\(other.4)' THEN ? END")
                let sql = """
                    SELECT i.note FROM invoice i, invoice n WHERE n.id = 100 AND i.note IN ('\(other.4)', 'z')
                    AND i.total = \(other.3) AND \(call) IS NOT NULL ORDER BY i.note, i.total
                    """
                let arguments: StatementArguments = call.contains("?") ? [String(repeating: "x", count: 10_000)] : []
                #expect(try String.fetchAll(db, sql: sql, arguments: arguments) == [], "\(call)")
            }
        }
    }

    /// Where values are limited, reading a longer one fails.
    @Test func valuesThatAreTooLong() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("values.sqlite")
        try DatabaseQueue(path: path).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE note(id INTEGER PRIMARY KEY, tenantID INTEGER NOT NULL, body TEXT);
                    CREATE INDEX note_body ON note(body);
                    INSERT INTO note VALUES (1, 1, 'short'), (2, 2, ?)
                    """, arguments: ["launch codes " + String(repeating: "x", count: 5_000)])
        }
        var configuration = Configuration()
        var limits = SQLLimits()
        limits.valueBytes = 2_000
        configuration.trust = .untrustedSQL(limits)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let condition = "body BETWEEN 'l' AND 'm' AND substr(body, 1, 1) <> ''"
        let scope = DatabaseScope().writing(Table("note").filter(Column("tenantID") == 1))
        try queue.read(in: scope) { db throws in
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM note WHERE \(condition)") == [])
        }
        try queue.write(in: scope) { db in
            try db.execute(sql: "UPDATE note SET body = '' WHERE \(condition)")
            try db.execute(sql: "DELETE FROM note WHERE \(condition)")
        }
        #expect(
            try DatabaseQueue(path: path).read { try Int.fetchAll($0, sql: "SELECT id FROM note ORDER BY id") } == [
                1, 2,
            ])
    }

    /// A table that is called like a function of SQLite.
    @Test func tablesCalledLikeFunctions() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try Tenants.fill(db)
            try db.execute(
                sql: """
                    CREATE TABLE json_each(key, secretWord); INSERT INTO json_each VALUES (1, 'hunter2');
                    CREATE VIEW json_tree AS SELECT secretWord FROM json_each;
                    """)
        }
        try queue.read(in: Tenants.scope(1)) { db throws in
            for name in ["json_each", "json_tree"] {
                expectError(.SQLITE_AUTH, "the scope does not include \(name).secretWord") {
                    try Row.fetchAll(db, sql: "SELECT secretWord FROM \(name)")
                }
            }
        }
    }

    /// Messages must not suggest names that the scope hides.
    @Test func hints() throws {
        let queue = try make()
        try queue.read(in: Tenants.scope(1)) { db throws in
            for sql in ["SELECT * FROM secre", "SELECT phon FROM customer", "SELECT wor FROM invoice"] {
                do {
                    _ = try Row.fetchAll(db, sql: sql)
                    Issue.record("no error")
                } catch let error as DatabaseError {
                    #expect(!error.description.contains("secret") && !error.description.contains("phone"))
                    #expect(!error.description.contains("did you mean"))
                }
            }
        }
    }

    @Test func otherWaysOfReading() throws {
        let queue = try make()
        try queue.read(in: Tenants.scope(1)) { db throws in
            expectError(.SQLITE_AUTH, "a scope can't open a blob handle") {
                try db.withBlob(table: "secret", column: "word", rowID: 1) { $0.count }
            }
            expectError(.SQLITE_AUTH, "a scope can't copy the database") { try db.serialize() }
            try DatabaseQueue().inDatabase { target throws in
                expectError(.SQLITE_AUTH, "a scope can't copy the database") { try db.backup(to: target) }
            }
        }
    }
}
