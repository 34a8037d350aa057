import Rowan
import Testing

/// A database with an author, a book, and an award that no migration touches.
private func libraryQueue(foreignKeysEnabled: Bool = true) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = foreignKeysEnabled
    let queue = try DatabaseQueue(configuration: configuration)
    try queue.inDatabase { db in
        try db.execute(
            sql: """
                CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id) ON DELETE CASCADE);
                CREATE TABLE award (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book(id));
                INSERT INTO author VALUES (1, 'A'), (2, 'B');
                INSERT INTO book VALUES (1, 1);
                INSERT INTO award VALUES (1, 1);
                """)
    }
    return queue
}

private func migrator(
    _ sql: String, _ checks: DatabaseMigrator.ForeignKeyChecks = .deferred, isDisabled: Bool = false
) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    if isDisabled { migrator = migrator.disablingDeferredForeignKeyChecks() }
    migrator.registerMigration("1", foreignKeyChecks: checks) { try $0.execute(sql: sql) }
    return migrator
}

private let recreatedAuthors = """
    CREATE TABLE new_author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    INSERT INTO new_author SELECT * FROM author;
    DROP TABLE author;
    ALTER TABLE new_author RENAME TO author;
    """

struct MigrationForeignKeyTests {
    @Test(arguments: [DatabaseMigrator.ForeignKeyChecks.deferred, .changedTables])
    func tablesAreCreatedAnew(checks: DatabaseMigrator.ForeignKeyChecks) throws {
        let queue = try libraryQueue()
        try migrator(recreatedAuthors, checks).migrate(queue)
        try queue.read { db throws in
            #expect(try Int.fetchAll(db, sql: "SELECT authorId FROM book") == [1])
            #expect(try db.foreignKeys(on: "book").map(\.destinationTable) == ["author"])
        }
        try expectForeignKeysEnforced(queue)
        expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try queue.write { try $0.execute(sql: "INSERT INTO book VALUES (9, 9)") }
        }
    }

    /// With immediate checks, dropping a table first deletes its rows, which triggers foreign key actions.
    @Test func immediateChecks() throws {
        let queue = try libraryQueue()
        expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try migrator(recreatedAuthors, .immediate).migrate(queue) }
        try queue.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book") == 1) }
        try migrator("ALTER TABLE author RENAME TO person; ALTER TABLE book RENAME COLUMN authorId TO p", .immediate)
            .migrate(queue)
        try queue.read { db throws in
            #expect(try db.foreignKeys(on: "book").map(\.destinationTable) == ["person"])
            #expect(try db.foreignKeys(on: "book").map(\.originColumns) == [["p"]])
        }
    }

    static let violatingSQL: [String] = [
        "UPDATE book SET authorId = 3",
        "INSERT INTO book VALUES (2, 4)",
        "DELETE FROM author",
        "UPDATE author SET id = id + 10",
        "REPLACE INTO book VALUES (1, 7)",
        "DROP TABLE author; CREATE TABLE author (id INTEGER PRIMARY KEY)",
        "CREATE TABLE page (bookId REFERENCES book(id)); INSERT INTO page VALUES (5)",
        "ALTER TABLE author RENAME TO person; DELETE FROM person",
        "CREATE TRIGGER t AFTER INSERT ON author BEGIN DELETE FROM book; END; INSERT INTO author VALUES (9, '')",
    ]

    @Test(arguments: violatingSQL, [DatabaseMigrator.ForeignKeyChecks.deferred, .changedTables])
    func violations(sql: String, checks: DatabaseMigrator.ForeignKeyChecks) throws {
        let queue = try libraryQueue()
        let before = try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM book") }
        let error = expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try migrator(sql, checks).migrate(queue) }
        #expect(error?.message?.hasPrefix("FOREIGN KEY constraint violation - from ") == true)
        try queue.read { db throws in
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM book") == before)
            #expect(try !db.tableExists("grdb_migrations"))
        }
        try expectForeignKeysEnforced(queue)
    }

    /// A violation may be introduced and resolved within a migration.
    @Test(arguments: [DatabaseMigrator.ForeignKeyChecks.deferred, .changedTables])
    func temporaryViolations(checks: DatabaseMigrator.ForeignKeyChecks) throws {
        let queue = try libraryQueue()
        try migrator("UPDATE book SET authorId = 3; INSERT INTO author VALUES (3, 'C')", checks).migrate(queue)
        #expect(try queue.int("SELECT authorId FROM book") == 3)
    }

    /// Without its unique index, the referenced column is no longer a key.
    @Test(arguments: [DatabaseMigrator.ForeignKeyChecks.deferred, .changedTables])
    func droppedKeys(checks: DatabaseMigrator.ForeignKeyChecks) throws {
        let queue = try libraryQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE UNIQUE INDEX u ON author(name); CREATE TABLE pen (name REFERENCES author(name));
                    INSERT INTO pen VALUES ('A')
                    """)
        }
        let error = databaseError { try migrator("DROP INDEX u", checks).migrate(queue) }
        #expect(error?.message?.contains("foreign key mismatch") == true)
        try migrator("DROP INDEX u; CREATE UNIQUE INDEX u2 ON author(name)", checks).migrate(queue)
    }

    @Test func disabledChecks() throws {
        let queue = try libraryQueue()
        try migrator("UPDATE book SET authorId = 3", isDisabled: true).migrate(queue)
        #expect(try queue.int("SELECT authorId FROM book") == 3)
        try expectForeignKeysEnforced(queue)
        // Immediate checks are unaffected.
        expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try migrator("UPDATE book SET authorId = 3", .immediate, isDisabled: true).migrate(libraryQueue())
        }
        // Migrations registered earlier keep their checks.
        var mixed = DatabaseMigrator()
        mixed.registerMigration("checked") { try $0.execute(sql: "UPDATE book SET authorId = 3") }
        mixed = mixed.disablingDeferredForeignKeyChecks()
        mixed.registerMigration("unchecked") { _ in }
        expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { [mixed] in try mixed.migrate(libraryQueue()) }
    }

    /// A check of the changed tables ignores older violations elsewhere; a full check does not.
    @Test func olderViolations() throws {
        func brokenQueue() throws -> DatabaseQueue {
            let queue = try libraryQueue()
            try queue.inDatabase { db in
                try db.execute(
                    sql: "PRAGMA foreign_keys = OFF; INSERT INTO award VALUES (2, 77); PRAGMA foreign_keys = ON")
            }
            return queue
        }
        let sql = "INSERT INTO author VALUES (3, 'C')"
        try migrator(sql, .changedTables).migrate(brokenQueue())
        expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try migrator(sql, .deferred).migrate(brokenQueue()) }
        expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try migrator("INSERT INTO book VALUES (3, 1)", .changedTables).migrate(brokenQueue())
        }
    }

    /// A previously compiled statement counts, too.
    @Test func cachedStatementsCount() throws {
        let queue = try libraryQueue()
        try queue.inDatabase { db in
            try db.cachedStatement(sql: "UPDATE book SET authorId = ?").execute(arguments: [1])
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", foreignKeyChecks: .changedTables) { db in
            try db.cachedStatement(sql: "UPDATE book SET authorId = ?").execute(arguments: [5])
        }
        expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { [migrator] in try migrator.migrate(queue) }
    }

    @Test func foreignKeysThatAreNotEnforced() throws {
        let queue = try libraryQueue(foreignKeysEnabled: false)
        try migrator("UPDATE book SET authorId = 3").migrate(queue)
        #expect(try queue.int("SELECT authorId FROM book") == 3)
        #expect(try queue.int("PRAGMA foreign_keys") == 0)
    }
}
